"""Estimates of the error of a machine, with slopes in the logarithms of its parameters.

``Judge(objective, X, labels)`` is called with a machine and a kernel and returns a `Judgement`.
"""

from svsieve.selection.objectives.cross_validation import CrossValidation
from svsieve.selection.objectives.judge import Judge
from svsieve.selection.objectives.names import OBJECTIVES, resolve_objective
from svsieve.selection.objectives.posterior_error import PosteriorError
from svsieve.selection.objectives.radius_margin import RadiusMargin
from svsieve.selection.objectives.span import Span
from svsieve.selection.objectives.support_vectors import SupportVectorCount
from svsieve.selection.objectives.trial import Judgement, NoValueError, Objective, summed
from svsieve.selection.objectives.validation_error import ValidationError

__all__ = [
    "OBJECTIVES",
    "CrossValidation",
    "Judge",
    "Judgement",
    "NoValueError",
    "Objective",
    "PosteriorError",
    "RadiusMargin",
    "Span",
    "SupportVectorCount",
    "ValidationError",
    "resolve_objective",
    "summed",
]
