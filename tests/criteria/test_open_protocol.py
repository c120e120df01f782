"""A criterion of one's own: one class that is given the solution, the labels and the kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from svsieve import SVC, SVMRFE, kernels, machines
from svsieve.criteria import Context, WeightNorm
from svsieve.kernels import PairWeights
from svsieve.resolve import resolve_criterion
from tests.criteria.contexts import cloud, solved

X, Y = cloud(24, 5)
POLYNOMIAL = kernels.Polynomial(degree=3, gamma=0.2, coef0=0.6)


@dataclass(frozen=True)
class LabelsTwice:
    """constant - 1/2 sum b_i b_j l_i l_j K_ij(-t): labels `l` as stored, on top of signed b.

    `stored` are the values that stand for the classes -1 and +1.
    """

    stored: tuple[float, float]
    constant: float = 0.0

    def scores(self, context: Context) -> np.ndarray:
        negative, positive = self.stored
        labels = np.where(context.labels > 0, positive, negative)
        M = PairWeights.outer(context.solution.coefficients * labels, scale=-0.5)
        return self.constant + context.state.contract_without(context.lift(M))


def written_out(context: Context, table: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The same as four loops."""
    b = context.solution.coefficients
    found = []
    for t in range(table.shape[1]):
        rest = np.delete(table, t, axis=1)
        total = 0.0
        for i in np.flatnonzero(b):
            for j in np.flatnonzero(b):
                kernel = (0.2 * (rest[i] @ rest[j]) + 0.6) ** 3
                total += b[i] * b[j] * labels[i] * labels[j] * kernel
        found.append(-total / 2)
    return np.array(found)


@pytest.mark.parametrize("stored", [(-1.0, 1.0), (0.0, 1.0)], ids=["signs", "zero and one"])
def test_labels_applied_twice_and_as_stored(stored) -> None:
    context = solved(POLYNOMIAL, X, Y, machines.CSvm(0.6))
    labels = np.where(Y > 0, stored[1], stored[0])
    expected = 7.0 + written_out(context, X, labels)
    found = LabelsTwice(stored, constant=7.0).scores(context)
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_signed_labels_twice_do_not_see_the_classes() -> None:
    context = solved(POLYNOMIAL, X, Y, machines.CSvm(0.6))
    alpha = np.abs(context.solution.coefficients)
    blind = -0.5 * context.state.contract_without(PairWeights.outer(alpha))
    np.testing.assert_allclose(LabelsTwice((-1.0, 1.0)).scores(context), blind, rtol=1e-12)


def test_it_ranks_whole_tables() -> None:
    criterion = LabelsTwice((0.0, 1.0))
    machine = SVC(kernel="poly", degree=3, gamma=0.2, coef0=0.6, C=0.6)
    selector = SVMRFE(machine, criterion=criterion, n_features_to_select=1)
    path = selector.fit(X, (Y > 0).astype(int)).path_
    assert sorted(path.order) == list(range(5))
    context = solved(POLYNOMIAL, X, Y, machines.CSvm(0.6))
    assert path.dropped[0] == np.argmin(written_out(context, X, (Y > 0).astype(float)))
    assert path.notes["criterion"] == repr(criterion)


@dataclass(frozen=True)
class Halved:
    """Another way to write a criterion that exists: half of the norm lost."""

    def scores(self, context: Context) -> np.ndarray:
        return WeightNorm(signed=True).scores(context) / 2

    def resolution(self, context: Context, scores: np.ndarray) -> float:
        return 1e-9


def test_an_object_is_taken_as_it_is() -> None:
    criterion = Halved()
    assert resolve_criterion(criterion) is criterion
    context = solved(POLYNOMIAL, X, Y)
    u, K = context.solution.coefficients, context.gram()
    expected = (u @ K @ u - context.state.contract_without(PairWeights.outer(u))) / 2
    np.testing.assert_allclose(criterion.scores(context), expected, rtol=1e-9)
