"""Scores of machines that engines know by their weights: squares, joined over the problems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from svsieve.arrays import FloatArray, IndexArray, Table
from svsieve.criteria import WeightNorm
from svsieve.criteria.refined_weights import LinearWeights, Refinement, refined_weights
from svsieve.elimination.engines.engine import with_bias, with_row
from svsieve.elimination.parts import Parts, Task
from svsieve.machines import FreeSum


def weights_of(
    parts: Parts,
    table: Table,
    kept: IndexArray,
    task: Task,
    coefficients: FloatArray,
    *,
    weights: FloatArray,
    sizes: FloatArray,
    gap: float,
    stopped: str,
) -> LinearWeights:
    """Return the weights of a problem, and how twice the precision finds them.

    Parameters
    ----------
    parts : Parts
    table : Table
        As the machines see it.
    kept : ndarray of int
        Columns of the table to which the weights belong.
    task : Task
    coefficients : ndarray
        Signed, one per row of the task.
    weights, sizes, gap, stopped
        As in `LinearWeights`.
    """
    n, bias = len(coefficients), parts.bias
    machine: Any = parts.machine

    def refine(most: float) -> tuple[Any, ...]:
        X = _dense((table if task.rows is None else table[task.rows])[:, kept])
        if bias is None:
            problem = machine.problem(np.ones(n), task.labels, task.weights)
            return refined_weights(X, np.arange(len(kept)), problem, coefficients, most)
        X, own = with_bias(X, float(bias)), with_row(task, n)
        problem = FreeSum(machine).problem(np.ones(n + 1), own.labels, own.weights)
        start = np.append(coefficients, -coefficients.sum())
        return refined_weights(X, np.arange(X.shape[1]), problem, start, most)

    return LinearWeights(weights, sizes, n, gap, stopped, refine)


def joined_squares(
    parts: Parts,
    table: Table,
    kept: IndexArray,
    problems: Sequence[LinearWeights],
    memory: dict[str, Any],
) -> tuple[FloatArray, FloatArray, float]:
    """Return w_j^2 joined over the problems, what rounding leaves open of it, and the gap it has.

    Twice as much by first order, as in `WeightNorm`.
    """
    assert isinstance(parts.criterion, WeightNorm)
    factor = 2.0 if parts.criterion.order == 1 else 1.0

    def columns(at: IndexArray) -> FloatArray:
        chosen = _dense(table[:, kept[at]])
        return chosen - chosen[0] if parts.bias is None else chosen

    known = Refinement(memory).settle(problems, columns, parts.combine)
    scores = parts.combine(factor * np.array([one.squares for one in known]))
    resolutions = factor * np.array([one.resolution for one in known])
    resolution = parts.combine.resolution(resolutions, scores)
    return scores, np.broadcast_to(resolution, scores.shape), max(one.gap for one in known)


def _dense(columns: Table) -> FloatArray:
    return columns if isinstance(columns, np.ndarray) else columns.toarray()
