"""Machines that are solved on fewer and fewer columns, without starting anew each time.

What depends on the columns is carried along: the kernel matrix of the training rows and that
between held-out and training rows, from which the dropped columns are subtracted, and the solution,
from which the next one starts. A linear machine on many rows is carried along in its weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    PowerTransformer,
    RobustScaler,
    StandardScaler,
)
from sklearn.svm import SVC, LinearSVC

from svsieve.arrays import FloatArray, IndexArray, Table, float_table
from svsieve.elimination.engines.kernel import decision_values
from svsieve.elimination.parts import Task
from svsieve.kernels import KernelState, Linear
from svsieve.kernels.cross_state import CrossState
from svsieve.machines import L2Svm, LinearPrimal, solve
from svsieve.resolve import Specification, resolve_estimator
from svsieve.resolve.estimators import Specifies, overrides
from svsieve.resolve.fitting import fit_weights, on_columns

# Scalers that treat every column by itself: fitted on all columns or on some, it is the same.
COLUMN_BY_COLUMN = (StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler, PowerTransformer)

# Scores must not depend on the size that a solution was started from. As in svsieve.SVC, problems
# of few rows are solved to the last digits.
TOL = 1e-5
FEW_ROWS = 200
FINAL_TOL = 1e-12

# Beyond these many rows the matrices are no longer held whole.
MOST_ROWS = 8000

# Linear machines on dense tables with this many rows, and this many for each column, are followed
# in their weights; those of liblinear with squared slack on any dense table.
LEAST_TALL_ROWS = 500
LEAST_ROWS_PER_COLUMN = 10


@dataclass(frozen=True)
class Plan:
    """An estimator whose fits can be followed while columns are dropped.

    Attributes
    ----------
    scalers : tuple of transformers
        To be fitted to the training rows, each column by itself.
    machine : estimator
    specification : Specification
    by_weights : bool
        Whether a linear machine is followed in its weights rather than by kernel values.
    """

    scalers: tuple[Any, ...]
    machine: Any
    specification: Specification
    by_weights: bool = False

    @classmethod
    def of(cls, estimator: Any, X: Any, n_rows: int, n_columns: int) -> Plan | None:
        """Return how to follow the estimator; None where it is as well, or better, refitted.

        Parameters
        ----------
        estimator : estimator
        X : table or data frame
        n_rows, n_columns : int
            How much of X is trained on at most.
        """
        scalers: list[Any] = []
        while isinstance(estimator, Pipeline):
            for _, step in estimator.steps[:-1]:
                if step is None or (isinstance(step, str) and step == "passthrough"):
                    continue
                if type(step) not in COLUMN_BY_COLUMN:
                    return None
                scalers.append(step)
            estimator = estimator.steps[-1][1]
        if not _behaves_as_specified(estimator):
            return None
        try:
            specification = resolve_estimator(estimator, owner="validate")
        except ValueError:
            return None  # an option that only the estimator itself knows, or refuses
        if specification.max_iter != -1:
            return None
        linear = type(specification.kernel) is Linear and np.isfinite(specification.machine.C)
        tall = n_rows >= max(LEAST_TALL_ROWS, LEAST_ROWS_PER_COLUMN * n_columns)
        of_liblinear = specification.bias is not None
        smooth = of_liblinear and isinstance(specification.machine, L2Svm)
        if linear and (tall or smooth) and not sparse.issparse(X):
            return cls(tuple(scalers), estimator, specification, by_weights=True)
        if n_rows > MOST_ROWS or of_liblinear:
            return None  # liblinear, which does without a matrix, is hard to beat here
        return cls(tuple(scalers), estimator, specification)

    def on(self, columns: IndexArray) -> Plan:
        """Return the plan for a table of some columns."""
        kernel = on_columns(self.specification.kernel, columns)
        return replace(self, specification=replace(self.specification, kernel=kernel))

    def scaled(
        self, X: Table, Z: Table, y: NDArray[Any], sample_weight: FloatArray | None
    ) -> tuple[Table, Table]:
        """Return training and held-out rows after the scalers, which see the training rows only."""
        for scaler in self.scalers:
            fitted = clone(scaler).set_output(transform="default")
            X = fitted.fit(X, y, **fit_weights(fitted, sample_weight)).transform(X)
            Z = fitted.transform(Z)
        return float_table(X, "X after scaling"), float_table(Z, "X after scaling")

    def follow(
        self, X: Table, Z: Table, tasks: Sequence[Task], row_weights: FloatArray | None
    ) -> Followed:
        """Return the machines on all columns of the training rows X."""
        if self.by_weights:
            return FollowedWeights(self.specification, X, Z, tasks)
        return FollowedKernel(self.specification, X, Z, tasks, row_weights)


def _behaves_as_specified(machine: Any) -> bool:
    """Tell whether fits and decisions are those of the machine specified, nothing overridden."""
    kind = type(machine)
    if kind is SVC:
        return machine.probability in (False, "deprecated")
    if kind is LinearSVC:
        return True
    if isinstance(machine, type) or not isinstance(machine, Specifies):
        return False
    return not overrides(machine, ("fit", "predict", "decision_function"))


@dataclass(frozen=True, eq=False)
class Decisions:
    """What the machines on some columns say.

    Attributes
    ----------
    train, held_out : ndarray of shape (n_rows, n_problems)
    kkt_gap : float
        The largest of the problems that were not solved to the tolerance; 0 if there is none.
    """

    train: FloatArray
    held_out: FloatArray
    kkt_gap: float


class Followed(Protocol):
    """Machines on the columns that are left."""

    def decisions(self) -> Decisions:
        """Solve, and judge training rows and held-out rows."""

    def drop(self, columns: IndexArray) -> None:
        """Leave out columns, named by their original indices."""


class FollowedKernel:
    """Machines of any kernel, on the matrices of kernel values."""

    def __init__(
        self,
        specification: Specification,
        X: Table,
        Z: Table,
        tasks: Sequence[Task],
        row_weights: FloatArray | None,
    ) -> None:
        self._specification = specification
        kernel = specification.kernel
        if type(kernel) is Linear and isinstance(X, np.ndarray):
            # Coefficients sum to zero: centring changes no decision and saves digits.
            mean = X.mean(axis=0)
            X, Z = X - mean, Z - mean
        self._tasks = tasks
        self._state = KernelState(kernel, X, row_weights=row_weights)
        self._cross = CrossState(kernel, Z, X)
        self._starts: list[FloatArray | None] = [None] * len(tasks)

    def drop(self, columns: IndexArray) -> None:
        """Leave out columns, named by their original indices."""
        self._state.drop(columns)
        self._cross.drop(columns)

    def decisions(self) -> Decisions:
        """Solve, and judge training rows and held-out rows."""
        solved = [self._solve(q, task) for q, task in enumerate(self._tasks)]
        U = np.column_stack([coefficients for coefficients, *_ in solved])
        offsets = np.array([offset for _, offset, *_ in solved])
        train = np.column_stack([values for _, _, values, _ in solved])
        support = np.flatnonzero(U.any(axis=1))
        held_out = self._cross.values(self._state.kernel, support) @ U[support] + offsets
        return Decisions(train, held_out, max(gap for *_, gap in solved))

    def _solve(self, q: int, task: Task) -> tuple[FloatArray, float, FloatArray, float]:
        """Coefficients over all rows, offset, decision values of all rows, gap if too large."""
        gram = self._state.gram()
        rows = np.arange(len(gram)) if task.rows is None else task.rows
        whole = len(rows) == len(gram)
        part = gram if whole else gram[np.ix_(rows, rows)]
        machine = self._specification.machine
        problem = machine.problem(np.diagonal(part), task.labels, task.weights)
        tol = self._specification.tol
        wanted = min(tol, FINAL_TOL if problem.n_rows <= FEW_ROWS else TOL)
        solution = solve(problem, part, start=self._starts[q], tol=wanted)
        if solution.stopped == "unbounded":
            raise ValueError(
                f"{machine!r} has no solution on {self._state.n_kept} columns: "
                "the rows of the two classes cannot be separated. Use a finite C."
            )
        self._starts[q] = solution.coefficients
        gap = solution.kkt_gap if solution.kkt_gap > tol else 0.0
        if whole:
            values = decision_values(problem, solution)
            return solution.coefficients, solution.offset, values, gap
        u = np.zeros(len(gram))
        u[rows] = solution.coefficients
        return u, solution.offset, gram @ u + solution.offset, gap


class FollowedWeights:
    """Linear machines on many rows, in their weights."""

    def __init__(
        self, specification: Specification, X: Table, Z: Table, tasks: Sequence[Task]
    ) -> None:
        kernel: Any = specification.kernel
        self._X, self._Z = kernel.scaled(X), kernel.scaled(Z)
        self._tol = specification.tol
        self._tasks = tasks
        self._machines = [
            LinearPrimal(
                self._X if task.rows is None else self._X[task.rows],
                np.asarray(task.labels),
                specification.machine,
                task.weights,
                bias=specification.bias,
            )
            for task in tasks
        ]

    def drop(self, columns: IndexArray) -> None:
        """Leave out columns, named by their original indices."""
        for machine in self._machines:
            machine.drop(columns)

    def decisions(self) -> Decisions:
        """Solve, and judge training rows and held-out rows."""
        solved = [machine.solve(min(self._tol, TOL)) for machine in self._machines]
        W = np.zeros((self._X.shape[1], len(solved)))
        for q, (machine, one) in enumerate(zip(self._machines, solved, strict=True)):
            W[machine.kept, q] = one.weights
        offsets = np.array([one.offset for one in solved])
        if all(task.rows is None for task in self._tasks):
            train = np.column_stack([one.values for one in solved])
        else:
            train = self._X @ W + offsets
        gap = max(one.kkt_gap for one in solved)
        return Decisions(train, self._Z @ W + offsets, gap if gap > self._tol else 0.0)
