"""scikit-learn's checks of its interface on every estimator of svsieve, none of them excused.

The configurations are others than those that `make test` runs the checks on.
"""

from __future__ import annotations

import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from svsieve import (
    SVC,
    SVDD,
    SVMRFE,
    SVMRFECV,
    FeatureScaling,
    GradientSearch,
    Grid,
    KernelPerceptron,
    OneClassSVC,
    Retune,
    Sieve,
    criteria,
    kernels,
    objectives,
    rules,
    samplers,
    schedules,
    sparing,
    stopping,
)
from tests.peers.adapters import PeerOneClassSVM, PeerSVC  # before their places were taken

ESTIMATORS = [
    Sieve(tradeoff=1.0, class_weight="balanced"),  # first, for it takes half of the time
    SVC(decision_function_shape="ovo"),
    SVC(kernel="linear", slack="l2", probability=True, class_weight="balanced"),
    SVC(kernel="poly", degree=2, coef0=1.0, shrinking=False),
    SVC(kernel=kernels.Normalised(kernels.Polynomial(2, 1.0, 1.0)), tol=1e-8),
    SVDD("laplace", C=0.3, slack="l2"),
    SVDD("linear", nu=0.5, cache_size=0.001),
    OneClassSVC("laplace", nu=0.1, gamma="auto"),
    OneClassSVC(kernels.Rbf(gamma="scale") * kernels.Linear(), tol=1e-8),
    KernelPerceptron("poly", degree=2, coef0=1.0, eta=0.5),
    KernelPerceptron("laplace", fit_intercept=False, max_epochs=20),
    SVMRFE(PeerSVC(C=10.0, kernel="linear", tol=1e-10), n_features_to_select=1),
    SVMRFE(LinearSVC(loss="hinge", tol=1e-10, random_state=0), step=0.5, combine="cv"),
    SVMRFE(SVC(), criterion=criteria.RadiusMargin(), n_features_to_select=0.3),
    SVMRFE(SVC(slack="l2"), criterion=criteria.Span(), step=2),
    SVMRFE(SVC(), criterion=criteria.RedundancyAware(), combine="mean-rank"),
    SVMRFE(SVC(), retune=Retune(2, objectives.RadiusMargin(), max_evaluations=3)),
    SVMRFE(keep=[0], spare=sparing.CorrelatedGroups(0.9), step=schedules.Sqrt()),
    SVMRFE(sampler=samplers.Bootstrap(3), stop=stopping.AtSize(1), random_state=0),
    SVMRFE(PeerOneClassSVM(nu=0.2, tol=1e-10), n_features_to_select=1),
    SVMRFE(SVDD("poly", degree=2, coef0=1.0), criterion="radius"),
    SVMRFECV(scoring=["accuracy", "balanced_accuracy"], cv=2, step="halving"),
    SVMRFECV(SVC(probability=True, random_state=0), scoring="neg_log_loss", cv=2, step=0.5),
    SVMRFECV(min_features_to_select=2, rule=rules.Knee(), cv=2, n_jobs=1),
    SVMRFECV(make_pipeline(MinMaxScaler(), PeerSVC(kernel="linear", tol=1e-10)), cv=2),
    FeatureScaling(objective="span", max_evaluations=5),
    FeatureScaling(SVC(slack="l2"), n_features_to_select=1, method="lp", max_evaluations=10),
    GradientSearch(SVC(slack="l2"), "span", max_trainings=10),
    GradientSearch(SVC(kernel="laplace"), weights=True, max_trainings=10, starts=2, random_state=0),
    Grid(grid={"C": [0.1, 1.0], "step": [1, 0.5]}, cv=2, rule="one-se"),
    Grid(make_pipeline(StandardScaler(with_mean=False), SVC()), {"gamma": [0.1]}, cv=2),
]


@parametrize_with_checks(ESTIMATORS)
@pytest.mark.filterwarnings("ignore")
def test_check(estimator, check):
    check(estimator)
