"""Where kernel values come from: the whole Gram matrix, or rows on demand."""

import numpy as np
import pytest
from scipy import sparse

from svsieve.errors import IncompatiblePartsError
from svsieve.kernels import Linear, Normalised, PairingKernel, Rbf, kernel_values, row_source
from svsieve.kernels.rows import LONG_ROWS, LONG_SPARSE_ROWS, SMALL_GRAM_BYTES
from tests.kernels.kernel_cases import Cauchy


def rows_of(size_bytes):
    return int(np.sqrt(size_bytes / 8))


def is_gram(values):
    return isinstance(values, np.ndarray)


def test_a_small_gram_matrix_is_whole():
    X = np.zeros((rows_of(SMALL_GRAM_BYTES) // 8, 1))
    assert is_gram(kernel_values(Linear(), X))


def test_a_large_one_only_if_single_rows_are_dear():
    n = rows_of(SMALL_GRAM_BYTES) + 1
    assert not is_gram(kernel_values(Linear(), np.zeros((n, 1))))
    assert is_gram(kernel_values(Linear(), np.zeros((n, LONG_ROWS))))


def test_sparse_rows_count_their_entries():
    n = rows_of(SMALL_GRAM_BYTES) + 1
    X = sparse.lil_array((n, 10 * LONG_ROWS))
    assert not is_gram(kernel_values(Linear(), X))
    X[:, :LONG_SPARSE_ROWS] = 1.0
    assert is_gram(kernel_values(Linear(), X))


def test_the_budget_is_kept():
    X = np.zeros((100, LONG_ROWS))
    assert not is_gram(kernel_values(Rbf(0.1), X, budget_bytes=8 * 100 * 100 - 1))
    assert is_gram(kernel_values(Rbf(0.1), X, budget_bytes=8 * 100 * 100))


def test_a_kernel_in_numpy_needs_the_gram_matrix():
    assert issubclass(Cauchy, PairingKernel)
    X = np.random.default_rng(0).normal(size=(100, 2))
    assert is_gram(kernel_values(Cauchy(), X))
    with pytest.raises(IncompatiblePartsError, match="Cauchy"):
        kernel_values(Cauchy(), X, budget_bytes=1000)


@pytest.mark.parametrize(
    "kernel", [Rbf(0.1) + Cauchy(), Rbf(0.1) * Cauchy(), Normalised(Linear() + Cauchy())], ids=str
)
def test_one_part_in_numpy_is_enough_to_need_it(kernel):
    X = np.random.default_rng(0).normal(size=(rows_of(SMALL_GRAM_BYTES) + 1, 1))
    assert is_gram(kernel_values(kernel, X))


def test_both_hold_the_same_values():
    X = np.random.default_rng(1).normal(size=(20, 3))
    kernel = 0.5 * Rbf(0.3) + Linear()
    rows = row_source(kernel, X)
    np.testing.assert_allclose([rows.row(i) for i in range(20)], kernel.gram(X), rtol=1e-13)
