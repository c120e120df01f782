"""All commands, and how each may end.

Exit codes: 0 done; 1 failed; 2 bad input or option; 130 interrupted. Whatever goes wrong is one
line on stderr.
"""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from collections.abc import Sequence
from typing import Any

import typer

from svsieve.cli import compare, demo, describe, info, rank, reproduce, tune
from svsieve.cli.console import complain, note
from svsieve.cli.interruption import RunInterruptedError, raised
from svsieve.errors import with_notes
from svsieve.interrupts import INTERRUPTED

DONE, FAILED, REFUSED = 0, 1, 2

# typer brings click along under varying names; its errors are always reached from here.
_UsageError: Any = typer.BadParameter.__base__
_ClickException: Any = _UsageError.__base__

app = typer.Typer(
    name="svsieve",
    help="Rank the columns of a table with support vector machines and say how many to keep.",
    epilog="Each command explains itself: svsieve rank --help",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
app.command("rank")(rank.rank)
app.command("compare")(compare.compare)
app.command("tune")(tune.tune)
app.command("describe")(describe.describe)
app.command("demo")(demo.demo)
app.command("info")(info.info)
app.add_typer(reproduce.app, name="reproduce")


def run(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code."""
    with warnings.catch_warnings():
        warnings.simplefilter("once")
        for kind in (DeprecationWarning, FutureWarning, ResourceWarning):
            warnings.simplefilter("ignore", kind)
        # What joblib says of a run that was interrupted is said better here.
        warnings.filterwarnings("ignore", message=".*tasks which were still being processed")
        said: set[str] = set()

        def show(message: Warning | str, *_: object, **__: object) -> None:
            if str(message) not in said:
                said.add(str(message))
                note(str(message))

        warnings.showwarning = show
        return _run(list(arguments) or ["--help"])


def _run(arguments: list[str]) -> int:
    try:
        with raised():
            code = app(args=arguments, prog_name="svsieve", standalone_mode=False)
            sys.stdout.flush()
        if code == INTERRUPTED:  # outside of what can be taken up again
            complain("interrupted.")
        return code if isinstance(code, int) else DONE
    except _ClickException as error:
        complain(error.format_message())
        return REFUSED
    except RunInterruptedError as error:
        complain(str(error))
        return INTERRUPTED
    except (typer.Abort, KeyboardInterrupt):
        complain("interrupted.")
        return INTERRUPTED
    except SystemExit as ending:  # the scripts of shell completion end so
        return ending.code if isinstance(ending.code, int) else DONE
    except BrokenPipeError:  # whoever was to read it has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except ValueError as error:
        _debug()
        complain(with_notes(error))
        return REFUSED
    except MemoryError as error:
        complain(with_notes(error) or "there is not enough memory for this table.")
        return FAILED
    except Exception as error:
        _debug()
        complain(
            f"failed: {type(error).__name__}: {with_notes(error)} (SVSIEVE_DEBUG=1 shows where)"
        )
        return FAILED


def _debug() -> None:
    if os.environ.get("SVSIEVE_DEBUG"):
        traceback.print_exc()
