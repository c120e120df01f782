"""The error on held-out rows, smoothed, as an objective."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import expit

from svsieve.arrays import FloatArray, IndexArray
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
    slope : float, default=4.0
        Positive. At 4 a row on the right margin counts as 0.02 errors.
    share : float, default=0.25
        Share of rows held out where the caller names none, the classes in proportion.
    seed : int, default=0
        Of that draw.

    Notes
    -----
    With s_i the summands and weights w_i of sum N, dT/df_i = -slope y_i w_i s_i (1 - s_i) / N.

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
    """

    slope: float = 4.0
    share: float = 0.25
    seed: int = 0

    has_slopes: ClassVar[bool] = True
    is_bound: ClassVar[bool] = False
    needs_held_out: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not (np.isfinite(self.slope) and self.slope > 0):
            raise ValueError(
                f"slope of ValidationError must be positive. Got {self.slope!r} instead."
            )
        check_share(self.share, "ValidationError")

    def split(self, labels: FloatArray) -> tuple[IndexArray, IndexArray]:
        """Return the rows to train on and those to hold out."""
        return stratified_split(labels, self.share, self.seed, "ValidationError")

    def judge(self, trial: Trial) -> Judgement:
        """Return the smoothed error and its slopes."""
        return judge_held_out(trial, self._error)

    def _error(self, values: FloatArray, held_out: HeldOut) -> tuple[float, FloatArray]:
        y, weights = held_out.labels, held_out.weights / held_out.total
        wrong = expit(-self.slope * y * values)
        return float(weights @ wrong), -self.slope * y * weights * wrong * (1.0 - wrong)
