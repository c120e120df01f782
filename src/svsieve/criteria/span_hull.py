"""The affine hull of some support vectors, and the inverse that all distances from it come from.

With K the Gram matrix of the support vectors, its ridge included, and J = 1 - 11'/n what centres,
everything is in P, the pseudo-inverse of JKJ. Where A = [[K, 1], [1', 0]] is regular P is the upper
left block of its inverse, and Cholesky's factor gives it. Where it is not (more support vectors
than the dimensions of feature space hold) P is what that block comes to, off the directions in
which it grows without limit, as a ridge goes to zero. Those are the null space of JKJ: a support
vector that has a part in it lies in the affine hull of the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt
from scipy.linalg import blas, eigh, lapack

from svsieve.arrays import FloatArray
from svsieve.native import core, one_blas_thread

# An eigenvalue of JKJ below this share of the largest is zero. Rounding makes about 1e-15 of it.
SINGULAR = 1e-12
# A part in the null space of less than this is rounding, or what rounding turns the null space by:
# some roundings over the smallest eigenvalue that is not zero.
LEAST_PART = 1e-7
TURNED = 64.0 * np.finfo(np.float64).eps
# What rounding makes of a zero, as a share of the largest k(x, x).
ROUNDING = 64.0 * np.finfo(np.float64).eps
# Eigenvalues this far below zero are not rounding.
NEGATIVE = 1e-9
# Columns mirrored at a time.
PANEL = 128


class Hull(Protocol):
    """What distances are computed from.

    Attributes
    ----------
    null_squares : ndarray
        Squared part of every support vector in the null space.
    inside : ndarray of bool
        Which of them lie in the affine hull of the others.
    """

    null_squares: FloatArray
    inside: npt.NDArray[np.bool_]

    def least_part(self) -> float:
        """Return the part in the null space below which there is none."""

    def diagonal(self) -> FloatArray:
        """Return the diagonal of P."""

    def inverse(self) -> FloatArray:
        """Return P."""

    def times(self, y: FloatArray) -> FloatArray:
        """Return P y of a vector or of columns."""

    def size(self) -> float:
        """Return the largest eigenvalue of P, or nearly."""

    def distances(self, cross: FloatArray, own: FloatArray) -> FloatArray:
        """Return squared distances from the hull, given k with those on it and with themselves."""

    def nearest(self, P: FloatArray, cross: FloatArray) -> FloatArray:
        """Return the coordinates of the nearest points of the hull, one column each."""


class RegularHull:
    """By Cholesky's factor of K plus a constant, inverted.

    A constant added to all of K changes no distance and makes K positive definite wherever A is
    regular.
    """

    def __init__(self, root: FloatArray, constant: float, largest: float) -> None:
        self._root, self._constant, self._largest = root, constant, largest
        self.null_squares = np.zeros(len(root))
        self.inside = np.zeros(len(root), dtype=bool)
        with one_blas_thread():
            self._solved_ones = root.T @ root.sum(axis=1)
        self._total = float(self._solved_ones.sum())

    @classmethod
    def of(cls, K: FloatArray, ridge: FloatArray) -> RegularHull | None:
        """Return the hull, None where it is not regular."""
        own = np.diagonal(K)
        constant = float(own.mean())
        constant = constant if constant > 0 else 1.0
        G = _empty(len(K))
        np.add(K.T, constant, out=G)
        G[np.diag_indices(len(G))] += ridge
        root = _try_inverse_factor(G)
        if root is None:
            return None
        # The sum of squares is the trace of the inverse.
        largest = float((own + ridge).max()) + constant
        if SINGULAR * largest * float(np.vdot(root.T, root.T)) > 1.0:
            return None
        return cls(root, constant, largest)

    def least_part(self) -> float:
        """Return the part in the null space below which there is none."""
        return max(LEAST_PART, TURNED * self.size() * self._largest)

    def diagonal(self) -> FloatArray:
        """Return the diagonal of P, positive up to rounding."""
        found = np.einsum("kp,kp->p", self._root, self._root)
        own = found - self._solved_ones**2 / self._total
        return np.asarray(np.maximum(own, np.finfo(float).eps * found))

    def inverse(self) -> FloatArray:
        """Return P."""
        with one_blas_thread():
            half = _empty(len(self._root))
            half[...] = self._root
            half, _ = lapack.dlauum(half, lower=1, overwrite_c=1)
            half = blas.dsyr(-1.0 / self._total, self._solved_ones, lower=1, a=half, overwrite_a=1)
        return mirrored(half)

    def times(self, y: FloatArray) -> FloatArray:
        """Return P y."""
        with one_blas_thread():
            found = self._root.T @ (self._root @ y)
        shift = self._solved_ones @ y / self._total
        return np.asarray(found - np.multiply.outer(self._solved_ones, shift))

    def size(self) -> float:
        """Return the largest eigenvalue of P, or nearly: two steps towards its eigenvector."""
        start = np.zeros(len(self._root))
        start[self.diagonal().argmax()] = 1.0
        once = self.times(start)
        length = float(np.linalg.norm(once))
        return float(np.linalg.norm(self.times(once))) / length if length > 0 else 0.0

    def distances(self, cross: FloatArray, own: FloatArray) -> FloatArray:
        """Return squared distances from the hull."""
        cross = cross + self._constant
        with one_blas_thread():
            half = self._root @ cross
        seen = self._solved_ones @ cross
        across = np.einsum("pb,pb->b", half, half) - (seen - 1.0) ** 2 / self._total
        return np.asarray(np.maximum(own + self._constant - across, 0.0))

    def nearest(self, P: FloatArray, cross: FloatArray) -> FloatArray:
        """Return the coordinates of the nearest points of the hull."""
        with one_blas_thread():
            found = P @ (cross + self._constant)
        return np.asarray(found + (self._solved_ones / self._total)[:, None])


@dataclass(frozen=True, eq=False)
class Spectrum:
    """The eigenvalues of JKJ and its null space among the vectors that sum to zero.

    Attributes
    ----------
    values, vectors : ndarray
        Those that are not zero, with their eigenvectors.
    null : ndarray of shape (n, n_zeros)
        A basis of the null space, orthonormal.
    """

    values: FloatArray
    vectors: FloatArray
    null: FloatArray

    @classmethod
    def of(cls, K: FloatArray, ridge: FloatArray) -> Spectrum:
        """Decompose a matrix."""
        n = len(K)
        G = np.array(K)
        G[np.diag_indices(n)] += ridge
        rounding = ROUNDING * float(np.diagonal(G).max())
        G -= G.mean(axis=0)
        G -= G.mean(axis=1)[:, None]
        # The vector of ones, whose eigenvalue is zero, is given the largest.
        lift = 2.0 * float(np.abs(G).sum(axis=1).max()) + rounding
        with one_blas_thread():
            values, vectors = eigh(0.5 * (G + G.T) + lift / n)
        values, vectors = values[:-1], vectors[:, :-1]
        vectors = vectors - vectors.mean(axis=0)
        top = float(values.max(initial=0.0))
        negative = values < -NEGATIVE * top - rounding
        if negative.any():
            raise NotPositiveError(int(negative.sum()))
        zero = values <= SINGULAR * top + rounding
        return cls(values[~zero], vectors[:, ~zero], vectors[:, zero])


class NotPositiveError(ValueError):
    """A kernel has negative eigenvalues."""


class SingularHull:
    """By the eigenvectors of JKJ."""

    def __init__(self, K: FloatArray, ridge: FloatArray, spectrum: Spectrum) -> None:
        self._values = spectrum.values
        self._root = (spectrum.vectors / np.sqrt(spectrum.values)).T
        self._from_mean = (K.sum(axis=1) + ridge) / len(K)
        self._own_mean = float(self._from_mean.mean())
        self.null_squares = np.einsum("pk,pk->p", spectrum.null, spectrum.null)
        self.inside = self.null_squares > self.least_part() ** 2

    def least_part(self) -> float:
        """Return the part in the null space below which there is none."""
        values = self._values
        spread = float(values.max() / values.min()) if len(values) else 1.0
        return max(LEAST_PART, TURNED * spread)

    def diagonal(self) -> FloatArray:
        """Return the diagonal of P."""
        return np.asarray(np.einsum("kp,kp->p", self._root, self._root))

    def inverse(self) -> FloatArray:
        """Return P."""
        with one_blas_thread():
            return np.asarray(self._root.T @ self._root)

    def times(self, y: FloatArray) -> FloatArray:
        """Return P y."""
        with one_blas_thread():
            return np.asarray(self._root.T @ (self._root @ y))

    def size(self) -> float:
        """Return the largest eigenvalue of P."""
        return 1.0 / float(self._values.min()) if len(self._values) else 0.0

    def distances(self, cross: FloatArray, own: FloatArray) -> FloatArray:
        """Return squared distances from the hull, as seen from its mean."""
        seen = cross.mean(axis=0)
        with one_blas_thread():
            half = self._root @ (cross - self._from_mean[:, None])
        found = own - 2.0 * seen + self._own_mean - np.einsum("kb,kb->b", half, half)
        return np.asarray(np.maximum(found, 0.0))

    def nearest(self, P: FloatArray, cross: FloatArray) -> FloatArray:
        """Return the coordinates of the nearest points of the hull, those of least norm."""
        with one_blas_thread():
            return np.asarray(1.0 / len(P) + P @ (cross - self._from_mean[:, None]))


def mirrored(lower: FloatArray) -> FloatArray:
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


def _try_inverse_factor(G: FloatArray) -> FloatArray | None:
    """The inverse factor, in place; None where G is not positive definite."""
    factor, failed = lapack.dpotrf(G, lower=1, overwrite_a=1)
    if failed:
        return None
    root, failed = lapack.dtrtri(factor, lower=1, overwrite_c=1)
    return None if failed else np.asarray(root)
