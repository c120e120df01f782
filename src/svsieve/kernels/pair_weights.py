"""Symmetric weights M over row pairs: what a machine's solution says about the Gram matrix.

Every criterion is a contraction of such a matrix with the kernel, and most rows carry no weight:
only support vectors enter.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from svsieve.arrays import (
    FloatArray,
    IndexArray,
    distinct_indices,
    float_vector,
    index_vector,
)
from svsieve.native import one_blas_thread


@dataclass(frozen=True, eq=False)
class PairWeights:
    """A symmetric matrix M over the rows `rows`, zero elsewhere.

    Build one with `dense`, `outer` or `covariance`; add them and multiply them by numbers.

    Examples
    --------
    >>> from svsieve.kernels import PairWeights
    >>> M = PairWeights.outer([0.0, 2.0, -1.0])
    >>> M.rows
    array([1, 2])
    >>> M.matrix()
    array([[ 4., -2.],
           [-2.,  1.]])
    """

    rows: IndexArray
    vector: FloatArray | None  # M = scale * vector vector' where `full` is None
    full: FloatArray | None
    scale: float = 1.0

    @classmethod
    def dense(cls, M: npt.ArrayLike, rows: npt.ArrayLike | None = None) -> PairWeights:
        """M given in full over `rows` (all rows where None)."""
        full = np.ascontiguousarray(M, dtype=np.float64)
        if full.ndim != 2 or full.shape[0] != full.shape[1]:
            raise ValueError(f"M must be square. Got shape {full.shape}.")
        if not np.allclose(full, full.T, rtol=1e-12, atol=1e-12 * np.abs(full).max(initial=0.0)):
            raise ValueError("M must be symmetric.")
        if rows is None:
            return cls(np.arange(len(full)), None, full)
        named = index_vector(rows, "rows", 2**62)
        if len(named) != len(full):
            raise ValueError(f"M has {len(full)} rows, `rows` names {len(named)}.")
        order = np.argsort(named)
        picked = distinct_indices(named, "rows", 2**62)
        return cls(picked, None, np.ascontiguousarray(full[np.ix_(order, order)]))

    @classmethod
    def outer(cls, u: npt.ArrayLike, scale: float = 1.0) -> PairWeights:
        """M = scale * u u', rows with u = 0 left out."""
        vector = float_vector(u, "u")
        rows = np.flatnonzero(vector)
        return cls(rows, np.ascontiguousarray(vector[rows]), None, float(scale))

    @classmethod
    def covariance(cls, b: npt.ArrayLike) -> PairWeights:
        """M = Diag(b) - b b', rows with b = 0 left out."""
        vector = float_vector(b, "b")
        rows = np.flatnonzero(vector)
        kept = vector[rows]
        return cls(rows, None, np.diag(kept) - np.outer(kept, kept))

    def matrix(self) -> FloatArray:
        """Return M over `rows`."""
        if self.full is not None:
            return self.full * self.scale if self.scale != 1.0 else self.full
        assert self.vector is not None
        return self.scale * np.outer(self.vector, self.vector)

    def inner(self, K: FloatArray) -> float:
        """Return <M, K> for a symmetric matrix K over all rows."""
        if self.vector is not None:
            b = np.zeros(len(K))
            b[self.rows] = self.vector
            with one_blas_thread():
                return self.scale * float(b @ (K @ b))
        picked = K if len(self.rows) == len(K) else K[np.ix_(self.rows, self.rows)]
        with one_blas_thread():
            return float(np.vdot(self.matrix(), picked))

    def trace(self) -> float:
        """Return the sum of the diagonal."""
        if self.full is not None:
            return self.scale * float(np.trace(self.full))
        assert self.vector is not None
        return self.scale * float(self.vector @ self.vector)

    def __mul__(self, factor: float) -> PairWeights:
        return PairWeights(self.rows, self.vector, self.full, self.scale * float(factor))

    __rmul__ = __mul__

    def __neg__(self) -> PairWeights:
        return self * -1.0

    def __add__(self, other: PairWeights) -> PairWeights:
        rows = np.union1d(self.rows, other.rows)
        full = np.zeros((len(rows), len(rows)))
        for part in (self, other):
            at = np.searchsorted(rows, part.rows)
            full[np.ix_(at, at)] += part.matrix()
        return PairWeights(rows, None, full)
