"""Scorers that look at the estimator or the rows see what scikit-learn would show them."""

from __future__ import annotations

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn.datasets import load_iris, make_classification
from sklearn.feature_selection import RFECV
from sklearn.metrics import accuracy_score, get_scorer, log_loss, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    StratifiedKFold,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC as PeerSVC

from svsieve import SVC, SVMRFECV, Grid, Sieve, evaluate, schedules, stopping, validate
from svsieve.estimators.comparison import compare

# Of scikit-learn's, from release 1.9 on.
pytestmark = pytest.mark.filterwarnings("ignore:The `probability` parameter:FutureWarning")


def size_penalty(estimator, X, y):
    return estimator.score(X, y) - 0.01 * X.shape[1]


def cost_per_class(estimator, X, y):
    wrong, (often, rare) = estimator.predict(X) != y, np.unique(y)[:2]
    return -float(wrong[y == often].sum() + 5.0 * wrong[y == rare].sum())


def small_weights(estimator, X, y):
    return estimator.score(X, y) - 0.02 * np.abs(estimator.coef_).sum()


def right_far_out(estimator, X, y):
    far = np.abs(X).max(axis=1) > np.median(np.abs(X).max(axis=1))
    return float(
        (estimator.predict(X) == y)[far].mean() + 0.1 * (estimator.predict(0.0 * X)[0] == 0)
    )


unlikeliness = make_scorer(log_loss, greater_is_better=False, response_method="predict_proba")

SCORERS = [size_penalty, cost_per_class, small_weights, right_far_out]
# At smaller tolerances libsvm may take minutes.
TIGHT = PeerSVC(kernel="linear", C=0.1, tol=1e-8)
OURS = SVC(kernel="linear", C=0.1, tol=1e-10)


def unbalanced(rows=200):
    return make_classification(rows, 10, weights=[0.9], flip_y=0.1, random_state=0)


def agree(ours, peer, rtol):
    assert ours.n_features_ == peer.n_features_
    np.testing.assert_array_equal(ours.support_, peer.support_)
    for name, expected in peer.cv_results_.items():
        np.testing.assert_allclose(ours.cv_results_[name], expected, rtol=rtol, atol=rtol)


@pytest.mark.parametrize("scorer", SCORERS)
@pytest.mark.parametrize("machine", [TIGHT, OURS])
def test_the_same_as_rfecv(scorer, machine):
    X, y = unbalanced()
    peer = RFECV(TIGHT, scoring=scorer, cv=4).fit(X, y)
    agree(SVMRFECV(machine, scoring=scorer, cv=4).fit(X, y), peer, 1e-6)


def test_probabilities_of_scikit_learn():
    X, y = make_classification(100, 6, random_state=1)
    machine = PeerSVC(kernel="linear", probability=True, random_state=0, tol=1e-5)
    peer = RFECV(machine, scoring=unlikeliness, cv=3).fit(X, y)
    ours = SVMRFECV(machine, scoring=unlikeliness, cv=3).fit(X, y)
    agree(ours, peer, 1e-6)
    assert SVMRFECV(machine, scoring="neg_log_loss", cv=3).fit(X, y).n_features_ == peer.n_features_
    assert ours.score(X, y) == pytest.approx(peer.score(X, y), abs=1e-9)


def test_probabilities_of_ones_own():
    X, y = unbalanced(100)
    machine = SVC(kernel="linear", probability=True, random_state=0)
    folds = StratifiedKFold(3)
    ours = SVMRFECV(machine, scoring="neg_brier_score", cv=folds, step=3).fit(X, y)
    expected = [
        [
            get_scorer("neg_brier_score")(
                machine.fit(X[train][:, kept], y[train]), X[test][:, kept], y[test]
            )
            for kept in (np.sort(path.top(size)) for size in ours.curve_.sizes)
        ]
        for path, (train, test) in zip(ours.paths_, folds.split(X, y), strict=True)
    ]
    np.testing.assert_allclose(ours.curve_.scores(), expected, rtol=1e-12)


def test_the_width_of_the_rows_is_the_size():
    X, y = load_iris(return_X_y=True)
    selector = SVMRFECV(SVC(kernel="linear"), scoring=lambda e, X, y: X.shape[1]).fit(X, y)
    assert selector.cv_results_["mean_test_score"].tolist() == [1, 2, 3, 4]
    assert selector.score(X, y) == selector.n_features_ == 4


def test_nothing_is_fitted_for_scorers_that_ask_for_predictions_only(monkeypatch):
    X, y = unbalanced()
    monkeypatch.setattr("svsieve.selection.refitting.fitted_on", None)
    mine = make_scorer(lambda truth, said: float(np.mean(truth == said)))
    found = SVMRFECV(scoring={"a": "accuracy", "b": mine, "c": "roc_auc"}, cv=3).fit(X, y)
    np.testing.assert_allclose(found.curve_.scores("a"), found.curve_.scores("b"))


def test_metrics_of_both_kinds_together():
    X, y = unbalanced()
    both = {"auc": "roc_auc", "thrifty": size_penalty, "accuracy": "accuracy"}
    found = SVMRFECV(TIGHT, scoring=both, cv=3).fit(X, y)
    for name, one in both.items():
        alone = SVMRFECV(TIGHT, scoring=one, cv=3).fit(X, y)
        np.testing.assert_array_equal(found.curve_.scores(name), alone.curve_.scores())
    assert found.score(X, y) == pytest.approx(get_scorer("roc_auc")(found, X, y))


def test_a_scaler_is_fitted_to_the_training_rows_and_the_scorer_sees_the_rows_unscaled():
    X, y = unbalanced()
    X = X * np.logspace(-2, 2, 10) + 3.0
    chain = make_pipeline(StandardScaler(), TIGHT)
    seen = []

    def score(estimator, X, y):
        scaler = estimator[0]
        seen.append((X.shape[1], int(scaler.n_samples_seen_), X.mean(axis=0).max() > 1.0))
        return size_penalty(estimator, X, y)

    getter = "named_steps.svc.coef_"
    peer = RFECV(chain, scoring=size_penalty, cv=4, importance_getter=getter).fit(X, y)
    agree(SVMRFECV(chain, scoring=score, cv=4).fit(X, y), peer, 1e-6)
    assert seen[:10] == [(size, 150, True) for size in range(10, 0, -1)]


def test_a_machine_that_answers_otherwise_is_asked_itself():
    class Careful(PeerSVC):
        def predict(self, X):
            return (self.decision_function(X) > 0.5).astype(int)

    X, y = unbalanced()
    machine = Careful(kernel="linear", C=0.1, tol=1e-8)
    agree(SVMRFECV(machine, cv=3).fit(X, y), RFECV(machine, cv=3).fit(X, y), 1e-12)


def test_sparse_rows_stay_sparse():
    X, y = unbalanced()
    X = sparse.csr_array(X * (np.abs(X) > 0.5))

    def score(estimator, X, y):
        assert sparse.issparse(X)
        return size_penalty(estimator, X, y)

    found = SVMRFECV(OURS, scoring=score, cv=3).fit(X, y)
    dense = SVMRFECV(OURS, scoring=size_penalty, cv=3).fit(X.toarray(), y)
    np.testing.assert_allclose(found.curve_.scores(), dense.curve_.scores(), atol=1e-12)


def test_weights_reach_training_and_scorer():
    X, y = unbalanced(100)
    counts = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    splits = list(KFold(3).split(X))
    rows = np.repeat(np.arange(len(y)), counts.astype(int))
    repeated = [tuple(np.flatnonzero(np.isin(rows, part)) for part in one) for one in splits]
    scorer = make_scorer(log_loss, greater_is_better=False, response_method="predict_proba")
    for machine, scoring in (
        (SVC(kernel="linear"), size_penalty),
        (SVC(kernel="linear", probability=True, random_state=0), scorer),
    ):
        weighted = SVMRFECV(machine, scoring=scoring, cv=splits, step=4)
        weighted.fit(X, y, sample_weight=counts)
        plain = SVMRFECV(machine, scoring=scoring, cv=repeated, step=4).fit(X[rows], y[rows])
        if scoring is scorer:  # a plain function cannot be given weights
            held_out, expected = weighted.curve_.scores(), plain.curve_.scores()
            np.testing.assert_allclose(held_out, expected, rtol=1e-6)
            ours = weighted.score(X, y, sample_weight=counts)
            assert ours == pytest.approx(plain.score(X[rows], y[rows]), rel=1e-6)
        for one, other in zip(weighted.paths_, plain.paths_, strict=True):
            np.testing.assert_array_equal(one.order, other.order)


def test_routing_decides_who_gets_weights():
    X, y = unbalanced(60)
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    seen = []

    def loss(truth, values, sample_weight=None):
        seen.append(sample_weight is not None)
        return log_loss(truth, values, sample_weight=sample_weight)

    with sklearn.config_context(enable_metadata_routing=True):
        machine = SVC(kernel="linear", probability=True, random_state=0)
        for asks in (True, False):
            scorer = make_scorer(loss, response_method="predict_proba")
            scorer.set_score_request(sample_weight=asks)
            selector = SVMRFECV(machine, scoring=scorer, cv=3, step=5)
            selector.set_fit_request(sample_weight=True).fit(X, y, sample_weight=weights)
            assert set(seen) == {asks}
            seen.clear()


@pytest.mark.parametrize(
    "scoring", ["neg_log_loss", ["accuracy", "neg_brier_score"], {"a": unlikeliness}]
)
@pytest.mark.parametrize("owner", [SVMRFECV, Sieve, lambda **options: Grid(grid={}, **options)])
def test_probabilities_that_nobody_has_are_refused(owner, scoring):
    if owner is Sieve and not isinstance(scoring, str):
        scoring = unlikeliness
    with pytest.raises(ValueError, match=r"'scoring'.*asks for predict_proba, which SVC does not"):
        owner(scoring=scoring).fit(*unbalanced(40))


@pytest.mark.parametrize("answer", [None, {"a": 1.0}, np.ones(2), "0.5"])
def test_an_answer_that_is_no_number_is_refused(answer):
    with pytest.raises(ValueError, match=r"A scorer must return one number\. 'score' returned"):
        SVMRFECV(scoring=lambda e, X, y: answer, cv=2).fit(*unbalanced(40))


# --- sizes that a fold has not visited, draws, jobs --------------------------------------------


def test_sizes_that_a_fold_did_not_visit():
    X, y = unbalanced()
    step = schedules.Entropy(below=3)
    found = SVMRFECV(SVC(), step=step, scoring=lambda e, X, y: X.shape[1], cv=4).fit(X, y)
    np.testing.assert_array_equal(found.curve_.mean(), found.curve_.sizes)


def test_an_elimination_that_ends_early():
    X, y = unbalanced()
    stop = stopping.WhenScoreAbove(0.05)
    found = SVMRFECV(scoring=lambda e, X, y: X.shape[1], cv=3, stop=stop).fit(X, y)
    np.testing.assert_array_equal(found.curve_.mean(), found.curve_.sizes)


def test_side_by_side_and_from_a_checkpoint(tmp_path):
    X, y = unbalanced(100)
    plain = SVMRFECV(scoring=size_penalty, cv=3).fit(X, y)
    for options in ({"n_jobs": 2}, {"checkpoint": tmp_path / "a"}, {"checkpoint": tmp_path / "a"}):
        with joblib.parallel_config("threading"):
            found = SVMRFECV(scoring=size_penalty, cv=3, **options).fit(X, y)
        np.testing.assert_array_equal(found.curve_.scores(), plain.curve_.scores())


# --- grids, searches and estimates around it ---------------------------------------------------


def test_cells_of_a_grid():
    X, y = unbalanced(100)
    grid = Grid(TIGHT, {"C": [0.01, 0.1]}, scoring=size_penalty, cv=3).fit(X, y)
    for cell in grid.cells_:
        machine = PeerSVC(kernel="linear", tol=1e-8, C=cell.settings["C"])
        peer = RFECV(machine, scoring=size_penalty, cv=3).fit(X, y)
        np.testing.assert_allclose(
            cell.curve.mean(), peer.cv_results_["mean_test_score"], atol=1e-6
        )


@pytest.mark.parametrize("scoring", ["balanced_accuracy", cost_per_class, unlikeliness])
def test_score_follows_scoring(scoring):
    X, y = make_classification(100, 6, random_state=1)
    machine = PeerSVC(kernel="linear", C=0.1, tol=1e-6)
    if scoring is unlikeliness:
        machine.set_params(tol=1e-5, probability=True, random_state=0)
    peer, ours = (kind(machine, scoring=scoring, cv=3, step=3) for kind in (RFECV, SVMRFECV))
    for around in (
        lambda one: cross_val_score(one, X, y, cv=2),
        lambda one: (
            GridSearchCV(one, {"estimator__C": [0.01, 0.1]}, cv=2)
            .fit(X, y)
            .cv_results_["mean_test_score"]
        ),
    ):
        np.testing.assert_allclose(around(ours), around(peer), atol=1e-6)


def test_score_gives_the_scorer_what_is_used():
    X, y = unbalanced()
    for scorer in SCORERS:
        found = SVMRFECV(TIGHT, scoring=scorer, cv=3).fit(X, y)
        expected = scorer(found.estimator_, X[:, found.support_], y)
        assert found.score(X, y) == expected


def test_score_takes_weights():
    X, y = unbalanced()
    weights = np.random.default_rng(0).uniform(0.1, 3.0, len(y))
    found = SVMRFECV(scoring="balanced_accuracy", cv=3).fit(X, y)
    expected = get_scorer("balanced_accuracy")(found, X, y, sample_weight=weights)
    assert found.score(X, y, sample_weight=weights) == expected
    assert found.score(X, y, sample_weight=weights) != found.score(X, y)
    several = SVMRFECV(scoring=["roc_auc", "accuracy"], cv=3).fit(X, y)
    assert several.score(X, y) == get_scorer("roc_auc")(several, X, y)
    assert SVMRFECV(scoring=None, cv=3).fit(X, y).score(X, y) == accuracy_score(found.predict(X), y)
    mine = SVMRFECV(scoring=size_penalty, cv=3).fit(X, y)
    with pytest.raises(ValueError, match=r"SVMRFECV\.score needs a metric that takes weights"):
        mine.score(X, y, sample_weight=weights)


@pytest.mark.parametrize("scorer", SCORERS)
@pytest.mark.parametrize("machine", [PeerSVC(kernel="linear"), OURS])
def test_validate_is_cross_validation_on_the_columns(scorer, machine):
    X, y = unbalanced(120)
    order = np.random.default_rng(0).permutation(10)
    curve = validate(order, machine, X, y, sizes=[2, 5], scoring=scorer, cv=3)
    for size, found in zip((2, 5), curve.scores().T, strict=True):
        kept = np.sort(order[:size])
        np.testing.assert_allclose(
            found, cross_val_score(machine, X[:, kept], y, scoring=scorer, cv=3), atol=1e-6
        )


def test_validate_with_probabilities():
    X, y = unbalanced(80)
    machine = SVC(kernel="linear", probability=True, random_state=0)
    curve = validate([3, 1, 2], machine, X, y, sizes=[2], scoring="neg_log_loss", cv=3)
    found = cross_validate(
        machine, X[:, [1, 3]], y, scoring="neg_log_loss", cv=3, return_train_score=True
    )
    np.testing.assert_allclose(curve.scores()[:, 0], found["test_score"])
    np.testing.assert_allclose(curve.train["neg_log_loss"][:, 0], found["train_score"])


@pytest.mark.parametrize("scorer", SCORERS)
def test_evaluate_scores_what_was_fitted_on_the_columns_selected(scorer):
    X, y = unbalanced(120)
    folds = list(StratifiedKFold(3).split(X, y))
    for kind in (SVMRFECV, RFECV):
        machine = PeerSVC(kernel="linear")
        selector = kind(machine, scoring=scorer, cv=3, step=3)
        found = evaluate(selector, X, y, cv=folds, scoring=scorer)
        for (train, test), support, score in zip(folds, found.supports, found.scores, strict=True):
            model = machine.fit(X[train][:, support], y[train])
            assert score == pytest.approx(scorer(model, X[test][:, support], y[test]), abs=1e-9)
    alone = compare(
        {"it": SVMRFECV(OURS, scoring=scorer, cv=3, step=3)}, X, y, folds=3, scoring=scorer
    )
    assert alone.metric == scorer.__name__
    assert alone.evaluations["it"].chance is None


def test_evaluate_gives_a_pipeline_all_columns():
    X, y = unbalanced(80)
    chain = make_pipeline(StandardScaler(), SVMRFECV(cv=2, step=3))
    widths = evaluate(chain, X, y, cv=3, scoring=lambda e, X, y: X.shape[1])
    assert widths.scores.tolist() == [10.0] * 3
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(10)])
    found = evaluate(SVMRFECV(cv=2, step=3), frame, y, cv=3, scoring=size_penalty)
    same = evaluate(SVMRFECV(cv=2, step=3), X, y, cv=3, scoring=size_penalty)
    np.testing.assert_array_equal(found.scores, same.scores)


def test_evaluate_names_the_metric_that_a_selector_scores_itself_by():
    X, y = unbalanced(80)
    found = evaluate(SVMRFECV(scoring="balanced_accuracy", cv=2, step=3), X, y, cv=3)
    assert (found.metric, found.chance) == ("balanced_accuracy", 0.5)
    thrifty = evaluate(SVMRFECV(scoring=size_penalty, cv=2, step=3), X, y, cv=3)
    assert (thrifty.metric, thrifty.chance) == ("size_penalty", None)


def test_sieve():
    rng = np.random.default_rng(0)
    y = np.arange(24) % 2
    X = rng.normal(size=(24, 2))
    X[:, 1] += 4.0 * y
    X[[0, 3], 1] = 4.0, 0.0  # two rows that lie among the others
    widths = []

    def score(estimator, X, y):
        widths.append((X.shape[1], len(estimator.steps)))
        return size_penalty(estimator, X, y)

    sieve = Sieve(scoring=score).fit(X, y)
    assert {width for width, _ in widths} == {1, 2}
    assert {steps for _, steps in widths} == {2}
    assert sieve.score(X, y) == size_penalty(sieve.estimator_, X[:, sieve.support_], y)
    assert np.isfinite(float(sieve.score_))
    assert sieve.n_features_ == 1
    named = Sieve(scoring="balanced_accuracy", budget=1.0).fit(X, y)
    assert named.score(X, y) == get_scorer("balanced_accuracy")(named, X, y)
