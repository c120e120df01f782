"""The span estimate of the leave-one-out error, as an objective."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from svsieve.arrays import FloatArray
from svsieve.criteria import Context
from svsieve.criteria.slack import Slack
from svsieve.criteria.span_face import gram_over, trained_geometry
from svsieve.criteria.span_geometry import NoFreeRowError, Supports
from svsieve.kernels import PairWeights
from svsieve.selection.objectives.sensitivity import response
from svsieve.selection.objectives.trial import Judgement, NoValueError, Trial


@dataclass(frozen=True)
class Span:
    """sum_p (alpha_p S_p^2 + xi_p) / n_rows, which bounds the share of leave-one-out errors.

    S_p is the distance, in feature space, of support vector p from the affine hull of the other
    free support vectors. With squared slack K has the ridge 1 / C, and alpha_p S_p^2 holds the
    slack xi_p = alpha_p / C already; it is added for linear slack only.

    Notes
    -----
    Leaving out support vector p lowers y_p f(x_p) = 1 - xi_p by alpha_p S_p^2 as long as no other
    row meets or leaves a bound, so that a summand of an error is at least 1. The slopes hold under
    the same condition; the value jumps where it fails. A machine with linear slack whose
    coefficients all lie at their bounds has no value; one with a single coefficient between them
    counts that support vector as one error. Of several solutions that of least norm is meant. A row
    leaves with all its weight: one of weight 2 is not what two equal rows are, of which each leaves
    the other behind.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.kernels import Linear
    >>> from svsieve.machines import L2Svm
    >>> from svsieve.selection.objectives import Judge, Span
    >>> judge = Judge(Span(), np.array([[-1.0], [1.0]]), [-1, 1])
    >>> round(judge(L2Svm(C=1.0), Linear()).value, 9)
    2.0
    """

    has_slopes: ClassVar[bool] = True
    is_bound: ClassVar[bool] = True

    def judge(self, trial: Trial) -> Judgement:
        """Return the estimate and its slopes."""
        context = trial.trained()
        slack = Slack.of(context, self)
        try:
            geometry = trained_geometry(context.problem, context.solution, gram_over(context))
        except NoFreeRowError:
            raise NoValueError("no coefficient lies strictly between its bounds.") from None
        supports = geometry.supports
        value, full = geometry.estimate(), geometry.pair_weights()
        if slack.squared:
            log_C = -float(supports.ridge @ np.diagonal(full))
        else:  # C moves the coefficients, not the distances
            by_coefficients = np.sign(supports.u) * geometry.squares()
            slacks = _slacks(context, supports, slack.weights)
            value, full = value + slacks.value, full + slacks.full
            log_C = response(context, supports, by_coefficients, 0.0).log_C + slacks.log_C
        share = 1.0 / slack.n_rows
        M = context.lift(PairWeights(supports.rows, None, share * full))
        return trial.judgement(share * value, share * log_C, M)


@dataclass(frozen=True, eq=False)
class _Slacks:
    """The sum of all slacks and its slopes, over the support vectors."""

    value: float
    full: FloatArray
    log_C: float


def _slacks(context: Context, supports: Supports, weights: FloatArray) -> _Slacks:
    """Return sum_k w_k xi_k of linear slack: xi_k = 1 - y_k f(x_k) for rows at the bound.

    With a = -w y on those rows and zero elsewhere, d(sum) = <(au' + ua') / 2, dK> plus what
    training again does, the slopes being Ka in the coefficients and sum(a) in the bias.
    """
    solution, rows, bounded = context.solution, supports.rows, supports.bounded
    y = np.sign(supports.u[bounded])
    a = np.zeros(len(rows))
    a[bounded] = -weights[rows[bounded]] * y
    # The gradient is f - offset - y.
    value = float(a[bounded] @ (solution.gradient[rows[bounded]] + solution.offset))
    K = context.gram()[np.ix_(rows, rows)]
    through = response(context, supports, K @ a, float(a.sum()))
    direct = np.multiply.outer(0.5 * a, supports.u)
    return _Slacks(value, through.pair_weights() + direct + direct.T, through.log_C)
