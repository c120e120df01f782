"""Evidence that held-out rows are judged by more than chance."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import mannwhitneyu
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from svsieve.estimators.sieving.clock import Clock
from svsieve.estimators.sieving.nested import (
    FOUND,
    NOISE,
    Estimate,
    _evidence,
    _Fold,
    _more_right_than_by_accident,
    _pairs_in_order,
    _summed,
    _with_all_columns,
)
from svsieve.estimators.sieving.planning import folds
from svsieve.estimators.sieving.trials import Problem
from svsieve.selection.fold_scores import resolve_metrics


def problem_of(y, *cuts):
    """Rows with one cut into folds or several, numbered on."""
    return SimpleNamespace(
        y=y,
        rows_of=lambda fold: np.flatnonzero(np.array(cuts) == fold) % len(y),
        repetition_of=lambda fold: int(np.flatnonzero([(cut == fold).any() for cut in cuts])[0]),
    )


def judged(fold, decisions):
    return SimpleNamespace(fold=fold, decisions=np.asarray(decisions)[None])


def test_one_fold_gives_the_test_of_mann_and_whitney():
    rng = np.random.default_rng(0)
    y = np.array([0] * 12 + [1] * 9)
    values = rng.normal(size=21) + 0.8 * y
    found = _pairs_in_order(problem_of(y, np.zeros(21)), [judged(0, values)], np.unique(y))
    peer = mannwhitneyu(values[y == 1], values[y == 0], method="asymptotic", use_continuity=False)
    n, m = 9, 12
    z = (peer.statistic - n * m / 2) / np.sqrt(n * m * (n + m + 1) / 12)
    assert found == pytest.approx(z)


def test_folds_of_noise_have_the_variance_of_one():
    rng = np.random.default_rng(1)
    y = np.arange(30) % 2
    problem = problem_of(y, np.arange(30) // 6)
    found = []
    for _ in range(3000):
        outcomes = [judged(f, rng.normal(size=6)) for f in range(5)]
        found.append(_evidence(problem, outcomes))
    assert np.mean(found) == pytest.approx(0.0, abs=0.07)
    assert np.var(found) == pytest.approx(1.0, abs=0.1)


def test_repetitions_of_noise_have_no_more_than_the_variance_of_one():
    """Whether they agree on the rows or not."""
    rng = np.random.default_rng(3)
    y = np.arange(24) % 2
    problem = problem_of(y, np.arange(24) // 12, 2 + np.arange(24) % 4 // 2)
    apart, alike = [], []
    for _ in range(2000):
        apart.append(_evidence(problem, [judged(f, rng.normal(size=12)) for f in range(4)]))
        values = rng.normal(size=24)
        same = [judged(f, values[problem.rows_of(f)]) for f in range(4)]
        alike.append(_evidence(problem, same))
    assert np.var(apart) == pytest.approx(0.5, abs=0.07)
    assert 0.5 < np.var(alike) < 1.05


def test_the_evidence_is_the_mean_of_the_repetitions_that_are_whole():
    rng = np.random.default_rng(4)
    y = np.arange(20) % 2
    problem = problem_of(y, np.arange(20) // 10, 2 + np.arange(20) // 10)
    outcomes = [judged(f, rng.normal(size=10) + y[:10]) for f in range(4)]
    each = [_pairs_in_order(problem, part, np.unique(y)) for part in (outcomes[:2], outcomes[2:])]
    assert _evidence(problem, outcomes) == pytest.approx(np.mean(each))
    assert _evidence(problem, outcomes[:3]) == pytest.approx(each[0])


def test_three_classes_in_random_order_have_the_variance_of_one():
    rng = np.random.default_rng(2)
    true, said = rng.integers(0, 3, size=60), rng.integers(0, 3, size=60)
    problem = problem_of(true, np.zeros(60))
    found = []
    for _ in range(1000):
        outcome = SimpleNamespace(fold=0, labels=rng.permutation(said))
        found.append(_more_right_than_by_accident(problem, [outcome], np.arange(3)))
    assert np.mean(found) == pytest.approx(0.0, abs=0.12)
    assert np.var(found) == pytest.approx(1.0, abs=0.15)


def test_what_is_not_known_is_not_called_noise():
    known = {"value": 0.9, "interval": (0.8, 1.0), "chance": 0.5, "metric": "accuracy"}
    assert Estimate(**known, evidence=float("nan")).found
    assert not Estimate(**known, evidence=float("nan")).is_noise
    assert Estimate(**known, evidence=FOUND + 0.1).found
    assert not Estimate(**known, evidence=FOUND - 0.1).found
    assert not Estimate(**known, evidence=NOISE + 0.1).is_noise
    assert Estimate(**known, evidence=NOISE - 0.1).is_noise


def many_weak_columns():
    """Sixty rows; 3000 columns that each tell the classes apart a little; five folds."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 3000)) + 0.11 * y[:, None]
    metric, nothing = resolve_metrics("accuracy")[0], np.empty(0, dtype=np.int64)
    return Problem(X, y, folds(y, 3000, 0)[0], metric, None, (3000,), nothing, 0)


def test_the_machine_with_all_columns_is_judged_as_scikit_learn_does():
    problem = many_weak_columns()
    found = _with_all_columns(problem, range(3), Clock(None))
    for fold, one in enumerate(found):
        test = problem.fold_of[0] == fold
        scaler = StandardScaler().fit(problem.X[~test])
        peer = SVC(kernel="linear", C=0.001, tol=1e-8)  # its kernel has single precision
        peer.fit(scaler.transform(problem.X[~test]), problem.y[~test])
        expected = peer.decision_function(scaler.transform(problem.X[test]))
        np.testing.assert_allclose(one.decisions[0], expected, atol=2e-4)


def test_classes_that_many_columns_tell_apart_a_little_are_not_taken_for_noise():
    """Whatever the choice that has gone wrong says about the rows held out."""
    problem, rng = many_weak_columns(), np.random.default_rng(1)
    astray = [
        _Fold(
            fold,
            problem.y[problem.rows_of(fold)],
            rng.normal(size=(1, 12)),
            np.ones(12),
            SimpleNamespace(score=0.5),
            np.array([0]),
        )
        for fold in range(5)
    ]
    assert _evidence(problem, astray) < NOISE
    plain = _with_all_columns(problem, range(5), Clock(None))
    found = _summed(problem, astray, 5, Clock(None)).estimate
    assert found.evidence == _evidence(problem, plain) > FOUND
    in_time = _summed(problem, astray, 5, Clock(1e-9)).estimate
    assert in_time.evidence == _evidence(problem, astray)
