"""Pair weights of a problem on some of the rows."""

from __future__ import annotations

import numpy as np
import pytest

from svsieve import kernels, machines
from svsieve.criteria import WeightNorm, resolution_of
from svsieve.kernels import PairWeights
from tests.criteria.contexts import cloud, solved

X, Y = cloud()
SOME = np.array([1, 2, 3, 5, 8, 9, 12, 21, 24, 27])
SHUFFLED = SOME[[3, 0, 9, 4, 7, 1, 8, 2, 6, 5]]


def full(M: PairWeights, n: int) -> np.ndarray:
    out = np.zeros((n, n))
    out[np.ix_(M.rows, M.rows)] = M.matrix()
    return out


@pytest.mark.parametrize("rows", [None, SOME, SHUFFLED], ids=["all", "some", "shuffled"])
@pytest.mark.parametrize("machine", [machines.CSvm(), machines.L2Svm(), machines.Svdd(nu=0.5)])
def test_pair_weights_stand_at_the_rows_of_the_state(machine, rows: np.ndarray | None) -> None:
    context = solved(kernels.Rbf(gamma=0.3), X, Y, machine, rows)
    small = full(machine.pair_weights(context.solution), len(context.solution.coefficients))
    expected = np.zeros((len(X), len(X)))
    picked = np.arange(len(X)) if rows is None else rows
    expected[np.ix_(picked, picked)] = small
    lifted = context.pair_weights()
    np.testing.assert_array_equal(full(lifted, len(X)), expected)
    assert (np.diff(lifted.rows) > 0).all()


def test_scale_of_pair_weights_is_kept() -> None:
    context = solved(kernels.Linear(), X, Y, rows=SHUFFLED)
    for M in (PairWeights.outer(np.arange(10.0), scale=-2.0), 3.0 * PairWeights.dense(np.eye(10))):
        assert context.lift(M).trace() == pytest.approx(M.trace())


@pytest.mark.parametrize("rows", [SOME, SHUFFLED], ids=["some", "shuffled"])
@pytest.mark.parametrize("kernel", [kernels.Linear(), kernels.Rbf(gamma=0.3)])
def test_rows_outside_the_problem_do_not_count(kernel, rows: np.ndarray) -> None:
    alone = solved(kernel, X[rows], Y[rows])
    among = solved(kernel, X, Y, rows=rows)
    for criterion in (WeightNorm(0), WeightNorm(1)):
        np.testing.assert_allclose(criterion.scores(among), criterion.scores(alone), rtol=1e-7)


class Plain:
    def scores(self, context):
        return np.array([1.0, -4.0])


class Careful(Plain):
    def resolution(self, context, scores):
        return 0.25


def test_resolution_is_the_criterions_own_or_a_share_of_the_largest_score() -> None:
    context = solved(kernels.Linear(), X, Y)
    scores = np.array([1.0, -4.0])
    assert resolution_of(Plain(), context, scores) == pytest.approx(4e-11)
    assert resolution_of(Careful(), context, scores) == 0.25
    assert resolution_of(Plain(), context, np.empty(0)) == 0.0
