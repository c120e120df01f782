"""The constant of a decision function where rounding must not decide it."""

from __future__ import annotations

import numpy as np

from svsieve.machines.problem import DualProblem, DualSolution

# Coefficients this near to a bound, as a share of the largest, are at the bound.
ROUNDING = 1e-12


def settled_offset(problem: DualProblem, solution: DualSolution) -> float:
    """Return the offset of a solution, in the middle of what is optimal where that is an interval.

    Rows strictly between their bounds fix the offset. Where there is none, every offset of an
    interval is optimal, and a coefficient that only rounding keeps off its bound must not pick one
    of them: which one it is depends on where the solver came from.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.machines import CSvm, solve
    >>> from svsieve.machines.offsets import settled_offset
    >>> x = np.array([-1.0, 0.0, 0.2, 1.2])
    >>> problem = CSvm(C=0.1).problem(x**2, labels=[-1, -1, 1, 1])
    >>> settled_offset(problem, solve(problem, np.outer(x, x)))
    -0.024
    """
    b, gradient = solution.coefficients, solution.gradient
    near = ROUNDING * float(np.abs(b).max(initial=0.0))
    above, below = b > problem.lower + near, b < problem.upper - near
    if (above & below).any():
        return solution.offset
    # The multiplier mu of the sum: gradient >= mu where a coefficient can rise, <= mu where it can
    # fall.
    least = gradient[above].max(initial=-np.inf)
    most = gradient[below].min(initial=np.inf)
    if not np.isfinite(least + most):
        return solution.offset
    return float(-0.5 * (least + most))
