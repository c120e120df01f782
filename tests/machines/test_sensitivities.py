"""value() and pair_weights(): central differences with every program solved anew."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from svsieve import kernels, machines
from tests.machines.machine_cases import CASES, Case, cloud

X, Y = cloud(30, 3, seed=2)
STEP = 1e-5
TOLERANCE = 1e-6
KERNELS = {
    "gaussian": kernels.Rbf(gamma=0.3),
    "cubic": kernels.Polynomial(degree=3, gamma=0.5, coef0=1.0),
    "laplace": kernels.Laplace(gamma=0.3),
    "mixed": 0.5 * kernels.Linear() + kernels.Rbf(gamma=0.5),
}
EACH = pytest.mark.parametrize("case", CASES, ids=str)
EACH_KERNEL = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)


def derivative(f: Callable[[float], float], step: float = STEP) -> float:
    """Fourth-order central difference at zero."""
    return (8 * (f(step) - f(-step)) - (f(2 * step) - f(-2 * step))) / (12 * step)


def value(case: Case, K: np.ndarray) -> float:
    problem = case.problem(K, Y)
    solution = machines.solve(problem, K, tol=1e-12)
    assert solution.stopped in ("converged", "precision-floor")
    return case.machine.value(solution, problem)


def weights(case: Case, K: np.ndarray) -> kernels.PairWeights:
    solution = machines.solve(case.problem(K, Y), K, tol=1e-12)
    return case.machine.pair_weights(solution)


@EACH
@EACH_KERNEL
def test_any_change_of_the_matrix(case: Case, kernel) -> None:
    K = kernel.gram(X)
    rng = np.random.default_rng(8)
    factor = rng.normal(size=(len(X), 3))
    D = factor @ factor.T / 3 + np.diag(rng.uniform(size=len(X)))
    D *= np.abs(K).max() / np.abs(D).max() / 10
    M = weights(case, K)
    expected = (M.matrix() * D[np.ix_(M.rows, M.rows)]).sum()
    difference = derivative(lambda t: value(case, K + t * D), step=1e-6)
    assert difference == pytest.approx(expected, rel=TOLERANCE)


@EACH
@EACH_KERNEL
def test_scaling_of_each_column(case: Case, kernel) -> None:
    state = kernels.KernelState(kernel, X)
    slopes = state.contract_slopes(weights(case, state.gram()))
    scale = np.abs(slopes).max()
    for j in range(X.shape[1]):

        def scaled(step: float, j: int = j) -> float:
            columns = X.copy()
            columns[:, j] *= np.exp(step)
            return value(case, kernel.gram(columns))

        assert derivative(scaled) == pytest.approx(slopes[j], abs=TOLERANCE * scale)


@EACH
@pytest.mark.parametrize("make", [kernels.Rbf, kernels.Polynomial, kernels.Laplace])
def test_gamma(case: Case, make) -> None:
    options = {"coef0": 1.0} if make is kernels.Polynomial else {}
    state = kernels.KernelState(make(gamma=0.4, **options), X)
    slope = state.contract_params(weights(case, state.gram()))["log_gamma"]
    difference = derivative(lambda t: value(case, make(gamma=0.4 * np.exp(t), **options).gram(X)))
    assert difference == pytest.approx(slope, rel=TOLERANCE)


@pytest.mark.parametrize("C", [0.5, 20.0])
def test_penalty_of_the_quadratic_slack_by_the_trace(C: float) -> None:
    K = kernels.Rbf(gamma=0.3).gram(X)

    def value_at(C: float) -> float:
        machine = machines.L2Svm(C=C)
        problem = machine.problem(np.diag(K), Y)
        return machine.value(machines.solve(problem, K, tol=1e-12), problem)

    machine = machines.L2Svm(C=C)
    solution = machines.solve(machine.problem(np.diag(K), Y), K, tol=1e-12)
    slope = -machine.pair_weights(solution).trace() / C
    difference = derivative(lambda t: value_at(C * np.exp(t)))
    assert difference == pytest.approx(slope, rel=TOLERANCE)
