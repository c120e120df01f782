"""Options that make no sense: each is refused with its name, what is allowed and what was given."""

import math

import numpy as np
import pytest

from svsieve import SVC, kernels


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": -1}, r"The 'C' parameter of SVC must be a float in \(0, inf\]. Got -1 instead."),
        ({"C": 0.0}, r"'C' parameter.*Got 0.0 instead"),
        ({"C": math.nan}, r"'C' parameter.*Got nan instead"),
        ({"C": math.nan}, r"'C' parameter.*\(0, inf\]. Got nan instead"),
        ({"C": "1"}, r"'C' parameter.*Got '1' instead"),
        ({"C": True}, r"'C' parameter.*Got True instead"),
        ({"C": None}, r"'C' parameter.*Got None instead"),
        ({"C": -1, "slack": "l2"}, r"'C' parameter.*\(0, inf\]. Got -1 instead"),
        ({"kernel": "sigmoid"}, r"'kernel'.*'linear', 'poly', 'rbf', 'laplace'.*Got 'sigmoid'"),
        ({"kernel": "precomputed"}, r"'kernel'.*Precomputed matrices and callables are not taken"),
        ({"kernel": np.dot}, r"'kernel'.*Precomputed matrices and callables are not taken"),
        ({"kernel": kernels.Rbf}, r"'kernel'.*a kernel object such as svsieve.kernels.Rbf"),
        ({"kernel": None}, r"'kernel'.*Got None instead"),
        ({"gamma": 0.0}, r"'gamma'.*'scale', 'auto'.*float in \(0, inf\). Got 0.0 instead"),
        ({"gamma": -2}, r"'gamma'.*Got -2 instead"),
        ({"gamma": math.inf}, r"'gamma'.*Got inf instead"),
        ({"gamma": "wide"}, r"'gamma'.*Got 'wide' instead"),
        ({"gamma": None}, r"'gamma'.*Got None instead"),
        ({"degree": 0}, r"'degree'.*an int in \[1, inf\). Got 0 instead"),
        ({"degree": 2.5}, r"'degree'.*Got 2.5 instead"),
        ({"coef0": -1.0}, r"'coef0'.*float in \[0, inf\). Got -1.0 instead"),
        ({"coef0": math.nan}, r"'coef0'.*Got nan instead"),
        ({"slack": "l3"}, r"'slack'.*one of 'l1', 'l2'. Got 'l3' instead"),
        ({"slack": 2}, r"'slack'.*Got 2 instead"),
        ({"tol": 0}, r"'tol'.*float in \(0, inf\). Got 0 instead"),
        ({"tol": "1e-3"}, r"'tol'.*Got '1e-3' instead"),
        ({"max_iter": 0}, r"'max_iter'.*-1 \(no limit\) or a positive int. Got 0 instead"),
        ({"max_iter": -2}, r"'max_iter'.*Got -2 instead"),
        ({"max_iter": 10.0}, r"'max_iter'.*Got 10.0 instead"),
        ({"cache_size": 0}, r"'cache_size'.*Got 0 instead"),
        ({"decision_function_shape": "ova"}, r"'decision_function_shape'.*'ovr', 'ovo'. Got 'ova'"),
        ({"break_ties": "yes"}, r"'break_ties'.*True or False. Got 'yes' instead"),
        ({"class_weight": "even"}, r"'class_weight'.*'balanced' or a dict.*Got 'even' instead"),
        ({"class_weight": [1, 2]}, r"'class_weight'.*Got \[1, 2\] instead"),
        ({"class_weight": {0: -1.0}}, r"'class_weight\[0\]'.*\(0, inf\). Got -1.0 instead"),
        ({"class_weight": {0: 0}}, r"'class_weight\[0\]'.*Got 0 instead"),
        ({"class_weight": {7: 1.0}}, r"names the class 7, which y does not have.*\[0, 1\]"),
    ],
)
@pytest.mark.usefixtures("no_computing")
def test_bad_parameter(X, y, parameters, message, refused):
    refused(message, X, y, **parameters)


def test_numpy_numbers_are_numbers(X, y):
    model = SVC(C=np.float32(2.0), gamma=np.float64(0.5), degree=np.int64(2), max_iter=np.int64(-1))
    model.fit(X, y)
    expected = SVC(C=2.0, gamma=0.5).fit(X, y)
    np.testing.assert_array_equal(model.dual_coef_, expected.dual_coef_)


@pytest.mark.usefixtures("no_solving")
def test_kernel_weights_of_the_wrong_length(X, y, refused):
    refused("Rbf has weights for 2 columns.*3", X, y, kernel=kernels.Rbf(weights=[1.0, 2.0]))


@pytest.mark.parametrize("slack", ["l1", "l2"])
def test_hard_margin_that_cannot_be(X, refused, slack):
    X[1] = X[0]
    y = np.array([0, 1] * 6)
    refused(
        r"hard margin.*no solution.*class 0 from 1.*finite C",
        X,
        y,
        kernel="linear",
        slack=slack,
        C=math.inf,
    )


@pytest.mark.usefixtures("no_solving")
def test_kernel_values_that_overflow(X, y, refused):
    X[4] *= 1e60
    refused(r"kernel value of row 4 .*not finite", X, y, kernel="poly", degree=7, gamma=1.0)
