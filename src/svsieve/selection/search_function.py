"""An estimate of the error as a function of the point of a search.

Scales of columns are as many numbers as there are columns, and few rows do not tell them all: a
bound can be made smaller by scales that suit these rows alone. Scales that differ therefore have to
pay. With T the estimate, v the scales and n the number of rows,

    T exp(shrink / n * Var(ln v))

is minimised, of a bound the logarithm. Var is the mean square of ln v_j about their mean, so that a
common scale costs nothing, and many rows may have scales as different as they like.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from svsieve.arrays import FloatArray
from svsieve.selection.objectives import Judge, Objective, summed
from svsieve.selection.search_space import SearchSpace

# Of an estimate that is no bound: beyond, the descent turns back.
MOST_COST = 20.0


class SearchFunction:
    """What a search descends, with a record of what each call found.

    Parameters
    ----------
    space : SearchSpace
    judges : sequence of Judge
        One for each problem; their values are added.
    objective : Objective
        Theirs.
    price : float, default=0.0
        The shrink / n above.

    Attributes
    ----------
    values : list of float
        T at each call.
    trainings : list of int
        Machines trained until then, by all judges.
    left_out : list of (ndarray or None)
        Margins of rows left out, where somebody asked for them.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.kernels import Rbf
    >>> from svsieve.machines import L2Svm
    >>> from svsieve.selection.objectives import Judge, RadiusMargin
    >>> from svsieve.selection.search_function import SearchFunction
    >>> from svsieve.selection.search_space import SearchSpace
    >>> X = np.array([[0.0, 5.0], [1.0, 3.0], [4.0, 5.0], [5.0, 4.0]])
    >>> judge = Judge(RadiusMargin(), X, np.array([-1.0, -1.0, 1.0, 1.0]))
    >>> space = SearchSpace.around(L2Svm(C=1.0), Rbf(gamma=0.1), 2, scales=True)
    >>> function = SearchFunction(space, [judge], RadiusMargin(), price=0.5)
    >>> value, slopes = function(np.array([0.0, 1.0, -1.0]))  # ln C, ln v
    >>> round(float(value - np.log(function.values[0])), 6), slopes.shape
    (0.5, (3,))
    """

    def __init__(
        self,
        space: SearchSpace,
        judges: Sequence[Judge],
        objective: Objective,
        price: float = 0.0,
    ) -> None:
        self._space, self._judges, self._objective = space, judges, objective
        self._price = price
        self.values: list[float] = []
        self.trainings: list[int] = []
        self.left_out: list[FloatArray | None] = []

    def __call__(self, point: FloatArray) -> tuple[float, FloatArray | None]:
        """Return value and slopes; no slopes, or an infinite value, where there is none."""
        space = self._space
        machine, kernel = space.parts(point)
        found = summed(judge(machine, kernel, slopes=space.n_scales > 0) for judge in self._judges)
        value = found.value if math.isfinite(found.value) else math.inf
        self.values.append(value)
        self.trainings.append(sum(judge.n_trainings for judge in self._judges))
        self.left_out.append(found.left_out)
        slopes = space.slopes(found)
        if slopes is None:
            return value, None
        unevenness, by_scale = space.unevenness(point)
        cost, by_scale = self._price * unevenness, self._price * by_scale
        if self._objective.is_bound:
            if not 0.0 < value < math.inf:
                return math.inf, None
            return math.log(value) + cost, slopes / value + by_scale
        if value == math.inf or cost > MOST_COST:
            return math.inf, None
        return math.exp(cost) * value, math.exp(cost) * (slopes + value * by_scale)
