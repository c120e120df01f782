"""Machines of a linear kernel without each column, all at once, from the one with all columns.

Without column x the Gram matrix is K - xx'. While the same rows stay between their bounds (free),
the coefficients solve the same equations with xx' taken away, and a change of rank one has a closed
form (Sherman and Morrison). With P the inverse of `span_geometry` over the free rows, zero for all
others, and w = x'u the weight of the column:

    g = x'Px,    u <- u + Px w / (1 - g),    P <- P + (Px)(Px)' / (1 - g)

Rows that do not stay are moved one at a time, each by another change of rank one. A free row r that
is beyond its bound b is put there, with p the column r of P; a row s at a bound that its gradient
pulls away from becomes free, with t the direction in which it alone moves against the free rows:

    u <- u - p (u_r - b) / p_r,          P <- P - pp' / p_r
    u <- u - t (grad_s - grad) / k,      P <- P + tt' / k,      k = t'(K - xx')t

where grad is what the gradients of the free rows are equal to. Every column moves rows of its own,
in matrix products for all columns together. It is the active-set method without its safeguards: a
column counts only if its coefficients obey bounds and sum and the KKT gap of its gradient, computed
anew, is small enough.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from svsieve.arrays import FloatArray, IndexArray
from svsieve.criteria.context import Context
from svsieve.criteria.few_columns import few_columns_gram
from svsieve.criteria.span_geometry import SpanGeometry, Supports
from svsieve.kernels import Linear
from svsieve.machines import DualProblem
from svsieve.native import one_blas_thread

# Rows moved for a column, at most; after the first few a tenth of the columns has to be settled, or
# most need so many moves that a solver for each is the cheaper way.
MOST_MOVES, FIRST_MOVES = 16, 5
SETTLED = 0.1
# Fewer columns than that are left to a solver, too: moves cost the same for one as for many.
FEW_COLUMNS = 3
# What is left of an entry of P after its changes cancelled, below which it has no digits to trust.
LEAST_REMAINDER = 1e-6
# By what share of itself rounding may change the sum of the coefficients.
SUM_ROUNDING = 1e-12
# Entries of the arrays that are changed at a time.
BLOCK = 2**20


@dataclass(frozen=True, eq=False)
class Retrained:
    """Solutions without each kept column.

    Attributes
    ----------
    coefficients : ndarray of shape (n_rows, n_kept)
    objectives : ndarray of shape (n_kept,)
        Of the program, as `DualSolution.objective`.
    holds : ndarray of bool of shape (n_kept,)
        Whether it is the solution; the other columns need a solver.
    moved : ndarray of bool of shape (n_kept,)
        Whether rows have met or left a bound.
    squares : ndarray of shape (n_rows, n_kept)
        S_p^2 of `span_geometry` for the free rows, nan for the others and where it is not known.
    gaps : ndarray of shape (n_kept,)
        KKT gaps, in the unit of the gradient.
    clearance : ndarray of shape (n_kept,)
        The least that the gradient of a row without ridge at its bound differs from that of the
        free ones: zero where the coefficients may not be the only solution.
    geometry : SpanGeometry
        Of the solution with all kept columns.
    columns : ndarray of shape (n_rows, n_kept)
        As the kernel sees them.
    """

    coefficients: FloatArray
    objectives: FloatArray
    holds: npt.NDArray[np.bool_]
    moved: npt.NDArray[np.bool_]
    squares: FloatArray
    gaps: FloatArray
    clearance: FloatArray
    geometry: SpanGeometry
    columns: FloatArray


def retrained_at_once(context: Context, tol: float) -> Retrained | None:
    """Return the solutions without each column; None where there is no closed form.

    Parameters
    ----------
    context : Context
    tol : float
        Largest KKT gap of a solution.
    """
    if not isinstance(context.state.kernel, Linear):
        return None
    problem, u = context.problem, context.solution.coefficients
    supports = Supports.of(problem, context.solution)
    if not len(supports.free):
        return None
    rows = np.arange(len(u)) if context.rows is None else context.rows
    K = few_columns_gram(context.state, rows)
    K = context.gram() if K is None else K
    geometry = SpanGeometry.of(K, supports)
    X, n_kept = context.state.linear_columns(rows), context.state.n_kept
    shape = (len(u), n_kept)
    found = Retrained(
        np.full(shape, np.nan),
        np.full(n_kept, np.nan),
        np.zeros(n_kept, dtype=bool),
        np.zeros(n_kept, dtype=bool),
        np.full(shape, np.nan),
        np.full(n_kept, np.nan),
        np.zeros(n_kept),
        geometry,
        X,
    )
    n_blocks = -(-X.size // BLOCK)
    with one_blas_thread(), np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        A, P = K + np.diag(problem.ridge), _spread(found.geometry, len(u))
        for at in np.array_split(np.arange(n_kept), n_blocks):
            active = _Active(problem, A, P, found, at, u)
            for moves in range(MOST_MOVES + 1):
                active.settle(tol, moved=moves > 0)
                hopeless = moves == FIRST_MOVES and found.holds[at].mean() < SETTLED
                if hopeless or len(active.at) < FEW_COLUMNS:
                    break
                active.move()
    return found


def _spread(geometry: SpanGeometry, n_rows: int) -> FloatArray:
    """P over all rows, zero but for those that are free."""
    free = geometry.supports.rows[geometry.supports.free]
    P = np.zeros((n_rows, n_rows))
    P[np.ix_(free, free)] = geometry.inverse()
    return P


class _Active:
    """The columns that are not settled yet: coefficients, gradients, free rows, inverses.

    Arrays have a line for every row and one of their columns for every column of the table.
    """

    def __init__(
        self,
        problem: DualProblem,
        A: FloatArray,
        P: FloatArray,
        found: Retrained,
        at: IndexArray,
        u: FloatArray,
    ) -> None:
        supports = found.geometry.supports
        self.at, self._found = at, found
        self._problem, self._A, self._P = problem, A, P
        self._X = X = found.columns[:, at]
        self._lower, self._upper = problem.lower[:, None], problem.upper[:, None]
        self._changes: list[tuple[FloatArray, FloatArray]] = []
        self._free = np.zeros(X.shape, dtype=bool)
        self._free[supports.rows[supports.free]] = True
        self._diagonal = np.repeat(np.diagonal(P)[:, None], X.shape[1], axis=1)
        self._terms = self._diagonal.copy()
        solved = P @ X
        rest = 1.0 - np.einsum("pj,pj->j", X, solved)
        self._U = u[:, None] + solved * ((u @ X) / rest)
        self._change(solved, 1.0 / rest)
        self._gradient = self._applied(self._U) + problem.linear[:, None]

    def settle(self, tol: float, *, moved: bool) -> None:
        """Write down the columns that are solved, and go on with the others."""
        problem, found, U, gradient = self._problem, self._found, self._U, self._gradient
        raw = _gaps(U, gradient, self._lower, self._upper)
        gaps = raw * problem.gap_unit
        missing = np.abs(U.sum(axis=0) - problem.total)
        done = (gaps <= tol) & (missing <= SUM_ROUNDING * np.abs(U).sum(axis=0))
        at = self.at[done]
        linear = problem.linear[:, None]
        found.coefficients[:, at] = U[:, done]
        found.objectives[at] = 0.5 * np.einsum("pj,pj->j", U, gradient + linear)[done]
        found.holds[at], found.moved[at] = True, moved
        found.gaps[at] = np.maximum(raw[done], 0.0)
        at_bound = ~self._free & ((problem.ridge == 0.0) & (problem.upper > problem.lower))[:, None]
        pull = np.where(at_bound, np.abs(gradient - self._common()), np.inf)
        found.clearance[at] = pull.min(axis=0)[done]
        diagonal, terms = self._diagonal[:, done], self._terms[:, done]
        regular = not found.geometry.hull.inside.any()
        known = regular & self._free[:, done] & (diagonal > LEAST_REMAINDER * terms)
        found.squares[:, at] = np.where(known, 1.0 / diagonal, np.nan)
        self._take(~done & np.isfinite(gradient).all(axis=0) & self._free.any(axis=0))

    def move(self) -> None:
        """Move one row of every column: the farthest beyond its bound, or else pulled most.

        A column for which that cannot be done in good order becomes nan, and is given up.
        """
        U, free, every = self._U, self._free, np.arange(len(self.at))
        pull = self._gradient - self._common()
        beyond = np.where(free, np.maximum(self._lower - U, U - self._upper), -np.inf)
        at_lower, at_upper = self._lower >= U, self._upper <= U
        towards = np.where(at_lower, -pull, np.where(at_upper, pull, -np.inf))
        towards[free | (at_lower & at_upper)] = -np.inf
        leaving, entering = beyond.argmax(axis=0), towards.argmax(axis=0)
        leaves = beyond[leaving, every] > 0.0
        row = np.where(leaves, leaving, entering)

        V, scale = self._directions(row, leaves)
        scale[~leaves & ~(towards[entering, every] > 0.0)] = np.nan
        bound = np.clip(U[row, every], self._lower[row, 0], self._upper[row, 0])
        excess = np.where(leaves, U[row, every] - bound, -pull[row, every])
        self._U = U + V * (scale * excess)
        self._U[row[leaves], every[leaves]] = bound[leaves]
        free[row, every] = ~leaves
        self._change(V, scale)
        self._gradient = self._applied(self._U) + self._problem.linear[:, None]

    def _common(self) -> FloatArray:
        """Return the common gradient of the free rows, up to rounding, for each column."""
        free = self._free
        return np.asarray(np.where(free, self._gradient, 0.0).sum(axis=0) / free.sum(axis=0))

    def _directions(
        self, row: IndexArray, leaves: npt.NDArray[np.bool_]
    ) -> tuple[FloatArray, FloatArray]:
        """Directions in which a row moves and the free ones give way, and what they add to P."""
        every = np.arange(len(row))
        V = np.where(self._free, self._inverse_columns(row), 0.0)
        own = V[row, every]
        scale = np.where(own > LEAST_REMAINDER * self._terms[row, every], -1.0 / own, np.nan)
        if not leaves.all():
            # Against a free row, so that the sum stays: y - P A y is the same for any of them.
            against = np.where(self._free, self._diagonal, -np.inf).argmax(axis=0)
            X, A = self._X, self._A
            applied = A[:, row] - A[:, against] - X * (X[row, every] - X[against, every])
            t = np.where(self._free, -self._inverse_times(applied), 0.0)
            t[against, every] -= 1.0
            t[row, every] += 1.0
            across = self._applied(t)
            V = np.where(leaves, V, t)
            entering = 1.0 / (across[row, every] - across[against, every])
            scale = np.where(leaves, scale, np.where(entering > 0.0, entering, np.nan))
        return V, scale

    def _applied(self, Y: FloatArray) -> FloatArray:
        """(K - xx' + ridge) y of each column."""
        return np.asarray(self._A @ Y - self._X * np.einsum("pj,pj->j", self._X, Y))

    def _inverse_times(self, Y: FloatArray) -> FloatArray:
        """P y of each column."""
        found = self._P @ Y
        for V, scale in self._changes:
            found += V * (scale * np.einsum("pj,pj->j", V, Y))
        return np.asarray(found)

    def _inverse_columns(self, row: IndexArray) -> FloatArray:
        """The column of P that belongs to a row, for each."""
        found = self._P[:, row]
        for V, scale in self._changes:
            found += V * (scale * V[row, np.arange(len(row))])
        return np.asarray(found)

    def _change(self, V: FloatArray, scale: FloatArray) -> None:
        """P + scale vv'."""
        self._changes.append((V, scale))
        added = scale * V**2
        self._diagonal = self._diagonal + added
        self._terms = self._terms + np.abs(added)

    def _take(self, some: npt.NDArray[np.bool_]) -> None:
        """Go on with some of the columns."""
        if some.all():
            return
        self.at, self._X, self._U = self.at[some], self._X[:, some], self._U[:, some]
        self._gradient, self._free = self._gradient[:, some], self._free[:, some]
        self._diagonal, self._terms = self._diagonal[:, some], self._terms[:, some]
        self._changes = [(V[:, some], scale[some]) for V, scale in self._changes]


def _gaps(U: FloatArray, gradient: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
    """By how much the best pair of rows could still improve each solution; nan out of bounds."""
    up = np.where(upper > U, -gradient, -np.inf).max(axis=0)
    down = np.where(lower < U, -gradient, np.inf).min(axis=0)
    inside = ((lower <= U) & (upper >= U)).all(axis=0)
    return np.where(inside, up - down, np.nan)
