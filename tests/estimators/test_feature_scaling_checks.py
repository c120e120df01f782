"""scikit-learn's own checks of its interface, none of them excused."""

import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from svsieve import SVC, FeatureScaling


@parametrize_with_checks(
    [
        FeatureScaling(max_evaluations=10),
        FeatureScaling(SVC(kernel="linear", slack="l2"), n_features_to_select=2, step=2),
        FeatureScaling(
            make_pipeline(StandardScaler(with_mean=False), SVC(slack="l2")),
            n_features_to_select=0.5,
            method="lp",
            max_evaluations=10,
        ),
        FeatureScaling(
            SVC(slack="l2"), n_features_to_select=2, space="components", max_evaluations=5
        ),
    ]
)
@pytest.mark.filterwarnings("ignore:FeatureScaling found its objective smallest:UserWarning")
@pytest.mark.filterwarnings(
    "ignore:SVC stopped .precision-floor:sklearn.exceptions.ConvergenceWarning"
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
