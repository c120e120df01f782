"""scikit-learn's own checks of its interface, none of them excused."""

import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC as PeerSVC
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from svsieve import SVC, SVMRFE, criteria, samplers, schedules, stopping


@parametrize_with_checks(
    [
        SVMRFE(),
        SVMRFE(SVC(kernel="rbf"), n_features_to_select=1),
        SVMRFE(SVC(kernel="poly", degree=2, coef0=1.0), step=0.5, criterion="weight-first-order"),
        SVMRFE(PeerSVC(gamma="auto", tol=1e-8), step="sqrt", combine="max"),
        SVMRFE(LinearSVC(dual=False, tol=1e-10), n_features_to_select=0.5),
        SVMRFE(make_pipeline(StandardScaler(with_mean=False), SVC(slack="l2"))),
        SVMRFE(
            sampler=samplers.Subsample(0.9, below=100),
            step=schedules.Reflective(0.5, 2),
            stop=stopping.WhenScoreAbove(0.5, relative=True),
            criterion=criteria.WeightNorm(order=1),
            random_state=0,
        ),
    ]
)
# Columns around 100 make kernel values whose rounding is more than the default gap.
@pytest.mark.filterwarnings(
    "ignore:SVC stopped .precision-floor:sklearn.exceptions.ConvergenceWarning"
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
