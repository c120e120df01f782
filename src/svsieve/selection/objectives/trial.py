"""What an objective is given, one machine and one kernel to be tried, and what it gives back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, Protocol

import numpy as np

from svsieve.arrays import FloatArray, IndexArray
from svsieve.criteria import Context
from svsieve.kernels import KernelState, PairWeights
from svsieve.machines import CSvm, L2Svm, rescale_start, solve
from svsieve.machines.classifiers import weights_per_row

_MEMORY = "machine"


class NoValueError(ValueError):
    """An objective has no finite value for these parameters; the search looks elsewhere."""


@dataclass(frozen=True, eq=False)
class Judgement:
    """The value of an objective and how it changes with the parameters.

    Attributes
    ----------
    value : float
        Smaller is better; infinite where there is none.
    log_C : float
        d value / d ln C, the machine trained again; NaN for objectives without slopes.
    params : dict of str to float
        Derivatives in the parameters of the kernel, named as `KernelState.contract_params` names
        them; empty for objectives without slopes.
    log_v : ndarray of shape (n_columns,) or None
        d value / d ln v_j where v_j multiplies column j; None where it was not asked for.
    left_out : ndarray of shape (n_rows,) or None
        y f(x) of each row, left out; None where it was not asked for or is not known.
    """

    value: float
    log_C: float = float("nan")
    params: dict[str, float] = field(default_factory=dict)
    log_v: FloatArray | None = None
    left_out: FloatArray | None = None

    def __add__(self, other: Judgement) -> Judgement:
        """Add values and slopes, as for the problems that several classes are made of.

        Margins of rows left out stand side by side.
        """
        log_v = left_out = None
        if self.log_v is not None and other.log_v is not None:
            log_v = self.log_v + other.log_v
        if self.left_out is not None and other.left_out is not None:
            left_out = np.concatenate([self.left_out, other.left_out])
        params = {
            name: slope + other.params[name]
            for name, slope in self.params.items()
            if name in other.params
        }
        value, log_C = self.value + other.value, self.log_C + other.log_C
        return Judgement(value, log_C, params, log_v, left_out)


def summed(judgements: Iterable[Judgement]) -> Judgement:
    """Return the sum of judgements of the same parameters on different problems."""
    return reduce(Judgement.__add__, judgements)


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Rows that no machine is trained on, among those of a `KernelState`."""

    rows: IndexArray
    labels: FloatArray
    weights: FloatArray

    @property
    def total(self) -> float:
        """Number of rows, each as often as it weighs."""
        return float(self.weights.sum())


class Trial:
    """A machine and a kernel on rows whose labels are known.

    Parameters
    ----------
    machine : CSvm or L2Svm
    state : KernelState
        Over the training rows, then those held out, if any.
    labels, weights : ndarray of shape (n_rows,)
        Of the training rows.
    held_out : HeldOut or None
    slopes : bool
        Whether slopes in the scales of the columns are asked for.
    counts : ndarray of shape (n_rows,) or None
        How many rows each row stands for, where margins of rows left out are asked for.
    tol : float
        KKT gap of all solutions.
    memory : dict
        Where earlier trials left their solutions, to start from.
    """

    def __init__(
        self,
        machine: CSvm | L2Svm,
        state: KernelState,
        labels: FloatArray,
        weights: FloatArray | None,
        *,
        held_out: HeldOut | None = None,
        slopes: bool = False,
        counts: FloatArray | None = None,
        tol: float = 1e-8,
        memory: dict[Any, dict[str, Any]] | None = None,
    ) -> None:
        self.machine, self.state, self.held_out = machine, state, held_out
        self.labels, self.weights = labels, weights_per_row(weights, len(labels))
        self.slopes, self.counts, self.tol = slopes, counts, tol
        self.n_trainings = 0
        self._memory = {} if memory is None else memory

    def trained(self, rows: IndexArray | None = None, name: Any = None) -> Context:
        """Return the machine, trained on some of the training rows: all by default.

        Parameters
        ----------
        rows : ndarray of int, optional
        name : hashable, optional
            Trials that share it have the same rows and start from each other's solutions.
        """
        if rows is None and self.held_out is not None:
            rows = np.arange(len(self.labels))
        labels = self.labels if rows is None else self.labels[rows]
        weights = self.weights if rows is None else self.weights[rows]
        diagonal = self.state.diagonal() if rows is None else self.state.diagonal()[rows]
        if not np.isfinite(diagonal).all():
            raise NoValueError("the kernel is not finite.")
        K = self.state.gram() if rows is None else self.state.gram()[np.ix_(rows, rows)]
        memory = self._memory.setdefault(name, {})
        problem = self.machine.problem(diagonal, labels, weights)
        start = None
        if _MEMORY in memory:
            before, old_C = memory[_MEMORY]
            start = rescale_start(before, old_C, self.machine.C)
        solution = solve(problem, K, start=start, tol=self.tol)
        self.n_trainings += 1
        if solution.stopped == "unbounded":
            raise NoValueError("the machine has no solution.")
        memory[_MEMORY] = (solution.coefficients, self.machine.C)
        return Context(self.machine, problem, solution, rows, labels, self.state, self.tol, memory)

    def judgement(
        self, value: float, log_C: float, M: PairWeights, left_out: FloatArray | None = None
    ) -> Judgement:
        """Return a value with the slopes that follow from d(value) = <M, dK>.

        Parameters
        ----------
        value, log_C : float
        M : PairWeights
            Over the rows of `state`.
        left_out : ndarray, optional
            Margins of rows left out.
        """
        if not np.isfinite(value):
            raise NoValueError("the value is not finite.")
        log_v = self.state.contract_slopes(M) if self.slopes else None
        return Judgement(value, log_C, self.state.contract_params(M), log_v, left_out)


class Objective(Protocol):
    """An estimate of the error of a machine, to be made small.

    An objective with ``needs_held_out = True`` is given held-out rows and says with
    ``split(labels)`` which ones to hold out where the caller has none: two arrays of row numbers,
    for training and for judging. One with ``tells_left_out = True`` puts the margins of rows left
    out into its judgements where the trial has `counts`.
    """

    @property
    def has_slopes(self) -> bool:
        """Whether judgements carry derivatives."""

    @property
    def is_bound(self) -> bool:
        """Whether values are positive and unbounded, so that their logarithm is searched."""

    def judge(self, trial: Trial) -> Judgement:
        """Return value and slopes; raise `NoValueError` where there is no value."""
