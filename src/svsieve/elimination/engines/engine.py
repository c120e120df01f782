"""What the loop asks of an engine, and what all engines are given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import ClassVar, Protocol, overload

import numpy as np
import scipy.sparse as sp

from svsieve.arrays import FloatArray, IndexArray, Table
from svsieve.elimination.ordering import least
from svsieve.elimination.parts import Data, Parts, Task
from svsieve.elimination.schedules import clipped
from svsieve.elimination.sparing import going_after
from svsieve.elimination.stretch import EngineState, Solution, Stretch
from svsieve.kernels import Linear
from svsieve.machines import CSvm, FreeSum, L2Svm, Machine, Sphere


@dataclass(frozen=True, eq=False)
class Turn:
    """What is to be done next.

    Attributes
    ----------
    iteration : int
        From 1.
    kept : ndarray of int
        Columns left, ascending.
    least : int
        Columns that must stay.
    parts : Parts
    n_columns : int
        Columns at the beginning.
    """

    iteration: int
    kept: IndexArray
    least: int
    parts: Parts
    n_columns: int

    def count(self, scores: FloatArray | None = None) -> int:
        """Return how many columns go now."""
        size = len(self.kept)
        step = self.parts.schedule.step(size, self.iteration, self.n_columns, scores)
        return clipped(step, size, self.least)

    def counts(self, most: int) -> IndexArray:
        """Return how many columns go in each of the next steps, for schedules that know."""
        return self.parts.schedule.counts(
            len(self.kept), self.iteration, self.n_columns, self.least, most
        )


@dataclass(frozen=True, eq=False)
class Fit:
    """The machines trained on the columns left at the end.

    Attributes
    ----------
    scores : ndarray of shape (n_kept,)
        In the order of the kept columns.
    resolution : float or ndarray of shape (n_kept,)
        Below which two of them are a tie.
    accuracy, kkt_gap : float
    solutions : tuple of Solution
        One per problem; none from engines whose machines are not of this kind.
    """

    scores: FloatArray
    resolution: FloatArray | float
    accuracy: float
    kkt_gap: float
    solutions: tuple[Solution, ...] = ()


def step_of(fit: Fit, turn: Turn, data: Data, began: float) -> Stretch:
    """Return the step that follows from a fit: the columns of least score go.

    Parameters
    ----------
    fit : Fit
    turn : Turn
    data : Data
    began : float
        When, by `time.perf_counter`.
    """
    parts, scores = turn.parts, fit.scores
    resolution = np.broadcast_to(fit.resolution, scores.shape)
    count = turn.count(scores if parts.schedule.needs_scores else None)
    at = np.flatnonzero(~np.isin(turn.kept, parts.keep))
    chosen, tied = least(scores[at], resolution[at], count)
    rest = np.delete(scores[at], chosen)
    chosen = chosen[going_after(parts.spare, data.X, turn.kept, turn.kept[at[chosen]])]
    return Stretch(
        first=turn.iteration,
        size=len(turn.kept),
        counts=np.array([len(chosen)]),
        dropped=turn.kept[at[chosen]],
        scores=scores[at[chosen]],
        following=np.array([rest.min() if len(rest) else np.nan]),
        kkt_gap=np.array([fit.kkt_gap]),
        accuracy=np.array([fit.accuracy]),
        seconds=np.array([perf_counter() - began]),
        tied=np.array([tied]),
        solutions=[fit.solutions],
        totals=np.array([scores.sum()]),
        resolution=np.array([resolution[at[chosen]].max()]),
    )


class Engine(Protocol):
    """Trains machines, scores columns and drops the worst, one or several steps at a time.

    Engines differ in speed alone: the columns they drop are the same.
    """

    name: ClassVar[str]

    def advance(self, turn: Turn) -> Stretch:
        """Make at least one step."""

    def fit(self, turn: Turn) -> Fit:
        """Train on the columns left and score them all."""


class ResumableEngine(Engine, Protocol):
    """An engine that a killed run can be taken up with, to the same bits.

    The state holds what rounding and warm starts have made of the past; what follows from the table
    and the columns dropped is computed again.
    """

    def state(self) -> EngineState:
        """Return what the engine holds after the last step, in arrays that stay as they are."""

    def restore(self, dropped: Sequence[IndexArray], state: EngineState) -> None:
        """Take up a state; `dropped` are the columns of each step since the engine was made."""


@dataclass(frozen=True, eq=False)
class Rows:
    """The data as the solvers for any Gram matrix want it.

    A penalised bias is a constant column that is never dropped, with one row of zeros whose free
    coefficient lifts the constraint on the sum (see `machines.FreeSum`).

    Attributes
    ----------
    X : table
        With the extra row and column, if any. Dense columns of a linear kernel may be centred where
        coefficients sum to zero or the machine is a sphere: that changes no weight or distance,
        saves digits, and makes a constant column exactly zero.
    means : ndarray of shape (n_columns,) or None
        What was subtracted.
    tasks : tuple of Task
        Rows given explicitly where there is an extra one.
    machine : Machine
    extra_row : int or None
    n_columns : int
        Without the extra one.
    """

    X: Table
    tasks: tuple[Task, ...]
    machine: Machine
    extra_row: int | None
    n_columns: int
    means: FloatArray | None = None

    @classmethod
    def centred(cls, data: Data, parts: Parts) -> Rows:
        """Add what the bias asks for, and centre what may be centred."""
        rows = cls.of(data, parts)
        may_shift = isinstance(rows.machine, CSvm | L2Svm | FreeSum | Sphere)
        if not (type(parts.kernel) is Linear and may_shift and isinstance(rows.X, np.ndarray)):
            return rows
        centred, means = centred_columns(rows.X)
        return replace(rows, X=centred, means=means)

    @classmethod
    def of(cls, data: Data, parts: Parts) -> Rows:
        """Add what the bias asks for."""
        if parts.bias is None:
            return cls(data.X, data.tasks, parts.machine, None, data.n_columns)
        n, bias = data.n_rows, float(parts.bias)
        tasks = tuple(with_row(task, n) for task in data.tasks)
        machine = FreeSum(parts.machine)
        return cls(with_bias(data.X, bias), tasks, machine, n, data.n_columns)

    def columns(self, kept: IndexArray) -> IndexArray:
        """Return the columns to train on: the kept ones and the constant."""
        return kept if self.extra_row is None else np.append(kept, self.n_columns)


def centred_columns(X: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return columns less their means, constant ones exactly zero, and the means."""
    from_first = X - X[0]
    shift = from_first.mean(axis=0)
    constant = ~from_first.any(axis=0)
    shift[constant] = 0.0
    from_first -= shift
    return from_first, X[0] + shift


@overload
def with_bias(X: FloatArray, bias: float) -> FloatArray: ...
@overload
def with_bias(X: Table, bias: float) -> Table: ...
def with_bias(X: Table, bias: float) -> Table:
    """Return a table with a constant column and a row of zeros, the last ones."""
    n, d = X.shape
    constant = np.full((n, 1), bias)
    if not isinstance(X, np.ndarray):
        return sp.csr_array(sp.vstack([sp.hstack([X, constant]), sp.csr_array((1, d + 1))]))
    wide = np.zeros((n + 1, d + 1))
    wide[:n, :d], wide[:n, d:] = X, constant
    return wide


def with_row(task: Task, extra: int) -> Task:
    """Return a task that also has the row of zeros, with label 0 and weight 1."""
    assert task.labels is not None
    rows = np.arange(extra) if task.rows is None else task.rows
    weights = None if task.weights is None else np.append(task.weights, 1.0)
    return replace(
        task, rows=np.append(rows, extra), labels=np.append(task.labels, 0.0), weights=weights
    )
