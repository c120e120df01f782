"""What commands print: answers on stdout, all else on stderr; bars and colours on terminals."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from svsieve.estimators.analysing.units import Watch

# Of what is not shown on a terminal.
WIDTH = 120
LONGEST_NAME = 60


def console() -> Console:
    """Return where answers go."""
    shown = Console()
    return shown if shown.is_terminal else Console(width=WIDTH)


def say(text: str = "") -> None:
    """Print a line of the answer as it is."""
    console().print(Text(printable(text)), soft_wrap=True)


def complain(text: str) -> None:
    """Say in one line on stderr what went wrong."""
    sys.stderr.write(f"svsieve: {one_line(text)}\n")
    sys.stderr.flush()


def note(text: str) -> None:
    """Say something on stderr that does not end the command."""
    sys.stderr.write(f"svsieve: note: {one_line(text)}\n")
    sys.stderr.flush()


def one_line(text: str) -> str:
    """Return a text on one line."""
    return printable(" ".join(text.split()))


def printable(text: str) -> str:
    r"""Return a text in which nothing moves the cursor of a terminal or turns the reading around.

    Examples
    --------
    >>> from svsieve.cli.console import printable
    >>> printable("\x1b[2Jname")
    '\\x1b[2Jname'
    """
    return "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in text)


def shortened(name: str, longest: int = LONGEST_NAME) -> str:
    """Return a name that fits into a table."""
    text = one_line(name)
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def show_table(
    head: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()
) -> None:
    """Print a table; columns named in `right` stand at the right."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for position, title in enumerate(head):
        table.add_column(title, justify="right" if position in right else "left")
    for row in rows:
        table.add_row(*(Text(shortened(cell)) for cell in row))
    console().print(table)


def show_json(facts: Mapping[str, Any]) -> None:
    """Print plain values as JSON; numbers that JSON does not have become null."""
    sys.stdout.write(json.dumps(_finite(facts), indent=2, ensure_ascii=False) + "\n")


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {str(key): _finite(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(entry) for entry in value]
    return value


@contextmanager
def bar(what: str) -> Iterator[Watch]:
    """Show how many of several runs are done and how long the rest may take, on a terminal."""
    shown = Console(stderr=True)
    if not shown.is_terminal:  # where rich below 14.3 ends even a disabled bar by an empty line
        yield lambda done, total: None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=shown, transient=True) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
