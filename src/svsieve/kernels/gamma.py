"""The scale gamma of a kernel: a number, a number per kept column, or fitted to the data."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from svsieve.arrays import FloatArray, IndexArray, Table


@dataclass(frozen=True)
class PerFeature:
    """A gamma that shrinks with the number of columns: `share` / (kept columns).

    Parameters
    ----------
    share : float
        Positive. `PerFeature(1.0)` keeps the expected exponent of a Gaussian kernel the same while
        standardised columns are eliminated.

    Examples
    --------
    >>> from svsieve.kernels import PerFeature, Rbf
    >>> Rbf(gamma=PerFeature(1.0))
    Rbf(gamma=PerFeature(share=1.0), weights=None)
    """

    share: float

    def __post_init__(self) -> None:
        if not (np.isfinite(self.share) and self.share > 0):
            raise ValueError(f"The share of PerFeature must be positive. Got {self.share!r}.")


Gamma: TypeAlias = float | PerFeature | str


def check_gamma(gamma: Gamma, owner: str) -> None:
    """Refuse anything but a positive number, a `PerFeature` or "scale"."""
    if isinstance(gamma, PerFeature) or (isinstance(gamma, str) and gamma == "scale"):
        return
    is_number = np.isscalar(gamma) and not isinstance(gamma, (str, bool))
    if not is_number or not 0.0 < float(gamma) < np.inf:
        raise ValueError(
            f"gamma of {owner} must be a positive number, PerFeature(share) or 'scale'. "
            f"Got {gamma!r}."
        )


class ColumnMoments:
    """Mean and variance of each column, measured when a gamma rule first asks for them.

    Parameters
    ----------
    X : Table
        Dense or sparse.
    row_weights : ndarray of shape (n_rows,), optional
        A row of weight k counts k times.
    """

    def __init__(self, X: Table, row_weights: FloatArray | None = None) -> None:
        self._X, self._row_weights = X, row_weights

    @property
    def mean(self) -> FloatArray:
        """Mean of each column."""
        return self._measured[0]

    @property
    def variance(self) -> FloatArray:
        """Variance of each column, that of all rows and not of a sample."""
        return self._measured[1]

    @cached_property
    def _measured(self) -> tuple[FloatArray, FloatArray]:
        X = self._X
        weights = np.ones(X.shape[0]) if self._row_weights is None else self._row_weights
        share = weights / weights.sum()
        if isinstance(X, np.ndarray):
            from_first = X - X[0]  # a constant column has the variance zero, exactly
            mean = share @ from_first
            return X[0] + mean, share @ (from_first - mean) ** 2
        mean, square = share @ X, share @ X.multiply(X)
        return mean, _difference(square, mean**2)

    def total_variance(self, kept: IndexArray) -> float:
        """Variance of all entries of the kept columns taken together."""
        mean = self.mean[kept]
        between = _difference(np.atleast_1d(np.mean(mean**2)), np.atleast_1d(np.mean(mean) ** 2))
        return float(self.variance[kept].mean() + between[0])


def _difference(larger: FloatArray, smaller: FloatArray) -> FloatArray:
    """The difference of two nearly equal numbers, zero where it is no more than their rounding."""
    difference = larger - smaller
    return np.where(difference > 1e-14 * np.abs(larger), difference, 0.0)


def gamma_value(gamma: Gamma, moments: ColumnMoments, kept: IndexArray) -> float:
    """The number that a gamma rule stands for on the kept columns."""
    if isinstance(gamma, PerFeature):
        return gamma.share / len(kept)
    if isinstance(gamma, str):
        variance = moments.total_variance(kept)
        return 1.0 / (len(kept) * variance) if variance > 0 else 1.0
    return float(gamma)
