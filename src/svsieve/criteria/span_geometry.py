"""Distances of support vectors from the span of the others, and how they depend on the kernel.

S_p^2 is the squared distance, in feature space, of support vector p from the affine hull of the
other free support vectors (those strictly between their bounds). With A = [[K, 1], [1', 0]] over
the free ones, K with its ridge, and P the upper left block of its inverse, the nearest point
differs from p by the combination c_p of support vectors, and S_p^2 = c_p' K c_p:

    free     c_p = S_p^2 P e_p,         S_p^2 = 1 / P_pp
    bounded  c_p = e_p - h_p            h_p: the coordinates of the point of the hull nearest to p

A moving kernel moves S_p^2 by c_p' dK c_p, and the coefficients by du = -P dK u on the free rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import blas, lapack

from svsieve.arrays import FloatArray, IndexArray
from svsieve.machines import DualProblem, DualSolution
from svsieve.native import core, one_blas_thread

# Coefficients below this share of the largest are what a solver leaves of zero.
LEAST_COEFFICIENT = 1e-10
# Below this share of the largest eigenvalue, one of zero: the hull has more points than dimensions.
# Distances are then those of a small ridge, this share of the mean of the diagonal.
SINGULAR = 1e-12
SMALL_RIDGE = 1e-8
# Columns mirrored at a time.
PANEL = 128


class NoSpanError(ValueError):
    """Support vectors have no distances from the span of the others."""


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

    @classmethod
    def of(cls, problem: DualProblem, solution: DualSolution) -> Supports:
        """Sort the rows of a solution."""
        b = solution.coefficients
        rows = np.flatnonzero(np.abs(b) > LEAST_COEFFICIENT * np.abs(b).max(initial=0.0))
        u = b[rows]
        inside = (problem.lower[rows] < u) & (u < problem.upper[rows])
        return cls(rows, u, problem.ridge[rows], np.flatnonzero(inside), np.flatnonzero(~inside))


class SpanGeometry:
    """Squared distances S_p^2 and the matrix P of one set of support vectors.

    Parameters
    ----------
    K : ndarray of shape (n_supports, n_supports)
        Gram matrix of the support vectors, without ridge.
    supports : Supports

    Notes
    -----
    A constant added to all of K changes no distance and makes K positive definite wherever A is
    regular. Cholesky's factor of the free block, inverted, serves all else.
    """

    def __init__(self, K: FloatArray, supports: Supports) -> None:
        self.supports = supports
        free = supports.free
        if not len(free):
            raise NoSpanError(
                "the span of the support vectors needs one whose coefficient lies strictly between "
                f"its bounds. All {len(supports.rows)} lie at the bound C: use a larger C, squared "
                "slack or another criterion."
            )
        bounded = supports.bounded
        constant = float(K.trace()) / len(K)
        self._constant = constant if constant > 0 else 1.0
        self._cross = K[np.ix_(free, bounded)] + self._constant
        self._own = np.diagonal(K)[bounded] + self._constant
        with one_blas_thread():
            self._root = self._inverse_factor(K[np.ix_(free, free)] if len(bounded) else K)
            self._solved_ones = self._root.T @ self._root.sum(axis=1)
        self._total = float(self._solved_ones.sum())

    @classmethod
    def of(cls, K: FloatArray, supports: Supports) -> SpanGeometry:
        """Return the geometry, given the Gram matrix of all rows of the problem."""
        rows = supports.rows  # ascending, so that all of them are K as it is
        return cls(K if len(rows) == len(K) else K[np.ix_(rows, rows)], supports)

    def _inverse_factor(self, K: FloatArray) -> FloatArray:
        """The inverse of Cholesky's lower factor over the free rows, made regular if it is not."""
        ridge = self._constant + self.supports.ridge[self.supports.free]
        largest = float((np.diagonal(K) + ridge).max())
        root, info = _try_inverse_factor(self._lifted(K, 0.0))
        # The sum of squares is the trace of the inverse.
        if info != 0 or SINGULAR * largest * float(np.vdot(root.T, root.T)) > 1.0:
            mean = float((np.diagonal(K) + ridge).mean())
            root, info = _try_inverse_factor(self._lifted(K, SMALL_RIDGE * mean))
            if info != 0:
                raise NoSpanError(
                    "the span of the support vectors cannot be computed: the kernel is not "
                    f"positive definite on them (found at number {info} of {len(K)})."
                )
        return root

    def _lifted(self, K: FloatArray, more: float) -> FloatArray:
        """K plus the constant, with its ridge and some more."""
        G = _empty(len(K))
        np.add(K.T, self._constant, out=G)
        G[np.diag_indices(len(G))] += self.supports.ridge[self.supports.free] + more
        return G

    def squares(self) -> FloatArray:
        """Return S_p^2 of all support vectors."""
        found = np.empty(len(self.supports.rows))
        found[self.supports.free] = 1.0 / self.inverse_diagonal()
        if len(self.supports.bounded):
            with one_blas_thread():
                half = self._root @ self._cross
            seen = self._solved_ones @ self._cross
            across = np.einsum("pb,pb->b", half, half) - (seen - 1.0) ** 2 / self._total
            found[self.supports.bounded] = np.maximum(self._own - across, 0.0)
        return found

    def estimate(self) -> float:
        """Return sum_p alpha_p S_p^2, a bound on the leave-one-out errors."""
        return float(np.abs(self.supports.u) @ self.squares())

    def inverse_diagonal(self) -> FloatArray:
        """Return the diagonal of P, positive up to rounding."""
        found = np.einsum("kp,kp->p", self._root, self._root)
        own = found - self._solved_ones**2 / self._total
        return np.asarray(np.maximum(own, np.finfo(float).eps * found))

    def inverse(self) -> FloatArray:
        """Return P over the free support vectors."""
        with one_blas_thread():
            half = _empty(len(self._root))
            half[...] = self._root
            half, _ = lapack.dlauum(half, lower=1, overwrite_c=1)
            half = blas.dsyr(-1.0 / self._total, self._solved_ones, lower=1, a=half, overwrite_a=1)
        return _mirrored(half)

    def nearest(self, P: FloatArray) -> FloatArray:
        """Return h_p, over the free support vectors, of every bounded one as a column."""
        with one_blas_thread():
            found = P @ self._cross
        found += (self._solved_ones / self._total)[:, None]
        return np.asarray(found)

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
            half = blas.dsyrk(1.0, P, c=_empty(len(P)), lower=1, overwrite_c=1)
            half = blas.dsyr2(-0.5, q, u[free], lower=1, a=half, overwrite_a=1)
            inner = _mirrored(half).T  # in the order of rows
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


def _mirrored(lower: FloatArray) -> FloatArray:
    """The symmetric matrix whose lower triangle is given, made in place, a panel at a time."""
    n = len(lower)
    for start in range(0, n, PANEL):
        stop = min(start + PANEL, n)
        corner = np.tril(lower[start:stop, start:stop])
        lower[start:stop, start:stop] = corner + np.tril(corner, -1).T
        lower[start:stop, stop:] = lower[stop:, start:stop].T
    return lower


def _empty(n: int) -> FloatArray:
    """A matrix in the order of columns that LAPACK wants, in memory that was used before."""
    return np.asarray(core.empty_table(n, n).T)


def _try_inverse_factor(G: FloatArray) -> tuple[FloatArray, int]:
    """The inverse factor, in place, and 0, or the row where G stops being positive definite."""
    factor, failed = lapack.dpotrf(G, lower=1, overwrite_a=1)
    if failed:
        return np.asarray(factor), int(failed)
    root, failed = lapack.dtrtri(factor, lower=1, overwrite_c=1)
    return np.asarray(root), int(failed)
