"""The scikit-learn face: estimators that follow scikit-learn's interface."""

from svsieve.estimators.analysis import Analysis, analyse
from svsieve.estimators.feature_scaling import FeatureScaling
from svsieve.estimators.gradient_search import GradientSearch
from svsieve.estimators.grid import Grid
from svsieve.estimators.importance import importance
from svsieve.estimators.kernel_perceptron import KernelPerceptron
from svsieve.estimators.one_class_svc import OneClassSVC
from svsieve.estimators.sieve import Sieve
from svsieve.estimators.svc import SVC
from svsieve.estimators.svdd import SVDD
from svsieve.estimators.svm_score import svm_score
from svsieve.estimators.svmrfe import SVMRFE
from svsieve.estimators.svmrfecv import SVMRFECV

__all__ = [
    "SVC",
    "SVDD",
    "SVMRFE",
    "SVMRFECV",
    "Analysis",
    "FeatureScaling",
    "GradientSearch",
    "Grid",
    "KernelPerceptron",
    "OneClassSVC",
    "Sieve",
    "analyse",
    "importance",
    "svm_score",
]
