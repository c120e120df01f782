"""Evidence that held-out rows are judged by more than chance."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from svsieve.estimators.sieving.nested import FOUND, Estimate, _evidence


def problem_of(y, fold_of):
    return SimpleNamespace(y=y, rows_of=lambda fold: np.flatnonzero(fold_of == fold))


def test_one_fold_gives_the_test_of_mann_and_whitney():
    rng = np.random.default_rng(0)
    y = np.array([0] * 12 + [1] * 9)
    values = rng.normal(size=21) + 0.8 * y
    outcome = SimpleNamespace(fold=0, decisions=values[None])
    found = _evidence(problem_of(y, np.zeros(21)), [outcome], np.zeros((2, 2), dtype=np.int64))
    peer = mannwhitneyu(values[y == 1], values[y == 0], method="asymptotic", use_continuity=False)
    n, m = 9, 12
    z = (peer.statistic - n * m / 2) / np.sqrt(n * m * (n + m + 1) / 12)
    assert found == pytest.approx(z)


def test_folds_of_noise_have_the_variance_of_one():
    rng = np.random.default_rng(1)
    y = np.arange(30) % 2
    fold_of = np.arange(30) // 6
    found = []
    for _ in range(3000):
        outcomes = [SimpleNamespace(fold=f, decisions=rng.normal(size=(1, 6))) for f in range(5)]
        confusion = np.zeros((2, 2), dtype=np.int64)
        found.append(_evidence(problem_of(y, fold_of), outcomes, confusion))
    assert np.mean(found) == pytest.approx(0.0, abs=0.07)
    assert np.var(found) == pytest.approx(1.0, abs=0.1)


def test_three_classes_in_random_order_have_the_variance_of_one():
    rng = np.random.default_rng(2)
    true, said = rng.integers(0, 3, size=60), rng.integers(0, 3, size=60)
    found = []
    for _ in range(3000):
        confusion = np.zeros((3, 3), dtype=np.int64)
        np.add.at(confusion, (true, rng.permutation(said)), 1)
        found.append(_evidence(None, [], confusion))
    assert np.mean(found) == pytest.approx(0.0, abs=0.07)
    assert np.var(found) == pytest.approx(1.0, abs=0.1)


def test_what_is_not_known_is_not_called_noise():
    known = {"value": 0.9, "interval": (0.8, 1.0), "chance": 0.5, "metric": "accuracy"}
    assert Estimate(**known, evidence=float("nan")).found
    assert Estimate(**known, evidence=FOUND + 0.1).found
    assert not Estimate(**known, evidence=FOUND - 0.1).found
