"""What a search descends: the error estimate, dearer where the scales of columns differ."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svsieve.kernels import Polynomial, Rbf
from svsieve.machines import L2Svm
from svsieve.selection.objectives import Judge, RadiusMargin, ValidationError
from svsieve.selection.search_function import SearchFunction
from svsieve.selection.search_space import SearchSpace
from tests.criteria.contexts import cloud
from tests.criteria.plain import derivative

X, LABELS = cloud(20, 3)
POINT = np.array([0.2, 0.5, -0.3, 0.1])  # ln C, and ln v of three columns


def function(objective=None, *, kernel=None, scales=True, shrink=0.7):
    objective = RadiusMargin() if objective is None else objective
    space = SearchSpace.around(L2Svm(1.5), kernel or Rbf(0.5), 3, scales=scales)
    judge = Judge(objective, X, LABELS, tol=1e-12)
    return SearchFunction(space, [judge], objective, price=shrink)


@pytest.mark.parametrize("objective", [RadiusMargin(), ValidationError(seed=0)], ids=str)
def test_uneven_scales_multiply_the_estimate(objective) -> None:
    dear, plain = function(objective), function(objective, shrink=0.0)
    value, free = dear(POINT)[0], plain(POINT)[0]
    factor = math.exp(0.7 * np.var(POINT[1:]))
    if objective.is_bound:
        value, free = math.exp(value), math.exp(free)
    assert value == pytest.approx(free * factor, rel=1e-12)
    assert dear.values == [pytest.approx(free)]
    assert plain.values == dear.values


@pytest.mark.parametrize("objective", [RadiusMargin(), ValidationError(seed=0)], ids=str)
@pytest.mark.parametrize("kernel", [Rbf(0.5), Polynomial(2, 0.5, 1.0)], ids=str)
def test_slopes_are_those_of_machines_trained_again(objective, kernel) -> None:
    dear = function(objective, kernel=kernel)
    start = SearchSpace.around(L2Svm(1.5), kernel, 3, scales=True).start
    point = start + 0.15 * np.arange(len(start))
    _, slopes = dear(point)
    unit = np.eye(len(point))
    expected = [derivative(lambda t, i=i: dear(point + t * unit[i])[0]) for i in range(len(point))]
    np.testing.assert_allclose(slopes, expected, rtol=1e-5, atol=1e-7)


@given(st.floats(-3.0, 3.0))
def test_a_common_scale_costs_nothing(common: float) -> None:
    space = SearchSpace.around(L2Svm(1.5), Rbf(0.5), 3, scales=True)
    shifted = POINT + common * np.array([0.0, 1.0, 1.0, 1.0])
    cost, slopes = space.unevenness(shifted)
    assert cost == pytest.approx(np.var(POINT[1:]), abs=1e-12)
    assert slopes[0] == 0.0
    assert slopes.sum() == pytest.approx(0.0, abs=1e-9)


@pytest.mark.filterwarnings("error")
def test_where_scales_cost_too_much_the_descent_turns_back() -> None:
    far = POINT + np.array([0.0, 7.0, -7.0, 0.0])
    for objective in (RadiusMargin(), ValidationError(seed=0)):
        value, slopes = function(objective, shrink=1e4)(far)
        assert objective.is_bound == math.isfinite(value)
        assert objective.is_bound == (slopes is not None)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("bad", [math.inf, math.nan])
def test_no_value_is_an_infinite_one(bad: float, monkeypatch) -> None:
    objective = ValidationError(seed=0)
    dear = function(objective)
    whole = Judge.__call__

    def without_value(judge, *arguments, **options):
        return replace(whole(judge, *arguments, **options), value=bad)

    monkeypatch.setattr(Judge, "__call__", without_value)
    assert dear(POINT) == (math.inf, None)
    assert dear.values == [math.inf]


def test_without_scales_there_is_nothing_to_pay_for() -> None:
    value, slopes = function(scales=False)(np.array([0.2, -0.5]))
    free, same = function(scales=False, shrink=0.0)(np.array([0.2, -0.5]))
    assert value == free
    np.testing.assert_array_equal(slopes, same)
