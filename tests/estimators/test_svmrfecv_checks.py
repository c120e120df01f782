"""scikit-learn's own checks of its interface, none of them excused."""

import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC as PeerSVC
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from svsieve import SVC, SVMRFECV, rules


@parametrize_with_checks(
    [
        SVMRFECV(cv=3),
        SVMRFECV(SVC(kernel="rbf"), cv=2, step=0.5, rule="one-se"),
        SVMRFECV(PeerSVC(gamma="auto", tol=1e-8), cv=3, step="sqrt", scoring="balanced_accuracy"),
        SVMRFECV(LinearSVC(dual=False, tol=1e-10), cv=3, rule=rules.Scalarised(0.8, 0.2)),
        SVMRFECV(make_pipeline(StandardScaler(with_mean=False), SVC(slack="l2")), cv=2),
    ]
)
# Columns around 100 make kernel values whose rounding is more than the default gap.
@pytest.mark.filterwarnings(
    "ignore:SVC stopped .precision-floor:sklearn.exceptions.ConvergenceWarning"
)
# Some checks have fewer rows of a class than there are folds.
@pytest.mark.filterwarnings("ignore:The least populated class in y has only:UserWarning")
def test_scikit_learn_checks(estimator, check):
    check(estimator)
