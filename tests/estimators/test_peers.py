"""What users of scikit-learn's classes expect of those that stand for them."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
import sklearn
from scipy import sparse
from scipy.special import expit
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.feature_selection import RFE, RFECV
from sklearn.svm import SVC as PeerSVC
from sklearn.svm import OneClassSVM

from svsieve import (
    SVC,
    SVMRFE,
    SVMRFECV,
    GradientSearch,
    Grid,
    OneClassSVC,
    Retune,
    criteria,
    objectives,
)

X, y = load_iris(return_X_y=True)
TWO = y < 2


def separable(columns=8):
    rng = np.random.default_rng(0)
    labels = np.arange(40) % 2
    rows = rng.normal(size=(40, columns))
    rows[:, 2] += 6.0 * labels
    return rows, labels


# --- hard margin ---------------------------------------------------------------------------------


@pytest.mark.parametrize("weights", [None, np.r_[np.zeros(3), np.ones(97)]])
def test_the_hard_margin_is_the_same_with_both_slacks(weights):
    options = {"C": math.inf, "kernel": "linear", "class_weight": {0: 2.0}}
    one, other = (
        SVC(slack=slack, **options).fit(X[TWO], y[TWO], sample_weight=weights)
        for slack in ("l1", "l2")
    )
    np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-12)
    peer = PeerSVC(kernel="linear", C=1e6, tol=1e-8).fit(X[TWO], y[TWO])
    np.testing.assert_allclose(one.coef_, peer.coef_, rtol=1e-5)
    margins = one.decision_function(X[TWO]) * np.where(y[TWO] == 1, 1.0, -1.0)
    assert margins.min() == pytest.approx(1.0, abs=1e-9)


def test_the_hard_margin_of_scikit_learn_is_ranked_as_rfe_ranks_it():
    rows, labels = separable()
    machine = PeerSVC(C=math.inf, kernel="linear")
    ours = SVMRFE(machine, n_features_to_select=1).fit(rows, labels)
    peer = RFE(machine, n_features_to_select=1).fit(rows, labels)
    np.testing.assert_array_equal(ours.ranking_, peer.ranking_)
    with pytest.raises(ValueError, match=r"C=inf.*on the 7 columns left.*Use a finite C"):
        SVMRFE(machine).fit(np.delete(rows, 2, axis=1), labels)


@pytest.mark.parametrize(
    "criterion",
    [
        criteria.WeightNorm(),
        criteria.WeightNorm(retrain=True),
        criteria.RadiusMargin(),
        criteria.RadiusMargin(order=1),
        criteria.Span(),
        criteria.Span(order=1),
    ],
    ids=repr,
)
def test_criteria_see_the_same_hard_margin_with_both_slacks(criterion):
    rows, labels = separable()
    one, other = (
        SVMRFE(SVC(C=math.inf, slack=slack), criterion=criterion, n_features_to_select=3)
        .fit(rows, labels)
        .path_
        for slack in ("l1", "l2")
    )
    np.testing.assert_array_equal(one.order, other.order)
    np.testing.assert_allclose(one.scores, other.scores, rtol=1e-12)
    assert np.isfinite(one.scores).all()


def test_searches_leave_the_penalty_of_the_hard_margin_alone():
    rows, labels = separable()
    found = [
        GradientSearch(SVC(C=math.inf, slack=slack)).fit(rows, labels).best_params_
        for slack in ("l1", "l2")
    ]
    assert set(found[0]) == {"gamma"}
    assert found[0] == found[1]
    retune = Retune(3, objectives.RadiusMargin())
    one, other = (
        SVMRFE(SVC(C=math.inf, slack=slack), retune=retune).fit(rows, labels).ranking_
        for slack in ("l1", "l2")
    )
    np.testing.assert_array_equal(one, other)


# --- one class -----------------------------------------------------------------------------------


def test_the_offset_of_scikit_learn_s_one_class_svm():
    found = SVMRFE(OneClassSVM()).fit(X)
    assert isinstance(found.offset_, float)
    kept = X[:, found.support_]
    assert found.offset_ == OneClassSVM().fit(kept).offset_[0]
    assert not hasattr(SVMRFE().fit(X, y), "offset_")


# --- parameters and attributes -------------------------------------------------------------------


@pytest.mark.parametrize(("ours", "peer"), [(SVC, PeerSVC), (OneClassSVC, OneClassSVM)])
def test_parameters_without_effect_are_taken(ours, peer):
    plain = ours().fit(X, y)
    options = {"shrinking": False, "verbose": True, "cache_size": 50}
    peer(**options)
    found = ours(**options).fit(X, y)
    np.testing.assert_array_equal(found.dual_coef_, plain.dual_coef_)
    with pytest.raises(ValueError, match=r"'shrinking' parameter.*True or False"):
        ours(shrinking="often").fit(X, y)


@pytest.mark.parametrize(("ours", "peer"), [(SVC, PeerSVC), (OneClassSVC, OneClassSVM)])
def test_what_fit_says_of_itself(ours, peer):
    weights = np.r_[np.zeros(5), np.ones(145)]
    mine, theirs = (kind().fit(X, y, sample_weight=weights) for kind in (ours, peer))
    assert mine.shape_fit_ == theirs.shape_fit_ == (150, 4)
    assert mine.fit_status_ == theirs.fit_status_ == 0
    for kind in (ours, peer):
        with pytest.warns(ConvergenceWarning):
            assert kind(max_iter=1).fit(X, y).fit_status_ == 1


@pytest.mark.parametrize("n_classes", [2, 3])
def test_sigmoids_in_the_form_of_scikit_learn(n_classes):
    rows, labels = X[y < n_classes], y[y < n_classes]
    options = {"kernel": "linear", "decision_function_shape": "ovo"}
    model = SVC(probability=True, random_state=0, **options).fit(rows, labels)
    values = model.decision_function(rows).reshape(len(rows), -1)
    in_favour = -values if n_classes == 2 else values
    first = expit(-(in_favour * model.probA_ + model.probB_))
    expected = [
        one.probability(column) for one, column in zip(model.sigmoids_, values.T, strict=True)
    ]
    expected = np.column_stack(expected)
    np.testing.assert_allclose(first, 1.0 - expected if n_classes == 2 else expected, rtol=1e-9)
    if n_classes == 2:
        np.testing.assert_allclose(first[:, 0], model.predict_proba(rows)[:, 0], rtol=1e-9)
    # scikit-learn draws other folds: about the same.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        peer = PeerSVC(probability=True, random_state=0, **options).fit(rows, labels)
        np.testing.assert_allclose(model.probA_, peer.probA_, rtol=0.9)
    plain = SVC(**options).fit(rows, labels)
    assert plain.probA_.shape == plain.probB_.shape == (0,)
    assert not hasattr(SVC(), "probA_")


def test_probabilities_asked_for_after_the_fit():
    model = SVC().fit(X, y).set_params(probability=True)
    for method in (model.predict_proba, model.predict_log_proba):
        with pytest.raises(
            NotFittedError, match="is not available when fitted with probability=False"
        ):
            method(X)


def test_ties_of_pairs_are_refused_where_classes_are_asked_for():
    options = {"decision_function_shape": "ovo", "break_ties": True}
    for kind in (PeerSVC, SVC):
        model = kind(**options).fit(X, y)
        assert model.decision_function(X).shape == (150, 3)
        with pytest.raises(ValueError, match="break_ties must be False when"):
            model.predict(X)
    with pytest.raises(ValueError, match="break_ties must be False when"):
        SVMRFECV(SVC(kernel="linear", **options), cv=3).fit(X, y)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_weights_of_columns_are_dense_and_cannot_be_written_to(form):
    for model in (SVC(kernel="linear").fit(form(X), y), OneClassSVC("linear").fit(form(X))):
        assert isinstance(model.coef_, np.ndarray)
        with pytest.raises(ValueError, match="read-only"):
            model.coef_[0, 0] = 99.0


# --- weights of rows -----------------------------------------------------------------------------


class Foreign:
    """Weights that belong to another array library."""

    def __init__(self, values):
        self.values = np.asarray(values)

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values, dtype=dtype)

    def __array_namespace__(self, api_version=None):
        raise AssertionError("computing is numpy's")


@pytest.mark.parametrize("model", [SVC(), SVMRFE(), OneClassSVC()], ids=repr)
def test_weights_of_another_array_library(model):
    weights = np.random.default_rng(0).uniform(0.5, 2.0, 150)
    expected = sklearn.clone(model).fit(X, y, sample_weight=weights)
    with sklearn.config_context(array_api_dispatch=True):
        found = model.fit(X, y, sample_weight=Foreign(weights))
    name = "support_"
    np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


@pytest.mark.parametrize("model", [SVC(), SVMRFE(), SVMRFECV(), OneClassSVC(), Grid()], ids=repr)
def test_negative_weights_are_refused(model):
    with pytest.raises(ValueError, match=r"must not be negative. Got -1 in row 3"):
        model.fit(X, y, sample_weight=np.where(np.arange(150) == 3, -1.0, 1.0))


def test_balanced_counts_weights():
    weights = np.where(y == 0, 3.0, 1.0)
    found = SVC(class_weight="balanced").fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(found.class_weight_, [250 / 450, 250 / 150, 250 / 150])
    # scikit-learn's counts rows.
    peer = PeerSVC(class_weight="balanced").fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(peer.class_weight_, 1.0)


# --- SVMRFECV ------------------------------------------------------------------------------------


def test_more_columns_to_keep_than_there_are_are_warned_of():
    for kind in (RFECV, SVMRFECV):
        with pytest.warns(UserWarning, match="min_features_to_select=9 > n_features=4"):
            found = kind(PeerSVC(kernel="linear"), min_features_to_select=9).fit(X, y)
        assert found.n_features_ == 4
