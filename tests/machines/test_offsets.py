"""Offsets that rounding must not decide."""

import numpy as np
import pytest

from svsieve.machines import CSvm, solve


def without_free_rows(seed):
    """A problem whose coefficients are all at a bound: as many rows of each class, small C."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=12)
    labels = np.repeat([-1.0, 1.0], 6)
    return CSvm(C=1e-3).problem(x**2, labels), np.outer(x, x)


@pytest.mark.parametrize("seed", range(5))
def test_a_start_off_its_bound_by_rounding_decides_nothing(seed):
    problem, gram = without_free_rows(seed)
    solution = solve(problem, gram, tol=1e-12)
    b = solution.coefficients
    assert ((b == problem.lower) | (b == problem.upper)).all()
    for row in range(12):
        inward = 1e-17 if b[row] == problem.lower[row] else -1e-17
        start = b + inward * (np.arange(12) == row)
        again = solve(problem, gram, start=start, tol=1e-12)
        assert again.offset == pytest.approx(solution.offset, abs=1e-14)
        assert ((again.coefficients == problem.lower) | (again.coefficients == problem.upper)).all()


def test_every_offset_of_the_interval_is_optimal_and_the_middle_is_taken():
    problem, gram = without_free_rows(0)
    solution = solve(problem, gram, tol=1e-12)
    b, gradient = solution.coefficients, solution.gradient
    low, high = gradient[b > problem.lower].max(), gradient[b < problem.upper].min()
    assert low < high
    assert solution.offset == pytest.approx(-(low + high) / 2)
