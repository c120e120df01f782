"""scikit-learn's own checks of its interface, none of them excused."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from svsieve import SVDD, KernelPerceptron, OneClassSVC, kernels


@parametrize_with_checks(
    [
        SVDD(),
        SVDD("linear"),
        SVDD("poly", degree=2, coef0=1.0),
        SVDD("laplace", nu=0.5, tol=1e-6),
        SVDD(C=0.1, C_outlier=0.05),
        SVDD(C=0.5, slack="l2"),
        SVDD(kernels.Normalised(kernels.Polynomial(2, 1.0, 1.0)), cache_size=0.001),
        OneClassSVC(),
        OneClassSVC("linear", nu=0.2),
        OneClassSVC("poly", degree=2, coef0=1.0),
        KernelPerceptron(),
        KernelPerceptron(form="primal", fit_intercept=False),
        KernelPerceptron("rbf"),
        KernelPerceptron(kernels.Polynomial(2, 1.0, 1.0)),
    ]
)
# Columns around 100 make kernel values whose rounding is more than the default gap.
@pytest.mark.filterwarnings(
    "ignore:(SVDD|OneClassSVC) stopped .precision-floor:sklearn.exceptions.ConvergenceWarning"
)
@pytest.mark.filterwarnings("ignore:KernelPerceptron still:sklearn.exceptions.ConvergenceWarning")
def test_scikit_learn_checks(estimator, check):
    check(estimator)
