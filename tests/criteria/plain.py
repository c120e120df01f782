"""The bounds behind the criteria, written plainly: programs solved anew, matrices inverted whole.

Nothing here knows the library: a bound is a function of a Gram matrix and the labels, and a column
is removed or scaled in the table before the matrix is formed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tests.reference import programs


@dataclass(frozen=True)
class Bounds:
    """The bounds of one machine: "c" for linear slack, "l2" for squared slack."""

    machine: str
    C: float

    @property
    def ridge(self) -> float:
        return 1 / self.C if self.machine == "l2" else 0.0

    def program(self, y: np.ndarray) -> programs.Program:
        return programs.c_svm(y, self.C) if self.machine == "c" else programs.l2_svm(y, self.ridge)

    def coefficients(self, K: np.ndarray, y: np.ndarray) -> np.ndarray:
        return programs.refine(K, self.program(y))

    def centre(self, K: np.ndarray) -> np.ndarray:
        return programs.refine(K, programs.sphere(np.diag(K), self.ridge))

    # ---- parts of the bounds for given coefficients

    def norm(self, K: np.ndarray, u: np.ndarray) -> float:
        """||w||^2, with the ridge."""
        return float(u @ K @ u + self.ridge * (u @ u))

    def penalty(self, K: np.ndarray, u: np.ndarray) -> float:
        """2 C sum(xi) of linear slack, by the duality of the trained machine."""
        if self.machine == "l2":
            return 0.0
        return float(2 * np.abs(u).sum() - 2 * (u @ K @ u))

    def radius(self, K: np.ndarray, b: np.ndarray) -> float:
        full = K + self.ridge * np.eye(len(K))
        return float(b @ np.diag(full) - b @ full @ b)

    def dual(self, K: np.ndarray, u: np.ndarray) -> float:
        """2 sum(alpha) - u'Ku, with the ridge: at the optimum ||w||^2 and its penalty."""
        return float(2 * np.abs(u).sum()) - self.norm(K, u)

    def radius_margin(self, K, b, norm: float) -> float:
        if self.machine == "l2":
            return self.radius(K, b) * norm
        return (self.radius(K, b) + 1 / self.C) * norm / len(K)

    def spans(self, K: np.ndarray, u: np.ndarray) -> np.ndarray:
        """S_p^2 of the rows with a coefficient, zero elsewhere."""
        alpha = np.abs(u)
        used = np.flatnonzero(alpha > 1e-9 * alpha.max())
        at_bound = (self.machine == "c") & (alpha > self.C * (1 - 1e-9))
        free = np.array([p for p in used if not at_bound[p]])
        squares = np.zeros(len(K))
        A = self._bordered(K, free)
        P = np.linalg.inv(A)
        for p in used:
            if p in free:
                squares[p] = 1 / P[list(free).index(p), list(free).index(p)]
            else:
                kappa = np.r_[K[free, p], 1.0]
                squares[p] = K[p, p] - kappa @ P @ kappa
        return squares

    def _bordered(self, K: np.ndarray, rows: np.ndarray) -> np.ndarray:
        A = np.ones((len(rows) + 1, len(rows) + 1))
        A[:-1, :-1] = K[np.ix_(rows, rows)] + self.ridge * np.eye(len(rows))
        A[-1, -1] = 0
        return A

    def span(self, K: np.ndarray, u: np.ndarray) -> float:
        return float(np.abs(u) @ self.spans(K, u))

    # ---- trained bounds as functions of the Gram matrix alone

    def trained(self, name: str, y: np.ndarray) -> Callable[[np.ndarray], float]:
        def value(K: np.ndarray) -> float:
            u = self.coefficients(K, y)
            if name == "span":
                return self.span(K, u)
            if name == "weight":
                return self.norm(K, u) + self.penalty(K, u)
            b = np.full(len(K), 1 / len(K)) if name == "variance margin" else self.centre(K)
            return self.radius_margin(K, b, self.norm(K, u) + self.penalty(K, u))

        return value

    def frozen(
        self, name: str, K: np.ndarray, y: np.ndarray, b: np.ndarray | None = None
    ) -> Callable[[np.ndarray], float]:
        """The bound on another Gram matrix, with the coefficients of this one; norms are duals.

        The centre `b` of the sphere may be given: on few dimensions it may not be unique.
        """
        u = self.coefficients(K, y)
        if name == "span":
            return lambda other: self.span(other, u)
        if name == "variance margin":
            b = np.full(len(K), 1 / len(K))
        elif b is None:
            b = self.centre(K)
        else:
            assert abs(self.radius(K, b) - self.radius(K, self.centre(K))) < 1e-10 * len(K)
        return lambda other: self.radius_margin(other, b, self.dual(other, u))


def derivative(f: Callable[[float], float], step: float = 1e-4) -> float:
    """Fourth-order central difference at zero."""
    return (8 * (f(step) - f(-step)) - (f(2 * step) - f(-2 * step))) / (12 * step)


def scaled(X: np.ndarray, column: int, log_factor: float) -> np.ndarray:
    out = X.copy()
    out[:, column] *= np.exp(log_factor)
    return out
