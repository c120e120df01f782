"""Distances of support vectors from the span of the others, and how they depend on the kernel.

S_p^2 is the squared distance, in feature space, of support vector p from the affine hull of the
other free support vectors (those strictly between their bounds). With A = [[K, 1], [1', 0]] over
the free ones, K with its ridge, and P the upper left block of its inverse (see `span_hull` for what
P is where A has none), the nearest point differs from p by the combination c_p of support vectors,
and S_p^2 = c_p' K c_p:

    free     c_p = S_p^2 P e_p,         S_p^2 = 1 / P_pp; both zero where p lies in the hull
    bounded  c_p = e_p - h_p            h_p: the coordinates of the point of the hull nearest to p

A moving kernel moves S_p^2 by c_p' dK c_p, and the coefficients by du = -P dK u on the free rows.

A lone free support vector has no other to be far from. When it is left out at least one other row
has to leave its bound, and of what that does nothing is known but that it is one error at most: it
counts as one, alpha_p S_p^2 = 1, whatever the kernel.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import blas

from svsieve.arrays import FloatArray, IndexArray
from svsieve.criteria.span_hull import (
    Hull,
    NotPositiveError,
    RegularHull,
    SingularHull,
    Spectrum,
    mirrored,
)
from svsieve.machines import DualProblem, DualSolution
from svsieve.native import core, one_blas_thread

# Coefficients within this share of the largest from a bound are at the bound.
LEAST_COEFFICIENT = 1e-10
# Roundings of the largest k(x, x) in entries of a Gram matrix.
ENTRY_ROUNDING = 16.0 * np.finfo(np.float64).eps


class NoSpanError(ValueError):
    """Support vectors have no distances from the span of the others."""


class NoFreeRowError(NoSpanError):
    """All coefficients lie at their bounds."""


@dataclass(frozen=True, eq=False)
class Supports:
    """The support vectors of a solution.

    Attributes
    ----------
    rows : ndarray of int
        Ascending, in the problem.
    u : ndarray
        Their signed coefficients.
    ridge : ndarray
        Theirs.
    free, bounded : ndarray of int
        Positions in `rows`.
    """

    rows: IndexArray
    u: FloatArray
    ridge: FloatArray
    free: IndexArray
    bounded: IndexArray

    @property
    def free_rows(self) -> IndexArray:
        """The free ones, in the problem."""
        return self.rows[self.free]

    @classmethod
    def of(
        cls, problem: DualProblem, solution: DualSolution, least: float | None = None
    ) -> Supports:
        """Sort the rows of a solution; what is no farther than `least` from a bound is at it."""
        b = solution.coefficients
        if least is None:
            least = LEAST_COEFFICIENT * float(np.abs(b).max(initial=0.0))
        rows = np.flatnonzero(np.abs(b) > least)
        u, lower, upper = b[rows], problem.lower[rows], problem.upper[rows]
        inside = (lower + least < u) & (u < upper - least)
        at_bound = np.where(u - lower < upper - u, lower, upper)
        return cls(
            rows,
            np.where(inside, u, at_bound),
            problem.ridge[rows],
            np.flatnonzero(inside),
            np.flatnonzero(~inside),
        )


class SpanGeometry:
    """Squared distances S_p^2 and the matrix P of one set of support vectors.

    Parameters
    ----------
    K : ndarray of shape (n_supports, n_supports)
        Gram matrix of the support vectors, without ridge.
    supports : Supports
    doubt : ndarray, one per free support vector, optional
        By how much their coefficients may be wrong, rounding aside.
    """

    def __init__(self, K: FloatArray, supports: Supports, doubt: FloatArray | None = None) -> None:
        self.supports = supports
        free, bounded = supports.free, supports.bounded
        if not len(free):
            raise NoFreeRowError(
                "the span of the support vectors needs one whose coefficient lies strictly between "
                f"its bounds. All {len(supports.rows)} lie at the bound C: use a larger C, squared "
                "slack or another criterion."
            )
        self.doubt = np.zeros(len(free)) if doubt is None else doubt
        own = np.diagonal(K)
        self.gram = K
        self.largest = float((own + supports.ridge).max())
        self._cross, self._own = K[np.ix_(free, bounded)], own[bounded]
        inner = K[np.ix_(free, free)] if len(bounded) else K
        self.hull = hull_of(inner, supports.ridge[free])

    @classmethod
    def of(cls, K: FloatArray, supports: Supports) -> SpanGeometry:
        """Return the geometry, given the Gram matrix of all rows of the problem."""
        rows = supports.rows  # ascending, so that all of them are K as it is
        return cls(K if len(rows) == len(K) else K[np.ix_(rows, rows)], supports)

    @property
    def alone(self) -> bool:
        """Whether there is one free support vector only."""
        return len(self.supports.free) == 1

    def squares(self) -> FloatArray:
        """Return S_p^2 of all support vectors."""
        supports = self.supports
        found = np.empty(len(supports.rows))
        found[supports.free], found[supports.bounded] = self._distances
        if self.alone:
            found[supports.free] = 1.0 / np.abs(supports.u[supports.free])
        return found

    @cached_property
    def _distances(self) -> tuple[FloatArray, FloatArray]:
        """Squared distances of free support vectors, zero for a lone one, and of bounded ones."""
        diagonal, outside = self.hull.diagonal(), ~self.hull.inside
        if self.alone:
            outside = np.zeros(1, dtype=bool)
        own = np.divide(1.0, diagonal, out=np.zeros(len(diagonal)), where=outside)
        return own, self.hull.distances(self._cross, self._own)

    @cached_property
    def size(self) -> float:
        """The largest eigenvalue of P, or nearly."""
        return self.hull.size()

    def estimate(self) -> float:
        """Return sum_p alpha_p S_p^2, a bound on the leave-one-out errors."""
        return float(np.abs(self.supports.u) @ self.squares())

    def error(self, squares: FloatArray, size: FloatArray | float | None = None) -> FloatArray:
        """Return by how much rounding, and doubtful coefficients, may have changed the estimate.

        An error dK of the matrix changes S_p^2 by c_p' dK c_p, |c_p|^2 <= S_p^2 |P| for free p and
        at most k(p, p) |P| + 1 for others, and the coefficients by P dK u.

        Parameters
        ----------
        squares : ndarray of shape (n_supports,) or (n_supports, n)
            S_p^2, of one matrix or of several.
        size : float or ndarray of shape (n,), optional
            The largest eigenvalue |P| of each; that of this hull by default.
        """
        u, free, bounded = self.supports.u, self.supports.free, self.supports.bounded
        size = self.size if size is None else size
        alpha, rounding = np.abs(u), ENTRY_ROUNDING * self.largest
        spread = size * (alpha[free] @ squares[free] + float(alpha[bounded] @ self._own))
        drift = np.sqrt(size) * float(np.linalg.norm(u)) * np.sqrt(squares[free]).sum(axis=0)
        entries = rounding * (spread + float(alpha[bounded].sum()) + drift)
        sums = ENTRY_ROUNDING * (alpha @ squares)
        return np.asarray(sums + entries + self.doubt @ squares[free])

    def slope_error(self) -> float:
        """Return by how much rounding may have changed a slope of the estimate."""
        squares, size = self.squares(), self.size
        free, u = self.supports.free, self.supports.u
        q = self.hull.times(np.sign(u[free]) * squares[free])
        follows = float(np.linalg.norm(q)) * float(np.linalg.norm(u)) * self.largest
        moved = ENTRY_ROUNDING * self.largest * size * (float(np.abs(u) @ squares) + follows)
        return 2.0 * float(self.error(squares)) + moved

    def inverse(self) -> FloatArray:
        """Return P over the free support vectors."""
        return self.hull.inverse()

    def nearest(self, P: FloatArray) -> FloatArray:
        """Return h_p, over the free support vectors, of every bounded one as a column."""
        return self.hull.nearest(P, self._cross)

    def moved_by(self, gradient: FloatArray) -> FloatArray:
        """Return how free coefficients have to move for this gradient on them to become even."""
        return -self.hull.times(gradient)

    def pair_weights(self) -> FloatArray:
        """Return M with d(sum_p alpha_p S_p^2) = <M, dK>, over the support vectors.

        M = sum_p alpha_p c_p c_p' - (q u' + u q') / 2 with q = P (y S^2) on the free ones: the
        distances move, and so do the coefficients. It holds while no row meets or leaves a bound.
        """
        u, free, bounded = self.supports.u, self.supports.free, self.supports.bounded
        alpha = np.abs(u)
        P, squares = self.inverse(), self.squares()
        towards = self.nearest(P)
        with one_blas_thread():
            q = P @ (np.sign(u[free]) * squares[free])
            P *= squares[free] * np.sqrt(alpha[free])  # now the free c_p, weighted
            half = blas.dsyrk(
                1.0, P, c=np.asarray(core.empty_table(len(P), len(P)).T), lower=1, overwrite_c=1
            )
            half = blas.dsyr2(-0.5, q, u[free], lower=1, a=half, overwrite_a=1)
            inner = mirrored(half).T  # in the order of rows
            if not len(bounded):
                return np.asarray(inner)
            weighted = towards * alpha[bounded]
            inner += weighted @ towards.T
        across = -weighted - 0.5 * np.multiply.outer(q, u[bounded])
        M = np.zeros((len(u), len(u)))
        M[np.ix_(free, free)] = inner
        M[np.ix_(free, bounded)] = across
        M[np.ix_(bounded, free)] = across.T
        M[bounded, bounded] = alpha[bounded]
        return M


def hull_of(K: FloatArray, ridge: FloatArray) -> Hull:
    """Return the affine hull of support vectors of which K is the Gram matrix without ridge."""
    if len(K) > 1:
        regular = RegularHull.of(K, ridge)
        if regular is not None:
            return regular
    try:
        return SingularHull(K, ridge, Spectrum.of(K, ridge))
    except NotPositiveError as error:
        raise NoSpanError(
            "the span of the support vectors cannot be computed: the kernel is not positive "
            f"definite on them ({error} negative eigenvalues of {len(K)})."
        ) from None
