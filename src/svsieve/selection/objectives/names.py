"""Short names of objectives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from svsieve.resolve import refusal
from svsieve.resolve.options import has_method, listed
from svsieve.selection.objectives.cross_validation import CrossValidation
from svsieve.selection.objectives.posterior_error import PosteriorError
from svsieve.selection.objectives.radius_margin import RadiusMargin
from svsieve.selection.objectives.span import Span
from svsieve.selection.objectives.support_vectors import SupportVectorCount
from svsieve.selection.objectives.trial import Objective
from svsieve.selection.objectives.validation_error import ValidationError

OBJECTIVES: Mapping[str, Callable[[], Objective]] = {
    "radius-margin": RadiusMargin,
    "span": Span,
    "support-vectors": SupportVectorCount,
    "validation": ValidationError,
    "posterior": PosteriorError,
    "cv": CrossValidation,
}


def resolve_objective(objective: Any, *, owner: str = "GradientSearch") -> Objective:
    """Return the objective that a short name stands for; an object is taken as it is.

    Parameters
    ----------
    objective : {"radius-margin", "span", "support-vectors", "validation", "posterior", "cv"} or \
            Objective
    owner : str, default="GradientSearch"
        Whose parameter this is, for the messages.

    Returns
    -------
    Objective

    Examples
    --------
    >>> from svsieve.selection.objectives import resolve_objective
    >>> resolve_objective("cv")
    CrossValidation(folds=5, seed=0)
    """
    if isinstance(objective, str) and objective in OBJECTIVES:
        return OBJECTIVES[objective]()
    if has_method(objective, "judge"):
        return objective  # type: ignore[no-any-return]
    raise refusal(
        owner,
        "objective",
        f"{listed(OBJECTIVES)}, or an object with judge(trial), such as "
        "svsieve.objectives.ValidationError(share=0.3)",
        objective,
    )
