"""How the scores of several problems, of classes or of draws of rows, become one.

The scores of a single problem are never changed: every rule hands them on as they are. Of several
problems scores keep their signs, as a score below zero says that the problem is better off without
the column. A criterion for which signs mean nothing returns absolute values.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from svsieve.arrays import FloatArray
from svsieve.criteria.context import share_of_largest

# A deviation below this share of the largest mean is rounding.
LEAST_DEVIATION = 1e-12


class Combine(ABC):
    """A rule that joins a table of scores, one row per problem, into one score per column."""

    def __call__(self, table: FloatArray) -> FloatArray:
        """Return one score per column of a table of shape (n_problems, n_columns)."""
        if table.ndim != 2 or not len(table):
            raise ValueError(
                "scores must be a table with one row per problem and one column per column. "
                f"Got shape {table.shape}."
            )
        if len(table) == 1:
            return np.array(table[0])
        return self._join(table)

    @abstractmethod
    def _join(self, table: FloatArray) -> FloatArray:
        """Join the scores of at least two problems."""

    def resolution(self, resolutions: FloatArray, combined: FloatArray) -> FloatArray | float:
        """Return the difference below which two combined scores are a tie.

        Parameters
        ----------
        resolutions : ndarray of shape (n_problems, n_columns)
            Those of the problems.
        combined : ndarray of shape (n_columns,)
            What the rule returned.
        """
        if len(resolutions) == 1:
            return np.array(resolutions[0])
        return share_of_largest(combined)


@dataclass(frozen=True)
class PowerSum(Combine):
    """The sum of powers of the scores: of their magnitudes, each with the sign of its score.

    Parameters
    ----------
    power : float, default=1.0
        Positive. The larger, the more the problem counts in which a column scores most. Unless it
        is 1, scores are divided by the largest magnitude in the table first.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.criteria import PowerSum
    >>> PowerSum()(np.array([[1.0, 2.0], [3.0, 0.0]]))
    array([4., 2.])
    """

    power: float = 1.0

    def __post_init__(self) -> None:
        if not (np.isfinite(self.power) and self.power > 0):
            raise ValueError(f"power of PowerSum must be a positive number. Got {self.power!r}.")

    def _join(self, table: FloatArray) -> FloatArray:
        if self.power == 1.0:
            return np.asarray(table.sum(axis=0))
        largest = np.abs(table).max(initial=0.0)
        shares = table / largest if largest > 0 else table
        return np.asarray((np.sign(shares) * np.abs(shares) ** self.power).sum(axis=0))

    def resolution(self, resolutions: FloatArray, combined: FloatArray) -> FloatArray | float:
        """Return the sum of the resolutions for a plain sum, else 1e-11 of the largest score."""
        if self.power == 1.0:
            return np.asarray(resolutions.sum(axis=0))
        return super().resolution(resolutions, combined)


@dataclass(frozen=True)
class Maximum(Combine):
    """The largest of the scores: a column is worth what it is worth to any problem.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.criteria import Maximum
    >>> Maximum()(np.array([[1.0, 2.0], [3.0, 0.0]]))
    array([3., 2.])
    """

    def _join(self, table: FloatArray) -> FloatArray:
        return np.asarray(table.max(axis=0))


@dataclass(frozen=True)
class CoefficientOfVariation(Combine):
    """Deviation over mean magnitude: columns that tell some classes from others score high.

    The deviation is that of the population; a column whose scores are all zero has the value 0.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.criteria import CoefficientOfVariation
    >>> CoefficientOfVariation()(np.array([[1.0, 2.0, 0.0], [3.0, 2.0, 0.0]]))
    array([0.5, 0. , 0. ])
    """

    def _join(self, table: FloatArray) -> FloatArray:
        mean, deviation = np.abs(table).mean(axis=0), table.std(axis=0)
        return _quotient(deviation, mean, mean > 0)


@dataclass(frozen=True)
class MeanRank(Combine):
    """The mean over the problems of a column's rank, the smallest score having rank 1.

    Equal scores share the average of their ranks. No problem can outweigh the others.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.criteria import MeanRank
    >>> MeanRank()(np.array([[1.0, 2.0, 9.0], [5.0, 0.0, 5.0]]))
    array([1.75, 1.5 , 2.75])
    """

    def _join(self, table: FloatArray) -> FloatArray:
        return np.asarray(rankdata(table, axis=1).mean(axis=0))


@dataclass(frozen=True)
class MeanOverDeviation(Combine):
    """Mean over deviation of the scores, each problem's divided by their sum (multiple SVM-RFE).

    Columns whose score hardly changes from one draw of the rows to the next rank high, and those
    that all draws score below zero low; the sum is that of the magnitudes. The deviation is that of
    the population, and at least 1e-12 of the largest mean: columns that do not vary at all are
    ordered by their mean. A column whose scores are all zero has the value 0.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.criteria import MeanOverDeviation
    >>> MeanOverDeviation()(np.array([[1.0, 2.0, 1.0], [3.0, 2.0, 3.0]]))
    array([5., 3., 5.])
    """

    def _join(self, table: FloatArray) -> FloatArray:
        total = np.abs(table).sum(axis=1, keepdims=True)
        shares = _quotient(table, total, total > 0)
        mean = shares.mean(axis=0)
        largest = float(np.abs(mean).max(initial=0.0))
        deviation = np.maximum(shares.std(axis=0), LEAST_DEVIATION * largest)
        return _quotient(mean, deviation, mean != 0)


def _quotient(above: FloatArray, below: FloatArray, where: npt.NDArray[np.bool_]) -> FloatArray:
    """The quotient, zero elsewhere."""
    return np.asarray(np.divide(above, below, out=np.zeros(above.shape), where=where))
