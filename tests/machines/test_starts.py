"""Where a solver may begin: projections, rescaling, warm starts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from svsieve import kernels, machines
from svsieve.machines import DualProblem, feasible_start, rescale_start
from svsieve.machines.starts import outermost_start
from tests.machines.machine_cases import CASES, TIGHT, Case, cloud, gaussian, solved
from tests.reference import programs

X, Y = cloud()
K = gaussian(X)
EACH = pytest.mark.parametrize("case", CASES, ids=str)


def assert_feasible(problem: DualProblem, b: np.ndarray) -> None:
    assert b.dtype == np.float64
    assert (b >= problem.lower).all()
    assert (b <= problem.upper).all()
    assert b.sum() == pytest.approx(problem.total, abs=1e-13 * max(1, np.abs(b).sum()))


def box(lower, upper, total: float) -> DualProblem:
    n = len(lower)
    zeros = np.zeros(n)
    return DualProblem(zeros, np.array(lower, float), np.array(upper, float), total, zeros)


@EACH
def test_start_without_a_point(case: Case) -> None:
    problem = case.problem(K, Y)
    assert_feasible(problem, feasible_start(problem))


@EACH
@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_any_point_becomes_feasible(case: Case, size: float) -> None:
    problem = case.problem(K, Y)
    point = size * np.random.default_rng(6).normal(size=len(Y))
    start = feasible_start(problem, point)
    assert_feasible(problem, start)
    expected = programs.project(problem, point)
    np.testing.assert_allclose(start, expected, atol=1e-11 * max(1.0, size))


@EACH
def test_a_feasible_point_stays(case: Case) -> None:
    solution = solved(case, K, Y)
    again = feasible_start(case.problem(K, Y), solution.coefficients)
    scale = np.abs(solution.coefficients).max()
    np.testing.assert_allclose(again, solution.coefficients, atol=1e-14 * max(1, scale))


@st.composite
def projections(draw):
    n = draw(st.integers(1, 6))
    number = st.floats(-5, 5, allow_nan=False).map(lambda x: round(x, 3))
    ends = [sorted((draw(number), draw(number))) for _ in range(n)]
    lower, upper = np.array(ends).T
    share = draw(st.floats(0, 1))
    total = float((1 - share) * lower.sum() + share * upper.sum())
    point = np.array([2 * draw(number) for _ in range(n)])
    return box(lower, upper, total), point


@settings(max_examples=60, deadline=None)
@given(projections())
def test_nearest_point_by_its_optimality(case) -> None:
    # b is nearest iff point - b equals one number on rows strictly inside the box, is at least
    # that number at upper bounds and at most that number at lower bounds
    problem, point = case
    b = feasible_start(problem, point)
    assert (b >= problem.lower).all()
    assert (b <= problem.upper).all()
    assert abs(b.sum() - problem.total) <= 1e-12 * (1 + np.abs(b).sum())
    pull = point - b
    least = pull[b > problem.lower].min(initial=np.inf)
    most = pull[b < problem.upper].max(initial=-np.inf)
    assert most - least <= 1e-9


@pytest.mark.filterwarnings("ignore:Values in x were outside bounds:RuntimeWarning")  # SciPy 1.15
@pytest.mark.parametrize("seed", range(5))
def test_nearest_point_by_another_solver(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ends = np.sort(rng.normal(size=(2, 5)), axis=0)
    share = rng.uniform()
    problem = box(*ends, float((1 - share) * ends[0].sum() + share * ends[1].sum()))
    point = 2 * rng.normal(size=5)
    found = optimize.minimize(
        lambda b: ((b - point) ** 2).sum() / 2,
        ends.mean(axis=0),
        jac=lambda b: b - point,
        bounds=ends.T,
        constraints={"type": "eq", "fun": lambda b: b.sum() - problem.total},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 500},
    )
    np.testing.assert_allclose(feasible_start(problem, point), found.x, atol=1e-6)


@pytest.mark.parametrize(
    ("lower", "upper", "total"),
    [([0.0, 0.0], [0.3, 0.4], 1.0), ([0.0, 0.5], [1.0, 1.0], 0.2), ([-1.0], [-0.5], 0.0)],
)
def test_a_box_that_cannot_hold_the_total_is_refused(lower, upper, total: float) -> None:
    with pytest.raises(ValueError, match=r"(?i)total|sum|feasible"):
        feasible_start(box(lower, upper, total))


def test_a_box_that_holds_one_point_only() -> None:
    problem = box([0.0, 0.0, 0.0], [0.5, 0.3, 0.2], 1.0)
    np.testing.assert_allclose(feasible_start(problem, np.zeros(3)), [0.5, 0.3, 0.2], rtol=1e-15)


def test_start_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match=r"3.*2|2.*3"):
        feasible_start(box([0.0, 0.0], [1.0, 1.0], 1.0), np.zeros(3))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_start_that_is_not_finite_is_refused_by_row(bad: float) -> None:
    with pytest.raises(ValueError, match=r"start must be finite; row 1 is not\."):
        feasible_start(box([0.0, 0.0], [1.0, 1.0], 1.0), [0.5, bad])


class TestRescale:
    CASE = CASES[0]

    @pytest.mark.parametrize(("old", "new"), [(2.0, 0.5), (0.5, 2.0), (1.0, 1.0)])
    def test_rescaled_solution_is_feasible(self, old: float, new: float) -> None:
        solution = machines.solve(machines.CSvm(C=old).problem(np.diag(K), Y), K, tol=TIGHT)
        start = rescale_start(solution.coefficients, old, new)
        problem = machines.CSvm(C=new).problem(np.diag(K), Y)
        assert (start >= problem.lower).all()
        assert (start <= problem.upper).all()
        assert abs(start.sum()) <= 1e-14 * np.abs(start).sum()
        warm = machines.solve(problem, K, start=start, tol=TIGHT)
        cold = machines.solve(problem, K, tol=TIGHT)
        np.testing.assert_allclose(warm.coefficients, cold.coefficients, atol=1e-9)

    def test_shrinking_keeps_the_bounded_rows_bounded(self) -> None:
        solution = machines.solve(machines.CSvm(C=3.0).problem(np.diag(K), Y), K, tol=TIGHT)
        start = rescale_start(solution.coefficients, 3.0, 0.7)
        bounded = np.abs(solution.coefficients) == 3.0
        assert bounded.any()
        assert (np.abs(start[bounded]) == 0.7).all()


class TestWarmStart:
    @EACH
    def test_from_anywhere_to_the_same_solution(self, case: Case) -> None:
        problem = case.problem(K, Y)
        cold = solved(case, K, Y)
        scale = max(1.0, np.abs(cold.coefficients).max())
        rng = np.random.default_rng(7)
        for size in (0.01, 1.0):
            start = feasible_start(problem, size * rng.normal(size=len(Y)))
            warm = machines.solve(problem, K, start=start, tol=TIGHT)
            np.testing.assert_allclose(warm.coefficients, cold.coefficients, atol=1e-8 * scale)
            assert warm.offset == pytest.approx(cold.offset, abs=1e-8)

    @EACH
    def test_from_the_solution_almost_nothing_is_left_to_do(self, case: Case) -> None:
        cold = solved(case, K, Y, tol=1e-8)
        warm = solved(case, K, Y, tol=1e-8, start=cold.coefficients)
        assert warm.iterations <= max(2, cold.iterations // 10)
        assert warm.stopped == "converged"

    def test_the_start_is_not_written_to(self) -> None:
        problem = CASES[0].problem(K, Y)
        start = feasible_start(problem, np.random.default_rng(1).normal(size=len(Y)))
        before = start.copy()
        machines.solve(problem, K, start=start)
        assert np.array_equal(start, before)

    def test_an_infeasible_start_is_projected(self) -> None:
        problem = CASES[0].problem(K, Y)
        start = np.zeros(len(Y))
        start[4] = 100 * Y[4]
        warm = machines.solve(problem, K, start=start, tol=TIGHT)
        cold = machines.solve(problem, K, tol=TIGHT)
        np.testing.assert_allclose(warm.coefficients, cold.coefficients, atol=1e-8)

    @pytest.mark.parametrize("start", [np.zeros(len(Y) - 1), np.full(len(Y), np.nan)])
    def test_a_start_that_is_none_is_refused(self, start: np.ndarray) -> None:
        with pytest.raises(ValueError, match="start"):
            machines.solve(CASES[0].problem(K, Y), K, start=start)


@pytest.mark.parametrize(
    "machine",
    [
        machines.OneClass(nu=0.1),
        machines.Svdd(nu=0.3),
        machines.Svdd(C=1.0),
        machines.SquaredSvdd(1.0),
    ],
    ids=str,
)
@pytest.mark.parametrize("on_demand", [False, True])
def test_the_outermost_rows_lead_to_the_same_solution(machine, on_demand: bool) -> None:
    table = np.random.default_rng(7).normal(size=(300, 3))
    kernel = kernels.Rbf(gamma=0.3)
    values = kernels.row_source(kernel, table) if on_demand else kernel.gram(table)
    weights = np.where(np.arange(300) % 7 == 0, 0.0, 1.0)
    problem = machine.problem(np.ones(300), row_weights=weights)
    nearest = machines.solve(problem, values, start=feasible_start(problem), tol=1e-10)
    looked = machines.solve(problem, values, tol=1e-10)
    np.testing.assert_allclose(looked.coefficients, nearest.coefficients, atol=1e-7)
    assert (looked.coefficients[weights == 0] == 0).all()
    assert looked.iterations < nearest.iterations


def test_outermost_start_gives_the_least_gradients_all_they_may_have() -> None:
    problem = box([0.0] * 4 + [-1.0], [0.4, 0.4, 0.4, 0.4, 0.0], 1.0)
    start = outermost_start(problem, [3.0, 1.0, 2.0, 4.0, 0.0])
    np.testing.assert_allclose(start, [0.2, 0.4, 0.4, 0.0, 0.0], atol=1e-15)
    assert_feasible(problem, start)


@settings(deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 30), st.floats(0.02, 1.0))
def test_outermost_start_minimises_the_linear_program(seed: int, n: int, nu: float) -> None:
    gradient = np.random.default_rng(seed).normal(size=n)
    problem = machines.Svdd(nu=nu).problem(np.ones(n))
    start = outermost_start(problem, gradient)
    assert_feasible(problem, start)
    best = optimize.linprog(
        gradient,
        A_eq=np.ones((1, n)),
        b_eq=[1.0],
        bounds=list(zip(problem.lower, problem.upper, strict=True)),
    )
    assert gradient @ start == pytest.approx(best.fun, abs=1e-8)
