"""What pictures read from fitted estimators."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted


def fitted_part(estimator: Any, attribute: str, owner: str) -> Any:
    """Return a fitted attribute, refusing estimators that do not have one.

    Parameters
    ----------
    estimator : estimator
    attribute : str
        Such as ``"path_"``.
    owner : str
        Who asks, for the message.
    """
    check_is_fitted(estimator)
    part = getattr(estimator, attribute, None)
    if part is None:
        raise ValueError(
            f"{owner}.from_estimator needs an estimator with {attribute}, such as a fitted "
            f"{'SVMRFE or SVMRFECV' if attribute == 'path_' else 'SVMRFECV'}. "
            f"Got {type(estimator).__name__} without it."
        )
    return part
