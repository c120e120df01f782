"""What is odd about a table before anything is learned from it, in sentences.

None of this stops an analysis. A constant column only costs time; a column that alone tells the
classes apart is either the discovery or, more often, the label in disguise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from svsieve.arrays import FloatArray, IndexArray, Table

# Names that a sentence lists.
LISTED = 5
# A largest class this many times as large as the smallest is worth a sentence.
IMBALANCE = 3.0
# Columns that separate the classes are a surprise if chance would bring fewer than this.
SURPRISE = 0.05


def data_warnings(
    X: Table, codes: IndexArray, names: Sequence[str], classes: Sequence[str]
) -> tuple[str, ...]:
    """Return what is odd about a table and its classes.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_rows, n_columns)
    codes : ndarray of int
        For each row, the position of its class.
    names : sequence of str
        Of the columns.
    classes : sequence of str

    Returns
    -------
    tuple of str
        One sentence for each finding; empty where there is none.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.selection.data_warnings import data_warnings
    >>> X = np.column_stack([np.full(6, 7.0), [4, 1, 6, 2, 3, 5]])
    >>> print(*data_warnings(X, np.array([0, 1, 1, 0, 0, 1]), ["a", "b"], ["x", "y"]))
    1 column is constant and tells nothing: 'a'.
    """
    table = sp.csc_array(X) if sp.issparse(X) else np.asarray(X)
    constant = constant_columns(table)
    found = []
    if len(constant):
        what = (
            "column is constant and tells"
            if len(constant) == 1
            else "columns are constant and tell"
        )
        found.append(f"{len(constant)} {what} nothing: {_listed(names, constant)}.")
    copies = [pair for pair in duplicated_columns(table) if pair[0] not in set(constant.tolist())]
    if copies:
        first, second = copies[0]
        among = f"such as {names[second]!r} of {names[first]!r}"
        what = "column is a copy of another" if len(copies) == 1 else "columns are copies of others"
        found.append(
            f"{len(copies)} {what}, {among}; which of them is ranked higher says nothing about "
            "the other."
        )
    leaking = leaking_columns(table, codes)
    if len(leaking):
        what = "column tells" if len(leaking) == 1 else "columns tell"
        found.append(
            f"{len(leaking)} {what} the classes apart alone, without a single error: "
            f"{_listed(names, leaking)}. Make sure that they were not made from the target."
        )
    repeated = repeated_rows(table)
    if repeated:
        found.append(
            f"{repeated} of {table.shape[0]} rows are copies of earlier ones; where a row is "
            "trained on and its copy held out, scores are too good."
        )
    return (*found, *class_warnings(codes, classes))


def class_warnings(codes: IndexArray, classes: Sequence[str]) -> tuple[str, ...]:
    """Return a sentence where the classes are of very different sizes."""
    counts = np.bincount(codes, minlength=len(classes))
    least, most = int(np.argmin(counts)), int(np.argmax(counts))
    if counts[most] < IMBALANCE * counts[least]:
        return ()
    share = counts[most] / counts.sum()
    return (
        f"The classes are of unequal size: {counts[most]} rows of {classes[most]!r}, "
        f"{counts[least]} of {classes[least]!r}. Always saying {classes[most]!r} has an accuracy "
        f"of {share:.2f}; the balanced accuracy has no such favourite.",
    )


def fold_warnings(
    smallest: int, name: str, asked: tuple[int, int]
) -> tuple[tuple[int, int], tuple[str, ...]]:
    """Return how many outer and inner folds there are rows for, and a sentence if fewer than asked.

    Every fold holds out a row of the smallest class: with m rows of it there are at most m outer
    folds, and as many inner ones as training rows of that class are left then.

    Parameters
    ----------
    smallest : int
        Rows of the smallest class.
    name : str
        What it is called.
    asked : tuple of two ints
        Outer and inner folds.

    Examples
    --------
    >>> from svsieve.selection.data_warnings import fold_warnings
    >>> folds, sentences = fold_warnings(4, "rare", (10, 5))
    >>> folds
    (4, 3)
    """
    outer = min(asked[0], smallest)
    if smallest - math.ceil(smallest / outer) < 2:
        outer = smallest  # of three rows two are left only where one is held out
    inner = min(asked[1], smallest - math.ceil(smallest / outer))
    if inner < 2:
        raise ValueError(
            f"Class {name!r} has {smallest} row{'' if smallest == 1 else 's'}; choosing a size and "
            "judging the choice on other rows takes at least 3 of every class. Merge it with "
            "another class or leave its rows out."
        )
    if (outer, inner) == tuple(asked):
        return asked, ()
    sentence = (
        f"There are too few rows for the folds asked for: class {name!r} has {smallest}. "
        f"{outer} outer and {inner} inner folds were used instead of {asked[0]} and {asked[1]}."
    )
    return (outer, inner), (sentence,)


def constant_columns(X: Table) -> IndexArray:
    """Return the columns that have one value only."""
    low, high = _ends(X)
    return np.flatnonzero(low == high)


def duplicated_columns(X: Table) -> list[tuple[int, int]]:
    """Return (first, copy) for each column that equals one before it."""
    seen: dict[bytes, int] = {}
    found = []
    for column in range(X.shape[1]):
        key = _column_bytes(X, column)
        first = seen.setdefault(key, column)
        if first != column:
            found.append((first, column))
    return found


def leaking_columns(X: Table, codes: IndexArray) -> IndexArray:
    """Return the columns whose values alone tell all classes apart, by thresholds.

    With few rows and many columns some do by chance: k classes of n_1, ..., n_k rows fall into k
    blocks with probability k! n_1! ... n_k! / n!. Where that lets a column be expected among all of
    them, none is reported.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.selection.data_warnings import leaking_columns
    >>> y = np.repeat([0, 1], 10)
    >>> leaking_columns(np.column_stack([np.arange(20.0), np.tile([0.0, 1.0], 10)]), y)
    array([0])
    """
    counts = np.bincount(codes)
    counts = counts[counts > 0]
    log_chance = sum(math.lgamma(n + 1) for n in counts) + math.lgamma(len(counts) + 1)
    log_chance += np.log(X.shape[1]) - math.lgamma(counts.sum() + 1)
    if log_chance > np.log(SURPRISE):
        return np.empty(0, dtype=np.int64)
    ends = [_ends(X[np.flatnonzero(codes == code)]) for code in np.unique(codes)]
    low, high = (np.array(side) for side in zip(*ends, strict=True))
    order = np.argsort(low, axis=0)
    low, high = (np.take_along_axis(side, order, axis=0) for side in (low, high))
    return np.flatnonzero((high[:-1] < low[1:]).all(axis=0))


def repeated_rows(X: Table) -> int:
    """Return how many rows equal an earlier one."""
    rows = sp.csr_array(X) if sp.issparse(X) else X
    if not sp.issparse(rows):
        return len(rows) - len({row.tobytes() for row in np.ascontiguousarray(rows)})
    keys = set()
    for start, end in zip(rows.indptr[:-1], rows.indptr[1:], strict=True):
        keys.add(rows.indices[start:end].tobytes() + rows.data[start:end].tobytes())
    return int(rows.shape[0]) - len(keys)


def _ends(X: Table) -> tuple[FloatArray, FloatArray]:
    """Least and greatest value of each column."""
    if sp.issparse(X):
        columns = sp.csc_array(X)
        return columns.min(axis=0).toarray().ravel(), columns.max(axis=0).toarray().ravel()
    return X.min(axis=0), X.max(axis=0)


def _column_bytes(X: Table, column: int) -> bytes:
    if not sp.issparse(X):
        return bytes(np.ascontiguousarray(X[:, column]).tobytes())
    start, end = X.indptr[column], X.indptr[column + 1]
    return bytes(X.indices[start:end].tobytes() + X.data[start:end].tobytes())


def _listed(names: Sequence[str], columns: Any) -> str:
    shown = ", ".join(repr(names[j]) for j in columns[:LISTED])
    more = len(columns) - LISTED
    return shown if more <= 0 else f"{shown} and {more} more"
