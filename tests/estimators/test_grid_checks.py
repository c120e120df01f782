"""scikit-learn's own checks of its interface, none of them excused."""

import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC as PeerSVC
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from svsieve import SVC, Grid


@parametrize_with_checks(
    [
        Grid(cv=2),
        Grid(PeerSVC(kernel="linear"), {"C": [0.1, 1.0]}, cv=2),
        Grid(make_pipeline(StandardScaler(with_mean=False), SVC(slack="l2")), cv=2),
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


def test_sparse_rows_are_taken_where_the_estimator_takes_them():
    class Dense(SVC):
        def __sklearn_tags__(self):
            tags = super().__sklearn_tags__()
            tags.input_tags.sparse = False
            return tags

    assert get_tags(Grid()).input_tags.sparse
    assert not get_tags(Grid(Dense())).input_tags.sparse
