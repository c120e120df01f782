"""Selecting a given number of columns at once, by shares of a fixed sum.

The factors of the columns are v_j = c w_j with sum_j w_j = k, k the number of columns wanted. They
minimise

    ln T(C, c w) + penalty / k * sum_j w_j^p,      w >= 0,  sum_j w_j = k,

T an estimate of the error (T itself in place of ln T where it is no bound). With p = 1 the penalty
is a constant; p is then halved again and again. As p goes to zero sum_j w_j^p becomes the number of
columns that have a share at all, and the columns that keep one are those selected. The common scale
c is free, unless C takes its place (see `scale_is_penalty`).

Shares w = k softmax(theta) satisfy the constraints for all theta. With g_j the derivative of the
objective in ln w_j, its derivative in theta_j is g_j - w_j / k * sum_i g_i.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np
from scipy.special import softmax

from svsieve.arrays import FloatArray, IndexArray
from svsieve.elimination.engines import Turn
from svsieve.elimination.parts import Data
from svsieve.elimination.stretch import Stretch
from svsieve.kernels import Kernel
from svsieve.machines import CSvm, L2Svm
from svsieve.selection.objectives import Objective
from svsieve.selection.optimise import descend
from svsieve.selection.scaling import (
    MOST_LOG_C,
    MOST_LOG_FACTOR,
    ScaledObjective,
    Scaling,
    ScalingEngine,
    scale_is_penalty,
    tunes_penalty,
)

POWERS = (1.0, 0.5, 0.25, 0.125, 0.0625, 0.03125)
MOST_THETA = 15.0


@dataclass(frozen=True, eq=False)
class SharedObjective:
    """The objective above as a function of (ln C, ln c, theta), the first two where they are free.

    Parameters
    ----------
    scaled : ScaledObjective
        T as a function of C and of the factors.
    machine : CSvm or L2Svm
    total : int
        k, the sum of the shares.
    power, penalty : float
    log_C, log_scale : bool
        Whether C and the common scale c are free.
    logarithm : bool
        Whether ln T is minimised, or T.
    """

    scaled: ScaledObjective
    machine: CSvm | L2Svm
    total: int
    power: float
    penalty: float
    log_C: bool
    log_scale: bool
    logarithm: bool

    def parts(self, point: FloatArray) -> tuple[float, float, FloatArray]:
        """Return C, the common scale and the shares at a point."""
        C = math.exp(point[0]) if self.log_C else self.machine.C
        scale = math.exp(point[int(self.log_C)]) if self.log_scale else 1.0
        return C, scale, self.total * softmax(point[self.log_C + self.log_scale :])

    def __call__(self, point: FloatArray) -> tuple[float, FloatArray | None]:
        """Return value and slopes; an infinite value where there is none."""
        C, scale, shares = self.parts(point)
        found = self.scaled(C, scale * shares)
        if not math.isfinite(found.value) or found.log_v is None:
            return math.inf, None
        unit = found.value if self.logarithm else 1.0
        value = math.log(found.value) if self.logarithm else found.value
        by_factor = found.log_v / unit
        powers = self.penalty / self.total * shares**self.power
        by_share = by_factor + self.power * powers
        slopes = by_share - shares / self.total * by_share.sum()
        free = [found.log_C / unit] * self.log_C + [by_factor.sum()] * self.log_scale
        return value + float(powers.sum()), np.append(free, slopes)


class ShareEngine(ScalingEngine):
    """Selects as many columns as are asked for in one step, by their shares of a fixed sum.

    The columns selected are then scaled as `ScalingEngine` does, whose parameters it takes.

    Parameters
    ----------
    penalty : float, default=0.3
        What k columns with equal shares cost, and each column more a k-th of it.
    """

    def __init__(
        self,
        data: Data,
        kernel: Kernel,
        machine: CSvm | L2Svm,
        objective: Objective,
        *,
        penalty: float = 0.3,
        **options: Any,
    ) -> None:
        super().__init__(data, kernel, machine, objective, **options)
        self._penalty = penalty

    def advance(self, turn: Turn) -> Stretch:
        """Drop all columns but those with the largest shares."""
        began = perf_counter()
        here = self._found = self._shared_out(turn.kept, turn.least)
        self.values.append(here.value)
        return self._stretch(here, len(turn.kept) - turn.least, turn, began)

    def _shared_out(self, kept: IndexArray, total: int) -> Scaling:
        machine, homogeneous = self._machine, scale_is_penalty(self.kernel)
        finite = math.isfinite(machine.C) and isinstance(machine, L2Svm)
        scaled = ScaledObjective(self._data, self.kernel, machine, self._objective, kept)
        objective = SharedObjective(
            scaled,
            machine,
            total,
            power=1.0,
            penalty=self._penalty,
            log_C=tunes_penalty(machine, self.kernel, self._objective) or (homogeneous and finite),
            log_scale=not (homogeneous and finite),
            logarithm=self._objective.is_bound,
        )
        even = math.log(len(kept) / total)  # the scale at which equal shares change nothing
        free = [math.log(machine.C)] * objective.log_C + [even] * objective.log_scale
        if not objective.log_scale:  # C takes the place of the scale
            free[0] += 2 * getattr(self.kernel, "degree", 1) * even
        point = np.append(free, self._start[kept])
        limits = [MOST_LOG_C] * objective.log_C + [even + MOST_LOG_FACTOR] * objective.log_scale
        most = np.append(limits, np.full(len(kept), MOST_THETA))
        for power in POWERS:
            descent = descend(
                replace(objective, power=power),
                [point],
                np.maximum(np.minimum(-most, point), point - self._reach),
                np.minimum(np.maximum(most, point), point + self._reach),
                tol=self._tol,
                max_evaluations=self._max_evaluations,
            )
            point = descent.best.point
        self.n_trainings += scaled.n_trainings
        C, scale, shares = objective.parts(point)
        return Scaling(kept, scale * shares, replace(machine, C=C), scaled(C, scale * shares).value)
