"""Criteria that train again without each column, beside programs solved from scratch."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from svsieve import kernels, machines
from svsieve.criteria import RadiusMargin, Span, WeightNorm, resolution_of
from svsieve.elimination import Data, Parts, Task, trace
from svsieve.elimination.engines import Turn, choose_engine
from svsieve.errors import IncompatiblePartsError
from svsieve.machines import one_vs_one
from tests.criteria.contexts import MACHINES, cloud, oracle, solved
from tests.criteria.plain import Bounds
from tests.elimination.walks import class_codes
from tests.kernels.kernel_cases import CAUCHY, COMPOSITES, LINEAR, POLYNOMIAL, RBF, WEIGHTED
from tests.oracles import library, numbers
from tests.oracles.numbers import L2_SVM, assert_digits
from tests.reference.kernels import gram_without

X, Y = cloud(24, 5)
CRITERIA = {
    "weight": WeightNorm(retrain=True),
    "radius margin": RadiusMargin(retrain=True),
    "variance margin": RadiusMargin(retrain=True, radius="variance"),
    "span": Span(retrain=True),
}
EVERY = pytest.mark.parametrize("name", CRITERIA)
EVERY_SLACK = pytest.mark.parametrize("slack", MACHINES)


@pytest.mark.parametrize("column", range(3), ids=numbers.KERNELS)
def test_known_digits(column: int) -> None:
    context = oracle(library.L2_SVM, column)
    for name, printed in {
        "weight": "retrained norm without",
        "radius margin": "retrained radius * norm without",
        "span": "retrained span without",
    }.items():
        assert_digits(CRITERIA[name].scores(context), L2_SVM[printed][column])


@EVERY_SLACK
@EVERY
@pytest.mark.parametrize(
    "case", [LINEAR, POLYNOMIAL, RBF, CAUCHY, WEIGHTED[2], *COMPOSITES[:3]], ids=str
)
def test_scores_are_the_bounds_trained_without_a_column(case, name: str, slack: str) -> None:
    bound = Bounds(slack, 1.0).trained(name, Y)
    expected = [bound(gram_without(case.naive(5), X, j)) for j in range(5)]
    found = CRITERIA[name].scores(solved(case.library(5), X, Y, MACHINES[slack]))
    np.testing.assert_allclose(found, expected, rtol=1e-9)


@EVERY
def test_only_kept_columns_are_tried(name: str) -> None:
    whole = solved(kernels.Rbf(gamma=0.2), X, Y, MACHINES["l2"])
    whole.state.drop([0, 3])
    K = whole.state.gram()
    problem = whole.problem
    context = type(whole)(
        whole.machine, problem, machines.solve(problem, K, tol=1e-12), None, Y, whole.state, 1e-12
    )
    direct = solved(kernels.Rbf(gamma=0.2), X[:, [1, 2, 4]], Y, MACHINES["l2"])
    np.testing.assert_allclose(
        CRITERIA[name].scores(context), CRITERIA[name].scores(direct), rtol=1e-8
    )


def test_gamma_stays_as_it_is_with_all_columns() -> None:
    kernel = kernels.Rbf(gamma=kernels.PerFeature(1.0))
    found = CRITERIA["weight"].scores(solved(kernel, X, Y))
    fixed = CRITERIA["weight"].scores(solved(kernels.Rbf(gamma=0.2), X, Y))
    np.testing.assert_allclose(found, fixed, rtol=1e-12)


@EVERY_SLACK
@pytest.mark.parametrize("kernel", [kernels.Linear(), kernels.Rbf(gamma=0.2)], ids=str)
def test_retrained_norms_lie_above_what_frozen_ones_promise(kernel, slack: str) -> None:
    """The old coefficients stay feasible: the value grows at least by what the norm loses."""
    context = solved(kernel, X, Y, MACHINES[slack])
    value = MACHINES[slack].value(context.solution, context.problem)
    promised = value + WeightNorm(signed=True).scores(context)
    assert (WeightNorm(retrain=True).scores(context) >= promised * (1 - 1e-9)).all()


@pytest.mark.parametrize(("tol", "expected"), [(1e-3, 8e-10), (1e-12, 8e-12)])
@pytest.mark.parametrize(("name", "factors"), [("weight", 1.0), ("radius margin", 2.0)])
def test_a_tie_is_twice_the_gap_of_the_largest_finite_score(name, factors, tol, expected) -> None:
    context = replace(solved(kernels.Rbf(gamma=0.2), X, Y), tol=tol)
    found = resolution_of(CRITERIA[name], context, np.array([0.5, -4.0, 1.0, np.inf]))
    assert found == pytest.approx(factors * expected)


@EVERY_SLACK
@EVERY
def test_twins_are_a_tie(name: str, slack: str) -> None:
    twins = np.column_stack([X, X[:, 2]])
    context = solved(kernels.Rbf(gamma=0.2), twins, Y, MACHINES[slack], tol=1e-8)
    scores = CRITERIA[name].scores(context)
    resolution = np.max(resolution_of(CRITERIA[name], context, scores))
    assert abs(scores[2] - scores[5]) <= resolution
    assert resolution < 1e-9 * scores.max()


@EVERY
def test_one_vs_one_adds_up_the_pairs_of_classes(name: str) -> None:
    table = np.random.default_rng(4).normal(size=(36, 4))
    codes = class_codes(table, 3)
    tasks = tuple(Task(task.rows, task.labels) for task in one_vs_one(codes, 3))
    kernel, kept = kernels.Rbf(gamma=0.2), np.arange(4)
    parts = Parts(kernel, MACHINES["l2"], CRITERIA[name], tol=1e-12)
    engine = choose_engine(Data(table, tasks, codes), parts, kept)
    found = engine.fit(Turn(1, kept, 1, parts, 4)).scores
    expected = np.zeros(4)
    for task in tasks:
        bound = Bounds("l2", 1.0).trained(name, task.labels)
        own = table[task.rows]
        expected += [bound(gram_without(RBF.naive(4), own, j)) for j in range(4)]
    np.testing.assert_allclose(found, expected, rtol=1e-9)


@EVERY
def test_a_whole_elimination_follows_the_retrained_bound(name: str) -> None:
    data = Data(X, (Task(labels=Y),), (Y > 0).astype(np.int64))
    path = trace(data, Parts(kernels.Linear(), MACHINES["l2"], CRITERIA[name]))
    assert path.engine == "kernel"
    bound, left = Bounds("l2", 1.0).trained(name, Y), list(range(5))
    for dropped in path.dropped:
        rest = [X[:, [k for k in left if k != j]] for j in left]
        values = [bound(own @ own.T) for own in rest]
        assert left[int(np.argmin(values))] == dropped
        left.remove(dropped)


@EVERY
def test_columns_without_which_nothing_separates_score_infinity(name: str) -> None:
    table = np.column_stack([Y + 0.1 * X[:, 0], 0.1 * X[:, 1], 0.1 * X[:, 2]])
    context = solved(kernels.Linear(), table, Y, machines.L2Svm(C=np.inf))
    scores = CRITERIA[name].scores(context)
    assert np.isinf(scores[0])
    assert np.isfinite(scores[1:]).all()
    assert np.isfinite(resolution_of(CRITERIA[name], context, scores)).all()


def test_a_column_without_which_all_coefficients_lie_at_a_bound() -> None:
    """One column tells the classes apart; without it C is too small for anything but its bound."""
    rng = np.random.default_rng(0)
    labels = np.where(np.arange(20) % 2, 1.0, -1.0)
    table = np.column_stack([3 * labels + rng.normal(size=20), 1e-3 * rng.normal(size=(20, 2))])
    context = solved(kernels.Linear(), table, labels, machines.CSvm(0.1))
    scores = Span(retrain=True).scores(context)
    np.testing.assert_array_equal(np.isinf(scores), [True, False, False])


def test_the_linear_engines_do_not_retrain() -> None:
    data = Data(X, (Task(labels=Y),), (Y > 0).astype(np.int64))
    parts = Parts(kernels.Linear(), machines.CSvm(), WeightNorm(retrain=True), engine="wide-linear")
    with pytest.raises(IncompatiblePartsError, match=r"wide-linear.*retrain=True"):
        trace(data, parts)


@pytest.mark.parametrize("machine", [machines.Svdd(nu=0.5), machines.OneClass(nu=0.5)], ids=str)
def test_machines_of_one_class_are_not_retrained(machine) -> None:
    context = solved(kernels.Rbf(gamma=0.2), X, Y, machine)
    with pytest.raises(IncompatiblePartsError, match=r"WeightNorm\(.*retrain=True.*two classes"):
        WeightNorm(retrain=True).scores(context)


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("machine", [machines.Svdd(nu=0.5), machines.OneClass(nu=0.5)], ids=str)
def test_weight_norm_of_one_class_is_the_change_of_the_value(machine, order: int) -> None:
    context = solved(kernels.Rbf(gamma=0.2), X, Y, machine)
    M = machine.pair_weights(context.solution)
    expected = (
        context.state.contract_slopes(M)
        if order
        else context.state.contract_without(M) - M.inner(context.gram())
    )
    found = WeightNorm(order=order).scores(context)
    np.testing.assert_allclose(found, np.abs(expected), rtol=1e-9)


def test_parameters_are_checked() -> None:
    with pytest.raises(ValueError, match=r"retrain of WeightNorm needs order=0.*Got order=1"):
        WeightNorm(order=1, retrain=True)
    with pytest.raises(ValueError, match=r"signed of WeightNorm must be False with retrain=True"):
        WeightNorm(signed=True, retrain=True)
