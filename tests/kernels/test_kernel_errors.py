"""What cannot be is refused, and the message names the culprit."""

from __future__ import annotations

import numpy as np
import pytest

from svsieve.kernels import (
    KernelState,
    Laplace,
    Linear,
    Normalised,
    PairWeights,
    PerFeature,
    Polynomial,
    Product,
    Rbf,
    Sum,
)
from svsieve.kernels.cross_state import CrossState
from tests.kernels.kernel_cases import symmetric, table

X = table(8, 5)
KINDS = [Linear, Polynomial, Rbf, Laplace]
WITH_GAMMA = [Polynomial, Rbf, Laplace]


@pytest.mark.parametrize("make", KINDS)
@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
def test_bad_weight(make, bad: float) -> None:
    with pytest.raises(ValueError, match=r"(?i)weights?.*2"):
        make(weights=(1.0, 0.5, bad))


@pytest.mark.parametrize("make", KINDS)
@pytest.mark.parametrize("use", ["gram", "state", "diagonal", "cross"])
def test_wrong_number_of_weights(make, use: str) -> None:
    kernel = make(weights=(1.0, 2.0, 3.0))
    actions = {
        "gram": lambda: kernel.gram(X),
        "state": lambda: KernelState(kernel, X),
        "diagonal": lambda: kernel.diagonal(X),
        "cross": lambda: kernel.cross(X[:2], X),
    }
    with pytest.raises(ValueError, match=r"(?i)weights?") as caught:
        actions[use]()
    assert "3" in str(caught.value)
    assert "5" in str(caught.value)


def test_wrong_number_of_weights_inside_a_sum() -> None:
    with pytest.raises(ValueError, match=r"(?i)weights?"):
        KernelState(Linear() + Rbf(weights=(1.0, 2.0, 3.0)), X)


@pytest.mark.parametrize("make", WITH_GAMMA)
@pytest.mark.parametrize("bad", [0.0, -0.5, np.nan, np.inf, "auto", "Scale"])
def test_bad_gamma(make, bad) -> None:
    with pytest.raises(ValueError, match="gamma") as caught:
        make(gamma=bad)
    assert str(bad) in str(caught.value)


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan, np.inf])
def test_bad_gamma_per_feature(bad: float) -> None:
    with pytest.raises(ValueError, match=str(bad)):
        PerFeature(bad)


@pytest.mark.parametrize("bad", [0, -1, 2.5, np.nan])
def test_bad_degree(bad) -> None:
    with pytest.raises(ValueError, match="degree") as caught:
        Polynomial(degree=bad)
    assert str(bad) in str(caught.value)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_bad_coef0(bad: float) -> None:
    with pytest.raises(ValueError, match="coef0"):
        Polynomial(coef0=bad)


@pytest.mark.parametrize("degree", [3, 3.0, np.int64(3), np.float64(3)])
def test_any_whole_number_is_a_degree(degree) -> None:
    expected = Polynomial(degree=3, gamma=0.2).gram(X)
    np.testing.assert_array_equal(Polynomial(degree=degree, gamma=0.2).gram(X), expected)


@pytest.mark.parametrize("gamma", ["scale", PerFeature(1.0)])
def test_unbound_gamma(gamma) -> None:
    with pytest.raises(ValueError, match="gamma"):
        Rbf(gamma=gamma).gram(X)


@pytest.mark.parametrize("column", [5, 17, -1])
def test_drop_of_a_column_that_is_not_there(column: int) -> None:
    state = KernelState(Linear(), X)
    with pytest.raises(ValueError, match=str(column)):
        state.drop([0, column])
    assert list(state.kept) == [0, 1, 2, 3, 4]


def test_drop_of_a_column_dropped_before() -> None:
    state = KernelState(Rbf(gamma=0.3), X)
    state.drop([3])
    before = state.gram().copy()
    with pytest.raises(ValueError, match="3"):
        state.drop([1, 3])
    assert list(state.kept) == [0, 1, 2, 4]
    np.testing.assert_array_equal(state.gram(), before)


def test_drop_of_a_column_named_twice() -> None:
    state = KernelState(Linear(), X)
    with pytest.raises(ValueError, match="2"):
        state.drop([2, 2])


def test_drop_of_all_columns() -> None:
    state = KernelState(Linear(), X)
    state.drop([0, 2])
    with pytest.raises(ValueError, match=r"(?i)all|last|every"):
        state.drop([1, 3, 4])
    assert list(state.kept) == [1, 3, 4]


def test_drop_of_nothing_changes_nothing() -> None:
    state = KernelState(Rbf(gamma=0.3), X)
    before = state.gram().copy()
    state.drop([])
    np.testing.assert_array_equal(state.gram(), before)
    assert state.n_kept == 5


@pytest.mark.parametrize("kept", [[0, 5], [-1], [1, 1]])
def test_unknown_kept_columns(kept: list[int]) -> None:
    with pytest.raises(ValueError, match=str(kept[-1])):
        KernelState(Linear(), X, kept=kept)


def test_no_kept_column() -> None:
    with pytest.raises(ValueError, match=r"(?i)column"):
        KernelState(Linear(), X, kept=[])


def test_cross_of_tables_of_different_width() -> None:
    with pytest.raises(ValueError, match=r"4.*5|5.*4"):
        Rbf(gamma=0.2).cross(X[:, :4], X)


def test_sum_of_nothing_and_coefficients_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match=r"(?i)kernel"):
        Sum([])
    with pytest.raises(ValueError, match=r"(?i)kernel"):
        Product([])
    with pytest.raises(ValueError, match=r"(?i)coefficient"):
        Sum([Linear(), Rbf()], coefficients=[1.0])


@pytest.mark.parametrize("bad", [-0.5, np.nan, np.inf])
def test_bad_coefficient(bad: float) -> None:
    with pytest.raises(ValueError, match=r"(?i)coefficient"):
        Sum([Linear(), Rbf()], coefficients=[1.0, bad])


@pytest.mark.parametrize("make", [Sum, Product])
def test_parts_that_are_no_kernels(make) -> None:
    with pytest.raises((TypeError, ValueError), match=r"rbf"):
        make([Linear(), "rbf"])
    with pytest.raises((TypeError, ValueError), match=r"rbf"):
        Normalised("rbf")


def test_pair_weights_of_more_rows_than_the_table() -> None:
    state = KernelState(Linear(), X)
    for contract in (state.contract_slopes, state.contract_without, state.contract_params):
        with pytest.raises(ValueError, match="9"):
            contract(PairWeights.dense(symmetric(10)))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_table_with_a_number_that_is_none(bad: float) -> None:
    data = X.copy()
    data[3, 2] = bad
    with pytest.raises(ValueError, match=r"(?i)(?=.*\b3\b)(?=.*\b2\b)"):
        KernelState(Rbf(gamma=0.2), data)


SQUARE = Polynomial(2, 1.0, 1.0)
# With rows of size 1e120: values that overflow, alone or within what would make them finite again.
OVERFLOWING = [Normalised(SQUARE), Rbf(0.1) + 0.0 * Polynomial(3), SQUARE * Normalised(SQUARE)]


@pytest.mark.parametrize("kernel", [*OVERFLOWING, Polynomial(3)], ids=str)
def test_values_that_overflow_are_never_taken_for_numbers(kernel) -> None:
    """Warnings are errors here."""
    huge, both = X * 1e120, np.vstack([X, X[:3] * 1e120])
    assert not np.isfinite(np.diagonal(kernel.gram(huge))).any()
    assert not np.isfinite(kernel.diagonal(huge)).any()
    assert not np.isfinite(np.diagonal(KernelState(kernel, huge).gram())).any()
    assert not np.isfinite(KernelState(kernel, huge).diagonal()).any()
    for refused in (
        lambda: kernel.cross(both, X),
        lambda: CrossState(kernel, both, X).values(),
    ):
        with pytest.raises(ValueError, match=r"values of row 8 are not finite under .* Scale the"):
            refused()
    with pytest.raises(ValueError, match="values of row 108 are not finite"):
        kernel.cross(both, X, first_row=100)


def test_a_large_value_that_is_a_number_is_one() -> None:
    """The value of a row with itself overflows; nobody asks for it."""
    values = SQUARE.cross(X * 1e120, X)
    np.testing.assert_allclose(values, (1e120 * X @ X.T) ** 2, rtol=1e-12)
