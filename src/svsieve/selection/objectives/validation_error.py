"""The error on held-out rows, smoothed, as an objective."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np
from scipy.special import expit

from svsieve.arrays import FloatArray, IndexArray
from svsieve.resolve import check_flag
from svsieve.selection.objectives.fitted_sigmoid import fitted_error
from svsieve.selection.objectives.held_out import (
    check_share,
    judge_held_out,
    stratified_split,
)
from svsieve.selection.objectives.trial import HeldOut, Judgement, Trial


@dataclass(frozen=True)
class ValidationError:
    """The mean of 1 / (1 + exp(slope y_i f_i)) over held-out rows.

    A steep sigmoid counts errors, a flat one also sees how far from the boundary rows lie.

    Parameters
    ----------
    slope : float or "fitted", default=4.0
        Positive. At 4 a row on the right margin counts as 0.02 errors. "fitted": slope and offset
        are those of Platt's sigmoid, fitted by Newton's method to the decision values of the same
        rows, for every machine anew; the summands are 1 / (1 + exp(y_i (slope f_i - offset))). The
        unit of the decision values then has no influence.
    share : float, default=0.25
        Share of rows held out where the caller names none, the classes in proportion.
    seed : int, default=0
        Of that draw.
    offset : bool, default=True
        With a fitted slope: whether the fitted offset counts. Without it the step is where the
        machine decides, and only how steep it is follows the data.

    Notes
    -----
    With s_i the summands and weights w_i of sum N, dT/df_i = -slope y_i w_i s_i (1 - s_i) / N. A
    fitted slope and offset follow f; the slopes of T follow them
    (`selection.objectives.fitted_sigmoid`).

    With the fitted offset the summands are the probabilities of the wrong class, those of
    `PosteriorError`, as long as larger values speak for the class +1. Where the rows say otherwise,
    the slope is zero here: a machine that is wrong more often than right is no good machine.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.kernels import Linear
    >>> from svsieve.machines import CSvm
    >>> from svsieve.selection.objectives import Judge, ValidationError
    >>> held_out = np.array([[-1.0], [1.0]]), [-1, 1]
    >>> judge = Judge(ValidationError(), np.array([[-1.0], [1.0]]), [-1, 1], held_out=held_out)
    >>> round(judge(CSvm(C=1.0), Linear()).value, 4)
    0.018
    >>> judge = Judge(
    ...     ValidationError(slope="fitted"),
    ...     np.array([[-1.0], [1.0]]),
    ...     [-1, 1],
    ...     held_out=held_out,
    ... )
    >>> round(judge(CSvm(C=1.0), Linear()).value, 4)
    0.3333
    """

    slope: float | Literal["fitted"] = 4.0
    share: float = 0.25
    seed: int = 0
    offset: bool = True

    has_slopes: ClassVar[bool] = True
    is_bound: ClassVar[bool] = False
    needs_held_out: ClassVar[bool] = True

    def __post_init__(self) -> None:
        slope: Any = self.slope
        number = isinstance(slope, Real) and not isinstance(slope, bool)
        if slope != "fitted" and not (number and np.isfinite(slope) and slope > 0):
            raise ValueError(
                f"slope of ValidationError must be positive, or 'fitted'. Got {slope!r} instead."
            )
        check_flag("ValidationError", "offset", self.offset)
        check_share(self.share, "ValidationError")

    def split(self, labels: FloatArray) -> tuple[IndexArray, IndexArray]:
        """Return the rows to train on and those to hold out."""
        return stratified_split(labels, self.share, self.seed, "ValidationError")

    def judge(self, trial: Trial) -> Judgement:
        """Return the smoothed error and its slopes."""
        return judge_held_out(trial, self._error)

    def _error(self, values: FloatArray, held_out: HeldOut) -> tuple[float, FloatArray]:
        if self.slope == "fitted":
            return fitted_error(values, held_out, offset=self.offset, rising=True)
        y, weights = held_out.labels, held_out.weights / held_out.total
        wrong = expit(-self.slope * y * values)
        return float(weights @ wrong), -self.slope * y * weights * wrong * (1.0 - wrong)
