"""What theory says of every solution: values, slacks, radii."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from svsieve import machines
from tests.machines.machine_cases import BY_NAME, CASES, Case, cloud, cubic, gaussian, solved

X, Y = cloud()
MATRICES = pytest.mark.parametrize("K", [gaussian(X), cubic(X)], ids=["gaussian", "cubic"])
close = pytest.approx


class Solved:
    def __init__(self, name: str, K: np.ndarray) -> None:
        case = BY_NAME[name]
        self.K, self.machine = K, case.machine
        self.problem, self.solution = case.problem(K, Y), solved(case, K, Y)
        self.b, self.offset = self.solution.coefficients, self.solution.offset
        self.value = case.machine.value(self.solution, self.problem)
        self.norm = self.b @ K @ self.b


@MATRICES
def test_c_svm_value_is_norm_and_twice_the_slack(K: np.ndarray) -> None:
    at = Solved("c-svm", K)
    slack = np.maximum(0, 1 - Y * (K @ at.b + at.offset))
    assert at.value == close(at.norm + 2 * at.machine.C * slack.sum(), rel=1e-9)
    assert at.value == close(2 * np.abs(at.b).sum() - at.norm, rel=1e-10)
    assert at.value == close(-2 * at.solution.objective, rel=1e-14)


@MATRICES
def test_l2_svm_value_is_the_ridged_norm(K: np.ndarray) -> None:
    at = Solved("l2-svm", K)
    ridge = 1 / at.machine.C
    assert at.value == close(np.abs(at.b).sum(), rel=1e-9)
    assert at.value == close(at.norm + ridge * at.b @ at.b, rel=1e-9)
    slack = np.maximum(0, 1 - Y * (K @ at.b + at.offset))
    np.testing.assert_allclose(slack, ridge * np.abs(at.b), atol=1e-9)
    # primal value 1/2 |w|^2 + C/2 sum xi^2
    primal = at.norm / 2 + at.machine.C / 2 * (slack @ slack)
    assert at.value == close(2 * primal, rel=1e-9)


@MATRICES
def test_hard_margin_rows_are_outside_the_margin(K: np.ndarray) -> None:
    at = Solved("hard margin", K)
    margins = Y * (K @ at.b + at.offset)
    assert margins.min() > 1 - 1e-8
    np.testing.assert_allclose(margins[at.b != 0], 1, atol=1e-8)
    assert at.value == close(at.norm, rel=1e-8)
    assert at.value == close(np.abs(at.b).sum(), rel=1e-8)


@MATRICES
def test_one_class_value(K: np.ndarray) -> None:
    at = Solved("one-class", K)
    rho = -at.offset
    slack = np.maximum(0, rho - K @ at.b)
    bound = at.problem.upper[0]
    assert rho - bound * slack.sum() == close(at.norm, rel=1e-9)
    assert at.value == close(at.norm / 2, rel=1e-12)


def distances(K: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Squared distances of the rows from the centre sum_k b_k phi(x_k)."""
    return np.diag(K) - 2 * K @ b + b @ K @ b


@MATRICES
@pytest.mark.parametrize("name", ["svdd by C", "svdd by nu"])
def test_svdd_value_is_radius_and_slack(K: np.ndarray, name: str) -> None:
    at = Solved(name, K)
    radius = machines.squared_radius(at.solution, at.problem)
    slack = np.maximum(0, distances(K, at.b) - radius)
    assert at.value == close(radius + at.problem.upper[0] * slack.sum(), rel=1e-9)
    free = (at.b > 0) & (at.b < at.problem.upper)
    np.testing.assert_allclose(distances(K, at.b)[free], radius, rtol=1e-8)


@MATRICES
def test_sphere_holds_all_rows(K: np.ndarray) -> None:
    at = Solved("sphere", K)
    radius = machines.squared_radius(at.solution, at.problem)
    assert at.value == close(radius, rel=1e-9)
    assert distances(K, at.b).max() <= radius * (1 + 1e-9)
    np.testing.assert_allclose(distances(K, at.b)[at.b > 0], radius, rtol=1e-8)


@MATRICES
def test_ridged_sphere_is_the_sphere_of_the_ridged_matrix(K: np.ndarray) -> None:
    at = Solved("ridged sphere", K)
    ridged = K + at.machine.ridge * np.eye(len(K))
    radius = machines.squared_radius(at.solution, at.problem)
    assert at.value == close(radius, rel=1e-9)
    assert distances(ridged, at.b).max() <= radius * (1 + 1e-9)
    plain = Solved("sphere", ridged)
    np.testing.assert_allclose(at.b, plain.b, atol=1e-9)
    assert at.value == close(plain.value, rel=1e-10)


@MATRICES
def test_negative_svdd_value_is_radius_and_slack(K: np.ndarray) -> None:
    at = Solved("negative svdd", K)
    radius = machines.squared_radius(at.solution, at.problem)
    outside = distances(K, at.b) - radius
    targets = Y > 0
    slack = np.maximum(0, np.where(targets, outside, -outside))
    bounds = np.where(targets, at.machine.C_target, at.machine.C_outlier)
    assert at.value == close(radius + (bounds * slack).sum(), rel=1e-9)


def test_negative_svdd_without_outliers_is_svdd() -> None:
    K = gaussian(X)
    machine = machines.NegativeSvdd(C_target=0.1, C_outlier=0.2)
    problem = machine.problem(np.diag(K), np.ones(len(K), dtype=int))
    solution = machines.solve(problem, K, tol=1e-12)
    np.testing.assert_allclose(solution.coefficients, Solved("svdd by C", K).b, atol=1e-9)


@pytest.mark.parametrize("nu", [0.1, 0.35, 0.8, 1.0])
def test_svdd_and_one_class_are_one_where_the_diagonal_is_constant(nu: float) -> None:
    K = gaussian(X)
    nu_machine, svdd = machines.OneClass(nu=nu), machines.Svdd(nu=nu)
    one = machines.solve(nu_machine.problem(np.diag(K)), K, tol=1e-12)
    problem = svdd.problem(np.diag(K))
    two = machines.solve(problem, K, tol=1e-12)
    np.testing.assert_allclose(one.coefficients, two.coefficients, atol=1e-9)
    if nu < 1:  # with nu = 1 every row is at its bound and the offset is a convention
        norm = one.coefficients @ K @ one.coefficients
        radius = 1 + 2 * one.offset + norm
        assert machines.squared_radius(two, problem) == close(radius, rel=1e-9)


def test_svdd_with_a_large_bound_is_the_sphere() -> None:
    K = cubic(X)
    soft = machines.solve(machines.Svdd(C=1.0).problem(np.diag(K)), K, tol=1e-12)
    rigid = machines.solve(machines.EnclosingSphere().problem(np.diag(K)), K, tol=1e-12)
    assert soft.objective == close(rigid.objective, rel=1e-11)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_pair_weights_are_the_formulas(case: Case) -> None:
    solution = solved(case, gaussian(X), Y)
    b = solution.coefficients
    outer = np.outer(b, b)
    expected = {
        "CSvm": -outer,
        "L2Svm": -outer,
        "OneClass": outer / 2,
    }.get(type(case.machine).__name__, np.diag(b) - outer)
    weights = case.machine.pair_weights(solution)
    assert set(weights.rows) == set(np.flatnonzero(b))
    np.testing.assert_allclose(
        weights.matrix(), expected[np.ix_(weights.rows, weights.rows)], rtol=1e-14, atol=1e-300
    )


@pytest.mark.parametrize("name", ["squared svdd", "squared negative svdd"])
@MATRICES
def test_squared_svdd_value_is_radius_and_squared_slack(K: np.ndarray, name: str) -> None:
    at = Solved(name, K)
    radius = at.machine.squared_radius(at.solution, at.problem)
    distance = np.diag(K) - 2 * K @ at.b + at.b @ K @ at.b
    side = np.where(at.problem.upper > 0, 1, -1)
    slack = np.maximum(0, side * (distance - radius))
    np.testing.assert_allclose(
        slack, 2 * np.abs(at.b) * at.problem.ridge, atol=1e-8 * np.abs(K).max()
    )
    C = 1 / (4 * at.problem.ridge)
    assert at.value == close(radius + C @ slack**2, rel=1e-8)


def test_squared_svdd_minimises_its_primal() -> None:
    """R^2 + C sum xi^2 over centres and radii, by a general minimiser."""
    X = np.random.default_rng(3).normal(size=(12, 2))
    K = X @ X.T
    machine = machines.SquaredSvdd(C=0.4)
    problem = machine.problem(np.diag(K))
    solution = machines.solve(problem, K, tol=1e-12)

    def primal(point: np.ndarray) -> float:
        slack = np.maximum(0, ((X - point[:2]) ** 2).sum(axis=1) - point[2])
        return point[2] + 0.4 * slack @ slack

    found = minimize(primal, np.append(X.mean(axis=0), 1.0), method="BFGS", options={"gtol": 1e-9})
    assert machine.value(solution, problem) == close(found.fun, rel=1e-8)
    np.testing.assert_allclose(solution.coefficients @ X, found.x[:2], atol=1e-5)
