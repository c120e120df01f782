"""Columns left out of a polynomial kernel of many rows, by quadratic forms where that is safe."""

from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from svsieve.kernels import KernelState, PairWeights, Polynomial
from tests.kernels.test_contractions import BRUTE_FORCE

ROWS, COLUMNS = 1100, 80  # enough rows for the forms
DIGITS = 1024.0
KINDS = (
    "normal", "binary", "rare", "whole numbers", "heavy tails", "clusters", "binary clusters",
    "sorted", "moved",
)  # fmt: skip


def table(kind: str, rows: int = ROWS) -> np.ndarray:
    rng = np.random.default_rng(7)
    X = rng.normal(size=(rows, COLUMNS))
    centres = rng.choice([-1.0, 1.0], size=(rows, 1)) * rng.choice([-1.0, 1.0], size=COLUMNS)
    found = {
        "normal": X,
        "binary": np.sign(X),
        "rare": (X > 2.0).astype(float),
        "whole numbers": np.round(X),
        "heavy tails": rng.standard_t(3, size=X.shape),
        "clusters": 0.5 * X + centres,
        "binary clusters": np.sign(0.5 * X + centres) * 0.7,
        "sorted": np.sort(np.round(2.0 * X), axis=0),
        "moved": X + 1.0,
    }[kind]
    return np.round(found * DIGITS) / DIGITS


def weights(kind: str, X: np.ndarray) -> np.ndarray:
    sizes = np.random.default_rng(8).uniform(0.1, 1.0, size=len(X))
    signs = {"one sign": 1.0, "either": np.sign(sizes - 0.5), "by a column": np.sign(X[:, 0] - 0.1)}
    return sizes * signs[kind]


def power(base: np.ndarray, degree: int) -> np.ndarray:
    product = base
    for _ in range(degree - 1):
        product = product * base
    return product


class Exact:
    """The change of every pair of rows in long double."""

    def __init__(self, kernel: Polynomial, X: np.ndarray, b: np.ndarray) -> None:
        # entries of so few digits have inner products without any rounding
        assert np.array_equal(X, np.round(X * DIGITS) / DIGITS)
        assert np.abs(X).max() < 64
        self.kernel, self.X = kernel, X.astype(np.longdouble)
        self.weights = np.outer(b, b.astype(np.longdouble))
        self.base = kernel.gamma * (X @ X.T).astype(np.longdouble) + kernel.coef0
        self.whole = power(self.base, kernel.degree)

    def entries(self, j: int) -> np.ndarray:
        less = self.base - self.kernel.gamma * np.outer(self.X[:, j], self.X[:, j])
        return self.weights * (power(less, self.kernel.degree) - self.whole)

    def error(self, j: int, found: float) -> float:
        """Relative to the sum of magnitudes."""
        entries = self.entries(j)
        return float(abs(found - entries.sum()) / np.abs(entries).sum())


def change_without(kernel: Polynomial, X: np.ndarray, b: np.ndarray) -> np.ndarray:
    return KernelState(kernel, X).contract_without(PairWeights.outer(b), change=True)


@pytest.mark.parametrize("signs", ["one sign", "either", "by a column"])
@pytest.mark.parametrize("kind", KINDS)
def test_against_long_double(kind: str, signs: str) -> None:
    X = table(kind)
    kernel, b = Polynomial(degree=7, gamma=0.2 / COLUMNS, coef0=1.0), weights(signs, X)
    actual, exact = change_without(kernel, X, b), Exact(kernel, X, b)
    for j in (0, 17):
        assert exact.error(j, actual[j]) <= BRUTE_FORCE, f"column {j}"


@pytest.mark.parametrize("kind", ["normal", "binary clusters"])
@pytest.mark.parametrize("degree", [2, 3, 5, 12, 13])
@pytest.mark.parametrize(("gamma", "coef0"), [(1e-3, 1.0), (0.02, 2.0), (0.02, 0.0), (0.3, 0.5)])
def test_degrees_and_settings(kind: str, degree: int, gamma: float, coef0: float) -> None:
    # equal entries are rounded alike, and in clusters their errors do not average out
    X = table(kind)
    kernel, b = Polynomial(degree=degree, gamma=gamma, coef0=coef0), weights("one sign", X)
    assert Exact(kernel, X, b).error(3, change_without(kernel, X, b)[3]) <= BRUTE_FORCE


@pytest.mark.parametrize("degree", [2, 7])
@pytest.mark.parametrize("kinds", [2, 3, 10])
@pytest.mark.parametrize("entries", ["binary", "zero and one", "normal", "two sizes"])
def test_rows_of_few_kinds(entries: str, kinds: int, degree: int) -> None:
    # equal numbers would be rounded alike, and those much smaller than a sum be lost in it
    deviates = table("normal", kinds)
    rows = {
        "binary": np.sign(deviates),
        "zero and one": (deviates > 0.8).astype(float),
        "normal": deviates,
        "two sizes": np.where(deviates > 0.0, 1.0, 1.0 / DIGITS),
    }[entries]
    which = np.sort(np.random.default_rng(kinds).integers(kinds, size=2500))
    sizes = np.bincount(which, minlength=kinds).astype(float)
    for gamma in (0.01, 0.04, 0.1, 0.3):
        kernel = Polynomial(degree=degree, gamma=gamma / COLUMNS, coef0=1.0)
        actual = change_without(kernel, rows[which], np.ones(len(which)))
        exact = Exact(kernel, rows, sizes)
        # the tiniest change has no more digits in long double
        used = np.flatnonzero(np.abs(rows).max(axis=0) > 0.1)
        errors = [exact.error(j, actual[j]) for j in used]
        assert max(errors) <= BRUTE_FORCE, f"gamma {gamma}"


def test_few_rows_and_many_are_as_good() -> None:
    kernel = Polynomial(degree=7, gamma=1.0 / COLUMNS, coef0=1.0)
    for rows, allowed in ((1000, 1e-13), (1100, 1e-11)):  # tiles and forms
        X = table("normal", rows)
        b = weights("either", X)
        assert Exact(kernel, X, b).error(5, change_without(kernel, X, b)[5]) <= allowed


@pytest.mark.parametrize("rows", [300, 1100])
@pytest.mark.parametrize("degree", [2, 3, 5, 6])
def test_a_row_far_larger_than_all_others(rows: int, degree: int) -> None:
    # its pair with itself counts for nothing in the columns in which it is zero
    X = (table("normal", rows) > 1.6).astype(float)
    X[3] = 0.0
    X[3, 7] = 60.25
    X[:, 9] = 0.0
    kernel, b = Polynomial(degree=degree, gamma=1.0 / COLUMNS, coef0=1.0), weights("either", X)
    actual, exact = change_without(kernel, X, b), Exact(kernel, X, b)
    for j in (0, 7, 40):
        assert exact.error(j, actual[j]) <= BRUTE_FORCE, f"column {j}"


@pytest.mark.parametrize("degree", [2, 4])
def test_changes_that_cancel(degree: int) -> None:
    # a constant column takes the base from 0.5 to -0.5; forms would leave eleven digits
    X = np.round(3.0 * table("normal")) / DIGITS
    X[:, 5] = 1.0
    kernel, b = Polynomial(degree=degree, gamma=1.0, coef0=-0.5), weights("one sign", X)
    assert Exact(kernel, X, b).error(5, change_without(kernel, X, b)[5]) <= 1e-13


def test_columns_of_very_different_size() -> None:
    # each goes its own way: some need no form, some need several in double precision
    X = np.round(table("normal") * np.logspace(-2, 1, COLUMNS) * DIGITS) / DIGITS
    kernel, b = Polynomial(degree=5, gamma=0.001, coef0=1.0), weights("either", X)
    actual, exact = change_without(kernel, X, b), Exact(kernel, X, b)
    for j in (0, 20, 40, 60, 79):
        assert exact.error(j, actual[j]) <= BRUTE_FORCE, f"column {j}"


def test_equal_columns_get_equal_numbers() -> None:
    X = table("heavy tails")
    X[:, 50] = X[:, 71] = X[:, 2]
    kernel, b = Polynomial(degree=7, gamma=0.2 / COLUMNS, coef0=1.0), weights("either", X)
    actual = change_without(kernel, X, b)
    assert actual[2] == actual[50] == actual[71]


def test_threads_change_no_bit() -> None:
    X = table("normal")
    kernel, b = Polynomial(degree=7, gamma=1.0 / COLUMNS, coef0=1.0), weights("either", X)
    state = KernelState(kernel, X)
    with threadpool_limits(1):
        one = state.contract_without(PairWeights.outer(b))
    with threadpool_limits(2):
        two = state.contract_without(PairWeights.outer(b))
    assert np.array_equal(one, two)


def test_rows_without_weight_are_left_out() -> None:
    X = table("normal", 1300)
    kernel, b = Polynomial(degree=7, gamma=1.0 / COLUMNS, coef0=1.0), weights("either", X)
    b[::7] = 0.0
    used = b != 0.0
    actual = change_without(kernel, X, b)
    expected = change_without(kernel, X[used], b[used])
    assert np.abs(actual - expected).max() <= 1e-10 * np.abs(expected).max()


@pytest.mark.parametrize("size", [1e-120, 1e-160, 1e120])
def test_weights_near_the_ends_of_the_range(size: float) -> None:
    X = table("normal")
    kernel, b = Polynomial(degree=3, gamma=1.0 / COLUMNS, coef0=1.0), weights("either", X)
    plain, actual = change_without(kernel, X, b), change_without(kernel, X, size * b)
    expected = plain * size * size
    allowed = 1e-9 * np.abs(expected).max() + np.finfo(float).tiny
    assert np.abs(actual - expected).max() <= allowed
