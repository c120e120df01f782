"""The span estimate without each column in turn, coefficients frozen, factorising no more than due.

Three exact shortcuts come before a factorisation per column:

- the linear kernel: a column is a matrix of rank one, so all columns together cost one product;
- a column in which all support vectors agree changes nothing;
- squared slack and a column in which all but few support vectors agree (binary or sparse tables):
  an update of the inverse by the few rows and columns of K that move.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from svsieve.arrays import FloatArray, IndexArray
from svsieve.criteria.span_geometry import SpanGeometry
from svsieve.kernels import KernelState, Linear
from svsieve.native import one_blas_thread

# What is left of the inverse's denominator, below which a column is factorised after all.
LEAST_REMAINDER = 1e-7
# Up to this share of the rows may move for an update to be cheaper than a factorisation.
FEW_ROWS = 0.1


def estimates_without(
    geometry: SpanGeometry, state: KernelState, rows: IndexArray
) -> tuple[float, FloatArray]:
    """Return sum_p alpha_p S_p^2, and the same without each kept column.

    Parameters
    ----------
    geometry : SpanGeometry
        Of all kept columns.
    state : KernelState
    rows : ndarray of int
        The support vectors in `state`.
    """
    supports = geometry.supports
    whole = geometry.estimate()
    if isinstance(state.kernel, Linear):
        found = np.abs(supports.u) @ squares_without(geometry, state.linear_columns(rows))
    else:
        found = np.full(state.n_kept, np.nan)
    open_columns = np.flatnonzero(np.isnan(found))
    if len(open_columns):
        blocks = _Blocks(geometry, state.gram_without(None, rows))
        for j in open_columns:
            K = state.gram_without(int(j), rows)
            found[j] = blocks.estimate(K) if len(supports.bounded) == 0 else np.nan
            if np.isnan(found[j]):
                found[j] = SpanGeometry(K, supports).estimate()
    return whole, found


def squares_without(geometry: SpanGeometry, X: FloatArray) -> FloatArray:
    """Return S_p^2 of a linear kernel without each column of X, by changes of rank one.

    A column without which the matrix would become singular is nan. With x the column, t_p = c_p'x
    and g = x'Px: S_p^2 becomes S_p^4 (1 - g) / (S_p^2 (1 - g) + t_p^2) for a free p and
    S_p^2 - t_p^2 / (1 - g) for a bounded one.
    """
    supports = geometry.supports
    free, bounded = supports.free, supports.bounded
    P, squares = geometry.inverse(), geometry.squares()
    T = np.empty(X.shape)
    with one_blas_thread():
        solved = P @ X[free]
        T[free] = squares[free, None] * solved
        T[bounded] = X[bounded] - geometry.nearest(P).T @ X[free]
    rest = 1.0 - np.einsum("pj,pj->j", X[free], solved)
    regular = rest > LEAST_REMAINDER
    rest = np.where(regular, rest, 1.0)
    s = squares[:, None]
    after = np.empty(T.shape)
    scaled = s[free] * rest
    after[free] = s[free] * scaled / (scaled + T[free] ** 2)
    after[bounded] = np.maximum(s[bounded] - T[bounded] ** 2 / rest, 0.0)
    after[:, ~regular] = np.nan
    return after


class _Blocks:
    """Updates of P for columns that move few rows of K; all support vectors free."""

    def __init__(self, geometry: SpanGeometry, K: FloatArray) -> None:
        self._geometry, self._K = geometry, K
        self._P: FloatArray | None = None

    def estimate(self, K: FloatArray) -> float:
        """Return the estimate on another Gram matrix, nan where it has to be factorised."""
        change = K - self._K
        moved = change != 0.0
        if not moved.any():
            return self._geometry.estimate()
        rows = _few_rows(moved)
        if rows is None:
            return np.nan
        diagonal = self._updated(change, rows)
        if diagonal is None or not (diagonal > 0).all():
            return np.nan
        return float(np.abs(self._geometry.supports.u) @ (1.0 / diagonal))

    def _updated(self, change: FloatArray, rows: IndexArray) -> FloatArray | None:
        """Return the diagonal of (A + E V' + V E')^-1, E the units of the moved rows.

        V is what moves there. With W = [E, V], J = [[0, I], [I, 0]]: P - PW (J + W'PW)^-1 W'P.
        """
        if self._P is None:
            self._P = self._geometry.inverse()
        P, k = self._P, len(rows)
        V = change[:, rows]
        V[rows] *= 0.5
        with one_blas_thread():
            pulled = np.hstack([P[:, rows], P @ V])
            inner = np.vstack([pulled[rows], V.T @ pulled])
            swap = np.arange(k)
            inner[swap, swap + k] += 1.0
            inner[swap + k, swap] += 1.0
            if np.linalg.cond(inner) > 1.0 / LEAST_REMAINDER:
                return None
            lost = np.einsum("pk,kp->p", pulled, np.linalg.solve(inner, pulled.T))
        return np.asarray(np.diagonal(P) - lost)


def _few_rows(moved: npt.NDArray[np.bool_]) -> IndexArray | None:
    """Few rows and columns of a matrix beside which nothing moved; None if there are none."""
    n, counts = len(moved), moved.sum(axis=1)
    rows = np.flatnonzero(counts)
    if len(rows) > FEW_ROWS * n:
        # Distances: a row that moves does so against all that stay, one that stays against few.
        rows = np.flatnonzero(counts > 2 * FEW_ROWS * n)
    stays = np.ones(n, dtype=bool)
    stays[rows] = False
    if len(rows) > FEW_ROWS * n or moved[np.ix_(stays, stays)].any():
        return None
    return rows
