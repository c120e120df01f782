"""Deviations of cells that were run a few times each."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import digamma, polygamma

from svsieve.reproduce.noise import Prior, deviations


def _drawn(rng, cells, runs, freedom, variance=2.0):
    """Runs of cells whose variances are scattered as the prior says."""
    own = variance * freedom / rng.chisquare(freedom, cells)
    return own, [rng.normal(0.0, math.sqrt(v), runs) for v in own]


@pytest.mark.parametrize("freedom", [3.0, 12.0])
def test_a_prior_is_found_again(freedom):
    _, cells = _drawn(np.random.default_rng(0), 4000, 5, freedom)
    prior = Prior.of(np.array([c.var(ddof=1) for c in cells]), np.full(4000, 4.0))
    assert prior.freedom == pytest.approx(freedom, rel=0.2)
    assert prior.variance == pytest.approx(2.0, rel=0.1)


def test_both_moments_of_the_logarithms_are_matched():
    variances, freedoms = np.array([0.1, 1.0, 3.0, 40.0, 0.02]), np.array([2.0, 2, 9, 4, 2])
    prior = Prior.of(variances, freedoms)
    e = np.log(variances) - digamma(freedoms / 2) + np.log(freedoms / 2)
    half = prior.freedom / 2
    assert np.mean(e) == pytest.approx(math.log(prior.variance) - digamma(half) + math.log(half))
    sampling = np.mean([polygamma(1, d / 2) for d in freedoms])
    assert np.var(e, ddof=1) == pytest.approx(sampling + polygamma(1, half))


def test_moderated_variances_are_nearer_than_own_and_than_pooled_ones():
    own, cells = _drawn(np.random.default_rng(1), 500, 3, 4.0)
    found = deviations(cells) ** 2
    apart = {
        "moderated": found,
        "own": np.array([c.var(ddof=1) for c in cells]),
        "pooled": np.full(500, np.mean([c.var(ddof=1) for c in cells])),
    }
    errors = {name: np.median(np.abs(np.log(v / own))) for name, v in apart.items()}
    assert errors["moderated"] < errors["own"]
    assert errors["moderated"] < errors["pooled"]


def test_cells_that_are_alike_share_one_variance():
    rng = np.random.default_rng(2)
    cells = [rng.permutation([0.0, 1.0, 2.0]) for _ in range(6)]
    np.testing.assert_allclose(deviations(cells), 1.0)


def test_many_runs_speak_for_themselves():
    rng = np.random.default_rng(3)
    cells = [scale * rng.normal(size=4000) for scale in (0.1, 1.0, 30.0)]
    own = [cell.std(ddof=1) for cell in cells]
    np.testing.assert_allclose(deviations(cells), own, rtol=2e-3)


@given(
    st.lists(st.lists(st.floats(-5, 5), min_size=1, max_size=5), min_size=1, max_size=8),
    st.floats(0.1, 10),
    st.floats(-3, 3),
)
def test_units_do_not_matter(runs, scale, shift):
    cells = [np.round(np.array(values), 3) for values in runs]
    found = deviations(cells)
    moved = deviations([scale * values + shift for values in cells])
    np.testing.assert_allclose(moved, scale * found, rtol=1e-4, atol=1e-6)
    several = [c for c in cells if len(c) > 1]
    assert np.isnan(found).all() == (not several)


def test_a_cell_run_once_has_the_usual_deviation():
    cells = [np.array([0.0, 2.0]), np.array([1.0, 3.0]), np.array([7.0])]
    np.testing.assert_allclose(deviations(cells), math.sqrt(2.0))


def test_cells_without_any_spread():
    assert deviations([np.zeros(3), np.ones(3)]).tolist() == [0.0, 0.0]
    quiet = deviations([np.zeros(3), np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 3.0])])
    assert 0.0 < quiet[0] < quiet[1] < quiet[2]
