"""The criteria as importances for scikit-learn's own selectors."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import RFE, RFECV, SelectFromModel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC as PeerSVC
from sklearn.svm import LinearSVC

import svsieve
from svsieve import SVC, SVMRFE, criteria, kernels


def table(n_classes=2, rows=60, columns=8, seed=0):
    return make_classification(
        n_samples=rows,
        n_features=columns,
        n_informative=5,
        n_redundant=0,
        n_classes=n_classes,
        n_clusters_per_class=1,
        random_state=seed,
    )


def without(model, X, column, kernel):
    """||w||^2 of each pair of classes with a column left out, coefficients frozen: plain loops."""
    groups = np.split(np.arange(len(model.support_)), np.cumsum(model.n_support_)[:-1])
    rows = X[model.support_].copy()
    rows[:, column] = 0.0
    gram = kernel(rows)
    for i in range(len(groups)):
        for j in range(i + 1, len(groups)):
            u = np.zeros(len(rows))
            u[groups[i]] = model.dual_coef_[j - 1, groups[i]]
            u[groups[j]] = model.dual_coef_[i, groups[j]]
            yield u @ gram @ u


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("make", [SVC, PeerSVC])
@pytest.mark.parametrize(
    ("options", "kernel"),
    [
        ({"kernel": "linear"}, lambda Z: Z @ Z.T),
        (
            {"kernel": "rbf", "gamma": 0.3},
            lambda Z: np.exp(-0.3 * ((Z[:, None] - Z) ** 2).sum(axis=2)),
        ),
        (
            {"kernel": "poly", "gamma": 0.2, "coef0": 1.0, "degree": 2},
            lambda Z: (0.2 * Z @ Z.T + 1.0) ** 2,
        ),
    ],
)
def test_scores_are_what_the_norm_owes_to_a_column(n_classes, make, options, kernel):
    X, y = table(n_classes)
    model = make(**options).fit(X, y)
    with_all = np.array(list(without(model, np.c_[X, np.zeros(60)], 8, kernel)))
    expected = [
        np.abs(with_all - np.array(list(without(model, X, column, kernel)))).sum()
        for column in range(8)
    ]
    np.testing.assert_allclose(svsieve.importance("weight")(model), expected, rtol=1e-8)


@pytest.mark.parametrize("gamma", ["scale", "auto"])
def test_rule_of_gamma_is_that_of_the_fit(gamma):
    X, y = table()
    model = PeerSVC(gamma=gamma).fit(X, y)
    number = 1 / (8 * X.var()) if gamma == "scale" else 1 / 8
    fixed = PeerSVC(gamma=number).fit(X, y)
    np.testing.assert_allclose(svsieve.importance()(model), svsieve.importance()(fixed), rtol=1e-9)


def test_first_order_of_a_linear_kernel_is_twice_the_square():
    X, y = table()
    model = SVC(kernel="linear").fit(X, y)
    found = svsieve.importance("weight-first-order")(model)
    np.testing.assert_allclose(found, 2 * model.coef_[0] ** 2, rtol=1e-9)


def test_pairs_of_classes_are_combined_as_asked():
    X, y = table(3)
    model = SVC(kernel="linear").fit(X, y)
    np.testing.assert_allclose(
        svsieve.importance(combine="max")(model), (model.coef_**2).max(axis=0), rtol=1e-9
    )


@pytest.mark.parametrize("make", [SVC, PeerSVC])
def test_sparse_rows_give_the_same(make):
    X, y = table(3)
    X[np.abs(X) < 0.4] = 0.0
    dense, csr = (make(gamma=0.2).fit(rows, y) for rows in (X, sparse.csr_array(X)))
    np.testing.assert_allclose(svsieve.importance()(csr), svsieve.importance()(dense), rtol=1e-4)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("criterion", ["weight", "weight-first-order"])
@pytest.mark.parametrize(
    "machine",
    [
        PeerSVC(kernel="rbf", gamma="auto", tol=1e-10),
        PeerSVC(kernel="poly", gamma=0.1, degree=2, coef0=1.0, tol=1e-10),
        SVC(kernel="rbf", gamma="scale", tol=1e-10),
        SVC(kernel=kernels.Rbf(gamma="scale") + 0.1 * kernels.Linear(), tol=1e-10),
    ],
)
def test_rfe_with_it_chooses_as_svmrfe(machine, criterion, n_classes):
    X, y = table(n_classes)
    getter = svsieve.importance(criterion)
    peer = RFE(machine, n_features_to_select=1, importance_getter=getter).fit(X, y)
    own = SVMRFE(machine, n_features_to_select=1, criterion=criterion).fit(X, y)
    np.testing.assert_array_equal(own.ranking_, peer.ranking_)


def test_other_selectors_take_it():
    X, y = table(rows=90)
    getter = svsieve.importance(criteria.WeightNorm())
    assert RFECV(SVC(), importance_getter=getter, cv=3).fit(X, y).n_features_ >= 1
    assert SelectFromModel(SVC(), importance_getter=getter).fit(X, y).get_support().any()
    model = make_pipeline(StandardScaler(), SVC())
    assert RFE(model, importance_getter=getter).fit(X, y).n_features_ == 4
    assert pickle.loads(pickle.dumps(getter)) == getter


def test_what_it_does_not_take():
    X, y = table()
    with pytest.raises(TypeError, match=r"fitted svsieve.SVC.*Got LinearSVC instead"):
        svsieve.importance()(LinearSVC().fit(X, y))
    with pytest.raises(NotFittedError):
        svsieve.importance()(SVC())
    with pytest.raises(ValueError, match="'kernel' parameter of SVC"):
        svsieve.importance()(PeerSVC(kernel="sigmoid").fit(X, y))
    with pytest.raises(ValueError, match="'criterion' parameter of importance"):
        svsieve.importance("gini")
    with pytest.raises(ValueError, match="'combine' parameter of importance"):
        svsieve.importance(combine="gini")
