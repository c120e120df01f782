"""What `Sieve` says of its choice: numbers that are those of the choice, and what is missing."""

from __future__ import annotations

import re
import warnings
from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.metrics import accuracy_score

from svsieve import Sieve
from svsieve.estimators.sieving import clock as clock_module
from svsieve.estimators.sieving.candidates import candidates
from svsieve.estimators.sieving.clock import Clock
from svsieve.estimators.sieving.trials import Trials, View
from svsieve.estimators.sieving.words import _fold_scores
from tests.estimators.sieving.test_trials import problem_of


@pytest.fixture
def rows():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(60, 8))
    return X, np.where(X[:, 4] * X[:, 5] + X[:, 0] > 0, "same", "other")


def test_the_curve_of_the_report_is_that_of_the_choice(rows):
    found = Sieve().fit(*rows)
    curve = found.report_.best.curve
    said = re.search(r"accuracy (\S+) in \d+ folds", found.choice_.reasons["kernel"])[1]
    at = np.flatnonzero(curve.sizes == found.n_features_)
    assert f"{curve.mean()[at][0]:.3g}" == said
    assert found.report_.chosen == found.n_features_


@pytest.mark.parametrize("other", [False, True], ids=["of the ranking", "another"])
@pytest.mark.parametrize("sizes", [(1, 2, 3, 4, 5, 6, 7, 8), (2, 4)], ids=["all", "some"])
def test_scores_of_a_fold_are_those_of_the_machine_chosen_at_the_sizes_compared(rows, other, sizes):
    X, y = rows
    problem, view, fold = problem_of(X, y), View((0, 1, 2, 3, 4)), 2
    candidate = next(one for one in candidates(60, 8) if one.name == "Gaussian")
    others = [one for one in candidate.settings if one != candidate.ranking]
    setting = others[-1] if other else candidate.ranking
    sizes = sorted(sizes, reverse=True)
    chosen = SimpleNamespace(candidate=candidate, setting=setting, sizes=np.array(sizes))
    trials, test = Trials(problem, None, Clock()), problem.fold_of[0] == fold
    found = _fold_scores(trials, view, chosen, fold)
    path, expected = trials.ranking(candidate, view, fold), []
    for size in sizes:
        columns = path.top(size)
        model = problem.pipeline(setting).fit(X[~test][:, columns], y[~test])
        expected.append(accuracy_score(y[test], model.predict(X[test][:, columns])))
    np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("budget", [200.0, 800.0])
def test_what_there_was_no_time_for_is_said(rows, budget, monkeypatch):
    """By a clock that goes on by a second each time it is looked at."""
    ticks = count()
    ticking = SimpleNamespace(monotonic=lambda: float(next(ticks)))
    monkeypatch.setattr(clock_module, "time", ticking)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = Sieve(budget=budget).fit(*rows)
    untried = found.choice_.untried
    assert "other ways of ranking in the nested estimate" in untried
    sentence = f"There was no time for: {'; '.join(untried)}."
    assert str(found.choice_).splitlines()[-1] == sentence
    assert found.report_.data_warnings[-1] == sentence
    assert sentence in found.report_.to_markdown()
    assert next(ticks) <= budget + 10


def test_with_time_enough_nothing_is_missing(rows):
    found = Sieve().fit(*rows)
    assert found.choice_.untried == ()
    assert not any("no time" in said for said in found.report_.data_warnings)
    assert "no time" not in str(found.choice_)
