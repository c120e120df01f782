"""The engine for tall linear data: many more rows than columns."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from svsieve.arrays import FloatArray, IndexArray
from svsieve.criteria import WeightNorm
from svsieve.criteria.refined_weights import SPENT, LinearWeights
from svsieve.elimination.engines.engine import Fit, Turn, centred_columns, step_of
from svsieve.elimination.engines.linear_scores import joined_squares, weights_of
from svsieve.elimination.parts import Data, Parts, Task
from svsieve.elimination.stretch import EngineState, Solution, Stretch
from svsieve.kernels import Linear
from svsieve.kernels.gamma import ColumnMoments
from svsieve.machines import CSvm, L2Svm, LinearPrimal, LinearSolution

TOL = 1e-10
# Where a column is so many deviations away from zero the table is centred, at the price of a copy:
# the squares of such a column would leave the others few digits.
FAR = 100.0


class TallLinearEngine:
    """Trains linear machines in their weights, warm-started from the step before."""

    name: ClassVar[str] = "tall-linear"

    def __init__(self, data: Data, parts: Parts, kept: IndexArray) -> None:
        assert isinstance(parts.criterion, WeightNorm)
        self._data, self._parts = data, parts
        assert isinstance(parts.kernel, Linear)
        self._table = parts.kernel.scaled(data.X)
        moments = ColumnMoments(self._table)
        self._spread = _spread(moments, data.n_rows, parts.bias)
        self._means = np.zeros(data.n_columns)
        far = moments.mean**2 > FAR**2 * moments.variance
        # Only a bias that is not penalised makes up for it; a sparse table would be sparse no more.
        if parts.bias is None and isinstance(self._table, np.ndarray) and far[kept].any():
            self._table, self._means = centred_columns(self._table)
        self._machines = [self._machine(task, kept) for task in data.tasks]
        self._memory: dict[str, Any] = {}

    def advance(self, turn: Turn) -> Stretch:
        """Make one step."""
        began = perf_counter()
        step = step_of(self.fit(turn), turn, self._data, began)
        for machine in self._machines:
            machine.drop(step.dropped)
        return step

    def fit(self, turn: Turn) -> Fit:
        """Train on the columns left and score them all."""
        solved = self._solve()
        scores, resolution, gap = self._scores(solved, turn.kept)
        return Fit(scores, resolution, self._accuracy(solved), gap, self._solutions(solved))

    def state(self) -> EngineState:
        """Return what each machine holds."""
        held = {
            f"{q} {name}": values
            for q, machine in enumerate(self._machines)
            for name, values in machine.state().items()
        }
        return held | {SPENT: np.array(self._memory.get(SPENT, 0.0))}

    def restore(self, dropped: Sequence[IndexArray], state: EngineState) -> None:
        """Give each machine what it held."""
        held: list[dict[str, npt.NDArray[Any]]] = [{} for _ in self._machines]
        for key, values in state.items():
            if key == SPENT:
                self._memory[SPENT] = float(values)
                continue
            q, name = key.split(" ", 1)
            held[int(q)][name] = values
        for machine, values_of in zip(self._machines, held, strict=True):
            machine.restore(dropped, values_of)

    def _machine(self, task: Task, kept: IndexArray) -> LinearPrimal:
        machine = self._parts.machine
        assert isinstance(machine, CSvm | L2Svm)
        assert task.labels is not None
        X = self._table if task.rows is None else self._table[task.rows]
        return LinearPrimal(X, task.labels, machine, task.weights, bias=self._parts.bias, kept=kept)

    def _solve(self) -> list[LinearSolution]:
        machine = self._parts.machine
        assert isinstance(machine, CSvm | L2Svm)
        # With C the coefficients, and with them the weights, become small: so must what is left.
        tol = min(self._parts.tol, TOL * min(1.0, machine.C))
        limit = {} if self._parts.max_iter == -1 else {"max_iter": self._parts.max_iter}
        return [machine.solve(tol, **limit) for machine in self._machines]

    def _scores(
        self, solved: list[LinearSolution], kept: IndexArray
    ) -> tuple[FloatArray, FloatArray, float]:
        problems = [
            self._weights(task, one, kept)
            for task, one in zip(self._data.tasks, solved, strict=True)
        ]
        return joined_squares(self._parts, self._table, kept, problems, self._memory)

    def _weights(self, task: Task, one: LinearSolution, kept: IndexArray) -> LinearWeights:
        """The weights of a problem; a free offset takes the part of constant columns."""
        varies = (self._spread[kept] > 0.0) | (self._parts.bias is not None)
        return weights_of(
            self._parts,
            self._table,
            kept,
            task,
            one.coefficients,
            weights=np.where(varies, one.weights, 0.0),
            sizes=float(np.linalg.norm(one.coefficients)) * self._spread[kept],
            gap=one.kkt_gap,
            stopped=one.stopped,
        )

    def _accuracy(self, solved: list[LinearSolution]) -> float:
        shares = [
            np.mean(np.asarray(task.labels) * one.values > 0.0)
            for task, one in zip(self._data.tasks, solved, strict=True)
        ]
        return float(np.mean(shares))

    def _solutions(self, solved: list[LinearSolution]) -> tuple[Solution, ...]:
        out = []
        for task, machine, one in zip(self._data.tasks, self._machines, solved, strict=True):
            at = np.flatnonzero(one.coefficients)
            rows = at if task.rows is None else task.rows[at]
            offset = one.offset - float(one.weights @ self._means[machine.kept])
            out.append(Solution(rows, one.coefficients[at], offset))
        return tuple(out)


def _spread(moments: ColumnMoments, n_rows: int, bias: float | None) -> FloatArray:
    """Norms of the centred columns; a penalised bias adds a row of zeros, as in `Rows`."""
    squares = n_rows * moments.variance
    if bias is not None:
        squares = squares + moments.mean**2 * n_rows / (n_rows + 1)
    return np.sqrt(squares)
