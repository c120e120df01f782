"""Newton's method on the smooth objective behind linear machines.

With the shortfall e_k = 1 - y_k f_k of a row, its weight v_k, a coefficient a_k to stay near and a
sharpness sigma, the objective is 1/2 w'Rw - pull'w + sum_k env_k(e_k), where env_k has the slope

    clip(a_k + sigma v_k e_k, 0, U_k).

It is quadratic as long as no row changes between the two bounds and the inside; the Newton step
goes to the minimum of that quadratic, and an exact line search answers the rows that do change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from svsieve.arrays import FloatArray, IndexArray
from svsieve.machines.linear_newton import moves, newton_matrix
from svsieve.machines.linear_table import WorkingTable

Sets: TypeAlias = npt.NDArray[np.int8]
INSIDE = 1  # between the bounds; 0 and 2 are the lower and the upper one

# A step is long enough when its slope has risen to the first of these shares of what it was, and
# not too long while it has not risen above the second.
FLAT, STEEP = -0.3, 0.01
MOST_TRIALS = 60
ROUGH = 0.01


@dataclass(frozen=True, eq=False)
class Rows:
    """What is fixed about the rows.

    Attributes
    ----------
    signs : ndarray of +1.0 and -1.0
    weights : ndarray
        v. The slope of a row of weight zero is always zero; its bound must be infinite.
    upper : ndarray
        U, infinite for the squared slack.
    """

    signs: FloatArray
    weights: FloatArray
    upper: FloatArray

    def part(self, rows: IndexArray) -> Rows:
        """Return some of the rows."""
        return Rows(self.signs[rows], self.weights[rows], self.upper[rows])


@dataclass(frozen=True, eq=False)
class _Departure:
    """Where the objective is no longer the quadratic model: rows that changed sets."""

    raw: FloatArray  # a + sigma v e of all rows
    sets: Sets
    changed: IndexArray
    excess: FloatArray  # slopes of the changed rows beyond those of the model
    bend: FloatArray  # +1 for those that came inside, -1 for those that left it


class Descent:
    """Weights on the kept columns of a table, and all that depends on them.

    Parameters
    ----------
    table : WorkingTable
    rows : Rows
    ridge, pull : ndarray of shape (table.width,)
        The diagonal of R, and the linear term.
    """

    def __init__(
        self, table: WorkingTable, rows: Rows, ridge: FloatArray, pull: FloatArray
    ) -> None:
        self.table, self.ridge, self._rows, self._pull = table, ridge, rows, pull
        self._squares = table.mean_squares()
        self.steps = 0
        self._new_matrix()

    def _new_matrix(self) -> None:
        self._matrix = newton_matrix(self.table, self._rows.weights, self.ridge, self._squares)
        self._sets = np.zeros(self.table.n_rows, dtype=np.int8)

    _STATE = (
        "weights",
        "short",
        "slopes",
        "gradient",
        "ridge",
        "_pull",
        "_squares",
        "_base",
        "_sets",
    )

    def state(self) -> dict[str, Any]:
        """Return the arrays that a descent taken up again goes on with."""
        own = {name: getattr(self, name) for name in self._STATE}
        return own | {f"matrix {key}": value for key, value in self._matrix.state().items()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take them; the table has its present columns already."""
        for name in self._STATE:
            setattr(self, name, state[name])
        self._new_matrix()
        self._sets = state["_sets"]
        self._matrix.restore(
            {key[7:]: value for key, value in state.items() if key.startswith("matrix ")}
        )

    def begin(self, weights: FloatArray, short: FloatArray, base: FloatArray, sigma: float) -> None:
        """Take weights, their shortfalls, coefficients to stay near and a sharpness."""
        self.weights, self.short, self._base, self._sigma = weights, short, base, sigma
        self._settle(self._departure(self._raw()))
        self.gradient = self.ridge * self.weights - self.dual()

    def dual(self) -> FloatArray:
        """The weights that the slopes stand for: they meet `weights` at the minimum."""
        return self._pull + self.table.gathered(self._rows.signs * self.slopes)

    def refresh(self) -> None:
        """Take the shortfalls anew from the weights: every step leaves some rounding in them."""
        self.short = 1.0 - self._rows.signs * self.table.times(self.weights)
        self._settle(self._departure(self._raw()))

    def drop(self, places: IndexArray) -> None:
        """Leave out columns: a step to weights that are zero there."""
        gone = self.weights[places]
        image = self._matrix.times_part(places, gone)
        change = self.table.part_times(places, gone)
        moved_together = self.table.drop(places)
        for name in ("weights", "gradient", "ridge", "_pull", "_squares"):
            setattr(self, name, np.delete(getattr(self, name), places))
        self.short = self.short + self._rows.signs * change
        if moved_together:  # rare, and a good moment to be rid of rounding
            self.short = 1.0 - self._rows.signs * self.table.times(self.weights)
        if image is None:
            if self._matrix.suits(self.table):
                self._matrix.drop(places)
            else:
                self._new_matrix()
            self.begin(self.weights, self.short, self._base, self._sigma)
            return
        self._matrix.drop(places)
        self.gradient -= self._sigma * np.delete(image, places)
        self._arrive(self._departure(self._raw()))

    def descend(self, tolerance: float, limit: int) -> None:
        """Make Newton steps until the gradient moves the rows by no more than `tolerance`."""
        signs = self._rows.signs
        size, share = moves(self.gradient, self._squares), ROUGH
        while self.steps < limit and size > tolerance:
            enough = max(share * size, 0.3 * tolerance)
            step, rest = self._matrix.step(self.gradient, self._sigma, enough)
            fall = signs * self.table.times(step)
            length, there = self._search(float(self.gradient @ step), float(rest @ step), fall)
            self.steps += 1
            self.weights = self.weights + length * step
            self.short = self.short - length * fall
            model = (1.0 - length) * self.gradient + length * rest
            self.gradient = model.copy()
            self._arrive(there)
            # A step need not be better than the model: rows that changed sets were not in it.
            share = min(ROUGH, moves(self.gradient - model, self._squares) / size)
            size = moves(self.gradient, self._squares)

    def _raw(self) -> FloatArray:
        return self._base + self._sigma * self._rows.weights * self.short

    def _departure(self, raw: FloatArray) -> _Departure:
        upper = self._rows.upper
        sets = np.add(raw > 0.0, raw >= upper, dtype=np.int8)
        changed = np.flatnonzero(sets != self._sets)
        there = raw[changed]
        before, now = self._sets[changed] == INSIDE, sets[changed] == INSIDE
        model = np.where(before, there, np.where(self._sets[changed] == 0, 0.0, upper[changed]))
        excess = np.clip(there, 0.0, upper[changed]) - model
        return _Departure(raw, sets, changed, excess, now * 1.0 - before)

    def _settle(self, there: _Departure) -> None:
        self.slopes = np.clip(there.raw, 0.0, self._rows.upper)
        self._sets = there.sets
        entered, left = there.changed[there.bend > 0], there.changed[there.bend < 0]
        if len(entered) or len(left):
            self._matrix.move(entered, left, there.sets == INSIDE)

    def _arrive(self, there: _Departure) -> None:
        """Correct the gradient of the model by the rows that left it: no pass over the table."""
        if len(there.changed):
            excess = self._rows.signs[there.changed] * there.excess
            self.gradient -= self.table.gathered(excess, there.changed)
        self._settle(there)

    def _search(self, slope: float, rest: float, fall: FloatArray) -> tuple[float, _Departure]:
        """Return the length of a step at which the objective is least, and the rows there.

        Its derivative grows with the length, linearly between the lengths where a row changes sets.
        """
        raw = self._raw()
        rate = self._sigma * self._rows.weights * fall
        low, high, length = 0.0, np.inf, 1.0
        for _ in range(MOST_TRIALS):
            there = self._departure(raw - length * rate)
            moved = fall[there.changed]
            at = (1.0 - length) * slope + length * rest - float(moved @ there.excess)
            if FLAT * abs(slope) <= at <= STEEP * abs(slope):
                break
            low, high = (low, length) if at > 0 else (length, high)
            bend = rest - slope + float((there.bend * rate[there.changed]) @ moved)
            wish = length - at / bend if bend > 0 else np.inf
            if not low < wish < min(high, 10.0 * length):
                wish = 0.5 * (low + high) if np.isfinite(high) else 10.0 * length
            length = wish
        return length, there
