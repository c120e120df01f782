"""Descent of a function of a few bounded numbers, such as the logarithms of parameters.

With slopes the method is L-BFGS-B, without them Nelder and Mead's simplex, both scipy's. What is
added: points where the function has no value, a limit on evaluations that holds, a record of all of
them, and several starts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import Bounds, minimize

from svsieve.arrays import FloatArray

# From a point to the value and its slopes, None where it has none.
Function = Callable[[FloatArray], tuple[float, FloatArray | None]]

# First steps of the simplex, in the unit of the numbers: a factor of four in a parameter.
SIMPLEX_EDGE = math.log(4.0)


@dataclass(frozen=True, eq=False)
class Evaluation:
    """One call of the function.

    Attributes
    ----------
    point : ndarray
    value : float
        Infinite or NaN where there is none.
    slopes : ndarray or None
    start : int
        The start that the descent to here began at, counted from 0.
    """

    point: FloatArray
    value: float
    slopes: FloatArray | None
    start: int

    @property
    def slope_norm(self) -> float:
        """Length of the slopes; NaN without them."""
        return math.nan if self.slopes is None else float(np.linalg.norm(self.slopes))


@dataclass(frozen=True, eq=False)
class Descent:
    """Where a descent ended.

    Attributes
    ----------
    best : Evaluation
        The smallest value found, of all starts.
    evaluations : tuple of Evaluation
        All calls, in order.
    converged : bool
        Whether every start came to rest before the evaluations were used up.
    """

    best: Evaluation
    evaluations: tuple[Evaluation, ...]
    converged: bool


class _EvaluationsUsedUpError(Exception):
    """The limit on evaluations is reached."""


class _Recorder:
    """The function as an optimiser sees it: finite everywhere, recorded, limited."""

    def __init__(self, function: Function, limit: int) -> None:
        self._function, self._limit = function, limit
        self.evaluations: list[Evaluation] = []
        self.start = 0
        self._last: Evaluation | None = None

    def begin(self, start: int) -> None:
        """Forget where the start before came to."""
        self.start, self._last = start, None

    def __call__(self, point: FloatArray) -> tuple[float, FloatArray]:
        if len(self.evaluations) >= self._limit:
            raise _EvaluationsUsedUpError
        value, slopes = self._function(point.copy())
        found = Evaluation(point.copy(), float(value), slopes, self.start)
        self.evaluations.append(found)
        usable = np.isfinite(found.value) and (slopes is None or np.isfinite(slopes).all())
        if not usable:
            return self._wall(point)
        if self._last is None or found.value < self._last.value:
            self._last = found
        return found.value, np.zeros(len(point)) if slopes is None else slopes

    def _wall(self, point: FloatArray) -> tuple[float, FloatArray]:
        """A bowl around the best point so far, above it: the way back from where no value is."""
        centre = point if self._last is None else self._last.point
        away = point - centre
        level = 0.0 if self._last is None else self._last.value
        return level + 1.0 + abs(level) + float(away @ away), 2.0 * away


def descend(
    function: Function,
    starts: Sequence[FloatArray],
    lower: FloatArray,
    upper: FloatArray,
    *,
    slopes: bool = True,
    tol: float = 1e-3,
    max_evaluations: int = 100,
) -> Descent:
    """Return the smallest value that descents from some starts lead to.

    Parameters
    ----------
    function : callable
        From a point to (value, slopes). A value that is not finite says that there is none; the
        descent then turns back.
    starts : sequence of ndarray
        Points to begin at, one descent from each; outside the bounds, at the nearest point inside.
    lower, upper : ndarray
        Bounds of each number.
    slopes : bool, default=True
        Whether the function gives slopes.
    tol : float, default=1e-3
        A descent ends where a step lowers the value by no more than this share of it (of 1, where
        it is smaller), or no slope is larger.
    max_evaluations : int, default=100
        Over all starts.

    Returns
    -------
    Descent

    Raises
    ------
    ValueError
        Where the function has no value at any point tried.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.selection.optimise import descend
    >>> def bowl(x):
    ...     return float(((x - 1.0) ** 2).sum()), 2.0 * (x - 1.0)
    >>> found = descend(bowl, [np.zeros(2)], np.full(2, -5.0), np.full(2, 5.0))
    >>> found.best.point.round(6)
    array([1., 1.])
    >>> found.converged
    True
    """
    recorder = _Recorder(function, max_evaluations)
    converged = True
    for number, start in enumerate(starts):
        recorder.begin(number)
        point = np.clip(np.asarray(start, dtype=np.float64), lower, upper)
        try:
            if not point.size:
                recorder(point)  # there is nowhere to go, which SciPy 1.18 refuses
            elif slopes:
                _quasi_newton(recorder, point, lower, upper, tol)
            else:
                _simplex(recorder, point, lower, upper, tol)
        except _EvaluationsUsedUpError:
            converged = False
            break
    valued = [one for one in recorder.evaluations if np.isfinite(one.value)]
    if not valued:
        raise ValueError(
            f"The objective has no finite value at any of the {len(recorder.evaluations)} points "
            "tried: the machine has no solution there, or nothing that the objective measures. Use "
            'another objective, slack="l2", or other starts.'
        )
    best = min(valued, key=lambda one: one.value)
    return Descent(best, tuple(recorder.evaluations), converged)


def _quasi_newton(
    function: _Recorder, start: FloatArray, lower: FloatArray, upper: FloatArray, tol: float
) -> None:
    minimize(
        function,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=Bounds(lower, upper),
        options={"ftol": tol, "gtol": tol, "maxls": 10},
    )


def _simplex(
    function: _Recorder, start: FloatArray, lower: FloatArray, upper: FloatArray, tol: float
) -> None:
    corners = np.tile(start, (len(start) + 1, 1))
    for j in range(len(start)):
        room_above = (
            upper[j] - start[j] >= SIMPLEX_EDGE or upper[j] - start[j] >= start[j] - lower[j]
        )
        corners[j + 1, j] += SIMPLEX_EDGE if room_above else -SIMPLEX_EDGE
    minimize(
        lambda point: function(point)[0],
        start,
        method="Nelder-Mead",
        bounds=Bounds(lower, upper),
        options={
            "initial_simplex": np.clip(corners, lower, upper),
            "xatol": 0.1 * SIMPLEX_EDGE,
            "fatol": tol,
        },
    )
