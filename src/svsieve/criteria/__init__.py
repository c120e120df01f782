"""Criteria: what a column is worth, by contracting pair weights for all columns at once."""

from svsieve.criteria.combine import (
    CoefficientOfVariation,
    Combine,
    Maximum,
    MeanOverDeviation,
    MeanRank,
    PowerSum,
)
from svsieve.criteria.context import Context, Criterion, resolution_of
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
    "WeightNorm",
    "resolution_of",
]
