"""Gram matrices, rectangular ones and diagonals of every kernel."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import pairwise

from svsieve import kernels
from tests.kernels.kernel_cases import EVERY_KERNEL, LEAVES, Case, as_given, relative_error, table
from tests.reference import kernels as naive

FORMS = pytest.mark.parametrize("form", ["dense", "csr"])
X = table(23, 6, density=0.6)
Z = table(9, 6, seed=1, density=0.6)


@FORMS
@pytest.mark.parametrize("case", EVERY_KERNEL, ids=str)
def test_agrees_with_the_formula(case: Case, form: str) -> None:
    kernel, reference = case.library(6), case.naive(6)
    expected = naive.gram(reference, X)
    given, other = as_given(X, form), as_given(Z, form)
    assert relative_error(kernel.gram(given), expected) < 1e-13
    assert relative_error(kernel.cross(other, given), reference.cross(Z, X)) < 1e-13
    assert relative_error(kernel.diagonal(given), naive.diagonal(reference, X)) < 1e-13


@pytest.mark.parametrize("case", EVERY_KERNEL, ids=str)
def test_gram_is_exactly_symmetric_and_meets_the_diagonal(case: Case) -> None:
    K = case.library(6).gram(X)
    assert np.array_equal(K, K.T)
    assert relative_error(np.diag(K), case.library(6).diagonal(X)) < 1e-14


@FORMS
@pytest.mark.parametrize("case", EVERY_KERNEL, ids=str)
def test_state_agrees_with_the_kernel(case: Case, form: str) -> None:
    state = kernels.KernelState(case.library(6), as_given(X, form))
    expected = naive.gram(case.naive(6), X)
    assert relative_error(state.gram(), expected) < 1e-13
    assert relative_error(state.diagonal(), np.diag(expected)) < 1e-13
    assert state.gram() is state.gram()
    assert (state.n_rows, state.n_kept) == X.shape
    assert list(state.kept) == list(range(6))


@FORMS
def test_agrees_with_scikit_learn(form: str) -> None:
    given, other = as_given(X, form), as_given(Z, form)
    expected = {
        kernels.Linear(): pairwise.linear_kernel(Z, X),
        kernels.Rbf(gamma=0.3): pairwise.rbf_kernel(Z, X, gamma=0.3),
        kernels.Laplace(gamma=0.3): pairwise.laplacian_kernel(Z, X, gamma=0.3),
        kernels.Polynomial(degree=4, gamma=0.3, coef0=1.5): pairwise.polynomial_kernel(
            Z, X, degree=4, gamma=0.3, coef0=1.5
        ),
        kernels.Normalised(kernels.Linear()): pairwise.cosine_similarity(Z, X),
    }
    for kernel, matrix in expected.items():
        assert relative_error(kernel.cross(other, given), matrix) < 1e-12, kernel


@pytest.mark.parametrize("columns", [1, 7, 8, 9, 31, 32, 33, 100])
@pytest.mark.parametrize("case", LEAVES, ids=str)
def test_odd_sizes(case: Case, columns: int) -> None:
    for rows in (1, 2, 3, 63, 64, 65, 130):
        data = table(rows, columns)
        expected = naive.gram(case.naive(columns), data)
        assert relative_error(case.library(columns).gram(data), expected) < 1e-12, rows
        half = (rows + 1) // 2
        some = case.library(columns).cross(data[:half], data)
        assert relative_error(some, expected[:half]) < 1e-12, rows


@pytest.mark.parametrize(
    "kernel",
    [kernels.Rbf(gamma=2.0), kernels.Laplace(gamma=2.0), kernels.Normalised(kernels.Linear())],
    ids=str,
)
def test_identical_rows_have_kernel_one(kernel) -> None:
    data = np.repeat(table(5, 4) + 1e3, 2, axis=0)
    K = kernel.gram(data)
    assert np.array_equal(np.diag(K), np.ones(10))
    np.testing.assert_allclose(K[np.arange(0, 10, 2), np.arange(1, 10, 2)], 1, atol=1e-15)
    assert K.max() <= 1 + 1e-15


def test_distance_survives_a_large_common_shift() -> None:
    # |x|^2 + |z|^2 - 2<x, z> loses twelve digits here unless the columns are centred first
    data = np.round(table(20, 3) * 64) / 64
    near, far = kernels.Rbf(gamma=0.5).gram(data), kernels.Rbf(gamma=0.5).gram(data + 2.0**20)
    assert relative_error(far, near) < 1e-12


def test_zero_rows_of_a_normalised_kernel_are_zero() -> None:
    data = table(4, 3)
    data[2] = 0
    K = kernels.Normalised(kernels.Linear()).gram(data)
    assert np.array_equal(K[2], np.zeros(4))
    assert np.array_equal(K[:, 2], np.zeros(4))
    np.testing.assert_allclose(np.diag(K)[[0, 1, 3]], 1, rtol=1e-15)


def test_operators_build_sums_and_products() -> None:
    linear, rbf, laplace = kernels.Linear(), kernels.Rbf(gamma=0.3), kernels.Laplace(gamma=0.2)
    A, B, L = linear.gram(X), rbf.gram(X), laplace.gram(X)
    np.testing.assert_allclose((linear + rbf).gram(X), A + B, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose((linear * rbf).gram(X), A * B, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose((2.0 * rbf).gram(X), 2 * B, rtol=1e-13)
    np.testing.assert_allclose((rbf * 2.0).gram(X), 2 * B, rtol=1e-13)
    mixed = 0.5 * linear + rbf * laplace + 3 * laplace
    np.testing.assert_allclose(mixed.gram(X), 0.5 * A + B * L + 3 * L, rtol=1e-13, atol=1e-13)


def test_zero_weight_is_the_same_as_no_column() -> None:
    weights = (0.5, 0.0, 2.0, 1.0, 0.0, 0.3)
    kept = [0, 2, 3, 5]
    for make in (kernels.Linear, kernels.Rbf, kernels.Laplace, kernels.Polynomial):
        full = make(weights=weights).gram(X)
        fewer = make(weights=tuple(weights[j] for j in kept)).gram(X[:, kept])
        assert relative_error(full, fewer) < 1e-14, make


def test_kernels_are_values() -> None:
    assert kernels.Rbf(gamma=0.5) == kernels.Rbf(gamma=0.5)
    assert kernels.Rbf(gamma=0.5) != kernels.Rbf(gamma=0.25)
    assert kernels.Rbf(weights=[1.0, 2.0]) == kernels.Rbf(weights=np.array([1.0, 2.0]))
    assert len({kernels.Linear(), kernels.Linear(), kernels.Laplace()}) == 2
    assert kernels.Rbf(weights=[1.0, 2.0]).weights == (1.0, 2.0)


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csr_matrix])
def test_both_kinds_of_csr(kind) -> None:
    dense = kernels.Rbf(gamma=0.4).gram(X)
    assert relative_error(kernels.Rbf(gamma=0.4).gram(kind(X)), dense) < 1e-14


def test_csr_with_unsorted_and_explicit_zero_entries() -> None:
    given = sparse.csr_array(
        (np.array([3.0, 1.0, 0.0, 2.0]), np.array([2, 0, 1, 1]), np.array([0, 2, 3, 4])),
        shape=(3, 3),
    )
    dense = np.array([[1.0, 0.0, 3.0], [0.0, 0.0, 0.0], [0.0, 2.0, 0.0]])
    for kernel in (kernels.Linear(), kernels.Rbf(gamma=0.4), kernels.Laplace(gamma=0.4)):
        assert relative_error(kernel.gram(given), kernel.gram(dense)) < 1e-15, kernel


@pytest.mark.parametrize("view", ["fortran", "strided", "read-only"])
def test_any_memory_layout(view: str) -> None:
    data = X.copy()
    if view == "fortran":
        data = np.asfortranarray(data)
    elif view == "strided":
        data = np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3]
    else:
        data.flags.writeable = False
    expected = kernels.Rbf(gamma=0.4).gram(X)
    assert relative_error(kernels.Rbf(gamma=0.4).gram(data), expected) < 1e-15
    assert relative_error(kernels.KernelState(kernels.Rbf(0.4), data).gram(), expected) < 1e-15
