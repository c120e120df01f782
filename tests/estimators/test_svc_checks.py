"""scikit-learn's own checks of its interface, none of them excused."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from svsieve import SVC, kernels


@parametrize_with_checks(
    [
        SVC(),
        SVC(kernel="linear"),
        SVC(kernel="poly"),
        SVC(kernel="laplace"),
        SVC(slack="l2"),
        SVC(class_weight="balanced"),
        SVC(kernel=kernels.Rbf(gamma="scale") + 0.5 * kernels.Linear()),
        SVC(break_ties=True, cache_size=0.001),
        SVC(probability=True),
    ]
)
# Columns around 100 make cubic kernel values of 1e12, whose rounding is more than the default gap.
@pytest.mark.filterwarnings(
    "ignore:SVC stopped .precision-floor:sklearn.exceptions.ConvergenceWarning"
)
@pytest.mark.filterwarnings("ignore:Class . has one row, apart from copies:UserWarning")
def test_scikit_learn_checks(estimator, check):
    check(estimator)
