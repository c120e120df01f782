"""Readings of criteria that the publication leaves open."""

import numpy as np

from svsieve.criteria import Context
from svsieve.criteria.slack import Slack
from svsieve.criteria.sphere import smallest_sphere
from svsieve.kernels import KernelState, Linear
from svsieve.machines import L2Svm, solve
from svsieve.reproduce import Effort, find
from svsieve.reproduce.rakotomamonjy.figure_4 import bound
from svsieve.reproduce.rakotomamonjy.readings import BoundLeft


def test_the_bound_left_is_that_of_the_kept_coefficients():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 4)), np.where(np.arange(12) % 2, 1.0, -1.0)
    state, machine = KernelState(Linear(), X), L2Svm(C=10.0)
    problem = machine.problem(state.diagonal(), y)
    context = Context(machine, problem, solve(problem, state.gram()), None, y, state)
    u = context.solution.coefficients
    spread = smallest_sphere(context.gram(), Slack.of(context, None), context.tol)
    grown, shrunk = [], []
    for j in range(4):
        K = np.delete(X, j, axis=1) @ np.delete(X, j, axis=1).T + 0.1 * np.eye(12)
        radius = spread.b @ np.diagonal(K) - spread.b @ K @ spread.b
        grown.append(radius * (2.0 * np.abs(u).sum() - u @ K @ u))
        shrunk.append(radius * u @ K @ u)
    np.testing.assert_allclose(BoundLeft().scores(context), grown, rtol=1e-7)
    np.testing.assert_allclose(BoundLeft(grows=False).scores(context), shrunk, rtol=1e-7)


def test_the_bound_of_two_rows_on_a_line():
    # The kernel of rows that far apart is the identity, to which squared slacks add 1 / C: with the
    # diagonal d, R^2 = d / 2 and ||w||^2 = 2 / d.
    assert np.isclose(bound(np.array([[-40.0], [40.0]]), np.array([-1.0, 1.0])), 1.0)


def test_a_trial_depends_on_its_number_alone():
    toy = find("rakotomamonjy-2")
    cell = {"train_size": 10, "methods": "w2_retrain"}
    first, again, other = [list(toy.measure(cell, repeat, Effort.FULL)) for repeat in (3, 3, 4)]
    assert first == again
    assert first != other


def test_training_sets_of_the_toys_have_half_of_each_class():
    _, y = type(find("rakotomamonjy-1")).make(10, rng=0, balanced=True)
    assert y.sum() == 0
