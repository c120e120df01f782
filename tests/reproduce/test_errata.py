"""Checks of what docs/errata.md says about the sources: each shows that something printed fails."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from svsieve.criteria import Context, WeightNorm
from svsieve.elimination import Fraction
from svsieve.elimination.stop_point import accuracy_between, cheapest_size
from svsieve.kernels import KernelState, Linear, Rbf
from svsieve.machines import EnclosingSphere, L2Svm, solve
from svsieve.reproduce.published import read


@pytest.fixture
def solved():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(20, 4))
    y = np.where(X[:, 0] + 0.5 * X[:, 1] + 0.4 * rng.normal(size=20) > 0, 1.0, -1.0)
    state, machine = KernelState(Linear(), X), L2Svm(C=4.0)
    problem = machine.problem(state.diagonal(), y)
    solution = solve(problem, state.gram(), tol=1e-12)
    return Context(machine, problem, solution, None, y, state), X, y


def test_the_smallest_norm_left_is_svm_rfe_for_the_value_of_the_dual_alone(solved):
    context, X, _ = solved
    u = context.solution.coefficients
    w = X.T @ u
    without = [np.delete(X, j, axis=1) for j in range(4)]
    norms = np.array([u @ (part @ part.T + np.eye(20) / 4.0) @ u for part in without])
    assert norms.argmin() == (w**2).argmax()
    duals = 2.0 * np.abs(u).sum() - norms
    np.testing.assert_array_equal(np.argsort(duals), np.argsort(w**2))
    np.testing.assert_array_equal(np.argsort(duals), np.argsort(WeightNorm().scores(context)))


def test_squared_slacks_without_a_half_are_a_ridge_of_one_over_two_C(solved):
    _, X, y = solved
    C = 2.0

    def primal(parameters):
        w, b = parameters[:-1], parameters[-1]
        slack = np.maximum(0.0, 1.0 - y * (X @ w + b))
        return 0.5 * w @ w + C * slack @ slack

    least = minimize(primal, np.zeros(5), tol=1e-12).fun
    values = {}
    for ridge in (1.0 / (2.0 * C), 1.0 / C):
        machine = L2Svm(C=1.0 / ridge)
        problem = machine.problem((X**2).sum(axis=1), y)
        values[ridge] = 0.5 * machine.value(solve(problem, X @ X.T), problem)
    assert values[1.0 / (2.0 * C)] == pytest.approx(least, rel=1e-6)
    assert abs(values[1.0 / C] - least) > 0.01 * least


def test_the_derivative_of_the_norm_is_twice_the_squared_weight(solved):
    context, X, _ = solved
    u = context.solution.coefficients
    w = X.T @ u
    np.testing.assert_allclose(WeightNorm(order=1).scores(context), 2.0 * w**2, rtol=1e-9)
    h = 1e-6
    for j in range(4):
        values = []
        for scale in (1.0 - h, 1.0 + h):
            Z = X.copy()
            Z[:, j] *= scale
            values.append(u @ (Z @ Z.T) @ u)
        assert (values[1] - values[0]) / (2.0 * h) == pytest.approx(2.0 * w[j] ** 2, rel=1e-5)


def test_the_derivative_in_a_squared_width_has_its_fourth_power():
    x, z, squares, h = np.array([0.3, -0.4]), np.array([1.0, 0.5]), np.array([0.7, 2.0]), 1e-6

    def k(of):
        return math.exp(-((x - z) ** 2 / (2.0 * of)).sum())

    for j in range(2):
        step = h * np.eye(2)[j]
        found = (k(squares + step) - k(squares - step)) / (2.0 * h)
        right = k(squares) * (x - z)[j] ** 2 / (2.0 * squares[j] ** 2)
        printed = k(squares) * (x - z)[j] ** 2 / (2.0 * squares[j])
        assert found == pytest.approx(right, rel=1e-6)
        assert abs(found - printed) > 0.1 * abs(right)


def test_the_radius_needs_weights_that_sum_to_one():
    K = Rbf(gamma=0.5).gram(np.random.default_rng(0).normal(size=(8, 2)))
    machine = EnclosingSphere()
    problem = machine.problem(np.diagonal(K))
    assert problem.total == 1.0
    assert solve(problem, K).coefficients.sum() == pytest.approx(1.0)


def test_the_estimate_of_algorithm_5_leaves_the_range_of_an_accuracy():
    importances, low, high = np.array([1.0, 2.0, 3.0, 10.0, 40.0]), 0.5, 1.0
    gone = np.cumsum(importances)
    printed = (1.0 - gone / gone.max()) / (high - low) + low
    assert printed.max() > 1.0
    assert cheapest_size(accuracy_between(importances, low, high)) == 2


def test_positions_deleted_one_by_one_delete_others():
    kept = [10, 20, 30, 40]
    for position in (0, 1):
        del kept[position]
    assert kept == [20, 40]  # not [30, 40]


def test_a_share_that_is_not_rounded_up_to_one_makes_no_progress():
    assert math.floor(0.04 * 20) == 0
    assert Fraction(0.04).sizes(20)[1] == 19


def test_a_weighted_sum_does_not_find_all_pareto_optima():
    costs = np.array([[0.0, 1.0], [0.6, 0.6], [1.0, 0.0]])
    for weight in np.linspace(0.0, 1.0, 101):
        assert (costs @ [weight, 1.0 - weight]).argmin() != 1
    others = np.delete(costs, 1, axis=0)
    assert not (others <= costs[1]).all(axis=1).any()  # yet nothing is better in both


def test_an_importance_of_1e_7_is_lost_beside_a_constant_of_6e9():
    assert np.spacing(6e9) > 9e-7
    assert 6e9 + 1e-7 == 6e9


def test_gaussian_kernels_of_many_columns_are_the_identity():
    gamma = 0.05
    columns = 18 / gamma
    assert 1.0 + math.exp(-gamma * 2.0 * columns) == pytest.approx(1.0, abs=3e-16)
    assert math.exp(-gamma * 2.0 * columns) < 2.4e-16


def test_a_cell_of_table_4_repeats_one_of_table_3():
    cells = [
        next(
            one
            for one in read(f"rakotomamonjy_{table}", ("method", "n_features"), ["error"], trials=1)
            if one.cell == {"method": "corr", "n_features": 20}
        )
        for table in (3, 4)
    ]
    assert cells[0] == cells[1]


def test_an_average_of_trainings_does_not_follow_from_its_column():
    printed = {"B": 12.32, "C": 11.13, "D": 20.32, "E": 17.14}
    for method, average in printed.items():
        cells = read("smets_b", ("dataset", "method"), ["n_trainings"], where={"method": method})
        mean = np.mean([cell.values["n_trainings"] for cell in cells])
        assert (abs(mean - average) < 0.01) == (method != "B")
