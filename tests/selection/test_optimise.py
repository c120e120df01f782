"""The descent: known minima, bounds, points without a value, limits, starts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svsieve.selection.optimise import descend

WIDE = np.full(2, -9.0), np.full(2, 9.0)


def bowl(centre, stretch=(1.0, 1.0)):
    middle, scale = np.asarray(centre, dtype=float), np.asarray(stretch, dtype=float)

    def function(x):
        away = x - middle
        return float(scale @ away**2), 2.0 * scale * away

    return function


def valley(x):
    """Rosenbrock's."""
    a, b = x
    value = (1 - a) ** 2 + 100 * (b - a * a) ** 2
    return float(value), np.array([2 * (a - 1) - 400 * a * (b - a * a), 200 * (b - a * a)])


def check_record(found, lower, upper) -> None:
    assert found.best.value == min(one.value for one in found.evaluations)
    points = np.array([one.point for one in found.evaluations])
    assert (points >= lower).all()
    assert (points <= upper).all()
    assert found.converged


@given(st.tuples(*[st.floats(-3, 3)] * 4))
def test_the_minimum_within_the_bounds_is_found(numbers) -> None:
    centre, start = np.array(numbers[:2]), np.array(numbers[2:])
    lower, upper = np.full(2, -2.0), np.full(2, 2.0)
    found = descend(bowl(centre), [start], lower, upper, tol=1e-8)
    np.testing.assert_allclose(found.best.point, np.clip(centre, lower, upper), atol=1e-3)
    check_record(found, lower, upper)


@given(st.tuples(*[st.floats(-3, 3)] * 4))
def test_without_slopes_the_minimum_is_found_roughly(numbers) -> None:
    centre, start = np.array(numbers[:2]), np.array(numbers[2:])
    found = descend(bowl(centre), [start], *WIDE, slopes=False)
    np.testing.assert_allclose(found.best.point, centre, atol=0.3)
    check_record(found, *WIDE)


@pytest.mark.parametrize("nothing", [math.inf, math.nan])
@pytest.mark.parametrize("slopes", [True, False])
def test_points_without_a_value_are_left_again(nothing: float, slopes: bool) -> None:
    smooth = bowl([0.0, -1.0], (1.0, 3.0))

    def function(x):
        if x[0] < 0.5:
            return nothing, None
        return smooth(x)

    found = descend(function, [np.array([3.0, 2.0])], *WIDE, slopes=slopes)
    assert found.best.value < 1.5
    assert found.best.point[0] >= 0.5
    assert any(not math.isfinite(one.value) for one in found.evaluations)


def test_slopes_that_are_not_finite_are_no_slopes() -> None:
    def function(x):
        value, slopes = bowl([0.0, 0.0])(x)
        return value, np.full(2, math.nan) if x[0] < 1.0 else slopes

    found = descend(function, [np.array([4.0, 4.0])], *WIDE)
    assert np.isfinite(found.best.value)


def test_no_value_anywhere_is_refused() -> None:
    with pytest.raises(
        ValueError,
        match=r"^The objective has no finite value at any of the .* points tried.*Use another",
    ):
        descend(lambda x: (math.inf, None), [np.zeros(2)], *WIDE)


@pytest.mark.parametrize("slopes", [True, False])
@pytest.mark.parametrize("limit", [1, 3, 7])
def test_the_limit_holds(limit: int, slopes: bool) -> None:
    found = descend(valley, [np.zeros(2)], *WIDE, slopes=slopes, tol=1e-12, max_evaluations=limit)
    assert len(found.evaluations) == limit
    assert not found.converged


@pytest.mark.parametrize("slopes", [True, False])
def test_without_numbers_there_is_one_evaluation(slopes: bool) -> None:
    none = np.empty(0)
    found = descend(lambda x: (3.0, none), [none], none, none, slopes=slopes)
    assert (found.best.value, len(found.evaluations), found.converged) == (3.0, 1, True)


def test_the_best_of_several_starts_counts() -> None:
    def two_valleys(x):
        y = float(x[0])
        return y**4 - 8.0 * y**2 + y + float(x[1] ** 2), np.array([4 * y**3 - 16 * y + 1, 2 * x[1]])

    starts = [np.array([2.5, 0.0]), np.array([-2.5, 0.0])]
    one = descend(two_valleys, starts[:1], *WIDE)
    both = descend(two_valleys, starts, *WIDE)
    assert one.best.point[0] > 0 > both.best.point[0]
    assert {one.start for one in both.evaluations} == {0, 1}
    assert both.best.start == 1


def test_a_wide_tolerance_ends_earlier() -> None:
    start = [np.array([-1.2, 1.0])]
    counts = [
        len(descend(valley, start, *WIDE, tol=tol, max_evaluations=500).evaluations)
        for tol in (1e-1, 1e-3, 1e-10)
    ]
    assert counts[0] < counts[1] < counts[2]


def test_the_record_is_complete() -> None:
    seen = []

    def function(x):
        seen.append(x)
        return bowl([1.0, 1.0])(x)

    found = descend(function, [np.zeros(2), np.full(2, 3.0)], *WIDE)
    np.testing.assert_array_equal(seen, [one.point for one in found.evaluations])
    for one in found.evaluations:
        assert one.value == bowl([1.0, 1.0])(one.point)[0]
        assert one.slope_norm == pytest.approx(np.linalg.norm(one.slopes))
    assert math.isnan(
        descend(
            lambda x: (0.0, None), [np.zeros(1)], np.zeros(1), np.ones(1), slopes=False
        ).best.slope_norm
    )
