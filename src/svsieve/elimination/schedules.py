"""Schedules: how many columns go in one step.

Three rules hold for all of them: the step is rounded down, is at least 1, and leaves at least as
many columns as are asked for.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from svsieve.arrays import FloatArray, IndexArray
from svsieve.elimination.checks import check_share, check_whole


def clipped(step: float, size: int, least: int) -> int:
    """Return a step after the rules: rounded down, at least 1, at most ``size - least``.

    Examples
    --------
    >>> from svsieve.elimination.schedules import clipped
    >>> clipped(0.7, size=20, least=1), clipped(9, size=5, least=1)
    (1, 4)
    """
    return min(max(math.floor(step), 1), size - least)


class Schedule(ABC):
    """How many columns go in one step; a subclass says `step`."""

    needs_scores: ClassVar[bool] = False

    @abstractmethod
    def step(
        self, size: int, iteration: int, n_columns: int, scores: FloatArray | None = None
    ) -> int:
        """Return the step, before the rules.

        Parameters
        ----------
        size : int
            Columns left.
        iteration : int
            From 1.
        n_columns : int
            Columns at the beginning.
        scores : ndarray of shape (size,), optional
            Needed where `needs_scores`.
        """

    def sizes(self, n_columns: int, least: int = 1) -> list[int]:
        """Return the numbers of columns that will be visited, from `n_columns` down to `least`."""
        counts = self.counts(n_columns, 1, n_columns, least, most=n_columns)
        return [n_columns, *(n_columns - np.cumsum(counts)).tolist()]

    def counts(
        self, size: int, iteration: int, n_columns: int, least: int, most: int
    ) -> IndexArray:
        """Return the steps that follow, after the rules, at most `most` of them."""
        if self.needs_scores:
            raise ValueError(
                f"the sizes of {type(self).__name__} depend on the scores and are not known before."
            )
        out: list[int] = []
        while size > least and len(out) < most:
            out.append(clipped(self.step(size, iteration + len(out), n_columns), size, least))
            size -= out[-1]
        return np.array(out, dtype=np.int64)


def _part(share: float, of: int) -> int:
    """A share rounded down: 0.29 of 100 is 29, whatever binary fractions make of it."""
    return math.floor(share * of * (1.0 + 1e-12))


@dataclass(frozen=True)
class Constant(Schedule):
    """The same number of columns every time.

    Parameters
    ----------
    columns : int, default=1

    Examples
    --------
    >>> from svsieve.elimination import Constant
    >>> Constant(3).sizes(20)
    [20, 17, 14, 11, 8, 5, 2, 1]
    """

    columns: int = 1

    def __post_init__(self) -> None:
        check_whole(self.columns, "columns", "Constant", 1)

    def step(
        self, size: int, iteration: int, n_columns: int, scores: FloatArray | None = None
    ) -> int:
        """Return the number."""
        return int(self.columns)

    def counts(
        self, size: int, iteration: int, n_columns: int, least: int, most: int
    ) -> IndexArray:
        """Return the steps that follow: all alike, but for the last."""
        whole, rest = divmod(max(size - least, 0), int(self.columns))
        counts = np.full(whole + (rest > 0), int(self.columns), dtype=np.int64)
        if rest:
            counts[-1] = rest
        return counts[:most]


@dataclass(frozen=True)
class Fraction(Schedule):
    """A share of the columns that remain.

    Parameters
    ----------
    share : float
        Between 0 and 1.

    Examples
    --------
    >>> from svsieve.elimination import Fraction
    >>> Fraction(0.3).sizes(20)
    [20, 14, 10, 7, 5, 4, 3, 2, 1]
    """

    share: float

    def __post_init__(self) -> None:
        check_share(self.share, "Fraction")

    def step(
        self, size: int, iteration: int, n_columns: int, scores: FloatArray | None = None
    ) -> int:
        """Return the share of `size`."""
        return _part(self.share, size)


@dataclass(frozen=True)
class FractionOfOriginal(Schedule):
    """A share of the columns there were at the beginning.

    Parameters
    ----------
    share : float
        Between 0 and 1.

    Examples
    --------
    >>> from svsieve.elimination import FractionOfOriginal
    >>> FractionOfOriginal(0.25).sizes(20)
    [20, 15, 10, 5, 1]
    """

    share: float

    def __post_init__(self) -> None:
        check_share(self.share, "FractionOfOriginal")

    def step(
        self, size: int, iteration: int, n_columns: int, scores: FloatArray | None = None
    ) -> int:
        """Return the share of `n_columns`."""
        return _part(self.share, n_columns)


@dataclass(frozen=True)
class Sqrt(Schedule):
    """The square root of the columns that remain: about 2 sqrt(n) fits.

    Examples
    --------
    >>> from svsieve.elimination import Sqrt
    >>> Sqrt().sizes(20)
    [20, 16, 12, 9, 6, 4, 2, 1]
    """

    def step(
        self, size: int, iteration: int, n_columns: int, scores: FloatArray | None = None
    ) -> int:
        """Return the root of `size`."""
        return math.isqrt(size)


@dataclass(frozen=True)
class Annealing(Schedule):
    """A half first, then a third of the rest, a quarter of the rest, and so on.

    Examples
    --------
    >>> from svsieve.elimination import Annealing
    >>> Annealing().sizes(20)
    [20, 10, 7, 6, 5, 4, 3, 2, 1]
    """

    def step(
        self, size: int, iteration: int, n_columns: int, scores: FloatArray | None = None
    ) -> int:
        """Return ``size / (iteration + 1)``."""
        return size // (iteration + 1)


@dataclass(frozen=True)
class Reflective(Schedule):
    """A share of the distance to a size of interest: small steps around it, large ones far off.

    Parameters
    ----------
    share : float
        Between 0 and 1.
    centre : int
        The size of interest. It is visited.
    least : int, default=1
        The smallest step.

    Examples
    --------
    >>> from svsieve.elimination import Reflective
    >>> Reflective(0.4, centre=8).sizes(20)
    [20, 16, 13, 11, 10, 9, 8, 7, 6, 5, 4, 3, 1]
    """

    share: float
    centre: int
    least: int = 1

    def __post_init__(self) -> None:
        check_share(self.share, "Reflective")
        check_whole(self.centre, "centre", "Reflective", 0)
        check_whole(self.least, "least", "Reflective", 1)

    def step(
        self, size: int, iteration: int, n_columns: int, scores: FloatArray | None = None
    ) -> int:
        """Return the share of the distance, no further than to the centre."""
        step = max(_part(self.share, abs(self.centre - size)), int(self.least))
        return min(step, size - int(self.centre)) if size > self.centre else step


@dataclass(frozen=True)
class HalveThenOne(Schedule):
    """Half of the columns while there are many, then one at a time.

    Parameters
    ----------
    below : int, default=100
        The size, which is visited, from which on columns go one at a time.

    Examples
    --------
    >>> from svsieve.elimination import HalveThenOne
    >>> HalveThenOne(below=5).sizes(20)
    [20, 10, 5, 4, 3, 2, 1]
    """

    below: int = 100

    def __post_init__(self) -> None:
        check_whole(self.below, "below", "HalveThenOne", 0)

    def step(
        self, size: int, iteration: int, n_columns: int, scores: FloatArray | None = None
    ) -> int:
        """Return half of `size`, rounded up, or one."""
        return min((size + 1) // 2, size - int(self.below)) if size > self.below else 1


@dataclass(frozen=True, init=False)
class Sizes(Schedule):
    """The sizes to visit, given outright.

    Parameters
    ----------
    visit : sequence of int
        In any order. Those not below the number of columns, and those below the number to be kept,
        are passed over.

    Examples
    --------
    >>> from svsieve.elimination import Sizes
    >>> Sizes([100, 10, 5]).sizes(20)
    [20, 10, 5, 1]
    """

    visit: tuple[int, ...]

    def __init__(self, visit: Sequence[int]) -> None:
        for size in visit:
            check_whole(size, "visit", "Sizes", 0)
        distinct = sorted({int(size) for size in visit}, reverse=True)
        object.__setattr__(self, "visit", tuple(distinct))

    def step(
        self, size: int, iteration: int, n_columns: int, scores: FloatArray | None = None
    ) -> int:
        """Return the distance to the next size listed, to zero after the last."""
        return size - next((listed for listed in self.visit if listed < size), 0)


@dataclass(frozen=True)
class Entropy(Schedule):
    """E-RFE: many columns while their scores crowd at the low end, fewer when they are spread out.

    Parameters
    ----------
    below : int, default=100
        From this size on columns go one at a time.

    Notes
    -----
    Scores are mapped to [0, 1] and counted in sqrt(size) bins. Where the entropy of the bins is
    above half of its maximum and the mean above 0.2, all columns in the lowest bin go. Otherwise
    the threshold is halved, on a logarithmic scale and beginning with the mean, until at most half
    of the columns below the mean are below it; these go.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.elimination import Entropy
    >>> Entropy().step(150, 1, 150, np.arange(1, 151) / 150)
    13
    """

    needs_scores: ClassVar[bool] = True
    below: int = 100

    def __post_init__(self) -> None:
        check_whole(self.below, "below", "Entropy", 0)

    def step(
        self, size: int, iteration: int, n_columns: int, scores: FloatArray | None = None
    ) -> int:
        """Return the number of columns at the low end."""
        if size <= self.below:
            return 1
        if scores is None:
            raise ValueError("Entropy needs the scores of the columns.")
        # Infinite scores, of columns that cannot go, are as the largest of the others.
        highest = float(scores[np.isfinite(scores)].max(initial=scores.min()))
        scores, lowest = np.minimum(scores, highest), float(scores.min())
        if not highest > lowest:
            return size // 2
        unit = (scores - lowest) / (highest - lowest)
        bins = math.isqrt(size)
        counts = np.bincount(np.minimum((unit * bins).astype(np.int64), bins - 1), minlength=bins)
        filled = counts[counts > 0] / size
        entropy = -float((filled * np.log2(filled)).sum())
        if entropy > 0.5 * math.log2(bins) and unit.mean() > 0.2:
            return int(counts[0])
        return _peak(unit)


def _peak(unit: FloatArray) -> int:
    """How many of the scores below the mean are in the peak at zero: about half or fewer."""
    scaled = np.log1p(unit)
    threshold = float(scaled.mean())
    half = int((scaled < threshold).sum()) / 2
    for _ in range(60):
        threshold /= 2.0
        count = int((scaled < threshold).sum())
        if count <= half:
            break
    # many columns at the very minimum: no threshold parts them
    return count if 0 < count <= half else max(1, math.floor(half))
