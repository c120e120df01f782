"""Criteria of the publication where its words leave open what was computed.

"Without retraining" it drops the column that leaves the smallest value of a bound, and says that
for ||w||^2 this is SVM-RFE. Taken at its word the smallest ||w||^2 is left by the column that
matters most, and tables 1 and 2 do not come out; the absolute change gives them (`WeightNorm`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from svsieve.arrays import FloatArray
from svsieve.criteria import Context, Criterion, RadiusMargin, Span, WeightNorm
from svsieve.criteria.slack import Slack
from svsieve.criteria.span_geometry import SpanGeometry, Supports
from svsieve.criteria.span_without import estimates_without
from svsieve.criteria.sphere import smallest_sphere
from svsieve.kernels import PairWeights


@dataclass(frozen=True)
class BoundLeft:
    """The radius/margin bound that is left without a column; machine and sphere are kept.

    That the column which leaves the smallest value goes, and that this is SVM-RFE for ||w||^2,
    hold both if ||w||^2 is the value of the dual, 2 sum(alpha) - u'Ku, at the kept coefficients: it
    *grows* by what u'Ku loses, least for the column of least weight. The squared radius is the
    value of the sphere's dual, which shrinks. The publication does not say so: this reading was
    picked after several were compared with its tables.

    Parameters
    ----------
    grows : bool, default=True
        False: ||w||^2 is u'Ku at the kept coefficients, which shrinks.
    """

    grows: bool = True

    def scores(self, context: Context) -> FloatArray:
        """Return R^2 ||w||^2 without each column."""
        spread = smallest_sphere(
            context.gram(), Slack.of(context, self), context.tol, context.memory
        )
        norm = context.machine.value(context.solution, context.problem)
        by_radius = _change(context, spread.pair_weights())
        by_norm = _change(context, PairWeights.outer(context.solution.coefficients))
        left = (spread.value + by_radius) * (norm + (-by_norm if self.grows else by_norm))
        return np.asarray(left)


def _change(context: Context, M: PairWeights) -> FloatArray:
    return context.state.contract_without(context.lift(M), change=True)


@dataclass(frozen=True)
class SpanLeft:
    """The span estimate that is left without a column; alpha is kept."""

    def scores(self, context: Context) -> FloatArray:
        """Return the estimate without each column."""
        supports = Supports.of(context.problem, context.solution)
        geometry = SpanGeometry.of(context.gram(), supports)
        return estimates_without(geometry, context.state, supports.rows)[1]


# Rows of the tables by the names of their columns `method`.
CRITERIA: dict[str, Criterion] = {
    "w2": WeightNorm(),
    "r2w2": BoundLeft(),
    "span": SpanLeft(),
    "grad_w2": WeightNorm(order=1),
    "grad_r2w2": RadiusMargin(order=1),
    "grad_span": Span(order=1),
}
RETRAINED: dict[str, Criterion] = {
    "w2_retrain": WeightNorm(retrain=True),
    "r2w2_retrain": RadiusMargin(retrain=True),
    "span_retrain": Span(retrain=True),
}
# The same rows with criteria as this library offers them: absolute changes.
LIBRARY: dict[str, Criterion] = {"r2w2": RadiusMargin(), "span": Span()}
