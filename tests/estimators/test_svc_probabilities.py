"""Class probabilities of SVC."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris, make_blobs, make_classification
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, train_test_split

from svsieve import SVC, SVMRFE
from svsieve.estimators.probabilities import distinct_rows
from svsieve.machines import coupled_probabilities, fit_sigmoid


def noisy(n_classes=2, rows=300, seed=0):
    X, y = make_classification(
        rows,
        6,
        n_informative=4,
        n_redundant=0,
        n_classes=n_classes,
        flip_y=0.15,
        class_sep=0.8,
        random_state=seed,
    )
    return train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)


def model(**parameters):
    return SVC(probability=True, random_state=0, **parameters)


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("slack", ["l1", "l2"])
def test_rows_sum_to_one_and_beat_the_shares_of_the_classes(n_classes, slack):
    X, X_test, y, y_test = noisy(n_classes)
    fitted = model(slack=slack).fit(X, y)
    p = fitted.predict_proba(X_test)
    assert p.shape == (len(X_test), n_classes)
    assert ((p >= 0) & (p <= 1)).all()
    np.testing.assert_allclose(p.sum(axis=1), 1.0, atol=1e-12)
    shares = np.bincount(y) / len(y)
    assert log_loss(y_test, p) < log_loss(y_test, np.tile(shares, (len(y_test), 1))) - 0.1
    np.testing.assert_allclose(fitted.predict_log_proba(X_test), np.log(p), atol=1e-9)


def test_probabilities_are_those_of_outcomes():
    X, X_test, y, y_test = noisy(rows=4000)
    p = model().fit(X, y).predict_proba(X_test)[:, 1]
    for low, high in ((0.0, 0.25), (0.25, 0.75), (0.75, 1.0)):
        inside = (p >= low) & (p <= high)
        assert inside.sum() > 100
        assert p[inside].mean() == pytest.approx(y_test[inside].mean(), abs=0.06)


def test_probabilities_of_two_classes_rise_with_the_decision_value():
    X, X_test, y, _ = noisy()
    fitted = model().fit(X, y)
    order = np.argsort(fitted.decision_function(X_test))
    assert (np.diff(fitted.predict_proba(X_test)[order, 1]) > 0).all()


def test_they_never_fall_with_it_where_the_labels_are_noise():
    falling = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(40, 3)), rng.integers(0, 2, 40)
        fitted = model().fit(X, y)
        values, p = fitted.decision_function(X), fitted.predict_proba(X)[:, 1]
        assert (np.diff(p[np.argsort(values)]) >= 0).all()
        falling += fitted.sigmoids_[0].slope == 0.0
    assert falling  # some would have


def test_agrees_with_calibration_by_scikit_learn():
    X, X_test, y, y_test = noisy(rows=1200)
    peer = CalibratedClassifierCV(SVC(), ensemble=False, cv=5, method="sigmoid").fit(X, y)
    ours, theirs = model().fit(X, y).predict_proba(X_test), peer.predict_proba(X_test)
    # The folds differ, the curve hardly does.
    np.testing.assert_allclose(ours, theirs, atol=0.02)
    assert log_loss(y_test, ours) == pytest.approx(log_loss(y_test, theirs), abs=0.005)


def test_sigmoids_are_fitted_to_rows_that_were_held_out():
    X, _, y, _ = noisy(rows=160)
    settings = {"C": 100.0, "gamma": 0.3}  # knows its rows by heart
    fitted = model(**settings).fit(X, y)
    assert fitted.score(X, y) == 1.0
    values, order = np.zeros(len(y)), np.argsort(distinct_rows(X, y)[0])
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    for train, test in folds.split(y, y[order]):
        machine = SVC(**settings).fit(X[order[train]], y[order[train]])
        values[order[test]] = machine.decision_function(X[order[test]])
    expected = fit_sigmoid(values, np.where(y == 1, 1.0, -1.0))
    assert fitted.sigmoids_[0].slope == pytest.approx(expected.slope, rel=1e-6)
    assert fitted.sigmoids_[0].offset == pytest.approx(expected.offset, rel=1e-6)
    on_training = fit_sigmoid(fitted.decision_function(X), np.where(y == 1, 1.0, -1.0))
    assert abs(expected.slope) < 0.5 * abs(on_training.slope)


def test_several_classes_are_coupled_from_their_pairs():
    X, y = load_iris(return_X_y=True)
    fitted = model(decision_function_shape="ovo").fit(X, y)
    values = fitted.decision_function(X)
    pairs = np.column_stack(
        [s.probability(v) for s, v in zip(fitted.sigmoids_, values.T, strict=True)]
    )
    np.testing.assert_array_equal(fitted.predict_proba(X), coupled_probabilities(pairs, 3))
    assert (fitted.predict_proba(X).argmax(axis=1) == y).mean() > 0.95
    by_votes = model().fit(X, y)
    np.testing.assert_array_equal(by_votes.predict_proba(X), fitted.predict_proba(X))


def test_the_machine_itself_is_the_one_without_probabilities():
    X, X_test, y, _ = noisy()
    np.testing.assert_array_equal(
        model().fit(X, y).decision_function(X_test), SVC().fit(X, y).decision_function(X_test)
    )


@pytest.mark.parametrize("n_classes", [2, 3])
def test_weights_count_rows(n_classes):
    X, _, y, _ = noisy(n_classes, rows=120)
    counts = np.random.default_rng(2).integers(0, 4, len(y))
    weighted = model(class_weight="balanced").fit(X, y, sample_weight=counts)
    repeated = model(class_weight="balanced").fit(
        np.repeat(X, counts, axis=0), np.repeat(y, counts)
    )
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-6)


def test_order_and_layout_of_the_rows_do_not_matter():
    X, X_test, y, _ = noisy(rows=160)
    X[np.abs(X) < 0.3] = 0.0
    order = np.random.default_rng(0).permutation(len(y))
    expected = model().fit(X, y).predict_proba(X_test)
    shuffled = model().fit(X[order], y[order]).predict_proba(X_test)
    np.testing.assert_allclose(shuffled, expected, atol=1e-7)
    stored = sparse.csr_array(X)
    np.testing.assert_allclose(model().fit(stored, y).predict_proba(X_test), expected, atol=1e-7)


def test_equal_rows_are_one_row_whatever_their_zeros():
    X = np.array([[1.0, 0.0], [-0.0, 2.0], [1.0, -0.0], [0.0, 2.0], [1.0, 0.0]])
    codes = np.array([0, 1, 0, 1, 1])
    explicit = sparse.csr_array((X.ravel(), np.tile([0, 1], 5), np.arange(0, 11, 2)), shape=(5, 2))
    for table in (X, sparse.csr_array(X), explicit):
        which, first = distinct_rows(table, codes)
        np.testing.assert_array_equal(which[[0, 1]], which[[2, 3]])
        assert len(set(which)) == len(first) == 3
        np.testing.assert_array_equal(which[first], np.arange(3))


def test_the_seed_decides_and_a_seed_repeats():
    X, X_test, y, _ = noisy(rows=100)
    first, again, other = (
        SVC(probability=True, random_state=seed).fit(X, y).predict_proba(X_test)
        for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert np.abs(first - other).max() > 1e-6


def test_few_rows_make_fewer_folds():
    X, y = make_blobs([2, 6], 2, random_state=0)
    p = model().fit(X, y).predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)


@pytest.mark.parametrize("copies", [1, 3])
def test_a_class_that_cannot_be_held_out_is_named(copies):
    X, y = make_blobs([1, 6], 2, random_state=0)
    X, y = np.repeat(X, copies, axis=0), np.repeat(y, copies)
    with pytest.warns(UserWarning, match="Class 'rare' has one row, apart from copies") as caught:
        fitted = model().fit(X, np.where(y == 0, "rare", "usual"))
    assert caught[0].filename == __file__
    np.testing.assert_allclose(fitted.predict_proba(X).sum(axis=1), 1.0)


def test_two_rows_are_judged_by_the_machine_they_made():
    X, y = np.array([[-1.0], [1.0]]), np.array([0, 1])
    with pytest.warns(UserWarning, match="Class 0 has one row"):
        fitted = model(kernel="linear").fit(X, y)
    expected = fit_sigmoid(fitted.decision_function(X), [-1, 1]).probability([-1.0, 1.0])
    np.testing.assert_allclose(fitted.predict_proba(X)[:, 1], expected)


def test_probabilities_have_to_be_asked_for():
    X, y = load_iris(return_X_y=True)
    plain = SVC().fit(X, y)
    assert not hasattr(plain, "predict_proba")
    assert not hasattr(plain, "sigmoids_")
    with pytest.raises(AttributeError, match="predict_proba"):
        plain.predict_proba(X)
    with pytest.raises(AttributeError, match="fit this SVC again"):
        plain.set_params(probability=True).predict_proba(X)
    asked = model().fit(X, y)
    assert hasattr(asked, "predict_log_proba")
    assert not hasattr(asked.set_params(probability=False).fit(X, y), "sigmoids_")
    assert clone(asked).get_params()["random_state"] == 0


@pytest.mark.parametrize("value", ["yes", 1, None])
def test_a_bad_flag_is_refused(no_computing, X, y, refused, value):
    refused("'probability' parameter of SVC must be True or False", X, y, probability=value)


def test_a_bad_seed_is_refused(no_computing, X, y, refused):
    refused("cannot be used to seed", X, y, probability=True, random_state="seven")


def test_selectors_hand_them_on():
    X, y = load_iris(return_X_y=True)
    selector = SVMRFE(model(kernel="linear"), n_features_to_select=2).fit(X, y)
    expected = selector.estimator_.predict_proba(X[:, selector.support_])
    np.testing.assert_array_equal(selector.predict_proba(X), expected)
    assert not hasattr(SVMRFE(SVC(kernel="linear")).fit(X, y), "predict_proba")
