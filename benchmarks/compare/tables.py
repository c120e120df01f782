"""Generated tables of many shapes, dense and sparse, with labels of any number of classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.datasets import make_classification
from sklearn.preprocessing import MaxAbsScaler

from benchmarks.compare.data import Floats, standardised

NOISE = 0.5  # in labels, as a share of the spread of what they are made from


@dataclass(frozen=True)
class Labelled:
    """A table, dense or CSR, with labels 0, 1, ..."""

    X: Any
    y: NDArray[np.int64]


def clouds(rows: int, columns: int, classes: int = 2) -> Labelled:
    """Return clusters of which a few columns tell, standardised."""
    informative = max(5, min(50, columns // 10))
    X, y = make_classification(
        rows,
        columns,
        n_informative=informative,
        n_redundant=informative,
        n_classes=classes,
        n_clusters_per_class=1,
        flip_y=0.05,
        random_state=0,
    )
    return Labelled(np.ascontiguousarray(standardised(X)), y)


def normal(rows: int, columns: int, classes: int = 2) -> Labelled:
    """Return independent normal columns in [-1, 1], labels linear in the first fifty."""
    rng = np.random.default_rng(0)
    X: Floats = rng.standard_normal((rows, columns))
    X /= np.abs(X).max(axis=0)
    return Labelled(X, _linear_labels(X[:, :50], classes, rng))


def uniform(rows: int, columns: int, fill: float, classes: int = 2) -> Labelled:
    """Return sparse rows with entries in (0, 1), equally many in every column."""
    rng = np.random.default_rng(0)
    X = sp.random_array((rows, columns), density=fill, format="csr", rng=rng)
    return Labelled(_csr(X), _linear_labels(X, classes, rng))


def counts(
    rows: int, columns: int, entries: int, classes: int = 2, *, binary: bool = False
) -> Labelled:
    """Return sparse counts, or ones, in columns filled as 1 / rank, scaled to at most 1."""
    rng = np.random.default_rng(0)
    filled = _falling(rows, columns, entries)
    where = [rng.choice(rows, size=k, replace=False) for k in filled]
    values = np.ones(filled.sum()) if binary else 1.0 + rng.geometric(0.6, filled.sum())
    indptr = np.concatenate([[0], np.cumsum(filled)])
    X = sp.csc_array((values, np.concatenate(where), indptr), shape=(rows, columns)).tocsr()
    X = X[:, rng.permutation(columns)]
    X = sp.csr_array(MaxAbsScaler().fit_transform(X))
    return Labelled(_csr(X), _linear_labels(X, classes, rng))


def _falling(rows: int, columns: int, entries: int) -> NDArray[np.int64]:
    """Entries per column, as 1 / rank between one and all rows, with about the sum asked for."""
    ranks = np.arange(1, columns + 1)
    low, high = 0.0, float(rows) * columns
    for _ in range(100):
        middle = 0.5 * (low + high)
        filled = np.clip(np.round(middle / ranks), 1, rows).astype(np.int64)
        low, high = (middle, high) if filled.sum() < entries else (low, middle)
    return filled


def _linear_labels(X: Any, classes: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Classes of about equal size, linear in the columns but for some noise."""
    directions = rng.standard_normal((X.shape[1], 1 if classes == 2 else classes))
    scores = np.asarray(X @ directions)
    scores = scores + NOISE * scores.std(axis=0) * rng.standard_normal(scores.shape)
    scores -= np.median(scores, axis=0)
    if classes == 2:
        return (scores[:, 0] > 0).astype(np.int64)
    return np.asarray(scores.argmax(axis=1), dtype=np.int64)


def _csr(X: Any) -> Any:
    X = sp.csr_array(X)
    X.sort_indices()
    # scikit-learn's liblinear takes indices of 32 bits only.
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X
