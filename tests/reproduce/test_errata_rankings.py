"""Checks of docs/errata.md: criteria, eliminations and scores as they are printed fail."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from sklearn.svm import LinearSVC

from svsieve import fisher_score
from svsieve.criteria import CoefficientOfVariation, RadiusMargin, WeightNorm
from svsieve.elimination import Annealing
from svsieve.elimination.stopping import WhenScoreAbove
from svsieve.kernels import Linear, Polynomial, Rbf, scaled_kernel
from svsieve.machines import CSvm, L2Svm
from tests.criteria.contexts import cloud, oracle, solved
from tests.criteria.plain import Bounds, derivative
from tests.oracles import library

RBF = Rbf(gamma=0.3)
L2 = Bounds("l2", 1.3)


def slopes_of_gram(kernel, X: np.ndarray, column: int) -> np.ndarray:
    """dK / d v_j at v = 1, by differences."""
    unit = np.eye(X.shape[1])[column]

    def gram(t: float) -> np.ndarray:
        return scaled_kernel(kernel, np.exp(t * unit)).gram(X)

    return (8 * (gram(1e-4) - gram(-1e-4)) - (gram(2e-4) - gram(-2e-4))) / 12e-4


# ---- Rakotomamonjy


def test_the_smallest_bound_left_is_not_the_smallest_change() -> None:
    """Without a column R^2 shrinks and the norm grows: the bound may come out smaller or larger."""
    differ = 0
    for seed in range(40):
        X, y = cloud(14, 3, seed=seed)
        context = solved(RBF, X, y, L2Svm(C=1.3))
        change = RadiusMargin().scores(context)
        K = context.gram()
        u, b = L2.coefficients(K, y), L2.centre(K)
        left = [
            L2.radius(other, b) * L2.dual(other, u)
            for other in (RBF.gram(np.delete(X, j, axis=1)) for j in range(3))
        ]
        np.testing.assert_allclose(
            change, np.array(left) - L2.radius_margin(K, b, L2.norm(K, u)), rtol=1e-6
        )
        differ += np.argmin(left) != np.abs(change).argmin()
    assert differ >= 10


def test_the_span_moves_with_the_coefficients_once_not_twice() -> None:
    """d sum(alpha S^2) has d(alpha) S^2 with the factor one."""
    X, y = cloud(16, 3, seed=2)
    K = RBF.gram(X)
    u = L2.coefficients(K, y)
    s = np.flatnonzero(np.abs(u) > 1e-9)
    A = np.ones((len(s) + 1, len(s) + 1))
    A[:-1, :-1], A[-1, -1] = K[np.ix_(s, s)] + L2.ridge * np.eye(len(s)), 0.0
    P = np.linalg.inv(A)[:-1, :-1]
    squares, alpha = 1 / np.diag(P), np.abs(u[s])
    once, twice = [], []
    for column in range(3):
        unit = np.eye(3)[column]

        def estimate(t: float, unit=unit) -> float:
            other = scaled_kernel(RBF, np.exp(t * unit)).gram(X)
            return L2.span(other, L2.coefficients(other, y))

        dK = slopes_of_gram(RBF, X, column)[np.ix_(s, s)]
        by_distance = np.sum(alpha * squares**2 * np.diag(P @ dK @ P))
        by_coefficients = np.sum(squares * -np.sign(u[s]) * (P @ dK @ u[s]))
        found = derivative(estimate)
        once.append(by_distance + by_coefficients - found)
        twice.append(by_distance + 2 * by_coefficients - found)
    assert np.abs(once).max() < 1e-6
    assert np.abs(twice).max() > 0.1


@pytest.mark.parametrize(("ridge", "right"), [(L2.ridge, True), (0.0, False)])
def test_the_matrix_of_the_span_has_the_ridge(ridge: float, right: bool) -> None:
    """Leaving a row out lowers y f by alpha S^2; without the ridge in K it does not."""
    X, y = cloud(16, 3, seed=2)
    K = RBF.gram(X)
    u = L2.coefficients(K, y)
    s = np.flatnonzero(np.abs(u) > 1e-9)
    A = np.ones((len(s) + 1, len(s) + 1))
    A[:-1, :-1], A[-1, -1] = K[np.ix_(s, s)] + ridge * np.eye(len(s)), 0.0
    squares = 1 / np.diag(np.linalg.inv(A))[:-1]
    checked = 0
    for p, square in zip(s, squares, strict=True):
        others = np.delete(np.arange(16), p)
        v = L2.coefficients(K[np.ix_(others, others)], y[others])
        if not np.array_equal(others[np.abs(v) > 1e-9], np.delete(s, np.flatnonzero(s == p))):
            continue  # another row became a support vector, or ceased to be one
        free = np.abs(v) > 1e-9
        bias = np.mean((y[others] - K[np.ix_(others, others)] @ v - L2.ridge * v)[free])
        left_out = y[p] * (K[p, others] @ v + bias)
        agrees = abs(left_out - (1 - abs(u[p]) * square)) < 1e-8
        assert agrees == right
        checked += 1
    assert checked >= 5


def test_the_change_of_the_norm_has_no_half_on_one_side_alone(solved_linear) -> None:
    """| ||w||^2 - ||w_(i)||^2 | = w_i^2 is not half of itself."""
    X, u = solved_linear
    w = X.T @ u
    for j in range(X.shape[1]):
        Z = np.delete(X, j, axis=1)
        change = u @ (X @ X.T) @ u - u @ (Z @ Z.T) @ u
        assert abs(w @ w - np.delete(w, j) @ np.delete(w, j)) == pytest.approx(change)
        assert change == pytest.approx(w[j] ** 2)


@pytest.fixture
def solved_linear():
    X, y = cloud(20, 4, seed=1)
    return X, solved(Linear(), X, y, L2Svm(C=2.0)).solution.coefficients


def test_all_but_the_best_of_all_columns_brings_columns_back() -> None:
    """Var = all columns but the last one that went: it never empties."""
    scores, n = np.array([3.0, 1.0, 2.0, 4.0]), 4
    kept, gone = list(range(n)), []
    for _ in range(10):
        best = min(kept, key=lambda j: scores[j])
        gone.append(best)
        kept = [j for j in range(n) if j != best]
    assert gone[:4] == [1, 2, 1, 2]
    assert len(kept) == n - 1
    assert kept, "and 'until Var is not empty' ends after one round"


def test_the_slope_of_a_gaussian_holds_the_factor_outside_the_square() -> None:
    x, z, v, sigma = np.array([0.3, -0.4]), np.array([1.0, 0.5]), np.array([0.5, 2.0]), 1.5

    def k(of: np.ndarray) -> float:
        return math.exp(-((of * (x - z)) ** 2).sum() / (2 * sigma**2))

    for j in range(2):
        unit = np.eye(2)[j]
        found = derivative(lambda t, unit=unit: k(v + t * unit))
        assert found == pytest.approx(-v[j] * (x - z)[j] ** 2 * k(v) / sigma**2, rel=1e-7)
        printed = -((v * (x - z))[j] ** 2) * k(v) / sigma**2
        assert found / printed == pytest.approx(1 / v[j], rel=1e-7)  # equal where v = 1


def test_the_printed_slope_of_the_bound_is_minus_the_slope() -> None:
    X, y = cloud(14, 3, seed=4)
    K = RBF.gram(X)
    u, b = L2.coefficients(K, y), L2.centre(K)
    norm, radius = L2.norm(K, u), L2.radius(K, b)
    for column in range(3):
        unit = np.eye(3)[column]

        def bound(t: float, unit=unit) -> float:
            return L2.trained("radius margin", y)(scaled_kernel(RBF, np.exp(t * unit)).gram(X))

        dK = slopes_of_gram(RBF, X, column)
        printed = norm * (b @ dK @ b - b @ np.diag(dK)) + radius * (u @ dK @ u)
        assert derivative(bound) == pytest.approx(-printed, rel=1e-6)


def test_a_single_column_may_be_one_a_kernel_is_better_off_without() -> None:
    """Sorting signed changes and sorting their size are two rules; one column here is negative."""
    signed = WeightNorm(signed=True).scores(oracle(library.L2_SVM, 2))
    assert (signed < 0).tolist() == [False, True, False]
    np.testing.assert_allclose(np.abs(signed), WeightNorm().scores(oracle(library.L2_SVM, 2)))
    differ = agree = 0
    for seed in range(60):
        X, y = cloud(12, 3, seed=seed)
        context = solved(Rbf(gamma=0.6), X, y, L2Svm(C=2.0))
        signed = WeightNorm(signed=True).scores(context)
        if signed.argmin() != np.abs(signed).argmin():
            differ += 1
            agree += WeightNorm(retrain=True).scores(context).argmin() == signed.argmin()
    assert differ >= 3
    assert agree > differ / 2


# ---- Smets, chapters 4 and 5


def test_the_numerator_of_the_fisher_score_has_lost_its_square() -> None:
    """That makes it depend on the unit; the difference of variances makes it infinite."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 30)
    x = rng.normal(size=60) * (1.0 + 0.5 * y) + y

    def score(values: np.ndarray, power: int, sign: int) -> float:
        a, b = values[y == 1], values[y == 0]
        return abs((a.mean() - b.mean()) ** power / (a.var() + sign * b.var()))

    assert score(10 * x, 1, -1) == pytest.approx(0.1 * score(x, 1, -1))
    assert score(10 * x, 1, +1) == pytest.approx(0.1 * score(x, 1, +1))
    assert score(10 * x, 2, -1) == pytest.approx(score(x, 2, -1))
    assert fisher_score(x[:, None], y)[0] == pytest.approx(score(x, 2, +1))
    even = np.concatenate([stats.zscore(x[:30]), stats.zscore(x[30:]) + 1.0])
    assert score(even, 2, -1) > 1e10
    assert score(even, 2, +1) == pytest.approx(0.5)


def test_principal_axes_rotate_centred_rows_and_a_covariance_does_not() -> None:
    X = cloud(15, 3, seed=6)[0] + 2.0
    mean, covariance = X.mean(axis=0), np.cov(X.T)
    axes = np.linalg.eigh(covariance)[1]
    rotated, printed = (X - mean) @ axes, X @ covariance
    np.testing.assert_allclose(RBF.gram(rotated), RBF.gram(X), rtol=1e-10)
    assert not np.allclose(RBF.gram(printed), RBF.gram(X), rtol=0.1)
    bent = Polynomial(degree=2, gamma=1.0, coef0=1.0)
    np.testing.assert_allclose(bent.gram(rotated), bent.gram(X - mean), rtol=1e-10)
    assert not np.allclose(bent.gram(rotated), bent.gram(X), rtol=0.1)


# ---- Planas


def test_the_other_margin_is_at_minus_one_minus_b() -> None:
    """Only then are the planes 2 / ||w|| apart."""
    w, b = np.array([3.0, 4.0]), 0.7

    def apart(other: float) -> float:  # w x = other, from w x = 1 - b
        return abs((1 - b) - other) / float(np.linalg.norm(w))

    assert apart(-1 - b) == pytest.approx(2 / np.linalg.norm(w))
    assert apart(b - 1) != pytest.approx(2 / np.linalg.norm(w), rel=0.2)


def test_brain_damage_of_the_norm_keeps_its_half() -> None:
    """1/2 J'' w_i^2 with J = ||w||^2 / 2 is w_i^2 / 2."""
    w = np.array([0.5, -2.0])
    for j in range(2):

        def J(t: float, j: int = j) -> float:
            moved = w + t * np.eye(2)[j]
            return float(moved @ moved) / 2

        second = (J(1e-3) - 2 * J(0.0) + J(-1e-3)) / 1e-6
        assert 0.5 * second * w[j] ** 2 == pytest.approx(0.5 * w[j] ** 2, rel=1e-6)


def test_the_coefficient_of_variation_is_deviation_over_mean() -> None:
    scores = np.array([[1.0, 0.1], [1.1, 4.0], [0.9, 0.1]])  # two columns in three problems
    expected = scores.std(axis=0) / scores.mean(axis=0)
    np.testing.assert_allclose(CoefficientOfVariation()(scores), expected)
    assert expected[1] > expected[0]  # and the inverse orders them the other way round


def test_annealing_that_counts_from_zero_drops_everything() -> None:
    assert 20 // (0 + 1) == 20
    assert Annealing().sizes(20)[1] == 10


def test_a_threshold_tested_afterwards_is_passed() -> None:
    """The loop asks about scores that are gone; with a first threshold of zero it never begins."""
    scores, threshold = np.array([0.1, 0.2, 5.0, 7.0]), 1.0
    kept, dropped, last = list(scores), [], 0.5
    while threshold > last and kept:
        last = min(kept)
        dropped.append(last)
        kept.remove(last)
    assert dropped == [0.1, 0.2, 5.0]
    assert WhenScoreAbove(threshold).allowed(np.sort(scores)) == 2
    assert scores.min() > 0.0


def test_printed_sums_of_algorithm_5_are_of_columns_that_stay() -> None:
    """q is stored with the last one eliminated first: accuracies fall as columns are added."""
    importances = np.array([1.0, 2.0, 3.0, 10.0, 40.0])  # in the order of leaving
    sums = np.cumsum(importances[::-1])  # s_i of the text
    accuracy = (1 - sums / sums.max()) * 0.5 + 0.5
    assert (np.diff(accuracy) < 0).all()


def test_each_row_is_in_as_many_pairs_as_there_are_other_classes() -> None:
    """Sizes of the problems add up to (k - 1) m, not m; and LIBLINEAR has one problem per class."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(4), 10)
    X = rng.normal(size=(40, 3)) + y[:, None]
    pairs = [(a, b) for a in range(4) for b in range(a)]
    assert sum(((y == a) | (y == b)).sum() for a, b in pairs) == 3 * 40
    weights = LinearSVC(dual=False).fit(X, y).coef_
    assert weights.shape == (4, 3)
    assert (weights**2).sum(axis=0).shape == (3,)  # sums are over problems, not over columns


def test_the_quadratic_form_is_the_norm_for_every_kernel() -> None:
    """(x z + 1)^2 has the images (x^2, sqrt(2) x, 1)."""
    x = np.array([-1.0, 0.2, 0.7, 2.0])
    u = np.array([0.3, -1.0, 0.2, 0.5])
    images = np.stack([x**2, math.sqrt(2) * x, np.ones(4)], axis=1)
    w = images.T @ u
    K = Polynomial(degree=2, gamma=1.0, coef0=1.0).gram(x[:, None])
    assert u @ K @ u == pytest.approx(w @ w)


def test_a_slack_below_one_is_on_the_right_side_of_the_boundary() -> None:
    X, y = cloud(40, 2, seed=1)
    context = solved(Linear(), X, y, CSvm(C=1.0))
    f = X @ (X.T @ context.solution.coefficients) + context.solution.offset
    slack = np.maximum(0.0, 1 - y * f)
    inside, beyond = (slack > 1e-6) & (slack < 1), slack > 1
    assert inside.any()
    assert beyond.any()
    assert (y * f > 0)[inside].all()
    assert (y * f < 0)[beyond].all()


def test_two_classes_do_not_mean_more_than_half_right() -> None:
    """The larger class, one row of ten left out at a time, five of each: always wrong."""
    y = np.repeat([0, 1], 5)
    right = [int(np.delete(y, i).mean() > 0.5) == y[i] for i in range(10)]
    assert not any(right)
