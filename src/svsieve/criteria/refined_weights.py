"""Squared weights of linear machines, in twice the precision where their order is open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from svsieve.arrays import FloatArray, IndexArray
from svsieve.machines import DualProblem
from svsieve.native import core

# A weight of the linear kernel is a product u'x_j; this share of ||u|| ||x_j|| is its rounding.
WEIGHT_RESOLUTION = 1e-11
# Weights that are sure to agree to this share count as equal.
EQUAL_WEIGHTS = 1e-10
# Multiplications in twice the precision, at a time and over a whole path: some milliseconds, some
# seconds. They are counted, not timed, so that a ranking is a function of the data.
MOST_AT_ONCE = 2.0**23
MOST_IN_ALL = 2.0**29
SPENT = "spent"  # where that is remembered


class Refinement:
    """Settles what double precision leaves open of the order of columns, as long as that is cheap.

    Parameters
    ----------
    memory : dict
        Keeps what has been spent, for all refinements of a path.
    """

    def __init__(self, memory: dict[str, Any]) -> None:
        self._memory = memory

    def settle(
        self,
        weights: FloatArray,
        sizes: FloatArray,
        columns: Callable[[IndexArray], FloatArray],
        refine: Callable[[float], tuple[Any, ...]],
    ) -> tuple[FloatArray, FloatArray]:
        """Return squares of weights, and below which difference two of them are a tie.

        Parameters
        ----------
        weights : ndarray of shape (n_kept,)
            As double precision has them.
        sizes : ndarray of shape (n_kept,)
            ``||u|| ||x_j||``.
        columns : callable
            Of positions: these columns of the table, one beside the other.
        refine : callable
            Of the multiplications that may be spent: the answer of ``core.refined_weights``.
        """
        squares, resolution = weights**2, square_resolution(weights, sizes)
        most = min(MOST_AT_ONCE, MOST_IN_ALL - self._memory.get(SPENT, 0.0))
        if most <= 0.0 or not is_open(squares, resolution, columns):
            return squares, resolution
        found, refined, error, rounding, _, spent = refine(most)
        self._memory[SPENT] = self._memory.get(SPENT, 0.0) + spent
        if not found:
            return squares, resolution
        width = error + rounding * sizes + EQUAL_WEIGHTS * np.abs(refined)
        return refined**2, width * (2.0 * np.abs(refined) + width)


def refined_weights(
    X: FloatArray, columns: IndexArray, problem: DualProblem, start: FloatArray, most: float
) -> tuple[Any, ...]:
    """Return the answer of ``core.refined_weights``; the coefficients must sum to zero."""
    answer: tuple[Any, ...] = core.refined_weights(
        np.ascontiguousarray(X),
        columns,
        problem.linear,
        problem.lower,
        problem.upper,
        problem.ridge,
        start,
        most,
    )
    return answer


def is_open(
    squares: FloatArray, resolution: FloatArray, columns: Callable[[IndexArray], FloatArray]
) -> bool:
    """Return whether two different columns have scores that cannot be told apart.

    Columns that are equal up to their sign have the same score and are a tie for good.
    """
    order = np.argsort(squares, kind="stable")
    reach = np.minimum.accumulate((squares - resolution)[order][::-1])[::-1]
    close = np.flatnonzero(reach[1:] <= squares[order][:-1])
    if not len(close):
        return False
    first, second = columns(order[close]), columns(order[close + 1])
    same = (first == second).all(axis=0) | (first == -second).all(axis=0)
    return not bool(same.all())


def square_resolution(weights: FloatArray, sizes: FloatArray) -> FloatArray:
    """Return what rounding leaves open of w_j^2, w_j = u'x_j, given ||u|| ||x_j||."""
    rounding = WEIGHT_RESOLUTION * sizes
    return np.asarray(rounding * (2.0 * np.abs(weights) + rounding))
