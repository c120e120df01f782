"""Weights along the front: what they choose is what the rule chooses, from one end to the other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svsieve.reports.tradeoff import front_points, hull_slopes, weights_along_front
from svsieve.selection import Curve, pareto_front
from svsieve.selection.rules import Best, Scalarised, best_at


@st.composite
def curves(draw):
    n = draw(st.integers(1, 12))
    sizes = sorted(draw(st.sets(st.integers(1, 5000), min_size=n, max_size=n)))
    counts = draw(st.lists(st.integers(0, 40), min_size=n, max_size=n))
    n_columns = draw(st.integers(sizes[-1], 10_000))
    return Curve(sizes, {"accuracy": [[count / 40.0 for count in counts]]}, None, n_columns)


@given(curves())
def test_choices_rise_from_the_smallest_size_to_the_best(curve):
    chosen = [rule.choose(curve).size for rule in weights_along_front(curve)]
    assert chosen == sorted(chosen)
    assert chosen[-1] == Best().choose(curve).size or len(set(chosen)) == 1
    assert chosen[0] == curve.sizes[0]


@given(curves())
def test_every_size_that_some_weights_choose_is_met(curve):
    prices = np.geomspace(1e-6, 1e6, 400)
    possible = {Scalarised(1.0, price).choose(curve).size for price in prices.tolist()}
    met = {rule.choose(curve).size for rule in weights_along_front(curve)}
    assert possible <= met


@given(curves(), st.floats(0.0, 1.0))
def test_the_front_alone_gives_the_choice_of_the_whole_curve(curve, weight):
    rule = Scalarised(weight, 1.0 - weight)
    sizes, shares, means = front_points(curve)
    cost = rule.w_accuracy * (1.0 - means) + rule.w_size * shares
    assert sizes[best_at(-cost)] == rule.choose(curve).size


@given(curves())
def test_weights_are_short_and_add_up_to_one(curve):
    for rule in weights_along_front(curve):
        assert rule.w_accuracy + rule.w_size == pytest.approx(1.0, abs=1e-15)
        least = min(rule.w_accuracy, rule.w_size)
        assert float(f"{least:.4g}") == least


def test_slopes_against_all_pairs():
    """The hull by its definition: the steepest way on from each corner."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        shares = np.sort(rng.uniform(size=8))
        scores = np.sort(rng.uniform(size=8))
        plain, at = [], 0
        while at < 7:
            ways = (scores[at + 1 :] - scores[at]) / (shares[at + 1 :] - shares[at])
            plain.append(ways.max())
            at += 1 + int(ways.argmax())
        np.testing.assert_allclose(hull_slopes(shares, scores), plain)


def test_a_front_of_one_size_has_one_stop():
    curve = Curve([1, 2], {"accuracy": [[0.9, 0.8]]}, n_columns=2)
    assert weights_along_front(curve) == [Scalarised(0.5, 0.5)]
    assert pareto_front(curve).tolist() == [1]


def test_among_very_many_columns_every_corner_has_its_share_of_the_slider():
    sizes = [1, 4, 16, 64, 60_000]
    curve = Curve(sizes, {"accuracy": [[0.6, 0.8, 0.9, 0.95, 0.96]]}, n_columns=60_000)
    chosen = [rule.choose(curve).size for rule in weights_along_front(curve, count=100)]
    assert np.unique(chosen, return_counts=True)[1].tolist() == [20] * 5
