"""How much of the smallest sphere around the rows is owed to a column."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from svsieve.arrays import FloatArray
from svsieve.criteria.context import Context
from svsieve.criteria.slack import check_order
from svsieve.kernels import PairWeights
from svsieve.machines import EnclosingSphere, solve

_MEMORY = "sphere around the targets"


@dataclass(frozen=True)
class Radius:
    """The change of R^2 when a column goes or shrinks, R the radius around all rows of the class.

    R^2 = max_b sum_k b_k K_kk - b'Kb over b >= 0 that sum to one is the smallest sphere that holds
    the rows, none outside. It depends on K as <Diag(b) - bb', K>, b frozen. Known negatives are
    left out. Meant for machines of one class; with others it takes no notice of labels.

    Parameters
    ----------
    order : {0, 1}, default=0
        0: ``|R^2 - R^2(j)|`` with column j left out of the kernel and b frozen. 1:
        ``|d R^2 / d ln v_j|`` where v_j multiplies the column: exact, the sphere adapts.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.criteria import Context, Radius
    >>> from svsieve.kernels import KernelState, Linear
    >>> from svsieve.machines import Svdd, solve
    >>> state, machine = KernelState(Linear(), np.array([[0.0, 1.0], [4.0, 1.0]])), Svdd(nu=0.5)
    >>> problem = machine.problem(state.diagonal())
    >>> context = Context(machine, problem, solve(problem, state.gram()), None, None, state)
    >>> Radius().scores(context)
    array([4., 0.])
    """

    order: int = 0

    def __post_init__(self) -> None:
        check_order(self.order, False, "Radius")

    def scores(self, context: Context) -> FloatArray:
        """Return one number per kept column."""
        M = context.lift(PairWeights.covariance(self._centre(context)))
        if self.order == 0:
            return np.abs(context.state.contract_without(M, change=True))
        return np.abs(context.state.contract_slopes(M))

    def _centre(self, context: Context) -> FloatArray:
        """The b of the smallest sphere around the rows that may have positive coefficients."""
        K = context.gram()
        inside = np.ones(len(K))
        if context.problem.total != 0.0:
            inside = (context.problem.upper > 0.0).astype(np.float64)
        problem = EnclosingSphere().problem(np.diagonal(K), row_weights=inside)
        start = context.memory.get(_MEMORY)
        solution = solve(problem, K, start=start, tol=context.tol)
        context.memory[_MEMORY] = solution.coefficients
        return solution.coefficients
