"""scikit-learn's own checks of its interface, none of them excused."""

import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC as PeerSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from svsieve import SVC, GradientSearch


@parametrize_with_checks(
    [
        GradientSearch(),
        GradientSearch(SVC(kernel="poly", degree=2, coef0=1.0, slack="l2"), max_trainings=30),
        GradientSearch(make_pipeline(StandardScaler(with_mean=False), SVC()), weights=True),
        GradientSearch(PeerSVC(gamma="auto", tol=1e-8), bounds={"C": (0.1, 100.0)}),
    ]
)
@pytest.mark.filterwarnings(
    "ignore:GradientSearch:UserWarning",
    "ignore:SVC stopped .precision-floor:sklearn.exceptions.ConvergenceWarning",
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
