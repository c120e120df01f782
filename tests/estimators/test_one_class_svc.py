"""The half-space around one class, against scikit-learn's and known digits."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import OneClassSVM

from svsieve import SVMRFE, OneClassSVC
from tests.oracles import library, numbers

KERNELS = {
    "rbf": {"kernel": "rbf", "gamma": 0.3},
    "scale": {"kernel": "rbf"},
    "auto": {"kernel": "rbf", "gamma": "auto"},
    "poly": {"kernel": "poly", "degree": 2, "coef0": 1.0, "gamma": 0.5},
    "linear": {"kernel": "linear"},
}
EACH = pytest.mark.parametrize("options", KERNELS.values(), ids=KERNELS)


def cloud(rows=80, seed=0):
    return np.random.default_rng([rows, seed]).normal(size=(rows, 3)) + 1.5


@EACH
# Where nu * rows is whole there may be no row on the boundary, and any rho of an interval is right.
@pytest.mark.parametrize("nu", [0.053, 0.311, 0.717])
@pytest.mark.parametrize("rows", [80, 300])
def test_decision_values_are_scikit_learns(options, nu, rows):
    X, Z = cloud(rows), cloud(50, seed=1)
    theirs = OneClassSVM(nu=nu, tol=1e-10, **options).fit(X)
    ours = OneClassSVC(nu=nu, tol=1e-10, **options).fit(X)
    size = max(1.0, abs(theirs.offset_[0]))
    for method in ("decision_function", "score_samples"):
        expected = getattr(theirs, method)(Z)
        np.testing.assert_allclose(getattr(ours, method)(Z), expected, atol=1e-6 * size)
    assert ours.offset_ == pytest.approx(theirs.offset_[0], abs=1e-6 * size)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-6 * size)
    if options["kernel"] == "linear":
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)


@EACH
def test_weights_are_scikit_learns(options):
    X, weights = cloud(), np.random.default_rng(2).uniform(0.2, 3.0, 80)
    if options.get("gamma", "scale") == "scale" and options["kernel"] == "rbf":
        options = options | {"gamma": 0.2}  # ours counts weights in "scale", theirs does not
    theirs = OneClassSVM(nu=0.3, tol=1e-10, **options).fit(X, sample_weight=weights)
    ours = OneClassSVC(nu=0.3, tol=1e-10, **options).fit(X, sample_weight=weights)
    size = max(1.0, abs(theirs.offset_[0]))
    expected = theirs.decision_function(X)
    np.testing.assert_allclose(ours.decision_function(X), expected, atol=1e-6 * size)


def test_sparse_rows_are_scikit_learns():
    X = sparse.csr_matrix(np.where(cloud() > 1.5, cloud(), 0.0))
    theirs = OneClassSVM(nu=0.3, gamma=0.3, tol=1e-10).fit(X)
    ours = OneClassSVC(nu=0.3, gamma=0.3, tol=1e-10).fit(X)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-6)


@pytest.mark.parametrize("column", range(3), ids=numbers.KERNELS)
def test_known_digits(column):
    n, bound = len(numbers.X), numbers.ONE_CLASS_BOUND
    kernel = library.KERNELS[numbers.KERNELS[column]]
    model = OneClassSVC(kernel, nu=1 / (bound * n), tol=1e-13).fit(numbers.X)
    b = np.zeros(n)
    b[model.support_] = model.dual_coef_[0] * bound
    numbers.assert_digits(b, numbers.ONE_CLASS["alpha"][column])
    numbers.assert_digits(model.offset_ * bound, numbers.ONE_CLASS["rho"][column])


@pytest.mark.parametrize("labels", [np.ones(80), np.arange(80), np.array(["a", "b"] * 40)])
def test_labels_are_not_looked_at(labels):
    X = cloud()
    plain = OneClassSVC().fit(X).decision_function(X)
    np.testing.assert_array_equal(OneClassSVC().fit(X, labels).decision_function(X), plain)


@pytest.mark.parametrize("count", [1, 80])
def test_known_negatives_are_trained_on_with_a_warning(count):
    """Not refused: cross-validation hands over the truth that it scores with."""
    X, labels = cloud(), np.ones(80)
    labels[:count] = -1
    plain = OneClassSVC().fit(X).decision_function(X)
    with pytest.warns(
        UserWarning, match=f"knows no negatives: the {count} rows .* Use SVDD"
    ) as one:
        found = OneClassSVC().fit(X, labels)
    assert one[0].filename == __file__
    np.testing.assert_array_equal(found.decision_function(X), plain)


@pytest.mark.parametrize("machine", [OneClassSVC(nu=0.3), OneClassSVM(nu=0.3)])
def test_a_ranking_says_that_negatives_are_not_told_apart(machine):
    labels = np.r_[-1, np.ones(79)]
    with pytest.warns(UserWarning, match=f"{type(machine).__name__} knows no negatives: the 1 row"):
        found = SVMRFE(machine).fit(cloud(), labels)
    np.testing.assert_array_equal(found.ranking_, SVMRFE(machine).fit(cloud()).ranking_)


@pytest.mark.parametrize("nu", [0.0, 1.1, "half", True])
def test_a_bad_share_is_named(nu):
    with pytest.raises(
        ValueError, match=r"'nu' parameter of OneClassSVC must be a float in \(0, 1"
    ):
        OneClassSVC(nu=nu).fit(cloud())


def test_coef_needs_a_linear_kernel():
    with pytest.raises(AttributeError, match="linear kernel"):
        _ = OneClassSVC().fit(cloud()).coef_
