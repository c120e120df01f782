"""One-class machines: a half-space or a sphere around the rows. Coefficients sum to one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from svsieve.arrays import FloatArray, float_vector
from svsieve.kernels import PairWeights
from svsieve.machines.classifiers import signs, weights_per_row
from svsieve.machines.problem import DualProblem, DualSolution


def squared_radius(solution: DualSolution, problem: DualProblem) -> float:
    """Return R^2 = b'(K + Diag(ridge)) b + 2 offset of a sphere machine."""
    b = solution.coefficients
    return float(b @ (solution.gradient - problem.linear)) + 2.0 * solution.offset


class Sphere:
    """What the sphere machines share: the value D* and its dependence on the Gram matrix.

    Both depend on distances alone: a column shifted, or rows centred in feature space, change
    nothing.
    """

    def value(self, solution: DualSolution, problem: DualProblem) -> float:
        """Return D* = sum_k b_k K_kk - b'Kb: R^2 plus the penalty on the slacks."""
        return -2.0 * solution.objective

    def pair_weights(self, solution: DualSolution) -> PairWeights:
        """Return M = Diag(b) - b b'."""
        return PairWeights.covariance(solution.coefficients)

    def squared_radius(self, solution: DualSolution, problem: DualProblem) -> float:
        """Return R^2 = b'Kb + 2 offset."""
        return squared_radius(solution, problem)


def _check_share(nu: float, owner: str) -> None:
    if not 0.0 < nu <= 1.0:
        raise ValueError(f"nu of {owner} must lie in (0, 1]. Got {nu!r}.")


def _normalised_weights(row_weights: npt.ArrayLike | None, n: int) -> FloatArray:
    """Row weights with mean one, so that nu keeps its meaning."""
    weights = weights_per_row(row_weights, n)
    total = float(weights.sum())
    if not total > 0:
        raise ValueError("row_weights must not all be zero.")
    return weights * (n / total)


def _scale(own: FloatArray) -> float:
    """The unit of a squared radius: gaps of sphere machines are relative to it."""
    largest = float(own.max())
    return largest if largest > 0 else 1.0


@dataclass(frozen=True)
class OneClass:
    """Schölkopf's nu machine: min 1/2 ||w||^2 - rho + 1/(nu n) sum xi.

    Parameters
    ----------
    nu : float, default=0.5
        In (0, 1]: at most this share of rows lies outside, at least this share supports.

    Examples
    --------
    >>> from svsieve.machines import OneClass
    >>> OneClass(nu=0.5).problem([1.0, 1.0]).upper
    array([1., 1.])
    """

    nu: float = 0.5

    def __post_init__(self) -> None:
        _check_share(self.nu, "OneClass")

    def problem(
        self,
        diagonal: npt.ArrayLike,
        labels: npt.ArrayLike | None = None,
        row_weights: npt.ArrayLike | None = None,
    ) -> DualProblem:
        """Return the dual: 0 <= b <= 1 / (nu n)."""
        n = len(float_vector(diagonal, "diagonal"))
        upper = _normalised_weights(row_weights, n) / (self.nu * n)
        zeros = np.zeros(n)
        return DualProblem(zeros, zeros, upper, 1.0, zeros, gap_unit=self.nu * n)

    def value(self, solution: DualSolution, problem: DualProblem) -> float:
        """Return 1/2 ||w||^2."""
        return solution.objective

    def pair_weights(self, solution: DualSolution) -> PairWeights:
        """Return M = 1/2 b b'."""
        return PairWeights.outer(solution.coefficients, scale=0.5)


@dataclass(frozen=True)
class Svdd(Sphere):
    """Support vector data description: min R^2 + C sum xi over spheres around the rows.

    Parameters
    ----------
    C : float, optional
        At least 1 / n_rows; from 1 on the sphere is rigid.
    nu : float, optional
        In (0, 1], instead of C: C = 1 / (nu n).

    Notes
    -----
    A row of weight k counts as k rows: its C is k times as large, and with nu so is its share of n.

    Examples
    --------
    >>> from svsieve.machines import Svdd
    >>> Svdd(nu=0.5).problem([1.0, 1.0]).upper
    array([1., 1.])
    """

    C: float | None = None
    nu: float | None = None

    def __post_init__(self) -> None:
        if (self.C is None) == (self.nu is None):
            raise ValueError("Svdd takes either C or nu.")
        if self.nu is not None:
            _check_share(self.nu, "Svdd")
        elif not (self.C is not None and self.C > 0):
            raise ValueError(f"C of Svdd must be positive. Got {self.C!r}.")

    def problem(
        self,
        diagonal: npt.ArrayLike,
        labels: npt.ArrayLike | None = None,
        row_weights: npt.ArrayLike | None = None,
    ) -> DualProblem:
        """Return the dual: linear = -diag(K)/2, 0 <= b <= C."""
        own = float_vector(diagonal, "diagonal")
        n = len(own)
        bound = self.C if self.C is not None else 1.0 / ((self.nu or 1.0) * n)
        by_share = self.nu is not None
        weights = (_normalised_weights if by_share else weights_per_row)(row_weights, n)
        upper = np.multiply(bound, weights, out=np.zeros(n), where=weights > 0)
        if upper.sum() < 1.0 - 1e-9:
            total = float(weights.sum())
            raise ValueError(
                f"C of Svdd must be at least 1 / rows = {1.0 / max(total, 1e-300):.6g} for "
                f"{total:g} rows. Got {bound!r}."
            )
        unit = min(float(n), max(1.0, 1.0 / bound)) / _scale(own)
        return DualProblem(-0.5 * own, np.zeros(n), upper, 1.0, np.zeros(n), gap_unit=unit)


@dataclass(frozen=True)
class EnclosingSphere(Sphere):
    """The smallest sphere that holds all rows, of K + ridge I.

    Parameters
    ----------
    ridge : float, default=0.0
        1 / C for the sphere that goes with an `L2Svm`.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.kernels import Linear
    >>> from svsieve.machines import EnclosingSphere, solve
    >>> gram = Linear().gram(np.array([[0.0], [1.0], [4.0]]))
    >>> machine = EnclosingSphere()
    >>> problem = machine.problem(np.diag(gram))
    >>> round(machine.value(solve(problem, gram), problem), 9)
    4.0
    """

    ridge: float = 0.0

    def __post_init__(self) -> None:
        if not (np.isfinite(self.ridge) and self.ridge >= 0):
            raise ValueError(
                f"ridge of EnclosingSphere must be finite and not negative. Got {self.ridge!r}."
            )

    def problem(
        self,
        diagonal: npt.ArrayLike,
        labels: npt.ArrayLike | None = None,
        row_weights: npt.ArrayLike | None = None,
    ) -> DualProblem:
        """Return the dual: linear = -(diag(K) + ridge)/2, b >= 0. A row of weight 0 is left out.

        A row of weight k is k rows at the same place, which the ridge tells apart: they share their
        weight in the centre evenly, so its square costs a k-th.
        """
        own = float_vector(diagonal, "diagonal") + self.ridge
        n = len(own)
        weights = weights_per_row(row_weights, n)
        used = weights > 0
        upper = np.where(used, np.inf, 0.0)
        ridge = np.divide(self.ridge, weights, out=np.zeros(n), where=used)
        return DualProblem(-0.5 * own, np.zeros(n), upper, 1.0, ridge, gap_unit=1.0 / _scale(own))


@dataclass(frozen=True)
class NegativeSvdd(Sphere):
    """SVDD with known outliers: targets inside the sphere, rows labelled -1 outside.

    min R^2 + C_target sum_targets xi + C_outlier sum_outliers xi, with distances from the centre of
    at most R^2 + xi for targets and at least R^2 - xi for outliers.

    Parameters
    ----------
    C_target : float, optional
        Penalty of targets outside; times the number of targets at least 1.
    C_outlier : float, optional
        Penalty of outliers inside; that of targets by default.
    nu : float, optional
        In (0, 1], instead of C_target: C_target = 1 / (nu targets).

    Examples
    --------
    >>> from svsieve.machines import NegativeSvdd
    >>> NegativeSvdd(0.6, 0.3).problem([1.0, 1.0, 1.0], labels=[1, -1, 1]).lower
    array([ 0. , -0.3,  0. ])
    """

    C_target: float | None = None
    C_outlier: float | None = None
    nu: float | None = None

    def __post_init__(self) -> None:
        if (self.C_target is None) == (self.nu is None):
            raise ValueError("NegativeSvdd takes either C_target or nu.")
        if self.nu is not None:
            _check_share(self.nu, "NegativeSvdd")
        for name in ("C_target", "C_outlier"):
            value = getattr(self, name)
            if value is not None and not (np.isfinite(value) and value > 0):
                raise ValueError(f"{name} of NegativeSvdd must be positive. Got {value!r}.")

    def problem(
        self,
        diagonal: npt.ArrayLike,
        labels: npt.ArrayLike | None = None,
        row_weights: npt.ArrayLike | None = None,
    ) -> DualProblem:
        """Return the dual: targets in [0, C_target], outliers in [-C_outlier, 0]."""
        own = float_vector(diagonal, "diagonal")
        n = len(own)
        t = signs(labels, n, "NegativeSvdd")
        weights = weights_per_row(row_weights, n)
        targets = float(weights[t > 0].sum())
        if not targets > 0:
            raise ValueError("NegativeSvdd needs a target: a row of positive weight labelled +1.")
        C_target = self.C_target or 1.0 / ((self.nu or 1.0) * targets)
        C_outlier = C_target if self.C_outlier is None else self.C_outlier
        upper = np.where(t > 0, C_target * weights, 0.0)
        lower = np.where(t < 0, -C_outlier * weights, 0.0)
        if upper.sum() < 1.0 - 1e-9:
            raise ValueError(
                "C_target of NegativeSvdd times the targets must be at least 1. "
                f"Got {upper.sum():.6g}."
            )
        unit = min(float(n), max(1.0, 1.0 / C_target)) / _scale(own)
        return DualProblem(-0.5 * own, lower, upper, 1.0, np.zeros(n), gap_unit=unit)


@dataclass(frozen=True)
class SquaredSvdd(Sphere):
    """SVDD with squared slack, also around known outliers: min R^2 + sum_k C_k xi_k^2.

    Distances from the centre are at most R^2 + xi_k for targets and at least R^2 - xi_k for rows
    labelled -1. At the optimum ``xi_k = |b_k| / (2 C_k)``: every support vector lies off the
    sphere.

    Parameters
    ----------
    C : float
        Penalty of targets outside. Row weights multiply it.
    C_outlier : float, optional
        Penalty of outliers inside; C by default.

    Examples
    --------
    >>> from svsieve.machines import SquaredSvdd
    >>> SquaredSvdd(C=0.5).problem([1.0, 1.0]).ridge
    array([0.5, 0.5])
    """

    C: float
    C_outlier: float | None = None

    def __post_init__(self) -> None:
        for name in ("C", "C_outlier"):
            value = getattr(self, name)
            if value is not None and not (np.isfinite(value) and value > 0):
                raise ValueError(f"{name} of SquaredSvdd must be positive. Got {value!r}.")

    def problem(
        self,
        diagonal: npt.ArrayLike,
        labels: npt.ArrayLike | None = None,
        row_weights: npt.ArrayLike | None = None,
    ) -> DualProblem:
        """Return the dual: a ridge 1 / (4 C_k), targets b >= 0, outliers b <= 0."""
        own = float_vector(diagonal, "diagonal")
        n = len(own)
        t = np.ones(n) if labels is None else signs(labels, n, "SquaredSvdd")
        weights = weights_per_row(row_weights, n)
        used = weights > 0
        if not (used & (t > 0)).any():
            raise ValueError("SquaredSvdd needs a target: a row of positive weight.")
        C = np.where(t > 0, self.C, self.C if self.C_outlier is None else self.C_outlier)
        ridge = np.divide(0.25, C * weights, out=np.zeros(n), where=used)
        upper = np.where(used & (t > 0), np.inf, 0.0)
        lower = np.where(used & (t < 0), -np.inf, 0.0)
        return DualProblem(-0.5 * own, lower, upper, 1.0, ridge, gap_unit=1.0 / _scale(own))

    def squared_radius(self, solution: DualSolution, problem: DualProblem) -> float:
        """Return R^2 = b'Kb + 2 offset, the ridge left out: it is the slack's, not the sphere's."""
        b = solution.coefficients
        return squared_radius(solution, problem) - float(b @ (problem.ridge * b))
