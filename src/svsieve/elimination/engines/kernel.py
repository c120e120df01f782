"""The engine for everything: any kernel, machine, criterion, schedule, sampler."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from svsieve.arrays import FloatArray, IndexArray
from svsieve.criteria import Context, Criterion, resolution_of
from svsieve.elimination.engines.engine import Fit, Rows, Turn
from svsieve.elimination.ordering import least
from svsieve.elimination.parts import Data, Parts, Task
from svsieve.elimination.samplers import Draw
from svsieve.elimination.sparing import going_after
from svsieve.elimination.stretch import EngineState, Solution, Stretch
from svsieve.kernels import KernelState, Linear
from svsieve.machines import DualProblem, DualSolution, Sphere, solve
from svsieve.native import one_blas_thread

# Weights of a linear kernel that are equal by symmetry must not be told apart by what the solver
# left undone; a polished solution costs next to nothing more.
LINEAR_TOL = 1e-13
# A machine with such a KKT gap is not solved at all: its scores are not known to any digit.
NO_SOLUTION = 0.1


@dataclass(frozen=True, eq=False)
class Trained:
    """One problem of one draw, solved: its context, and the rows of the table it stands on."""

    context: Context
    rows: IndexArray | None


class KernelEngine:
    """Trains every machine on a kernel state, warm-started from the step before.

    With all rows in use the state is carried along and columns are subtracted from it; a fresh draw
    of rows gets a state of its own. The problems of several classes share one state.
    """

    name: ClassVar[str] = "kernel"

    def __init__(self, data: Data, parts: Parts, kept: IndexArray) -> None:
        self._data, self._parts, self._kept = data, parts, kept
        self._rows = Rows.centred(data, parts)
        self._state: KernelState | None = None
        self._starts: list[FloatArray | None] = [None] * len(data.tasks)
        self._memories: list[dict[str, Any]] = [{} for _ in data.tasks]
        linear = isinstance(parts.kernel, Linear)
        self._tol = min(parts.tol, LINEAR_TOL) if linear else parts.tol

    def advance(self, turn: Turn) -> Stretch:
        """Make one step."""
        began = perf_counter()
        with one_blas_thread():  # once for all the small calls inside
            draws = self._train(turn)
            count, columns, scores, following, tied, total, width = self._choose(draws, turn)
            trained = [one for draw in draws for one in draw]
            if self._state is not None:
                self._state.drop(columns)
        return Stretch(
            first=turn.iteration,
            size=len(turn.kept),
            counts=np.array([count]),
            dropped=columns,
            scores=scores,
            following=np.array([following]),
            kkt_gap=np.array([_gap(trained)]),
            accuracy=np.array([_accuracy(trained)]),
            seconds=np.array([perf_counter() - began]),
            tied=np.array([tied]),
            solutions=[tuple(self._solution(one, turn.kept) for one in trained)],
            totals=None if total is None else np.array([total]),
            resolution=np.array([width]),
        )

    def fit(self, turn: Turn) -> Fit:
        """Train on the columns left and score them all."""
        draws = self._train(turn)
        scores, resolution = self._scores(draws, turn)
        trained = [one for draw in draws for one in draw]
        solutions = tuple(self._solution(one, turn.kept) for one in trained)
        return Fit(scores, resolution, _accuracy(trained), _gap(trained), solutions)

    # ---- a run that is taken up again

    def state(self) -> EngineState:
        """Return where the next solutions start, and how the kernel state stands."""
        found: dict[str, npt.NDArray[Any]] = {}
        for q, (start, memory) in enumerate(zip(self._starts, self._memories, strict=True)):
            entries: dict[str, Any] = {"start": start}
            entries |= {f"memory {key}": value for key, value in memory.items()}
            # What criteria remember beside numbers is made again from the table.
            found |= {
                f"{q} {key}": np.asarray(value)
                for key, value in entries.items()
                if isinstance(value, np.ndarray | float)
            }
        if self._state is not None:
            found["pauses"] = np.array(self._state.screening_pauses())
        return found

    def restore(self, dropped: Sequence[IndexArray], state: EngineState) -> None:
        """Drop the columns from a kernel state as the run did, and start from where it was."""
        for name, values in state.items():
            if name == "pauses":
                continue
            q, key = name.split(" ", 1)
            if key == "start":
                self._starts[int(q)] = values
            else:
                held = values if values.ndim else float(values)
                self._memories[int(q)][key.removeprefix("memory ")] = held
        if "pauses" in state:
            kernel_state = self._state_of(None, self._kept)
            for columns in dropped:
                kernel_state.drop(columns)
            kernel_state.pause_screening(state["pauses"].tolist())

    # ---- training

    def _train(self, turn: Turn) -> list[list[Trained]]:
        parts = self._parts
        draws = parts.sampler.draws(self._data.groups, len(turn.kept), turn.iteration, parts.seed)
        return [self._train_draw(draw, turn.kept) for draw in draws]

    def _train_draw(self, draw: Draw, kept: IndexArray) -> list[Trained]:
        rows = draw.rows
        if rows is not None and self._rows.extra_row is not None:
            rows = np.append(rows, self._rows.extra_row)
        state = self._state_of(rows, kept)
        return [
            self._train_task(q, task, rows, draw.counts, state)
            for q, task in enumerate(self._rows.tasks)
        ]

    def _state_of(self, rows: IndexArray | None, kept: IndexArray) -> KernelState:
        columns = self._rows.columns(kept)
        weights = self._data.row_weights if self._rows.extra_row is None else None
        if rows is None:
            if self._state is None:
                self._state = KernelState(
                    self._parts.kernel, self._rows.X, kept=columns, row_weights=weights
                )
            return self._state
        self._state = None
        own = None if weights is None else weights[rows]
        return KernelState(self._parts.kernel, self._rows.X[rows], kept=columns, row_weights=own)

    def _train_task(
        self,
        q: int,
        task: Task,
        drawn: IndexArray | None,
        counts: FloatArray | None,
        state: KernelState,
    ) -> Trained:
        """Solve one problem on the rows drawn: `at` are its rows in the state."""
        at, rows, labels, weights = _rows_of(task, drawn, counts, self._rows.extra_row)
        gram = state.gram()
        if at is not None:
            gram = gram[np.ix_(at, at)]
        problem = self._rows.machine.problem(np.diagonal(gram), labels, weights)
        before = self._starts[q]
        start = before if before is None or rows is None else before[rows]
        solution = solve(problem, gram, start=start, tol=self._tol, max_iter=self._parts.max_iter)
        if solution.stopped == "unbounded":
            raise ValueError(
                f"{self._rows.machine!r} has no solution on the {state.n_kept} columns left: the "
                "rows of the two classes cannot be separated. Use a finite C, or stop at more "
                "columns."
            )
        point = np.zeros(self._rows.X.shape[0])
        point[slice(None) if rows is None else rows] = solution.coefficients
        self._starts[q] = point
        memory = self._memories[q] if drawn is None else {}
        context = Context(
            self._rows.machine,
            problem,
            solution,
            at,
            labels,
            state,
            self._tol,
            memory,
            counts=self._counted(rows, at if drawn is not None else None, counts),
        )
        return Trained(context, rows)

    def _counted(
        self, rows: IndexArray | None, at: IndexArray | None, drawn: FloatArray | None
    ) -> FloatArray | None:
        """How many equal rows each row of a problem stands for: `rows` of the table, `at` drawn."""
        factors = []
        extra = () if self._rows.extra_row is None else (1.0,)
        for counts, mine in ((self._data.row_weights, rows), (drawn, at)):
            if counts is not None:
                counts = np.append(counts, extra)
                factors.append(counts if mine is None else counts[mine])
        return np.asarray(np.prod(factors, axis=0)) if factors else None

    def _solution(self, one: Trained, kept: IndexArray) -> Solution:
        """The solution in terms of the table as it was given."""
        coefficients, offset = one.context.solution.coefficients, one.context.solution.offset
        at = np.flatnonzero(coefficients)
        rows, values = at if one.rows is None else one.rows[at], coefficients[at]
        if self._rows.extra_row is not None:
            mine = rows < self._rows.extra_row
            rows, values = rows[mine], values[mine]
            # The constant is its column times its weight, which is the column times b.
            return Solution(rows, values, float(self._parts.bias or 0.0) ** 2 * values.sum())
        if self._rows.means is not None:
            assert isinstance(self._parts.kernel, Linear)
            factors = self._parts.kernel.column_factors(len(self._rows.means))[kept] ** 2
            weights = values @ self._rows.X[np.ix_(rows, kept)]
            offset -= float(weights @ (factors * self._rows.means[kept]))
            if isinstance(self._rows.machine, Sphere):  # R^2 = b'Kb + 2 offset stays what it is
                offset -= 0.5 * float(factors @ self._rows.means[kept] ** 2)
        return Solution(rows, values, offset)

    # ---- choosing

    def _choose(
        self, draws: list[list[Trained]], turn: Turn
    ) -> tuple[int, IndexArray, FloatArray, float, bool, float | None, float]:
        """Return count, columns to drop, their scores, what follows, ties, total, resolution."""
        found, total = self._screened(draws, turn), None
        if found is None:
            scores, resolution = self._scores(draws, turn)
            total = float(np.abs(scores).sum())
            count = turn.count(scores if self._parts.schedule.needs_scores else None)
            at = np.arange(len(turn.kept))
            if len(self._parts.keep):
                at = np.flatnonzero(~np.isin(turn.kept, self._parts.keep))
        else:
            count, at, scores, resolution = found
        r = np.broadcast_to(resolution, scores.shape)
        if found is None:
            scores, r = scores[at], r[at]
        chosen, tied = least(scores, r, count)
        rest = np.delete(scores, chosen)
        following = float(rest.min()) if len(rest) else np.nan
        columns = turn.kept[at[chosen]]
        left = going_after(self._parts.spare, self._data.X, turn.kept, columns)
        width = float(r[chosen].max())
        # Where the machine is none, that is what the gap says, not a tie.
        tied = tied and _gap([one for draw in draws for one in draw]) < NO_SOLUTION
        return len(left), columns[left], scores[chosen[left]], following, tied, total, width

    def _screened(
        self, draws: list[list[Trained]], turn: Turn
    ) -> tuple[int, IndexArray, FloatArray, FloatArray | float] | None:
        """The least scores alone, where the criterion finds them without the others."""
        parts = self._parts
        finder: Any = getattr(parts.criterion, "least", None)
        one_problem = len(draws) == 1 and len(draws[0]) == 1
        needs_all = parts.schedule.needs_scores or any(stop.needs_total for stop in parts.stops)
        if finder is None or not one_problem or needs_all or self._rows.extra_row is not None:
            return None
        context = draws[0][0].context
        count = turn.count()
        found = finder(context, count + len(parts.keep))
        if found is None:
            return None
        free = ~np.isin(turn.kept[found.positions], parts.keep)
        return count, found.positions[free], found.values[free], found.resolution

    def _scores(
        self, draws: list[list[Trained]], turn: Turn
    ) -> tuple[FloatArray, FloatArray | float]:
        """Scores of the kept columns, joined over problems and draws, with their resolution."""
        parts, n_kept = self._parts, len(turn.kept)
        joined, resolutions = [], []
        prepare: Any = getattr(parts.criterion, "prepare", None)
        for draw in draws:
            if prepare is not None and len(draw) > 1:
                prepare([one.context for one in draw], parts.combine)
            tables, widths = [], []
            for one in draw:
                scores = _checked(parts.criterion, one.context)
                width = resolution_of(parts.criterion, one.context, scores)
                tables.append(scores[:n_kept])
                widths.append(np.broadcast_to(width, scores.shape)[:n_kept])
            joined.append(parts.combine(np.array(tables)))
            resolution = parts.combine.resolution(np.array(widths), joined[-1])
            resolutions.append(np.broadcast_to(resolution, (n_kept,)))
        total = parts.sampler.combine(np.array(joined))
        return total, parts.sampler.combine.resolution(np.array(resolutions), total)


def _checked(criterion: Criterion, context: Context) -> FloatArray:
    """The scores of a criterion, which may be a user's, refused where they are no scores."""
    scores = np.asarray(criterion.scores(context), dtype=np.float64)
    if scores.shape != (context.state.n_kept,):
        raise ValueError(
            f"{criterion!r} must score each of {context.state.n_kept} columns with one number. "
            f"Got scores of shape {scores.shape}."
        )
    if np.isnan(scores).any():
        column = context.state.kept[int(np.isnan(scores).argmax())]
        raise ValueError(f"{criterion!r} must score columns with numbers. Column {column} has nan.")
    return scores


def _rows_of(
    task: Task, drawn: IndexArray | None, counts: FloatArray | None, extra: int | None
) -> tuple[IndexArray | None, IndexArray | None, Any, FloatArray | None]:
    """Rows of a task among those drawn: in the state, in the table, their labels and weights."""
    if drawn is None:
        return task.rows, task.rows, task.labels, task.weights
    if task.rows is None:
        mine, at, rows = drawn, None, drawn
    else:
        _, mine, at = np.intersect1d(task.rows, drawn, assume_unique=True, return_indices=True)
        rows = drawn[at]
    labels = None if task.labels is None else task.labels[mine]
    weights = None if task.weights is None else task.weights[mine]
    if counts is not None:
        times = counts if extra is None else np.append(counts, 1.0)
        times = times if at is None else times[at]
        weights = times if weights is None else weights * times
    return at, rows, labels, weights


def _gap(trained: list[Trained]) -> float:
    return max(_known_gap(one.context) for one in trained)


def _known_gap(context: Context) -> float:
    """The gap of a machine, or what rounding leaves open of it where that alone is no solution.

    Decision values are sums of b_i k(x_i, x): where kernel values and coefficients are huge, all of
    their digits may be rounding, whatever gap they seem to have.
    """
    if context.is_refined:
        return context.gap
    solution = context.solution
    size = float(np.abs(context.state.diagonal()).max(initial=0.0))
    open_ = np.finfo(np.float64).eps * size * float(np.abs(solution.coefficients).sum())
    return max(solution.kkt_gap, open_) if open_ > NO_SOLUTION else solution.kkt_gap


def _accuracy(trained: list[Trained]) -> float:
    """Share of training rows on the right side, averaged over the problems."""
    return float(np.mean([_share_right(one.context) for one in trained]))


def _share_right(context: Context) -> float:
    if context.problem.total != 0.0:
        return _share_inside(context)
    if context.labels is None:
        return float("nan")
    values = decision_values(context.problem, context.solution)
    judged = context.labels != 0.0
    right = context.labels * values > 0.0
    return float(right[judged].mean())


def _share_inside(context: Context) -> float:
    """Share of rows that a machine of one class accepts, known negatives that it rejects.

    How far inside a row lies is the gradient (without its ridge) less the multiplier of the sum:
    half of R^2 less the squared distance for spheres. Rows on the boundary are inside.
    """
    problem, solution = context.problem, context.solution
    depth = solution.gradient - problem.ridge * solution.coefficients + solution.offset
    rounding = max(2.0 * solution.kkt_gap / problem.gap_unit, 1e-12 * float(np.abs(depth).max()))
    if context.labels is None:
        return float((depth >= -rounding).mean())
    return float((context.labels * depth >= -rounding).mean())


def decision_values(problem: DualProblem, solution: DualSolution) -> FloatArray:
    """Decision values of the training rows, read off the gradient (K + ridge) b + linear."""
    inner = solution.gradient - problem.ridge * solution.coefficients - problem.linear
    return np.asarray(inner + solution.offset)
