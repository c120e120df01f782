"""Pictures and libraries of the page, made where that cannot cost what they are to show.

The engine of JavaScript that makes them reserves gigabytes of addresses when it starts, and where
it does not get them it ends the process by a signal. Where addresses are limited, as on many
clusters, it has a process of its own; without a limit that would only cost time.
"""

from __future__ import annotations

import functools
import json
import resource
import signal
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from svsieve.errors import PageError
from svsieve.reports.html import engine

_libraries: dict[str, str] = {}


def drawn(specs: Mapping[str, dict[str, Any]]) -> tuple[str, dict[str, str]]:
    """Return what the page needs of Vega, and pictures as they are before its scripts run.

    Parameters
    ----------
    specs : dict of str to dict
        Of the pictures, in terms of Vega-Lite.

    Returns
    -------
    libraries : str
        Vega, Vega-Lite and Vega-Embed as one script that sets ``window.vegaEmbed``.
    pictures : dict of str to str
        SVG.
    """
    version = _vegalite_version()
    asked = {"version": version, "specs": specs, "with_libraries": version not in _libraries}
    limited = resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY
    made = _made_elsewhere(asked) if limited else engine.made(asked)
    if "libraries" in made:
        _libraries[version] = made["libraries"]
    return _libraries[version], made["pictures"]


def _made_elsewhere(asked: dict[str, Any]) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-P", engine.__file__],
        input=json.dumps(asked),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or [f"code {done.returncode}"]
        how = last[0][:200] if done.returncode > 0 else signal.Signals(-done.returncode).name
        raise PageError(
            f"the engine that draws its pictures ended with {how}. It asks for gigabytes of "
            "addresses: raise the limit (ulimit -v), or name a report that ends in .md."
        )
    return dict(json.loads(done.stdout))


@functools.cache
def _vegalite_version() -> str:
    """The version that altair writes for, as vl-convert spells it."""
    import altair

    return ".".join(altair.SCHEMA_VERSION.split(".")[:2])
