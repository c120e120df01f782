"""Numbers, names and objects that stand for the parts of an elimination."""

import numpy as np
import pytest

from svsieve.criteria import (
    CoefficientOfVariation,
    Maximum,
    MeanRank,
    PowerSum,
    WeightNorm,
)
from svsieve.elimination import samplers, schedules, stopping
from svsieve.resolve import (
    resolve_columns,
    resolve_combination,
    resolve_criterion,
    resolve_sampler,
    resolve_schedule,
    resolve_size,
    resolve_stops,
)


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (1, schedules.Constant(1)),
        (np.int64(7), schedules.Constant(7)),
        (0.25, schedules.Fraction(0.25)),
        (np.float64(0.25), schedules.Fraction(0.25)),
        ("sqrt", schedules.Sqrt()),
        ("entropy", schedules.Entropy()),
        ("annealing", schedules.Annealing()),
        ("halving", schedules.HalveThenOne()),
        ([20, 10, 5], schedules.Sizes([20, 10, 5])),
        (np.array([20, 10, 5]), schedules.Sizes([20, 10, 5])),
        (schedules.Reflective(0.4, 8), schedules.Reflective(0.4, 8)),
    ],
)
def test_steps(step, expected):
    assert resolve_schedule(step) == expected


@pytest.mark.parametrize(
    "step", [0, -1, 0.0, 1.0, 2.5, True, None, "half", [], [2.5], ["a"], np.nan, schedules.Sqrt]
)
def test_steps_that_mean_nothing(step):
    with pytest.raises(ValueError, match=r"'step' parameter of SVMRFE.*remaining columns.*'sqrt'"):
        resolve_schedule(step)


class OfOnes:
    def scores(self, context):
        return np.ones(context.state.n_kept)


def test_criteria():
    assert resolve_criterion("weight") == WeightNorm()
    assert resolve_criterion("weight-first-order") == WeightNorm(order=1)
    own = OfOnes()
    assert resolve_criterion(own) is own


@pytest.mark.parametrize("criterion", ["span?", None, 1, OfOnes, abs])
def test_criteria_that_mean_nothing(criterion):
    with pytest.raises(ValueError, match=r"'criterion' parameter.*'weight'.*scores\(context\)"):
        resolve_criterion(criterion)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("sum", PowerSum()),
        ("max", Maximum()),
        ("cv", CoefficientOfVariation()),
        ("mean-rank", MeanRank()),
        (PowerSum(2.0), PowerSum(2.0)),
    ],
)
def test_combinations(name, expected):
    assert resolve_combination(name) == expected


@pytest.mark.parametrize("combine", ["mean", None, max, PowerSum])
def test_combinations_that_mean_nothing(combine):
    with pytest.raises(ValueError, match=r"'combine' parameter.*'sum', 'max', 'cv', 'mean-rank'"):
        resolve_combination(combine)


def test_samplers():
    assert resolve_sampler(None) == samplers.AllRows()
    assert resolve_sampler(0.5) == samplers.Subsample(0.5, stratified=True)
    assert resolve_sampler(samplers.Bootstrap(3)) == samplers.Bootstrap(3)


@pytest.mark.parametrize("sampler", [0, 1, 0.0, 1.0, 5, True, "half", samplers.AllRows])
def test_samplers_that_mean_nothing(sampler):
    with pytest.raises(ValueError, match=r"'sampler' parameter.*share of rows.*Subsample"):
        resolve_sampler(sampler)


def test_stops():
    size, time = stopping.AtSize(3), stopping.AfterSeconds(9.0)
    assert resolve_stops(None) == ()
    assert resolve_stops(size) == (size,)
    assert resolve_stops([size, time]) == (size, time)


@pytest.mark.parametrize("stop", [3, "size", [stopping.AtSize(3), 4], stopping.AtSize])
def test_stops_that_mean_nothing(stop):
    with pytest.raises(ValueError, match=r"'stop' parameter.*AfterSeconds"):
        resolve_stops(stop)


@pytest.mark.parametrize(
    ("size", "n_columns", "expected"),
    [
        (None, 9, 4),
        (None, 1, 1),
        (3, 10, 3),
        (30, 10, 10),
        (0.25, 10, 2),
        (0.01, 10, 1),
        (1.0, 10, 10),
    ],
)
def test_sizes(size, n_columns, expected):
    assert resolve_size(size, n_columns) == expected


@pytest.mark.parametrize("size", [0, -2, 0.0, 1.5, "half", True, np.nan])
def test_sizes_that_mean_nothing(size):
    with pytest.raises(ValueError, match=r"'n_features_to_select' parameter.*half of the columns"):
        resolve_size(size, 10)


@pytest.mark.parametrize(
    ("keep", "expected"),
    [
        (None, []),
        ([], []),
        ([3, 1, 1], [1, 3]),
        ([-1], [3]),
        (np.array([2]), [2]),
        (["d", "a"], [0, 3]),
        ("b", [1]),
        ([False, True, True, False], [1, 2]),
        (np.array([True, False, False, True]), [0, 3]),
        (["c", 0], [0, 2]),
    ],
)
def test_columns(keep, expected):
    found = resolve_columns(keep, 4, ["a", "b", "c", "d"])
    assert found.tolist() == expected
    assert found.dtype == np.int64


@pytest.mark.parametrize(
    ("keep", "names", "message"),
    [
        (["e"], ["a", "b"], r"no column named 'e'"),
        (["a"], None, r"names column 'a', but X has no column names"),
        ([2], None, r"holds column 2; X has the columns 0 to 1"),
        ([-3], None, r"holds column -3"),
        ([True], None, r"mask of 1 entries; X has 2 columns"),
        ([0.5], None, r"'keep' parameter of SVMRFE must be None, a list"),
        (7, None, r"'keep' parameter of SVMRFE must be None, a list.*Got 7"),
        ([[0, 1]], None, r"'keep' parameter of SVMRFE must be None, a list"),
    ],
)
def test_columns_that_are_not_there(keep, names, message):
    with pytest.raises(ValueError, match=message):
        resolve_columns(keep, 2, names)
