"""Linear machines solved over their weights: the programs of all machines, by another road."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.svm import LinearSVC

from svsieve import machines
from svsieve.criteria.refined_weights import refined_weights
from svsieve.machines import (
    CSvm,
    DualProblem,
    L2Svm,
    LinearPrimal,
    LinearSolution,
    linear_descent,
    linear_newton,
    linear_slacks,
    linear_table,
)
from svsieve.machines.linear_descent import Descent, Rows
from svsieve.machines.linear_primal import has_wide_columns
from tests.oracles import numbers

MACHINES = [CSvm, L2Svm]
BIASES = [None, 1.5, 0.0]
SLACK = pytest.mark.parametrize("machine", MACHINES, ids=["linear slack", "squared slack"])
BIAS = pytest.mark.parametrize("bias", BIASES, ids=["free offset", "penalised", "no offset"])


def table(n: int = 300, d: int = 12, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Two overlapping classes; some entries are zero, some columns say nothing."""
    rng = np.random.default_rng([n, d, seed])
    X = rng.normal(size=(n, d))
    y = np.where(X[:, 0] - 0.7 * X[:, -1] + rng.normal(size=n) > 0.2, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return np.where(np.abs(X) < 0.2, 0.0, X) + 0.1, y


def by_rows(X, y, machine, bias, weights=None, tol=1e-11) -> tuple[np.ndarray, float, object]:
    """The weights, the offset and the solution of the dual program on the Gram matrix.

    Without a free offset there is no condition on the sum: one more row, all zero and without
    bounds, takes up any.
    """
    program = machine.problem(np.ones(len(y)), y, weights)
    if bias is None:
        solution = machines.solve(program, X @ X.T, tol=tol)
        return X.T @ solution.coefficients, solution.offset, solution
    wide = np.column_stack([X, np.full(len(X), bias)])
    wide = np.vstack([wide, np.zeros(wide.shape[1])])
    vectors = [(program.linear, 0), (program.lower, -np.inf), (program.upper, np.inf)]
    linear, lower, upper = (np.append(vector, end) for vector, end in vectors)
    free = DualProblem(linear, lower, upper, 0.0, np.append(program.ridge, 0.0))
    solution = machines.solve(free, wide @ wide.T, tol=tol)
    w = wide.T @ solution.coefficients
    return w[:-1], bias * w[-1], solution


def exact_gap(X, y, machine, bias, solution: LinearSolution, weights=None) -> float:
    """The KKT gap of the coefficients alone, in extended precision."""
    program = machine.problem(np.ones(len(y)), y, weights)
    b, rows = solution.coefficients.astype(np.longdouble), X.astype(np.longdouble)
    gradient = rows @ (rows.T @ b) + program.ridge * b - y
    if bias:
        gradient += np.longdouble(bias) ** 2 * b.sum()
    low = gradient[b > program.lower].max(initial=-np.inf)
    high = gradient[b < program.upper].min(initial=np.inf)
    if bias is not None:
        low, high = max(low, 0), min(high, 0)
    return float(low - high)


def floor(X, solution: LinearSolution) -> float:
    """What rounding of the sums behind a gradient can amount to."""
    largest = float((X**2).sum(axis=1).max())
    return 1e-14 * (1.0 + largest * float(np.abs(solution.coefficients).sum()))


def check(X, y, machine, bias, solution: LinearSolution, weights=None, tol=1e-8) -> None:
    """A solution is what it says: inside its bounds, balanced, consistent and optimal."""
    program = machine.problem(np.ones(len(y)), y, weights)
    b, noise = solution.coefficients, floor(X, solution)
    assert (b >= program.lower).all()
    assert (b <= program.upper).all()
    if bias is None:
        assert abs(b.sum()) <= 1e-13 * np.abs(b).sum()
    np.testing.assert_allclose(
        solution.values, X @ solution.weights + solution.offset, atol=1e-12 + noise
    )
    exact = exact_gap(X, y, machine, bias, solution, weights)
    assert exact <= solution.kkt_gap * (1 + 1e-9) + noise
    if solution.stopped == "converged":
        assert solution.kkt_gap <= tol
    else:
        assert solution.stopped == "precision-floor"
        assert solution.kkt_gap <= 100 * noise


class TestAgainstTheGramMatrix:
    @SLACK
    @BIAS
    @pytest.mark.parametrize("C", [1e-3, 1.0, 100.0])
    @pytest.mark.parametrize("form", ["dense", "csr"])
    def test_same_machine(self, machine, bias, C: float, form: str) -> None:
        X, y = table()
        data = sparse.csr_array(X) if form == "csr" else X
        solution = LinearPrimal(data, y, machine(C), bias=bias).solve(tol=1e-10)
        w, offset, expected = by_rows(X, y, machine(C), bias)
        np.testing.assert_allclose(solution.weights, w, atol=1e-8 * np.abs(w).max())
        assert solution.offset == pytest.approx(offset, abs=1e-8)
        assert solution.objective == pytest.approx(expected.objective, rel=1e-10)
        assert solution.stopped == "converged"
        check(X, y, machine(C), bias, solution, tol=1e-10)

    @SLACK
    @BIAS
    @pytest.mark.parametrize("C", [1e-4, 1e4])
    def test_extreme_penalties(self, machine, bias, C: float) -> None:
        X, y = table(120, 6, seed=1)
        solution = LinearPrimal(X, y, machine(C), bias=bias).solve()
        w, _, expected = by_rows(X, y, machine(C), bias)
        np.testing.assert_allclose(solution.weights, w, atol=1e-6 * np.abs(w).max())
        assert solution.objective == pytest.approx(expected.objective, rel=1e-8)
        check(X, y, machine(C), bias, solution)

    @pytest.mark.parametrize("balanced", [True, False])
    def test_all_coefficients_at_their_bounds(self, balanced: bool) -> None:
        """No row fixes the offset, or only rows of the larger class do."""
        X, y = table(40, 3, seed=2)
        y = np.where(np.arange(40) < (20 if balanced else 27), 1.0, -1.0)
        solution = LinearPrimal(X, y, CSvm(1e-5)).solve(tol=1e-12)
        w, offset, expected = by_rows(X, y, CSvm(1e-5), None)
        np.testing.assert_allclose(solution.weights, w, rtol=1e-7, atol=1e-11)
        assert solution.offset == pytest.approx(offset, abs=1e-9)
        assert solution.objective == pytest.approx(expected.objective, rel=1e-12)

    @SLACK
    def test_gap_means_what_it_means_there(self, machine) -> None:
        """Stopped early, the gap is that of the coefficients, by the definition of all machines."""
        X, y = table(200, 8, seed=3)
        solution = LinearPrimal(X, y, machine(1.0)).solve(max_iter=3)
        assert solution.stopped == "iteration-limit"
        assert solution.iterations == 3
        assert solution.kkt_gap > 1e-8
        again = LinearPrimal(X, y, machine(1.0))
        assert again.solve(max_iter=3).kkt_gap == solution.kkt_gap
        assert again.solve().stopped == "converged"


@pytest.mark.parametrize(
    ("machine", "w", "offset", "alpha"),
    [
        (
            L2Svm(2.0),
            [0.9129026790, 0.5203714773, 0.6847885238],
            0.06953154970,
            [1.285468316, 0.2450822085, 0, 0, 0.9799719875, 0.5505785375, 0, 0],
        ),
        (
            CSvm(2.0),
            None,
            -0.08313155771,
            [2.0, 0.2116914562, 0, 0, 1.634267266, 0.5774241900, 0, 0],
        ),
    ],
    ids=["squared slack", "linear slack"],
)
def test_fifty_digit_numbers(machine, w, offset: float, alpha: list[float]) -> None:
    solution = LinearPrimal(numbers.X, numbers.Y, machine).solve(tol=1e-11)
    np.testing.assert_allclose(solution.coefficients * numbers.Y, alpha, atol=1e-9)
    assert solution.offset == pytest.approx(offset, abs=1e-9)
    if w is not None:
        np.testing.assert_allclose(solution.weights, w, atol=1e-9)
    else:
        assert solution.weights @ solution.weights == pytest.approx(3.009339329, abs=1e-8)


@pytest.mark.parametrize("C", [0.01, 1.0, 30.0])
def test_liblinear(C: float) -> None:
    """What LinearSVC minimises: C sum xi^2, with the offset penalised as a column of ones."""
    X, y = table(400, 9, seed=4)
    expected = LinearSVC(C=C, dual=False, tol=1e-10, max_iter=100_000).fit(X, y)
    solution = LinearPrimal(X, y, L2Svm(2.0 * C), bias=1.0).solve()
    np.testing.assert_allclose(solution.weights, expected.coef_[0], rtol=1e-6, atol=1e-8)
    assert solution.offset == pytest.approx(expected.intercept_[0], abs=1e-6)


class TestDropping:
    @SLACK
    @BIAS
    @pytest.mark.parametrize("form", ["dense", "csr"])
    def test_warm_is_cold(self, machine, bias, form: str) -> None:
        """Down to one column: each solution is that of a machine that never had the others."""
        X, y = table(250, 9, seed=5)
        data = sparse.csr_array(X) if form == "csr" else X
        warm = LinearPrimal(data, y, machine(0.7), bias=bias)
        while True:
            solution, kept = warm.solve(tol=1e-10), warm.kept
            cold = LinearPrimal(X[:, kept], y, machine(0.7), bias=bias).solve(tol=1e-10)
            level = np.abs(cold.weights).max()
            np.testing.assert_allclose(solution.weights, cold.weights, atol=1e-8 * level)
            check(X[:, kept], y, machine(0.7), bias, solution, tol=1e-10)
            if len(kept) == 1:
                break
            warm.drop([kept[np.argmin(solution.weights**2)]])

    @SLACK
    def test_many_columns_at_once_and_twice_before_solving(self, machine) -> None:
        X, y = table(200, 30, seed=6)
        warm = LinearPrimal(X, y, machine(1.0), kept=np.arange(1, 30))
        warm.solve()
        warm.drop(np.arange(3, 20))
        warm.drop([29, 1])
        assert list(warm.kept) == [2, *range(20, 29)]
        cold = LinearPrimal(X, y, machine(1.0), kept=warm.kept)
        np.testing.assert_allclose(
            warm.solve(tol=1e-10).weights, cold.solve(tol=1e-10).weights, atol=1e-8
        )

    @SLACK
    def test_near_rows_are_enough(self, machine, monkeypatch: pytest.MonkeyPatch) -> None:
        """With so few rows near the margin, most that change are found by looking at all."""
        monkeypatch.setattr(linear_slacks, "LEAST_NEAR", 1)
        monkeypatch.setattr(linear_slacks, "NEAR", 0.01)
        X, y = table(2000, 10, seed=7)
        warm = LinearPrimal(X, y, machine(1.0))
        for column in (0, 4, 9):
            warm.solve()
            warm.drop([column])
        check(X[:, warm.kept], y, machine(1.0), None, warm.solve())

    def test_gradients_are_followed(self) -> None:
        """Steps and dropped columns change the gradient by what the Newton matrix says."""
        X, y = table(300, 12, seed=17)
        rows = Rows(y, np.ones(300), np.full(300, np.inf))
        working = linear_table.WorkingTable(X, np.arange(12), 1.0)
        descent = Descent(working, rows, np.ones(13), np.zeros(13))
        descent.begin(np.zeros(13), np.ones(300), np.zeros(300), 2.0)
        descent.descend(1e-9, 2)
        for places in ([0], [3, 7]):
            descent.drop(np.array(places))
            expected = descent.weights - descent.dual()
            np.testing.assert_allclose(descent.gradient, expected, atol=1e-10)
            np.testing.assert_allclose(descent.short, 1 - y * working.times(descent.weights))

    def test_shortfalls_are_taken_anew(self) -> None:
        """What rounding has left in them is gone, and the slopes and their weights follow."""
        X, y = table(300, 12, seed=17)
        rows = Rows(y, np.ones(300), np.full(300, np.inf))
        working = linear_table.WorkingTable(X, np.arange(12), 1.0)
        weights = np.linspace(-1.0, 1.0, 13)
        short = 1 - y * working.times(weights)
        descent = Descent(working, rows, np.ones(13), np.zeros(13))
        descent.begin(weights, short + 1e-3, np.zeros(300), 2.0)
        descent.refresh()
        slopes = np.maximum(2.0 * short, 0.0)
        np.testing.assert_allclose(descent.short, short, atol=1e-14)
        np.testing.assert_allclose(descent.slopes, slopes, atol=1e-14)
        np.testing.assert_allclose(descent.dual(), working.gathered(y * slopes), atol=1e-10)

    @pytest.mark.parametrize(("sigma", "iterates"), [(1e-3, True), (1e4, False)])
    def test_steps_leave_no_more_than_is_allowed(self, sigma: float, iterates: bool) -> None:
        """Conjugate gradients where they arrive in time; where not, they are not tried again."""
        X, _ = table(60, 100, seed=19)
        working = linear_table.WorkingTable(X, np.arange(100), 1.0)
        ridge, squares = np.ones(101), working.mean_squares()
        matrix = linear_newton.newton_matrix(working, np.ones(60), ridge, squares)
        matrix.move(np.arange(60), np.arange(0), np.ones(60, dtype=bool))
        gradient = np.random.default_rng(0).standard_normal(101)
        enough = 1e-2 * linear_newton.moves(gradient, squares)
        step, rest = matrix.step(gradient, sigma, enough)
        rows = np.column_stack([X, np.ones(60)])
        expected = gradient + step + sigma * (rows.T @ (rows @ step))
        np.testing.assert_allclose(rest, expected, atol=1e-9 * sigma + 1e-12)
        left = linear_newton.moves(rest, squares)
        assert left <= enough
        assert (left > 1e-6 * enough) == iterates
        assert matrix.state()["_iterates"] == iterates

    def test_a_factor_serves_while_few_rows_change(self, monkeypatch: pytest.MonkeyPatch) -> None:
        factorised, made = linear_newton._factorised, []

        def counted(matrix: np.ndarray, diagonal: np.ndarray) -> tuple[np.ndarray, bool]:
            made.append(len(matrix))
            return factorised(matrix, diagonal)

        monkeypatch.setattr(linear_newton, "_factorised", counted)
        monkeypatch.setattr(linear_newton, "PASS_COST", 0.5)  # up to five of 30 columns
        X, _ = table(200, 30, seed=21)
        working = linear_table.WorkingTable(X, np.arange(30), 1.0)
        squares = working.mean_squares()
        matrix = linear_newton.newton_matrix(working, np.ones(200), np.ones(31), squares)
        gradient = np.random.default_rng(0).standard_normal(31)
        active = np.arange(200) < 100

        def factors_of_a_step(entered: list[int], left: list[int]) -> int:
            active[entered], active[left] = True, False
            matrix.move(np.array(entered, dtype=int), np.array(left, dtype=int), active)
            before, d = len(made), working.width
            enough = 1e-9 * linear_newton.moves(gradient[:d], squares[:d])
            step, rest = matrix.step(gradient[:d], 0.7, enough)
            rows = working.rows(np.flatnonzero(active))
            expected = gradient[:d] + step + 0.7 * (rows.T @ (rows @ step))
            np.testing.assert_allclose(rest, expected, atol=1e-10)
            assert linear_newton.moves(rest, squares[:d]) <= enough
            return len(made) - before

        assert factors_of_a_step(list(range(100)), []) == 1
        assert factors_of_a_step([], []) == 0
        assert factors_of_a_step([120, 150], [3]) == 0
        assert factors_of_a_step([121, 151], [4]) == 1  # the fourth to the sixth
        working.drop(np.array([29]))
        matrix.drop(np.array([29]))
        assert factors_of_a_step([], []) == 1

    def test_rough_steps_lead_to_the_same_machine(self, monkeypatch: pytest.MonkeyPatch) -> None:
        X, y = table(80, 300, seed=20)
        found = []
        for rough in (0.0, 0.01, 0.5):
            monkeypatch.setattr(linear_descent, "ROUGH", rough)
            warm = LinearPrimal(X, y, L2Svm(1e-3), bias=1.0)
            warm.solve(1e-10)
            warm.drop(np.arange(0, 300, 7))
            found.append(warm.solve(1e-10))
            check(X[:, warm.kept], y, L2Svm(1e-3), 1.0, found[-1])
        for other in found[1:]:
            np.testing.assert_allclose(other.weights, found[0].weights, rtol=1e-8, atol=1e-12)

    def test_rows_left_out_are_looked_at(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(linear_slacks, "LEAST_NEAR", 1)
        monkeypatch.setattr(linear_slacks, "NEAR", 0.01)
        X, y = table(2000, 10, seed=7)
        rows = Rows(y, np.ones(2000), np.ones(2000))
        working = linear_table.WorkingTable(X, np.arange(10), 1.0)
        slack = linear_slacks.LinearSlack(working, rows, np.ones(11), 1.0)
        for _ in range(3):
            slack.improve(1e-8, 1000)
            assert (slack.short[slack.slopes == 0.0] <= 1e-8).all()
            assert (slack.short[slack.slopes == 1.0] >= -1e-8).all()
            slack.learn(working.gathered(y * slack.slopes))
            slack.drop(np.array([0]))

    def test_the_table_is_not_written_to(self) -> None:
        X, y = table(60, 8, seed=8)
        before = X.copy()
        X.flags.writeable = False
        machine = LinearPrimal(X, y, CSvm())
        machine.solve()
        machine.drop([0, 1, 2, 3])
        machine.solve()
        assert np.array_equal(X, before)

    def test_a_solution_stays_what_it_was(self) -> None:
        X, y = table(60, 8, seed=8)
        machine = LinearPrimal(X, y, CSvm())
        first = machine.solve()
        copies = first.weights.copy(), first.coefficients.copy(), first.values.copy()
        machine.drop([5])
        machine.solve()
        for now, then in zip(
            (first.weights, first.coefficients, first.values), copies, strict=True
        ):
            assert np.array_equal(now, then)


HARD = {
    "more columns than rows": lambda X, y: (X[:30], y[:30]),
    "two rows": lambda X, y: (X[:2], y[:2]),
    "twins": lambda X, y: (np.column_stack([X, X[:, :3]]), y),
    "zero and constant columns": lambda X, y: (
        np.column_stack([X, np.zeros(len(X)), np.full(len(X), 2.0)]),
        y,
    ),
    "nothing but constants": lambda X, y: (np.ones((len(X), 3)), y),
    "separable": lambda X, y: (np.column_stack([X, y + 0.1 * X[:, 1]]), y),
    "whole numbers": lambda X, y: (np.round(X), y),
    "same rows in both classes": lambda X, y: (np.vstack([X, X]), np.append(y, -y)),
    "far from the origin": lambda X, y: (X + 1e3, y),
    "unequal scales": lambda X, y: (X * 10.0 ** np.linspace(-4, 2, X.shape[1]), y),
    "one row of a class": lambda X, y: (X, np.where(np.arange(len(X)) == 7, 1.0, -1.0)),
}


class TestHardTables:
    @SLACK
    @BIAS
    @pytest.mark.parametrize("C", [1e-2, 10.0])
    @pytest.mark.parametrize("name", HARD)
    def test_optimal(self, name: str, machine, bias, C: float) -> None:
        X, y = HARD[name](*table(90, 40, seed=9))
        check(X, y, machine(C), bias, LinearPrimal(X, y, machine(C), bias=bias).solve())

    @SLACK
    @pytest.mark.parametrize("kind", ["over rows", "conjugate gradients"])
    @BIAS
    def test_other_newton_systems(self, kind, machine, bias, monkeypatch) -> None:
        """Tables too wide for a matrix over the columns, and how they become narrow enough."""
        monkeypatch.setattr(linear_newton, "MOST_COLUMNS", 6)
        monkeypatch.setattr(linear_newton, "MOST_ROWS", 1000 if kind == "over rows" else 3)
        X, y = table(150, 9, seed=10)
        warm = LinearPrimal(X, y, machine(1.0), bias=bias)
        for column in (3, 7, 1, 5, 2):
            check(X[:, warm.kept], y, machine(1.0), bias, warm.solve())
            warm.drop([column])
        check(X[:, warm.kept], y, machine(1.0), bias, warm.solve())

    @SLACK
    def test_rows_that_rounding_makes_dependent(self, machine, monkeypatch) -> None:
        """Twin rows so long that nothing is left of what tells them apart: a point is returned."""
        monkeypatch.setattr(linear_newton, "MOST_COLUMNS", 6)
        X, y = table(40, 50, seed=12)
        twins = 1e8 * np.repeat(X, 2, axis=0)
        solution = LinearPrimal(twins, np.repeat(y, 2), machine(1.0)).solve(max_iter=50)
        assert np.isfinite(solution.weights).all()

    @SLACK
    @pytest.mark.parametrize("form", ["dense", "csr"])
    def test_large_and_very_sparse_tables(self, form: str, machine, monkeypatch) -> None:
        """The products chosen for them are the same products."""
        X, y = table(200, 10, seed=11)
        X = np.where(np.random.default_rng(1).random(X.shape) < 0.95, 0.0, X)
        X[:, 0] = y * np.arange(200) / 100
        monkeypatch.setattr(linear_table, "BEYOND_CACHE", 0)
        monkeypatch.setattr(linear_table, "BLOCK_BYTES", 1000)
        monkeypatch.setattr(linear_table, "SPARSE_SHARE", 1.0)
        given = sparse.csr_array(X) if form == "csr" else X
        warm = LinearPrimal(given, y, machine(1.0))
        for columns in ([4], [8, 1]):
            check(X[:, warm.kept], y, machine(1.0), None, warm.solve())
            warm.drop(columns)
        check(X[:, warm.kept], y, machine(1.0), None, warm.solve())

    def test_twins_weigh_the_same(self) -> None:
        X, y = table(300, 5, seed=12)
        X = np.column_stack([X, X[:, 2]])
        for machine in (CSvm(1.0), L2Svm(1.0)):
            w = LinearPrimal(X, y, machine).solve().weights
            assert w[2] == pytest.approx(w[5], rel=1e-9)


class TestRowWeights:
    @SLACK
    @BIAS
    def test_weights_count_rows(self, machine, bias) -> None:
        X, y = table(80, 5, seed=13)
        counts = np.random.default_rng(3).integers(0, 4, size=80)
        counts[:2] = 1, 2
        given = LinearPrimal(X, y, machine(0.5), counts, bias=bias).solve(tol=1e-11)
        repeated = np.repeat(np.arange(80), counts)
        copies = LinearPrimal(X[repeated], y[repeated], machine(0.5), bias=bias).solve(tol=1e-11)
        np.testing.assert_allclose(given.weights, copies.weights, atol=1e-9)
        assert given.objective == pytest.approx(copies.objective, rel=1e-10)
        assert (given.coefficients[counts == 0] == 0).all()
        check(X, y, machine(0.5), bias, given, counts)

    @SLACK
    def test_unequal_weights(self, machine) -> None:
        X, y = table(150, 6, seed=14)
        weights = np.random.default_rng(4).lognormal(sigma=2.0, size=150)
        solution = LinearPrimal(X, y, machine(1.0), weights).solve(tol=1e-10)
        w, offset, _ = by_rows(X, y, machine(1.0), None, weights)
        np.testing.assert_allclose(solution.weights, w, atol=1e-8)
        assert solution.offset == pytest.approx(offset, abs=1e-8)


class TestInvariances:
    @given(
        st.integers(2, 40), st.integers(1, 6), st.integers(0, 10**6), st.sampled_from(MACHINES),
        st.sampled_from(BIASES), st.sampled_from([1e-3, 0.3, 50.0]),
    )  # fmt: skip
    def test_optimal_on_random_tables(self, n, d, seed, machine, bias, C) -> None:
        """Small whole numbers: equal rows, constant columns, margins met exactly."""
        rng = np.random.default_rng(seed)
        X, y = rng.integers(-2, 3, size=(n, d)).astype(float), rng.choice([-1.0, 1.0], n)
        y[:2] = 1.0, -1.0
        solution = LinearPrimal(X, y, machine(C), bias=bias).solve()
        check(X, y, machine(C), bias, solution)

    @SLACK
    @BIAS
    @given(seed=st.integers(0, 10**6))
    def test_order_of_rows_and_columns_and_swapped_labels(self, machine, bias, seed) -> None:
        X, y = table(50, 4, seed=seed)
        rng = np.random.default_rng(seed)
        rows, columns = rng.permutation(50), rng.permutation(4)
        first = LinearPrimal(X, y, machine(1.0), bias=bias).solve(tol=1e-10)
        second = LinearPrimal(X[rows][:, columns], -y[rows], machine(1.0), bias=bias)
        other = second.solve(tol=1e-10)
        level = np.abs(first.weights).max()
        np.testing.assert_allclose(other.weights, -first.weights[columns], atol=1e-8 * level)

    @SLACK
    def test_a_free_offset_takes_up_a_shift(self, machine) -> None:
        X, y = table(100, 4, seed=15)
        here = LinearPrimal(X, y, machine(1.0)).solve(tol=1e-10)
        there = LinearPrimal(X + 5.0, y, machine(1.0)).solve(tol=1e-10)
        np.testing.assert_allclose(there.weights, here.weights, atol=1e-8)
        assert there.offset == pytest.approx(here.offset - 5.0 * here.weights.sum(), abs=1e-7)

    @pytest.mark.parametrize("order", ["C", "F"])
    def test_memory_order_and_type(self, order: str) -> None:
        X, y = table(100, 4, seed=16)
        X = X.astype(np.float32)
        expected = LinearPrimal(X.astype(float), y, CSvm()).solve()
        actual = LinearPrimal(np.array(X, order=order), y, CSvm()).solve()
        assert np.array_equal(actual.weights, expected.weights)


class TestRefusals:
    X, y = table(20, 3)

    @pytest.mark.parametrize("bias", [-1.0, math.nan, math.inf])
    def test_bias(self, bias: float) -> None:
        with pytest.raises(ValueError, match="bias must be None or a finite number from 0 on"):
            LinearPrimal(self.X, self.y, CSvm(), bias=bias)

    def test_hard_margin(self) -> None:
        with pytest.raises(ValueError, match=r"finite C\. Got L2Svm\(C=inf\)"):
            LinearPrimal(self.X, self.y, L2Svm(C=math.inf))

    def test_one_class(self) -> None:
        with pytest.raises(ValueError, match="both classes"):
            LinearPrimal(self.X, np.ones(20), CSvm())

    def test_number_of_labels(self) -> None:
        with pytest.raises(ValueError, match="labels must have 20 entries"):
            LinearPrimal(self.X, self.y[:19], CSvm())

    def test_no_column(self) -> None:
        with pytest.raises(ValueError, match="kept must name a column"):
            LinearPrimal(self.X, self.y, CSvm(), kept=[])

    def test_squares_beyond_all_numbers(self) -> None:
        with pytest.raises(ValueError, match="squares of X must have a finite sum"):
            LinearPrimal(self.X * 1e200, self.y, CSvm())

    @pytest.mark.parametrize(
        ("columns", "message"),
        [
            ([1], "Got 1, which is gone"),
            ([3], "holds 3"),
            ([0, 0], "holds 0 twice"),
            ([0, 2], "must leave one. Got all 2"),
        ],
    )
    def test_dropping(self, columns: list[int], message: str) -> None:
        machine = LinearPrimal(self.X, self.y, CSvm())
        machine.drop([1])
        with pytest.raises(ValueError, match=message):
            machine.drop(columns)
        assert list(machine.kept) == [0, 2]

    @pytest.mark.parametrize("tol", [0.0, -1.0, math.nan])
    def test_tolerance(self, tol: float) -> None:
        with pytest.raises(ValueError, match="tol must be positive"):
            LinearPrimal(self.X, self.y, CSvm()).solve(tol=tol)

    @pytest.mark.parametrize("limit", [0, -2, 1.5])
    def test_iteration_limit(self, limit: float) -> None:
        with pytest.raises(ValueError, match="max_iter must be positive"):
            LinearPrimal(self.X, self.y, CSvm()).solve(max_iter=limit)


@BIAS
@pytest.mark.parametrize("factor", [2.0**20, 2.0**29])
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_a_column_far_wider_than_the_others(layout, factor: float, bias: float | None) -> None:
    """Its weight is as exact as that of any other, and is known to be."""
    X, y = table(200, 8)
    X[:, 3] *= factor
    solution = LinearPrimal(layout(X), y, L2Svm(1.0), bias=bias).solve(1e-10)
    assert solution.stopped == "converged"
    # A ridge of one on the weight of x f is a ridge of 1 / f^2 on that of x: as good as none here.
    ridge = np.ones(8)
    ridge[3] = factor**-2.0
    X[:, 3] /= factor
    short = np.maximum(1.0 - y * solution.values, 0.0)
    weights = solution.weights.copy()
    weights[3] *= factor
    np.testing.assert_allclose(ridge * weights, X.T @ (y * short), rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("factor", [2.0**20, 2.0**29])
def test_linear_slack_with_a_column_far_wider(factor: float) -> None:
    """Against twice the precision; the wide weight may be left out as no more than rounding."""
    X, y = table(300, 8)
    X[:, 3] *= factor
    machine = CSvm(1.0)
    solution = LinearPrimal(X, y, machine).solve(1e-10)
    assert solution.stopped == "converged"
    problem = machine.problem(np.ones(300), y)
    found, weights, *_ = refined_weights(X, np.arange(8), problem, solution.coefficients, 1e9)
    assert found
    others = np.delete(np.arange(8), 3)
    np.testing.assert_allclose(solution.weights[others], weights[others], rtol=1e-8, atol=1e-9)


def test_columns_wide_beyond_measure_are_left_as_they_are() -> None:
    X, y = table(60, 8)
    for factor, scaled in ((2.0**20, True), (2.0**34, False), (1.0, False)):
        assert has_wide_columns(X * np.r_[1.0, 1.0, factor, np.ones(5)]) == scaled
    wide = X * np.r_[1.0, 1.0, 2.0**34, np.ones(5)]
    assert LinearPrimal(wide, y, CSvm(1.0)).solve(1e-10).iterations < 1000
