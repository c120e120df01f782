"""Held-out decision values along an elimination, from the solutions of its own steps.

Every step of an elimination has a machine trained on the columns left. What that machine makes of
rows it has not seen costs one more product with kernel values that are carried along like those of
the training rows; nothing is fitted again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from svsieve.arrays import FloatArray, IndexArray, Table
from svsieve.elimination import Data, Parts, Path, PathRecorder, Solution, Stretch
from svsieve.elimination.engines import engine_name
from svsieve.elimination.loop import notes_of, record, walk
from svsieve.elimination.solved import solutions_on
from svsieve.errors import IncompatiblePartsError
from svsieve.kernels import Kernel, Linear
from svsieve.kernels.cross_state import CrossState
from svsieve.kernels.gamma import ColumnMoments
from svsieve.kernels.pairings import dense_columns
from svsieve.native import one_blas_thread

# Decision values of shape (steps, problems, held-out rows) to scores of shape (steps, metrics).
Score = Callable[[FloatArray], FloatArray]

# Linear machines are judged many steps at a time: up to so many columns dropped between the first
# and the last, which makes matrix products large enough, and so many numbers in each table.
BLOCK_COLUMNS = 256
BLOCK_ENTRIES = 1 << 22
# Products of held-out and training rows are kept up to this size.
MOST_PRODUCTS = 1 << 25
# Sparse tables are copied together when so few of their columns are left.
LEAST_USED = 0.7


class HeldOut(ABC):
    """What the machines of an elimination make of held-out rows.

    Parameters
    ----------
    data : Data
        What is trained on.
    parts : Parts
    Z : table
        Held-out rows, with all columns.
    """

    def __init__(self, data: Data, parts: Parts, Z: Table) -> None:
        self._data, self._parts = data, parts
        self._n_held_out = int(Z.shape[0])

    @abstractmethod
    def follow(self, stretch: Stretch) -> Iterator[FloatArray]:
        """Yield decision values of its steps in blocks of shape (steps, problems, rows)."""

    @abstractmethod
    def judge(self, solutions: tuple[Solution, ...], iteration: int) -> FloatArray:
        """Return the decision values, of shape (1, problems, rows), by machines on what is left."""

    @abstractmethod
    def drop(self, columns: IndexArray) -> None:
        """Leave out columns."""

    def _by_problem(self, values: FloatArray, n_steps: int) -> FloatArray:
        """Tell steps and problems apart; machines of several draws of rows decide by their mean."""
        table = values.reshape(n_steps, -1, len(self._data.tasks), self._n_held_out)
        return np.asarray(table.mean(axis=1))

    def _coefficients(self, steps: Sequence[tuple[Solution, ...]]) -> tuple[FloatArray, FloatArray]:
        """Coefficients over all training rows, one line per solution, and the constants."""
        solutions = [solution for step in steps for solution in step]
        B = np.zeros((len(solutions), self._data.n_rows))
        for line, solution in zip(B, solutions, strict=True):
            line[solution.rows] = solution.values
        return B, np.array([solution.offset for solution in solutions])


def held_out_rows(data: Data, parts: Parts, Z: Table) -> HeldOut:
    """Return the cheapest way to judge held-out rows along an elimination.

    Parameters
    ----------
    data : Data
    parts : Parts
    Z : ndarray (float64, C order) or CSR array
        Checked, with the columns of the training rows.

    Returns
    -------
    HeldOut
    """
    if not isinstance(parts.kernel, Linear):
        return _KernelRows(data, parts, Z)
    if engine_name(data, parts) == "sparse-linear":
        return _SparseWeights(data, parts, Z)
    n, m = data.n_rows, int(Z.shape[0])
    many_columns = data.n_columns * (n + m) > n * m
    if many_columns and n * m <= MOST_PRODUCTS:
        return _LinearProducts(data, parts, Z)
    return _LinearWeights(data, parts, Z)


@dataclass(frozen=True, eq=False)
class ScoredPath:
    """An elimination with the scores of held-out rows.

    Attributes
    ----------
    path : Path
    scores : ndarray of shape (n_sizes, n_metrics)
        One line for each of ``path.sizes``.
    """

    path: Path
    scores: FloatArray


def follow(data: Data, parts: Parts, Z: Table, score: Score) -> ScoredPath:
    """Eliminate columns and score held-out rows at every size.

    Parameters
    ----------
    data : Data
        What is trained on.
    parts : Parts
    Z : table
        Held-out rows.
    score : callable
        From decision values of shape (steps, problems, rows) to scores of shape (steps, metrics).

    Returns
    -------
    ScoredPath

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.elimination import Data, Parts, Task
    >>> from svsieve.kernels import Linear
    >>> from svsieve.machines import CSvm
    >>> from svsieve.selection.folds import follow
    >>> X = np.random.default_rng(0).normal(size=(60, 4))
    >>> y = np.where(X[:, 2] > 0, 1.0, -1.0)
    >>> data = Data(X[:40], (Task(labels=y[:40]),), (y[:40] > 0).astype(np.int64))
    >>> right = lambda f: (f[:, 0] * y[40:] > 0).mean(axis=1, keepdims=True)
    >>> scored = follow(data, Parts(Linear(), CSvm(10.0)), X[40:], right)
    >>> scored.path.sizes, scored.scores.ravel()
    (array([4, 3, 2, 1]), array([0.95, 0.95, 1.  , 1.  ]))
    """
    if parts.retune is not None:
        raise IncompatiblePartsError(
            f"held-out rows cannot be scored along an elimination with {parts.retune!r}, which "
            "changes the kernel on the way."
        )
    held_out = held_out_rows(data, parts, Z)
    recorder = PathRecorder(data.n_columns, notes=notes_of(data, parts))
    scores: list[FloatArray] = []
    for stretch in record(recorder, walk(data, parts, solutions=True)):
        with one_blas_thread():  # the products are small
            scores.extend(score(block) for block in held_out.follow(stretch))
    path = recorder.path()
    assert path.final_solutions is not None
    scores.append(score(held_out.judge(path.final_solutions, recorder.iteration + 1)))
    return ScoredPath(path, np.concatenate(scores))


def scores_at(
    data: Data, parts: Parts, Z: Table, score: Score, path: Path, sizes: IndexArray
) -> FloatArray:
    """Score held-out rows at sizes that a path did not visit, with machines trained there.

    Parameters
    ----------
    data, parts, Z, score
        As in `follow`.
    path : Path
        Of the same data and parts; its order says which columns make up a size.
    sizes : ndarray of int

    Returns
    -------
    ndarray of shape (n_sizes, n_metrics)
    """
    held_out = held_out_rows(data, parts, Z)
    kept = np.arange(data.n_columns)
    scores: dict[int, FloatArray] = {}
    for size in np.unique(sizes)[::-1].tolist():
        left = np.sort(path.top(size))
        held_out.drop(np.setdiff1d(kept, left, assume_unique=True))
        kept = left
        # The step that would have begun with so many columns: its draw of rows is used.
        iteration = int(np.searchsorted(-path.sizes, -size)) + 1
        found = solutions_on(data, parts, left, iteration)
        scores[size] = score(held_out.judge(found, iteration))[0]
    return np.array([scores[size] for size in np.asarray(sizes).tolist()])


class _LinearProducts(HeldOut):
    """Few rows: products of held-out and training rows, from which columns are subtracted.

    With G the products over the columns before the first step of a block and B the coefficients of
    its steps, decisions are F = B G' - (mask o (B X_d)) Z_d' over the columns d that the block
    drops, where the mask is one for steps after the column went.
    """

    def __init__(self, data: Data, parts: Parts, Z: Table) -> None:
        super().__init__(data, parts, Z)
        assert isinstance(parts.kernel, Linear)
        self._cross = CrossState(parts.kernel, Z, data.X)
        self._X, self._Z = (_by_columns(parts.kernel.scaled(table)) for table in (data.X, Z))

    def follow(self, stretch: Stretch) -> Iterator[FloatArray]:
        starts = np.append(0, np.cumsum(stretch.counts))
        step = 0
        while step < len(stretch):
            begin = starts[step]
            limit = self._cross.droppable(stretch.dropped[begin : begin + BLOCK_COLUMNS])
            stop = int(np.searchsorted(starts[:-1], begin + limit, side="right"))
            stop = min(stop, step + self._most_steps(len(stretch.solutions[0])))
            yield self._block(stretch, step, stop, starts)
            self.drop(stretch.dropped[begin : starts[stop]])
            step = stop

    def judge(self, solutions: tuple[Solution, ...], iteration: int) -> FloatArray:
        B, offsets = self._coefficients([solutions])
        return self._by_problem(B @ self._cross.values().T + offsets[:, None], 1)

    def drop(self, columns: IndexArray) -> None:
        self._cross.drop(columns)

    def _most_steps(self, solutions: int) -> int:
        return max(1, BLOCK_ENTRIES // (solutions * max(self._data.n_rows, BLOCK_COLUMNS)))

    def _block(self, stretch: Stretch, step: int, stop: int, starts: IndexArray) -> FloatArray:
        B, offsets = self._coefficients(stretch.solutions[step:stop])
        values = B @ self._cross.values().T
        gone = stretch.dropped[starts[step] : starts[stop - 1]]
        if len(gone):
            part = B @ dense_columns(self._X, gone)
            went = np.repeat(np.arange(stop - 1 - step), stretch.counts[step : stop - 1])
            at = np.repeat(np.arange(stop - step), len(B) // (stop - step))
            part[at[:, None] <= went] = 0.0
            values -= part @ dense_columns(self._Z, gone).T
        return self._by_problem(values + offsets[:, None], stop - step)


class _LinearWeights(HeldOut):
    """Few columns: the weights of the columns left, applied to the held-out rows."""

    _X: Any
    _Z: Any

    def __init__(self, data: Data, parts: Parts, Z: Table) -> None:
        super().__init__(data, parts, Z)
        assert isinstance(parts.kernel, Linear)
        self._X, self._Z = parts.kernel.scaled(data.X), parts.kernel.scaled(Z)
        self._kept = np.ones(data.n_columns, dtype=bool)

    def follow(self, stretch: Stretch) -> Iterator[FloatArray]:
        for step in stretch:
            yield self.judge(step.solutions, step.iteration)
            self.drop(step.dropped)

    def judge(self, solutions: tuple[Solution, ...], iteration: int) -> FloatArray:
        weights = np.array([one.values @ self._X[one.rows] for one in solutions])
        offsets = np.array([one.offset for one in solutions])
        values = np.asarray(self._Z @ (weights * self._kept).T).T
        return self._by_problem(values + offsets[:, None], 1)

    def drop(self, columns: IndexArray) -> None:
        self._kept[columns] = False


class _SparseWeights(_LinearWeights):
    """Sparse rows: the same, and tables that close up once enough of their columns are gone."""

    def __init__(self, data: Data, parts: Parts, Z: Table) -> None:
        super().__init__(data, parts, Z)
        self._X, self._Z = sp.csr_array(self._X), sp.csr_array(self._Z)
        self._names = np.arange(data.n_columns)  # of the columns that the tables have

    def judge(self, solutions: tuple[Solution, ...], iteration: int) -> FloatArray:
        B, offsets = self._coefficients([solutions])
        weights = (self._X.T @ B.T) * self._kept[self._names, None]
        return self._by_problem((self._Z @ weights).T + offsets[:, None], 1)

    def drop(self, columns: IndexArray) -> None:
        super().drop(columns)
        left = self._kept[self._names]
        if np.count_nonzero(left) < LEAST_USED * len(left):
            self._X, self._Z = self._X[:, left], self._Z[:, left]
            self._names = self._names[left]


class _KernelRows(HeldOut):
    """Any kernel: its values between held-out and training rows, carried along."""

    def __init__(self, data: Data, parts: Parts, Z: Table) -> None:
        super().__init__(data, parts, Z)
        self._cross = CrossState(parts.kernel, Z, data.X)
        self._rule = not all(leaf.has_numeric_gamma() for leaf in parts.kernel.leaves())
        self._moments: ColumnMoments | None = None

    def follow(self, stretch: Stretch) -> Iterator[FloatArray]:
        for step in stretch:
            yield self.judge(step.solutions, step.iteration)
            self.drop(step.dropped)

    def judge(self, solutions: tuple[Solution, ...], iteration: int) -> FloatArray:
        kernels = self._kernels(iteration, len(solutions) // len(self._data.tasks))
        each = len(solutions) // len(kernels)
        values = [
            self._values(kernel, solutions[each * q : each * (q + 1)])
            for q, kernel in enumerate(kernels)
        ]
        return self._by_problem(np.concatenate(values), 1)

    def drop(self, columns: IndexArray) -> None:
        self._cross.drop(columns)

    def _values(self, kernel: Kernel, solutions: tuple[Solution, ...]) -> FloatArray:
        """Decision values of machines that share a kernel, over the rows that any of them needs."""
        rows = np.unique(np.concatenate([one.rows for one in solutions]))
        B = np.zeros((len(solutions), len(rows)))
        for line, one in zip(B, solutions, strict=True):
            line[np.searchsorted(rows, one.rows)] = one.values
        every = len(rows) == self._data.n_rows
        values = B @ self._cross.values(kernel, None if every else rows).T
        return np.asarray(values + np.array([[one.offset] for one in solutions]))

    def _kernels(self, iteration: int, draws: int) -> list[Kernel]:
        """The kernel with its gamma; with a rule for that, one per draw of training rows."""
        kernel, kept, data = self._parts.kernel, self._cross.kept, self._data
        if not self._rule:
            return [kernel]
        sampler, seed = self._parts.sampler, self._parts.seed
        found = sampler.draws(data.groups, len(kept), iteration, seed)
        assert len(found) == draws
        return [kernel.bind_to(self._measured(draw.rows), kept) for draw in found]

    def _measured(self, rows: IndexArray | None) -> ColumnMoments:
        X, weights = self._data.X, self._data.row_weights
        if rows is not None:
            return ColumnMoments(X[rows], None if weights is None else weights[rows])
        if self._moments is None:
            self._moments = ColumnMoments(X, weights)
        return self._moments


def _by_columns(table: Table) -> Table:
    """Return a table whose columns can be picked quickly."""
    return table if isinstance(table, np.ndarray) else sp.csc_array(table)
