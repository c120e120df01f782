"""Squared weights of linear machines, in twice the precision where their order is open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from svsieve.arrays import FloatArray, IndexArray
from svsieve.criteria.combine import Combine
from svsieve.machines import DualProblem
from svsieve.native import core

# A weight of the linear kernel is a product u'x_j; this share of ||u|| ||x_j|| is its rounding.
WEIGHT_RESOLUTION = 1e-11
POOR_GAP = 1e-9  # above it a machine counts as not solved
# Weights that are sure to agree to this share count as equal.
EQUAL_WEIGHTS = 1e-10
# Multiplications in twice the precision, at a time and over a whole path, as in the core: for the
# order of columns, some milliseconds and some tenths of a second; for machines that are not solved,
# tenths and some seconds. They are counted, not timed, so that a ranking is a function of the data.
FOR_ORDER = (2.0**23, 2.0**29)
FOR_UNSOLVED = (2.0**28, 2.0**33)
PAIRS_AT_ONCE = 256  # of columns that are compared
LEAST_PASSES = 4.0  # over the table, each a multiplication for every entry
SPENT = "spent"  # where that is remembered


@dataclass(frozen=True, eq=False)
class LinearWeights:
    """The weights of one linear machine as double precision has them.

    Attributes
    ----------
    weights : ndarray of shape (n_kept,)
    sizes : ndarray of shape (n_kept,)
        ``||u|| ||x_j||``.
    n_rows : int
        Of the machine.
    gap, stopped : float, str
        Its KKT gap and why it is no smaller, as in `DualSolution`. A machine at its limit of
        iterations was not to be solved any further, and is not.
    refine : callable or None
        Of the multiplications that may be spent: the answer of ``core.refined_weights``, whose
        first weights are these. None where there is no such answer.
    """

    weights: FloatArray
    sizes: FloatArray
    n_rows: int
    gap: float
    stopped: str
    refine: Callable[[float], tuple[Any, ...]] | None

    @property
    def is_unsolved(self) -> bool:
        """Whether rounding has left the machine far from its optimum."""
        return self.stopped == "precision-floor" and self.gap > POOR_GAP

    @property
    def may_be_refined(self) -> bool:
        """Whether there is, and is wanted, an answer in twice the precision."""
        return self.refine is not None and self.stopped != "iteration-limit"


@dataclass(frozen=True, eq=False)
class Settled:
    """Squares of weights, below which difference two of them are a tie, and the gap they have."""

    squares: FloatArray
    resolution: FloatArray
    gap: float
    is_refined: bool = False


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
        problems: Sequence[LinearWeights],
        columns: Callable[[IndexArray], FloatArray],
        combine: Combine,
    ) -> list[Settled]:
        """Return what is known of the weights of each problem.

        They are computed again where a machine was not solved, or where two columns are open.

        Parameters
        ----------
        problems : sequence of LinearWeights
            Their squares are joined before columns are compared.
        columns : callable
            Of positions: these columns of the table, one beside the other.
        combine : Combine
            How they are joined.
        """
        known = [
            Settled(one.weights**2, square_resolution(one.weights, one.sizes), one.gap)
            for one in problems
        ]
        joined = combine(np.array([one.squares for one in known]))
        widths = combine.resolution(np.array([one.resolution for one in known]), joined)
        unsolved = any(one.is_unsolved for one in problems)
        budget = FOR_UNSOLVED if unsolved else FOR_ORDER
        if not any(self._is_affordable(one, budget) for one in problems):
            return known
        if not unsolved and not is_open(joined, np.broadcast_to(widths, joined.shape), columns):
            return known
        return [
            self._refined(one, budget) or before
            for one, before in zip(problems, known, strict=True)
        ]

    def _left(self, budget: tuple[float, float]) -> float:
        at_once, in_all = budget
        spent: float = self._memory.get(SPENT, 0.0)
        return min(at_once, in_all - spent)

    def _is_affordable(self, one: LinearWeights, budget: tuple[float, float]) -> bool:
        passes = LEAST_PASSES * one.n_rows * len(one.weights)
        return one.may_be_refined and passes < self._left(budget)

    def _refined(self, one: LinearWeights, budget: tuple[float, float]) -> Settled | None:
        """What twice the precision says, or None where that is too dear."""
        if not self._is_affordable(one, budget):
            return None
        assert one.refine is not None
        found, weights, error, rounding, gap, spent = one.refine(self._left(budget))
        self._memory[SPENT] = self._memory.get(SPENT, 0.0) + spent
        if not found:
            return None
        weights = weights[: len(one.weights)]
        width = error + rounding * one.sizes + EQUAL_WEIGHTS * np.abs(weights)
        resolution = width * (2.0 * np.abs(weights) + width)
        return Settled(weights**2, resolution, max(0.0, gap), is_refined=True)


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
    return any(
        _differ(columns(order[pairs]), columns(order[pairs + 1]))
        for pairs in np.array_split(close, len(close) // PAIRS_AT_ONCE + 1)
    )


def _differ(first: FloatArray, second: FloatArray) -> bool:
    """Whether a column is neither the other nor its mirror image."""
    same = (first == second).all(axis=0) | (first == -second).all(axis=0)
    return not bool(same.all())


def square_resolution(weights: FloatArray, sizes: FloatArray) -> FloatArray:
    """Return what rounding leaves open of w_j^2, w_j = u'x_j, given ||u|| ||x_j||."""
    rounding = WEIGHT_RESOLUTION * sizes
    return np.asarray(rounding * (2.0 * np.abs(weights) + rounding))
