"""Elimination written plainly: at every step all matrices are formed and all programs solved anew.

Nothing is carried from one step to the next, a column is worth what deleting it changes, and the
programs are solved by `programs.refine`. Ties follow the rule of `tests.elimination.plain_order`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from tests.elimination.plain_order import plain_order
from tests.reference import kernels, programs

#: What scores are known to, see `svsieve.criteria.WeightNorm.resolution`.
RESOLUTION = 1e-11


@dataclass(frozen=True)
class Problem:
    """Some rows of the table with their labels, and the program that they make."""

    rows: np.ndarray
    labels: np.ndarray
    program: programs.Program


@dataclass(frozen=True)
class Walk:
    """All that a walk has to say, step by step."""

    dropped: list[list[int]] = field(default_factory=list)
    tables: list[dict[int, float]] = field(default_factory=list)  # every column left: its score
    tied: list[bool] = field(default_factory=list)
    survivors: list[int] = field(default_factory=list)  # best first

    @property
    def order(self) -> list[int]:
        gone = [column for step in self.dropped for column in step]
        return self.survivors + gone[::-1]

    @property
    def scores(self) -> np.ndarray:
        """Of the columns dropped, in the order of leaving."""
        steps = zip(self.dropped, self.tables, strict=False)
        return np.array([table[column] for step, table in steps for column in step])


def problems(tasks, machine: str, C: float) -> list[Problem]:
    """The programs of tasks with rows, labels and weights; `machine` is "c" or "l2"."""
    made = []
    for rows, labels, weights in tasks:
        w = np.ones(len(rows)) if weights is None else weights
        if machine == "c":
            program = programs.c_svm(labels, C, w)
        else:
            program = programs.l2_svm(labels, 1 / (C * w))
        made.append(Problem(rows, labels, program))
    return made


def column_scores(kernel: kernels.Kernel, X: np.ndarray, problem: Problem, order: int):
    """What each column of X is worth to a problem, and the coefficients that say so."""
    own = X[problem.rows]
    K = kernels.gram(kernel, own)
    b = programs.refine(K, problem.program)
    M = np.outer(b, b)
    if order == 1:
        return np.abs(kernels.contract_slopes(kernel, own, M)), b
    return np.abs(kernels.contract_change(kernel, own, M)), b


def resolution(kernel: kernels.Kernel, X: np.ndarray, scores: np.ndarray, b: np.ndarray, order):
    """Below which difference two scores are a tie."""
    if getattr(kernel, "shape", "") != "linear":
        return np.full(len(scores), RESOLUTION * scores.max(initial=0.0))
    factor = 2.0 if order == 1 else 1.0
    length = np.sqrt(((X - X.mean(axis=0)) ** 2).sum(axis=0))
    known = RESOLUTION * np.linalg.norm(b) * length
    return factor * known * (2 * np.sqrt(scores / factor) + known)


def walk(
    X: np.ndarray,
    tasks: Sequence[Problem],
    kernel_of: Callable[[np.ndarray], kernels.Kernel],
    *,
    counts: Callable[[int], int] = lambda size: 1,
    least: int = 1,
    keep: Sequence[int] = (),
    order: int = 0,
) -> Walk:
    """Eliminate columns.

    Parameters
    ----------
    X : the table
    tasks : the problems, whose scores are added
    kernel_of : the kernel for a table of the columns left; it may look at them
    counts : how many columns go at a size
    least : columns that stay
    keep : columns that are never dropped
    order : of the criterion
    """
    found = Walk()
    left = list(range(X.shape[1]))
    least = max(least, len(keep))
    while True:
        table = X[:, left]
        kernel = kernel_of(table)
        solved = [column_scores(kernel, table, task, order) for task in tasks]
        scores = np.sum([s for s, _ in solved], axis=0)
        known = np.sum([resolution(kernel, table, s, b, order) for s, b in solved], axis=0)
        found.tables.append(dict(zip(left, scores.tolist(), strict=True)))
        if len(left) <= least:
            best_first = sorted(range(len(left)), key=lambda at: (-scores[at], left[at]))
            found.survivors.extend(left[at] for at in best_first)
            return found
        count = max(1, min(counts(len(left)), len(left) - least))
        free = [at for at, column in enumerate(left) if column not in keep]
        places, contested = plain_order(scores[free], known[free])
        gone = [left[free[place]] for place in places[:count]]
        found.dropped.append(gone)
        found.tied.append(any(contested[:count]))
        left = [column for column in left if column not in gone]
