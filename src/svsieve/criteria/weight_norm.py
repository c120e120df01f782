"""The classical criterion: how much the norm of the weight vector owes to a column."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from svsieve.arrays import FloatArray
from svsieve.criteria.context import Context, share_of_largest
from svsieve.kernels import KernelState, Linear, PairWeights

# A weight of the linear kernel is a product u'x_j; this share of ||u|| ||x_j|| is its rounding.
WEIGHT_RESOLUTION = 1e-11


@dataclass(frozen=True)
class WeightNorm:
    """The change of ||w||^2 = u'Ku, coefficients u frozen, when a column goes or shrinks.

    Parameters
    ----------
    order : {0, 1}, default=0
        0: ``|u'Ku - u'K(j)u|`` with K(j) the Gram matrix without column j; w_j^2 for the linear
        kernel. 1: ``|d u'Ku / d ln v_j|`` where v_j multiplies the column; 2 w_j^2 for the linear
        kernel.
    signed : bool, default=False
        Leave the absolute value out. With a kernel that is not linear the norm may also grow when
        a column goes; such columns then come first.

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
    """

    order: int = 0
    signed: bool = False

    def __post_init__(self) -> None:
        if self.order not in (0, 1):
            raise ValueError(f"order of WeightNorm must be 0 or 1. Got {self.order!r}.")

    def scores(self, context: Context) -> FloatArray:
        """Return one number per kept column."""
        M = context.lift(PairWeights.outer(context.solution.coefficients))
        if self.order == 0:
            change = -context.state.contract_without(M, change=True)
        else:
            change = context.state.contract_slopes(M)
        return change if self.signed else np.abs(change)

    def resolution(self, context: Context, scores: FloatArray) -> FloatArray | float:
        """Return the difference below which two scores are a tie.

        A weight w_j of the linear kernel is known to d_j = 1e-11 ||u|| ||x_j||, x_j centred, its
        square to d_j (2 |w_j| + d_j). Other kernels: 1e-11 of the largest score.
        """
        if not isinstance(context.state.kernel, Linear):
            return share_of_largest(scores)
        factor = 1.0 if self.order == 0 else 2.0
        weights = np.sqrt(np.abs(scores) / factor)
        size = float(np.linalg.norm(context.solution.coefficients))
        rounding = WEIGHT_RESOLUTION * size * _column_norms(context.state, context.state.kernel)
        return np.asarray(factor * rounding * (2.0 * weights + rounding))


def _column_norms(state: KernelState, kernel: Linear) -> FloatArray:
    """Norms of the kept columns, centred over all rows of the state and scaled by the kernel."""
    squares = state.n_rows * state.column_variances()
    norms = np.sqrt(squares) * kernel.column_factors(len(squares))
    return np.asarray(norms[state.kept])
