"""The span estimate of the leave-one-out error, as a criterion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from svsieve.arrays import FloatArray, IndexArray
from svsieve.criteria.context import Context, share_of_largest
from svsieve.criteria.linear_retrain import Retrained, retrained_at_once
from svsieve.criteria.retrain import (
    Candidate,
    retrain_tol,
    retrained_resolution,
    retrained_scores,
)
from svsieve.criteria.slack import Slack, check_order
from svsieve.criteria.span_geometry import LEAST_COEFFICIENT, SpanGeometry, Supports
from svsieve.criteria.span_without import estimates_without, squares_without
from svsieve.kernels import PairWeights


@dataclass(frozen=True)
class Span:
    """The change of the span estimate E = sum_p alpha_p S_p^2 when a column goes or shrinks.

    S_p is the distance of support vector p from the affine hull of the other support vectors
    strictly between their bounds; with squared slack all are, and K has the ridge 1 / C. Where
    leaving p out moves no other row to or from a bound, y_p f(x_p) falls by alpha_p S_p^2, ridge
    included; so E bounds the number of leave-one-out errors.

    Parameters
    ----------
    order : {0, 1}, default=0
        0: ``|E - E(j)|`` with E(j) the estimate on the Gram matrix without column j, alpha as it
        is. 1: ``|dE / d ln v_j|`` where v_j multiplies the column; exact, with the machine trained
        again, as long as no support vector meets or leaves a bound.
    retrain : bool, default=False
        Order 0 only: E(j) itself, the machine trained again without each column. The column without
        which the estimate is smallest goes first; one without which no coefficient is left between
        its bounds scores infinity.

    Notes
    -----
    A machine with linear slack whose coefficients all lie at their bounds has no estimate. It says
    nothing about the columns: all score 0, and the path reports a tie.

    With n support vectors and d columns, order 1 takes one inverse, n^3, and one contraction,
    n^2 d. Order 0 takes n^2 d for the linear kernel (rank-one updates), else up to d inverses.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.criteria import Context, Span
    >>> from svsieve.kernels import KernelState, Linear
    >>> from svsieve.machines import L2Svm, solve
    >>> X, y = np.array([[-1.0, 0.5], [1.0, 0.5], [3.0, 1.0]]), np.array([-1.0, 1.0, 1.0])
    >>> state, machine = KernelState(Linear(), X), L2Svm(C=10.0)
    >>> problem = machine.problem(state.diagonal(), y)
    >>> context = Context(machine, problem, solve(problem, state.gram()), None, y, state)
    >>> Span().scores(context).round(6)
    array([3.809524, 0.      ])
    """

    order: int = 0
    retrain: bool = False

    def __post_init__(self) -> None:
        check_order(self.order, self.retrain, "Span")

    def scores(self, context: Context) -> FloatArray:
        """Return one number per kept column."""
        Slack.of(context, self)
        if self.retrain:
            known = self._known(context)
            return retrained_scores(context, self, _estimate_of(context), known=known)
        if not len(Supports.of(context.problem, context.solution).free):
            return np.zeros(context.state.n_kept)
        if self.order == 1:
            return np.abs(context.state.contract_slopes(self.pair_weights(context)))
        geometry, rows = self._geometry(context)
        whole, without = estimates_without(geometry, context.state, rows)
        return np.abs(whole - without)

    def value(self, context: Context) -> float:
        """Return the estimate on all kept columns."""
        return self._geometry(context)[0].estimate()

    def pair_weights(self, context: Context) -> PairWeights:
        """Return M with d(estimate) = <M, dK>, over the rows of `context.state`."""
        geometry, _ = self._geometry(context)
        return context.lift(PairWeights(geometry.supports.rows, None, geometry.pair_weights()))

    def _geometry(self, context: Context) -> tuple[SpanGeometry, IndexArray]:
        """The support vectors, and their rows in `context.state`."""
        Slack.of(context, self)
        supports = Supports.of(context.problem, context.solution)
        rows = supports.rows if context.rows is None else context.rows[supports.rows]
        return SpanGeometry.of(context.gram(), supports), rows

    def _known(self, context: Context) -> FloatArray | None:
        """Estimates of retrained machines that need no training, else nan."""
        closed = retrained_at_once(context, retrain_tol(context))
        if closed is None:
            return None
        supports = closed.geometry.supports
        if not len(supports.bounded):
            return _estimates_of_free_rows(closed)
        alpha = np.abs(closed.coefficients[supports.rows])
        squares = squares_without(closed.geometry, closed.columns[supports.rows])
        stays = closed.holds & ~closed.moved
        return np.where(stays, np.einsum("pj,pj->j", alpha, squares), np.nan)

    def resolution(self, context: Context, scores: FloatArray) -> float:
        """Return the difference below which two scores are a tie."""
        if self.retrain:
            return retrained_resolution(context, scores)
        return share_of_largest(scores)


def _estimates_of_free_rows(closed: Retrained) -> FloatArray:
    """The estimate without each column; nan where a support vector lies at a bound, or may."""
    alpha = np.abs(closed.coefficients)
    free = np.isfinite(closed.squares)
    least = np.where(free, alpha, np.inf).min(axis=0)
    largest = np.where(free, alpha, 0.0).max(axis=0)
    clear = (least > LEAST_COEFFICIENT * largest) & (free | (alpha == 0.0)).all(axis=0)
    found = np.einsum("pj,pj->j", alpha, np.where(free, closed.squares, 0.0))
    return np.where(closed.holds & clear, found, np.nan)


def _estimate_of(context: Context) -> Callable[[Candidate], float]:
    """The estimate of a candidate; infinite where all coefficients lie at their bounds."""

    def estimate(one: Candidate) -> float:
        supports = Supports.of(context.problem, one.solution)
        if not len(supports.free):
            return np.inf
        return SpanGeometry.of(one.K, supports).estimate()

    return estimate
