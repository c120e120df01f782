"""The error that probabilities predict on held-out rows, as an objective."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from svsieve.arrays import FloatArray, IndexArray
from svsieve.selection.objectives.fitted_sigmoid import fitted_error
from svsieve.selection.objectives.held_out import (
    check_share,
    judge_held_out,
    stratified_split,
)
from svsieve.selection.objectives.trial import Judgement, Trial


@dataclass(frozen=True)
class PosteriorError:
    """The mean probability of the wrong class over held-out rows.

    Probabilities p_i = 1 / (1 + exp(A f_i + B)) of the class +1 are Platt's: A and B are fitted to
    the decision values of the same rows, for every machine anew.

    Parameters
    ----------
    share : float, default=0.25
        Share of rows held out where the caller names none, the classes in proportion.
    seed : int, default=0
        Of that draw.

    Notes
    -----
    With t_i = 1 for the class +1, else 0, and weights w_i of sum N,
    E = sum_i w_i [t_i (1 - p_i) + (1 - t_i) p_i] / N. Slopes follow A and B as they are fitted anew
    (`selection.objectives.fitted_sigmoid`). Held-out rows that a machine gets wrong more often than
    right have falling probabilities, and E is small there, too;
    ``ValidationError(slope="fitted")`` is the same value with rising ones only.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.kernels import Linear
    >>> from svsieve.machines import CSvm
    >>> from svsieve.selection.objectives import Judge, PosteriorError
    >>> held_out = np.array([[-1.0], [1.0]]), [-1, 1]
    >>> judge = Judge(PosteriorError(), np.array([[-1.0], [1.0]]), [-1, 1], held_out=held_out)
    >>> round(judge(CSvm(C=1.0), Linear()).value, 4)
    0.3333
    """

    share: float = 0.25
    seed: int = 0

    has_slopes: ClassVar[bool] = True
    is_bound: ClassVar[bool] = False
    needs_held_out: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_share(self.share, "PosteriorError")

    def split(self, labels: FloatArray) -> tuple[IndexArray, IndexArray]:
        """Return the rows to train on and those to hold out."""
        return stratified_split(labels, self.share, self.seed, "PosteriorError")

    def judge(self, trial: Trial) -> Judgement:
        """Return the expected error and its slopes."""
        return judge_held_out(trial, fitted_error)
