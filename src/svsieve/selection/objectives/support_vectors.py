"""The share of support vectors, as an objective."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from svsieve.criteria.slack import Slack
from svsieve.criteria.span_geometry import Supports
from svsieve.selection.objectives.trial import Judgement, Trial


@dataclass(frozen=True)
class SupportVectorCount:
    """n_support / n_rows. Leaving out any other row changes nothing, so it bounds the error.

    It has no slopes: it is constant but for jumps.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.kernels import Linear
    >>> from svsieve.machines import CSvm
    >>> from svsieve.selection.objectives import Judge, SupportVectorCount
    >>> X, labels = np.array([[-3.0], [-1.0], [1.0], [3.0]]), [-1, -1, 1, 1]
    >>> judge = Judge(SupportVectorCount(), X, labels)
    >>> judge(CSvm(C=10.0), Linear()).value
    0.5
    """

    has_slopes: ClassVar[bool] = False
    is_bound: ClassVar[bool] = False

    def judge(self, trial: Trial) -> Judgement:
        """Return the share."""
        context = trial.trained()
        slack = Slack.of(context, self)
        rows = Supports.of(context.problem, context.solution).rows
        return Judgement(float(slack.weights[rows].sum()) / slack.n_rows)
