"""What ends an elimination."""

from __future__ import annotations

import math

import numpy as np
import pytest

from svsieve.elimination import AfterSeconds, AtSize, Stop, WhenScoreAbove

SCORES = np.array([0.0, 0.1, 0.2, 0.2, 0.7])
ALL = [Stop(), AtSize(3), WhenScoreAbove(0.2), AfterSeconds(5.0)]


@pytest.mark.parametrize("stop", ALL, ids=lambda stop: type(stop).__name__)
def test_a_stop_says_nothing_about_what_is_not_its_own(stop: Stop) -> None:
    assert stop.least_size(10) == (3 if isinstance(stop, AtSize) else 0)
    assert stop.allowed(SCORES) == (4 if isinstance(stop, WhenScoreAbove) else 5)
    assert stop.out_of_time(5.0) == isinstance(stop, AfterSeconds)
    assert not stop.out_of_time(4.9)
    assert not stop.needs_total


def test_at_size_is_never_more_than_there_is() -> None:
    assert AtSize(30).least_size(10) == 10


@pytest.mark.parametrize(
    ("threshold", "count"), [(0.0, 1), (0.05, 1), (0.1, 2), (0.2, 4), (0.7, 5), (math.inf, 5)]
)
def test_scores_up_to_the_threshold_may_go(threshold: float, count: int) -> None:
    assert WhenScoreAbove(threshold).allowed(SCORES) == count
    assert WhenScoreAbove(threshold).allowed(SCORES[:2]) == min(count, 2)


def test_only_those_before_the_first_above() -> None:
    assert WhenScoreAbove(0.5).allowed(np.array([0.1, 0.6, 0.2])) == 1
    assert WhenScoreAbove(0.5).allowed(np.array([0.6, 0.1])) == 0
    assert WhenScoreAbove(0.5).allowed(np.array([np.nan, 0.1])) == 0


def test_relative_thresholds_do_not_depend_on_the_scale() -> None:
    stop = WhenScoreAbove(0.015, relative=True)
    assert stop.needs_total
    for scale in (1e-9, 1.0, 1e9):
        assert stop.allowed(scale * SCORES, scale * 10.0) == 2
    assert stop.allowed(np.zeros(3), 0.0) == 3
    with pytest.raises(ValueError, match="needs the sum of all scores"):
        stop.allowed(SCORES)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: AtSize(0), "columns of AtSize must be a whole number of at least 1. Got 0"),
        (lambda: AtSize(2.0), "columns of AtSize must be a whole number .* Got 2.0"),
        (lambda: WhenScoreAbove(-1.0), "threshold of WhenScoreAbove must be .* Got -1.0"),
        (lambda: WhenScoreAbove(math.nan), "threshold of WhenScoreAbove must be .* Got nan"),
        (lambda: WhenScoreAbove("low"), "threshold of WhenScoreAbove must be .* Got 'low'"),
        (lambda: AfterSeconds(-1), "seconds of AfterSeconds must be .* Got -1"),
    ],
)
def test_refusals(make, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
