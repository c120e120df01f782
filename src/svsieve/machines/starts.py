"""Feasible starting points, also from the solution of another problem."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from svsieve.arrays import FloatArray, float_vector

if TYPE_CHECKING:
    from svsieve.machines.problem import DualProblem


def feasible_start(problem: DualProblem, start: npt.ArrayLike | None = None) -> FloatArray:
    """Return the point nearest to `start` (zero by default) that obeys bounds and sum.

    The Euclidean projection is clip(start - tau, lower, upper) with the tau for which it sums to
    the total. That sum falls monotonously and piecewise linearly in tau: the kinks are where an
    entry meets a bound, so the right piece is found by bisection over the sorted kinks and solved
    exactly.

    Examples
    --------
    >>> from svsieve.machines import EnclosingSphere, feasible_start
    >>> feasible_start(EnclosingSphere().problem([1.0, 1.0, 1.0, 1.0]))
    array([0.25, 0.25, 0.25, 0.25])
    """
    lower, upper, total = problem.lower, problem.upper, problem.total
    wish = np.zeros(problem.n_rows) if start is None else float_vector(start, "start", len(lower))
    if not np.isfinite(wish).all():
        raise ValueError("start must be finite.")
    point = np.clip(wish, lower, upper)
    if abs(point.sum() - total) > 1e-12 * max(abs(total), np.abs(point).sum()):
        if lower.sum() > total + _slack(total) or upper.sum() < total - _slack(total):
            raise ValueError(
                f"no coefficients within the bounds sum to {total:g}: "
                f"their sum lies in [{lower.sum():g}, {upper.sum():g}]."
            )
        point = np.clip(wish - _shift(wish, problem), lower, upper)
    if abs(point.sum() - total) > 1e-12 * max(abs(total), np.abs(point).sum()):
        # so far away that the shift had no digits left: once more from there
        point = np.clip(point - _shift(point, problem), lower, upper)
    return _settle_rounding(point, problem)


def outermost_start(problem: DualProblem, gradient: npt.ArrayLike) -> FloatArray:
    """Return the corner of the box that a step down a gradient leads to.

    The rows of least gradient are given all they may have until the sum is spent. From the mean of
    the rows these are the ones that lie outermost, most of which a description of one class leaves
    outside: few pair steps remain.

    Parameters
    ----------
    problem : DualProblem
        Its total positive, zero within its bounds.
    gradient : array-like of shape (n_rows,)

    Examples
    --------
    >>> from svsieve.machines import Svdd
    >>> from svsieve.machines.starts import outermost_start
    >>> outermost_start(Svdd(C=0.5).problem([1.0, 1.0, 1.0]), [0.2, 0.1, 0.3])
    array([0.5, 0.5, 0. ])
    """
    order = np.argsort(float_vector(gradient, "gradient", problem.n_rows), kind="stable")
    room = np.minimum(problem.upper[order], problem.total)
    given = np.clip(problem.total - (np.cumsum(room) - room), 0.0, room)
    rounding = 1e-12 * problem.total  # of the sum: neither a free row nor a gap
    given[given < rounding] = 0.0
    given = np.where(room - given < rounding, room, given)
    point = np.zeros(problem.n_rows)
    point[order] = given
    return feasible_start(problem, point)


def _shift(wish: FloatArray, problem: DualProblem) -> float:
    """The tau for which clip(wish - tau) sums to the total."""
    lower, upper = problem.lower, problem.upper

    def excess(tau: float) -> float:
        return float(np.clip(wish - tau, lower, upper).sum()) - problem.total

    kinks = np.unique(np.concatenate([wish - lower, wish - upper]))
    kinks = kinks[np.isfinite(kinks)]
    first, last = 0, len(kinks)  # the sum is too large at every kink before `first`
    while first < last:
        middle = (first + last) // 2
        if excess(kinks[middle]) > 0:
            first = middle + 1
        else:
            last = middle
    # Between two neighbouring kinks the same entries move, one for one with tau.
    left = kinks[first - 1] if first > 0 else (kinks[0] if len(kinks) else 0.0) - 1.0
    right = kinks[first] if first < len(kinks) else left + 1.0
    inside = 0.5 * (left + right)
    moving = int(((wish - inside > lower) & (wish - inside < upper)).sum())
    return float(inside + excess(inside) / moving) if moving else float(right)


def _settle_rounding(point: FloatArray, problem: DualProblem) -> FloatArray:
    """Give what rounding left over of the sum to the entry with most room for it."""
    rest = problem.total - point.sum()
    if rest == 0.0:
        return point
    free = (point > problem.lower) & (point < problem.upper)
    room = np.minimum(point - problem.lower, problem.upper - point)
    room = np.where(free & (room > abs(rest)), room, -1.0)
    if room.max() > 0:
        point[room.argmax()] += rest
    return point


def _slack(total: float) -> float:
    return 1e-9 * max(1.0, abs(total))


def rescale_start(coefficients: npt.ArrayLike, old_C: float, new_C: float) -> FloatArray:
    """Return a start for another C from the solution for an old one.

    When C grows the old coefficients stay feasible and are the better start; when it shrinks they
    are scaled, which keeps their sum and the rows at the bound.

    Examples
    --------
    >>> from svsieve.machines import rescale_start
    >>> rescale_start([2.0, -2.0], old_C=2.0, new_C=1.0)
    array([ 1., -1.])
    """
    b = float_vector(coefficients, "coefficients")
    return b if new_C >= old_C else b * (new_C / old_C)
