"""Rankings and machines tried on folds: nothing leaks, nothing is done twice."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, balanced_accuracy_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from svsieve import SVC, SVMRFE, fisher_score
from svsieve.elimination import Sizes
from svsieve.estimators.sieving import trials as module
from svsieve.estimators.sieving.candidates import candidates
from svsieve.estimators.sieving.clock import Clock, OutOfTimeError
from svsieve.estimators.sieving.planning import folds, sizes_to_visit
from svsieve.estimators.sieving.trials import Problem, Trials, View, predicted
from svsieve.selection.fold_scores import resolve_metrics


def problem_of(X, y, scoring="accuracy", keep=()):
    fold_of, _ = folds(np.unique(y, return_inverse=True)[1], 50, seed=0)
    return Problem(
        X,
        y,
        fold_of,
        resolve_metrics(scoring)[0],
        None,
        sizes_to_visit(X.shape[1], max(1, len(keep))),
        np.array(keep, dtype=np.int64),
        0,
    )


@pytest.fixture
def rows():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 12)) * np.linspace(0.1, 9.0, 12)
    y = np.where(X[:, 3] / 2.5 + 0.3 * rng.normal(size=60) > 0, "up", "down")
    return X, y


def by_name(name):
    return next(one for one in candidates(60, 2000) if one.name == name)


@pytest.mark.parametrize("name", ["linear", "Gaussian", "quadratic"])
def test_a_ranking_is_that_of_the_other_rows_alone(rows, name):
    X, y = rows
    problem, candidate = problem_of(X, y), by_name(name)
    view = View((1, 2), aside=0)
    path = Trials(problem, None, Clock()).ranking(candidate, view, 2)
    train = ~np.isin(problem.fold_of[0], (0, 2))
    machine = SVC(C=candidate.ranking.C, kernel=candidate.ranking.kernel)
    alone = SVMRFE(
        make_pipeline(StandardScaler(), machine),
        n_features_to_select=1,
        step=Sizes(problem.sizes),
        criterion=candidate.criterion,
    ).fit(X[train], y[train])
    np.testing.assert_array_equal(path.order, alone.path_.order)


def test_rows_that_are_set_aside_change_nothing(rows):
    X, y = rows
    problem = problem_of(X, y)
    view = View((1, 2), aside=0)
    spoiled = X.copy()
    spoiled[problem.fold_of[0] == 0] *= -100.0
    tables = []
    for table in (X, spoiled):
        trials = Trials(problem_of(table, y), None, Clock())
        candidate = by_name("Gaussian")
        tables.append(trials.own_gains(candidate, view, view.folds))
        tables.append(trials.gains(candidate, candidate.settings[:3], view, view.folds, [3])[0])
    np.testing.assert_array_equal(tables[0], tables[2])
    np.testing.assert_array_equal(tables[1], tables[3])


@pytest.mark.parametrize(
    ("scoring", "metric"),
    [("accuracy", accuracy_score), ("balanced_accuracy", balanced_accuracy_score)],
)
@pytest.mark.parametrize("name", ["linear", "Fisher", "Gaussian"])
def test_gains_average_to_the_scores_of_a_pipeline(rows, scoring, metric, name):
    X, y = rows
    problem, candidate = problem_of(X, y, scoring), by_name(name)
    trials, view, fold, size = Trials(problem, None, Clock()), View((0, 1)), 1, 4
    setting = candidate.settings[1]
    gains = trials.gains(candidate, [setting], view, [fold], [size])[0, 0]
    columns = trials.ranking(candidate, view, fold).top(size)
    test = problem.fold_of[0] == fold
    model = problem.pipeline(setting).fit(X[~test][:, columns], y[~test])
    assert gains.mean() == pytest.approx(metric(y[test], model.predict(X[test][:, columns])))


@pytest.mark.parametrize("name", ["linear", "Fisher", "Gaussian"])
def test_a_scorer_of_ones_own_gets_the_pipeline_and_the_columns(rows, name):
    def score(estimator, X, y):
        return estimator.score(X, y) - 0.01 * X.shape[1]

    X, y = rows
    problem, candidate = problem_of(X, y, score), by_name(name)
    trials, view = Trials(problem, None, Clock()), View((0, 1))
    own = trials.own_gains(candidate, view, [1])
    assert own.shape == (len(problem.sizes), 1)
    other = candidate.settings[1]
    for setting in (candidate.ranking, other):
        found = trials.gains(candidate, [setting], view, [1], problem.sizes)[0]
        for size, gain in zip(problem.sizes, found, strict=True):
            columns = np.sort(trials.ranking(candidate, view, 1).top(size))
            test = problem.fold_of[0] == 1
            model = problem.pipeline(setting).fit(X[~test][:, columns], y[~test])
            assert gain == pytest.approx([score(model, X[test][:, columns], y[test])])
        if setting is candidate.ranking:
            np.testing.assert_allclose(own, found)
    _, _, gains = predicted(problem, np.array([2, 5]), other, 0)
    test = problem.fold_of[0] == 0
    model = problem.pipeline(other).fit(X[~test][:, [2, 5]], y[~test])
    assert gains == pytest.approx([score(model, X[test][:, [2, 5]], y[test])])


def test_another_metric_has_one_unit_for_each_fold(rows):
    X, y = rows
    trials = Trials(problem_of(X, y, "roc_auc"), None, Clock())
    gains = trials.own_gains(by_name("linear"), View((0, 1, 2)), (0, 1, 2))
    assert gains.shape == (12, 3)


def test_a_row_judged_in_several_repetitions_counts_once(rows):
    X, y = rows
    problem = problem_of(X, y)
    trials, every = Trials(problem, None, Clock()), tuple(np.unique(problem.fold_of).tolist())
    gains = trials.own_gains(by_name("linear"), View(every), every)
    assert gains.shape == (12, len(y))
    singles = [
        trials.own_gains(by_name("linear"), View(every), every[5 * r : 5 * r + 5])
        for r in range(problem.n_repeats)
    ]
    np.testing.assert_allclose(gains, np.mean(singles, axis=0))


def test_a_filter_is_measured_on_the_training_rows(rows):
    X, y = rows
    problem = problem_of(X, y, keep=(7,))
    path = Trials(problem, None, Clock()).ranking(by_name("Fisher"), View((0,)), 0)
    train = problem.fold_of[0] != 0
    scores = fisher_score(X[train], y[train])
    scores[7] = np.inf
    np.testing.assert_array_equal(path.order, np.argsort(-scores, kind="stable"))


def test_nothing_is_ranked_or_trained_twice(rows, monkeypatch):
    X, y = rows
    calls = []
    for name in ("ranked", "trained"):
        real = getattr(module, name)
        monkeypatch.setattr(
            module, name, lambda *given, real=real, name=name: calls.append(name) or real(*given)
        )
    trials, candidate = Trials(problem_of(X, y), None, Clock()), by_name("linear")
    for _ in range(2):
        trials.gains(candidate, candidate.settings, View((0, 1)), (0, 1), [2, 5])
    assert sorted(calls) == ["ranked", "ranked", "trained", "trained"]
    # A ranking without folds 0 and 1 serves both views.
    trials.gains(candidate, candidate.settings, View((1,), aside=0), (1,), [2])
    trials.gains(candidate, candidate.settings, View((0,), aside=1), (0,), [2])
    assert len(calls) == 6


def test_no_time_is_said(rows):
    X, y = rows
    trials = Trials(problem_of(X, y), None, Clock(1e-9))
    with pytest.raises(OutOfTimeError):
        trials.rank([by_name("linear")], View((0,)), [0])
