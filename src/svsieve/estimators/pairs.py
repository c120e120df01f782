"""Pairs of classes: how their solutions are laid out and how their decisions are combined.

The layout is scikit-learn's. Pairs (i, j), i < j, are counted row by row, class i being positive.
A row of class i meets every other class once: its coefficient from the pair with class j stands in
line j - 1 of the table if i < j, in line j otherwise. So a table of n_classes - 1 lines holds the
coefficients of all pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from svsieve.arrays import FloatArray
from svsieve.machines import BinaryTask, DualSolution
from svsieve.machines.multiclass import count_votes as count_votes
from svsieve.machines.multiclass import one_vs_rest_values as one_vs_rest_values


def dual_table(
    tasks: Sequence[BinaryTask],
    solutions: Sequence[DualSolution],
    codes: NDArray[np.intp],
    n_classes: int,
) -> FloatArray:
    """Return the coefficients of all rows in all pairs, one line per other class."""
    table = np.zeros((n_classes - 1, len(codes)))
    for task, solution in zip(tasks, solutions, strict=True):
        is_positive = codes[task.rows] == task.positive
        lines = np.where(is_positive, task.negative - 1, task.positive)
        table[lines, task.rows] = solution.coefficients
    return table


def class_slices(counts: NDArray[np.int32]) -> list[slice]:
    """Return where each class stands among support vectors that are grouped by class."""
    stops = np.cumsum(counts).tolist()
    return [slice(start, stop) for start, stop in zip([0, *stops], stops, strict=False)]


def join_pairs(shares: Sequence[FloatArray]) -> FloatArray:
    """Add up, for every pair, the shares of its two classes.

    ``shares[i]`` is the table's part of class i times anything, one line per other class.
    """
    pairs = combinations(range(len(shares)), 2)
    return np.array([shares[i][j - 1] + shares[j][i] for i, j in pairs])
