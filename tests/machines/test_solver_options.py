"""Iteration limits, shrinking, threads and row sources change the way, not the solution."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from threadpoolctl import threadpool_limits

from svsieve import kernels, machines
from svsieve.kernels import row_source
from tests.kernels.kernel_cases import Cauchy
from tests.machines.machine_cases import CASES, Case, cloud, cubic, gaussian, solved, true_gap
from tests.reference import programs

X, Y = cloud(90, 6, seed=9)
EACH = pytest.mark.parametrize("case", CASES, ids=str)


@EACH
@pytest.mark.parametrize("limit", [1, 3])
def test_iteration_limit_is_reported(case: Case, limit: int) -> None:
    K = gaussian(X)
    problem, solution = case.problem(K, Y), solved(case, K, Y, max_iter=limit)
    assert solution.stopped == "iteration-limit"
    assert solution.iterations == limit
    exact = programs.certificate(K, problem, solution.coefficients)
    assert solution.kkt_gap == pytest.approx(true_gap(K, problem, solution), rel=1e-9)
    assert exact.bound_error == 0
    assert exact.sum_error < 1e-13


@EACH
@pytest.mark.parametrize("matrix", [gaussian, cubic])
def test_shrinking_does_not_change_the_solution(case: Case, matrix) -> None:
    K = matrix(X)
    on, off = (solved(case, K, Y, tol=1e-11, shrinking=flag) for flag in (True, False))
    level = np.abs(off.gradient).max()
    np.testing.assert_allclose(on.gradient, off.gradient, atol=1e-8 * level)
    assert on.objective == pytest.approx(off.objective, rel=1e-10)


def test_shrinking_on_a_problem_where_it_happens() -> None:
    rng = np.random.default_rng(11)
    X = rng.normal(size=(500, 2))
    y = np.where(X[:, 0] + 0.8 * rng.normal(size=500) > 0, 1, -1)
    K = X @ X.T
    problem = machines.CSvm(C=10.0).problem(np.diag(K), y)
    on, off = (machines.solve(problem, K, tol=1e-10, shrinking=flag) for flag in (True, False))
    for solution in (on, off):
        assert programs.certificate(K, problem, solution.coefficients).gap <= 2e-10
    np.testing.assert_allclose(on.gradient, off.gradient, atol=1e-7)


@pytest.mark.parametrize("tol", [1e-3, 1e-9])
def test_threads_do_not_change_the_solution(tol: float) -> None:
    K = cubic(X)
    solutions = []
    for threads in (1, 2):
        with threadpool_limits(limits=threads):
            solutions.append(solved(CASES[0], K, Y, tol=tol))
    one, two = solutions
    assert np.array_equal(one.coefficients, two.coefficients)
    assert one.offset == two.offset
    assert one.iterations == two.iterations


KERNELS = [
    kernels.Linear(),
    kernels.Polynomial(degree=3, gamma=0.3, coef0=1.0),
    kernels.Rbf(gamma=0.2),
    kernels.Laplace(gamma=0.2),
    kernels.Rbf(gamma=0.2, weights=(1.0, 0.5, 0.0, 2.0, 1.0, 0.1)),
    kernels.Normalised(kernels.Polynomial(degree=2, gamma=0.3, coef0=1.0)),
    0.5 * kernels.Linear() + kernels.Rbf(gamma=0.3) * kernels.Laplace(gamma=0.1),
]
ROW = 8 * len(X)


class TestRowSources:
    @pytest.mark.parametrize("budget", [0, 2 * ROW, 10 * ROW, 10**9], ids="{:d} bytes".format)
    @pytest.mark.parametrize("form", ["dense", "csr"])
    @pytest.mark.parametrize("kernel", KERNELS, ids=str)
    def test_any_budget_gives_the_solution_of_the_whole_matrix(
        self, kernel, form: str, budget: int
    ) -> None:
        data = np.where(np.abs(X) < 0.3, 0, X)
        K = kernel.gram(data)
        problem = machines.CSvm(C=1.0).problem(np.diag(K), Y)
        whole = machines.solve(problem, K, tol=1e-10)
        given = sparse.csr_array(data) if form == "csr" else data
        rows = row_source(kernel, given, budget_bytes=budget)
        some = machines.solve(problem, rows, tol=1e-10)
        assert some.stopped == whole.stopped
        level = np.abs(whole.gradient).max()
        np.testing.assert_allclose(some.gradient, whole.gradient, atol=1e-8 * level)
        assert some.objective == pytest.approx(whole.objective, rel=1e-10)
        assert some.offset == pytest.approx(whole.offset, abs=1e-8 * level)
        exact = programs.certificate(K, problem, some.coefficients)
        floor = 1e-14 * np.abs(some.coefficients).sum() * np.diag(K).max()
        assert exact.gap <= max(2e-10, 10 * floor)

    @EACH
    def test_every_machine_on_cached_rows(self, case: Case) -> None:
        kernel = kernels.Rbf(gamma=0.3)
        K = kernel.gram(X)
        problem = case.problem(K, Y)
        whole = machines.solve(problem, K, tol=1e-10)
        some = machines.solve(problem, row_source(kernel, X, budget_bytes=5 * ROW), tol=1e-10)
        np.testing.assert_allclose(some.gradient, whole.gradient, atol=1e-8)
        assert some.objective == pytest.approx(whole.objective, rel=1e-9)

    def test_a_source_can_be_used_again(self) -> None:
        kernel = kernels.Rbf(gamma=0.3)
        rows = row_source(kernel, X, budget_bytes=5 * ROW)
        problem = machines.CSvm(C=1.0).problem(np.ones(len(X)), Y)
        first = machines.solve(problem, rows, tol=1e-9)
        second = machines.solve(problem, rows, tol=1e-9)
        np.testing.assert_allclose(first.coefficients, second.coefficients, atol=1e-8)

    def test_a_users_own_kernel_has_no_rows_on_demand(self) -> None:
        # no Python runs inside the solver: such a kernel needs its whole matrix
        with pytest.raises(ValueError, match="Cauchy"):
            row_source(Cauchy(gamma=0.3), X, budget_bytes=10**6)

    def test_an_unbound_gamma_is_refused(self) -> None:
        with pytest.raises(ValueError, match="gamma"):
            row_source(kernels.Rbf(gamma="scale"), X, budget_bytes=10**6)


def test_the_matrix_is_not_written_to() -> None:
    K = gaussian(X)
    before = K.copy()
    K.flags.writeable = False
    solved(CASES[1], K, Y)
    assert np.array_equal(K, before)


@pytest.mark.parametrize("order", ["C", "F"])
def test_memory_order_of_the_matrix(order: str) -> None:
    K = gaussian(X)
    expected = solved(CASES[0], K, Y)
    actual = machines.solve(CASES[0].problem(K, Y), np.array(K, order=order), tol=1e-12)
    assert np.array_equal(actual.coefficients, expected.coefficients)


class TestSideProblems:
    """Problems on rows of one matrix are solved in the bits of those on a copy of their rows."""

    @EACH
    @pytest.mark.parametrize("tol", [1e-3, 1e-12])
    def test_every_machine(self, case: Case, tol: float) -> None:
        K = gaussian(np.vstack([X[::-1], X + 0.5]))
        picked = np.random.default_rng(4).permutation(len(K))[:90]
        inner = np.ascontiguousarray(K[np.ix_(picked, picked)])
        problem = case.problem(inner, Y)
        start = machines.feasible_start(problem)
        expected = machines.solve(problem, inner, start=start, tol=tol)
        (actual,) = machines.solve_each(problem, K, picked, [90], tol=tol)
        self.same(actual, expected)

    def test_one_after_the_other(self) -> None:
        """Also large ones, where rows are left out for a while, and tolerances of their own."""
        rng = np.random.default_rng(11)
        X = rng.normal(size=(700, 2))
        y = np.where(X[:, 0] + 0.8 * rng.normal(size=700) > 0, 1, -1)
        K, machine = X @ X.T, machines.CSvm(C=10.0)
        parts = [rng.permutation(700)[:size] for size in (500, 7, 120)]
        rows, tolerances = np.concatenate(parts), [1e-10, 1e-3, 1e-6]
        joined = machine.problem(K.diagonal()[rows], y[rows])
        found = machines.solve_each(joined, K, rows, [500, 7, 120], tol=tolerances)
        for actual, part, tol in zip(found, parts, tolerances, strict=True):
            inner = np.ascontiguousarray(K[np.ix_(part, part)])
            problem = machine.problem(np.diag(inner), y[part])
            self.same(actual, machines.solve(problem, inner, tol=tol))

    @staticmethod
    def same(actual: machines.DualSolution, expected: machines.DualSolution) -> None:
        assert np.array_equal(actual.coefficients, expected.coefficients)
        assert np.array_equal(actual.gradient, expected.gradient)
        for name in ("offset", "objective", "kkt_gap", "iterations", "stopped"):
            assert getattr(actual, name) == getattr(expected, name)

    @pytest.mark.parametrize(
        ("changed", "named"),
        [
            ({"rows": [0, 90]}, "rows"),
            ({"rows": [-1, 3]}, "rows"),
            ({"rows": [0.5, 1.0]}, "rows"),
            ({"rows": [0, 1, 2]}, "3 rows"),
            ({"counts": [1]}, "1 coefficients"),
            ({"tol": 0.0}, "tol"),
            ({"max_iter": 0}, "max_iter"),
            ({"gram": np.full((90, 90), np.inf)}, "finite"),
        ],
    )
    def test_bad_input(self, changed, named: str) -> None:
        problem = machines.CSvm(1.0).problem([1.0, 1.0], [-1, 1])
        good = {"gram": gaussian(X), "rows": [0, 1], "counts": [2]}
        with pytest.raises(ValueError, match=named):
            machines.solve_each(problem, **(good | changed))


def test_a_matrix_of_another_size_is_refused() -> None:
    problem = CASES[0].problem(gaussian(X), Y)
    with pytest.raises(ValueError, match=r"(?=.*90)(?=.*89)"):
        machines.solve(problem, gaussian(X)[:89, :89])


@pytest.mark.parametrize("tol", [0.0, -1.0, np.nan])
def test_bad_tolerance_is_refused(tol: float) -> None:
    with pytest.raises(ValueError, match="tol"):
        solved(CASES[0], gaussian(X), Y, tol=tol)


@pytest.mark.parametrize("limit", [0, -2])
def test_bad_iteration_limit_is_refused(limit: int) -> None:
    with pytest.raises(ValueError, match="max_iter"):
        solved(CASES[0], gaussian(X), Y, max_iter=limit)
