"""Programs without an upper bound: they converge where they can and say so where not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from svsieve import kernels, machines
from tests.reference import programs

HARD = machines.L2Svm(C=math.inf)


def solve(K: np.ndarray, y: np.ndarray, **options):
    return machines.solve(HARD.problem(np.diag(K), y), K, **{"tol": 1e-9, **options})


def toy(gap: float, rows: int = 30, seed: int = 0):
    """Two classes on either side of a plane, the nearest rows ``gap`` from it."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 2))
    y = np.where(X[:, 0] > 0, 1, -1)
    X[:, 0] += gap * y
    return X, y


@pytest.mark.parametrize("gap", [1.0, 0.1, 1e-2, 1e-3])
def test_linearly_separable(gap: float) -> None:
    X, y = toy(gap)
    K = X @ X.T
    solution = solve(K, y)
    assert solution.stopped in ("converged", "precision-floor")
    margins = y * (K @ solution.coefficients + solution.offset)
    assert margins.min() >= 1 - 1e-6
    reference = programs.refine(K, programs.l2_svm(y, 0.0))
    w, w_reference = X.T @ solution.coefficients, X.T @ reference
    np.testing.assert_allclose(w, w_reference, rtol=1e-6, atol=1e-6 * np.abs(w).max())


def test_a_huge_penalty_meets_the_hard_margin() -> None:
    X, y = toy(0.05)
    K = X @ X.T
    soft = machines.solve(machines.CSvm(C=1e8).problem(np.diag(K), y), K, tol=1e-9)
    assert soft.stopped in ("converged", "precision-floor")
    assert soft.objective == pytest.approx(solve(K, y).objective, rel=1e-9)


@pytest.mark.parametrize("gamma", [0.1, 1.0, 10.0])
def test_overlapping_classes_are_separable_by_the_gaussian(gamma: float) -> None:
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(60, 2)), rng.choice([-1, 1], 60)
    K = kernels.Rbf(gamma=gamma).gram(X)
    if gamma < 1:  # the flattest matrix is singular to rounding: a little ridge keeps it honest
        K = K + 1e-8 * np.eye(60)
    solution = solve(K, y)
    assert solution.stopped in ("converged", "precision-floor")
    problem = HARD.problem(np.diag(K), y)
    exact = programs.certificate(K, problem, solution.coefficients)
    floor = 1e-14 * np.abs(solution.coefficients).sum()
    assert exact.gap <= max(1e-9, 10 * floor)


def test_linear_slack_without_limit_is_the_hard_margin() -> None:
    X, y = toy(0.1)
    K, weights = X @ X.T, np.ones(len(y))
    weights[:4] = 0.0
    problems = [
        machine.problem(np.diag(K), y, weights) for machine in (machines.CSvm(math.inf), HARD)
    ]
    for name in ("linear", "lower", "upper", "ridge"):
        np.testing.assert_array_equal(*(getattr(problem, name) for problem in problems))
    assert (problems[0].upper[:4] == 0).all()
    assert (problems[0].lower[:4] == 0).all()


XOR = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]])


@pytest.mark.parametrize(
    ("X", "y"),
    [
        (XOR, np.array([1, 1, -1, -1])),
        (np.array([[0.0], [1.0], [2.0]]), np.array([1, -1, 1])),
        (np.array([[1.0, 2.0], [1.0, 2.0], [5.0, 1.0]]), np.array([1, -1, 1])),
        (np.zeros((2, 1)), np.array([1, -1])),
    ],
    ids=["xor", "interleaved", "same row in both classes", "constant column"],
)
def test_not_separable(X: np.ndarray, y: np.ndarray) -> None:
    solution = solve(X @ X.T, y)
    assert solution.stopped == "unbounded"
    assert np.isfinite(solution.coefficients).all()


def test_not_separable_by_a_plane_among_many_rows() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(150, 3)), rng.choice([-1, 1], 150)
    assert solve(X @ X.T, y).stopped == "unbounded"


@pytest.mark.parametrize("C", [1e-4, 1.0, 1e4, 1e8])
def test_quadratic_slack_converges_for_every_C(C: float) -> None:
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(100, 3)), rng.choice([-1, 1], 100)
    K = X @ X.T
    machine = machines.L2Svm(C=C)
    problem = machine.problem(np.diag(K), y)
    solution = machines.solve(problem, K, tol=1e-9)
    exact = programs.certificate(K, problem, solution.coefficients)
    floor = 1e-14 * np.abs(solution.coefficients).sum() * np.diag(K).max()
    assert solution.stopped in ("converged", "precision-floor")
    assert exact.gap <= max(1e-9, 10 * floor)
