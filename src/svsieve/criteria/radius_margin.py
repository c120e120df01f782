"""The radius/margin bound on the leave-one-out error, as a criterion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from svsieve.arrays import FloatArray
from svsieve.criteria.context import RESOLUTION, Context, LeastScores, share_of_largest
from svsieve.criteria.retrain import (
    Candidate,
    known_values,
    least_by_bounds,
    lower_bounds,
    retrain_tol,
    retrained_resolution,
    retrained_scores,
)
from svsieve.criteria.slack import Slack, check_order
from svsieve.criteria.sphere import Spread, smallest_sphere, variance
from svsieve.criteria.weight_norm import WeightNorm, column_norms
from svsieve.kernels import Linear, PairWeights

# What linear slack adds to R^2 is this over C: a constant of the modified bound, not of the data.
SLACK_SHARE = 1.0

RADII = ("sphere", "variance")


@dataclass(frozen=True)
class RadiusMargin:
    """The radius/margin bound B that is left when a column goes, or its slope when one shrinks.

    Squared slack and hard margin: R^2 ||w||^2, both of K plus the ridge 1 / C. Linear slack:
    (R^2 + 1/C) (||w||^2 + 2 sum_k C_k xi_k) / n_rows, the modified bound, with R^2 of K alone.

    Parameters
    ----------
    order : {0, 1}, default=0
        0: ``B(j) - B`` with B(j) the bound on the Gram matrix without column j, machine and sphere
        keeping their coefficients. The sign counts: the column that leaves the smallest bound goes
        first. 1: ``|dB / d ln v_j|`` where v_j multiplies the column; exact, as if machine and
        sphere were trained again. The column to whose scale the bound is least sensitive goes
        first, whichever way it moves.
    retrain : bool, default=False
        Order 0 only: B(j) itself, machine and sphere trained again without each column,
        warm-started. The column without which the bound is smallest goes first.
    radius : {"sphere", "variance"}, default="sphere"
        What stands for R^2. "sphere": the squared radius of the smallest sphere around all rows,
        which the bound is proven for; it takes a second program, warm-started from step to step.
        "variance": the mean squared distance from the mean of the rows. It is a cheap stand-in,
        not a bound.

    Notes
    -----
    Rakotomamonjy (2003) removes, at order 0, "the variable that produces the smallest value of C_t
    when removed", and says that for ||w||^2 alone this is SVM-RFE. Both hold only if ||w||^2, with
    its penalty, is the value of the machine's dual at the kept coefficients, 2 sum(alpha) - u'Ku,
    ridge included: it *grows* by what u'Ku loses, least for the column of least weight. u'Ku itself
    is the same number for the trained machine, but shrinks most for the column of most weight,
    which would go first. R^2 is the value of the sphere's dual, and shrinks.

    Kept coefficients stay feasible, so B(j) is never more than the bound trained again without the
    column. Where a column shrinks a little, both change by the same slope, that of order 1.

    Scores are unique where the smallest sphere has one set of coefficients. A ridge sees to that;
    without one, rows that all lie on one sphere of few dimensions (a normalised linear kernel of
    fewer columns than rows) leave a choice.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.criteria import Context, RadiusMargin
    >>> from svsieve.kernels import KernelState, Linear
    >>> from svsieve.machines import L2Svm, solve
    >>> X, y = np.array([[-1.0, 0.5], [1.0, 0.5], [3.0, 1.0]]), np.array([-1.0, 1.0, 1.0])
    >>> state, machine = KernelState(Linear(), X), L2Svm(C=10.0)
    >>> problem = machine.problem(state.diagonal(), y)
    >>> context = Context(machine, problem, solve(problem, state.gram()), None, y, state)
    >>> RadiusMargin().scores(context).round(6)
    array([-3.707483, -0.059524])
    >>> RadiusMargin(order=1).scores(context).round(6)
    array([0.15873 , 0.119048])
    """

    order: int = 0
    retrain: bool = False
    radius: str = "sphere"

    def __post_init__(self) -> None:
        check_order(self.order, self.retrain, "RadiusMargin")
        if self.radius not in RADII:
            raise ValueError(
                "radius of RadiusMargin must be 'sphere' or 'variance'. "
                f"Got {self.radius!r} instead."
            )

    def scores(self, context: Context) -> FloatArray:
        """Return one number per kept column."""
        if self.order == 1:
            return np.abs(context.state.contract_slopes(self.pair_weights(context)))
        slack = Slack.of(context, self)
        spread = self._spread(context, slack)
        if self.retrain:
            bound = self._bound_of(context, slack, spread)
            return retrained_scores(context, self, bound, values=known_values(context))
        left = _Left.of(context, slack, spread)
        context.memory[self._key] = context.solution, context.state.kept, left
        return left.change() / _divisor(slack)

    def least(self, context: Context, count: int) -> LeastScores | None:
        """Return the least scores of retrained machines; None where nothing is trained again.

        The coefficients of the sphere stay feasible when a column goes, so the value of its dual,
        which is to be as large as possible, is at least what they give. The norm has such a bound
        too, and the product of both is one of the product.

        Parameters
        ----------
        context : Context
        count : int
            How many are wanted.
        """
        if not self.retrain:
            return None
        slack = Slack.of(context, self)
        spread = self._spread(context, slack)
        radius = spread.value + _change(context, spread.pair_weights()) + _shift(slack)
        values = known_values(context)
        norm = np.fmax(lower_bounds(context), values)
        bounds = np.maximum(radius, 0.0) * np.maximum(norm, 0.0) / _divisor(slack)
        bound = self._bound_of(context, slack, spread)
        return least_by_bounds(context, self, bounds, count, bound, values)

    def value(self, context: Context) -> float:
        """Return the bound on all kept columns."""
        slack = Slack.of(context, self)
        norm = context.machine.value(context.solution, context.problem)
        radius = self._spread(context, slack).value + _shift(slack)
        return radius * norm / _divisor(slack)

    def pair_weights(self, context: Context) -> PairWeights:
        """Return M with d(bound) = <M, dK>, over the rows of `context.state`.

        M = ||w||^2 (Diag(b) - bb') - R^2 uu', b the sphere's and u the machine's coefficients;
        ||w||^2 has its penalty and R^2 what linear slack adds.
        """
        slack = Slack.of(context, self)
        spread = self._spread(context, slack)
        norm = context.machine.value(context.solution, context.problem) / _divisor(slack)
        radius = (spread.value + _shift(slack)) / _divisor(slack)
        u, b = context.solution.coefficients, spread.b
        rows = np.flatnonzero((u != 0.0) | (b != 0.0))
        u, b = u[rows], b[rows]
        full = np.stack([b, u], axis=1) @ np.stack([-norm * b, -radius * u])
        full.flat[:: len(rows) + 1] += norm * b
        return context.lift(PairWeights(rows, None, full))

    def resolution(self, context: Context, scores: FloatArray) -> FloatArray | float:
        """Return the difference below which two scores are a tie.

        Order 0: what rounding leaves open of the changes of both factors, each times the other
        factor. That of the machine is `WeightNorm`'s. That of R^2 is known to 1e-11 of the largest
        change; with the linear kernel, to 1e-11 of the variance of its own column. The changes have
        opposite signs, so that scores may be much smaller than what they are the difference of.
        Order 1: 1e-11 of the largest score. Retrained: four times the tolerance of the programs.
        """
        if self.retrain:
            return 2.0 * retrained_resolution(context, scores)
        if self.order == 1:
            return share_of_largest(scores)
        slack = Slack.of(context, self)
        solution, kept, known = context.memory.get(self._key, (None, None, None))
        left: _Left
        if solution is context.solution and kept is context.state.kept:
            left = known
        else:
            left = _Left.of(context, slack, self._spread(context, slack))
        return left.resolution(context) / _divisor(slack)

    @property
    def _key(self) -> str:
        """Where `scores` leaves for `resolution` what both need."""
        return f"radius/margin left, {self.radius}"

    def _spread(self, context: Context, slack: Slack) -> Spread:
        K = context.gram()
        if self.radius == "variance":
            return variance(K, slack)
        return smallest_sphere(K, slack, context.tol, context.memory)

    def _bound_of(
        self, context: Context, slack: Slack, spread: Spread
    ) -> Callable[[Candidate], float]:
        """The bound on a candidate; its sphere is looked for from the one on all kept columns."""
        tol = retrain_tol(context)

        def bound(one: Candidate) -> float:
            if self.radius == "variance":
                radius = variance(one.K, slack).value
            else:
                radius = smallest_sphere(one.K, slack, tol, start=spread.b).value
            return (radius + _shift(slack)) * one.value / _divisor(slack)

        return bound


@dataclass(frozen=True, eq=False)
class _Left:
    """What the factors of the bound come to without each column, at the kept coefficients.

    Attributes
    ----------
    norm, radius : float
        The values of both duals on all kept columns; R^2 has what linear slack adds.
    grown, shrunk : ndarray of shape (n_kept,)
        By how much they change: the norm grows by what u'Ku loses.
    """

    norm: float
    radius: float
    grown: FloatArray
    shrunk: FloatArray

    @classmethod
    def of(cls, context: Context, slack: Slack, spread: Spread) -> _Left:
        """Return both factors of the bound without each column."""
        return cls(
            norm=context.machine.value(context.solution, context.problem),
            radius=spread.value + _shift(slack),
            grown=-_change(context, PairWeights.outer(context.solution.coefficients)),
            shrunk=_change(context, spread.pair_weights()),
        )

    def change(self) -> FloatArray:
        """Return the product that is left, less the product on all kept columns."""
        return self.radius * self.grown + (self.norm + self.grown) * self.shrunk

    def resolution(self, context: Context) -> FloatArray:
        """Return what rounding leaves open of it."""
        of_norm = WeightNorm().resolution(context, np.abs(self.grown))
        of_radius: FloatArray | float = share_of_largest(self.shrunk)
        kernel = context.state.kernel
        if isinstance(kernel, Linear):
            of_radius = RESOLUTION * column_norms(context.state, kernel) ** 2 / context.state.n_rows
        radius, norm = np.abs(self.radius + self.shrunk), np.abs(self.norm + self.grown)
        return np.asarray(radius * of_norm + norm * of_radius)


def _change(context: Context, M: PairWeights) -> FloatArray:
    """<M, K without column j> - <M, K>."""
    return context.state.contract_without(context.lift(M), change=True)


def _shift(slack: Slack) -> float:
    """What is added to R^2."""
    return 0.0 if slack.squared else SLACK_SHARE / slack.C


def _divisor(slack: Slack) -> float:
    """What the product is divided by."""
    return 1.0 if slack.squared else slack.n_rows
