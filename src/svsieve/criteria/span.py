"""The span estimate of the leave-one-out error, as a criterion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from svsieve.arrays import FloatArray, IndexArray
from svsieve.criteria.context import Context
from svsieve.criteria.linear_retrain import retrained_at_once
from svsieve.criteria.retrain import Candidate, retrain_tol, retrained_scores
from svsieve.criteria.slack import Slack, check_order
from svsieve.criteria.span_face import gram_over, trained_geometry
from svsieve.criteria.span_geometry import (
    ENTRY_ROUNDING,
    LEAST_COEFFICIENT,
    NoFreeRowError,
    SpanGeometry,
)
from svsieve.criteria.span_without import changes_without, square_changes
from svsieve.kernels import PairWeights

# Rows at a bound whose gradient is this near to that of the free ones are looked at again.
LEAST_CLEARANCE = 1e-7


@dataclass(frozen=True)
class Span:
    """The span estimate E = sum_p alpha_p S_p^2 without a column, or its slope as one shrinks.

    S_p is the distance of support vector p from the affine hull of the other support vectors
    strictly between their bounds; with squared slack all are, and K has the ridge 1 / C. Where
    leaving p out moves no other row to or from a bound, y_p f(x_p) falls by alpha_p S_p^2, ridge
    included; so E bounds the number of leave-one-out errors.

    Parameters
    ----------
    order : {0, 1}, default=0
        0: E(j), the estimate on the Gram matrix without column j, alpha as it is: the column goes
        that leaves the smallest estimate. 1: ``|dE / d ln v_j|`` where v_j multiplies the column;
        exact, with the machine trained again, as long as no support vector meets or leaves a bound.
    retrain : bool, default=False
        Order 0 only: train the machine again without each column. One without which no coefficient
        is left between its bounds scores infinity.
    absolute : bool, default=False
        Order 0 without training only: ``|E(j) - E|``. The column whose loss changes the estimate
        least goes first, so that one in which all support vectors agree is worth nothing; by what
        is left it is worth most, as long as the estimate falls without every other.

    Notes
    -----
    Where linear slack has more solutions than one, the coefficients meant are those of least norm,
    to which a ridge tends as it goes to zero: rows at the same place share evenly. S_p is zero for
    a support vector in the affine hull of the others. Few columns put all of them there: with as
    many free support vectors as columns, and one more, no column can be missed, all E(j) are equal
    and the path reports a tie. Squared slack always tells columns apart.

    A row leaves with all its weight: one of weight 2 is not what two equal rows are, of which each
    leaves the other behind.

    A lone free support vector has no other to be far from: it counts as one error, which is all
    that leaving it out can cost, whatever the columns. A machine with linear slack whose
    coefficients all lie at their bounds has no estimate. It says nothing about the columns: all
    score 0, and the path reports a tie.

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
    array([0.190476, 4.      ])
    """

    order: int = 0
    retrain: bool = False
    absolute: bool = False

    def __post_init__(self) -> None:
        check_order(self.order, self.retrain, "Span")
        if self.absolute and (self.order == 1 or self.retrain):
            raise ValueError(
                "absolute of Span must be False with order=1 or retrain=True: a slope is absolute "
                "already, and machines trained again are compared by what they leave. Got True."
            )

    def scores(self, context: Context) -> FloatArray:
        """Return one number per kept column."""
        Slack.of(context, self)
        scores, errors = self._scored(context)
        context.memory["span errors"] = (context.solution, self, len(scores), errors)
        return scores

    def _scored(self, context: Context) -> tuple[FloatArray, FloatArray]:
        """Scores, and by how much they may be wrong."""
        if self.retrain:
            return _retrained(context, self)
        n_kept = context.state.n_kept
        try:
            geometry = _geometry(context)
        except NoFreeRowError:
            return np.zeros(n_kept), np.zeros(n_kept)
        if self.order == 0:
            found = changes_without(geometry, context.state, _rows(context, geometry))
            if self.absolute:
                return np.abs(found.changes), found.errors + found.whole_error
            return found.estimates, found.errors
        slopes = context.state.contract_slopes(_lifted(context, geometry))
        return np.abs(slopes), np.full(n_kept, geometry.slope_error())

    def value(self, context: Context) -> float:
        """Return the estimate on all kept columns."""
        Slack.of(context, self)
        return _geometry(context).estimate()

    def pair_weights(self, context: Context) -> PairWeights:
        """Return M with d(estimate) = <M, dK>, over the rows of `context.state`."""
        Slack.of(context, self)
        return _lifted(context, _geometry(context))

    def resolution(self, context: Context, scores: FloatArray) -> FloatArray:
        """Return the differences below which two scores are a tie.

        Scores are wrong by what an error of some roundings in each entry of the Gram matrix makes
        of them, which depends on how nearly the support vectors lie in the hull of each other, and
        by what the KKT gap leaves open. A tie is what twice that does not tell apart.
        """
        solution, criterion, count, errors = context.memory.get("span errors", (None,) * 4)
        if solution is not context.solution or criterion != self or count != len(scores):
            errors = self._scored(context)[1]
        return np.asarray(2.0 * errors)


def _geometry(context: Context) -> SpanGeometry:
    return trained_geometry(context.problem, context.solution, gram_over(context))


def _rows(context: Context, geometry: SpanGeometry) -> IndexArray:
    """The support vectors in `context.state`."""
    rows = geometry.supports.rows
    return rows if context.rows is None else context.rows[rows]


def _lifted(context: Context, geometry: SpanGeometry) -> PairWeights:
    return context.lift(PairWeights(geometry.supports.rows, None, geometry.pair_weights()))


# ---- trained again


def _retrained(context: Context, criterion: Span) -> tuple[FloatArray, FloatArray]:
    """The estimates of machines trained again, infinite where there is none, and their errors."""
    errors = np.zeros(context.state.n_kept)

    def estimate(one: Candidate) -> float:
        try:
            geometry = trained_geometry(context.problem, one.solution, gram_over(context, one))
        except NoFreeRowError:
            return np.inf
        squares = geometry.squares()
        errors[one.position] = geometry.error(squares)
        return float(np.abs(geometry.supports.u) @ squares)

    known, closed = None, _known(context)
    if closed is not None:
        known, errors[:] = closed
    return retrained_scores(context, criterion, estimate, known=known), errors


def _known(context: Context) -> tuple[FloatArray, FloatArray] | None:
    """Estimates of retrained machines that need no training, else nan, and their errors."""
    closed = retrained_at_once(context, retrain_tol(context))
    if closed is None:
        return None
    geometry, U = closed.geometry, closed.coefficients
    supports, alpha = geometry.supports, np.abs(U)
    width = (context.problem.upper - context.problem.lower)[:, None]
    largest = np.where(np.isfinite(alpha), alpha, 0.0).max(axis=0)
    if not len(supports.bounded):
        squares = closed.squares
        free = np.isfinite(squares)
        sizes = np.where(free, 1.0 / squares, 0.0).sum(axis=0)
        good = closed.holds & (free | (alpha == 0.0)).all(axis=0)
    else:
        changes, sizes, _ = square_changes(geometry, closed.columns[supports.rows])
        squares = np.zeros(U.shape)
        squares[supports.rows] = np.maximum(geometry.squares()[:, None] + changes, 0.0)
        free = np.zeros(U.shape, dtype=bool)
        free[supports.rows[supports.free]] = True
        good = closed.holds & ~closed.moved & np.isfinite(changes).all(axis=0)
        good &= not (geometry.alone or geometry.hull.inside.any())
    room = np.where(free, np.minimum(alpha, width - alpha), np.inf).min(axis=0)
    good &= (free.sum(axis=0) > 1) & (room > 10.0 * LEAST_COEFFICIENT * largest)
    good &= closed.clearance > LEAST_CLEARANCE
    squares = np.where(good & np.isfinite(squares), squares, 0.0)
    alpha, sizes = np.where(good, alpha, 0.0), np.where(good, sizes, 0.0)
    values = np.einsum("pj,pj->j", alpha, squares)
    # As `SpanGeometry.error`, with coefficients of each column, known to their gap.
    own = np.where(free, squares, geometry.largest)
    rounding = ENTRY_ROUNDING * geometry.largest
    drift = rounding * np.linalg.norm(alpha, axis=0) + np.sqrt(len(U)) * closed.gaps
    spans = np.sqrt(sizes) * np.where(free, np.sqrt(squares), 0.0).sum(axis=0)
    errors = rounding * (sizes * (alpha * own).sum(axis=0) + alpha.sum(axis=0)) + drift * spans
    return np.where(good, values, np.nan), np.where(good, errors, 0.0)
