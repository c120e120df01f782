"""Programs that once went wrong: odd scales, odd starts, outliers, shared row sources."""

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from svsieve.kernels import Linear, Rbf, row_source
from svsieve.machines import CSvm, DualProblem, EnclosingSphere, L2Svm, Svdd, feasible_start, solve


@pytest.fixture
def rng():
    return np.random.default_rng(6)


@pytest.mark.parametrize("scale", [1e-5, 1e-2, 1.0, 1e3])
def test_the_sphere_grows_with_the_rows(scale, rng):
    X = rng.normal(size=(40, 3))
    machine = EnclosingSphere()

    def radius(table):
        gram = Linear().gram(table)
        problem = machine.problem(np.diag(gram))
        solution = solve(problem, gram, tol=1e-10)
        assert solution.stopped == "converged"
        return machine.value(solution, problem)

    assert radius(scale * X) / scale**2 == pytest.approx(radius(X), rel=1e-8)


@pytest.mark.parametrize("machine", [CSvm(1.0), L2Svm(1.0)])
def test_the_place_of_an_outlier_does_not_matter(machine, rng):
    X, y = rng.normal(size=(300, 20)), np.where(np.arange(300) % 2, 1.0, -1.0)
    X[0] *= 1e4
    for order in (np.arange(300), np.arange(300)[::-1]):
        gram = Linear().gram(X[order])
        solution = solve(machine.problem(np.diag(gram), y[order]), gram, tol=1e-6)
        assert solution.stopped == "converged"


def test_a_row_source_may_be_shared_by_threads(rng):
    X, y = rng.normal(size=(150, 4)), np.where(np.arange(150) % 2, 1.0, -1.0)
    rows = row_source(Rbf(0.3), X, budget_bytes=20 * 150 * 8)
    problems = [CSvm(C).problem(rows.diagonal(), y) for C in (0.1, 1.0, 3.0, 10.0)]
    alone = [solve(p, Rbf(0.3).gram(X)).objective for p in problems]
    with ThreadPoolExecutor(4) as pool:
        together = [s.objective for s in pool.map(lambda p: solve(p, rows), problems)]
    np.testing.assert_allclose(together, alone, rtol=1e-9)


@pytest.mark.parametrize(("seed", "n_columns"), [(7, 12), (104, 5), (355, 4)])
def test_one_free_row_more_than_columns(seed, n_columns):
    """Their Gram matrix is singular, the system with the constraint on the sum is not."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(40, 12)), np.where(np.arange(40) % 2, 1.0, -1.0)
    X[:, :2] += (y > 0.0)[:, None]
    for order in (np.arange(40), rng.permutation(40)):
        table = X[order] - X[order][0]
        table -= table.mean(axis=0)
        gram = Linear().gram(table[:, 12 - n_columns :])
        solution = solve(CSvm(1.0).problem(np.diag(gram), y[order]), gram, tol=1e-12)
        assert solution.stopped == "converged"
        inside = (solution.coefficients != 0.0) & (np.abs(solution.coefficients) < 1.0)
        assert inside.sum() == n_columns + 1


def test_pinned_rows_have_a_finite_offset():
    ones = np.ones(3)
    solution = solve(DualProblem(ones, ones, ones, 3.0, 0 * ones), np.eye(3))
    assert solution.coefficients.tolist() == [1.0, 1.0, 1.0]
    assert np.isfinite(solution.offset)


@pytest.mark.parametrize("start", [[1e20, 1e20, 0.0, 0.0], [-1e15, 0.3, 1e15, 2.0]])
def test_a_start_may_come_from_far_away(start):
    problem = EnclosingSphere().problem(np.ones(4))
    point = feasible_start(problem, start)
    assert point.sum() == pytest.approx(1.0, abs=1e-12)
    assert (point >= 0).all()
    solve(problem, np.eye(4), start=start)


def test_zero_weights_under_an_infinite_penalty():
    weights = [1.0, 1.0, 0.0]
    upper = L2Svm(math.inf).problem(np.ones(3), [1, -1, 1], weights).upper
    assert upper.tolist() == [math.inf, 0.0, 0.0]
    assert Svdd(C=math.inf).problem(np.ones(3), row_weights=weights).upper[2] == 0.0


def test_an_inseparable_hard_margin_ends_without_polish(rng):
    X, y = rng.normal(size=(30, 2)), np.where(np.arange(30) % 2, 1.0, -1.0)
    gram = Linear().gram(X)
    problem = L2Svm(math.inf).problem(np.diag(gram), y)
    solution = solve(problem, gram, polish=False, max_iter=50_000)
    assert solution.stopped != "converged"
    assert solve(problem, gram).stopped == "unbounded"


def test_a_kernel_that_is_not_finite_is_refused():
    with pytest.raises(ValueError, match="finite"):
        solve(CSvm().problem(np.ones(3), [1, -1, 1]), np.full((3, 3), np.nan))


def test_a_broken_iteration_limit_is_refused():
    with pytest.raises(ValueError, match="max_iter"):
        solve(CSvm().problem(np.ones(2), [1, -1]), np.eye(2), max_iter=2.5)
