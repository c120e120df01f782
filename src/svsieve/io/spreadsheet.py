"""Tables out, safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

# A cell that begins so is run as a formula by common spreadsheets, the wide forms in some locales.
FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001


def neutralised(text: str) -> str:
    """Return text that no spreadsheet takes for a formula: an apostrophe goes before one.

    Examples
    --------
    >>> from svsieve.io import neutralised
    >>> neutralised("=cmd()"), neutralised("gene 7")
    ("'=cmd()", 'gene 7')
    """
    return f"'{text}" if text.startswith(FORMULA_SIGNS) else text


def write_csv(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table as CSV; text is neutralised, numbers are what they are.

    Examples
    --------
    >>> from svsieve.io import write_csv
    >>> print(write_csv(["name", "score"], [("-b", -1.5)]), end="")
    name,score
    '-b,-1.5
    """
    lines = io.StringIO(newline="")
    writer = csv.writer(lines, lineterminator="\n")
    for row in [head, *rows]:
        writer.writerow([_safe(cell) if isinstance(cell, str) else cell for cell in row])
    return lines.getvalue()


def _safe(text: str) -> str:
    """A cell that is no formula and ends nowhere but at its end.

    Python's writer puts a cell with a line feed into quotes, but not one with a carriage return,
    which spreadsheets take for the end of a row.
    """
    return neutralised(text).replace("\r\n", "\n").replace("\r", "\n")
