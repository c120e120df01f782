"""Filters: what a column tells about the classes by itself, without a machine.

Every function takes a table and class labels and returns one number per column, never negative,
the larger the better: what scikit-learn's `SelectKBest` calls a score function. `Path.from_scores`
makes the numbers a path. No score depends on the unit in which a column is measured.

A constant column has the score 0. A column that is constant within each class but not the same in
all of them separates the classes without any spread: scores that divide by the spread are infinite.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.stats import rankdata

from svsieve.arrays import FloatArray, IndexArray, Table, float_table

# Entries of a block of columns that is ranked, and written out where the table is sparse.
BLOCK_ENTRIES = 2**20


def fisher_score(X: Table, y: npt.ArrayLike) -> FloatArray:
    """Return the Fisher score of each column: spread between the classes over that within them.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_rows, n_columns)
    y : array-like of shape (n_rows,)
        Class labels.

    Returns
    -------
    ndarray of shape (n_columns,)
        For two classes ``(m1 - m0)^2 / (v1 + v0)`` with means m and population variances v. For
        more, with n_c rows in class c, ``sum_c n_c (m_c - m)^2 / sum_c n_c v_c``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.feature_selection import SelectKBest
    >>> from svsieve import fisher_score
    >>> X, y = load_iris(return_X_y=True)
    >>> fisher_score(X, y).round(2)
    array([ 1.62,  0.67, 16.06, 13.06])
    >>> SelectKBest(fisher_score, k=2).fit(X, y).get_support()
    array([False, False,  True,  True])
    """
    classes = _Classes.of(X, y)
    if len(classes.sides) == 2:
        return classes.largest(
            lambda one, other: _ratio((one.mean - other.mean) ** 2, one.variance + other.variance)
        )
    counts = np.array([side.count for side in classes.sides])[:, None]
    means = np.array([side.mean for side in classes.sides])
    variances = np.array([side.variance for side in classes.sides])
    centre = _merged(classes.sides).mean
    return _ratio((counts * (means - centre) ** 2).sum(axis=0), (counts * variances).sum(axis=0))


def golub_score(X: Table, y: npt.ArrayLike) -> FloatArray:
    """Return Golub's signal-to-noise ratio of each column.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_rows, n_columns)
    y : array-like of shape (n_rows,)
        Class labels.

    Returns
    -------
    ndarray of shape (n_columns,)
        ``|m1 - m0| / (s1 + s0)`` with means m and population deviations s; for more than two
        classes the largest over the classes, each against all others.

    Examples
    --------
    >>> from svsieve import golub_score
    >>> golub_score([[0.0, 1.0], [2.0, 1.0], [5.0, 1.0], [7.0, 1.0]], ["a", "a", "b", "b"])
    array([2.5, 0. ])
    """
    return _Classes.of(X, y).largest(
        lambda one, other: _ratio(
            np.abs(one.mean - other.mean), np.sqrt(one.variance) + np.sqrt(other.variance)
        )
    )


def pearson_score(X: Table, y: npt.ArrayLike) -> FloatArray:
    """Return the absolute correlation of each column with the class.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_rows, n_columns)
    y : array-like of shape (n_rows,)
        Class labels.

    Returns
    -------
    ndarray of shape (n_columns,)
        In [0, 1]. For more than two classes the largest over the classes, each coded as 1 and all
        others as 0.

    Examples
    --------
    >>> from svsieve import pearson_score
    >>> pearson_score([[0.0, 1.0], [0.0, 2.0], [3.0, 1.0], [3.0, 2.0]], [0, 0, 1, 1])
    array([1., 0.])
    """
    return _Classes.of(X, y).largest(_pearson)


def t_score(X: Table, y: npt.ArrayLike) -> FloatArray:
    """Return the absolute value of Welch's t statistic of each column.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_rows, n_columns)
    y : array-like of shape (n_rows,)
        Class labels; each class needs two rows.

    Returns
    -------
    ndarray of shape (n_columns,)
        ``|m1 - m0| / sqrt(s1^2 / n1 + s0^2 / n0)`` with sample deviations s; for more than two
        classes the largest over the classes, each against all others.

    Examples
    --------
    >>> from svsieve import t_score
    >>> t_score([[0.0], [2.0], [5.0], [7.0]], [0, 0, 1, 1]).round(4)
    array([3.5355])
    """
    classes = _Classes.of(X, y)
    single = [i for i, side in enumerate(classes.sides) if side.count < 2]
    if single:
        raise ValueError(
            "t_score needs two rows of each class for its deviation; y has one row of class "
            f"{classes.names[single[0]]!r}."
        )
    return classes.largest(
        lambda one, other: _ratio(
            np.abs(one.mean - other.mean),
            np.sqrt(one.variance / (one.count - 1) + other.variance / (other.count - 1)),
        )
    )


def spearman_score(X: Table, y: npt.ArrayLike) -> FloatArray:
    """Return the absolute rank correlation of each column with the class.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_rows, n_columns)
        Sparse tables are written out a few columns at a time.
    y : array-like of shape (n_rows,)
        Class labels.

    Returns
    -------
    ndarray of shape (n_columns,)
        `pearson_score` of the ranks, equal entries sharing the mean of theirs.

    Examples
    --------
    >>> from svsieve import spearman_score
    >>> spearman_score([[1.0], [10.0], [100.0], [1000.0]], [0, 0, 1, 1]).round(4)
    array([0.8944])
    """
    return _by_ranks(X, y, lambda ranks, ties, ones: _pearson(*_sides(ranks, ones)))


def kendall_score(X: Table, y: npt.ArrayLike) -> FloatArray:
    """Return the absolute value of Kendall's tau-b of each column and the class.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_rows, n_columns)
        Sparse tables are written out a few columns at a time.
    y : array-like of shape (n_rows,)
        Class labels.

    Returns
    -------
    ndarray of shape (n_columns,)
        Over pairs of rows of two classes: those in order less those out of order, over the
        geometric mean of the pairs that differ in the column and of those that differ in class.
        For more than two classes the largest over the classes, each against all others.

    Examples
    --------
    >>> from svsieve import kendall_score
    >>> kendall_score([[1.0], [10.0], [100.0], [1000.0]], [0, 0, 1, 1]).round(4)
    array([0.8165])
    """
    return _by_ranks(X, y, _kendall)


def random_score(
    X: Table, y: npt.ArrayLike | None = None, *, random_state: Any = None
) -> FloatArray:
    """Return a random number for each column: the filter that any other must beat.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_rows, n_columns)
    y : ignored
    random_state : int, numpy Generator or None, default=None
        Seed. ``functools.partial(random_score, random_state=0)`` fixes it for a selector.

    Returns
    -------
    ndarray of shape (n_columns,)
        In [0, 1).

    Examples
    --------
    >>> from svsieve import random_score
    >>> random_score([[1.0, 2.0], [3.0, 4.0]], random_state=0).round(3)
    array([0.637, 0.27 ])
    """
    return np.asarray(np.random.default_rng(random_state).random(float_table(X).shape[1]))


# ---- by moments


@dataclass(frozen=True, eq=False)
class _Side:
    """Rows of some classes: how many, and means and population variances of the columns."""

    count: int
    mean: FloatArray
    variance: FloatArray

    @classmethod
    def of(cls, X: Table) -> _Side:
        """Measure the columns. A constant one has exactly its value as mean and no variance."""
        n = X.shape[0]
        if isinstance(X, np.ndarray):
            low, high, rough = X.min(axis=0), X.max(axis=0), X.mean(axis=0)
            mean = np.clip(rough + (X - rough).mean(axis=0), low, high)
            return cls(n, mean, ((X - mean) ** 2).mean(axis=0))
        low, high = (part.toarray().ravel() for part in (X.min(axis=0), X.max(axis=0)))
        d = X.shape[1]
        total = np.bincount(X.indices, weights=X.data, minlength=d)
        mean = np.clip(total / n, low, high)
        inner = np.bincount(X.indices, weights=(X.data - mean[X.indices]) ** 2, minlength=d)
        empty = n - np.bincount(X.indices, minlength=d)
        return cls(n, mean, (inner + empty * mean**2) / n)


@dataclass(frozen=True, eq=False)
class _Classes:
    """The classes of a table, a side each."""

    names: list[Any]
    sides: list[_Side]

    @classmethod
    def of(cls, X: Table, y: npt.ArrayLike) -> _Classes:
        table = float_table(X)
        names, codes = _class_codes(y, table.shape[0])
        table = _of_size_one(table)
        return cls(names, [_Side.of(table[codes == c]) for c in range(len(names))])

    def largest(self, score: Callable[[_Side, _Side], FloatArray]) -> FloatArray:
        """Return the largest score over the classes, each against all others."""
        if len(self.sides) == 2:
            return score(self.sides[1], self.sides[0])
        found = [
            score(side, _merged(self.sides[:c] + self.sides[c + 1 :]))
            for c, side in enumerate(self.sides)
        ]
        return np.asarray(np.max(found, axis=0))


def _merged(sides: list[_Side]) -> _Side:
    """Several sides as one."""
    counts = np.array([side.count for side in sides])
    n = int(counts.sum())
    means = np.array([side.mean for side in sides])
    variances = np.array([side.variance for side in sides])
    shares = (counts / n)[:, None]
    # Rounding must not make the mean of equal numbers another number.
    mean = np.clip((shares * means).sum(axis=0), means.min(axis=0), means.max(axis=0))
    return _Side(n, mean, (shares * (variances + (means - mean) ** 2)).sum(axis=0))


def _pearson(one: _Side, other: _Side) -> FloatArray:
    """Correlation with the side: the share of the variance that lies between the two sides."""
    p = one.count / (one.count + other.count)
    between = p * (1.0 - p) * (one.mean - other.mean) ** 2
    within = p * one.variance + (1.0 - p) * other.variance
    return np.sqrt(_ratio(between, within + between))


def _ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    """The quotient of numbers that are not negative: zero for 0 / 0, infinite for others / 0."""
    beyond = np.where(above > 0.0, np.inf, 0.0)
    return np.asarray(np.divide(above, below, out=beyond, where=below > 0.0))


def _of_size_one(X: Table) -> Table:
    """Columns divided by powers of two so that their largest entries lie in [1/2, 1).

    That changes no digit and keeps squares within range.
    """
    if isinstance(X, np.ndarray):
        _, exponents = np.frexp(np.maximum(X.max(axis=0), -X.min(axis=0)))
        return np.ldexp(X, -exponents)
    peaks = np.zeros(X.shape[1])
    np.maximum.at(peaks, X.indices, np.abs(X.data))
    _, exponents = np.frexp(peaks)
    data = np.ldexp(X.data, -exponents[X.indices])
    return sp.csr_array((data, X.indices, X.indptr), shape=X.shape)


# ---- by ranks


def _by_ranks(
    X: Table,
    y: npt.ArrayLike,
    score: Callable[[FloatArray, FloatArray, npt.NDArray[np.bool_]], FloatArray],
) -> FloatArray:
    """Score blocks of columns by ranks, pairs tied in the column, and rows of one of two sides."""
    table = float_table(X)
    names, codes = _class_codes(y, table.shape[0])
    targets = [codes == c for c in (range(len(names)) if len(names) > 2 else (1,))]
    out = []
    for block in _blocks(table):
        lowest, highest = (rankdata(block, method=m, axis=0) for m in ("min", "max"))
        ties = (highest - lowest).sum(axis=0) / 2.0
        ranks = (lowest + highest) / 2.0
        out.append(np.max([score(ranks, ties, ones) for ones in targets], axis=0))
    return np.concatenate(out)


def _blocks(X: Table) -> Iterator[FloatArray]:
    """A table a few columns at a time, written out."""
    width = max(1, BLOCK_ENTRIES // X.shape[0])
    columns = X if isinstance(X, np.ndarray) else sp.csc_array(X)
    for start in range(0, X.shape[1], width):
        block = columns[:, start : start + width]
        yield block if isinstance(block, np.ndarray) else block.toarray()


def _sides(ranks: FloatArray, ones: npt.NDArray[np.bool_]) -> tuple[_Side, _Side]:
    return _Side.of(ranks[ones]), _Side.of(ranks[~ones])


def _kendall(ranks: FloatArray, ties: FloatArray, ones: npt.NDArray[np.bool_]) -> FloatArray:
    """Kendall's tau-b from the sum of the ranks of one side (Mann and Whitney's statistic)."""
    n, m = len(ones), int(ones.sum())
    ahead = ranks[ones].sum(axis=0) - m * (m + 1) / 2.0  # pairs in order, ties counted half
    surplus = np.abs(2.0 * ahead - m * (n - m))
    differing = (n * (n - 1) / 2.0 - ties) * (m * (n - m))
    return _ratio(surplus, np.sqrt(differing))


# ---- labels


def _class_codes(y: npt.ArrayLike, n_rows: int) -> tuple[list[Any], IndexArray]:
    """Sorted classes, and the position of each row's class among them."""
    labels = np.asarray(y)
    if labels.shape != (n_rows,):
        raise ValueError(
            f"y must have one label for each of {n_rows} rows. Got shape {labels.shape}."
        )
    if labels.dtype.kind == "f":
        odd = np.flatnonzero(~(np.isfinite(labels) & (labels == np.floor(labels))))
        if len(odd):
            raise ValueError(
                "y must hold class labels, not missing or continuous values. "
                f"Got {labels[odd[0]]} in row {odd[0]}."
            )
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"y must hold at least two classes. Got only {classes.tolist()[0]!r}.")
    return classes.tolist(), codes.astype(np.int64, copy=False)
