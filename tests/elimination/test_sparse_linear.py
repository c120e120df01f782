"""The engine for sparse rows: the solutions by their definition, the order by the other engines."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.svm import LinearSVC

from svsieve import kernels
from svsieve.criteria import Maximum, WeightNorm
from svsieve.elimination import (
    Constant,
    CorrelatedGroups,
    Data,
    Entropy,
    Fraction,
    Parts,
    Task,
    WhenScoreAbove,
    trace,
    walk,
)
from svsieve.elimination.engines import Turn
from svsieve.elimination.engines.sparse_linear import SparseLinearEngine
from svsieve.kernels import Linear
from svsieve.machines import CSvm, L2Svm
from svsieve.native import Cancellation, Cancelled, listening
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

MACHINES = {"linear slack": CSvm(0.7), "squared slack": L2Svm(0.7)}


def thin(kind: str, rows: int, columns: int, share: float = 0.3, seed: int = 0) -> np.ndarray:
    """A table of the kinds of `table`, most of it zero."""
    rng = np.random.default_rng([rows, columns, seed])
    return table(kind, rows, columns, seed) * (rng.random((rows, columns)) < share)


def in_rows(data: Data) -> Data:
    return Data(sparse.csr_array(data.X), data.tasks, data.groups)


def same_as_kernel(data: Data, **parts) -> None:
    expected = by_engine(data, "kernel", **{"tol": 1e-12, **parts})
    found = by_engine(in_rows(data), "sparse-linear", **parts)
    same_walk(found, expected, rtol=1e-6)
    assert found.kkt_gap.max() <= 1e-9


# ---- the order


@pytest.mark.parametrize("bias", [None, 0.0, 1.0, 3.0])
@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
@pytest.mark.parametrize("kind", [kind for kind in TABLES if kind != "far"])
def test_order_of_the_kernel_engine(kind: str, machine, bias) -> None:
    same_as_kernel(two_classes(thin(kind, 40, 25)), kernel=Linear(), machine=machine, bias=bias)


@pytest.mark.parametrize("shape", [(15, 90), (120, 12)])
@pytest.mark.parametrize("bias", [None, 1.0])
@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
def test_few_rows_and_few_columns(shape, machine, bias) -> None:
    data = two_classes(thin("plain", *shape))
    same_as_kernel(data, kernel=Linear(), machine=machine, bias=bias, schedule=Fraction(0.2))


@pytest.mark.parametrize("bias", [None, 1.0])
@pytest.mark.parametrize("scheme", ["one-vs-one", "one-vs-rest"])
@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
def test_several_classes_with_weights(machine, scheme: str, bias) -> None:
    X = thin("integers", 60, 20)
    weights = np.random.default_rng(1).choice([0.5, 1.0, 3.0], 60)
    data = several_classes(X, 4, scheme, weights=weights)
    same_as_kernel(data, kernel=Linear(), machine=machine, bias=bias, schedule=Constant(2))


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
def test_rows_of_weight_zero_take_no_part(machine) -> None:
    X = thin("plain", 40, 15)
    weights = np.where(np.arange(40) % 4 == 0, 0.0, 1.0)
    same_as_kernel(two_classes(X, weights=weights), kernel=Linear(), machine=machine)


@pytest.mark.parametrize("C", [1e-5, 1e-2, 30.0, 1e3])
@pytest.mark.parametrize("kind", [CSvm, L2Svm])
def test_small_and_large_C(kind, C: float) -> None:
    same_as_kernel(two_classes(thin("plain", 50, 12)), kernel=Linear(), machine=kind(C))


def test_weighted_columns() -> None:
    weights = tuple(np.random.default_rng(0).uniform(0.1, 3.0, 15).tolist())
    data = two_classes(thin("plain", 40, 15))
    same_as_kernel(data, kernel=Linear(weights=weights), machine=CSvm(1.0))


@pytest.mark.parametrize(
    "parts",
    [
        {"schedule": Entropy()},
        {"spare": CorrelatedGroups(0.6), "schedule": Constant(4)},
        {"keep": [2, 7], "least": 4},
        {"stops": [WhenScoreAbove(0.05, relative=True)]},
        {"criterion": WeightNorm(order=1), "schedule": Constant(3)},
    ],
)
def test_what_is_asked_between_steps(parts) -> None:
    data = two_classes(thin("plain", 60, 20))
    same_as_kernel(data, kernel=Linear(), machine=L2Svm(1.0), **parts)


def test_other_combinations_of_classes() -> None:
    data = several_classes(thin("plain", 60, 20), 3, "one-vs-rest")
    same_as_kernel(data, kernel=Linear(), machine=CSvm(1.0), combine=Maximum())


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(6, 30),
    st.integers(2, 40),
    st.sampled_from([0.05, 0.2, 0.6]),
    st.floats(-2.0, 1.5),
    st.sampled_from([None, 0.0, 1.0]),
    st.booleans(),
)
def test_solutions_are_optimal(seed, rows, columns, share, power, bias, squared) -> None:
    """The conditions of optimality, from the definition of the machine alone."""
    rng = np.random.default_rng(seed)
    X = np.round(4 * rng.normal(size=(rows, columns))) * (rng.random((rows, columns)) < share)
    y = np.where(np.arange(rows) % 2, 1.0, -1.0)
    C = 10.0**power
    machine = L2Svm(C) if squared else CSvm(C)
    data = Data(sparse.csr_array(X), (Task(labels=y),), (y > 0).astype(np.int64))
    parts = Parts(Linear(), machine, bias=bias, engine="sparse-linear", schedule=Fraction(0.3))
    kept = np.arange(columns)
    for stretch in walk(data, parts, solutions=True):
        for step in stretch:
            (solution,) = step.solutions
            a = np.zeros(rows)
            a[solution.rows] = y[solution.rows] * solution.values
            assert a.min() >= 0.0
            assert squared or a.max() <= C
            w = X[:, kept].T @ (a * y)
            offset = solution.offset
            if bias is None:
                assert abs(a @ y) <= 1e-9 * max(1.0, a.sum())
            else:
                assert abs(offset - bias**2 * (a @ y)) <= 1e-9 * max(1.0, a.sum())
            shortfall = 1.0 - y * (X[:, kept] @ w + offset) - (a / C if squared else 0.0)
            open_ = np.maximum(np.where(a > 0, -shortfall, 0), np.where(a < C, shortfall, 0))
            if squared:
                open_ = np.where(a > 0, np.abs(shortfall), np.maximum(shortfall, 0.0))
            assert open_.max() <= 1e-8
            assert step.scores == pytest.approx(w[np.isin(kept, step.dropped)] ** 2, abs=1e-9) or (
                np.allclose(np.sort(step.scores), np.sort(w[np.isin(kept, step.dropped)] ** 2))
            )
            kept = np.setdiff1d(kept, step.dropped)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_objective_of_scikit_learn(loss: str) -> None:
    X = thin("plain", 80, 30)
    y = signs(class_codes(X))
    peer = LinearSVC(C=0.5, loss=loss, tol=1e-10, max_iter=10**6, dual=True).fit(X, y)
    machine = CSvm(0.5) if loss == "hinge" else L2Svm(1.0)
    parts = Parts(Linear(), machine, bias=1.0, engine="sparse-linear", least=30)
    data = Data(sparse.csr_array(X), (Task(labels=y),), (y > 0).astype(np.int64))
    engine = SparseLinearEngine(data, parts, np.arange(30))
    fit = engine.fit(Turn(1, np.arange(30), 30, parts, 30))
    np.testing.assert_allclose(fit.scores, peer.coef_[0] ** 2, rtol=1e-4, atol=1e-8)
    assert fit.solutions[0].offset == pytest.approx(peer.intercept_[0], rel=1e-4, abs=1e-7)
    assert fit.accuracy == pytest.approx(peer.score(X, y))
    assert fit.kkt_gap <= 1e-9


# ---- ties


@pytest.mark.parametrize("bias", [None, 1.0])
def test_copies_go_in_the_order_of_their_columns(bias) -> None:
    X = thin("plain", 30, 6)
    copies = np.hstack([X, -X, X])
    parts = {"kernel": Linear(), "machine": L2Svm(1.0), "bias": bias}
    path = by_engine(in_rows(two_classes(copies)), "sparse-linear", **parts)
    for column in range(6):
        places = [int(np.flatnonzero(path.order == column + k)[0]) for k in (0, 6, 12)]
        assert places == sorted(places, reverse=True)
    assert path.tied.sum() == 12  # the last of three goes by its score


def test_weights_equal_by_symmetry_are_a_tie() -> None:
    """Rows and columns in pairs: what one does to its rows, its neighbour does to theirs."""
    half = np.round(thin("plain", 12, 8) * 4)
    X = np.kron(np.eye(2), half)
    y = np.tile(np.where(np.arange(12) % 2, 1.0, -1.0), 2)
    data = Data(sparse.csr_array(X), (Task(labels=y),), (y > 0).astype(np.int64))
    for machine in MACHINES.values():
        path = trace(data, Parts(Linear(), machine, engine="sparse-linear"))
        dense = Data(X, data.tasks, data.groups)
        exact = trace(dense, Parts(Linear(), machine, engine="kernel", tol=1e-12))
        np.testing.assert_array_equal(path.order, exact.order)
        assert path.tied.sum() >= 6


def test_a_table_without_entries() -> None:
    data = Data(
        sparse.csr_array((10, 4)),
        (Task(labels=np.where(np.arange(10) % 3, 1.0, -1.0)),),
        np.arange(10) % 2,
    )
    for bias in (None, 0.0, 1.0):
        for machine in MACHINES.values():
            parts = Parts(Linear(), machine, bias=bias, engine="sparse-linear")
            np.testing.assert_array_equal(trace(data, parts).order, [3, 2, 1, 0])


# ---- how it is run


def test_solutions_of_every_step_are_those_of_single_steps() -> None:
    data = in_rows(several_classes(thin("plain", 50, 20), 3, "one-vs-one"))
    parts = Parts(Linear(), CSvm(1.0), engine="sparse-linear")
    every = [step.solutions for stretch in walk(data, parts, solutions=True) for step in stretch]
    single = Parts(Linear(), CSvm(1.0), engine="sparse-linear", combine=Maximum())
    assert len(every) == 19
    for solutions in every:
        assert len(solutions) == 3
        for task, solution in zip(data.tasks, solutions, strict=True):
            assert np.isin(solution.rows, task.rows).all()
    first = next(iter(walk(data, single)))
    for one, two in zip(first.solutions[0], every[0], strict=True):
        np.testing.assert_array_equal(one.values, two.values)


def test_unsorted_and_64_bit_indices() -> None:
    data = in_rows(two_classes(thin("plain", 40, 15)))
    X = data.X.copy()
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    for k in range(40):
        row = slice(X.indptr[k], X.indptr[k + 1])
        X.indices[row], X.data[row] = X.indices[row][::-1].copy(), X.data[row][::-1].copy()
    X.has_sorted_indices = False
    parts = Parts(Linear(), CSvm(1.0), engine="sparse-linear")
    mixed = Data(X, data.tasks, data.groups)
    np.testing.assert_array_equal(trace(mixed, parts).scores, trace(data, parts).scores)


def test_the_table_stays_as_it_is() -> None:
    data = in_rows(two_classes(thin("plain", 40, 15)))
    before = data.X.copy()
    trace(data, Parts(Linear(), CSvm(1.0), engine="sparse-linear"))
    assert (before != data.X).nnz == 0


def test_it_can_be_cancelled() -> None:
    data = in_rows(two_classes(thin("plain", 40, 15)))
    asked = Cancellation()
    asked.cancel()
    with listening(asked), pytest.raises(Cancelled):
        trace(data, Parts(Linear(), CSvm(1.0), engine="sparse-linear"))


def test_few_passes_leave_a_gap_that_is_told() -> None:
    data = in_rows(two_classes(thin("plain", 80, 40)))
    path = trace(data, Parts(Linear(), CSvm(50.0), engine="sparse-linear", max_iter=1))
    assert path.kkt_gap.max() > 1e-9


def test_dense_tables_are_refused() -> None:
    with pytest.raises(ValueError, match="'sparse-linear' cannot be used: it needs a sparse table"):
        trace(two_classes(thin("plain", 20, 5)), Parts(Linear(), CSvm(), engine="sparse-linear"))


def test_other_kernels_are_refused() -> None:
    data = in_rows(two_classes(thin("plain", 20, 5)))
    with pytest.raises(ValueError, match="'sparse-linear' cannot be used: it needs the kernel"):
        trace(data, Parts(kernels.Rbf(), CSvm(), engine="sparse-linear"))
