"""Evidence that held-out rows are judged by more than chance."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from svsieve.estimators.sieving.nested import (
    FOUND,
    NOISE,
    Estimate,
    _evidence,
    _more_right_than_by_accident,
    _pairs_in_order,
)


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
