"""One line on stderr while columns are eliminated."""

from __future__ import annotations

import sys
import time
from typing import Self, TextIO

REDRAW_SECONDS = 0.2
# Where nothing can be redrawn (a file, a notebook's log) every report is a line of its own.
LINE_SECONDS = 5.0
WIDTH = 24


class Progress:
    """Columns left, seconds spent and seconds left; closed by leaving a ``with`` block.

    Parameters
    ----------
    n_columns : int
        Columns at the start.
    least : int
        Columns at the end.
    shown : bool, default=True
        False: nothing is written.
    stream : text stream, optional
        ``sys.stderr`` by default.
    """

    def __init__(
        self, n_columns: int, least: int, *, shown: bool = True, stream: TextIO | None = None
    ) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._shown = shown
        self._n_columns = n_columns
        self._least = least
        self._begun = self._drawn = time.monotonic()
        self._first: int | None = None
        self._left = n_columns
        self._terminal = shown and self._stream.isatty()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._shown and self._first is not None:
            self._draw(last=True)

    def update(self, left: int) -> None:
        """Tell that `left` columns are left."""
        if self._first is None:
            self._first = left
        self._left = left
        pause = REDRAW_SECONDS if self._terminal else LINE_SECONDS
        if self._shown and time.monotonic() - self._drawn >= pause:
            self._draw()

    def _draw(self, *, last: bool = False) -> None:
        self._drawn = time.monotonic()
        opening, ending = "\r" if self._terminal else "", "\n"
        if self._terminal and not last:
            ending = "\x1b[K"  # what the last drawing wrote further right is gone
        elif self._terminal:
            ending = "\x1b[K\n"
        self._stream.write(opening + self.line(self._drawn - self._begun) + ending)
        self._stream.flush()

    def line(self, seconds: float) -> str:
        """Return what is written after so many seconds."""
        span = max(self._n_columns - self._least, 1)
        share = min(1.0, (self._n_columns - self._left) / span)
        bar = ("#" * round(WIDTH * share)).ljust(WIDTH, ".")
        text = f"[{bar}] {self._left:,} of {self._n_columns:,} columns left, {_clock(seconds)}"
        # A resumed run is timed from where it was resumed.
        gone = (self._n_columns if self._first is None else self._first) - self._left
        to_go = self._left - self._least
        if gone > 0 and to_go > 0:
            text += f", about {_clock(seconds * to_go / gone)} to go"
        return text


def _clock(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
