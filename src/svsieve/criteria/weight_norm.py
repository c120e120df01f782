"""The classical criterion: how much the norm of the weight vector owes to a column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from svsieve.arrays import FloatArray, IndexArray
from svsieve.criteria.combine import Combine, PowerSum
from svsieve.criteria.context import Context, LeastScores, share_of_largest
from svsieve.criteria.refined_weights import LinearWeights, Refinement, refined_weights
from svsieve.criteria.retrain import (
    Candidate,
    known_values,
    least_by_bounds,
    lower_bounds,
    retrained_resolution,
    retrained_scores,
)
from svsieve.criteria.slack import check_order
from svsieve.kernels import KernelState, Linear

SETTLED = "settled"  # where the squares of a solution are remembered


@dataclass(frozen=True)
class WeightNorm:
    """The change of a machine's value when a column goes or shrinks: of ||w||^2 = u'Ku.

    Coefficients u stay frozen. What the value depends on is the machine's to say: M with
    d(value) = <M, dK> (see `Machine.pair_weights`), -uu' for classifiers, Diag(u) - uu' for spheres
    around one class, whose value is R^2 plus the penalty on the slacks.

    Parameters
    ----------
    order : {0, 1}, default=0
        0: ``|u'Ku - u'K(j)u|`` with K(j) the Gram matrix without column j; w_j^2 for the linear
        kernel. 1: ``|d u'Ku / d ln v_j|`` where v_j multiplies the column; 2 w_j^2 for the linear
        kernel. With squared slack that is also the slope of the trained machine's ||w||^2 plus its
        penalty.
    signed : bool, default=False
        Leave the absolute value out. With a kernel that is not linear the norm may also grow when
        a column goes; such columns then come first.
    retrain : bool, default=False
        Order 0 only: train the machine again without each column, warm-started, and score the
        column by the ||w||^2 plus twice the penalty on the slacks that results. The column without
        which the margin stays widest goes first. Takes a training for every column that bounds
        leave in doubt.

    Notes
    -----
    A column has a positive sign where what the machine measures shrinks without it: ||w||^2, or the
    sphere.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.criteria import Context, WeightNorm
    >>> from svsieve.kernels import KernelState, Linear
    >>> from svsieve.machines import CSvm, solve
    >>> X, y = np.array([[-1.0, 0.5], [1.0, 0.5], [3.0, 1.0]]), np.array([-1.0, 1.0, 1.0])
    >>> state, machine = KernelState(Linear(), X), CSvm(C=10.0)
    >>> problem = machine.problem(state.diagonal(), y)
    >>> context = Context(machine, problem, solve(problem, state.gram()), None, y, state)
    >>> WeightNorm(order=1).scores(context).round(9)
    array([2., 0.])
    >>> WeightNorm(retrain=True).scores(context).round(9)
    array([40.,  1.])
    """

    order: int = 0
    signed: bool = False
    retrain: bool = False

    def __post_init__(self) -> None:
        check_order(self.order, self.retrain, "WeightNorm")
        if self.retrain and self.signed:
            raise ValueError(
                "signed of WeightNorm must be False with retrain=True: the values of retrained "
                "machines are positive. Got True."
            )

    def scores(self, context: Context) -> FloatArray:
        """Return one number per kept column."""
        if self.retrain:
            return retrained_scores(context, self, _value, values=known_values(context))
        linear = self._linear_scores(context)
        if linear is not None:
            return linear[0]  # of a positive sign, signed or not
        M = context.pair_weights()
        if self.order == 0:
            change = -context.state.contract_without(M, change=True)
        else:
            change = context.state.contract_slopes(M)
        return np.sign(M.trace()) * change if self.signed else np.abs(change)

    def least(self, context: Context, count: int) -> LeastScores | None:
        """Return the least scores, found by screening in single precision.

        Parameters
        ----------
        context : Context
        count : int
            How many are wanted.

        Returns
        -------
        LeastScores or None
            None where computing all scores is as cheap, or the only way.
        """
        state = context.state
        if self.retrain:
            # The bounds leave so few columns that nothing is gained by knowing the values of all.
            return least_by_bounds(context, self, lower_bounds(context), count, _value)
        if self.signed or isinstance(state.kernel, Linear) or count >= state.n_kept:
            return None
        finder = state.least_without if self.order == 0 else state.least_slopes
        found = finder(context.pair_weights(), count)
        if found is None:
            return None
        values = np.abs(found.values)
        return LeastScores(found.positions, values, share_of_largest(values))

    def resolution(self, context: Context, scores: FloatArray) -> FloatArray | float:
        """Return the difference below which two scores are a tie.

        A weight w_j of the linear kernel is known to d_j = 1e-11 ||u|| ||x_j||, x_j centred, its
        square to ``d_j (2 |w_j| + d_j)``; where columns that are not the same come closer than
        that, and it is cheap, weights are computed in twice the precision and count as equal if
        they agree to a share of 1e-10. Other kernels, and machines whose value is no square: 1e-11
        of the largest score. Retrained: 2e-10 of the largest, or twice the tolerance if that is
        smaller.
        """
        if self.retrain:
            return retrained_resolution(context, scores)
        linear = self._linear_scores(context)
        return share_of_largest(scores) if linear is None else linear[1]

    def prepare(self, contexts: Sequence[Context], combine: Combine) -> None:
        """Settle the order of columns by what several problems on one table come to together.

        Parameters
        ----------
        contexts : sequence of Context
        combine : Combine
        """
        if not self.retrain:
            _settle(contexts, combine)

    def _linear_scores(self, context: Context) -> tuple[FloatArray, FloatArray] | None:
        """Scores and resolution where they are squares of weights; None elsewhere."""
        if not _is_linear(context):
            return None
        known = context.memory.get(SETTLED)
        if known is None or known[0] is not context.solution or known[1] != context.state.n_kept:
            _settle([context], PowerSum())
            known = context.memory[SETTLED]
        settled = known[2]
        factor = abs(context.pair_weights().scale) * (1.0 if self.order == 0 else 2.0)
        return factor * settled.squares, factor * settled.resolution


def _is_linear(context: Context) -> bool:
    return context.pair_weights().vector is not None and isinstance(context.state.kernel, Linear)


def _settle(contexts: Sequence[Context], combine: Combine) -> None:
    """Leave what is known of the weights in the memory of each context."""
    if not all(_is_linear(context) for context in contexts):
        return
    state = contexts[0].state

    @cache
    def table() -> FloatArray:
        return state.linear_columns(np.arange(state.n_rows))

    def columns(at: IndexArray) -> FloatArray:
        return np.asarray(table()[:, at])

    problems = [_weights(context) for context in contexts]
    settled = Refinement(contexts[0].memory).settle(problems, columns, combine)
    for context, found in zip(contexts, settled, strict=True):
        context.memory[SETTLED] = (context.solution, state.n_kept, found)
        if found.is_refined:
            context.scored_at(found.gap)


def _weights(context: Context) -> LinearWeights:
    """The weights of a linear machine."""
    M, state, problem = context.pair_weights(), context.state, context.problem
    assert isinstance(state.kernel, Linear)
    change = np.abs(state.contract_without(M, change=True))
    weights = np.sqrt(change / abs(M.scale))
    sizes = float(np.linalg.norm(context.solution.coefficients)) * column_norms(state, state.kernel)
    rows = np.arange(state.n_rows) if context.rows is None else context.rows

    def refine(most: float) -> tuple[Any, ...]:
        start = context.solution.coefficients
        return refined_weights(
            state.linear_columns(rows), np.arange(state.n_kept), problem, start, most
        )

    solution = context.solution
    answer = refine if problem.total == 0.0 else None
    return LinearWeights(weights, sizes, len(rows), solution.kkt_gap, solution.stopped, answer)


def _value(one: Candidate) -> float:
    """What a retrained machine comes to."""
    return one.value


def column_norms(state: KernelState, kernel: Linear) -> FloatArray:
    """Return the norms of the kept columns, centred over all rows and scaled by the kernel."""
    squares = state.n_rows * state.column_variances()
    norms = np.sqrt(squares) * kernel.column_factors(len(squares))
    return np.asarray(norms[state.kept])
