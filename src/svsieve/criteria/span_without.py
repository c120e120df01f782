"""The span estimate without each column in turn, coefficients frozen, factorising no more than due.

Exact shortcuts come before a factorisation per column:

- the linear kernel: a column is a matrix of rank one, so all columns together cost one product;
- a column in which all support vectors agree changes nothing;
- squared slack and a column in which all but few support vectors agree (binary or sparse tables):
  an update of the inverse by the few rows and columns of K that move.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.linalg import cho_factor, cho_solve

from svsieve.arrays import FloatArray, IndexArray
from svsieve.criteria.span_geometry import ENTRY_ROUNDING, SpanGeometry
from svsieve.criteria.span_hull import SINGULAR
from svsieve.kernels import KernelState, Linear
from svsieve.native import one_blas_thread

# What is left of the inverse's denominator, below which a column is factorised after all.
LEAST_REMAINDER = 1e-7
# Up to this share of the rows may move for an update to be cheaper than a factorisation.
FEW_ROWS = 0.1


@dataclass(frozen=True, eq=False)
class Left:
    """The estimate, what is left of it without each column, and by how much they may be wrong.

    Attributes
    ----------
    whole, whole_error : float
    estimates, changes, errors : ndarray
        One per kept column: the estimate that is left, by how much it differs, in full digits, and
        how wrong it may be.
    """

    whole: float
    whole_error: float
    estimates: FloatArray
    changes: FloatArray
    errors: FloatArray


def estimates_without(
    geometry: SpanGeometry, state: KernelState, rows: IndexArray
) -> tuple[float, FloatArray]:
    """Return sum_p alpha_p S_p^2, and the same without each kept column; see `changes_without`."""
    found = changes_without(geometry, state, rows)
    return found.whole, found.estimates


def changes_without(geometry: SpanGeometry, state: KernelState, rows: IndexArray) -> Left:
    """Return how sum_p alpha_p S_p^2 changes without each kept column.

    Parameters
    ----------
    geometry : SpanGeometry
        Of all kept columns.
    state : KernelState
    rows : ndarray of int
        The support vectors in `state`.
    """
    supports, squares = geometry.supports, geometry.squares()
    alpha, n_kept = np.abs(supports.u), state.n_kept
    whole, error = float(alpha @ squares), float(geometry.error(squares))
    found = Left(whole, error, *(np.full(n_kept, np.nan) for _ in range(3)))
    linear = isinstance(state.kernel, Linear)
    if linear:
        X = state.linear_columns(rows)
        X = X - X[supports.free].mean(axis=0)
        changes, sizes, doubt = square_changes(geometry, X)
        found.changes[:] = alpha @ changes
        left = np.maximum(squares[:, None] + changes, 0.0)
        found.estimates[:] = alpha @ left
        found.errors[:] = geometry.error(left, sizes) + ENTRY_ROUNDING * whole
        found.errors[:] += doubt * np.abs(found.changes)
    open_columns = np.flatnonzero(np.isnan(found.changes))
    if not len(open_columns):
        return found
    blocks = _Blocks(geometry, state.gram_without(None, rows))
    for j in open_columns:
        if linear:
            K = centred(geometry.gram) - np.multiply.outer(X[:, j], X[:, j])
        else:
            K = state.gram_without(int(j), rows)
        after, other = blocks.squares(K), geometry
        if after is None:
            other = SpanGeometry(K, supports, geometry.doubt)
            after = other.squares()
        found.estimates[j], found.changes[j] = alpha @ after, alpha @ (after - squares)
        found.errors[j] = other.error(after) + ENTRY_ROUNDING * whole
    return found


def square_changes(
    geometry: SpanGeometry, X: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return how S_p^2 of a linear kernel change without each column, |P| then, and a doubt.

    A column is a change of rank one. With x the column, t_p = c_p'x and g = x'Px, S_p^2 becomes
    S_p^4 (1 - g) / (S_p^2 (1 - g) + t_p^2) for a free p and S_p^2 - t_p^2 / (1 - g) for a bounded
    one. Where g = 1 the hull holds all of the direction x, and loses it: support vectors with a
    part in v = Px, and v is what the null space gains, come to lie in the hull of the others; all
    other distances stay. A column too near to that is nan.

    The doubt is the share of a change that may be the rounding of 1 - g.
    """
    supports, hull = geometry.supports, geometry.hull
    free, bounded = supports.free, supports.bounded
    squares = geometry.squares()
    T = np.empty(X.shape)
    ridge = supports.ridge[free]
    if (ridge > 0.0).all() and X.shape[1] < len(free):
        solved, rest = _by_columns(X[free], ridge)
        doubt = np.zeros(X.shape[1])
    else:
        P = geometry.inverse()
        with one_blas_thread():
            solved = P @ X[free]
            T[bounded] = X[bounded] - geometry.nearest(P).T @ X[free]
        rest = 1.0 - np.einsum("pj,pj->j", X[free], solved)
        doubt = ENTRY_ROUNDING * geometry.largest * np.einsum("pj,pj->j", solved, solved)
    T[free] = squares[free, None] * solved
    lengths = np.einsum("pj,pj->j", solved, solved)
    regular = rest > LEAST_REMAINDER if doubt.any() else rest > 0.0
    rest = np.where(regular, rest, 1.0)
    s = squares[:, None]
    found = np.empty(T.shape)
    below = s[free] * rest + T[free] ** 2
    found[free] = np.divide(
        -s[free] * T[free] ** 2, below, out=np.zeros(below.shape), where=below > 0
    )
    found[bounded] = np.maximum(-(T[bounded] ** 2) / rest, -s[bounded])
    found[:, ~regular] = np.nan
    sizes = geometry.size + lengths / rest
    lost = np.flatnonzero(~regular)
    if len(lost) and not geometry.alone:
        with one_blas_thread():
            left = X[free].T @ solved[:, lost]
        left[lost, np.arange(len(lost))] = 0.0
        curvature = np.einsum("ij,ij->j", left, left) + supports.ridge[free] @ solved[:, lost] ** 2
        curvature /= lengths[lost]
        gone = curvature <= SINGULAR * float(np.einsum("pj,pj->", X[free], X[free]))
        lost = lost[gone]
        directions = solved[:, lost] ** 2 / lengths[lost]
        inside = directions + hull.null_squares[:, None] > hull.least_part() ** 2
        found[np.ix_(bounded, lost)] = 0.0
        found[np.ix_(free, lost)] = np.where(inside, -squares[free, None], 0.0)
        sizes[lost] = geometry.size
        doubt[lost] = 0.0
    return found, sizes, doubt / rest


def _by_columns(X: FloatArray, ridge: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Px and 1 - x'Px of all columns, fewer than rows, where all support vectors are free.

    With X centred so that sum_p x_p / r_p = 0 and H = 1 + X' Diag(1/r) X they are the columns of
    Diag(1/r) X H^-1 and the diagonal of H^-1: nothing cancels, however near g is to one.
    """
    weighed = X / ridge[:, None]
    X = X - weighed.sum(axis=0) / (1.0 / ridge).sum()
    weighed = X / ridge[:, None]
    with one_blas_thread():
        H = X.T @ weighed
        H[np.diag_indices(len(H))] += 1.0
        inverse = cho_solve(cho_factor(H), np.eye(len(H)))
        return np.asarray(weighed @ inverse), np.diagonal(inverse).copy()


def centred(K: FloatArray) -> FloatArray:
    """The Gram matrix of the same rows, seen from their mean."""
    K = K - K.mean(axis=0)
    return np.asarray(K - K.mean(axis=1)[:, None])


class _Blocks:
    """Updates of P for columns that move few rows of K; all support vectors free, and regular."""

    def __init__(self, geometry: SpanGeometry, K: FloatArray) -> None:
        self._geometry, self._K = geometry, K
        self._P: FloatArray | None = None

    def squares(self, K: FloatArray) -> FloatArray | None:
        """Return S_p^2 on another Gram matrix, None where it has to be factorised."""
        geometry = self._geometry
        if len(geometry.supports.bounded) or geometry.alone or geometry.hull.inside.any():
            return None
        change = K - self._K
        moved = change != 0.0
        if not moved.any():
            return geometry.squares()
        rows = _few_rows(moved)
        if rows is None:
            return None
        diagonal = self._updated(change, rows)
        return None if diagonal is None or not (diagonal > 0).all() else 1.0 / diagonal

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
