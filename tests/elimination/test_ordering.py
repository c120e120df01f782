"""The order of elimination beside the rule it follows, one column at a time."""

from __future__ import annotations

import numpy as np
import pytest

from svsieve.elimination import ascending, least
from tests.elimination.plain_order import plain_order


@pytest.mark.parametrize("seed", range(40))
def test_against_the_rule_one_column_at_a_time(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 60))
    scores = rng.integers(0, 30, n) / 30 + rng.choice([0.0, 1e-3]) * rng.random(n)
    resolution = rng.choice([0.0, 1e-3, 0.02, 0.2]) * rng.random(n)
    expected, contested = plain_order(scores, resolution)
    np.testing.assert_array_equal(ascending(scores, resolution), expected)
    for count in range(n + 1):
        found, tied = least(scores, resolution, count)
        np.testing.assert_array_equal(found, expected[:count])
        assert tied == any(contested[:count])


def test_without_resolution_it_is_the_stable_order() -> None:
    scores = np.random.default_rng(0).integers(0, 9, 200).astype(float)
    np.testing.assert_array_equal(ascending(scores, 0.0), np.argsort(scores, kind="stable"))


def test_a_tie_reaches_from_the_smallest_score_left_not_from_neighbour_to_neighbour() -> None:
    scores = np.array([3.0, 2.0, 1.0])
    # 1 and 2 are a tie, 2 and 3 are one, 1 and 3 are not
    np.testing.assert_array_equal(ascending(scores, 1.0), [1, 2, 0])
    # once 1 is the smallest and gone, 3 is within reach of 2
    np.testing.assert_array_equal(ascending(np.array([3.0, 1.0, 2.0]), 1.0), [1, 0, 2])


def test_resolutions_of_their_own() -> None:
    scores = np.array([1.5, 1.0, 2.0])
    np.testing.assert_array_equal(ascending(scores, np.array([0.0, 9.0, 1.0])), [1, 0, 2])
    np.testing.assert_array_equal(ascending(scores, np.array([0.5, 0.0, 0.0])), [0, 1, 2])
    np.testing.assert_array_equal(ascending(scores, np.array([0.0, 0.0, 1.0])), [1, 0, 2])


def test_names_decide_ties() -> None:
    scores = np.array([1.0, 1.0, 1.0, 0.5])
    names = np.array([30, 10, 20, 40])
    np.testing.assert_array_equal(ascending(scores, 0.0, names), [3, 1, 2, 0])
    np.testing.assert_array_equal(ascending(scores, 0.6, names), [1, 2, 0, 3])


@pytest.mark.parametrize(
    ("count", "tied"), [(0, False), (1, False), (2, True), (3, True), (4, True), (5, True)]
)
def test_ties_at_the_border_are_told(count: int, tied: bool) -> None:
    positions, told = least(np.array([5.0, 2.0, 2.0, 1.0, 9.0]), 0.0, count)
    np.testing.assert_array_equal(positions, [3, 1, 2, 0, 4][:count])
    assert told == tied


def test_signed_scores() -> None:
    np.testing.assert_array_equal(ascending(np.array([0.0, -2.0, 1.0, -1.0]), 0.0), [1, 3, 0, 2])


def test_nothing_to_order() -> None:
    assert ascending(np.empty(0), 0.0).shape == (0,)
    positions, tied = least(np.empty(0), 0.0, 0)
    assert positions.shape == (0,)
    assert not tied


def test_many_ties_and_long_chains_are_ordered_without_delay() -> None:
    n = 20_000
    np.testing.assert_array_equal(ascending(np.zeros(n), 1e-12), np.arange(n))
    falling = np.arange(n, 0, -1.0)
    chain = ascending(falling, 1.0)  # each within reach of the next smaller one
    np.testing.assert_array_equal(np.sort(chain), np.arange(n))
    np.testing.assert_array_equal(chain[:4], [n - 2, n - 1, n - 4, n - 3])


@pytest.mark.parametrize("bad", [np.nan, -np.inf])
def test_scores_that_are_no_numbers_are_refused(bad: float) -> None:
    with pytest.raises(ValueError, match=r"scores must be numbers, .* Position 1 has"):
        ascending(np.array([1.0, bad, 2.0]), 0.0)
    with pytest.raises(ValueError, match=r"scores must be numbers, .* Position 1 has"):
        least(np.array([1.0, bad, 2.0]), 0.0, 1)


@pytest.mark.parametrize("resolution", [0.0, 0.1])
def test_infinite_scores_go_last_in_the_order_of_their_index(resolution: float) -> None:
    scores = np.array([np.inf, 3.0, np.inf, 1.0])
    np.testing.assert_array_equal(ascending(scores, resolution), [3, 1, 0, 2])
    for count, tie in ((1, False), (2, False), (3, True), (4, True)):
        first, tied = least(scores, resolution, count)
        np.testing.assert_array_equal(first, [3, 1, 0, 2][:count])
        assert tied == tie


@pytest.mark.parametrize("count", [-1, 4])
def test_more_than_there_are_is_refused(count: int) -> None:
    with pytest.raises(ValueError, match=r"count must lie in \[0, 3\]\. Got"):
        least(np.zeros(3), 0.0, count)
