"""The two slacks of linear machines, each as a sequence of smooth problems."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from svsieve.arrays import FloatArray, IndexArray
from svsieve.machines.linear_descent import Descent, Rows
from svsieve.machines.linear_newton import Mask
from svsieve.machines.linear_table import WorkingTable

# The smoothed kink of the linear slack has the width 1 / sharpness.
SHARPER = 3.0  # growth of the sharpness from one smooth problem to the next
SHARPER_ON_ALL = 10.0  # the same while most rows take part
NEAR = 10.0  # rows are near the margin up to this many widths of the kink,
LEAST_NEAR = 20  # or while they are fewer than this many per column
ROUNDING = 1e13  # the largest Newton matrix in units of the smallest
SMALL_SHARE = 0.125  # of the rows; rough problems are solved until the near ones are no more

LEAST_RIDGE = 1e-3  # of weights that may be taken from X'b

# Newton steps go on until the gradient moves rows by no more than this share of the tolerance.
GRADIENT_SHARE = 1.0 / 30.0


def kkt_interval(
    rows: Rows, slopes: FloatArray, gradient: FloatArray, *, free_offset: bool
) -> tuple[float, float]:
    """Return the largest gradient of coefficients that can shrink and the least of those to grow.

    Without an unpenalised offset the multiplier is zero, and both are compared with that.
    """
    positive, below = slopes > 0, (slopes < rows.upper) & (rows.weights > 0)
    plus = rows.signs > 0
    low = float(np.where(np.where(plus, positive, below), gradient, -np.inf).max())
    high = float(np.where(np.where(plus, below, positive), gradient, np.inf).min())
    return (low, high) if free_offset else (max(low, 0.0), min(high, 0.0))


class SquaredSlack:
    """With a = 0, sigma = C and no upper bound the smooth problem is the machine itself."""

    def __init__(self, table: WorkingTable, rows: Rows, ridge: FloatArray, C: float) -> None:
        self._descent = Descent(table, rows, ridge, np.zeros(table.width))
        n = table.n_rows
        self._descent.begin(np.zeros(table.width), np.ones(n), np.zeros(n), C)

    @property
    def weights(self) -> FloatArray:
        """One per kept column, and that of the constant one."""
        return self._descent.weights

    @property
    def short(self) -> FloatArray:
        """Shortfalls of the rows."""
        return self._descent.short

    @property
    def slopes(self) -> FloatArray:
        """Dual coefficients without sign."""
        return self._descent.slopes

    def drop(self, places: IndexArray) -> None:
        """Leave out columns."""
        self._descent.drop(places)

    def state(self) -> dict[str, Any]:
        """Return the arrays that a machine taken up again goes on with."""
        return self._descent.state()

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take them; the table has its present columns already."""
        self._descent.restore(state)

    def improve(self, tol: float, limit: int) -> int:
        """Go to the minimum; return the number of Newton steps."""
        self._descent.steps = 0
        self._descent.descend(GRADIENT_SHARE * tol, limit)
        return self._descent.steps

    def learn(self, dual: FloatArray) -> None:
        """Take the true gradient, from the weights that the slopes stand for."""
        self._descent.gradient = self._descent.ridge * self.weights - dual

    def correct(self, dual: FloatArray) -> None:
        """Prepare to do better from there: take the shortfalls anew."""
        self._descent.refresh()
        self.learn(self._descent.dual())


class LinearSlack:
    """A proximal point method on the dual: a becomes the slopes of the last smooth problem.

    Only rows near the margin change sets when little moves. The others stay at their bounds, and
    what they add to the weights is one vector: smooth problems are solved on the near rows alone,
    and all rows are looked at when that is done.
    """

    _STATE = ("weights", "short", "slopes", "_ridge", "_dual", "_squares", "_moved")

    def __init__(self, table: WorkingTable, rows: Rows, ridge: FloatArray, C: float) -> None:
        self._table, self._rows, self._ridge, self._penalty = table, rows, ridge, C
        self._free_offset = ridge[-1] == 0.0
        self.weights = np.zeros(table.width)
        self.short = np.ones(table.n_rows)
        self.slopes = np.zeros(table.n_rows)
        self._dual = np.zeros(table.width)  # what the slopes stand for
        self._squares = table.mean_squares()
        self._moved = 1.0  # how far rows have typically moved since the last solution

    def drop(self, places: IndexArray) -> None:
        """Leave out columns."""
        change = self._table.part_times(places, self.weights[places])
        self._table.drop(places)
        for name in ("weights", "_ridge", "_dual", "_squares"):
            setattr(self, name, np.delete(getattr(self, name), places))
        self.short = self.short + self._rows.signs * change
        self._moved += float(np.sqrt(np.mean(change**2)))

    def state(self) -> dict[str, Any]:
        """Return the arrays that a machine taken up again goes on with."""
        return {name: getattr(self, name) for name in self._STATE}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take them; the table has its present columns already."""
        for name in self._STATE:
            setattr(self, name, state[name])

    def learn(self, dual: FloatArray) -> None:
        """Take the weights that the slopes stand for as the base of the next change."""
        self._dual = dual
        self._moved = 0.0

    def correct(self, dual: FloatArray) -> None:
        """Prepare to do better from there: go to these weights."""
        self.learn(dual)
        self._place(self._weights_of(dual, self.weights))

    def improve(self, tol: float, limit: int) -> int:
        """Solve smooth problems until no row is in the wrong set; return the Newton steps."""
        n, steps = self._table.n_rows, 0
        sharpest = self._sharpest(tol)
        sharpness = 1.0 / max(self._moved, 1e3 / sharpest)
        many = max(SMALL_SHARE * n, 2.0 * LEAST_NEAR * self._table.width)
        looked_at = np.zeros(n, dtype=bool)
        while True:
            near = self._near(NEAR / sharpness) | looked_at
            rough = bool(near.sum() > many and SHARPER_ON_ALL * sharpness < 1e-3 * sharpest)
            steps += self._solve_near(near, sharpness, tol, limit - steps, rough=rough)
            self._place(self.weights)
            if steps >= limit:
                return steps
            if rough:
                sharpness *= SHARPER_ON_ALL
                continue
            looked_at |= near
            if not (self._wrong(0.1 * tol) & ~looked_at).any():
                return steps

    def _place(self, weights: FloatArray) -> None:
        self.weights = weights
        self.short = 1.0 - self._rows.signs * self._table.times(weights)

    def _weights_of(self, dual: FloatArray, weights: FloatArray) -> FloatArray:
        """The weights that X'b stands for; where there is little or no ridge, the present ones.

        An unpenalised offset has no part in X'b; a weight of little ridge drowns in its rounding.
        """
        held = self._ridge > LEAST_RIDGE
        return np.where(held, dual / np.where(held, self._ridge, 1.0), weights)

    def _wrong(self, slack: float) -> Mask:
        """Rows at a bound that pull the other way by more than `slack`."""
        upper = self._rows.upper
        wrong: Mask = (self.slopes == 0.0) & (self.short > slack) & (self._rows.weights > 0)
        wrong |= (self.slopes == upper) & (self.short < -slack)
        return wrong

    def _near(self, radius: float) -> Mask:
        """Rows that may have to change: near the margin, inside, or in the wrong set."""
        distance = np.abs(self.short)
        least = min(LEAST_NEAR * self._table.width, len(distance)) - 1
        radius = max(radius, float(np.partition(distance, least)[least]))
        inside = (self.slopes > 0.0) & (self.slopes < self._rows.upper)
        return np.asarray((distance <= radius) | inside | self._wrong(0.0))

    def _solve_near(
        self, near: Mask, sharpness: float, tol: float, limit: int, *, rough: bool
    ) -> int:
        """Solve on these rows, the others held: one smooth problem, or ever sharper ones."""
        rows = np.flatnonzero(near)
        all_of_them = len(rows) == len(near)
        table = self._table if all_of_them else self._table.of_rows(rows)
        part = self._rows if all_of_them else self._rows.part(rows)
        slopes = self.slopes[rows]
        held = self._dual - table.gathered(part.signs * slopes)
        descent = Descent(table, part, self._ridge, held)
        descent.begin(self.weights, self.short[rows], slopes, sharpness * self._penalty)
        stalls, best, sharpest = 0, np.inf, self._sharpest(tol)
        while True:
            descent.descend(GRADIENT_SHARE * tol, limit)
            gap = self._gap(part, descent)
            stalls += gap > 0.5 * best and sharpness == sharpest
            if rough or gap <= 0.5 * tol or stalls > 2 or descent.steps >= limit:
                break
            best = min(best, gap)
            # On from the weights that the slopes stand for: rounding does not add up.
            weights = self._weights_of(descent.dual(), descent.weights)
            short = 1.0 - part.signs * table.times(weights)
            sharpness = min(SHARPER * sharpness, sharpest)
            descent.begin(weights, short, descent.slopes, sharpness * self._penalty)
        self.slopes[rows] = descent.slopes
        self.weights, self._dual = descent.weights, descent.dual()
        return descent.steps

    def _sharpest(self, tol: float) -> float:
        """Where to stop sharpening.

        Slopes cannot change by more than U in one problem: at 10 / tol that leaves gaps of tol / 5.
        And the Newton matrix must not lose R in its rounding.
        """
        largest = self._penalty * self._table.width * float(self._squares.sum())
        return min(max(1e4, 10.0 / tol), ROUNDING / max(largest, 1e-290))

    def _gap(self, part: Rows, descent: Descent) -> float:
        gradient = -part.signs * descent.short
        low, high = kkt_interval(part, descent.slopes, gradient, free_offset=self._free_offset)
        return max(0.0, low - high)
