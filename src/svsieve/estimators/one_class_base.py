"""What the estimators of one class share: training, support vectors, predictions by blocks."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from svsieve.arrays import FloatArray
from svsieve.estimators.pair_solving import FEW_ROWS, FINAL_TOL, refuse_overflow
from svsieve.estimators.svc import PREDICTION_BLOCK_BYTES, in_form_of
from svsieve.estimators.validation import described_rows, prediction_rows, sample_weights
from svsieve.kernels import Kernel, PerFeature
from svsieve.kernels.rows import values_of
from svsieve.machines import DualProblem, DualSolution, Machine, solve
from svsieve.resolve import (
    OneClassSpecification,
    check_iterations,
    check_real,
    resolve_kernel,
)

# Values this share of the largest kernel value apart are the same number rounded in two ways. Rows
# that lie on the boundary are counted as inside, so it is drawn this much wider.
ROUNDING = 1e-13


@dataclass(frozen=True, eq=False)
class Solved:
    """A machine with its program, the solution, and the rows of positive weight it stands on."""

    machine: Any
    problem: DualProblem
    solution: DualSolution
    X: Any
    weights: FloatArray

    def offset(self) -> float:
        """Return the constant of the decision function that leaves no row outside but must be.

        Rows with more to give than they have been asked for are not outside, though the gap that
        is left of the program, or rounding, may say so: the constant is as large as they need.
        """
        problem, b = self.problem, self.solution.coefficients
        inside = (b < problem.upper) | (problem.upper >= problem.total)
        inside &= (problem.upper > 0) & (problem.ridge == 0)
        least = float(self.solution.gradient.min(where=inside, initial=np.inf))
        return max(self.solution.offset, -least)


class DescribesOneClass(OutlierMixin, BaseEstimator):
    """A boundary around the rows of one class, made of kernel values with support vectors."""

    support_: NDArray[np.int32]
    support_vectors_: Any
    n_support_: NDArray[np.int32]
    dual_coef_: FloatArray
    offset_: float
    kernel_: Kernel
    kkt_gap_: float
    n_iter_: int
    fit_status_: int
    shape_fit_: tuple[int, int]
    n_features_in_: int

    def __init__(
        self,
        kernel: str | Kernel,
        nu: float,
        gamma: float | str | PerFeature,
        degree: int,
        coef0: float,
        tol: float,
        max_iter: int,
        cache_size: float,
    ) -> None:
        self.kernel = kernel
        self.nu = nu
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size

    def decision_function(self, X: Any) -> FloatArray:
        """Return how far inside the boundary rows lie.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows to judge.

        Returns
        -------
        ndarray of shape (n_samples,)
            `score_samples` less `offset_`; negative outside.
        """
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Return 1 for rows on or inside the boundary, -1 for those outside.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows to judge.

        Returns
        -------
        ndarray of shape (n_samples,)
            1 or -1.
        """
        return np.where(self.decision_function(X) >= 0, 1, -1)

    def score_samples(self, X: Any) -> FloatArray:
        """Return how typical rows are of the class; the boundary is at `offset_`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows to judge.

        Returns
        -------
        ndarray of shape (n_samples,)
            The larger the more typical.
        """
        check_is_fitted(self, "support_vectors_")
        rows = prediction_rows(self, X)
        step = max(1, PREDICTION_BLOCK_BYTES // (8 * (len(self.support_) + 2)))
        starts = range(0, rows.shape[0], step)
        return np.concatenate([self._typicality(rows[at : at + step], at) for at in starts])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    # ---- what a subclass says

    @abstractmethod
    def _machines(self) -> tuple[Machine, Machine | None]:
        """Return the machine, and the one for rows with known negatives; refuse bad options."""

    @abstractmethod
    def _store(self, solved: Solved) -> None:
        """Keep what predictions need besides the support vectors."""

    @abstractmethod
    def _typicality(self, X: Any, first_row: int = 0) -> FloatArray:
        """Return `score_samples` of a block of checked rows, the first of which is `first_row`."""

    # ---- training

    def _trained(self, X: Any, y: ArrayLike | None, sample_weight: ArrayLike | None) -> Self:
        kernel, (plain, negative) = self._check_parameters()
        name = type(self).__name__ if negative is None else ""
        X, marks = described_rows(self, X, y, without_negatives=name)
        self.shape_fit_ = (len(marks), X.shape[1])
        classes, codes = np.unique(marks, return_inverse=True)
        weights = sample_weights(sample_weight, classes, codes)
        used = np.flatnonzero(weights)
        X, marks, weights = X[used], marks[used], weights[used]
        kernel = kernel.bind(X, row_weights=weights)
        labels = marks.astype(np.float64) if (marks < 0).any() else None
        machine = plain if labels is None or negative is None else negative
        self._check_rows(weights[marks > 0])
        problem, solution = self._solved(machine, kernel, X, labels, weights)
        support = np.flatnonzero(solution.coefficients)
        self.kernel_ = kernel
        self.support_ = used[support].astype(np.int32)
        self.support_vectors_ = X[support]
        self.n_support_ = np.array([len(support)], dtype=np.int32)
        self.dual_coef_ = solution.coefficients[support][None, :]
        self.kkt_gap_, self.n_iter_ = solution.kkt_gap, solution.iterations
        self._store(Solved(machine, problem, solution, X, weights))
        return self

    def _solved(
        self, machine: Machine, kernel: Kernel, X: Any, labels: Any, weights: FloatArray
    ) -> tuple[DualProblem, DualSolution]:
        diagonal = kernel.diagonal_of(X)
        refuse_overflow(diagonal, kernel)
        table = self._table(kernel, X)
        diagonal = diagonal if table is X else kernel.diagonal_of(table)
        problem = machine.problem(diagonal, labels, None if (weights == 1.0).all() else weights)
        solution = solve(
            problem,
            values_of(kernel, table, int(self.cache_size * 2**20)),
            tol=min(self.tol, FINAL_TOL) if len(diagonal) <= FEW_ROWS else self.tol,
            max_iter=self.max_iter,
        )
        self.fit_status_ = int(solution.stopped != "converged" and solution.kkt_gap > self.tol)
        if self.fit_status_:
            warnings.warn(
                f"{type(self).__name__} stopped ({solution.stopped}) after {solution.iterations} "
                f"iterations with a KKT gap of {solution.kkt_gap:.3g}, above tol={self.tol:g}. "
                "Raise max_iter or tol, or scale the columns.",
                ConvergenceWarning,
                stacklevel=4,
            )
        return problem, solution

    def _table(self, kernel: Kernel, X: Any) -> Any:
        """Return the rows that kernel values are taken of."""
        return X

    def _check_rows(self, weights: FloatArray) -> None:
        """Refuse options that do not fit the targets, given their weights."""

    def _kernel_sums(self, X: Any, first_row: int) -> FloatArray:
        """Return sum_k b_k k(x_k, z) for each row z."""
        block = in_form_of(self.support_vectors_, X)
        values = self.kernel_.cross(block, self.support_vectors_, first_row=first_row)
        return np.asarray(values @ self.dual_coef_[0])

    def _specification(self) -> OneClassSpecification:
        """What an elimination solves in the place of this estimator."""
        kernel, (machine, negative) = self._check_parameters()
        return OneClassSpecification(
            kernel=kernel,
            machine=machine,
            tol=float(self.tol),
            max_iter=int(self.max_iter),
            negative_machine=negative,
        )

    def _check_parameters(self) -> tuple[Kernel, tuple[Machine, Machine | None]]:
        """Refuse bad options, all of them, before the data is looked at."""
        owner = type(self).__name__
        machines = self._machines()
        kernel = resolve_kernel(
            self.kernel, gamma=self.gamma, degree=self.degree, coef0=self.coef0, owner=owner
        )
        check_real(owner, "tol", self.tol, above=0.0)
        check_real(owner, "cache_size", self.cache_size, above=0.0)
        check_iterations(owner, self.max_iter)
        return kernel, machines
