"""What a page can notice: whether cells are exchanged, and whether all of them are shifted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from svsieve.reproduce.experiment import Quantity
from svsieve.reproduce.verdicts import WITHIN, Estimate, distance, is_apart


@dataclass(frozen=True)
class Pair:
    """The numbers of a cell.

    Attributes
    ----------
    printed : Estimate
        With its own error, where one was printed.
    published, measured : Estimate
        As they are compared: with the noise of the comparison.
    """

    printed: Estimate
    published: Estimate
    measured: Estimate


# A page that rejects fewer of its wrong pairings does not tell its cells apart.
LEAST_POWER = 0.5


@dataclass(frozen=True)
class Power:
    """What the comparable cells of a page say together about one quantity.

    Attributes
    ----------
    cells : int
    pairings : int
        Wrong ones that could be noticed: the number measured for one cell in the place of that of
        another, from whose published number its own differs by more than three standard errors.
    rejected : int
        How many of them would have been found to differ.
    constant : int
        How many cells would have been found to differ, had all of them the mean of the published
        numbers.
    mean : Estimate
        Measured less published. Its error takes the cells to be independent.
    squares : float
        Sum of the squared distances: about the number of cells, where nothing but noise differs.
    """

    cells: int
    pairings: int
    rejected: int
    constant: int
    mean: Estimate
    squares: float

    @property
    def share(self) -> float:
        """The share of wrong pairings that is rejected; nan where there is none."""
        return self.rejected / self.pairings if self.pairings else math.nan

    @property
    def tells_apart(self) -> bool:
        """Whether agreement on this page says more than that the level is right."""
        return self.pairings > 0 and self.share >= LEAST_POWER

    @property
    def shift(self) -> float:
        """The smallest shift, common to all cells, at which the mean difference is flagged."""
        return WITHIN * self.mean.error

    @property
    def flagged(self) -> bool:
        """Whether the mean difference is more than noise."""
        return abs(self.mean.value) > self.shift

    @property
    def p_value(self) -> float:
        """How often noise alone gives a table that is as far apart as this one, or further."""
        return float(chi2.sf(self.squares, self.cells)) if self.cells else math.nan

    @property
    def passes(self) -> bool:
        """Whether the table as a whole is no further apart than three standard errors allow."""
        return not self.p_value < 2.0 * _TAIL


_TAIL = 0.0013498980316300933  # of a normal distribution beyond three standard errors


def power_of(quantity: Quantity, pairs: Sequence[Pair]) -> Power:
    """Return what the cells of a page can notice.

    Parameters
    ----------
    quantity : Quantity
    pairs : sequence of Pair
        The numbers of each comparable cell.

    Examples
    --------
    >>> from svsieve.reproduce.experiment import Quantity
    >>> from svsieve.reproduce.power import Pair, power_of
    >>> from svsieve.reproduce.verdicts import Estimate
    >>> error = Quantity("error", judged=True)
    >>> steep = [Pair(*[Estimate(value, 0.01)] * 3) for value in (0.1, 0.2, 0.3)]
    >>> power_of(error, steep).share, round(power_of(error, steep).shift, 4)
    (1.0, 0.0245)
    >>> flat = [Pair(*[Estimate(0.2, 0.01)] * 3)] * 3
    >>> power_of(error, flat).pairings, power_of(error, flat).tells_apart
    (0, False)
    """
    printed, published = [one.printed for one in pairs], [one.published for one in pairs]
    wrong = _apart(quantity, printed, printed, each_its_own=True)
    # The value measured in one cell, with the noise of the other.
    noticed = wrong & _apart(quantity, published, [one.measured for one in pairs])
    level = float(np.mean([one.value for one in published])) if pairs else math.nan
    constant = sum(
        is_apart(quantity, pair.published, replace(pair.measured, value=level)) for pair in pairs
    )
    differences = np.array([pair.measured.value - pair.published.value for pair in pairs])
    errors = np.array([_error(pair.published, pair.measured) for pair in pairs])
    n = len(pairs)
    mean = Estimate(math.nan)
    if n:
        error = 0.0 if quantity.exact else math.sqrt(float(errors @ errors)) / n
        mean = Estimate(float(differences.mean()), error)
    apart = [0.0 if quantity.exact else distance(pair.published, pair.measured) for pair in pairs]
    squares = float(np.square(apart).sum())
    return Power(n, int(wrong.sum()), int(noticed.sum()), constant, mean, squares)


def _apart(
    quantity: Quantity,
    published: Sequence[Estimate],
    measured: Sequence[Estimate],
    *,
    each_its_own: bool = False,
) -> NDArray[np.bool_]:
    """Tell which number of another cell (column) is apart from what was published for one (row).

    The other number comes with the noise that was measured in the cell, or with its own. All at
    once, what :func:`svsieve.reproduce.verdicts.is_apart` says of each pair.
    """
    if any(one.trials for one in published):
        found = [
            [is_apart(quantity, here, replace(own, value=other.value)) for other in measured]
            for here, own in zip(published, measured, strict=True)
        ]
        return np.array(found, dtype=np.bool_)
    differences = np.subtract.outer(
        [one.value for one in published], [one.value for one in measured]
    )
    if quantity.exact:
        return np.asarray(differences != 0.0)
    errors = np.array([_error(*pair) for pair in zip(published, measured, strict=True)])[:, None]
    if each_its_own and not any(one.tolerance for one in published):
        own = np.array([one.error for one in published])
        errors = np.hypot.outer(own, own)
    return np.asarray(np.abs(differences) > WITHIN * (1.0 + 1e-9) * errors)


def _error(printed: Estimate, measured: Estimate) -> float:
    """The standard error of a difference."""
    if printed.trials and measured.trials:
        return math.hypot(_binomial(printed), _binomial(measured))
    if printed.tolerance:
        return printed.tolerance / WITHIN
    return math.hypot(printed.error, measured.error)


def _binomial(share: Estimate) -> float:
    """The standard error of a share, by Laplace's estimate, so that none is zero."""
    p = (share.value * share.trials + 1.0) / (share.trials + 2.0)
    return math.sqrt(p * (1.0 - p) / share.trials)
