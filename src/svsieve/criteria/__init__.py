"""Criteria: what a column is worth, by contracting pair weights for all columns at once.

`WeightNorm`, `RadiusMargin`, `Span` and `Radius` come with the library. A criterion of your own is
one class with ``scores(context)``. It is given the solution, the labels and the kernel on the kept
columns (see `Context`) and returns one number per kept column, the smallest of which goes first.
The kernel contracts any symmetric weights of pairs of rows: scaled columns (``contract_slopes``) or
removed ones (``contract_without``).

Examples
--------
What each column adds to the gap between the mean decision values of the two classes, with the
coefficients u of the machine kept: f = Ku, so the gap is t'Ku with t = +1/n or -1/n by class.

>>> from dataclasses import dataclass
>>> import numpy as np
>>> from svsieve import SVC, SVMRFE
>>> from svsieve.kernels import PairWeights
>>> @dataclass(frozen=True)
... class Contrast:
...     def scores(self, context):
...         u, y = context.solution.coefficients, context.labels
...         t = np.where(y > 0, 1.0 / np.sum(y > 0), -1.0 / np.sum(y < 0))
...         M = PairWeights.dense((np.outer(t, u) + np.outer(u, t)) / 2.0)
...         return np.abs(context.state.contract_without(context.lift(M), change=True))
>>> rng = np.random.default_rng(0)
>>> X, y = rng.normal(size=(40, 6)), np.arange(40) % 2
>>> X[:, 4] += 2.0 * y
>>> SVMRFE(SVC(kernel="rbf"), criterion=Contrast()).fit(X, y).path_.order[0]
np.int64(4)
"""

from svsieve.criteria.combine import (
    CoefficientOfVariation,
    Combine,
    Maximum,
    MeanOverDeviation,
    MeanRank,
    PowerSum,
)
from svsieve.criteria.context import Context, Criterion, resolution_of
from svsieve.criteria.filters import (
    fisher_score,
    golub_score,
    kendall_score,
    pearson_score,
    random_score,
    spearman_score,
    t_score,
)
from svsieve.criteria.radius import Radius
from svsieve.criteria.radius_margin import RadiusMargin
from svsieve.criteria.redundancy import RedundancyAware
from svsieve.criteria.span import Span
from svsieve.criteria.weight_norm import WeightNorm

__all__ = [
    "CoefficientOfVariation",
    "Combine",
    "Context",
    "Criterion",
    "Maximum",
    "MeanOverDeviation",
    "MeanRank",
    "PowerSum",
    "Radius",
    "RadiusMargin",
    "RedundancyAware",
    "Span",
    "WeightNorm",
    "fisher_score",
    "golub_score",
    "kendall_score",
    "pearson_score",
    "random_score",
    "resolution_of",
    "spearman_score",
    "t_score",
]
