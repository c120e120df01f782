"""SVC against scikit-learn's SVC: same solution, same layout, same predictions.

The peer keeps its kernel values in single precision, which bounds how well the two can agree.
"""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.svm import SVC as PeerSVC

from svsieve import SVC

SETTINGS = {
    "linear": {"kernel": "linear"},
    "poly": {"kernel": "poly", "degree": 3, "gamma": 0.3, "coef0": 1.0},
    "rbf": {"kernel": "rbf", "gamma": "scale"},
}
CLOSE = {"rtol": 1e-3, "atol": 1e-3}


def table(n_classes, *, rows=90):
    X, y = make_classification(
        n_samples=rows,
        n_features=6,
        n_informative=4,
        n_classes=n_classes,
        class_sep=0.7,
        random_state=3,
    )
    X[np.abs(X) < 0.4] = 0.0
    return X, y


def as_dense(values):
    return values.toarray() if sparse.issparse(values) else np.asarray(values)


def assert_same_machine(ours, peer, X):
    np.testing.assert_array_equal(ours.classes_, peer.classes_)
    np.testing.assert_array_equal(ours.support_, peer.support_)
    np.testing.assert_array_equal(ours.n_support_, peer.n_support_)
    np.testing.assert_array_equal(as_dense(ours.support_vectors_), as_dense(peer.support_vectors_))
    np.testing.assert_allclose(ours.dual_coef_, as_dense(peer.dual_coef_), **CLOSE)
    np.testing.assert_allclose(ours.intercept_, peer.intercept_, **CLOSE)
    np.testing.assert_allclose(ours.decision_function(X), peer.decision_function(X), **CLOSE)
    np.testing.assert_array_equal(ours.predict(X), peer.predict(X))


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array, sparse.csr_matrix])
@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("name", SETTINGS)
def test_same_solution(name, n_classes, layout):
    X, y = table(n_classes)
    X = layout(X)
    ours = SVC(C=0.7, tol=1e-9, **SETTINGS[name]).fit(X, y)
    peer = PeerSVC(C=0.7, tol=1e-9, **SETTINGS[name]).fit(X, y)
    assert_same_machine(ours, peer, X)
    assert ours.dual_coef_.shape == peer.dual_coef_.shape
    assert ours.n_iter_.shape == peer.n_iter_.shape
    if name == "linear":
        np.testing.assert_allclose(ours.coef_, as_dense(peer.coef_), **CLOSE)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", ["linear", "rbf"])
def test_same_solution_with_sample_weights(name, n_classes):
    X, y = table(n_classes)
    weights = np.random.default_rng(0).uniform(0.2, 3.0, len(y))
    settings = {**SETTINGS[name], "gamma": 0.2}
    ours = SVC(tol=1e-9, **settings).fit(X, y, sample_weight=weights)
    peer = PeerSVC(tol=1e-9, **settings).fit(X, y, sample_weight=weights)
    assert_same_machine(ours, peer, X)


@pytest.mark.parametrize("class_weight", ["balanced", {0: 0.3, 1: 2.0}, {1: 4.0}])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_same_solution_with_class_weights(class_weight, n_classes):
    X, y = table(n_classes)
    X, y = X[:70], y[:70]
    ours = SVC(tol=1e-9, class_weight=class_weight).fit(X, y)
    peer = PeerSVC(tol=1e-9, class_weight=class_weight).fit(X, y)
    np.testing.assert_allclose(ours.class_weight_, peer.class_weight_, rtol=1e-12)
    assert_same_machine(ours, peer, X)


@pytest.mark.parametrize("shape", ["ovr", "ovo"])
def test_same_decision_shapes(shape):
    X, y = table(4)
    ours = SVC(tol=1e-9, decision_function_shape=shape).fit(X, y).decision_function(X)
    peer = PeerSVC(tol=1e-9, decision_function_shape=shape).fit(X, y).decision_function(X)
    assert ours.shape == (len(y), 4 if shape == "ovr" else 6)
    np.testing.assert_allclose(ours, peer, **CLOSE)


def test_same_predictions_where_ties_are_broken():
    X, y = table(4)
    # Wide, so that the votes of many rows tie.
    Z = np.random.default_rng(1).uniform(-30, 30, (4000, X.shape[1]))
    settings = {"kernel": "linear", "C": 0.01, "tol": 1e-9}
    ours, peer = SVC(**settings).fit(X, y), PeerSVC(**settings).fit(X, y)
    broken = ours.set_params(break_ties=True).predict(Z)
    np.testing.assert_array_equal(broken, peer.set_params(break_ties=True).predict(Z))
    first = ours.set_params(break_ties=False).predict(Z)
    np.testing.assert_array_equal(first, peer.set_params(break_ties=False).predict(Z))
    assert (broken != first).any()


def test_default_tolerance_is_kept_on_more_rows():
    X, y = table(2, rows=400)
    ours, peer = SVC().fit(X, y), PeerSVC().fit(X, y)
    assert 0 < ours.kkt_gap_ <= 1e-3
    np.testing.assert_allclose(ours.decision_function(X), peer.decision_function(X), atol=1e-2)


def test_gamma_auto_is_one_over_the_columns():
    X, y = table(2)
    ours, peer = SVC(gamma="auto", tol=1e-9).fit(X, y), PeerSVC(gamma="auto", tol=1e-9).fit(X, y)
    assert_same_machine(ours, peer, X)
