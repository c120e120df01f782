"""Two-class support vector machines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from svsieve.arrays import FloatArray, float_vector
from svsieve.kernels import PairWeights
from svsieve.machines.problem import DualProblem, DualSolution


def _check_penalty(value: float, owner: str) -> None:
    if not value > 0:
        raise ValueError(f"C of {owner} must be a positive number or infinity. Got {value!r}.")


def signs(labels: npt.ArrayLike | None, n: int, owner: str) -> FloatArray:
    """Return labels as +1.0 and -1.0, refusing anything else."""
    if labels is None:
        raise ValueError(f"{owner} needs labels.")
    y = float_vector(labels, "labels", n)
    other = y[np.abs(y) != 1.0]
    if len(other):
        raise ValueError(f"labels of {owner} must be +1 or -1. Got {other[0]:g}.")
    return y


def weights_per_row(row_weights: npt.ArrayLike | None, n: int) -> FloatArray:
    """Return row weights, ones by default, refusing negative ones."""
    if row_weights is None:
        return np.ones(n)
    weights = float_vector(row_weights, "row_weights", n)
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(bad):
        raise ValueError(
            f"row_weights must be finite and not negative. Row {bad[0]} has {weights[bad[0]]}."
        )
    return weights


def _labelled_rows(
    diagonal: npt.ArrayLike,
    labels: npt.ArrayLike | None,
    row_weights: npt.ArrayLike | None,
    owner: str,
) -> tuple[FloatArray, FloatArray]:
    """Return labels and weights, one per diagonal entry, refusing rows of a single class."""
    n = len(float_vector(diagonal, "diagonal"))
    y, weights = signs(labels, n, owner), weights_per_row(row_weights, n)
    for sign in (1.0, -1.0):
        if not (weights[y == sign] > 0).any():
            raise ValueError(f"{owner} needs rows of both classes. None with weight has {sign:+g}.")
    return y, weights


class _BinarySvm:
    """What both machines share: the value 2 D* and its dependence on the Gram matrix."""

    def value(self, solution: DualSolution, problem: DualProblem) -> float:
        """Return twice the dual optimum: ||w||^2 plus twice the penalty on the slacks."""
        return -2.0 * solution.objective

    def pair_weights(self, solution: DualSolution) -> PairWeights:
        """Return M = -b b': by the envelope theorem, d(2 D*) = -b' dK b."""
        return PairWeights.outer(solution.coefficients, scale=-1.0)


@dataclass(frozen=True)
class CSvm(_BinarySvm):
    """min 1/2 ||w||^2 + sum_k C_k xi_k: linear slack, bounds C_k on the coefficients.

    Parameters
    ----------
    C : float, default=1.0
        Positive; infinite for the hard margin. Row weights multiply it.

    Examples
    --------
    >>> from svsieve.machines import CSvm
    >>> CSvm(C=2.0).problem([1.0, 1.0], labels=[1, -1]).upper
    array([2., 0.])
    """

    C: float = 1.0

    def __post_init__(self) -> None:
        _check_penalty(self.C, "CSvm")

    def problem(
        self,
        diagonal: npt.ArrayLike,
        labels: npt.ArrayLike | None = None,
        row_weights: npt.ArrayLike | None = None,
    ) -> DualProblem:
        """Return the dual: b = y alpha between 0 and C y, summing to zero."""
        y, weights = _labelled_rows(diagonal, labels, row_weights, "CSvm")
        n = len(y)
        # A row of weight 0 stays at 0 whatever C is.
        bound = y * np.multiply(self.C, weights, out=np.zeros(n), where=weights > 0)
        return DualProblem(-y, np.minimum(bound, 0.0), np.maximum(bound, 0.0), 0.0, np.zeros(n))


@dataclass(frozen=True)
class L2Svm(_BinarySvm):
    """min 1/2 ||w||^2 + 1/2 sum_k C_k xi_k^2: squared slack, a ridge 1 / C_k on the diagonal.

    Parameters
    ----------
    C : float, default=1.0
        Positive; infinite for the hard margin. Row weights multiply it.

    Notes
    -----
    Packages that write C sum xi^2 mean half of this C.

    Examples
    --------
    >>> from svsieve.machines import L2Svm
    >>> L2Svm(C=4.0).problem([1.0, 1.0], labels=[1, -1]).ridge
    array([0.25, 0.25])
    """

    C: float = 1.0

    def __post_init__(self) -> None:
        _check_penalty(self.C, "L2Svm")

    def problem(
        self,
        diagonal: npt.ArrayLike,
        labels: npt.ArrayLike | None = None,
        row_weights: npt.ArrayLike | None = None,
    ) -> DualProblem:
        """Return the dual: b has the sign of y and no other bound; a row of weight 0 stays at 0."""
        y, weights = _labelled_rows(diagonal, labels, row_weights, "L2Svm")
        n = len(y)
        used = weights > 0
        ridge = np.divide(1.0 / self.C, weights, out=np.zeros(n), where=used)
        bound = np.multiply(y, np.inf, out=np.zeros(n), where=used)
        return DualProblem(-y, np.minimum(bound, 0.0), np.maximum(bound, 0.0), 0.0, ridge)
