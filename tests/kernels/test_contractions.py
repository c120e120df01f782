"""The three contractions of every kernel against brute force and finite differences."""

from __future__ import annotations

import numpy as np
import pytest

from svsieve.kernels import KernelState, PairWeights, Rbf
from tests.kernels.kernel_cases import (
    EVERY_KERNEL,
    LEAVES,
    Case,
    as_given,
    relative_error,
    symmetric,
    table,
)
from tests.reference import kernels as naive

BRUTE_FORCE = 1e-10
DIFFERENCES = 1e-6
SMALLEST = 1e-300  # long double goes on below where double ends
ROWS, COLUMNS = 17, 5
FORMS = pytest.mark.parametrize("form", ["dense", "csr"])
EACH = pytest.mark.parametrize("case", EVERY_KERNEL, ids=str)


class Setting:
    """One kernel on one table, the library's state beside the naive kernel."""

    def __init__(self, case: Case, form: str, rows: int = ROWS, columns: int = COLUMNS) -> None:
        self.X = table(rows, columns, density=0.6 if form == "csr" else 1.0)
        self.kernel = case.naive(columns)
        self.state = KernelState(case.library(columns), as_given(self.X, form))
        self.M = symmetric(rows)
        self.weights = PairWeights.dense(self.M)


@FORMS
@EACH
def test_slopes(case: Case, form: str) -> None:
    at = Setting(case, form)
    slopes = at.state.contract_slopes(at.weights)
    brute = naive.contract_slopes(at.kernel, at.X, at.M)
    assert relative_error(slopes, brute) < BRUTE_FORCE
    differences = naive.difference_slopes(at.kernel, at.X, at.M)
    assert relative_error(slopes, differences) < DIFFERENCES


@FORMS
@EACH
def test_without(case: Case, form: str) -> None:
    at = Setting(case, form)
    brute = naive.contract_without(at.kernel, at.X, at.M)
    assert relative_error(at.state.contract_without(at.weights), brute) < BRUTE_FORCE


@FORMS
@EACH
def test_change_without(case: Case, form: str) -> None:
    at = Setting(case, form)
    X, M = at.X.astype(np.longdouble), at.M.astype(np.longdouble)
    brute = naive.contract_change(at.kernel, X, M)
    change = at.state.contract_without(at.weights, change=True)
    assert relative_error(change, brute) < BRUTE_FORCE


@FORMS
@EACH
def test_params(case: Case, form: str) -> None:
    at = Setting(case, form)
    slopes = at.state.contract_params(at.weights)
    brute = naive.contract_params(at.kernel, at.X, at.M)
    differences = naive.difference_params(at.kernel, at.X, at.M)
    assert set(slopes) == set(brute)
    for name, slope in slopes.items():
        assert isinstance(slope, float)
        assert slope == pytest.approx(brute[name], rel=BRUTE_FORCE, abs=1e-12), name
        assert slope == pytest.approx(differences[name], rel=DIFFERENCES, abs=1e-9), name


@pytest.mark.parametrize("columns", [1, 7, 8, 9, 31, 32, 33, 100])
@pytest.mark.parametrize("case", LEAVES, ids=str)
def test_odd_sizes(case: Case, columns: int) -> None:
    for rows in (1, 2, 3, 63, 64, 65, 130):
        at = Setting(case, "dense", rows, columns)
        brute = naive.contract_slopes(at.kernel, at.X, at.M)
        # a single row has no distance to itself: the slopes are then exactly zero
        assert relative_error(at.state.contract_slopes(at.weights), brute) < BRUTE_FORCE, rows
        brute = naive.contract_without(at.kernel, at.X, at.M)
        assert relative_error(at.state.contract_without(at.weights), brute) < BRUTE_FORCE, rows


@EACH
def test_pair_weights_on_some_rows(case: Case) -> None:
    at = Setting(case, "dense")
    rows = np.array([2, 3, 7, 11, 16])
    M = np.zeros((ROWS, ROWS))
    M[np.ix_(rows, rows)] = symmetric(5)
    few = PairWeights.dense(symmetric(5), rows=rows)
    for state_says, brute in (
        (at.state.contract_slopes(few), naive.contract_slopes(at.kernel, at.X, M)),
        (at.state.contract_without(few), naive.contract_without(at.kernel, at.X, M)),
    ):
        assert relative_error(state_says, brute) < BRUTE_FORCE


@EACH
def test_factored_weights_give_what_dense_ones_give(case: Case) -> None:
    # a library may have a shortcut for u u': it must not change the result
    at = Setting(case, "dense")
    rng = np.random.default_rng(3)
    u = rng.normal(size=ROWS) * (rng.uniform(size=ROWS) < 0.7)
    b = np.abs(rng.normal(size=ROWS))
    b /= b.sum()
    factored = 2.0 * PairWeights.outer(u, scale=-0.5) + PairWeights.covariance(b)
    dense = -np.outer(u, u) + np.diag(b) - np.outer(b, b)
    slopes = naive.contract_slopes(at.kernel, at.X, dense)
    without = naive.contract_without(at.kernel, at.X, dense)
    assert relative_error(at.state.contract_slopes(factored), slopes) < BRUTE_FORCE
    assert relative_error(at.state.contract_without(factored), without) < BRUTE_FORCE
    params = naive.contract_params(at.kernel, at.X, dense)
    assert at.state.contract_params(factored) == pytest.approx(params, rel=BRUTE_FORCE, abs=1e-12)


@pytest.mark.parametrize("case", LEAVES, ids=str)
def test_rank_one_shortcut(case: Case) -> None:
    at = Setting(case, "dense", rows=70, columns=9)
    u = np.random.default_rng(4).normal(size=70)
    brute = naive.contract_without(at.kernel, at.X, np.outer(u, u))
    assert relative_error(at.state.contract_without(PairWeights.outer(u)), brute) < BRUTE_FORCE
    brute = naive.contract_slopes(at.kernel, at.X, np.outer(u, u))
    assert relative_error(at.state.contract_slopes(PairWeights.outer(u)), brute) < BRUTE_FORCE


@pytest.mark.parametrize("case", LEAVES[:3], ids=str)
def test_euler_identity(case: Case) -> None:
    # scaling all columns at once is a change of gamma (linear: K is homogeneous of degree two)
    at = Setting(case, "dense", rows=40, columns=8)
    total = at.state.contract_slopes(at.weights).sum()
    params = at.state.contract_params(at.weights)
    by_scale = params.get("log_gamma", float((at.M * at.state.gram()).sum()))
    assert total == pytest.approx(2 * by_scale, rel=1e-12)


def test_no_weight_at_all_contracts_to_zero() -> None:
    for case in LEAVES:
        at = Setting(case, "dense")
        nothing = PairWeights.outer(np.zeros(ROWS))
        assert np.array_equal(at.state.contract_slopes(nothing), np.zeros(COLUMNS))
        assert np.array_equal(at.state.contract_without(nothing), np.zeros(COLUMNS))
        assert set(at.state.contract_params(nothing).values()) <= {0.0}


class TestAccuracyOfTheGaussianWithoutAColumn:
    """From nearly flat to nearly diagonal: gamma times the squared range of a column."""

    MANY_OR_FEW = pytest.mark.parametrize("rows", [90, 300])
    RANGES = pytest.mark.parametrize("reach", [0.01, 1.0, 4.0, 30.0, 1000.0])

    @staticmethod
    def change_of_entries(kernel: naive.Leaf, X: np.ndarray, j: int) -> np.ndarray:
        """K without column j minus K in long double, exact even where the column hardly counts."""
        exact = X.astype(np.longdouble)
        K, weight = naive.gram(kernel, exact), 1.0 if kernel.weights is None else kernel.weights[j]
        u = kernel.gamma * weight * (exact[:, j, None] - exact[None, :, j]) ** 2
        direct = naive.gram_without(kernel, exact, j) - K
        return np.where(u > 1, direct, K * np.expm1(np.minimum(u, 1)))

    @staticmethod
    def setting(reach: float, columns: int, rows: int = 90):
        rng = np.random.default_rng([columns, int(100 * reach)])
        X = rng.uniform(size=(rows, columns))
        X[0], X[1] = 0.0, 1.0  # the range of every column is exactly one
        u = rng.normal(size=rows)
        return X, u, naive.Leaf("rbf", gamma=reach)

    # many rows: by a series of matrix products where the columns are narrow enough
    @RANGES
    @pytest.mark.parametrize(
        ("columns", "rows"), [(1, 90), (2, 90), (7, 90), (20, 90), (1, 300), (9, 300)]
    )
    @pytest.mark.parametrize("change", [False, True])
    def test_against_long_double(self, reach: float, columns: int, rows: int, change: bool) -> None:
        X, u, kernel = self.setting(reach, columns, rows)
        state = KernelState(Rbf(gamma=reach), X)
        actual = state.contract_without(PairWeights.outer(u), change=change)
        M = np.outer(u, u).astype(np.longdouble)
        K = naive.gram(kernel, X.astype(np.longdouble))
        for j in range(columns):
            entries = M * (self.change_of_entries(kernel, X, j) + (0 if change else K))
            # each entry is relatively exact but for the rounding of its exponent
            allowed = (1e-12 + 1e-15 * reach * columns) * np.abs(entries).sum()
            assert abs(actual[j] - entries.sum()) <= allowed + SMALLEST

    @RANGES
    @MANY_OR_FEW
    def test_weighted_columns(self, reach: float, rows: int) -> None:
        X, u, _ = self.setting(reach, 6, rows)
        weights = (0.01, 1.0, 0.0, 3.0, 1e-6, 0.5)
        kernel = naive.Leaf("rbf", gamma=reach, weights=weights)
        state = KernelState(Rbf(gamma=reach, weights=weights), X)
        actual = state.contract_without(PairWeights.outer(u), change=True)
        M = np.outer(u, u).astype(np.longdouble)
        for j in range(6):
            entries = M * self.change_of_entries(kernel, X, j)
            allowed = (1e-11 + 5e-15 * reach) * np.abs(entries).sum()
            assert abs(actual[j] - entries.sum()) <= allowed + SMALLEST
        assert actual[2] == 0.0

    @RANGES
    @MANY_OR_FEW
    def test_narrow_columns_beside_wide_ones(self, reach: float, rows: int) -> None:
        # the way taken for the wide columns must not cost the narrow ones their digits
        X, u, kernel = self.setting(reach, 6, rows)
        X = X * np.array([1e-4, 1e-2, 1.0, 1.0, 0.1, 1e-6])
        actual = KernelState(Rbf(gamma=reach), X).contract_without(
            PairWeights.outer(u), change=True
        )
        for j in range(6):
            entries = np.outer(u, u) * self.change_of_entries(kernel, X, j)
            allowed = (1e-12 + 5e-15 * reach) * np.abs(entries).sum()
            assert abs(actual[j] - entries.sum()) <= allowed, f"column {j}"

    @MANY_OR_FEW
    def test_a_tiny_column_is_not_lost_in_rounding(self, rows: int) -> None:
        # its effect is 1e-18 of <M, K>: only a direct accumulation of the change can see it
        X, u, kernel = self.setting(1.0, 4, rows)
        X[:, 2] *= 1e-9
        state = KernelState(Rbf(gamma=1.0), X)
        actual = state.contract_without(PairWeights.outer(u), change=True)[2]
        distance = (X[:, 2, None] - X[None, :, 2]) ** 2
        expected = (np.outer(u, u) * naive.gram(kernel, X) * distance).sum()
        assert actual == pytest.approx(expected, rel=1e-10)

    @pytest.mark.parametrize("reach", [1e-4, 0.02, 0.3])
    @MANY_OR_FEW
    def test_columns_far_from_zero(self, reach: float, rows: int) -> None:
        # differences alone matter: a column may be moved to its mean
        X, u, kernel = self.setting(reach, 5, rows)
        X += np.array([0.0, 10.0, -300.0, 4096.0, 1e6])
        actual = KernelState(Rbf(gamma=reach), X).contract_without(
            PairWeights.outer(u), change=True
        )
        for j in range(5):
            entries = np.outer(u, u) * self.change_of_entries(kernel, X, j)
            assert abs(actual[j] - entries.sum()) <= 1e-12 * np.abs(entries).sum(), f"column {j}"

    @MANY_OR_FEW
    def test_constant_columns_change_nothing(self, rows: int) -> None:
        X, u, _ = self.setting(0.01, 5, rows)
        X[:, 1:4] = [0.1, 1e6 / 3, -7.0]
        actual = KernelState(Rbf(gamma=0.01), X).contract_without(PairWeights.outer(u), change=True)
        assert np.array_equal(actual == 0.0, [False, True, True, True, False])

    @pytest.mark.parametrize("gamma", [1e-3, 0.01, 0.1])
    @pytest.mark.parametrize("kind", ["binary", "rare", "whole numbers", "heavy tails"])
    def test_columns_of_few_values_and_heavy_tails(self, kind: str, gamma: float) -> None:
        # equal entries are rounded alike: errors of single precision would add up
        rng = np.random.default_rng(3)
        shape = (400, 12)
        X = {
            "binary": (rng.random(shape) < 0.4).astype(float),
            "rare": (rng.random(shape) < 0.01).astype(float),
            "whole numbers": np.round(rng.normal(size=shape)),
            "heavy tails": rng.standard_t(3, size=shape),
        }[kind]
        u, kernel = rng.choice([-1.0, 1.0], size=400), naive.Leaf("rbf", gamma=gamma)
        actual = KernelState(Rbf(gamma=gamma), X).contract_without(
            PairWeights.outer(u), change=True
        )
        for j in range(12):
            entries = np.outer(u, u) * self.change_of_entries(kernel, X, j)
            assert abs(actual[j] - entries.sum()) <= 1e-12 * np.abs(entries).sum(), f"column {j}"

    @pytest.mark.parametrize("gamma", [3e-6, 1e-3, 0.03])
    def test_sorted_rows_with_columns_of_few_values(self, gamma: float) -> None:
        # long runs of equal numbers, of one weight, are where rounding adds up most
        X = np.zeros((512, 4))
        X[:, 0] = np.repeat(np.arange(4), 128) / 3
        X[256:, 1] = X[153:, 2] = X[307:, 3] = 1.0
        kernel = naive.Leaf("rbf", gamma=gamma)
        actual = KernelState(Rbf(gamma=gamma), X).contract_without(
            PairWeights.outer(np.ones(512)), change=True
        )
        for j in range(4):
            entries = self.change_of_entries(kernel, X, j)
            assert abs(actual[j] - entries.sum()) <= 1e-11 * np.abs(entries).sum(), f"column {j}"

    def test_weights_near_the_end_of_the_range(self) -> None:
        # the sum overflows for none of the columns, but that of its magnitudes does for all
        X, u, kernel = self.setting(0.005, 5, 300)
        X *= 4.0
        actual = KernelState(Rbf(gamma=0.005), X).contract_without(
            PairWeights.outer(1e153 * np.sign(u)), change=True
        )
        for j in range(5):
            entries = np.outer(np.sign(u), np.sign(u)) * self.change_of_entries(kernel, X, j)
            error = abs(actual[j] / 1e153 / 1e153 - entries.sum())
            assert error <= 1e-11 * np.abs(entries).sum(), f"column {j}"

    @pytest.mark.parametrize("gamma", [0.01, 0.1, 0.5, 2.0])
    def test_columns_that_tell_clusters_apart(self, gamma: float) -> None:
        # pairs of rows that are alike count most and do not differ at all: what the others
        # contribute must keep its digits, however small
        rng = np.random.default_rng(4)
        X = rng.normal(size=(4, 8))[rng.integers(0, 4, size=400)] * 1.5
        u, kernel = rng.uniform(0.5, 1.0, size=400), naive.Leaf("rbf", gamma=gamma)
        actual = KernelState(Rbf(gamma=gamma), X).contract_without(
            PairWeights.outer(u), change=True
        )
        for j in range(8):
            entries = np.outer(u, u) * self.change_of_entries(kernel, X, j)
            allowed = (1e-12 + 1e-14 * gamma * 100) * np.abs(entries).sum()
            assert abs(actual[j] - entries.sum()) <= allowed, f"column {j}"

    def test_a_column_that_differs_where_there_is_no_weight(self) -> None:
        X, u, kernel = self.setting(0.01, 6, 400)
        X[:, 2] = 0.3
        X[:5, 2], u[:5] = 0.9, 1e-9
        actual = KernelState(Rbf(gamma=0.01), X).contract_without(PairWeights.outer(u), change=True)
        entries = np.outer(u, u) * self.change_of_entries(kernel, X, 2)
        assert abs(actual[2] - entries.sum()) <= 1e-12 * np.abs(entries).sum()


@pytest.mark.parametrize("case", [LEAVES[0], LEAVES[1]], ids=str)
def test_change_of_a_tiny_column_of_a_product_kernel(case: Case) -> None:
    rows = 60
    X = table(rows, 4)
    X[:, 2] *= 1e-9
    u = np.random.default_rng(5).normal(size=rows)
    state = KernelState(case.library(4), X)
    actual = state.contract_without(PairWeights.outer(u), change=True)[2]
    M = np.outer(u, u)
    # to first order in the square of the column, exact to 1e-18 here
    expected = -naive.contract_slopes(case.naive(4), X, M)[2] / 2
    assert actual == pytest.approx(expected, rel=1e-9)
