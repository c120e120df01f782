"""The machine trained again without each column in turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from svsieve.arrays import FloatArray
from svsieve.criteria.context import Context, LeastScores, resolution_of
from svsieve.criteria.staying import staying
from svsieve.errors import IncompatiblePartsError
from svsieve.kernels import PairWeights
from svsieve.machines import DualSolution, solve

# Scores of retrained machines differ little from column to column, so programs are solved to a gap
# that does not blur them. A gap of g leaves the value 2 D* wrong by at most g sum(alpha) <= g 2 D*.
RETRAIN_TOL = 1e-10

# Values of retrained machines and their bounds are known to less than this share of themselves, and
# those that near to each other may be ties.
BOUND_SLACK = 1e-9


@dataclass(frozen=True, eq=False)
class Candidate:
    """What is left when one kept column is taken away.

    Attributes
    ----------
    K : ndarray of shape (n_rows, n_rows)
        Gram matrix over the rows of the problem, gamma unchanged.
    solution : DualSolution
        Of the same program on it; its `stopped` is "unbounded" where the hard margin no longer
        separates the rows.
    """

    K: FloatArray
    solution: DualSolution

    @property
    def has_solution(self) -> bool:
        """Whether the program has a finite optimum."""
        return self.solution.stopped != "unbounded"


def retrained(
    context: Context, criterion: Any, positions: Iterable[int] | None = None
) -> Iterator[Candidate]:
    """Yield the machine without each kept column, started from the solution with all of them.

    With `positions`, without each of those, in their order.
    """
    if context.labels is None or context.problem.total != 0.0:
        raise IncompatiblePartsError(
            f"{criterion!r} trains machines of two classes again, such as CSvm or L2Svm, and "
            f"cannot be used with {context.machine!r}."
        )
    start, tol = context.solution.coefficients, retrain_tol(context)
    for position in range(context.state.n_kept) if positions is None else positions:
        K = context.state.gram_without(position, context.rows)
        yield Candidate(K, solve(context.problem, K, start=start, tol=tol))


def retrained_scores(
    context: Context,
    criterion: Any,
    value: Callable[[Candidate], float],
    known: FloatArray | None = None,
) -> FloatArray:
    """Return the value of every candidate; infinite where it has no solution.

    Only those that are nan in `known` are trained.
    """
    found = np.full(context.state.n_kept, np.nan) if known is None else known.copy()
    open_columns = np.flatnonzero(np.isnan(found))
    for j, one in zip(open_columns, retrained(context, criterion, open_columns), strict=True):
        found[j] = value(one) if one.has_solution else np.inf
    return found


def known_values(context: Context) -> FloatArray:
    """Return the machine's value without each column where it is known without training, else nan.

    That is where the same rows go on supporting a machine of a linear kernel: see `staying`.
    """
    closed = staying(context, retrain_tol(context))
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
    value: Callable[[Candidate], float],
    known: FloatArray | None = None,
) -> LeastScores | None:
    """Return the least values without the columns whose bounds say that they cannot be among them.

    Machines are trained again in the order of the bounds, until the next bound lies above the
    `count` + 1 least values found.

    Parameters
    ----------
    context : Context
    criterion : object
        Named where it does not fit the machine.
    bounds : ndarray of shape (n_kept,)
        What each value is at least.
    count : int
        How many are wanted.
    value : callable
        The value of a candidate that has a solution.
    known : ndarray of shape (n_kept,), optional
        Values that need no training; nan where one does.

    Returns
    -------
    LeastScores or None
        None where a candidate has no solution: all have to be looked at.
    """
    values = np.full(len(bounds), np.nan) if known is None else known.copy()
    order = np.argsort(bounds, kind="stable")
    order = order[np.isnan(values[order])]
    for position, one in zip(order, retrained(context, criterion, order), strict=True):
        found = values[~np.isnan(values)]
        if len(found) > count:
            border = np.partition(found, count)[count]
            if bounds[position] * (1.0 - BOUND_SLACK) > border:
                break
        if not one.has_solution:
            return None
        values[position] = value(one)
    tried = np.flatnonzero(~np.isnan(values))
    found = values[tried]
    return LeastScores(tried, found, float(np.max(resolution_of(criterion, context, found))))
