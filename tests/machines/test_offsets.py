"""Offsets that rounding must not decide."""

from dataclasses import replace

import numpy as np
import pytest

from svsieve.machines import CSvm, solve
from svsieve.machines.offsets import settled_offset


def without_free_rows(seed):
    """A problem whose coefficients are all at a bound: as many rows of each class, small C."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=12)
    labels = np.repeat([-1.0, 1.0], 6)
    problem = CSvm(C=1e-3).problem(x**2, labels)
    return problem, solve(problem, np.outer(x, x), tol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_a_coefficient_off_its_bound_by_rounding_decides_nothing(seed):
    problem, solution = without_free_rows(seed)
    b = solution.coefficients
    assert ((b == problem.lower) | (b == problem.upper)).all()
    assert settled_offset(problem, solution) == pytest.approx(solution.offset, abs=1e-14)
    for row in range(12):
        inward = 1e-16 if b[row] == problem.lower[row] else -1e-16
        moved = replace(solution, coefficients=b + inward * (np.arange(12) == row), offset=7.0)
        assert settled_offset(problem, moved) == pytest.approx(solution.offset, abs=1e-14)


def test_every_offset_of_the_interval_is_optimal_and_the_middle_is_taken():
    problem, solution = without_free_rows(0)
    b, gradient = solution.coefficients, solution.gradient
    low, high = gradient[b > problem.lower].max(), gradient[b < problem.upper].min()
    assert low < high
    assert settled_offset(problem, solution) == pytest.approx(-(low + high) / 2)


def test_free_rows_fix_the_offset():
    x = np.array([-1.0, 1.0, 3.0])
    problem = CSvm(C=10.0).problem(x**2, [-1.0, 1.0, 1.0])
    solution = solve(problem, np.outer(x, x))
    assert settled_offset(problem, solution) == solution.offset
