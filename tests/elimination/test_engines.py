"""Engines differ in speed alone: the same columns, in the same order, with the same scores."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

from svsieve import kernels
from svsieve.criteria import Maximum, PowerSum, WeightNorm
from svsieve.datasets import make_weston_linear
from svsieve.elimination import (
    Annealing,
    AtSize,
    Constant,
    Data,
    Entropy,
    Fraction,
    Parts,
    Sizes,
    Sqrt,
    Subsample,
    Task,
    WhenScoreAbove,
    trace,
)
from svsieve.elimination.engines import choose_engine, engine_name
from svsieve.errors import IncompatiblePartsError
from svsieve.kernels import Linear, Rbf
from svsieve.machines import CSvm, L2Svm, OneClass
from tests.elimination.walks import (
    TABLES,
    by_engine,
    class_codes,
    same_walk,
    several_classes,
    signs,
    table,
    two_classes,
)

WIDE, TALL = (24, 60), (60, 12)
MACHINES = [CSvm(1e-3), CSvm(1.0), CSvm(1e3), L2Svm(1e-3), L2Svm(1.0), L2Svm(1e3)]
SCHEDULES = [Constant(1), Constant(3), Constant(10), Constant(17), Fraction(0.2), Sqrt()]


def expect_agreement(data: Data, rtol: float = 1e-7, **parts) -> None:
    """Wide and kernel engine; also the tall one where there are more rows than columns."""
    parts = {"kernel": Linear(), "machine": CSvm(1.0), **parts}
    plain = by_engine(data, "kernel", **parts)
    same_walk(by_engine(data, "wide-linear", **parts), plain, rtol)
    if data.n_rows > 2 * data.n_columns:
        same_walk(by_engine(data, "tall-linear", **parts), plain, rtol)


@pytest.mark.parametrize("shape", [WIDE, TALL], ids=["wide", "tall"])
@pytest.mark.parametrize("machine", MACHINES, ids=str)
@pytest.mark.parametrize("kind", TABLES)
def test_every_kind_of_table(kind: str, machine, shape) -> None:
    # A Gram matrix has fewer digits than the table: columns of very different scale, hardly bound.
    rtol = 1e-4 if kind == "scales" and machine.C > 1 else 1e-7
    expect_agreement(two_classes(table(kind, *shape)), rtol, machine=machine)


@pytest.mark.parametrize("shape", [WIDE, TALL], ids=["wide", "tall"])
@pytest.mark.parametrize("schedule", SCHEDULES, ids=str)
@pytest.mark.parametrize("kind", ["plain", "duplicates", "integers"])
def test_every_schedule(kind: str, schedule, shape) -> None:
    for machine in (CSvm(10.0), L2Svm(0.1)):
        expect_agreement(two_classes(table(kind, *shape, 1)), machine=machine, schedule=schedule)


@pytest.mark.parametrize("shape", [WIDE, TALL], ids=["wide", "tall"])
@pytest.mark.parametrize("bias", [0.0, 1.0, 30.0])
@pytest.mark.parametrize("kind", ["plain", "scales", "integers", "duplicates"])
def test_penalised_bias(kind: str, bias: float, shape) -> None:
    for machine in (CSvm(0.1), CSvm(10.0), L2Svm(1.0)):
        expect_agreement(two_classes(table(kind, *shape)), machine=machine, bias=bias)


@pytest.mark.parametrize("shape", [WIDE, TALL], ids=["wide", "tall"])
@pytest.mark.parametrize("bias", [None, 1.0])
@pytest.mark.parametrize("machine", [CSvm(1.0), L2Svm(1.0)], ids=str)
def test_weights_of_rows(machine, bias, shape) -> None:
    weights = np.random.default_rng(0).uniform(0.1, 4.0, shape[0])
    expect_agreement(two_classes(table("plain", *shape), weights=weights), machine=machine)
    weights[::5] = 0.0
    data = two_classes(table("integers", *shape), weights=weights)
    expect_agreement(data, machine=machine, bias=bias)


@pytest.mark.parametrize("shape", [WIDE, TALL], ids=["wide", "tall"])
@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("schedule", [Constant(1), Constant(10)], ids=str)
def test_orders_and_kept_columns(order: int, schedule, shape) -> None:
    data = two_classes(table("plain", *shape, 2))
    first = trace(data, Parts(Linear(), CSvm(1.0)))
    keep = np.sort([*first.dropped[:2], *first.top(2)])  # also such as would go at once
    expect_agreement(data, criterion=WeightNorm(order=order), schedule=schedule, keep=keep)


@pytest.mark.parametrize("shape", [WIDE, TALL], ids=["wide", "tall"])
@pytest.mark.parametrize("scheme", ["one-vs-one", "one-vs-rest"])
@pytest.mark.parametrize("kind", ["plain", "scales", "constants", "integers"])
def test_several_classes(kind: str, scheme: str, shape) -> None:
    weights = np.random.default_rng(1).uniform(0.5, 2.0, shape[0])
    for machine in (CSvm(1.0), L2Svm(10.0)):
        expect_agreement(several_classes(table(kind, *shape), 3, scheme), machine=machine)
    weighted = several_classes(table(kind, *shape), 4, scheme, weights=weights)
    expect_agreement(weighted, bias=1.0, schedule=Constant(3))


@pytest.mark.parametrize("machine", [CSvm(1.0), L2Svm(1.0)], ids=str)
@pytest.mark.parametrize("steps", [1, 4])
def test_lists_of_columns(steps: int, machine) -> None:
    """So many columns that the wide engine weighs only those that can matter."""
    for kind in ("scales", "integers"):
        data = two_classes(table(kind, 20, 400))
        expect_agreement(data, machine=machine, schedule=Constant(steps))
    first = {"machine": machine, "schedule": Constant(steps), "stops": [AtSize(1300)]}
    expect_agreement(two_classes(table("scales", 20, 1500)), **first)
    expect_agreement(several_classes(table("plain", 20, 1500), 3, "one-vs-rest"), **first)


def test_lists_of_lists_of_columns() -> None:
    data = two_classes(table("scales", 16, 7000))
    expect_agreement(data, stops=[AtSize(6700)])
    rare = two_classes(table("mostly zero", 30, 7000))
    expect_agreement(rare, stops=[AtSize(6700)])


@pytest.mark.parametrize("times", [1e2, 1e3, 1e4])
def test_columns_that_dominate_the_others(times: float) -> None:
    """What is left of a Gram matrix after they have gone has fewer digits."""
    for shape in (WIDE, TALL):
        X = table("plain", *shape)
        codes = class_codes(X)
        X[:, [3, 7]] *= times
        data = Data(X, (Task(None, signs(codes)),), codes)
        for machine in (CSvm(1.0), L2Svm(1.0)):
            expect_agreement(data, 1e-3, machine=machine)


@pytest.mark.parametrize("away", [1e5, 1e7])
def test_columns_far_from_zero(away: float) -> None:
    """Their squares would leave the tall engine few digits; a constant column is such a one."""
    X = table("plain", 400, 8)
    codes = class_codes(X)
    X[:, 3] += away
    X[:, 5] = away
    data = Data(X, (Task(None, signs(codes)),), codes)
    for machine in (CSvm(1.0), L2Svm(1.0)):
        expect_agreement(data, machine=machine)
        path = by_engine(data, "tall-linear", kernel=Linear(), machine=machine)
        assert path.kkt_gap.max() <= 1e-9


@pytest.mark.parametrize("scheme", ["one-vs-one", "one-vs-rest"])
@pytest.mark.parametrize("unit", [1e-19, 1e-22, 1e-25])
def test_columns_whose_squares_vanish_in_single_precision(unit: float, scheme: str) -> None:
    """Beside a column of size one. With squared slack the coefficients are still unique."""
    X = table("scales", 24, 150)
    codes = class_codes(X, 3)
    data = several_classes(X, 3, scheme)
    X[:, 1:] *= unit
    tiny = Data(X, data.tasks, codes)
    expect_agreement(tiny, machine=L2Svm(1.0), stops=[AtSize(2)])


def test_weighted_linear_kernel() -> None:
    for shape in (WIDE, TALL):
        factors = np.random.default_rng(3).uniform(0.0, 2.0, shape[1])
        factors[4] = 0.0
        data = two_classes(table("far", *shape))
        expect_agreement(data, kernel=Linear(weights=factors))
        scaled = two_classes(data.X * np.sqrt(factors))
        weighted = trace(data, Parts(Linear(weights=factors), CSvm(1.0)))
        same_walk(
            weighted,
            trace(Data(scaled.X, data.tasks, data.groups), Parts(Linear(), CSvm(1.0))),
            rtol=1e-5,
        )


@pytest.mark.parametrize("bias", [None, 1.0])
@pytest.mark.parametrize("engine", ["kernel", "wide-linear", "tall-linear"])
def test_sparse_tables(engine: str, bias) -> None:
    X = table("mostly zero", 70, 20)
    codes = class_codes(X)
    tasks = (Task(None, signs(codes)),)
    parts = {"kernel": Linear(), "machine": CSvm(1.0), "bias": bias}
    dense = by_engine(Data(X, tasks, codes), engine, **parts)
    same_walk(by_engine(Data(sparse.csr_array(X), tasks, codes), engine, **parts), dense)


# ---- the choice


def engine_for(shape, **parts) -> str:
    data = two_classes(np.random.default_rng(0).normal(size=shape))
    made = Parts(**{"kernel": Linear(), "machine": CSvm(1.0), **parts})
    return choose_engine(data, made, np.arange(shape[1])).name


def test_linear_tables_get_the_engine_of_their_shape() -> None:
    assert engine_for((20, 50)) == "wide-linear"
    assert engine_for((300, 20)) == "wide-linear"
    assert engine_for((600, 20)) == "tall-linear"
    assert engine_for((600, 100)) == "wide-linear"


def test_what_only_the_kernel_engine_can_do() -> None:
    assert engine_for((20, 50), kernel=Rbf()) == "kernel"
    assert engine_for((20, 50), sampler=Subsample(0.5)) == "kernel"
    assert engine_for((20, 50), schedule=Entropy()) == "kernel"
    assert engine_for((20, 50), machine=L2Svm(np.inf)) == "kernel"
    assert engine_for((20, 50), stops=[WhenScoreAbove(0.1, relative=True)]) == "kernel"
    assert engine_for((20, 50), stops=[WhenScoreAbove(0.1)], schedule=Annealing()) == "wide-linear"
    several = several_classes(table("plain", *WIDE), 3, "one-vs-one")
    parts = Parts(Linear(), CSvm(1.0), combine=Maximum())
    assert choose_engine(several, parts, np.arange(WIDE[1])).name == "kernel"


@pytest.mark.parametrize("engine", ["wide-linear", "tall-linear"])
@pytest.mark.parametrize(
    ("parts", "named"),
    [
        ({"kernel": Rbf(gamma=0.5)}, "Rbf"),
        ({"kernel": kernels.Sum([Linear(), Rbf()])}, "Sum"),
        ({"machine": OneClass()}, "OneClass"),
        ({"machine": L2Svm(np.inf)}, "L2Svm"),
        ({"sampler": Subsample(0.5)}, "Subsample"),
    ],
)
def test_an_engine_that_cannot_is_refused(engine: str, parts: dict, named: str) -> None:
    data = two_classes(table("plain", *WIDE))
    made = Parts(**{"kernel": Linear(), "machine": CSvm(1.0), **parts, "engine": engine})
    with pytest.raises(IncompatiblePartsError, match=f"{engine}.*{named}"):
        trace(data, made)


@pytest.mark.parametrize(
    ("parts", "named"),
    [
        ({"schedule": Entropy()}, "Entropy"),
        ({"stops": [WhenScoreAbove(0.1, relative=True)]}, "WhenScoreAbove"),
        ({"combine": Maximum()}, "Maximum"),
    ],
)
def test_what_the_wide_engine_has_no_scores_for_is_refused(parts: dict, named: str) -> None:
    data = several_classes(table("plain", *WIDE), 3, "one-vs-one")
    with pytest.raises(IncompatiblePartsError, match=f"wide-linear.*{named}"):
        trace(data, Parts(Linear(), CSvm(1.0), engine="wide-linear", **parts))


def test_an_inverse_without_numbers_is_noticed() -> None:
    """Here rows leave an inverse that is all but singular, at the last two of many columns."""
    X, y = make_weston_linear(50, 202, np.random.default_rng(37))
    folds = StratifiedKFold(5, shuffle=True, random_state=2).split(X, y)
    rows, _ = next(iter(folds))
    X, y = StandardScaler().fit_transform(X[rows]), y[rows].astype(float)
    sizes = [161, 128, 102, 81, 64, 51, *range(40, 0, -1)]
    data = Data(X, (Task(labels=y),), (y > 0).astype(np.int64))
    paths = [
        trace(data, Parts(Linear(), CSvm(1.0), schedule=Sizes(sizes), engine=engine))
        for engine in ("wide-linear", "kernel")
    ]
    np.testing.assert_array_equal(paths[0].order, paths[1].order)
    np.testing.assert_allclose(paths[0].scores, paths[1].scores, rtol=1e-9)
    assert np.isfinite(paths[0].survivor_scores).all()


def test_the_rows_of_the_largest_problem_count() -> None:
    """Ten classes of 120 rows: pairs have 240, one class against the rest has all 1200."""
    pairs, rest = (
        several_classes(table("plain", 1200, 8), 10, way) for way in ("one-vs-one", "one-vs-rest")
    )
    plain = Parts(Linear(), CSvm(1.0))
    cubes = Parts(Linear(), CSvm(1.0), combine=PowerSum(3.0))
    assert [engine_name(pairs, parts) for parts in (plain, cubes)] == ["wide-linear", "kernel"]
    assert [engine_name(rest, parts) for parts in (plain, cubes)] == ["tall-linear"] * 2


@pytest.mark.parametrize(
    ("rows", "columns", "machine", "schedule", "engine"),
    [
        (1200, 300, L2Svm(1.0), Fraction(0.1), "tall-linear"),
        (1200, 1300, L2Svm(1.0), Fraction(0.1), "wide-linear"),
        (1200, 600, L2Svm(1.0), Constant(1), "wide-linear"),
        (1200, 200, L2Svm(1.0), Constant(1), "tall-linear"),
        (1200, 300, CSvm(1.0), Fraction(0.1), "wide-linear"),
        (1200, 100, CSvm(1.0), Constant(1), "tall-linear"),
    ],
)
def test_the_quicker_linear_engine(rows, columns, machine, schedule, engine) -> None:
    """Each was measured to be; the squared slack is quick in its weights while columns are few."""
    data = two_classes(np.ones((rows, columns)))
    assert engine_name(data, Parts(Linear(), machine, schedule=schedule)) == engine


@pytest.mark.parametrize("machine", [CSvm(1.0), L2Svm(1.0)], ids=["bound", "ridge"])
def test_columns_far_wider_are_solved_for_in_their_weights(machine) -> None:
    """Dense and sparse alike: beside them the others would vanish in a Gram matrix."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 60)) * (rng.random((500, 60)) < 0.3)
    X[:, 7] *= 1e8
    dense = two_classes(X)
    thin = replace(dense, X=sparse.csr_array(X))
    parts = Parts(Linear(), machine, schedule=Fraction(0.2))
    paths = [trace(data, parts) for data in (dense, thin)]
    assert [path.engine for path in paths] == ["tall-linear", "tall-linear"]
    assert max(path.largest_gap for path in paths) <= 1e-9
    np.testing.assert_array_equal(paths[0].order, paths[1].order)


@pytest.mark.parametrize("engine", ["kernel", "wide-linear", "tall-linear"])
def test_seconds_of_the_steps_add_up_to_no_more_than_there_were(engine: str) -> None:
    data = two_classes(table("plain", *TALL))
    began = perf_counter()
    path = by_engine(data, engine, kernel=Linear(), machine=CSvm(1.0))
    elapsed = perf_counter() - began
    assert (path.seconds >= 0.0).all()
    assert 0.0 < path.seconds.sum() <= elapsed


@pytest.mark.parametrize("engine", ["kernel", "tall-linear"])
@pytest.mark.parametrize("bias", [None, 1.0, 0.3])
def test_what_rounding_leaves_open_is_measured_by_weights_and_columns(engine: str, bias) -> None:
    """w_j = sum_i b_i x_ij is known to 1e-11 ||b|| ||x_j||: b and x_j of the solution kept."""
    X = table("plain", *TALL) + 3.0
    data = two_classes(X)
    parts = {"kernel": Linear(), "machine": L2Svm(1.0), "bias": bias}
    path = trace(data, Parts(**parts, engine=engine), solutions=True)
    for step, j in enumerate(path.dropped):
        (solution,) = path.solutions[step]
        b, column = np.zeros(len(X)), X[:, j]
        b[solution.rows] = solution.values
        if bias is not None:  # the machine has one row more, of zeros
            column = np.append(column, 0.0)
            b = np.append(b, -b.sum()) if engine == "kernel" else b
        rounding = 1e-11 * np.linalg.norm(b) * np.linalg.norm(column - column.mean())
        expected = 2.0 * abs(X[:, j] @ b[: len(X)]) * rounding + rounding**2
        assert path.resolution[step] == pytest.approx(expected, rel=1e-5, abs=0.0)


@pytest.mark.parametrize("size", [1e3, 1e6])
def test_a_huge_column_that_has_gone_leaves_no_trace_in_the_scores(size: float) -> None:
    X = table("plain", 24, 40)
    X[:, 7] *= size
    data = two_classes(X)
    path = by_engine(data, "wide-linear", kernel=Linear(), machine=CSvm(1.0))
    at = int(np.flatnonzero(path.dropped == 7)[0])
    assert at < 30  # its weight is small
    left = np.sort(path.order[: 40 - at - 1])
    rest = Data(X[:, left], data.tasks, data.groups)
    alone = by_engine(rest, "kernel", kernel=Linear(), machine=CSvm(1.0))
    np.testing.assert_array_equal(left[alone.order], path.order[: len(left)])
    np.testing.assert_allclose(path.scores[at + 1 :], alone.scores, rtol=1e-6)
