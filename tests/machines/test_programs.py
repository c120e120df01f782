"""Each machine states the program of its formula, and its solution is the reference's."""

from __future__ import annotations

import numpy as np
import pytest

from svsieve import machines
from tests.machines.machine_cases import (
    CASES,
    NU,
    Case,
    cloud,
    cubic,
    gaussian,
    solved,
    true_gap,
)
from tests.reference import programs

EACH = pytest.mark.parametrize("case", CASES, ids=str)
X, Y = cloud()
MATRICES = {"gaussian": gaussian(X), "cubic": cubic(X), "wide linear": None}
WIDE = cloud(40, 90, seed=1)[0]
MATRICES["wide linear"] = WIDE @ WIDE.T


@EACH
def test_program(case: Case) -> None:
    K = MATRICES["cubic"]
    problem, expected = case.problem(K, Y), case.program(np.diag(K), Y)
    for name in ("linear", "lower", "upper", "ridge"):
        actual = getattr(problem, name)
        assert actual.dtype == np.float64
        np.testing.assert_allclose(actual, getattr(expected, name), rtol=1e-15, err_msg=name)
    assert problem.total == expected.total


def test_gap_units() -> None:
    K, n = MATRICES["gaussian"], len(X)
    diagonal = np.diag(K)
    assert machines.CSvm(C=2.0).problem(diagonal, Y).gap_unit == 1.0
    assert machines.OneClass(nu=NU).problem(diagonal).gap_unit == pytest.approx(NU * n)
    assert machines.Svdd(nu=NU).problem(diagonal).gap_unit == pytest.approx(NU * n)


@EACH
@pytest.mark.parametrize("matrix", MATRICES)
def test_solution_is_the_reference_solution(case: Case, matrix: str) -> None:
    K = MATRICES[matrix]
    problem, solution = case.problem(K, Y), solved(case, K, Y)
    reference = programs.refine(K, problem)
    exact = programs.certificate(K, problem, reference)
    assert solution.stopped in ("converged", "precision-floor")
    scale = max(1.0, np.abs(reference).max())
    # the coefficients are unique here: every matrix is positive definite on 40 rows but the cubic,
    # whose decision values are compared instead
    if matrix != "cubic":
        np.testing.assert_allclose(solution.coefficients, reference, atol=1e-8 * scale)
    level = np.abs(exact.gradient).max()
    np.testing.assert_allclose(solution.gradient, exact.gradient, atol=1e-9 * level)
    assert solution.offset == pytest.approx(-exact.multiplier, abs=1e-9 * level)
    assert solution.objective == pytest.approx(exact.objective, rel=1e-11, abs=1e-13)


@EACH
@pytest.mark.parametrize("tol", [1e-2, 1e-5, 1e-9])
def test_what_the_solution_says_of_itself_is_true(case: Case, tol: float) -> None:
    K = MATRICES["gaussian"]
    problem, solution = case.problem(K, Y), solved(case, K, Y, tol=tol)
    exact = programs.certificate(K, problem, solution.coefficients)
    assert exact.bound_error == 0
    assert exact.sum_error <= 1e-13 * max(1, np.abs(solution.coefficients).sum())
    assert solution.stopped == "converged"
    assert solution.kkt_gap <= tol
    assert true_gap(K, problem, solution) <= tol + 1e-12
    assert max(solution.kkt_gap, 0) == pytest.approx(
        max(true_gap(K, problem, solution), 0), abs=1e-11
    )
    np.testing.assert_allclose(solution.gradient, exact.gradient, atol=1e-11)
    assert solution.objective == pytest.approx(exact.objective, rel=1e-11)
    low, high = sorted(exact.interval)
    assert low - 1e-11 <= -solution.offset <= high + 1e-11
    assert solution.iterations > 0


def test_offset_is_the_middle_of_the_interval_without_free_rows() -> None:
    # two rows, both at the bound: every offset between the two kinks is optimal
    K = np.array([[4.0, 0.0], [0.0, 1.0]])
    problem = machines.CSvm(C=0.05).problem(np.diag(K), np.array([1, -1]))
    solution = machines.solve(problem, K, tol=1e-12)
    np.testing.assert_array_equal(solution.coefficients, [0.05, -0.05])
    gradient = np.array([4 * 0.05 - 1, -0.05 + 1])
    np.testing.assert_allclose(solution.gradient, gradient, rtol=1e-15)
    assert solution.offset == pytest.approx(-gradient.mean(), abs=1e-15)


def test_two_rows_by_hand() -> None:
    # b = (t, -t): the objective t^2 - 2 t is least at t = 1 for K = I
    K = np.eye(2)
    y = np.array([1, -1])
    solution = machines.solve(machines.CSvm(C=10.0).problem(np.ones(2), y), K)
    np.testing.assert_allclose(solution.coefficients, [1, -1], rtol=1e-14)
    assert solution.objective == pytest.approx(-1, rel=1e-14)
    assert solution.offset == pytest.approx(0, abs=1e-14)


def test_one_row_machines() -> None:
    K = np.array([[2.5]])
    for machine in (machines.OneClass(nu=1.0), machines.Svdd(C=1.0), machines.EnclosingSphere()):
        problem = machine.problem(np.array([2.5]))
        solution = machines.solve(problem, K)
        np.testing.assert_array_equal(solution.coefficients, [1.0])
        assert solution.stopped == "converged"
        assert np.isfinite(solution.offset)
    assert machines.squared_radius(solution, problem) == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize(("C", "unit"), [(0.05, 20.0), (0.2, 5.0), (1.0, 1.0), (5.0, 1.0)])
@pytest.mark.parametrize("size", [1.0, 4.0])
def test_gaps_of_descriptions_are_in_units_of_the_largest_square_and_of_the_rows(C, unit, size):
    """A row has about 1 / C of the weight, and no more than all rows have: n / 1."""
    own, labels = np.linspace(0.5, size, 20), np.ones(20)
    unit /= size
    assert machines.Svdd(C=C).problem(own).gap_unit == pytest.approx(unit)
    targets = machines.NegativeSvdd(C_target=C, C_outlier=3.0)
    assert targets.problem(own, labels).gap_unit == pytest.approx(unit)
    shared = machines.NegativeSvdd(nu=1.0 / (20.0 * C) if C < 1 else 0.05, C_outlier=3.0)
    assert shared.problem(own, labels).gap_unit == pytest.approx(unit)
    assert machines.SquaredSvdd(C=C).problem(own, labels).gap_unit == pytest.approx(1.0 / size)
    # Weights add up to more than the rows there are.
    heavy = machines.Svdd(C=0.01).problem(own, row_weights=np.full(20, 6.0))
    assert heavy.gap_unit == pytest.approx(20.0 / size)
