"""Optimality of every machine's solution on random problems, measured in long double."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from svsieve import machines
from tests.property.random_problems import (
    HARD_MARGIN,
    HARD_PROBLEMS,
    MACHINES,
    RandomProblem,
    planes,
    random_problems,
)
from tests.reference import programs

# A gradient entry is a sum of terms b_k K_ik. Its rounding is at most a few units of the last
# place (2e-16) times sum|b| max K; 1e-14 leaves a factor of about 50 for the length of the sums
# (sqrt(200) is 14) and for b itself, which the solver stores rounded.
FLOOR = 1e-14

# No problem here deserves more pair steps: a solver that needs them has lost its way.
STEPS = 3_000_000


def floor(K: np.ndarray, problem: machines.DualProblem, b: np.ndarray) -> float:
    largest = (np.diag(K) + problem.ridge).max()
    return FLOOR * (np.abs(b).sum() * largest + np.abs(problem.linear).max())


# A solver that follows the gradient step by step may be off by a little more, as long as that
# is a small part of the gap it was asked for.
SHARE_OF_TOL = 1e-3


def gap_unit(K: np.ndarray, problem: machines.DualProblem, b: np.ndarray, tol: float) -> float:
    """What gaps are multiplied by: more where the decision values span less than the margin.

    Not so much that rounding, 2 units of the last place of sum|b| max K, exceeds the tolerance.
    """
    if problem.total != 0.0:
        return problem.gap_unit
    used = problem.lower < problem.upper
    span = np.ptp((K @ b + problem.ridge * b)[used])
    rounding = 4.4e-16 * np.abs(b).sum() * (np.diag(K) + problem.ridge).max()
    share = max(0.5 * span, rounding * problem.gap_unit / tol)
    return problem.gap_unit / (min(1.0, share) or 1.0)


def check(K: np.ndarray, problem: machines.DualProblem, solution, tol: float) -> None:
    b = solution.coefficients
    unit = gap_unit(K, problem, b, tol)
    exact = programs.certificate(K, problem, b)
    least = floor(K, problem, b)
    slip = least + SHARE_OF_TOL * tol / unit
    scale = max(1.0, np.abs(b).sum())
    facts = (
        f"stopped={solution.stopped}, iterations={solution.iterations}, tol={tol:g}, gap reported "
        f"{solution.kkt_gap:.3g}, true {exact.gap * unit:.3g}, floor {least * unit:.3g}, "
        f"sum off by {exact.sum_error:.3g} of {scale:.3g}"
    )
    assert solution.stopped in ("converged", "precision-floor"), facts
    assert exact.bound_error <= 1e-12 * scale, facts
    assert exact.sum_error <= 1e-12 * scale, facts
    assert exact.gap * unit <= max(tol, least * unit) + slip * unit, facts
    rounding = 2 * slip * unit + 1e-6 * solution.kkt_gap
    assert abs(max(solution.kkt_gap, 0) - max(exact.gap, 0) * unit) <= rounding, facts
    assert np.abs(solution.gradient - exact.gradient).max() <= slip, facts
    assert abs(solution.objective - exact.objective) <= slip * scale, facts
    assert np.isfinite(solution.offset), facts
    low, high = sorted(exact.interval)
    if np.isfinite(low) and np.isfinite(high):
        assert low - slip <= -solution.offset <= high + slip, facts


@pytest.mark.parametrize("machine", MACHINES)
@settings(max_examples=300)
@given(data=st.data(), tol=st.sampled_from([1e-3, 1e-6, 1e-9]))
def test_optimality(machine: str, data, tol: float) -> None:
    case: RandomProblem = data.draw(random_problems(machine))
    K, problem = case.build()
    check(K, problem, machines.solve(problem, K, tol=tol, max_iter=STEPS), tol)


@pytest.mark.parametrize("tol", [1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("case", HARD_PROBLEMS, ids=str)
def test_optimality_of_problems_once_found_hard(case: RandomProblem, tol: float) -> None:
    K, problem = case.build()
    check(K, problem, machines.solve(problem, K, tol=tol, max_iter=STEPS), tol)
    start = machines.feasible_start(problem, np.random.default_rng(0).normal(size=len(K)))
    check(K, problem, machines.solve(problem, K, start=start, tol=tol, max_iter=STEPS), tol)


@pytest.mark.parametrize("machine", MACHINES)
@settings(max_examples=100)
@given(data=st.data())
def test_no_worse_than_the_reference(machine: str, data) -> None:
    case: RandomProblem = data.draw(random_problems(machine, max_rows=40))
    K, problem = case.build()
    solution = machines.solve(problem, K, tol=1e-9)
    best = programs.certificate(K, problem, programs.refine(K, problem))
    # gap times the spread of b bounds what is left of the objective
    spread = 2 * np.abs(solution.coefficients).sum()
    slack = (1e-9 / problem.gap_unit + floor(K, problem, solution.coefficients)) * max(1, spread)
    assert solution.objective <= best.objective + slack


@pytest.mark.parametrize("machine", MACHINES)
@settings(max_examples=100)
@given(data=st.data(), seed=st.integers(0, 2**32 - 1))
def test_optimality_from_any_start(machine: str, data, seed: int) -> None:
    case: RandomProblem = data.draw(random_problems(machine, max_rows=60))
    K, problem = case.build()
    point = np.random.default_rng(seed).normal(size=len(K))
    start = machines.feasible_start(problem, point)
    solution = machines.solve(problem, K, start=start, tol=1e-6, max_iter=STEPS)
    check(K, problem, solution, 1e-6)


def separable(X: np.ndarray, y: np.ndarray) -> bool:
    """Is there a plane with y (w'x + b) >= 1? A linear program knows."""
    rows = -y[:, None] * np.c_[X, np.ones(len(X))]
    found = optimize.linprog(
        np.zeros(X.shape[1] + 1), A_ub=rows, b_ub=-np.ones(len(X)), bounds=(None, None)
    )
    return found.status == 0


@settings(max_examples=150)
@given(planes())
def test_hard_margin_exists_exactly_where_a_plane_separates(case) -> None:
    X, y = case
    K = X @ X.T
    problem = HARD_MARGIN.problem(np.diag(K), y)
    solution = machines.solve(problem, K, tol=1e-8)
    if separable(X, y):
        check(K, problem, solution, 1e-8)
        margins = y * (K @ solution.coefficients + solution.offset)
        assert margins.min() > 1 - 1e-6
    else:
        assert solution.stopped == "unbounded"
