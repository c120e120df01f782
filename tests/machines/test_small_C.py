"""Machines whose coefficients, and with them all decision values, are tiny beside the margin."""

from __future__ import annotations

import numpy as np
import pytest

from svsieve import SVC, SVMRFE
from svsieve.kernels import Polynomial, Rbf
from svsieve.machines import CSvm, solve


def rows(seed: int, n: int = 30, positive: int = 5) -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(seed).normal(size=(n, 8))
    y = np.where(np.arange(n) < positive, 1.0, -1.0)
    X[:positive, :2] += 1
    return X, y


def limit_for_small_C(K: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Coefficients over C as C goes to zero, found without the linear term.

    All rows of the smaller class are at their bound; those of the larger one minimise u'Ku between
    their bounds, here by exact steps of the pair of rows that is furthest from the optimum.
    """
    u = np.where(y > 0, 1.0, -(y > 0).sum() / (y < 0).sum())
    larger = y < 0
    for _ in range(100_000):
        g = K @ u
        i = np.where(larger & (u > -1.0), g, -np.inf).argmax()
        j = np.where(larger & (u < 0.0), g, np.inf).argmin()
        if g[i] - g[j] < 1e-14:
            break
        t = (g[i] - g[j]) / (K[i, i] + K[j, j] - 2.0 * K[i, j])
        t = min(t, u[i] + 1.0, -u[j])
        u[i] -= t
        u[j] += t
    return u


@pytest.mark.parametrize("kernel", [Rbf(gamma=0.1), Polynomial(2, 0.1, 1.0)], ids=str)
@pytest.mark.parametrize("C", [1e-5, 1e-8, 1e-11])
def test_solution_is_that_of_the_limit(kernel, C: float) -> None:
    X, y = rows(0)
    K = kernel.gram(X)
    found = solve(CSvm(C).problem(np.diag(K), y), K, tol=1e-8)
    assert found.stopped == "converged"
    expected = limit_for_small_C(K, y)
    assert found.coefficients @ K @ found.coefficients / C**2 == pytest.approx(
        expected @ K @ expected, rel=1e-5
    )
    # Decision values, less their constant, vary by that of the limit times C.
    ours, theirs = K @ found.coefficients / C, K @ expected
    np.testing.assert_allclose(ours, theirs, atol=1e-5 * np.ptp(theirs))


@pytest.mark.parametrize("weights", [None, "rows", "classes"])
@pytest.mark.parametrize("C", [1e-5, 1e-6, 1e-7, 1e-8])
def test_ranking_does_not_hang_on_the_tolerance(C: float, weights) -> None:
    for seed in range(4):
        X, y = rows(seed)
        given = np.linspace(0.1, 1.0, len(y)) if weights == "rows" else None
        classes = {-1.0: 1e-3, 1.0: 1.0} if weights == "classes" else None
        usual, tight = (
            SVMRFE(SVC(C=C, gamma=0.1, tol=tol, class_weight=classes), n_features_to_select=1)
            .fit(X, y, sample_weight=given)
            .path_
            for tol in (1e-3, 1e-16)
        )
        np.testing.assert_array_equal(usual.order, tight.order)
        np.testing.assert_allclose(usual.scores, tight.scores, rtol=1e-3)


def test_gap_is_told_in_the_unit_it_is_judged_by() -> None:
    """A solution stopped early says so, also where all gradients are within 1e-8."""
    X, y = rows(1)
    K = Rbf(gamma=0.1).gram(X)
    problem = CSvm(1e-8).problem(np.diag(K), y)
    early = solve(problem, K, tol=1e-8, max_iter=20, polish=False)
    done = solve(problem, K, tol=1e-8)
    assert early.stopped == "iteration-limit"
    assert early.kkt_gap > 1e-3
    assert done.kkt_gap <= 1e-8
    b, inner = done.coefficients, K @ done.coefficients
    shrink, grow = inner[(y < 0) & (b > problem.lower)], inner[(y < 0) & (b < 0)]
    assert shrink.max() - grow.min() <= 1e-8 * np.ptp(inner)


def test_equal_decision_values_are_no_lack_of_convergence() -> None:
    """What varies by rounding alone is constant: it cannot be told apart to eight digits."""
    X = np.repeat([[-1.0], [1.0]], 15, axis=0)
    y = np.where(np.arange(30) % 2, 1.0, -1.0)
    K = X @ X.T
    found = solve(CSvm(1.0).problem(np.diag(K), y), K, tol=1e-13)
    assert found.stopped == "converged"
    assert found.kkt_gap <= 1e-13
