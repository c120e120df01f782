"""The radius/margin bound on the leave-one-out error, as an objective."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from svsieve.criteria.radius_margin import SLACK_SHARE
from svsieve.criteria.slack import Slack
from svsieve.criteria.sphere import smallest_sphere
from svsieve.selection.left_out import margins_left_out
from svsieve.selection.objectives.trial import Judgement, Trial


@dataclass(frozen=True)
class RadiusMargin:
    """R^2 ||w||^2 / n_rows, a quarter of a bound on the leave-one-out error.

    R is the radius of the smallest sphere around the rows in feature space, 1 / ||w|| the margin.

    - Squared slack and hard margin: both of K + I / C. Four times the value bounds the error.
    - Linear slack: (R^2 + 1 / C) (||w||^2 + 2 sum_k C_k xi_k) / n_rows with R^2 of K alone, since
      R^2 ||w||^2 itself vanishes with C.

    Notes
    -----
    With P = ||w||^2 + penalty and Q = R^2 + 1 / C (linear slack) or R^2, the product rule and the
    envelope theorem give, for coefficients u of the machine and b of the sphere,

    - d P = -u' dK u,  d Q = <Diag(b) - bb', dK>;
    - squared slack: dP / d ln C = sum_k u_k^2 / C_k,
      dQ / d ln C = -(1 - sum_k b_k^2 / weight_k) / C;
    - linear slack: dP / d ln C = 2 sum_k C_k xi_k (the box moves with C), dQ / d ln C = -1 / C.

    A small bound of linear slack need not mean a good machine: on noisy classes it keeps falling
    while C goes to zero, where it tends to four times the share of the smaller class. Margins of
    rows left out tell such machines from good ones (`selection.left_out`).

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.kernels import Linear
    >>> from svsieve.machines import L2Svm
    >>> from svsieve.selection.objectives import Judge, RadiusMargin
    >>> judge = Judge(RadiusMargin(), np.array([[-1.0], [1.0]]), [-1, 1])
    >>> round(judge(L2Svm(C=float("inf")), Linear()).value, 9)
    0.5
    """

    has_slopes: ClassVar[bool] = True
    is_bound: ClassVar[bool] = True
    tells_left_out: ClassVar[bool] = True

    def judge(self, trial: Trial) -> Judgement:
        """Return the bound and its slopes."""
        context = trial.trained()
        problem, solution = context.problem, context.solution
        slack = Slack.of(context, self)
        sphere = smallest_sphere(context.gram(), slack, context.tol, context.memory)
        u, b = solution.coefficients, sphere.b
        norm, radius = context.machine.value(solution, problem), sphere.value
        if slack.squared:
            used = slack.weights > 0
            norm_by_C = float(problem.ridge @ u**2)
            radius_by_C = -slack.ridge * (1.0 - float((b[used] ** 2 / slack.weights[used]).sum()))
        else:
            norm_by_C = -2.0 * float(u @ solution.gradient)  # 2 sum_k C_k xi_k, by duality
            radius += SLACK_SHARE / slack.C
            radius_by_C = -SLACK_SHARE / slack.C
        share = 1.0 / slack.n_rows
        M = (share * norm) * sphere.pair_weights() + (share * radius) * (
            context.machine.pair_weights(solution)
        )
        log_C = share * (norm * radius_by_C + radius * norm_by_C)
        left_out = None if trial.counts is None else margins_left_out(context, trial.counts)
        return trial.judgement(share * radius * norm, log_C, context.lift(M), left_out)
