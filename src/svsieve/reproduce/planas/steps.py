"""The schedules of the thesis, which differ a little from those of the library."""

from __future__ import annotations

import math
from dataclasses import dataclass

from svsieve.arrays import FloatArray
from svsieve.elimination import Schedule


@dataclass(frozen=True)
class ShareOfOthers(Schedule):
    """A share of all columns left but one.

    Examples
    --------
    >>> from svsieve.reproduce.planas.steps import ShareOfOthers
    >>> [len(ShareOfOthers(share).sizes(300)) - 1 for share in (0.04, 0.12, 0.2)]
    [98, 41, 26]
    """

    share: float

    def step(
        self, size: int, iteration: int, n_columns: int, scores: FloatArray | None = None
    ) -> int:
        """Return the share of ``size - 1``."""
        return math.floor(self.share * (size - 1) * (1.0 + 1e-12))


@dataclass(frozen=True)
class Distance(Schedule):
    """A share of the distance to a size of interest, which may be jumped over (equation 5.2).

    Examples
    --------
    >>> from svsieve.reproduce.planas.steps import Distance
    >>> Distance(0.2, centre=100, least=5).sizes(300)[:4]
    [300, 260, 228, 203]
    """

    share: float
    centre: int
    least: int

    def step(
        self, size: int, iteration: int, n_columns: int, scores: FloatArray | None = None
    ) -> int:
        """Return the share of the distance, or the least step."""
        away = abs(size - self.centre)
        return max(self.least, math.floor(self.share * away * (1.0 + 1e-12)))
