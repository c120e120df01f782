"""The time that a search may take."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager


class OutOfTimeError(Exception):
    """Raised where a search has to end; what was found before it counts."""


class Clock:
    """Seconds that are left.

    Parameters
    ----------
    seconds : float or None
        None: without limit.

    Examples
    --------
    >>> from svsieve.estimators.sieving.clock import Clock
    >>> Clock(None).limited, Clock(5.0).limited
    (False, True)
    """

    def __init__(self, seconds: float | None = None) -> None:
        self.begun = time.monotonic()
        self.seconds = math.inf if seconds is None else float(seconds)
        self._until = self.seconds

    @property
    def limited(self) -> bool:
        """Whether there is a limit."""
        return math.isfinite(self.seconds)

    def spent(self) -> float:
        """Return the seconds since the beginning."""
        return time.monotonic() - self.begun

    def share(self) -> float:
        """Return the share of the time that is spent; 0 where there is no limit."""
        return self.spent() / self.seconds

    def allow(self, share: float) -> None:
        """Let the next part of the search end when a share of the whole time is spent."""
        self._until = share * self.seconds

    @contextmanager
    def part(self, share: float) -> Iterator[None]:
        """Let what is done inside take no more than a share of the seconds left."""
        until = self._until
        self._until = self.spent() + share * self.left()
        try:
            yield
        finally:
            self._until = until

    def left(self) -> float:
        """Return the seconds left to this part of the search."""
        return max(0.0, self._until - self.spent())

    def check(self) -> None:
        """Raise `OutOfTimeError` where nothing is left."""
        if self.left() <= 0.0:
            raise OutOfTimeError
