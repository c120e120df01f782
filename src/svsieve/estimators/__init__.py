"""The scikit-learn face: estimators that follow scikit-learn's interface."""

from svsieve.estimators.importance import importance
from svsieve.estimators.svc import SVC
from svsieve.estimators.svmrfe import SVMRFE

__all__ = ["SVC", "SVMRFE", "importance"]
