"""First-order criteria: central differences of bounds whose programs are solved anew each time."""

from __future__ import annotations

import numpy as np
import pytest

from svsieve import kernels, machines
from svsieve.criteria import Maximum, PowerSum, RadiusMargin, Span, WeightNorm
from svsieve.elimination import Data, Parts, Task
from svsieve.elimination.engines import Turn, choose_engine
from svsieve.machines import one_vs_one
from tests.criteria.contexts import MACHINES, cloud, solved
from tests.criteria.plain import Bounds, derivative, scaled
from tests.elimination.walks import class_codes
from tests.kernels.kernel_cases import COMPOSITES, LINEAR, POLYNOMIAL, RBF
from tests.reference.kernels import gram

X, Y = cloud(24, 5)
CRITERIA = {
    "weight": WeightNorm(order=1),
    "radius margin": RadiusMargin(order=1),
    "variance margin": RadiusMargin(order=1, radius="variance"),
    "span": Span(order=1),
}
EVERY = pytest.mark.parametrize("name", CRITERIA)
EVERY_SLACK = pytest.mark.parametrize("slack", MACHINES)


def slopes(bound, kernel, table: np.ndarray) -> np.ndarray:
    return np.array(
        [
            derivative(lambda t, j=j: bound(gram(kernel, scaled(table, j, t))))
            for j in range(table.shape[1])
        ]
    )


@EVERY_SLACK
@EVERY
@pytest.mark.parametrize("case", [LINEAR, POLYNOMIAL, RBF, *COMPOSITES[:2]], ids=str)
def test_slopes_of_trained_bounds(case, name: str, slack: str) -> None:
    bound = Bounds(slack, 1.0).trained(name, Y)
    expected = np.abs(slopes(bound, case.naive(5), X))
    found = CRITERIA[name].scores(solved(case.library(5), X, Y, MACHINES[slack]))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6 * expected.max())


@EVERY_SLACK
@EVERY
@pytest.mark.parametrize("combine", [PowerSum(), Maximum()], ids=str)
def test_one_vs_one_joins_the_pairs_of_classes(combine, name: str, slack: str) -> None:
    rng = np.random.default_rng(4)
    table = rng.normal(size=(36, 4))
    codes = class_codes(table, 3)
    tasks = tuple(Task(task.rows, task.labels) for task in one_vs_one(codes, 3))
    data = Data(table, tasks, codes)
    parts = Parts(
        kernels.Rbf(gamma=0.2), MACHINES[slack], CRITERIA[name], combine=combine, tol=1e-12
    )
    kept = np.arange(4)
    found = choose_engine(data, parts, kept).fit(Turn(1, kept, 1, parts, 4)).scores
    each = []
    for task in tasks:
        bound = Bounds(slack, 1.0).trained(name, task.labels)
        each.append(np.abs(slopes(bound, RBF.naive(4), table[task.rows])))
    expected = np.sum(each, axis=0) if combine == PowerSum() else np.max(each, axis=0)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6 * expected.max())


@pytest.mark.parametrize("machine", [machines.CSvm(1.0), machines.L2Svm(1.0)], ids=str)
@pytest.mark.parametrize("order", [0, 1])
def test_the_weight_norm_of_the_linear_kernel_ranks_by_squared_weights(order, machine) -> None:
    table, labels = cloud(30, 40)
    context = solved(kernels.Linear(), table, labels, machine)
    w = table.T @ context.solution.coefficients
    np.testing.assert_array_equal(
        np.argsort(WeightNorm(order=order).scores(context)), np.argsort(w**2)
    )


@pytest.mark.parametrize("name", ["radius margin", "variance margin", "span"])
def test_pair_weights_hold_for_any_change_of_the_matrix(name: str) -> None:
    rng = np.random.default_rng(8)
    factor = rng.normal(size=(len(X), 3))
    change = factor @ factor.T / 3
    for slack, machine in MACHINES.items():
        context = solved(kernels.Rbf(gamma=0.2), X, Y, machine)
        M, K = CRITERIA[name].pair_weights(context), context.gram()
        bound = Bounds(slack, 1.0).trained(name, Y)
        expected = derivative(lambda t, K=K, bound=bound: bound(K + t * change), 1e-5)
        assert M.inner(change) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("name", ["radius margin", "span"])
def test_scaling_all_columns_is_as_good_as_another_C(name: str) -> None:
    """Linear kernel, squared slack: d/d ln v summed over the columns is twice d/d ln C."""
    context = solved(kernels.Linear(), X, Y, machines.L2Svm(2.0))
    M = CRITERIA[name].pair_weights(context)
    signed = context.state.contract_slopes(M)
    assert signed.sum() == pytest.approx(-2 * 0.5 * M.trace(), rel=1e-9)
