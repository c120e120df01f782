"""The least scores found by screening are those found by computing all of them."""

from __future__ import annotations

import numpy as np
import pytest

from svsieve import kernels, machines
from svsieve.criteria import RadiusMargin, WeightNorm, resolution_of
from svsieve.criteria.retrain import lower_bounds
from svsieve.elimination import Bootstrap, Constant, Data, Parts, Task, trace
from tests.criteria.contexts import cloud, solved
from tests.elimination.walks import same_walk, several_classes, two_classes

X, Y = cloud(160, 900)
KERNELS = {
    "rbf": kernels.Rbf(gamma=1e-3),
    "polynomial": kernels.Polynomial(degree=3, gamma=1e-3, coef0=1.0),
}


class InFull:
    """The weight norm without its shortcut."""

    def __init__(self, order: int, **options) -> None:
        self.order, self.options = order, options

    def scores(self, context):
        return WeightNorm(self.order, **self.options).scores(context)


@pytest.mark.parametrize("count", [1, 20])
@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("name", KERNELS)
def test_least_scores(name: str, order: int, count: int) -> None:
    context = solved(KERNELS[name], X, Y, machines.L2Svm(1.0))
    criterion = WeightNorm(order)
    scores = criterion.scores(context)
    found = criterion.least(context, count)
    assert found is not None
    assert len(found.positions) < len(scores) / 2
    assert set(np.argsort(scores)[: count + 1]) <= set(found.positions)
    np.testing.assert_allclose(found.values, scores[found.positions], rtol=1e-9)
    expected = resolution_of(criterion, context, scores)
    assert found.resolution == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("order", [0, 1])
def test_whole_eliminations_agree(order: int) -> None:
    data = Data(X[:, :300], (Task(labels=Y),), (Y > 0).astype(np.int64))
    keep = np.array([0, 7])
    common = {"schedule": Constant(40), "keep": keep, "least": 20}
    kernel, machine = KERNELS["rbf"], machines.CSvm(1.0)
    short = trace(data, Parts(kernel, machine, WeightNorm(order), **common))
    full = trace(data, Parts(kernel, machine, InFull(order), **common))
    same_walk(short, full)


@pytest.mark.parametrize("several", ["classes", "samples"])
def test_no_single_machine_speaks_for_several(several: str) -> None:
    if several == "classes":
        data, common = several_classes(X[:40, :8], 3, "one-vs-one"), {"least": 4}
    else:
        data, common = two_classes(X[:40, :8]), {"least": 4, "sampler": Bootstrap(3)}
    kernel, machine = kernels.Rbf(gamma=0.05), machines.CSvm(1.0)
    short = trace(data, Parts(kernel, machine, WeightNorm(retrain=True), **common))
    full = trace(data, Parts(kernel, machine, InFull(0, retrain=True), **common))
    same_walk(short, full)


def test_nothing_is_screened_where_all_scores_are_as_cheap_or_needed() -> None:
    context = solved(KERNELS["rbf"], X, Y)
    assert WeightNorm(signed=True).least(context, 1) is None
    assert WeightNorm().least(context, 900) is None
    assert WeightNorm().least(solved(kernels.Linear(), X, Y), 1) is None
    assert WeightNorm().least(solved(kernels.Rbf(gamma=0.2), X[:30, :5], Y[:30]), 1) is None


@pytest.mark.parametrize("machine", [machines.CSvm(1.0), machines.L2Svm(10.0)], ids=repr)
@pytest.mark.parametrize("count", [1, 4])
@pytest.mark.parametrize(
    "criterion",
    [
        WeightNorm(retrain=True),
        RadiusMargin(retrain=True),
        RadiusMargin(retrain=True, radius="variance"),
    ],
    ids=repr,
)
def test_retraining_in_the_order_of_bounds_finds_the_least(criterion, machine, count) -> None:
    context = solved(kernels.Rbf(gamma=0.05), X[:60, :14], Y[:60], machine)
    full = criterion.scores(context)
    found = criterion.least(context, count)
    assert found is not None
    assert len(found.positions) < len(full)
    np.testing.assert_allclose(found.values, full[found.positions], rtol=1e-9)
    wanted = np.argsort(full, kind="stable")[: count + 1]
    assert set(wanted) <= set(found.positions.tolist())


@pytest.mark.parametrize("machine", [machines.CSvm(1.0), machines.L2Svm(10.0)], ids=repr)
def test_no_retrained_norm_lies_below_its_bound(machine) -> None:
    context = solved(KERNELS["rbf"], X[:60, :14], Y[:60], machine)
    full = WeightNorm(retrain=True).scores(context)
    assert (lower_bounds(context) <= full * (1 + 1e-9)).all()


def test_radius_and_margin_are_screened_only_when_trained_again() -> None:
    assert RadiusMargin().least(solved(KERNELS["rbf"], X, Y), 1) is None
