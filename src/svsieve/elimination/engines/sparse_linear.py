"""The engine for sparse rows and linear machines: nothing of the size of the table is dense."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any, ClassVar

import numpy as np

from svsieve.arrays import FloatArray, IndexArray
from svsieve.criteria import PowerSum, WeightNorm
from svsieve.criteria.refined_weights import FOR_ORDER, LEAST_PASSES, SPENT
from svsieve.elimination.engines.engine import Fit, Turn, step_of
from svsieve.elimination.engines.linear_scores import joined_squares, weights_of
from svsieve.elimination.parts import Data, Parts, Task
from svsieve.elimination.stretch import EngineState, Solution, Stretch
from svsieve.kernels import Linear
from svsieve.machines import CSvm, L2Svm, LinearPrimal
from svsieve.memory import check_fits
from svsieve.native import core, one_blas_thread

# What the row furthest off may be off by. In the mean, rows are fifty times nearer: weights equal
# by symmetry must come out equal as far as their rounding (criteria/refined_weights.py) tells.
TOL = 5e-10
MANY_ENTRIES = 100_000
# Steps of one call into the core, and seconds after which it returns, as for wide data.
MOST_STEPS = 8192
MOST_SECONDS = 0.2


class SparseLinearEngine:
    """Keeps machines at their optimum by a few passes over the entries of the table in a step.

    Problems share one copy of the table, which closes up as columns leave.
    """

    name: ClassVar[str] = "sparse-linear"

    def __init__(
        self, data: Data, parts: Parts, kept: IndexArray, *, solutions: bool = False
    ) -> None:
        assert isinstance(parts.criterion, WeightNorm)
        assert isinstance(parts.kernel, Linear)
        self._data, self._parts = data, parts
        self._every_solution = solutions
        self._factor = 2.0 if parts.criterion.order == 1 else 1.0
        self._memory: dict[str, Any] = {}
        self._path = _path(data, parts, kept)

    def advance(self, turn: Turn) -> Stretch:
        """Make as many steps as fit into a moment, or one where Python has to have a look."""
        if self._by_steps():
            return self._one_step(turn)
        counts = turn.counts(MOST_STEPS)
        answer = self._path.advance(
            counts, MOST_SECONDS, self._every_solution, self._can_rescue(), self._can_refine()
        )
        if not len(answer[0]):
            return self._one_step(turn)
        made, dropped, scores, following, gaps, accuracy, seconds, tied, totals, open_, b, o = (
            answer
        )
        return Stretch(
            first=turn.iteration,
            size=len(turn.kept),
            counts=made.astype(np.int64),
            dropped=dropped.astype(np.int64),
            scores=self._factor * scores,
            following=self._factor * following,
            kkt_gap=gaps,
            accuracy=accuracy,
            seconds=seconds,
            tied=tied != 0,
            solutions=self._all_solutions(b, o, len(made)) if self._every_solution else (),
            totals=self._factor * totals,
            resolution=self._factor * open_,
        )

    def fit(self, turn: Turn) -> Fit:
        """Train on the columns left and score them all."""
        self._solve()
        scores, resolution, gap = self._scores()
        return Fit(scores, resolution, self._path.accuracy(), gap, self._solutions())

    def state(self) -> EngineState:
        """Return what the machines hold."""
        return {"path": self._path.state(), SPENT: np.array(self._memory.get(SPENT, 0.0))}

    def restore(self, dropped: Sequence[IndexArray], state: EngineState) -> None:
        """Give the machines what they held."""
        gone = np.concatenate([np.empty(0, dtype=np.int64), *dropped])
        self._path.restore(gone, state["path"])
        self._memory[SPENT] = float(state[SPENT])

    def _by_steps(self) -> bool:
        """Whether something has to be asked between the scores and the drop of every step."""
        parts = self._parts
        single = len(self._data.tasks) == 1
        plain = single or parts.combine == PowerSum()
        return parts.schedule.needs_scores or parts.spare is not None or not plain

    def _can_rescue(self) -> bool:
        """Whether machines that are stuck may be solved in another way."""
        return self._parts.max_iter == -1

    def _solve(self) -> None:
        """Solve the machines; those that are stuck by Newton's method on all columns.

        That is slower, and has not been seen but where rows of huge values hardly differ.
        """
        path, X = self._path, self._data.X
        path.solve()
        if not self._can_rescue():
            return
        machine: Any = self._parts.machine
        for q in path.stuck().astype(np.int64):
            task = self._data.tasks[q]
            table: Any = self._parts.kernel.scaled(X)  # type: ignore[attr-defined]
            other = LinearPrimal(
                table if task.rows is None else table[task.rows],
                np.asarray(task.labels),
                machine,
                task.weights,
                bias=self._parts.bias,
                kept=path.kept().astype(np.int64),
            )
            found = other.solve(_tolerance(self._parts, machine, int(table.nnz)))
            path.give(int(q), found.coefficients, found.offset)

    def _can_refine(self) -> bool:
        """Whether ties of columns that are not equal can be looked into."""
        at_once, in_all = FOR_ORDER
        spent = self._memory.get(SPENT, 0.0)
        passes = LEAST_PASSES * self._data.n_rows * self._path.width()
        return bool(passes < min(at_once, in_all - spent))

    def _one_step(self, turn: Turn) -> Stretch:
        began = perf_counter()
        step = step_of(self.fit(turn), turn, self._data, began)
        self._path.drop(step.dropped)
        return step

    def _scores(self) -> tuple[FloatArray, FloatArray, float]:
        """Join the squared weights of the problems; say what is left open of them, and the gap."""
        tasks, path = self._data.tasks, self._path
        kept, gap = path.kept().astype(np.int64), path.gap()
        kernel: Any = self._parts.kernel
        table = kernel.scaled(self._data.X)
        problems = [
            weights_of(
                self._parts,
                table,
                kept,
                task,
                coefficients,
                weights=weights,
                sizes=sizes,
                gap=gap,
                stopped="precision-floor" if self._can_rescue() else "iteration-limit",
            )
            for task, coefficients, weights, sizes in zip(
                tasks,
                self._coefficients(path.coefficients()),
                path.weights().reshape(len(tasks), -1),
                path.sizes().reshape(len(tasks), -1),
                strict=True,
            )
        ]
        return joined_squares(self._parts, table, kept, problems, self._memory)

    def _coefficients(self, flat: FloatArray) -> list[FloatArray]:
        """Those of each problem."""
        n = self._data.n_rows
        sizes = [n if task.rows is None else len(task.rows) for task in self._data.tasks]
        return np.split(flat, np.cumsum(sizes)[:-1])

    def _solutions(self) -> tuple[Solution, ...]:
        path = self._path
        return self._all_solutions(path.coefficients(), path.offsets(), 1)[0]

    def _all_solutions(
        self, coefficients: FloatArray, offsets: FloatArray, steps: int
    ) -> list[tuple[Solution, ...]]:
        tasks = self._data.tasks
        out = []
        for of_step, offset in zip(
            coefficients.reshape(steps, -1), offsets.reshape(steps, -1), strict=True
        ):
            solved = []
            for task, b, constant in zip(tasks, self._coefficients(of_step), offset, strict=True):
                at = np.flatnonzero(b)
                rows = at if task.rows is None else task.rows[at]
                solved.append(Solution(rows, b[at], float(constant)))
            out.append(tuple(solved))
        return out


def _path(data: Data, parts: Parts, kept: IndexArray) -> Any:
    """Hand table and problems to the core, which copies the table."""
    machine: Any = parts.machine
    assert isinstance(machine, CSvm | L2Svm)
    X: Any = data.X
    if not X.has_sorted_indices:
        X = X.sorted_indices()
    n, d = X.shape
    numbers = 2 * X.nnz + len(data.tasks) * (d + 8 * n) + 10 * d
    check_fits(
        8.0 * numbers,
        f"An elimination of {d:,} columns on {n:,} rows with {X.nnz:,} entries",
        "Use fewer columns: a filter such as svsieve.fisher_score finds candidates.",
    )
    weights = parts.kernel.weights  # type: ignore[attr-defined]
    factors = np.empty(0) if weights is None else np.sqrt(np.asarray(weights, dtype=np.float64))
    with one_blas_thread():
        return core.SparsePath(
            X.indptr.astype(np.int64),
            np.ascontiguousarray(X.indices, dtype=np.int32),
            np.ascontiguousarray(X.data, dtype=np.float64),
            d,
            factors,
            kept,
            kept[~np.isin(kept, parts.keep)],
            [_program(task, machine, n) for task in data.tasks],
            parts.bias is None,
            float(parts.bias or 0.0),
            _tolerance(parts, machine, int(X.nnz)),
            int(parts.max_iter),
        )


def _tolerance(parts: Parts, machine: CSvm | L2Svm, entries: int) -> float:
    """With C coefficients and weights become small: so must what is left.

    Those of the squared slack are C times what rows fall short: what is left of that counts as it
    is. The last digit is for small tables, where it costs nothing.
    """
    as_it_is = isinstance(machine, L2Svm) and entries > MANY_ENTRIES
    return min(parts.tol, TOL if as_it_is else TOL * min(1.0, machine.C))


def _program(task: Task, machine: CSvm | L2Svm, n: int) -> tuple[Any, ...]:
    """Rows, labels, bounds and ridge of a problem in terms of coefficients without sign."""
    size = n if task.rows is None else len(task.rows)
    program = machine.problem(np.ones(size), task.labels, task.weights)
    rows = np.empty(0) if task.rows is None else task.rows
    upper = np.maximum(program.upper, -program.lower)
    return rows.astype(np.int32), -program.linear, upper, program.ridge
