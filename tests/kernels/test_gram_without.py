"""Gram matrices without a column, and the columns behind a linear one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from svsieve import kernels
from tests.kernels.kernel_cases import COMPOSITES, LEAVES, WEIGHTED
from tests.reference.kernels import gram, gram_without

X = np.random.default_rng(3).normal(size=(9, 5))
ROWS = [None, np.array([1, 4, 5, 8]), np.array([8, 1, 5, 4]), np.arange(9)[::-1]]


@pytest.mark.parametrize("rows", ROWS, ids=["all", "some", "shuffled", "reversed"])
@pytest.mark.parametrize("case", [*LEAVES, *WEIGHTED, *COMPOSITES], ids=str)
def test_gram_without_a_kept_column(case, rows: np.ndarray | None) -> None:
    state = kernels.KernelState(case.library(5), X)
    state.drop([1])
    kernel = case.naive(5)
    picked = np.arange(9) if rows is None else rows
    blank = X.copy()
    blank[:, 1] = 0.0
    whole = gram(kernel, blank)[np.ix_(picked, picked)]
    np.testing.assert_allclose(state.gram_without(None, rows), whole, rtol=1e-11, atol=1e-11)
    for position, column in enumerate([0, 2, 3, 4]):
        expected = gram_without(kernel, blank, column)[np.ix_(picked, picked)]
        found = state.gram_without(position, rows)
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)


def test_entries_that_a_column_does_not_touch_are_the_same_bits() -> None:
    table = X.copy()
    table[:, 2] = 0.0
    table[4, 2] = 1.0
    untouched = np.delete(np.arange(9), 4)
    for kernel in (kernels.Rbf(gamma=0.3), kernels.Polynomial(degree=3, coef0=1.0)):
        state = kernels.KernelState(kernel, table)
        same = state.gram_without(2) == state.gram_without(None)
        assert same[np.ix_(untouched, untouched)].all()
        assert not same[4].all()


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("weights", [None, (1.0, 4.0, 0.0, 0.25, 9.0)])
def test_linear_columns_make_the_gram_matrix(make, weights) -> None:
    state = kernels.KernelState(kernels.Linear(weights=weights), make(X))
    state.drop([0])
    rows = np.array([6, 2, 3])
    columns = state.linear_columns(rows)
    assert columns.shape == (3, 4)
    np.testing.assert_allclose(columns @ columns.T, state.gram()[np.ix_(rows, rows)], rtol=1e-12)


def test_linear_columns_of_other_kernels_are_refused() -> None:
    state = kernels.KernelState(kernels.Rbf(gamma=0.3), X)
    with pytest.raises(ValueError, match=r"needs the kernel Linear\. Got Rbf"):
        state.linear_columns(np.arange(3))
