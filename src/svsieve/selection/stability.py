"""How much sets of columns agree that were selected on different rows."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy.stats import norm

from svsieve.arrays import FloatArray


@dataclass(frozen=True, eq=False)
class Stability:
    """Agreement of several sets of columns.

    Attributes
    ----------
    nogueira : float
        Nogueira's measure: 1 for equal sets, 0 on average for sets drawn at random, whatever their
        sizes. Not defined (nan) where all sets are empty or all hold every column.
    interval : tuple of two floats
        Confidence interval of it, for many sets; it may reach beyond 1.
    kuncheva : float
        Mean over pairs of Kuncheva's index, which is defined for sets of one size; nan otherwise.
    jaccard : float
        Mean over pairs of the share of columns in both sets among those in either. It is not
        corrected for chance: large sets agree more.
    frequency : ndarray of float, shape (n_columns,)
        Share of the sets that hold each column.
    n_sets : int
    """

    nogueira: float
    interval: tuple[float, float]
    kuncheva: float
    jaccard: float
    frequency: FloatArray
    n_sets: int

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"stability of {self.n_sets} sets: Nogueira {self.nogueira:.3f} ({low:.3f} to "
            f"{high:.3f}), Kuncheva {self.kuncheva:.3f}, Jaccard {self.jaccard:.3f}"
        )


def stability(supports: npt.ArrayLike, *, level: float = 0.95) -> Stability:
    """Return how much several sets of columns agree.

    Parameters
    ----------
    supports : array-like of bool, shape (n_sets, n_columns)
        One row per set, at least two of them: masks such as the `support_` of a selector.
    level : float, default=0.95
        Confidence level of the interval.

    Returns
    -------
    Stability

    References
    ----------
    S. Nogueira, K. Sechidis, G. Brown (2018). On the stability of feature selection algorithms.
    Journal of Machine Learning Research 18 (174).
    L. Kuncheva (2007). A stability index for feature selection.

    Examples
    --------
    >>> from svsieve.selection.stability import stability
    >>> found = stability([[True, True, False, False], [True, False, True, False]])
    >>> found.nogueira, found.jaccard
    (0.0, 0.333...)
    >>> found.frequency
    array([1. , 0.5, 0.5, 0. ])
    """
    Z = _masks(supports)
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must lie between 0 and 1. Got {level!r}.")
    value, deviation = _nogueira(Z)
    reach = float(norm.ppf(0.5 + level / 2.0)) * deviation
    overlap = Z @ Z.T
    sizes = np.diagonal(overlap)
    pairs = np.array(list(combinations(range(len(Z)), 2))).T
    both, first, second = overlap[tuple(pairs)], sizes[pairs[0]], sizes[pairs[1]]
    return Stability(
        nogueira=value,
        interval=(value - reach, value + reach),
        kuncheva=_kuncheva(both, sizes, Z.shape[1]),
        jaccard=_jaccard(both, first + second - both),
        frequency=Z.mean(axis=0),
        n_sets=len(Z),
    )


def _masks(supports: npt.ArrayLike) -> FloatArray:
    """Return masks as zeros and ones."""
    table = np.asarray(supports)
    if table.ndim != 2 or len(table) < 2 or table.shape[1] < 1:
        raise ValueError(
            "supports must be a table of at least two masks, one per row, over the same columns. "
            f"Got shape {table.shape}."
        )
    if table.dtype != np.bool_ and not np.isin(table, (0, 1)).all():
        raise ValueError(
            f"supports must hold True and False (or 1 and 0). Got dtype {table.dtype}."
        )
    return table.astype(np.float64)


def _nogueira(Z: FloatArray) -> tuple[float, float]:
    """The measure and its standard deviation (Nogueira et al. 2018, theorems 4 and 7).

    phi = 1 - mean_f s_f^2 / (q (1 - q)) with s_f^2 the unbiased variance of column f over the sets
    and q the mean share of columns in a set. phi is nearly a mean of one term per set, whose
    variance gives that of phi.
    """
    n_sets, d = Z.shape
    frequency = Z.mean(axis=0)
    q = float(frequency.mean())
    if q in (0.0, 1.0):
        return float("nan"), float("nan")
    spread = q * (1.0 - q)
    variance = n_sets / (n_sets - 1) * frequency * (1.0 - frequency)
    phi = 1.0 - float(variance.mean()) / spread
    own = Z.mean(axis=1)
    terms = Z @ frequency / d - own * q + 0.5 * phi * (2.0 * q * own - own - q + 1.0)
    terms /= spread
    return phi, float(2.0 / n_sets * np.sqrt(((terms - terms.mean()) ** 2).sum()))


def _kuncheva(both: FloatArray, sizes: FloatArray, d: int) -> float:
    k = float(sizes[0])
    if (sizes != k).any() or k in (0.0, float(d)):
        return float("nan")
    by_chance = k**2 / d
    return float(np.mean((both - by_chance) / (k - by_chance)))


def _jaccard(both: FloatArray, either: FloatArray) -> float:
    """Two empty sets are equal: they agree fully."""
    return float(np.mean(np.where(either > 0, both / np.maximum(either, 1.0), 1.0)))
