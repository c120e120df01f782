"""Several classes: problems that share a table, and the rules that join their scores."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

import numpy as np
import pytest

from svsieve.criteria import (
    CoefficientOfVariation,
    Maximum,
    MeanOverDeviation,
    MeanRank,
    PowerSum,
    WeightNorm,
)
from svsieve.elimination import Constant, Data, Parts, Task, trace
from svsieve.elimination.engines import kernel as kernel_engine
from svsieve.kernels import Linear, Rbf
from svsieve.machines import CSvm, L2Svm
from svsieve.machines.linear_primal import LinearPrimal
from tests.elimination.walks import by_engine, same_numbers, same_walk, several_classes, table
from tests.reference import elimination as plain
from tests.reference import kernels as naive

ROWS, COLUMNS, CLASSES = 36, 7, 3
RULES = [
    PowerSum(),
    PowerSum(2.0),
    Maximum(),
    CoefficientOfVariation(),
    MeanRank(),
    MeanOverDeviation(),
]


@pytest.fixture(params=["one-vs-one", "one-vs-rest"])
def data(request) -> Data:
    return several_classes(table("plain", ROWS, COLUMNS), CLASSES, request.param)


def listed(data: Data):
    return [(task.rows, task.labels, task.weights) for task in data.tasks]


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("machine", [CSvm(1.0), L2Svm(1.0)], ids=str)
@pytest.mark.parametrize("kernel", [Linear(), Rbf(gamma=0.2)], ids=str)
def test_sums_against_the_plain_loop(data: Data, kernel, machine, order: int) -> None:
    kind = "c" if isinstance(machine, CSvm) else "l2"
    shape = naive.Leaf("linear") if isinstance(kernel, Linear) else naive.Leaf("rbf", gamma=0.2)
    problems = plain.problems(listed(data), kind, machine.C)
    expected = plain.walk(data.X, problems, lambda X: shape, order=order)
    parts = Parts(kernel, machine, criterion=WeightNorm(order=order), tol=1e-11)
    path = trace(data, parts)
    assert path.order.tolist() == expected.order
    same_numbers(path.scores, expected.scores, rtol=1e-6)


@pytest.mark.parametrize("rule", RULES, ids=str)
@pytest.mark.parametrize("kernel", [Linear(), Rbf(gamma=0.2)], ids=str)
def test_rules_join_the_scores_of_the_problems(data: Data, kernel, rule) -> None:
    """Each step against the problems walked alone, each on its own rows."""
    parts = Parts(kernel, CSvm(1.0), combine=rule, tol=1e-11, engine="kernel")
    path = trace(data, parts)
    left = np.arange(COLUMNS)
    for step in range(path.n_steps):
        alone = [_scores(data, task, left, kernel) for task in data.tasks]
        joined = rule(np.array(alone))
        dropped = path.dropped[step]
        place = int(np.flatnonzero(left == dropped)[0])
        assert joined[place] == pytest.approx(path.scores[step], rel=1e-6, abs=1e-12)
        assert joined[place] <= joined.min() + 1e-6 * joined.max()
        left = np.setdiff1d(left, dropped)


def _scores(data: Data, task: Task, columns: np.ndarray, kernel) -> np.ndarray:
    X = np.ascontiguousarray(data.X[np.ix_(task.rows, columns)])
    alone = Data(X, (Task(None, task.labels),), data.groups[task.rows])
    fit = trace(alone, Parts(kernel, CSvm(1.0), tol=1e-11, least=len(columns), engine="kernel"))
    scores = np.empty(len(columns))
    scores[fit.survivors] = fit.survivor_scores
    return scores


@pytest.mark.parametrize("kernel", [Linear(), Rbf(gamma=0.2)], ids=str)
@pytest.mark.parametrize("rule", RULES[1:], ids=str)
def test_one_problem_is_not_changed_by_a_rule(kernel, rule) -> None:
    data = several_classes(table("plain", ROWS, COLUMNS), 2, "one-vs-one")
    straight = trace(data, Parts(kernel, CSvm(1.0)))
    same_walk(trace(data, Parts(kernel, CSvm(1.0), combine=rule)), straight)


def test_a_problem_given_twice_counts_twice() -> None:
    one = several_classes(table("plain", ROWS, COLUMNS), 2, "one-vs-one")
    two = Data(one.X, one.tasks * 2, one.groups)
    for engine in ("kernel", "wide-linear", "tall-linear"):
        once = trace(one, Parts(Linear(), CSvm(1.0), engine=engine))
        twice = trace(two, Parts(Linear(), CSvm(1.0), engine=engine))
        np.testing.assert_array_equal(once.order, twice.order)
        same_numbers(twice.importances, 2 * once.importances)


def test_order_of_the_problems_does_not_matter(data: Data) -> None:
    turned = Data(data.X, data.tasks[::-1], data.groups)
    for kernel in (Linear(), Rbf(gamma=0.2)):
        parts = Parts(kernel, CSvm(1.0), schedule=Constant(2))
        same_walk(trace(turned, parts), trace(data, parts), rtol=1e-6)


def test_rows_outside_a_problem_do_not_touch_it() -> None:
    """Moving the rows of a third class changes nothing for the pair of the others."""
    data = several_classes(table("plain", ROWS, 30), CLASSES, "one-vs-one")
    (task,) = (t for t in data.tasks if not (data.groups[t.rows] == 2).any())
    moved = data.X.copy()
    moved[data.groups == 2] *= 3.0
    for engine in ("kernel", "wide-linear", "tall-linear"):
        paths = [
            trace(Data(X, (task,), data.groups), Parts(Linear(), CSvm(1.0), engine=engine))
            for X in (data.X, moved)
        ]
        same_walk(*paths)
        assert paths[0].accuracy == pytest.approx(paths[1].accuracy)


@pytest.mark.parametrize("engine", ["kernel", "tall-linear"])
def test_the_gap_of_a_step_is_the_largest_of_its_problems(engine: str, monkeypatch) -> None:
    """Three problems a step, whose gaps are made to be 1, 3 and 2, then 11, 13 and 12, ..."""
    gaps = (10.0 * step + k for step in count() for k in (1, 3, 2))

    def numbered(solve):
        return lambda *given, **options: replace(solve(*given, **options), kkt_gap=next(gaps))

    monkeypatch.setattr(kernel_engine, "solve", numbered(kernel_engine.solve))
    monkeypatch.setattr(LinearPrimal, "solve", numbered(LinearPrimal.solve))
    data = several_classes(table("plain", 60, 5), 3, "one-vs-one")
    path = by_engine(data, engine, kernel=Linear(), machine=CSvm(1.0), least=2)
    assert path.kkt_gap.tolist() == [3.0, 13.0, 23.0]
    assert path.final_kkt_gap == 33.0
    assert path.largest_gap == 33.0
