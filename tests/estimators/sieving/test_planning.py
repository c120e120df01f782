"""Folds and sizes that `Sieve` plans."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svsieve.estimators.sieving.planning import folds, rows_to_rank_on, sizes_to_visit


@given(n_columns=st.integers(1, 5000), least=st.integers(1, 60))
def test_sizes_fall_from_all_columns_to_the_least(n_columns, least):
    least = min(least, n_columns)
    sizes = sizes_to_visit(n_columns, least)
    assert (sizes[0], sizes[-1]) == (n_columns, least)
    assert all(a > b for a, b in pairwise(sizes))
    assert set(range(least, min(n_columns, 40) + 1)) <= set(sizes)


@pytest.mark.parametrize(
    ("n", "n_columns", "repeats", "n_folds"),
    [
        (60, 21, 5, 5),
        (60, 20, 1, 5),
        (61, 21, 3, 5),
        (200, 50, 3, 5),
        (201, 50, 2, 5),
        (500, 50, 2, 5),
        (501, 50, 1, 5),
        (999, 50, 1, 5),
        (1000, 50, 1, 4),
    ],
)
def test_every_repetition_holds_out_each_row_once(n, n_columns, repeats, n_folds):
    codes = np.arange(n) % 2
    fold_of, found = folds(codes, n_columns, seed=3)
    assert found == n_folds
    assert fold_of.shape == (repeats, n)
    for r, own in enumerate(fold_of):
        assert np.unique(own).tolist() == list(range(r * n_folds, (r + 1) * n_folds))
        for fold in np.unique(own):
            assert np.ptp(np.bincount(codes[own == fold])) <= 1


def test_a_class_of_three_rows_allows_three_folds():
    codes = np.array([0] * 20 + [1] * 3)
    fold_of, n_folds = folds(codes, 50, seed=0)
    assert n_folds == 3
    assert all(len(set(own[20:].tolist())) == 3 for own in fold_of)


@given(n_columns=st.integers(1, 100_000), seconds=st.floats(1e-6, 1e6))
def test_less_time_and_more_columns_leave_fewer_rows(n_columns, seconds):
    rows = rows_to_rank_on(n_columns, seconds)
    assert 300 <= rows <= rows_to_rank_on(n_columns) == 3000
    assert rows <= rows_to_rank_on(n_columns, 2.0 * seconds)
    assert rows >= rows_to_rank_on(2 * n_columns, seconds)
