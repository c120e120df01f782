"""Rules that join the scores of several problems."""

from __future__ import annotations

import math

import numpy as np
import pytest

from svsieve.criteria import (
    CoefficientOfVariation,
    Maximum,
    MeanOverDeviation,
    MeanRank,
    PowerSum,
)

RULES = [
    PowerSum(),
    PowerSum(2.0),
    PowerSum(0.5),
    Maximum(),
    CoefficientOfVariation(),
    MeanRank(),
    MeanOverDeviation(),
]
EVERY = pytest.mark.parametrize("rule", RULES, ids=repr)

TABLE = np.array([[1.0, 4.0, 0.0, 2.0], [3.0, 4.0, 0.0, 1.0], [2.0, 1.0, 0.0, 9.0]])
SIGNED = TABLE * [[1, -1, 1, -1], [-1, -1, 1, 1], [1, -1, 1, -1]]


def plain(rule, table: np.ndarray) -> list[float]:
    """Each rule from its formula, one column at a time."""
    out = []
    for i in range(table.shape[1]):
        c = [float(value) for value in table[:, i]]
        mean = sum(c) / len(c)
        match rule:
            case PowerSum(power=1.0):
                out.append(sum(c))
            case PowerSum(power=k):
                largest = float(np.abs(table).max())
                out.append(sum(math.copysign((abs(value) / largest) ** k, value) for value in c))
            case Maximum():
                out.append(max(c))
            case CoefficientOfVariation():
                variance = sum((value - mean) ** 2 for value in c) / len(c)
                size = sum(abs(value) for value in c) / len(c)
                out.append(variance**0.5 / size if size else 0.0)
            case MeanRank():
                ranks = []
                for row in table:
                    below, equal = (row < row[i]).sum(), (row == row[i]).sum()
                    ranks.append(below + (equal + 1) / 2)
                out.append(sum(ranks) / len(ranks))
            case MeanOverDeviation():
                totals = np.abs(table).sum(axis=1).tolist()
                share = [value / total for value, total in zip(c, totals, strict=True)]
                mean = sum(share) / len(share)
                variance = sum((value - mean) ** 2 for value in share) / len(share)
                out.append(mean / variance**0.5 if mean else 0.0)
    return out


@EVERY
@pytest.mark.parametrize("table", [TABLE, SIGNED], ids=["positive", "signed"])
def test_formula(rule, table: np.ndarray) -> None:
    np.testing.assert_allclose(rule(table), plain(rule, table), rtol=1e-13)


@pytest.mark.parametrize(
    "rule", [rule for rule in RULES if rule != CoefficientOfVariation()], ids=repr
)
def test_a_column_that_every_problem_is_better_off_without_goes_first(rule) -> None:
    joined = rule(TABLE * [1, -1, 1, 1])
    assert joined.argmin() == 1
    if not isinstance(rule, MeanRank):
        assert joined[1] < 0.0


@EVERY
def test_one_problem_keeps_its_scores(rule) -> None:
    scores = np.array([0.5, -2.0, 0.0, 3.0])
    np.testing.assert_array_equal(rule(scores[None]), scores)
    own = np.array([1e-3, 2e-3, 0.0, 1e-9])
    np.testing.assert_array_equal(rule.resolution(own[None], scores), own)


@EVERY
def test_zeros_everywhere(rule) -> None:
    zeros = np.zeros((3, 4))
    expected = 2.5 if isinstance(rule, MeanRank) else 0.0
    np.testing.assert_array_equal(rule(zeros), np.full(4, expected))


@EVERY
def test_the_table_is_left_alone(rule) -> None:
    table = -TABLE
    kept = table.copy()
    result = rule(table)
    np.testing.assert_array_equal(table, kept)
    one = rule(table[:1])
    one[0] = 77.0
    np.testing.assert_array_equal(table, kept)
    assert result.shape == (4,)


def test_large_scores_do_not_overflow_when_powered() -> None:
    joined = PowerSum(8.0)(np.array([[1e200, 1e100], [0.0, 1e200]]))
    np.testing.assert_array_equal(joined, [1.0, 1.0])


@pytest.mark.parametrize("unit", [1e-300, 1e-20, 1e20, 1e300])
def test_units_of_scores_do_not_matter_when_powered(unit: float) -> None:
    for power in (0.5, 2.0, 3.0):
        np.testing.assert_allclose(
            PowerSum(power)(SIGNED * unit), PowerSum(power)(SIGNED), rtol=1e-13
        )


def test_resolution_of_a_plain_sum_is_the_sum() -> None:
    own = np.array([[1e-3, 2e-3], [5e-3, 0.0]])
    np.testing.assert_allclose(PowerSum().resolution(own, np.array([1.0, 2.0])), [6e-3, 2e-3])


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule != PowerSum()], ids=repr)
def test_resolution_of_other_rules_is_a_share_of_the_largest(rule) -> None:
    own = np.array([[1e-3, 2e-3], [5e-3, 0.0]])
    assert rule.resolution(own, np.array([1.0, 2.0])) == pytest.approx(2e-11)


def test_columns_that_never_vary_are_ordered_by_their_mean() -> None:
    row = np.array([3.0, 0.0, 1.0, 2.0])
    joined = MeanOverDeviation()(np.array([row, 2 * row, 0.5 * row]))
    assert np.isfinite(joined).all()
    np.testing.assert_array_equal(np.argsort(joined), [1, 2, 3, 0])
    varied = MeanOverDeviation()(np.array([[1.0, 1.0, 1.1], [1.0, 1.1, 1.0]]))
    assert varied[0] > 3 * varied[1]


def test_a_problem_without_any_score_counts_as_zeros() -> None:
    joined = MeanOverDeviation()(np.array([[0.0, 0.0], [1.0, 3.0]]))
    np.testing.assert_allclose(joined, [1.0, 1.0])


@pytest.mark.parametrize("power", [0, -1.0, np.inf, np.nan])
def test_power_must_be_positive(power: float) -> None:
    with pytest.raises(ValueError, match=r"power of PowerSum must be a positive number\. Got"):
        PowerSum(power)


@EVERY
@pytest.mark.parametrize("shape", [(3,), (0, 3), (1, 2, 3)])
def test_anything_but_a_table_is_refused(rule, shape) -> None:
    with pytest.raises(ValueError, match=r"one row per problem.* Got shape"):
        rule(np.zeros(shape))


def test_infinite_scores_do_not_make_all_others_a_tie() -> None:
    scores = Maximum()(np.array([[1.0, 2.0, np.inf], [3.0, 4.0, 5.0]]))
    assert Maximum().resolution(np.zeros((2, 3)), scores) < 1e-9
