"""Probabilities of classes from those of their pairs."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from svsieve.machines import coupled_probabilities


def random_pairs(seed, n_classes, rows=4):
    rng = np.random.default_rng(seed)
    return rng.random((rows, n_classes * (n_classes - 1) // 2))


def misfit(p, pairs):
    """The objective, pair by pair."""
    together = zip(combinations(range(len(p)), 2), pairs, strict=True)
    return sum(((1 - r) * p[i] - r * p[j]) ** 2 for (i, j), r in together)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_it_minimises_the_misfit_on_the_simplex(n_classes):
    pairs = random_pairs(n_classes, n_classes)
    found = coupled_probabilities(pairs, n_classes)
    for row, p in zip(pairs, found, strict=True):
        best = minimize(
            misfit,
            np.full(n_classes, 1 / n_classes),
            (row,),
            method="SLSQP",
            bounds=[(0, 1)] * n_classes,
            constraints={"type": "eq", "fun": lambda q: q.sum() - 1},
            options={"ftol": 1e-15},
        )
        np.testing.assert_allclose(p, best.x, atol=1e-5)
        assert misfit(p, row) <= best.fun + 1e-12


@given(st.integers(0, 10_000), st.integers(2, 8))
def test_consistent_pairs_are_explained_exactly(seed, n_classes):
    p = np.random.default_rng(seed).dirichlet(np.ones(n_classes), size=3) + 1e-3
    p /= p.sum(axis=1, keepdims=True)
    pairs = [p[:, i] / (p[:, i] + p[:, j]) for i, j in combinations(range(n_classes), 2)]
    np.testing.assert_allclose(
        coupled_probabilities(np.column_stack(pairs), n_classes), p, atol=1e-9
    )


@given(st.integers(0, 10_000), st.integers(2, 7), st.booleans())
def test_each_row_is_a_distribution(seed, n_classes, certain):
    pairs = random_pairs(seed, n_classes)
    if certain:  # also where the pairs contradict each other
        pairs = np.round(pairs)
    p = coupled_probabilities(pairs, n_classes)
    assert (p >= 0).all()
    np.testing.assert_allclose(p.sum(axis=1), 1.0, atol=1e-12)


@given(st.integers(0, 10_000))
def test_two_classes_keep_their_probability(seed):
    pairs = random_pairs(seed, 2)
    found = coupled_probabilities(pairs, 2)
    np.testing.assert_allclose(found, np.column_stack([pairs, 1 - pairs]), atol=1e-7)


@given(st.integers(0, 10_000))
def test_renamed_classes_keep_their_probabilities(seed):
    n_classes = 4
    pairs = random_pairs(seed, n_classes)
    order = np.random.default_rng(seed).permutation(n_classes)
    table = np.zeros((len(pairs), n_classes, n_classes))
    for pair, (i, j) in enumerate(combinations(range(n_classes), 2)):
        table[:, i, j], table[:, j, i] = pairs[:, pair], 1 - pairs[:, pair]
    renamed = table[:, order][:, :, order]
    again = np.column_stack([renamed[:, i, j] for i, j in combinations(range(n_classes), 2)])
    np.testing.assert_allclose(
        coupled_probabilities(again, n_classes),
        coupled_probabilities(pairs, n_classes)[:, order],
        atol=1e-9,
    )
