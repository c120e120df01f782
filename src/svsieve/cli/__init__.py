"""The command ``svsieve``."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and end the process with its exit code."""
    try:
        from svsieve.cli.app import run
    except ImportError as error:
        sys.stderr.write(
            f"svsieve: the command line needs {error.name or error}: pip install 'svsieve[cli]'\n"
        )
        raise SystemExit(1) from None
    raise SystemExit(run(sys.argv[1:]))
