"""Agreement of sets of columns."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svsieve.selection.stability import stability


def plain_nogueira(Z):
    """Measure and variance of the paper, entry by entry."""
    M, d = len(Z), len(Z[0])
    p = [sum(row[f] for row in Z) / M for f in range(d)]
    k = [sum(row) for row in Z]
    mean_k = sum(k) / M
    below = (mean_k / d) * (1 - mean_k / d)
    phi = 1 - sum(M / (M - 1) * q * (1 - q) for q in p) / d / below
    parts = []
    for i in range(M):
        agreement = sum(Z[i][f] * p[f] for f in range(d)) / d - k[i] * mean_k / d**2
        bend = 2 * mean_k * k[i] / d**2 - k[i] / d - mean_k / d + 1
        parts.append((agreement + phi / 2 * bend) / below)
    mean = sum(parts) / M
    return phi, 4 / M**2 * sum((part - mean) ** 2 for part in parts)


masks = st.integers(2, 8).flatmap(
    lambda d: st.lists(st.lists(st.booleans(), min_size=d, max_size=d), min_size=2, max_size=7)
)


@given(masks)
def test_against_plain_sums(Z):
    found = stability(Z)
    sets = [set(np.flatnonzero(row)) for row in np.array(Z)]
    pairs = list(combinations(sets, 2))
    jaccard = np.mean([len(a & b) / len(a | b) if a | b else 1.0 for a, b in pairs])
    assert found.jaccard == pytest.approx(jaccard)
    np.testing.assert_allclose(found.frequency, np.array(Z).mean(axis=0))
    if not any(sets) or all(len(one) == len(Z[0]) for one in sets):
        assert np.isnan([found.nogueira, *found.interval]).all()
        return
    phi, variance = plain_nogueira([[float(cell) for cell in row] for row in Z])
    reach = 1.959963984540054 * np.sqrt(variance)
    assert found.nogueira == pytest.approx(phi)
    np.testing.assert_allclose(found.interval, [phi - reach, phi + reach], atol=1e-12)


@given(masks, st.randoms())
def test_names_and_order_do_not_matter(Z, random):
    columns, sets = list(range(len(Z[0]))), list(range(len(Z)))
    random.shuffle(columns)
    random.shuffle(sets)
    one, other = stability(Z), stability(np.array(Z)[np.ix_(sets, columns)])
    for name in ("nogueira", "interval", "kuncheva", "jaccard"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=1e-12)


@pytest.mark.parametrize("k", [1, 3, 7])
def test_sets_of_one_size_have_one_value_by_both_measures(k):
    rng = np.random.default_rng(k)
    Z = np.array([np.isin(np.arange(8), rng.choice(8, k, replace=False)) for _ in range(6)])
    found = stability(Z)
    pairs = [
        (both - k**2 / 8) / (k - k**2 / 8) for both in (Z @ Z.T.astype(int))[np.triu_indices(6, 1)]
    ]
    assert found.kuncheva == pytest.approx(np.mean(pairs))
    assert found.nogueira == pytest.approx(found.kuncheva)


def test_equal_sets_agree_fully():
    found = stability([[True, False, True, False]] * 5)
    assert (found.nogueira, found.kuncheva, found.jaccard) == (1.0, 1.0, 1.0)
    np.testing.assert_allclose(found.interval, [1.0, 1.0])


def test_random_sets_agree_as_much_as_chance_whatever_their_sizes():
    rng = np.random.default_rng(0)
    for share in (0.1, 0.5, 0.9):
        found = stability(rng.random((200, 300)) < share)
        assert abs(found.nogueira) < 0.01


def test_sets_of_different_sizes_have_no_kuncheva_index():
    assert np.isnan(stability([[True, False, False], [True, True, False]]).kuncheva)


def test_the_interval_covers_the_truth_as_often_as_it_says():
    """Columns drawn independently with known chances: the measure tends to a known number."""
    rng = np.random.default_rng(1)
    chances = np.array([0.9, 0.8, 0.7, 0.5, 0.2, 0.1, 0.05, 0.05])
    q = chances.mean()
    truth = 1 - np.mean(chances * (1 - chances)) / (q * (1 - q))
    covered = 0
    for _ in range(400):
        low, high = stability(rng.random((60, 8)) < chances, level=0.9).interval
        covered += low <= truth <= high
    assert 0.85 <= covered / 400 <= 0.95


def test_zeros_and_ones_are_masks_too():
    Z = np.array([[1, 0, 1], [1, 1, 0]])
    assert stability(Z).jaccard == stability(Z.astype(bool)).jaccard
    assert str(stability(Z)).startswith("stability of 2 sets: Nogueira -0.500")


@pytest.mark.parametrize(
    ("supports", "message"),
    [
        ([[True, False]], r"at least two masks.*Got shape \(1, 2\)"),
        ([True, False], r"Got shape \(2,\)"),
        (np.zeros((2, 0), dtype=bool), r"Got shape \(2, 0\)"),
        ([[0, 2], [1, 0]], "must hold True and False"),
        ([["a", "b"], ["a", "c"]], "must hold True and False"),
    ],
)
def test_refusals(supports, message):
    with pytest.raises(ValueError, match=message):
        stability(supports)


def test_a_level_is_a_share():
    with pytest.raises(ValueError, match=r"level must lie between 0 and 1. Got 95"):
        stability([[True, False], [False, True]], level=95)
