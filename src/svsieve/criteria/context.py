"""What a criterion is given, and what it gives back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from svsieve.arrays import FloatArray, IndexArray
from svsieve.kernels import KernelState, PairWeights
from svsieve.machines import DualProblem, DualSolution, Machine

# Two scores that differ by less than this share of the largest one count as equal, where a
# criterion does not know its own rounding better.
RESOLUTION = 1e-11
GAP = "gap"  # where that of refined scores is remembered


@dataclass(frozen=True, eq=False)
class Context:
    """One two-class problem, solved on the kept columns.

    Attributes
    ----------
    machine : Machine
    problem : DualProblem
    solution : DualSolution
        Over the rows of this problem.
    rows : ndarray of int or None
        Which rows of `state` these are, none of them twice; None: all of them, in order.
    labels : ndarray of +1.0 and -1.0 or None
        One per row of the problem.
    state : KernelState
        The kernel on the kept columns, `state.kept`; shared by all problems of an iteration.
    tol : float, default=1e-8
        KKT gap to which the problem was solved, for criteria that solve others.
    memory : dict
        The same dict in every step on the same rows: what a criterion likes to remember, such as
        where its own programs ended. It may change the time a criterion takes, never its scores.
    held_out : object, optional
        Rows set aside, for criteria that ask for them.
    counts : ndarray of float or None
        How many equal rows each row of the problem stands for, by its weight and by how often it
        was drawn; None: one.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.criteria import Context, WeightNorm
    >>> from svsieve.kernels import KernelState, Linear
    >>> from svsieve.machines import CSvm, solve
    >>> X, y = np.array([[-1.0, 0.0], [1.0, 0.0], [3.0, 1.0]]), np.array([-1.0, 1.0, 1.0])
    >>> state, machine = KernelState(Linear(), X), CSvm(C=10.0)
    >>> problem = machine.problem(state.diagonal(), y)
    >>> context = Context(machine, problem, solve(problem, state.gram()), None, y, state)
    >>> WeightNorm().scores(context)
    array([1., 0.])
    """

    machine: Machine
    problem: DualProblem
    solution: DualSolution
    rows: IndexArray | None
    labels: FloatArray | None
    state: KernelState
    tol: float = 1e-8
    memory: dict[str, Any] = field(default_factory=dict)
    held_out: Any = None
    counts: FloatArray | None = None

    @property
    def gap(self) -> float:
        """The KKT gap of the machine that scores come from."""
        return float(self.memory[GAP][1]) if self.is_refined else self.solution.kkt_gap

    @property
    def is_refined(self) -> bool:
        """Whether scores come from a machine solved further than `solution` is."""
        return GAP in self.memory and self.memory[GAP][0] is self.solution

    def scored_at(self, gap: float) -> None:
        """Say that scores come from a machine solved further than `solution` is."""
        self.memory[GAP] = (self.solution, gap)

    def gram(self) -> FloatArray:
        """Return the Gram matrix over the rows of the problem. Do not write to it."""
        K = self.state.gram()
        return K if self.rows is None else K[np.ix_(self.rows, self.rows)]

    def pair_weights(self) -> PairWeights:
        """Return how the machine's value depends on the Gram matrix, over the rows of `state`."""
        return self.lift(self.machine.pair_weights(self.solution))

    def lift(self, M: PairWeights) -> PairWeights:
        """Return pair weights over the rows of the problem as pair weights over those of `state`.

        Rows of `state` that are not in the problem have no weight.
        """
        if self.rows is None:
            return M
        rows = self.rows[M.rows]
        if (np.diff(rows) > 0).all():
            return PairWeights(rows, M.vector, M.full, M.scale)
        order = np.argsort(rows)
        vector = None if M.vector is None else M.vector[order]
        full = None if M.full is None else np.ascontiguousarray(M.full[np.ix_(order, order)])
        return PairWeights(rows[order], vector, full, M.scale)


@dataclass(frozen=True, eq=False)
class LeastScores:
    """The least scores, those that might tie with them, and the largest.

    Attributes
    ----------
    positions : ndarray of int
        Ascending positions in the kept columns.
    values : ndarray of float
        Their scores.
    resolution : float
        Difference below which two scores are a tie, as if all were known.
    """

    positions: IndexArray
    values: FloatArray
    resolution: float


class Criterion(Protocol):
    """What a column is worth.

    A criterion may also have

    - ``resolution(context, scores)``, one number for all columns or one for each, below which two
      scores count as equal (see `resolution_of`);
    - ``prepare(contexts, combine)``, told of all problems on a table before any of them is scored,
      and of the rule that joins their scores;
    - ``least(context, count)``, the smallest scores found without computing all of them, as
      `LeastScores`, or None where that is not possible.
    """

    def scores(self, context: Context) -> FloatArray:
        """Return one number per kept column; the smallest is dropped first, signs included."""


def resolution_of(criterion: Criterion, context: Context, scores: FloatArray) -> FloatArray | float:
    """Return the difference below which two scores of a criterion are a tie."""
    own = getattr(criterion, "resolution", None)
    if own is not None:
        found: FloatArray | float = own(context, scores)
        return found
    return share_of_largest(scores)


def share_of_largest(scores: FloatArray) -> float:
    """Return the resolution of scores of which nothing is known but the size of the finite ones."""
    return RESOLUTION * float(np.abs(scores[np.isfinite(scores)]).max(initial=0.0))
