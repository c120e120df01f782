"""The scikit-learn face: estimators that follow scikit-learn's interface."""

from svsieve.estimators.svc import SVC

__all__ = ["SVC"]
