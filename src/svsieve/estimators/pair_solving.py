"""Solving the two-class problems of a classifier on one table, and judging the solutions."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from svsieve.arrays import FloatArray
from svsieve.kernels import Kernel
from svsieve.kernels.rows import values_of
from svsieve.machines import BinaryTask, CSvm, DualSolution, L2Svm, solve, solve_each

# A problem of few rows costs so little that it is always solved to the last digits: its decision
# values then depend on the data alone, not on the order of the rows or the path of the solver.
FEW_ROWS = 200
FINAL_TOL = 1e-12


def solve_pairs(
    tasks: Sequence[BinaryTask],
    machine: CSvm | L2Svm,
    kernel: Kernel,
    X: Any,
    weights: FloatArray,
    *,
    tol: float,
    max_iter: int,
    cache_bytes: int,
) -> list[DualSolution]:
    """Return one solution per task; kernel values are shared by the tasks where they fit."""
    diagonal = kernel.diagonal_of(X)
    refuse_overflow(diagonal, kernel)
    shared = values_of(kernel, X, cache_bytes)
    tolerances = [min(tol, FINAL_TOL) if len(task.rows) <= FEW_ROWS else tol for task in tasks]
    if len(tasks) > 1 and isinstance(shared, np.ndarray):
        rows = np.concatenate([task.rows for task in tasks])
        labels = np.concatenate([task.labels for task in tasks])
        return solve_each(
            machine.problem(diagonal[rows], labels, weights[rows]),
            shared,
            rows,
            [len(task.rows) for task in tasks],
            tol=tolerances,
            max_iter=max_iter,
        )
    return [
        solve(
            machine.problem(diagonal[task.rows], task.labels, weights[task.rows]),
            shared if len(tasks) == 1 else values_of(kernel, X[task.rows], cache_bytes),
            tol=tolerance,
            max_iter=max_iter,
        )
        for task, tolerance in zip(tasks, tolerances, strict=True)
    ]


def judge_pairs(
    tasks: Sequence[BinaryTask],
    solutions: Sequence[DualSolution],
    classes: NDArray[Any],
    *,
    owner: str,
    C: float,
    tol: float,
) -> bool:
    """Refuse a problem without solution; tell whether all reached the gap, and warn where not."""
    labels = classes.tolist()
    for task, solution in zip(tasks, solutions, strict=True):
        if solution.stopped == "unbounded":
            classes_named = f"class {labels[task.positive]!r} from {labels[task.negative]!r}"
            reason = (
                f"The hard margin (C=inf) has no solution: this kernel cannot "
                f"separate {classes_named}. Use a finite C."
                if math.isinf(C)
                else f"The problem that tells {classes_named} has no solution: the kernel is "
                "not positive semi-definite. Use slack='l1' or another kernel."
            )
            raise ValueError(reason)
    worst = max(solutions, key=lambda solution: solution.kkt_gap)
    if worst.stopped != "converged" and worst.kkt_gap > tol:
        warnings.warn(
            f"{owner} stopped ({worst.stopped}) after {worst.iterations} iterations with a KKT "
            f"gap of {worst.kkt_gap:.3g}, above tol={tol:g}. Raise max_iter or tol, or "
            "scale the columns.",
            ConvergenceWarning,
            stacklevel=3,
        )
        return False
    return True


def refuse_overflow(diagonal: FloatArray, kernel: Kernel) -> None:
    """Refuse rows whose kernel value with themselves leaves the range of double precision."""
    wrong = ~np.isfinite(diagonal)
    if wrong.any():
        raise ValueError(
            f"The kernel value of row {int(np.argmax(wrong))} with itself is not finite under "
            f"{kernel!r}. Scale the columns, or lower gamma or the degree."
        )
