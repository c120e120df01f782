"""The stop point read off the importances, with the two worked examples."""

from __future__ import annotations

import numpy as np
import pytest

from svsieve.elimination.stop_point import accuracy_between, accuracy_through, cheapest_size

Q = [1, 2, 3, 10, 40]
FIXED = [0.5, 0.857143, 0.946429, 0.973214, 0.991071, 1.0]
FIXED_COSTS = [0.4, 0.154286, 0.122857, 0.141429, 0.167143, 0.2]
TRACED = [0.5, 0.7, 0.869231, 0.92, 0.94, 0.95]
TRACED_COSTS = [0.4, 0.28, 0.184615, 0.184, 0.208, 0.24]


def costs(accuracy: np.ndarray, tradeoff=(0.8, 0.2)) -> np.ndarray:
    n = len(accuracy) - 1
    return tradeoff[0] * (1 - accuracy) + tradeoff[1] * np.arange(n + 1) / n


def test_fixed_bounds() -> None:
    accuracy = accuracy_between(Q, 0.5, 1.0)
    np.testing.assert_allclose(accuracy, FIXED, atol=5e-7)
    np.testing.assert_allclose(costs(accuracy), FIXED_COSTS, atol=5e-7)
    assert cheapest_size(accuracy) == 2


def test_bounds_from_the_run() -> None:
    accuracy = accuracy_through(Q, [5, 3, 1, 0], [0.95, 0.92, 0.70, 0.5])
    np.testing.assert_allclose(accuracy, TRACED, atol=5e-7)
    np.testing.assert_allclose(costs(accuracy), TRACED_COSTS, atol=5e-7)
    assert cheapest_size(accuracy) == 3


def plain_accuracy(q: list[float], sizes: list[int], known: list[float]) -> list[float]:
    """One column at a time."""
    out = {sizes[0]: known[0]}
    for i in range(len(sizes) - 1):
        gone = q[len(q) - sizes[i] : len(q) - sizes[i + 1]]
        for j in range(1, len(gone) + 1):
            share = sum(gone[:j]) / sum(gone) if sum(gone) else j / len(gone)
            out[sizes[i] - j] = known[i] + (known[i + 1] - known[i]) * share
    return [out[k] for k in range(len(q) + 1)]


@pytest.mark.parametrize("seed", range(20))
def test_against_one_column_at_a_time(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 30))
    q = rng.exponential(size=n) ** 3 * (rng.random(n) < 0.7)
    inner = rng.choice(np.arange(1, n), int(rng.integers(0, n)), replace=False) if n > 1 else []
    sizes = [n, *sorted(np.asarray(inner, dtype=int).tolist(), reverse=True), 0]
    known = rng.random(len(sizes)).tolist()
    found = accuracy_through(q, sizes, known)
    np.testing.assert_allclose(found, plain_accuracy(q.tolist(), sizes, known), atol=1e-12)
    np.testing.assert_array_equal(found[sizes], known)


def test_importances_of_zero_fall_evenly() -> None:
    np.testing.assert_allclose(accuracy_between([0, 0, 0, 0], 0.6, 1.0), [0.6, 0.7, 0.8, 0.9, 1.0])
    found = accuracy_through([0, 0, 5], [3, 1, 0], [1.0, 0.8, 0.5])
    np.testing.assert_allclose(found, [0.5, 0.8, 0.9, 1.0])


def test_ties_go_to_the_smaller_size() -> None:
    flat = accuracy_between([1.0] * 4, 0.0, 1.0)
    assert cheapest_size(flat, (0.5, 0.5)) == 1
    assert cheapest_size([0.0, 1.0, 1.0, 1.0], (1.0, 0.0)) == 1
    # equal but for rounding
    assert cheapest_size([0.0, 0.1, 0.1 + 1e-16, 0.1 - 1e-16], (1.0, 0.0)) == 1


def test_size_and_error_alone() -> None:
    accuracy = np.array([0.5, 0.6, 0.9, 0.8, 0.9])
    assert cheapest_size(accuracy, (0.0, 1.0)) == 1
    assert cheapest_size(accuracy, (1.0, 0.0)) == 2


def test_at_least_one_column_is_kept() -> None:
    assert cheapest_size([1.0, 0.0], (0.5, 0.5)) == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: accuracy_between([1.0, -1.0], 0, 1), "not negative. Entry 1 is -1.0"),
        (lambda: accuracy_between([np.nan], 0, 1), "not negative. Entry 0 is nan"),
        (lambda: accuracy_through(Q, [5, 0], [1.0]), "accuracies must have 2 entries. Got 1"),
        (lambda: accuracy_through(Q, [5, 6, 0], [1] * 3), r"from 5 to 0. Got \[5, 6, 0\]"),
        (lambda: accuracy_through(Q, [5, 5, 0], [1] * 3), r"from 5 to 0. Got \[5, 5, 0\]"),
        (lambda: accuracy_through(Q, [4, 0], [1, 0]), r"from 5 to 0. Got \[4, 0\]"),
        (lambda: accuracy_through(Q, [5, 1], [1, 0]), r"from 5 to 0. Got \[5, 1\]"),
        (lambda: accuracy_through(Q, [5], [1]), r"from 5 to 0. Got \[5\]"),
        (lambda: cheapest_size([1.0]), "accuracy must have an entry for each size"),
        (lambda: cheapest_size([0.5, 1.0], (1.0, -1.0)), "tradeoff must be two numbers"),
        (lambda: cheapest_size([0.5, 1.0], (1.0, 1.0, 1.0)), "tradeoff must be two numbers"),
        (lambda: cheapest_size([0.5, 1.0], (0.0, 0.0)), "tradeoff must not be zero for both"),
    ],
)
def test_refusals(call, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
