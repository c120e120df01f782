"""The engine for wide linear data: many more columns than rows, a few dropped at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from svsieve.arrays import FloatArray, IndexArray
from svsieve.criteria import WeightNorm
from svsieve.elimination.engines.engine import Fit, Rows, Turn
from svsieve.elimination.parts import Data, Parts, Task
from svsieve.elimination.stretch import EngineState, Solution, Stretch
from svsieve.kernels import Linear
from svsieve.machines import DualProblem
from svsieve.native import core, one_blas_thread

# How far the solver goes: weights that are equal by symmetry must come out equal (see the tie rule
# of core/src/wide/column_lists.cpp).
TOL = 1e-12

# Steps of one call into the core. It returns after so many seconds at the latest, so that progress
# is seen, interrupts are heard and checkpoints written.
MOST_STEPS = 8192
MOST_SECONDS = 0.2


class WideLinearEngine:
    """Keeps machines at their optimum while columns go, hundreds of steps in one native call.

    The criterion is the sum over the problems of w_j^2. Problems on some of the rows have the
    coefficients of the others pinned to zero.
    """

    name: ClassVar[str] = "wide-linear"

    def __init__(self, data: Data, parts: Parts, kept: IndexArray, *, solutions: bool) -> None:
        rows = Rows.of(data, parts)
        self._extra_row, self._bias = rows.extra_row, parts.bias
        self._every_solution = solutions
        self._factor = 2.0 if _order(parts) == 1 else 1.0
        assert isinstance(parts.kernel, Linear)
        table = parts.kernel.scaled(rows.X)
        self._table = table if isinstance(table, np.ndarray) else table.toarray()
        columns = rows.columns(kept)
        problems = [_program(rows, task) for task in rows.tasks]
        linear, lower, upper, ridge = (
            np.array([getattr(problem, name) for problem in problems])
            for name in ("linear", "lower", "upper", "ridge")
        )
        candidates = kept[~np.isin(kept, parts.keep)]
        with one_blas_thread():
            self._path = core.WidePath(
                self._table,
                columns,
                candidates,
                linear,
                lower,
                upper,
                ridge,
                starts=np.zeros_like(linear),
                tolerance=TOL,
            )

    def advance(self, turn: Turn) -> Stretch:
        """Make as many steps as fit into a moment."""
        with one_blas_thread():
            answer = self._path.advance(turn.counts(MOST_STEPS), MOST_SECONDS, self._every_solution)
        counts, dropped, scores, following, gaps, accuracy, seconds, tied, b, offsets, r = answer
        stretch = Stretch(
            first=turn.iteration,
            size=len(turn.kept),
            counts=counts.astype(np.int64),
            dropped=dropped.astype(np.int64),
            scores=self._factor * scores,
            following=self._factor * following,
            kkt_gap=gaps,
            accuracy=accuracy,
            seconds=seconds,
            tied=tied != 0,
            resolution=self._factor * r,
        )
        if not self._every_solution:
            return stretch
        shape = (len(counts), -1, len(self._table))
        solutions = self._solutions(
            turn.kept, stretch.dropped, stretch.counts, b.reshape(shape), offsets
        )
        return replace(stretch, solutions=solutions)

    def fit(self, turn: Turn) -> Fit:
        """Score the columns left; the machines are trained already."""
        with one_blas_thread():
            scores, resolution, accuracy, gap, b, offsets = self._path.fit()
        solutions = self._last_solutions(turn.kept, b, offsets)
        size = len(turn.kept)  # without the column of a penalised bias, which is the last
        scores, resolution = self._factor * scores[:size], self._factor * resolution[:size]
        return Fit(scores, resolution, accuracy, gap, solutions)

    def state(self) -> EngineState:
        """Return the Gram matrix as it was down-dated, and what each machine holds."""
        return {"path": self._path.state()}

    def restore(self, dropped: Sequence[IndexArray], state: EngineState) -> None:
        """Give the path what it held."""
        gone = np.concatenate([np.empty(0, dtype=np.int64), *dropped])
        self._path.restore(gone, state["path"])

    def seconds(self) -> dict[str, float]:
        """Return where the time went: choosing columns, down-dating, solving."""
        return dict(zip(("choosing", "down_dating", "solving"), self._path.seconds(), strict=True))

    def _last_solutions(
        self, kept: IndexArray, b: FloatArray, offsets: FloatArray
    ) -> tuple[Solution, ...]:
        """The present solutions, as those of a step that drops nothing."""
        b, none = b.reshape(1, -1, len(self._table)), np.empty(0, dtype=np.int64)
        return self._solutions(kept, none, np.zeros(1, dtype=np.int64), b, offsets)[0]

    def _solutions(
        self,
        kept: IndexArray,
        dropped: IndexArray,
        counts: IndexArray,
        b: FloatArray,
        offsets: FloatArray,
    ) -> list[tuple[Solution, ...]]:
        """Solutions of steps that drop columns of `kept`, in terms of the table as it was given.

        The core works on centred columns; b'(X m) over the columns in use turns its constant into
        that of the columns themselves. Taken as b'((X - m) m) + sum(b) m'm it keeps its digits
        where columns are far from zero.
        """
        means = self._table.mean(axis=0)
        squares = np.append(0.0, np.cumsum(means[dropped] ** 2))

        def products(columns: IndexArray) -> FloatArray:
            return np.asarray((self._table[:, columns] - means[columns]) * means[columns])

        gone = np.cumsum(products(dropped), axis=1)
        begins = np.append(0, np.cumsum(counts)[:-1])
        whole = products(kept).sum(axis=1)
        shifts = np.column_stack([whole, whole[:, None] - gone[:, begins[1:] - 1]])
        lengths = (means[kept] ** 2).sum() - squares[begins]
        constants = offsets.reshape(b.shape[:2])
        return [
            tuple(
                self._solution(
                    point, constant - float(point @ shifts[:, step] + point.sum() * lengths[step])
                )
                for point, constant in zip(b[step], constants[step], strict=True)
            )
            for step in range(len(b))
        ]

    def _solution(self, b: FloatArray, offset: float) -> Solution:
        if self._extra_row is not None:
            b = b[: self._extra_row]
            offset = float(self._bias or 0.0) ** 2 * float(b.sum())
        rows = np.flatnonzero(b)
        return Solution(rows, b[rows], float(offset))


def _program(rows: Rows, task: Task) -> DualProblem:
    """The program of a task over all rows, those outside it pinned to zero."""
    n = rows.X.shape[0]
    size = n if task.rows is None else len(task.rows)
    inner = rows.machine.problem(np.ones(size), task.labels, task.weights)
    if task.rows is None:
        return inner

    def spread(values: FloatArray) -> FloatArray:
        whole = np.zeros(n)
        whole[task.rows] = values
        return whole

    linear, ridge = spread(inner.linear), spread(inner.ridge)
    return DualProblem(linear, spread(inner.lower), spread(inner.upper), inner.total, ridge)


def _order(parts: Parts) -> int:
    assert isinstance(parts.criterion, WeightNorm)
    return parts.criterion.order
