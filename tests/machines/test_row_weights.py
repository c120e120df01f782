"""Row weights: bounds of the linear slack, ridges of the quadratic one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.svm import SVC

from svsieve import machines
from tests.machines.machine_cases import cloud, gaussian
from tests.reference import programs

X, Y = cloud(60, 3, seed=4)
K = gaussian(X)
WEIGHTS = np.random.default_rng(5).uniform(0.2, 3.0, len(Y))


def solve(machine, labels=Y, matrix=K, weights=None):
    problem = machine.problem(np.diag(matrix), labels, weights)
    return problem, machines.solve(problem, matrix, tol=1e-12)


def test_bounds_of_the_linear_slack() -> None:
    problem, solution = solve(machines.CSvm(C=1.5), weights=WEIGHTS)
    np.testing.assert_allclose(problem.upper, np.where(Y > 0, 1.5 * WEIGHTS, 0), rtol=1e-15)
    np.testing.assert_allclose(problem.lower, np.where(Y > 0, 0, -1.5 * WEIGHTS), rtol=1e-15)
    theirs = SVC(C=1.5, kernel="precomputed", tol=1e-9).fit(K, Y, sample_weight=WEIGHTS)
    decision = K @ solution.coefficients + solution.offset
    np.testing.assert_allclose(decision, theirs.decision_function(K), atol=2e-6)
    reference = programs.refine(K, programs.c_svm(Y, 1.5, WEIGHTS))
    np.testing.assert_allclose(solution.coefficients, reference, atol=1e-9)


def test_ridges_of_the_quadratic_slack() -> None:
    problem, solution = solve(machines.L2Svm(C=1.5), weights=WEIGHTS)
    np.testing.assert_allclose(problem.ridge, 1 / (1.5 * WEIGHTS), rtol=1e-15)
    slack = np.maximum(0, 1 - Y * (K @ solution.coefficients + solution.offset))
    np.testing.assert_allclose(slack, np.abs(solution.coefficients) * problem.ridge, atol=1e-9)
    # the primal it belongs to: 1/2 |w|^2 + C/2 sum weight * xi^2
    norm = solution.coefficients @ K @ solution.coefficients
    primal = norm / 2 + 1.5 / 2 * (WEIGHTS * slack) @ slack
    assert -solution.objective == pytest.approx(primal, rel=1e-9)


BOTH_KINDS = pytest.mark.parametrize(
    "machine",
    [
        machines.CSvm(C=0.7),
        machines.L2Svm(C=0.7),
        machines.OneClass(nu=0.3),
        machines.Svdd(C=0.05),
        machines.Svdd(nu=0.3),
        machines.NegativeSvdd(C_target=0.1, C_outlier=0.05),
        machines.NegativeSvdd(nu=0.3),
        machines.SquaredSvdd(C=0.5, C_outlier=0.2),
        machines.EnclosingSphere(ridge=0.3),
    ],
    ids=str,
)


@BOTH_KINDS
def test_weight_two_is_the_row_twice(machine) -> None:
    weights = np.ones(len(Y))
    weights[[3, 8, 9]] = 2
    _, weighted = solve(machine, weights=weights)
    rows = np.r_[np.arange(len(Y)), [3, 8, 9]]
    _, repeated = solve(machine, Y[rows], K[np.ix_(rows, rows)])
    f = K @ weighted.coefficients + weighted.offset
    g = K[:, rows] @ repeated.coefficients + repeated.offset
    np.testing.assert_allclose(f, g, atol=1e-8)
    assert weighted.objective == pytest.approx(repeated.objective, rel=1e-10)


@BOTH_KINDS
def test_weight_zero_is_the_row_absent(machine) -> None:
    weights = WEIGHTS.copy()
    absent = [0, 7, 13, 40]
    weights[absent] = 0
    _, solution = solve(machine, weights=weights)
    assert np.array_equal(solution.coefficients[absent], np.zeros(4))
    rows = np.setdiff1d(np.arange(len(Y)), absent)
    _, fewer = solve(machine, Y[rows], K[np.ix_(rows, rows)], weights[rows])
    np.testing.assert_allclose(solution.coefficients[rows], fewer.coefficients, atol=1e-9)
    assert solution.offset == pytest.approx(fewer.offset, abs=1e-9)
    assert solution.kkt_gap <= 1e-10


def test_hard_margin_takes_no_notice_of_positive_weights() -> None:
    machine = machines.L2Svm(C=math.inf)
    _, plain = solve(machine)
    problem, weighted = solve(machine, weights=WEIGHTS)
    assert np.array_equal(problem.ridge, np.zeros(len(Y)))
    np.testing.assert_allclose(plain.coefficients, weighted.coefficients, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("bad", [-1.0, np.nan])
@pytest.mark.parametrize("machine", [machines.CSvm(C=0.7), machines.L2Svm(C=0.7)], ids=str)
def test_bad_row_weight_is_named(machine, bad: float) -> None:
    weights = np.ones(len(Y))
    weights[17] = bad
    with pytest.raises(ValueError, match=r"(?i)weight.*17"):
        machine.problem(np.diag(K), Y, weights)


@pytest.mark.parametrize("machine", [machines.CSvm(C=0.7), machines.L2Svm(C=0.7)], ids=str)
def test_weights_of_another_length_are_refused(machine) -> None:
    with pytest.raises(ValueError, match=r"(?i)weights?.*59"):
        machine.problem(np.diag(K), Y, np.ones(59))
