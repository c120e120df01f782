"""The machine trained again without each column in turn."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from svsieve.arrays import FloatArray
from svsieve.criteria.context import Context, LeastScores, resolution_of
from svsieve.criteria.linear_retrain import retrained_at_once
from svsieve.errors import IncompatiblePartsError
from svsieve.kernels import PairWeights
from svsieve.machines import DualSolution, solve

# Scores of retrained machines differ little from column to column, so programs are solved to a gap
# that does not blur them. A gap of g leaves the value 2 D* wrong by at most g sum(alpha) <= g 2 D*.
RETRAIN_TOL = 1e-10

# Values of retrained machines and their bounds are known to less than this share of themselves, and
# those that near to each other may be ties.
BOUND_SLACK = 1e-9


class Candidate:
    """What is left when one kept column is taken away; trained when its solution is asked for.

    Parameters
    ----------
    context : Context
    position : int
        Of the column, among those kept.
    value : float, default=nan
        The machine's value without the column where it is known.
    """

    def __init__(self, context: Context, position: int, value: float = np.nan) -> None:
        self._context, self.position, self._value = context, position, value

    @cached_property
    def K(self) -> FloatArray:
        """Gram matrix over the rows of the problem, gamma unchanged."""
        return self._context.state.gram_without(self.position, self._context.rows)

    @cached_property
    def solution(self) -> DualSolution:
        """Of the same program, started from the solution with all columns.

        Its `stopped` is "unbounded" where the hard margin no longer separates the rows.
        """
        context = self._context
        start = context.solution.coefficients
        return solve(context.problem, self.K, start=start, tol=retrain_tol(context))

    @property
    def has_solution(self) -> bool:
        """Whether the program has a finite optimum."""
        return not np.isnan(self._value) or self.solution.stopped != "unbounded"

    @property
    def value(self) -> float:
        """The machine's value."""
        if np.isnan(self._value):
            self._value = self._context.machine.value(self.solution, self._context.problem)
        return self._value


def check_machine(context: Context, criterion: Any) -> None:
    """Refuse machines that cannot be trained again."""
    if context.labels is None or context.problem.total != 0.0:
        raise IncompatiblePartsError(
            f"{criterion!r} trains machines of two classes again, such as CSvm or L2Svm, and "
            f"cannot be used with {context.machine!r}."
        )


def retrained_scores(
    context: Context,
    criterion: Any,
    score: Callable[[Candidate], float],
    *,
    known: FloatArray | None = None,
    values: FloatArray | None = None,
) -> FloatArray:
    """Return the score of every candidate; infinite where it has no solution.

    Only those that are nan in `known` are asked for. `values` are those of machines that need no
    training, else nan.
    """
    check_machine(context, criterion)
    found = np.full(context.state.n_kept, np.nan) if known is None else known.copy()
    for j in np.flatnonzero(np.isnan(found)):
        one = Candidate(context, int(j), np.nan if values is None else float(values[j]))
        found[j] = score(one) if one.has_solution else np.inf
    return found


def known_values(context: Context) -> FloatArray:
    """Return the machine's value without each column where it is known without training, else nan.

    That is with a linear kernel, where few rows meet or leave a bound: see `linear_retrain`.
    """
    closed = retrained_at_once(context, retrain_tol(context))
    if closed is None:
        return np.full(context.state.n_kept, np.nan)
    return np.where(closed.holds, -2.0 * closed.objectives, np.nan)


def lower_bounds(context: Context) -> FloatArray:
    """Return what the machine's value without each kept column is at least.

    The coefficients u stay feasible when a column goes, and so do their multiples where nothing
    bounds them. So 2 D*(j) >= 2 s - q(j), or s^2 / q(j), where s = sum |u| and
    q(j) = u'(K(j) + ridge)u.
    """
    problem, u = context.problem, context.solution.coefficients
    whole = float(u @ (context.solution.gradient - problem.linear))
    change = context.state.contract_without(context.lift(PairWeights.outer(u)), change=True)
    q, s = whole + change, -float(problem.linear @ u)
    used = problem.upper > problem.lower
    if np.isinf((problem.upper - problem.lower)[used]).all():
        with np.errstate(over="ignore"):
            return np.asarray(s**2 / np.maximum(q, np.finfo(float).tiny))
    return np.asarray(2.0 * s - q)


def retrain_tol(context: Context) -> float:
    """Return the gap to which candidates are solved."""
    return min(context.tol, RETRAIN_TOL)


def retrained_resolution(context: Context, scores: FloatArray) -> float:
    """Return the difference below which values of retrained machines are a tie.

    That is twice what their gap leaves open, relative to the largest finite score. Columns without
    which there is no solution score infinity.
    """
    finite = np.abs(scores[np.isfinite(scores)])
    return 2.0 * retrain_tol(context) * float(finite.max(initial=0.0))


def least_by_bounds(
    context: Context,
    criterion: Any,
    bounds: FloatArray,
    count: int,
    score: Callable[[Candidate], float],
    values: FloatArray | None = None,
) -> LeastScores | None:
    """Return the least scores without the columns whose bounds say that they cannot be among them.

    Machines are trained again in the order of the bounds, until the next bound lies above the
    `count` + 1 least scores found.

    Parameters
    ----------
    context : Context
    criterion : object
        Named where it does not fit the machine.
    bounds : ndarray of shape (n_kept,)
        What each score is at least.
    count : int
        How many are wanted.
    score : callable
        The score of a candidate that has a solution.
    values : ndarray of shape (n_kept,), optional
        The machine's values that need no training; nan where one does.

    Returns
    -------
    LeastScores or None
        None where a candidate has no solution: all have to be looked at.
    """
    check_machine(context, criterion)
    tried: list[int] = []
    found: list[float] = []
    for j in np.argsort(bounds, kind="stable"):
        if len(found) > count:
            border = np.partition(found, count)[count]
            if bounds[j] * (1.0 - BOUND_SLACK) > border:
                break
        one = Candidate(context, int(j), np.nan if values is None else float(values[j]))
        if not one.has_solution:
            return None
        tried.append(int(j))
        found.append(score(one))
    order = np.argsort(tried)
    scores = np.array(found)[order]
    resolution = float(np.max(resolution_of(criterion, context, scores)))
    return LeastScores(np.array(tried)[order], scores, resolution)
