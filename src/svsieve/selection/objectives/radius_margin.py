"""The radius/margin bound on the leave-one-out error, as an objective."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from svsieve.arrays import IndexArray
from svsieve.criteria import Context
from svsieve.criteria.radius_margin import SLACK_SHARE
from svsieve.criteria.slack import Slack
from svsieve.criteria.span_geometry import Supports
from svsieve.criteria.sphere import smallest_sphere
from svsieve.kernels import PairWeights
from svsieve.resolve import check_flag, check_real
from svsieve.selection.left_out import margins_left_out
from svsieve.selection.objectives.sensitivity import response
from svsieve.selection.objectives.trial import Judgement, Trial

RADII = ("sphere", "origin")


@dataclass(frozen=True)
class RadiusMargin:
    """R^2 ||w||^2 / n_rows, a quarter of a bound on the leave-one-out error.

    R is the radius of the smallest sphere around the rows in feature space, 1 / ||w|| the margin.

    - Squared slack and hard margin: both of K + I / C. Four times the value bounds the error.
    - Linear slack: (R^2 + delta / C) (||w||^2 + 2 sum_k C_k xi_k) / n_rows with R^2 of K alone,
      since R^2 ||w||^2 itself vanishes with C.

    Parameters
    ----------
    delta : float, default=1.0
        Positive; near 1. What linear slack adds to R^2 is this over C.
    count_supports : bool, default=False
        Take (R^2 ||w||^2 + n_support) / n_rows, for either slack. With linear slack ||w||^2 is the
        norm alone, and as C vanishes the share of support vectors is left.
    radius : {"sphere", "origin"}, default="sphere"
        "origin": D^2, the largest k(x, x), in the place of R^2: the sphere has its centre at zero.
        It takes no second program and is never smaller. D^2 ||w||^2 / n_rows itself bounds the
        error of a hard margin without bias.

    Notes
    -----
    With P = ||w||^2 + penalty and Q = R^2 + delta / C (linear slack) or R^2, the product rule and
    the envelope theorem give, for coefficients u of the machine and b of the sphere,

    - d P = -u' dK u,  d Q = <Diag(b) - bb', dK>;
    - squared slack: dP / d ln C = sum_k u_k^2 / C_k,
      dQ / d ln C = -(1 - sum_k b_k^2 / weight_k) / C;
    - linear slack: dP / d ln C = 2 sum_k C_k xi_k (the box moves with C),
      dQ / d ln C = -delta / C;
    - `radius="origin"`: d Q = dK_jj, j the row of the largest k(x, x), and dQ / d ln C = -1 / C
      with squared slack.

    ||w||^2 = u'Ku alone, of linear slack, is no optimum, so that its coefficients do not stand
    still: d(u'Ku) = <uu', dK> plus what training again does, the slopes in u being 2 Ku. The number
    of support vectors is constant but for jumps, which the slopes do not see.

    A small bound of linear slack need not mean a good machine: on noisy classes it keeps falling
    while C goes to zero, where it tends to four times the share of the smaller class, for any
    delta. Margins of rows left out tell such machines from good ones (`selection.left_out`).

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.kernels import Linear
    >>> from svsieve.machines import L2Svm
    >>> from svsieve.selection.objectives import Judge, RadiusMargin
    >>> judge = Judge(RadiusMargin(), np.array([[-1.0], [1.0]]), [-1, 1])
    >>> round(judge(L2Svm(C=float("inf")), Linear()).value, 9)
    0.5
    >>> judge = Judge(RadiusMargin(radius="origin"), np.array([[1.0], [3.0]]), [-1, 1])
    >>> round(judge(L2Svm(C=float("inf")), Linear()).value, 9)
    4.5
    """

    delta: float = SLACK_SHARE
    count_supports: bool = False
    radius: str = "sphere"

    has_slopes: ClassVar[bool] = True
    is_bound: ClassVar[bool] = True
    tells_left_out: ClassVar[bool] = True

    def __post_init__(self) -> None:
        owner = type(self).__name__
        check_real(owner, "delta", self.delta, above=0.0)
        check_flag(owner, "count_supports", self.count_supports)
        if self.radius not in RADII:
            raise ValueError(
                f"radius of {owner} must be 'sphere' or 'origin'. Got {self.radius!r} instead."
            )

    def judge(self, trial: Trial) -> Judgement:
        """Return the bound and its slopes."""
        context = trial.trained()
        slack = Slack.of(context, self)
        alone = self.count_supports and not slack.squared
        norm = _norm_alone(context) if alone else _norm(context, slack)
        radius = self._radius(context, slack)
        value = radius.value * norm.value
        if self.count_supports:
            rows = Supports.of(context.problem, context.solution).rows
            value += float(slack.weights[rows].sum())
        share = 1.0 / slack.n_rows
        M = (share * norm.value) * radius.M + (share * radius.value) * norm.M
        log_C = share * (norm.value * radius.log_C + radius.value * norm.log_C)
        left_out = None if trial.counts is None else margins_left_out(context, trial.counts)
        return trial.judgement(share * value, log_C, context.lift(M), left_out)

    def _radius(self, context: Context, slack: Slack) -> _Factor:
        """R^2 or D^2, with what linear slack adds."""
        at_origin = self.radius == "origin"
        radius = _from_origin(context, slack) if at_origin else _sphere(context, slack)
        if slack.squared or self.count_supports:
            return radius
        added = self.delta / slack.C
        return _Factor(radius.value + added, radius.M, radius.log_C - added)


@dataclass(frozen=True, eq=False)
class _Factor:
    """A factor of the bound: d value = <M, dK>, and its derivative in ln C."""

    value: float
    M: PairWeights
    log_C: float


def _norm(context: Context, slack: Slack) -> _Factor:
    """||w||^2 + penalty, twice the value of the machine's program."""
    problem, solution = context.problem, context.solution
    u = solution.coefficients
    # 2 sum_k C_k xi_k, by duality, where the slack is linear
    log_C = float(problem.ridge @ u**2) if slack.squared else -2.0 * float(u @ solution.gradient)
    machine = context.machine
    return _Factor(machine.value(solution, problem), machine.pair_weights(solution), log_C)


def _norm_alone(context: Context) -> _Factor:
    """The norm without the slacks: u'Ku."""
    supports = Supports.of(context.problem, context.solution)
    rows, u = supports.rows, supports.u
    by_u = context.gram()[np.ix_(rows, rows)] @ u
    through = response(context, supports, 2.0 * by_u, 0.0)
    full = np.multiply.outer(u, u) + through.pair_weights()
    return _Factor(float(u @ by_u), PairWeights(rows, None, full), through.log_C)


def _sphere(context: Context, slack: Slack) -> _Factor:
    """R^2 of the smallest sphere."""
    sphere = smallest_sphere(context.gram(), slack, context.tol, context.memory)
    used = slack.weights > 0
    log_C = -slack.ridge * (1.0 - float((sphere.b[used] ** 2 / slack.weights[used]).sum()))
    return _Factor(sphere.value, sphere.pair_weights(), log_C)


def _from_origin(context: Context, slack: Slack) -> _Factor:
    """D^2: the largest k(x, x), with its ridge."""
    lengths = np.where(slack.weights > 0, np.diagonal(context.gram()), -math.inf)
    farthest: IndexArray = np.array([lengths.argmax()])
    M = PairWeights(farthest, None, np.ones((1, 1)))
    return _Factor(float(lengths.max()) + slack.ridge, M, -slack.ridge)
