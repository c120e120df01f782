"""One line on stderr while columns are eliminated."""

from __future__ import annotations

import math
import sys
import time
from abc import ABC, abstractmethod
from typing import Self, TextIO

REDRAW_SECONDS = 0.2
# Where nothing can be redrawn (a file, a notebook's log) every report is a line of its own.
LINE_SECONDS = 5.0
WIDTH = 24


class Report(ABC):
    """A line that is redrawn now and then; closed by leaving a ``with`` block.

    Parameters
    ----------
    shown : bool, default=True
        False: nothing is written.
    stream : text stream, optional
        ``sys.stderr`` by default.
    """

    def __init__(self, *, shown: bool = True, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._shown = shown
        self._begun = self._drawn = time.monotonic()
        self._told = False
        self._terminal = shown and self._stream.isatty()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._shown and self._told:
            self._draw(last=True)

    @abstractmethod
    def line(self, seconds: float) -> str:
        """Return what is written after so many seconds."""

    def _tell(self) -> None:
        """Something has changed: draw it, unless the last drawing is very recent."""
        self._told = True
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


class Progress(Report):
    """Columns left, seconds spent and seconds left.

    Parameters
    ----------
    n_columns : int
        Columns at the start.
    least : int
        Columns at the end.
    shown, stream
        As in :class:`Report`.
    """

    def __init__(
        self, n_columns: int, least: int, *, shown: bool = True, stream: TextIO | None = None
    ) -> None:
        super().__init__(shown=shown, stream=stream)
        self._n_columns = n_columns
        self._least = least
        self._first: int | None = None
        self._left = n_columns

    def update(self, left: int) -> None:
        """Tell that `left` columns are left."""
        if self._first is None:
            self._first = left
        self._left = left
        self._tell()

    def line(self, seconds: float) -> str:
        """Return what is written after so many seconds."""
        span = max(self._n_columns - self._least, 1)
        bar = _bar((self._n_columns - self._left) / span)
        text = f"{bar} {self._left:,} of {self._n_columns:,} columns left, {_clock(seconds)}"
        # A resumed run is timed from where it was resumed.
        gone = (self._n_columns if self._first is None else self._first) - self._left
        to_go = self._left - self._least
        if gone > 0 and to_go > 0:
            text += f", about {_clock(seconds * to_go / gone)} to go"
        return text


class Tally(Report):
    """How many of several runs are done, seconds spent and seconds left.

    Parameters
    ----------
    n_runs : int
    what : str
        What they are, in the plural.
    n_jobs : int, default=1
        How many run at a time.
    shown, stream
        As in :class:`Report`.
    """

    def __init__(
        self,
        n_runs: int,
        what: str,
        *,
        n_jobs: int = 1,
        shown: bool = True,
        stream: TextIO | None = None,
    ) -> None:
        super().__init__(shown=shown, stream=stream)
        self._n_runs = n_runs
        self._what = what
        self._n_jobs = n_jobs
        self._done = 0
        self._worked = 0.0

    def __enter__(self) -> Self:
        if self._terminal:
            self._draw()  # the first run may take long
            self._told = True
        return self

    def add(self, seconds: float) -> None:
        """Tell that one more is done, which took so many seconds."""
        self._done += 1
        self._worked += seconds
        self._tell()

    def line(self, seconds: float) -> str:
        """Return what is written after so many seconds."""
        bar = _bar(self._done / max(self._n_runs, 1))
        text = f"{bar} {self._done:,} of {self._n_runs:,} {self._what}, {_clock(seconds)}"
        # Those left go in rounds of as many as run at a time, each as long as a run on average.
        rounds = math.ceil((self._n_runs - self._done) / self._n_jobs)
        if self._done and rounds:
            text += f", about {_clock(rounds * self._worked / self._done)} to go"
        return text


def _bar(share: float) -> str:
    return f"[{('#' * round(WIDTH * min(1.0, share))).ljust(WIDTH, '.')}]"


def _clock(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
