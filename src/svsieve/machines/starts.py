"""Feasible starting points, also from the solution of another problem."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from svsieve.arrays import FloatArray, float_vector
from svsieve.native import core

if TYPE_CHECKING:
    from svsieve.machines.problem import DualProblem


def feasible_start(problem: DualProblem, start: npt.ArrayLike | None = None) -> FloatArray:
    """Return the point nearest to `start` (zero by default) that obeys bounds and sum.

    Examples
    --------
    >>> from svsieve.machines import EnclosingSphere, feasible_start
    >>> feasible_start(EnclosingSphere().problem([1.0, 1.0, 1.0, 1.0]))
    array([0.25, 0.25, 0.25, 0.25])
    """
    n = problem.n_rows
    wish = np.zeros(n) if start is None else float_vector(start, "start", n)
    return core.feasible_point(wish, problem.lower, problem.upper, float(problem.total))


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
