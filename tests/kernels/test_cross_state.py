"""CrossState: what is left of two tables after columns are dropped, against tables without them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from svsieve.kernels import KernelState, Laplace, Linear, Normalised, PerFeature, Polynomial, Rbf
from svsieve.kernels.cross_state import CrossState
from tests.kernels.kernel_cases import EVERY_KERNEL, Case, as_given, relative_error, table


def left_over(case: Case, Z: np.ndarray, X: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """The plain kernel between tables of the kept columns only."""
    kernel = case.naive(X.shape[1])
    for j in range(X.shape[1] - 1, -1, -1):
        if j not in kept:
            kernel = kernel.without(j)
    return kernel.cross(Z[:, kept], X[:, kept])


@pytest.mark.parametrize("form", ["dense", "csr"])
@pytest.mark.parametrize("case", EVERY_KERNEL, ids=str)
def test_values_after_drops(case: Case, form: str) -> None:
    X, Z = table(11, 9, 0, density=0.8), table(6, 9, 1, density=0.8)
    state = CrossState(case.library(9), as_given(Z, form), as_given(X, form))
    assert relative_error(state.values(), left_over(case, Z, X, np.arange(9))) < 1e-13
    for columns in ([8], [0, 3], [4, 1], [2, 6], [5]):
        state.drop(columns)
        expected = left_over(case, Z, X, state.kept)
        assert relative_error(state.values(), expected, 1e-3) < 1e-12
        rows = np.array([7, 0, 3])
        assert relative_error(state.values(rows=rows), expected[:, rows], 1e-3) < 1e-12
    assert state.kept.tolist() == [7]


@pytest.mark.parametrize("forms", [("dense", "csr"), ("csr", "dense")])
def test_a_sparse_and_a_dense_table(forms) -> None:
    X, Z = table(8, 5, 0, density=0.6), table(4, 5, 1, density=0.6)
    for kernel in (Linear(), Rbf(0.3), Laplace(0.3)):
        state = CrossState(kernel, as_given(Z, forms[0]), as_given(X, forms[1]))
        state.drop([2])
        kept = [0, 1, 3, 4]
        np.testing.assert_allclose(state.values(), kernel.cross(Z[:, kept], X[:, kept]), atol=1e-14)


@pytest.mark.parametrize(
    "kernel", [Rbf("scale"), Rbf(PerFeature(1.0)), Polynomial(2, "scale", 1.0)]
)
def test_gamma_follows_the_training_rows(kernel) -> None:
    X, Z = table(10, 6), table(4, 6, 1)
    state, cross = KernelState(kernel, X), CrossState(kernel, Z, X)
    for columns in ([5], [0, 1]):
        state.drop(columns)
        cross.drop(columns)
        found = cross.values(state.kernel)
        expected = state.kernel.cross(Z[:, state.kept], X[:, state.kept])
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    with pytest.raises(ValueError, match=r"gamma of .* is a rule, not a number"):
        cross.values()


def test_kept_columns_at_the_start() -> None:
    X, Z = table(5, 6), table(3, 6, 1)
    state = CrossState(Rbf(0.2), Z, X, kept=[1, 4, 5])
    np.testing.assert_allclose(
        state.values(), Rbf(0.2).cross(Z[:, [1, 4, 5]], X[:, [1, 4, 5]]), rtol=1e-13
    )


@pytest.mark.parametrize("kernel", [Linear(), Rbf(1e-3), Laplace(1e-3), Polynomial(2, 0.01, 1.0)])
def test_large_columns_leave_no_rounding_behind(kernel) -> None:
    rng = np.random.default_rng(0)
    X, Z = rng.normal(size=(9, 12)), rng.normal(size=(5, 12))
    for A in (X, Z):
        A[:, 3] *= 1e9
        A[:, 7] *= 1e7
    state = CrossState(kernel, Z, X)
    state.drop([3])
    state.drop([7])
    expected = kernel.cross(Z[:, state.kept], X[:, state.kept])
    np.testing.assert_allclose(state.values(), expected, rtol=1e-10, atol=1e-12)


def test_rows_with_nothing_left_are_zero() -> None:
    X = np.array([[0.1, 0.0, 0.3], [1.0, 2.0, 3.0]])
    Z = np.array([[0.7, 0.0, 0.9], [1.0, 1.0, 1.0]])
    for form in ("dense", "csr"):
        plain = CrossState(Linear(), as_given(Z, form), as_given(X, form))
        scaled = CrossState(Normalised(Linear()), as_given(Z, form), as_given(X, form))
        for column in (0, 2):
            plain.drop([column])
            scaled.drop([column])
        assert plain.values().tolist() == [[0.0, 0.0], [0.0, 2.0]]
        assert scaled.values().tolist() == [[0.0, 0.0], [0.0, 1.0]]


@settings(max_examples=30)
@given(st.integers(2, 12), st.randoms(use_true_random=False), st.sampled_from(EVERY_KERNEL))
def test_any_order_of_drops_gives_the_same(columns: int, random, case: Case) -> None:
    X, Z = table(6, columns), table(4, columns, 1)
    order = list(range(columns))
    random.shuffle(order)
    going = order[: random.randrange(columns)]
    one_by_one = CrossState(case.library(columns), Z, X)
    for column in going:
        one_by_one.drop([column])
    at_once = CrossState(case.library(columns), Z, X)
    at_once.drop(np.array(going, dtype=np.int64))
    expected = at_once.values()
    assert relative_error(one_by_one.values(), expected, 1e-3) < 1e-11
    swapped = CrossState(case.library(columns), X, Z, kept=at_once.kept).values()
    assert relative_error(swapped.T, expected, 1e-3) < 1e-11


def test_how_many_can_be_dropped_before_it_is_built_anew() -> None:
    X, Z = np.ones((4, 8)), np.ones((3, 8))
    assert CrossState(Linear(), Z, X).droppable(np.array([7, 0, 2, 1, 3])) == 3
    X[:, 5] = 1e4
    state = CrossState(Linear(), Z, X)
    assert state.droppable(np.array([7, 0, 5, 1])) == 2
    state.drop([7, 0])
    assert state.droppable(np.array([5])) == 0
    assert state.droppable(np.array([1])) == 1


def test_refusals() -> None:
    X, Z = np.ones((4, 3)), np.ones((2, 3))
    with pytest.raises(ValueError, match="Z has 2 columns, X has 3"):
        CrossState(Linear(), Z[:, :2], X)
    with pytest.raises(ValueError, match="kept must name at least one column"):
        CrossState(Linear(), Z, X, kept=[])
    with pytest.raises(ValueError, match="Z must hold finite numbers"):
        CrossState(Linear(), np.full((1, 3), np.nan), X)
    state = CrossState(Linear(), Z, X)
    state.drop([])
    state.drop([1])
    with pytest.raises(ValueError, match="column 1 cannot be dropped: it is not kept"):
        state.drop([1])
    with pytest.raises(ValueError, match="the last columns cannot be dropped"):
        state.drop([0, 2])
    with pytest.raises(ValueError, match=r"was made for Linear.*Got Rbf"):
        state.values(Rbf(0.1))


def test_tables_are_left_alone() -> None:
    X, Z = table(5, 4), table(3, 4, 1)
    copies = X.copy(), Z.copy()
    state = CrossState(Rbf(0.1), Z, X)
    first = state.values()
    state.drop([0])
    state.values()
    np.testing.assert_array_equal(X, copies[0])
    np.testing.assert_array_equal(Z, copies[1])
    np.testing.assert_allclose(first, Rbf(0.1).cross(Z, X), rtol=1e-13)
    assert not sparse.issparse(first)
