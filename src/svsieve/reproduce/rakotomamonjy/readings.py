"""The criteria behind the rows of the tables, by the names of their columns `method`.

Without retraining, print drops the column that leaves the smallest value of a bound, and says that
for ||w||^2 this is SVM-RFE. That is so if the value is the dual's at the kept coefficients (see
`svsieve.criteria.RadiusMargin`).
"""

from __future__ import annotations

from svsieve.criteria import Criterion, RadiusMargin, Span, WeightNorm

CRITERIA: dict[str, Criterion] = {
    "w2": WeightNorm(),
    "r2w2": RadiusMargin(),
    "span": Span(),
    "grad_w2": WeightNorm(order=1),
    "grad_r2w2": RadiusMargin(order=1),
    "grad_span": Span(order=1),
}
RETRAINED: dict[str, Criterion] = {
    "w2_retrain": WeightNorm(retrain=True),
    "r2w2_retrain": RadiusMargin(retrain=True),
    "span_retrain": Span(retrain=True),
}
