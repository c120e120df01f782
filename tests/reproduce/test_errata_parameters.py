"""Checks of docs/errata.md: machines and choices of parameters as Smets prints them fail."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from svsieve.kernels import Rbf
from svsieve.machines import CSvm, L2Svm, fit_sigmoid, solve
from tests.criteria.contexts import cloud
from tests.criteria.plain import Bounds, derivative
from tests.reference import programs

RBF = Rbf(gamma=0.3)


def outputs(machine, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients and decision values on the training rows."""
    K = RBF.gram(X)
    found = solve(machine.problem(np.diag(K), y), K, tol=1e-12)
    return found.coefficients, K @ found.coefficients + found.offset


# ---- machines


def test_slacks_of_half_the_penalty_are_coefficients_over_C() -> None:
    X, y = cloud(25, 3, seed=1)
    C = 1.7
    u, f = outputs(L2Svm(C=C), X, y)
    slack, alpha = np.maximum(0.0, 1 - y * f), np.abs(u)
    np.testing.assert_allclose(C * slack, alpha, atol=1e-9)
    assert not np.allclose(2 * C * slack, alpha, atol=1e-2)


def test_a_machine_with_squared_slack_is_no_least_squares_machine() -> None:
    """Equality constraints pull rows back that are beyond the margin: coefficients of any sign."""
    X, y = cloud(25, 3, seed=1)
    C, K = 1.7, RBF.gram(X)
    A = np.ones((26, 26))
    A[:-1, :-1], A[-1, -1] = K + np.eye(25) / C, 0.0
    least_squares = np.linalg.solve(A, np.append(y, 0.0))[:-1]
    u, _ = outputs(L2Svm(C=C), X, y)
    assert (y * u >= 0).all()
    assert (u == 0).any()
    assert (y * least_squares < 0).any()
    assert (least_squares != 0).all()


def test_a_wide_gaussian_is_the_linear_problem_with_the_same_C() -> None:
    X, _ = cloud(15, 3, seed=3)
    C, sigma = 0.15, 300.0
    linear, wide = X @ X.T, Rbf(gamma=0.5 / sigma**2).gram(X)
    radii, found = [], []
    for K in (linear, wide):
        b = programs.refine(K, programs.svdd(np.diag(K), C))
        distance = np.diag(K) - 2 * K @ b + b @ K @ b
        free = (b > 1e-6) & (b < C - 1e-6)
        radii.append(distance[free].mean())
        found.append(b)
    np.testing.assert_allclose(found[1], found[0], atol=2e-3)
    assert radii[1] * sigma**2 == pytest.approx(radii[0], rel=1e-3)
    assert C / sigma**2 < 1 / 15  # with which there is no solution at all


def test_bounded_targets_may_be_more_than_one_over_C() -> None:
    """Outliers carry coefficients of the other sign, which targets make up for."""
    beyond = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(16, 2))
        t = np.where(np.arange(16) < 11, 1.0, -1.0)
        K, C, C_outlier = RBF.gram(X), 0.25, 0.3
        u = programs.refine(K, programs.negative_svdd(np.diag(K), t, C, C_outlier))
        at_bound = int((u[t > 0] > C * (1 - 1e-9)).sum())
        carried = float(np.abs(u[t < 0]).sum())
        beyond += at_bound > 1 / C
        assert at_bound <= (1 + carried) / C * (1 + 1e-9)
        assert u[t < 0].min() >= -C_outlier - 1e-9
        assert u[t < 0].max() <= 1e-12  # the box of outliers is [-C_2, 0]
    assert beyond >= 2


def test_a_sphere_that_may_leave_all_rows_out_has_no_radius() -> None:
    """C < 1 / m: a row outside costs less than the room for it; dividing by R is not allowed."""
    distances = np.random.default_rng(0).uniform(1.0, 4.0, 10)

    def primal(radius: float, C: float) -> float:
        return radius + C * np.maximum(0.0, distances - radius).sum()

    squares = np.linspace(0.0, 5.0, 501)
    assert squares[np.argmin([primal(r, 0.09) for r in squares])] == 0.0
    assert squares[np.argmin([primal(r, 0.11) for r in squares])] > 0.9


# ---- estimates of the error


def test_a_step_at_one_misses_errors_inside_the_margin() -> None:
    y, f = np.array([1.0, 1.0, -1.0, -1.0]), np.array([-0.5, 2.0, 1.5, -3.0])
    wrong = np.sign(f) != y
    assert (-y * f > 0).sum() == wrong.sum() == 2
    assert (-y * f > 1).sum() == 1


def test_the_derivative_of_a_circle_is_negative() -> None:
    def circle(x: float) -> float:
        return math.sqrt(1 - x * x)

    assert derivative(lambda t: circle(0.6 + t)) == pytest.approx(-0.6 / circle(0.6), rel=1e-7)


def test_the_printed_sigmoid_takes_right_rows_for_errors() -> None:
    """Platt's slope is negative; and without its label the offset treats classes unequally."""
    rng = np.random.default_rng(2)
    y = np.where(np.arange(40) < 28, 1.0, -1.0)
    f = rng.normal(size=40) + 1.5 * y + 0.8
    A, B = (s := fit_sigmoid(f, y)).slope, s.offset
    assert A < 0
    assert np.mean(np.sign(f) == y) > 0.7
    assert np.mean(expit(-(A * y * f + B))) > 0.5  # as printed
    turned = fit_sigmoid(-f, -y)
    assert (turned.slope, turned.offset) == pytest.approx((A, -B), abs=1e-8)

    def value(a: float, b: float, labels: np.ndarray, of: np.ndarray, label: bool) -> float:
        return float(np.mean(expit(labels * a * of + (labels * b if label else b))))

    kept = [value(A, B, y, f, True), value(turned.slope, turned.offset, -y, -f, True)]
    moved = [value(A, B, y, f, False), value(turned.slope, turned.offset, -y, -f, False)]
    assert kept[0] == pytest.approx(kept[1], rel=1e-9)
    assert kept[0] < 0.3
    assert abs(moved[0] - moved[1]) > 0.05


def test_the_slope_of_the_smoothed_error_has_another_sign_and_a_factor() -> None:
    """-A y_i y_j K e^z / (1 + e^z)^2, with y_j K for df / d alpha_j."""
    X, y = cloud(9, 2, seed=5)
    K, alpha, A, B = RBF.gram(X), np.linspace(0.1, 0.9, 9), 1.3, 0.2

    def T(of: np.ndarray) -> float:
        return float(np.mean(1 / (1 + np.exp(A * y * (K @ (y * of)) + B))))

    z = A * y * (K @ (y * alpha)) + B
    slopes, wrong = [], []
    for j in range(9):
        unit = np.eye(9)[j]
        found = derivative(lambda t, unit=unit: T(alpha + t * unit))
        by_f = y[j] * K[:, j]
        right = np.mean(-A * y * by_f * np.exp(z) / (1 + np.exp(z)) ** 2)
        printed = np.mean(A * y * by_f / (1 + np.exp(z)) ** 2)
        assert found == pytest.approx(right, rel=1e-6)
        slopes.append(found)
        wrong.append(printed)
    assert np.linalg.norm(np.subtract(wrong, slopes)) > np.linalg.norm(slopes)
    assert np.linalg.norm(np.add(wrong, slopes)) > 0.3 * np.linalg.norm(slopes)


def test_decision_values_follow_a_coefficient_by_the_label_of_its_own_row() -> None:
    X, y = cloud(9, 2, seed=5)
    K, alpha = RBF.gram(X), np.linspace(0.1, 0.9, 9)
    i, j = 0, 1  # of different classes
    assert y[i] != y[j]
    unit = np.eye(9)[j]
    found = derivative(lambda t: float(K[i] @ (y * (alpha + t * unit))))
    assert found == pytest.approx(y[j] * K[i, j])
    assert found == pytest.approx(-y[i] * K[i, j])


def test_the_minus_of_the_cross_entropy_is_before_both_terms() -> None:
    """With one sign only it has no minimum."""
    f, y = np.array([-1.5, -0.2, 0.3, 2.0]), np.array([-1.0, 1.0, -1.0, 1.0])
    t = (y + 1) / 2

    def loss(A: float, B: float, sign: float) -> float:
        z = A * f + B
        return float((t * np.logaddexp(0, z) + sign * (1 - t) * np.logaddexp(0, -z)).sum())

    sigmoid = fit_sigmoid(f, y)
    assert loss(0.0, -500.0, -1.0) < loss(sigmoid.slope, sigmoid.offset, -1.0) - 900
    assert minimize(lambda x: loss(*x, 1.0), [0.0, 0.0]).fun > 0


def test_a_width_is_compared_with_distances_not_its_square() -> None:
    """The smallest distance as sigma^2: another kernel in another unit."""
    X, _ = cloud(8, 2, seed=7)

    def nearest(of: np.ndarray) -> float:
        d = np.linalg.norm(of[:, None] - of[None], axis=2)
        return float(d[d > 0].min())

    for power, same in ((1, False), (2, True)):  # sigma^2 = d, sigma = d
        one, other = (Rbf(gamma=0.5 / nearest(of) ** power).gram(of) for of in (X, 10.0 * X))
        assert np.allclose(one, other) == same


@pytest.mark.parametrize("nu", [0.2, 0.5])
def test_the_share_of_support_vectors_never_falls_below_nu(nu: float) -> None:
    """A loop that ends where the share is at most nu may not end: it has to aim higher."""
    X, _ = cloud(30, 2, seed=8)
    for sigma in (0.1, 0.5, 1.0, 3.0, 30.0):
        K = Rbf(gamma=0.5 / sigma**2).gram(X)
        b = programs.refine(K, programs.svdd(np.diag(K), 1 / (nu * 30)))
        assert (b > 1e-9).mean() >= nu


def test_the_box_that_moves_with_the_penalty_has_its_own_term() -> None:
    """dD / dC of linear slack is the sum of the slacks, not zero."""
    X, y = cloud(20, 3, seed=9)
    K = RBF.gram(X)

    def dual(C: float) -> float:
        bounds = Bounds("c", C)
        return bounds.dual(K, bounds.coefficients(K, y)) / 2

    found = derivative(lambda t: dual(0.8 + t))
    _, f = outputs(CSvm(C=0.8), X, y)
    assert found == pytest.approx(np.maximum(0.0, 1 - y * f).sum(), rel=1e-6)
    assert found > 1
