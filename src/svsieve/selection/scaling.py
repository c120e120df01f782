"""Selecting columns by their scale.

Every column j is multiplied by a factor v_j > 0. The factors, and C with them, minimise an estimate
T of the error; a column that the machine can do without is made small. With s_j the standard
deviation of column j as the kernel sees it,

    repeat  minimise T(ln C, ln v) over the columns left, from where the last descent ended;
            drop those with v_j s_j < threshold * max_i v_i s_i, or, where there are none, as many
            of least v_j s_j as the schedule says
    until   enough are gone, or the minimum rises.

Factors multiply columns: small means unimportant. A kernel written with widths, exp(-(x - z)^2 / 2
sigma_j^2), has sigma_j proportional to 1 / v_j, and drops the columns of large width.

C stays what it is where scaling all columns does the same as changing it: for linear kernels and
polynomials without constant, T(c v, C) = T(v, c^2 C) with squared slack (c^2p for degree p). It
also stays with the radius/margin bound of linear slack, which is small, for no good reason, where C
is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from time import perf_counter
from typing import ClassVar

import numpy as np

from svsieve.arrays import FloatArray, IndexArray
from svsieve.elimination.engines import Fit, Turn
from svsieve.elimination.ordering import least
from svsieve.elimination.parts import Data
from svsieve.elimination.stretch import Stretch
from svsieve.kernels import Kernel, Linear, Polynomial, scaled_kernel
from svsieve.kernels.gamma import ColumnMoments
from svsieve.machines import CSvm, L2Svm
from svsieve.resolve.fitting import on_columns
from svsieve.selection.objectives import Judge, Judgement, Objective, RadiusMargin, summed
from svsieve.selection.optimise import descend

# How far C and the factors may go, in natural logarithms.
MOST_LOG_C = 12.0
MOST_LOG_FACTOR = 7.0
# KKT gap of the machines that are judged. One descent after the other adds to what the solver left
# undone, and on the few columns of interest the last digits cost next to nothing.
JUDGED_TOL = 1e-12
# Sizes that differ by less, as a share, are equal: those of columns that a descent took as far as
# it may go, for instance, which only rounding tells apart.
RESOLUTION = 1e-6


@dataclass(frozen=True, eq=False)
class Scaling:
    """Where a descent over the factors of some columns ended.

    Attributes
    ----------
    kept : ndarray of int
        The columns.
    factors : ndarray of float, one per column kept
    machine : CSvm or L2Svm
        With the C found.
    value : float
        The objective there.
    """

    kept: IndexArray
    factors: FloatArray
    machine: CSvm | L2Svm
    value: float


class ScaledObjective:
    """The error estimate of a machine as a function of C and of the factors of some columns.

    Parameters
    ----------
    data : Data
        Problems of several classes share C and factors; their values are added.
    kernel : Kernel
        Its gammas as numbers.
    machine : CSvm or L2Svm
    objective : Objective
    kept : ndarray of int
        The columns.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.elimination import Data, Task
    >>> from svsieve.kernels import Rbf
    >>> from svsieve.machines import L2Svm
    >>> from svsieve.selection.objectives import RadiusMargin
    >>> from svsieve.selection.scaling import ScaledObjective
    >>> X = np.array([[0.0, 5.0], [1.0, 3.0], [4.0, 5.0], [5.0, 4.0]])
    >>> data = Data(X, (Task(labels=np.array([-1.0, -1.0, 1.0, 1.0])),), np.array([0, 0, 1, 1]))
    >>> scaled = ScaledObjective(data, Rbf(gamma=0.5), L2Svm(C=10.0), RadiusMargin(), np.arange(2))
    >>> scaled(10.0, np.array([1.0, 0.01])).value < scaled(10.0, np.array([1.0, 1.0])).value
    True
    """

    def __init__(
        self,
        data: Data,
        kernel: Kernel,
        machine: CSvm | L2Svm,
        objective: Objective,
        kept: IndexArray,
    ) -> None:
        self._kernel, self._machine = on_columns(kernel, kept), machine
        self._judges = []
        for task in data.tasks:
            rows = data.X if task.rows is None else data.X[task.rows]
            labels, weights = task.labels, task.weights
            assert labels is not None
            self._judges.append(
                Judge(objective, rows[:, kept], labels, weights=weights, tol=JUDGED_TOL)
            )

    def __call__(self, C: float, factors: FloatArray) -> Judgement:
        """Return value and slopes."""
        machine, kernel = replace(self._machine, C=C), scaled_kernel(self._kernel, factors)
        return summed(judge(machine, kernel, slopes=True) for judge in self._judges)

    @property
    def n_trainings(self) -> int:
        """Support vector machines solved so far."""
        return sum(judge.n_trainings for judge in self._judges)


def tunes_penalty(machine: CSvm | L2Svm, kernel: Kernel, objective: Objective) -> bool:
    """Tell whether C is to be found together with the factors of the columns."""
    sound = isinstance(machine, L2Svm) or not isinstance(objective, RadiusMargin)
    return math.isfinite(machine.C) and sound and not scale_is_penalty(kernel)


def scale_is_penalty(kernel: Kernel) -> bool:
    """Tell whether scaling all columns multiplies the kernel by a number, as changing C does."""
    return isinstance(kernel, Linear) or (isinstance(kernel, Polynomial) and kernel.coef0 == 0.0)


class ScalingEngine:
    """Descends over the factors of the columns left and drops those that became small.

    For `walk`, which keeps count and records. Scores are v_j s_j, the largest of them being one.

    Parameters
    ----------
    data : Data
    kernel : Kernel
        Gamma rules are evaluated once, on all columns.
    machine : CSvm or L2Svm
    objective : Objective
        One with slopes.
    threshold : float, default=0.01
        Columns of smaller score go at once, whatever the schedule says.
    reach : float, default=1.0
        How far one descent may take the logarithms of C and of the factors from where it begins.
        The bounds have poor minima that a long first step, with all columns still there, falls
        into: columns that matter shrink with the noise.
    rise : float, optional
        End the walk before a step after which the minimum is larger than this share above the
        smallest found so far. By default it goes on as far as it is asked to.
    max_evaluations : int, default=50
        Of the objective, in each descent.
    tol : float, default=1e-3
        A descent ends where a step lowers the objective by no more than this share.
    start : ndarray of shape (n_columns,), optional
        Logarithms of the factors that the first descent begins at; zeros by default.

    Attributes
    ----------
    values : list of float
        The minimum before each step, and at the end.
    """

    name: ClassVar[str] = "scaling"

    def __init__(
        self,
        data: Data,
        kernel: Kernel,
        machine: CSvm | L2Svm,
        objective: Objective,
        *,
        threshold: float = 0.01,
        reach: float = 1.0,
        rise: float | None = None,
        max_evaluations: int = 50,
        tol: float = 1e-3,
        start: FloatArray | None = None,
    ) -> None:
        self._data, self._machine, self._objective = data, machine, objective
        self.kernel = kernel.bind(data.X, row_weights=data.row_weights)
        self._threshold, self._reach, self._rise = threshold, reach, rise
        self._max_evaluations, self._tol = max_evaluations, tol
        self._start = np.zeros(data.n_columns) if start is None else start
        own = [leaf.column_factors(data.n_columns) for leaf in self.kernel.leaves()]
        deviations = np.sqrt(ColumnMoments(data.X, data.row_weights).variance)
        self._spread = deviations * np.max(own, axis=0)
        self._found: Scaling | None = None
        self._ahead: Scaling | None = None
        self.values: list[float] = []
        self.n_trainings = 0

    def advance(self, turn: Turn) -> Stretch:
        """Make one step, or none where the minimum would rise."""
        began = perf_counter()
        here = self.minimum(turn.kept)
        stretch = self._stretch(here, self._count(here, turn), turn, began)
        rest = turn.kept[~np.isin(turn.kept, stretch.dropped)]
        if self._rise is not None and self._rises(here, rest):
            return stretch.truncated(0)
        self.values.append(here.value)
        return stretch

    def fit(self, turn: Turn) -> Fit:
        """Descend on the columns left, as far as it goes, and score them all."""
        if self._ahead is not None and np.array_equal(self._ahead.kept, turn.kept):
            self._found = self._ahead
        here = self._found = self._descended(turn.kept, math.inf)
        self.values.append(here.value)
        scores = self._scores(here)
        return Fit(scores, RESOLUTION * scores, float("nan"), JUDGED_TOL)

    def minimum(self, kept: IndexArray) -> Scaling:
        """Return where the descent on some columns ends; it begins where the last one ended."""
        for known in (self._found, self._ahead):
            if known is not None and np.array_equal(known.kept, kept):
                self._found, self._ahead = known, None
                return known
        self._found = self._descended(kept, self._reach)
        return self._found

    def _rises(self, here: Scaling, rest: IndexArray) -> bool:
        """Tell whether the minimum on the rest is too large; keep it for the next step."""
        assert self._rise is not None
        self._ahead = self._descended(rest, self._reach)
        least_value = min([*self.values, here.value])
        return self._ahead.value > (1.0 + self._rise) * least_value

    def _count(self, here: Scaling, turn: Turn) -> int:
        """Return how many columns go: all small ones, or what the schedule says."""
        scores, free = self._scores(here), ~np.isin(turn.kept, turn.parts.keep)
        small = int((scores[free] < self._threshold).sum())
        asked = turn.count(scores if turn.parts.schedule.needs_scores else None)
        return min(small or asked, len(turn.kept) - turn.least)

    def _stretch(self, here: Scaling, count: int, turn: Turn, began: float) -> Stretch:
        """Return the step that drops the columns of least score."""
        scores = self._scores(here)
        free = np.flatnonzero(~np.isin(turn.kept, turn.parts.keep))
        chosen, tied = least(scores[free], RESOLUTION * scores[free], count)
        rest = np.delete(scores[free], chosen)
        return Stretch(
            first=turn.iteration,
            size=len(turn.kept),
            counts=np.array([count]),
            dropped=turn.kept[free[chosen]],
            scores=scores[free[chosen]],
            following=np.array([rest.min() if len(rest) else np.nan]),
            kkt_gap=np.array([JUDGED_TOL]),
            accuracy=np.array([np.nan]),
            seconds=np.array([perf_counter() - began]),
            tied=np.array([tied]),
            totals=np.array([scores.sum()]),
        )

    def _scores(self, here: Scaling) -> FloatArray:
        sizes = here.factors * self._spread[here.kept]
        return np.asarray(sizes / sizes.max()) if sizes.any() else sizes

    def _descended(self, kept: IndexArray, reach: float) -> Scaling:
        before, machine = self._found, self._machine
        start = self._start[kept]
        if before is not None:
            machine = before.machine
            start = np.log(before.factors[np.isin(before.kept, kept)])
        tuned = tunes_penalty(machine, self.kernel, self._objective)
        scaled = ScaledObjective(self._data, self.kernel, machine, self._objective, kept)
        logarithm = self._objective.is_bound

        def function(point: FloatArray) -> tuple[float, FloatArray | None]:
            C = math.exp(point[0]) if tuned else machine.C
            found = scaled(C, np.exp(point[-len(kept) :]))
            if not math.isfinite(found.value) or found.log_v is None:
                return math.inf, None
            slopes = np.append(found.log_C, found.log_v) if tuned else found.log_v
            if logarithm:
                return math.log(found.value), slopes / found.value
            return found.value, slopes

        log_C = [math.log(machine.C)] if tuned else []
        most = np.append([MOST_LOG_C] * len(log_C), np.full(len(kept), MOST_LOG_FACTOR))
        point = np.append(log_C, start)
        descent = descend(
            function,
            [point],
            np.maximum(np.minimum(-most, point), point - reach),
            np.minimum(np.maximum(most, point), point + reach),
            tol=self._tol,
            max_evaluations=self._max_evaluations,
        )
        self.n_trainings += scaled.n_trainings
        best = descent.best
        value = math.exp(best.value) if logarithm else best.value
        C = math.exp(best.point[0]) if tuned else machine.C
        factors = np.exp(best.point[-len(kept) :])
        return Scaling(kept, factors, replace(machine, C=C), value)
