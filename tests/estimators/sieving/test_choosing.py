"""Which candidate is preferred, and how many columns are given up for what."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

from svsieve.estimators.sieving.candidates import candidates
from svsieve.estimators.sieving.choosing import (
    ALIKE,
    CLEARLY,
    LOST,
    REACH,
    _around,
    _below,
    _best_of_both,
    _lead,
    _plateau,
    _preferred,
    _sized,
    _smoothed,
)

SIZES = (16, 8, 4, 2, 1)
CANDIDATES = {one.name: one for one in candidates(60, 2000)}


def rows_right(shares, n_rows=1000):
    """Gains in which a larger share means the same rows and some more."""
    return np.array([np.arange(n_rows) < round(share * n_rows) for share in shares], dtype=float)


def sized(gains, tradeoff=0.8):
    one = CANDIDATES["linear"]
    return _sized(one, one.ranking, SIZES, gains, tradeoff)


def test_a_flat_curve_is_followed_to_its_end():
    assert sized(rows_right([0.9] * 5)).size == 1


def test_the_smallest_size_has_the_loss_and_its_error_within_the_limit():
    gains = rows_right([0.9, 0.9, 0.898, 0.893, 0.7], 20_000)
    found = sized(gains)
    assert (found.best_size, found.size) == (16, 4)
    lost = [0.9 - gains[k].mean() + (gains[0] - gains[k]).std() / np.sqrt(19_999) for k in (2, 3)]
    assert lost[0] < LOST < lost[1]


def test_few_rows_do_not_buy_fewer_columns_with_a_loss_that_may_hide():
    """The same curve from many rows and from few: the error of the loss decides."""
    shares = [0.8, 0.8, 0.8, 0.8, 0.798]
    many = sized(rows_right(shares, 50_000))
    rng = np.random.default_rng(0)
    few = np.array([rng.permutation(np.arange(40) < 32) for _ in shares], dtype=float)
    assert many.size == 1
    assert sized(few).size == sized(few).best_size


@given(seed=st.integers(0, 10_000), n_rows=st.integers(5, 300))
def test_more_weight_on_accuracy_never_takes_fewer_columns(seed, n_rows):
    rng = np.random.default_rng(seed)
    gains = (rng.random((5, n_rows)) < rng.random((5, 1))).astype(float)
    sizes = [sized(gains, tradeoff).size for tradeoff in (0.0, 0.4, 0.8, 1.0)]
    assert sizes == sorted(sizes)
    assert sizes[-1] <= sized(gains, 1.0).best_size


def test_a_plateau_counts_for_more_than_a_lone_peak():
    lone, broad = np.full((20, 50), 0.7), np.full((20, 50), 0.7)
    lone[10] = 0.84
    broad[8:13] = 0.8
    sizes = range(40, 20, -1)
    assert _plateau(sizes, broad).mean() > _plateau(sizes, lone).mean()


@pytest.mark.parametrize("n", [2, 3, 40])
def test_a_lead_is_counted_in_standard_errors_of_the_mean_difference(n):
    rng = np.random.default_rng(n)
    one, other = rng.normal(size=n), rng.normal(size=n)
    assert _lead(one, other) == pytest.approx(ttest_rel(one, other).statistic, rel=1e-12)
    whole = np.arange(n, dtype=float)  # differences without a spread
    assert [_lead(whole + gap, whole) for gap in (0.0, 1.0, -1.0)] == [0.0, np.inf, -np.inf]


@pytest.mark.parametrize(("better", "taken"), [(0.5, "linear"), (2.0, "Gaussian")])
def test_a_kernel_has_to_be_better_beyond_doubt(better, taken):
    own = np.random.default_rng(1).normal(size=400)
    gap = np.random.default_rng(2).normal(size=400)
    gap = (gap - gap.mean()) / gap.std() * np.sqrt(399) + better * CLEARLY
    three = [CANDIDATES[name] for name in ("linear", "Fisher", "Gaussian")]
    at = _preferred(three, [own, own - 1.0, own + gap])
    assert three[at].name == taken


def test_of_linear_candidates_the_best_is_taken_however_small_its_lead():
    two = [CANDIDATES["linear"], CANDIDATES["Fisher"]]
    assert _preferred(two, [np.array([1.0, 0.0, 1.0]), np.array([0.0, 1.1, 1.0])]) == 1


@pytest.mark.parametrize(
    ("scores", "tuned"),
    [
        ({"linear": 0.9, "Fisher": 0.8, "Gaussian": 0.7}, {"linear", "Gaussian"}),
        ({"linear": 0.6, "quadratic": 0.8, "Gaussian": 0.7}, {"linear", "quadratic"}),
        ({"linear": 0.6, "Fisher": 0.8, "linear, soft": 0.7}, {"Fisher", "linear, soft"}),
        ({"Gaussian": 0.6}, {"Gaussian"}),
    ],
)
def test_machines_are_compared_for_the_best_of_both_kinds(scores, tuned):
    racing = [CANDIDATES[name] for name in scores]
    found = _best_of_both(racing, [np.full(3, score) for score in scores.values()])
    assert {one.name for one in found} == tuned
    assert found == [one for one in racing if one in found]


def test_the_larger_of_equal_sizes_is_the_measure():
    """A lead of the smaller size that may be luck does not make it the one to compare with."""
    gains = rows_right([0.75, 0.75, 0.75, 0.5, 0.5], 400)
    gains[2, :4], gains[2, 300:305] = 0.0, 1.0
    assert sized(gains).best_size == 16
    gains[2, 300:340] = 1.0
    assert sized(gains).best_size == 4


def test_sizes_are_smoothed_by_their_ratio():
    """Against a plain loop; two columns are not like one, 40 are like 38."""
    sizes, scores = (40, 38, 3, 2, 1), np.array([0.8, 0.9, 0.95, 0.97, 0.5])
    smooth = _smoothed(sizes, scores)
    for at, one in enumerate(sizes):
        weights = [np.exp(-0.5 * (np.log(one / k) / np.log(ALIKE)) ** 2) for k in sizes]
        assert smooth[at] == pytest.approx(np.dot(weights, scores) / sum(weights))
    np.testing.assert_allclose(smooth[:2], 0.85, atol=0.01)
    assert np.argmax(smooth) == 3


def test_few_sizes_below_a_limit_are_all_there():
    assert _below(range(40, 0, -1), 24.0) == list(range(24, 0, -1))
    assert _below(SIZES, 7.9) == [4, 2, 1]


def test_many_sizes_below_a_limit_are_thinned_out_evenly_in_their_logarithm():
    found = _below(range(1000, 0, -1), 500.0, most=12)
    wanted = [500.0 ** (k / 11) for k in range(12)]
    nearest = {min(range(1, 501), key=lambda one: abs(one - w)) for w in wanted}
    assert found == sorted(nearest, reverse=True)
    assert (found[0], found[-1]) == (500, 1)
    assert len(_below(range(1000, 0, -1), 500.0)) <= 24
    assert len(_below(range(1000, 0, -1), 25.0)) < 25


def test_sizes_around_one_reach_as_far_both_ways():
    sizes = range(100, 0, -1)
    near = [one for one in sizes if 10 / REACH <= one <= 10 * REACH]
    assert _around(sizes, 10, len(near)) == near
    few = _around(sizes, 10, 3)
    assert (few[0], few[-1], len(few)) == (near[0], near[-1], 3)
