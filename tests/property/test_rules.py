"""What must hold for every rule that chooses a size, in both directions of the metric.

Scores are sixteenths of whole numbers, folds are four or two: means are exact, so a plain
comparison decides what is a tie.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from svsieve.selection import Curve, pareto_front, rules

N_COLUMNS = 64


@st.composite
def curves(draw):
    sizes = sorted(draw(st.sets(st.integers(1, N_COLUMNS), min_size=1, max_size=8)))
    folds = draw(st.sampled_from([2, 4]))
    table = draw(arrays.arrays(np.int64, (folds, len(sizes)), elements=st.integers(-32, 32)))
    return Curve(sizes, {"score": table / 16.0}, None, N_COLUMNS)


def changed(curve, change):
    return Curve(curve.sizes, {"score": change(curve.scores())}, None, curve.n_columns)


# ---- each rule written down for losses, to be minimised: the mirror of the library's convention


def smallest_with(curve, fine):
    return min(size for size, good in zip(curve.sizes.tolist(), fine, strict=True) if good)


def best(curve):
    losses = -curve.mean()
    return smallest_with(curve, losses == losses.min())


def one_standard_error(curve):
    losses = (-curve.scores()).mean(axis=0)
    at = curve.sizes.tolist().index(best(curve))
    folds = curve.scores()[:, at]
    error = np.sqrt(((folds - folds.mean()) ** 2).sum() / (len(folds) - 1) / len(folds))
    return smallest_with(curve, losses <= losses.min() + error + 1e-13)


def tolerance(share, relative):
    def choose(curve):
        losses = -curve.mean()
        allowed = share * abs(losses.min()) if relative else share
        return smallest_with(curve, losses <= losses.min() + allowed)

    return choose


def scalarised(w_accuracy, w_size):
    def choose(curve):
        losses = 1.0 - curve.mean()
        costs = w_accuracy * losses + w_size * curve.sizes / N_COLUMNS
        return smallest_with(curve, costs <= costs.min() + 1e-13)

    return choose


def knee(curve):
    losses, sizes = -curve.mean(), curve.sizes.tolist()
    last = sizes.index(best(curve))
    if last == 0:
        return sizes[0]
    fall, way = losses[0] - losses[last], sizes[last] - sizes[0]
    depths = [
        (losses[0] - losses[at]) / fall - (sizes[at] - sizes[0]) / way for at in range(last + 1)
    ]
    at = next(at for at in range(last + 1) if depths[at] >= max(depths) - 1e-13)
    return sizes[at] if depths[at] > 1e-13 else sizes[last]


CASES = [
    (rules.Best(), best),
    (rules.OneStandardError(), one_standard_error),
    (rules.Tolerance(0.25), tolerance(0.25, False)),
    (rules.Tolerance(0.5, relative=True), tolerance(0.5, True)),
    (rules.Scalarised(0.75, 0.25), scalarised(0.75, 0.25)),
    (rules.Scalarised(0.8, 0.2), scalarised(0.8, 0.2)),
    (rules.Knee(), knee),
]
ALL = [rule for rule, _ in CASES]


@pytest.mark.parametrize(("rule", "mirror"), CASES)
@given(curves())
def test_the_same_choice_as_for_losses_that_are_minimised(rule, mirror, curve):
    assert rule.choose(curve).size == mirror(curve)
    negated = changed(curve, np.negative)  # what a metric of the other direction would look like
    assert rule.choose(negated).size == mirror(negated)


@pytest.mark.parametrize("rule", [rule for rule in ALL if not getattr(rule, "relative", False)])
@given(curves(), st.integers(-64, 64))
def test_a_constant_added_to_the_metric_changes_nothing(rule, curve, shift):
    """An accuracy and the negative error rate lead to one choice."""
    moved = changed(curve, lambda table: table + shift / 16.0)
    assert rule.choose(moved).size == rule.choose(curve).size


@pytest.mark.parametrize(
    "rule",
    [
        rules.Best(),
        rules.OneStandardError(),
        rules.Knee(),
        rules.Tolerance(0.5, relative=True),
        rules.Tolerance(0.0),
    ],
)
@given(curves(), st.integers(-20, 20))
def test_the_unit_of_the_metric_changes_nothing(rule, curve, power):
    scaled = changed(curve, lambda table: table * 2.0**power)
    assert rule.choose(scaled).size == rule.choose(curve).size


@pytest.mark.parametrize("rule", ALL)
@given(curves(), st.randoms())
def test_the_order_of_the_folds_changes_nothing(rule, curve, random):
    folds = list(range(curve.n_folds))
    random.shuffle(folds)
    assert rule.choose(changed(curve, lambda t: t[folds])).size == rule.choose(curve).size


@pytest.mark.parametrize("rule", ALL)
@given(curves())
def test_the_choice_is_a_size_of_the_curve_and_has_a_reason(rule, curve):
    choice = rule.choose(curve)
    assert choice.size in curve.sizes
    assert choice.reason.endswith(".")
    assert str(choice.size) in choice.reason


@pytest.mark.parametrize("rule", ALL)
@given(curves())
def test_no_smaller_size_is_as_good(rule, curve):
    """Whatever the rule, taking a larger size must bring a better score."""
    size = rule.choose(curve).size
    mean = curve.mean()
    at = curve.sizes.tolist().index(size)
    assert (mean[:at] < mean[at]).all()
    assert size in pareto_front(curve)


@pytest.mark.parametrize("rule", ALL)
@given(curves())
def test_no_rule_takes_more_columns_than_the_best_size_has(rule, curve):
    assert rule.choose(curve).size <= rules.Best().choose(curve).size


@given(curves(), st.floats(0.0, 4.0), st.floats(0.0, 4.0))
def test_a_larger_tolerance_takes_no_more_columns(curve, one, other):
    low, high = sorted([one, other])
    assert rules.Tolerance(high).choose(curve).size <= rules.Tolerance(low).choose(curve).size


@pytest.mark.parametrize("rule", ALL)
@given(curves(), st.integers(1, N_COLUMNS))
def test_at_most_is_the_rule_on_a_part_of_the_curve(rule, curve, limit):
    limited = rules.AtMost(limit, rule)
    if curve.sizes[0] > limit:
        with pytest.raises(ValueError, match="no size of"):
            limited.choose(curve)
        return
    assert limited.choose(curve).size == rule.choose(curve.up_to(limit)).size
    assert limited.choose(curve).size <= limit


@given(curves())
def test_the_front_is_what_no_other_size_beats(curve):
    mean, sizes = curve.mean().tolist(), curve.sizes.tolist()
    undominated = [
        k
        for k, m in zip(sizes, mean, strict=True)
        if not any(
            (other <= k and score >= m) and (other, score) != (k, m)
            for other, score in zip(sizes, mean, strict=True)
        )
    ]
    assert pareto_front(curve).tolist() == undominated
