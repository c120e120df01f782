"""The scikit-learn face: estimators that follow scikit-learn's interface."""

from svsieve.estimators.grid import Grid
from svsieve.estimators.importance import importance
from svsieve.estimators.svc import SVC
from svsieve.estimators.svm_score import svm_score
from svsieve.estimators.svmrfe import SVMRFE
from svsieve.estimators.svmrfecv import SVMRFECV

__all__ = ["SVC", "SVMRFE", "SVMRFECV", "Grid", "importance", "svm_score"]
