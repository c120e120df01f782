"""The one call without settings."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import binomtest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from svsieve import Sieve, datasets
from svsieve.estimators.sieving.candidates import Candidate, plain_machine


@pytest.fixture(scope="module")
def quadrants():
    """Classes by the sign of a product of two of thirty columns."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(150, 20))
    return X, np.where(X[:, 4] * X[:, 11] > 0, "same", "other")


@pytest.fixture(scope="module")
def fitted(quadrants):
    return Sieve().fit(*quadrants)


def test_columns_that_matter_only_together_are_found(fitted):
    assert {4, 11} <= set(np.flatnonzero(fitted.support_).tolist())
    assert fitted.n_features_ == fitted.support_.sum() <= 4
    assert float(fitted.score_) > 0.85
    assert fitted.choice_.kernel in ("rbf", "poly")


def test_the_answer_is_a_classifier_and_a_selector(fitted, quadrants):
    X, _ = quadrants
    fresh = np.random.default_rng(8).normal(size=(400, 20))
    truth = np.where(fresh[:, 4] * fresh[:, 11] > 0, "same", "other")
    assert fitted.score(fresh, truth) > 0.85
    assert fitted.transform(X).shape == (150, fitted.n_features_)
    assert fitted.decision_function(X).shape == (150,)
    assert fitted.classes_.tolist() == ["other", "same"]
    assert (fitted.ranking_[fitted.support_] == 1).all()
    assert (fitted.ranking_[~fitted.support_] > 1).all()


def test_every_choice_has_a_reason(fitted):
    reasons = fitted.choice_.reasons
    assert {"kernel", "C", "gamma", "criterion", "schedule", "size"} <= set(reasons)
    assert all(len(reason) > 10 for reason in reasons.values())
    assert fitted.choice_.untried == ()
    assert fitted.choice_.gamma == pytest.approx(
        fitted.estimator_.named_steps["svc"].kernel_.gamma, rel=1e-9
    )


def test_the_report_tells_the_same(fitted):
    report = fitted.report_
    assert report.chosen == fitted.n_features_
    assert report.nested.mean == pytest.approx(float(fitted.score_))
    assert report.confusion.sum() == 150
    assert report.confusion.trace() / 150 == pytest.approx(float(fitted.score_), abs=0.01)


def test_share_interval_and_chance_are_those_of_the_rows_judged(fitted, quadrants):
    """Every row is judged once: Wilson's interval of so many right of 150."""
    _, y = quadrants
    right = round(150 * float(fitted.score_))
    assert float(fitted.score_) == pytest.approx(right / 150, abs=1e-12)
    expected = binomtest(right, 150).proportion_ci(0.95, method="wilson")
    assert fitted.score_.interval == pytest.approx((expected.low, expected.high), rel=1e-9)
    assert fitted.nested_.interval == fitted.score_.interval
    assert fitted.score_.chance == max((y == "same").sum(), (y == "other").sum()) / 150
    said = f"({expected.low:.3g} to {expected.high:.3g}, chance {fitted.score_.chance:.3g})"
    assert str(fitted.score_) == f"accuracy {right / 150:.3g} {said.replace('(', '(95% interval ')}"


def test_the_same_data_give_the_same_answer(fitted, quadrants):
    again = Sieve().fit(*quadrants)
    np.testing.assert_array_equal(again.ranking_, fitted.ranking_)
    assert again.score_.value == fitted.score_.value
    assert again.choice_ == fitted.choice_


def test_a_pickled_sieve_predicts_the_same(fitted, quadrants):
    X, _ = quadrants
    loaded = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(loaded.decision_function(X), fitted.decision_function(X))


def test_side_by_side_gives_the_same_answer(quadrants):
    X, y = quadrants
    few = X[:80, :12], y[:80]
    one, two = (Sieve(n_jobs=n).fit(*few) for n in (1, 2))
    np.testing.assert_array_equal(one.support_, two.support_)
    assert one.score_.value == two.score_.value


def test_noise_is_called_noise():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(60, 25)), np.repeat([0, 1], 30)
    with pytest.warns(UserWarning, match="found nothing that tells the classes apart"):
        sieve = Sieve().fit(X, y)
    assert sieve.n_features_ == 1
    low, high = sieve.score_.interval
    assert low < 0.5 < high
    # Judged in three repetitions, a row still counts once: the ends solve the equation of Wilson.
    for end in (low, high):
        error = 1.959963984540054**2 * end * (1.0 - end) / 60
        assert (end - float(sieve.score_)) ** 2 == pytest.approx(error, rel=1e-9)


def test_noise_leaves_the_columns_that_must_stay():
    # Every row is there once in either class.
    X = np.repeat(np.random.default_rng(2).normal(size=(30, 12)), 2, axis=0)
    y = np.tile([0, 1], 30)
    with pytest.warns(UserWarning, match="found nothing"):
        sieve = Sieve(keep=[3, 9]).fit(X, y)
    assert np.flatnonzero(sieve.support_).tolist() == [3, 9]


def test_a_column_that_is_the_target_in_disguise_is_named():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(80, 10)), np.repeat([0, 1], 40)
    X[:, 6] = y * 5.0 + rng.normal(size=80) * 0.1
    with pytest.warns(UserWarning, match="'6'"):
        sieve = Sieve().fit(X, y)
    assert sieve.support_[6]


def test_more_weight_on_accuracy_keeps_no_fewer_columns():
    X, y = datasets.make_weston_linear(80, 15, np.random.default_rng(5))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sizes = [Sieve(tradeoff=t).fit(X, y).n_features_ for t in (0.4, 0.8, 1.0)]
    assert sizes == sorted(sizes)


def test_the_estimate_does_not_see_the_held_out_rows():
    """With labels that are noise, nested scores average to chance over many data sets."""
    scores = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(40, 8)), np.repeat([0, 1], 20)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scores.append(float(Sieve().fit(X, y).score_))
    error = 0.5 / np.sqrt(40 * len(scores))
    assert abs(np.mean(scores) - 0.5) < 3.5 * error


def test_no_time_at_all_still_gives_an_answer(quadrants):
    X, y = quadrants
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sieve = Sieve(budget=1e-6).fit(X, y)
    assert sieve.predict(X).shape == (150,)
    assert len(sieve.choice_.untried) >= 6
    assert np.isnan(float(sieve.score_))
    assert sieve.report_ is None


def test_sparse_rows_and_other_metrics():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 15)) * (rng.random(size=(90, 15)) < 0.4)
    y = np.where(X[:, 2] - X[:, 8] > 0, 1, 0)
    sieve = Sieve(scoring="balanced_accuracy", class_weight="balanced").fit(sparse.csr_array(X), y)
    assert {2, 8} <= set(np.flatnonzero(sieve.support_).tolist())
    area = Sieve(scoring="roc_auc").fit(X, y)
    assert area.score_.metric == "roc_auc"
    assert float(area.score_) > 0.9


def test_three_classes():
    rng = np.random.default_rng(1)
    y = np.arange(120) % 3
    X = rng.normal(size=(120, 10))
    X[:, 5] += 3.0 * y
    sieve = Sieve().fit(X, y)
    assert sieve.support_[5]
    assert sieve.report_.confusion.shape == (3, 3)


def test_it_can_be_cross_validated_itself(quadrants):
    X, y = quadrants
    scores = cross_val_score(clone(Sieve()), X[:, :14], y, cv=2)
    assert scores.mean() > 0.6


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"budget": 0}, "budget"),
        ({"budget": "soon"}, "budget"),
        ({"tradeoff": 1.5}, "tradeoff"),
        ({"tradeoff": -0.1}, "tradeoff"),
        ({"scoring": "no such metric"}, "scoring"),
        ({"scoring": ["accuracy", "roc_auc"]}, "scoring"),
        ({"keep": [99]}, "keep"),
        ({"progress": 3}, "progress"),
    ],
)
def test_bad_options_are_named(quadrants, options, named):
    with pytest.raises((ValueError, TypeError), match=named):
        Sieve(**options).fit(*quadrants)


def test_a_class_of_one_row_is_refused():
    X = np.random.default_rng(0).normal(size=(10, 3))
    with pytest.raises(ValueError, match=r"two rows of every class.*'rare' has 1"):
        Sieve().fit(X, ["common"] * 9 + ["rare"])


def test_the_plain_machine_is_the_softer_the_more_columns_there_are():
    found = {n: plain_machine(n).C for n in (1, 30, 60, 300, 3000, 100_000)}
    expected = {1: 0.1, 30: 0.1, 60: 0.05, 300: 0.01, 3000: 0.001, 100_000: 0.001}
    assert found == pytest.approx(expected, rel=1e-12)


def test_candidates_have_names_of_their_own():
    from svsieve.estimators.sieving.candidates import candidates

    for shape in ((60, 2000), (2000, 60)):
        names = [one.name for one in candidates(*shape)]
        assert len(set(names)) == len(names)
        assert all(isinstance(one, Candidate) for one in candidates(*shape))
