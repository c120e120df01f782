"""Scores that double precision cannot tell apart, against rational arithmetic.

Columns at very different scales, coefficients far larger than the weights they sum up to, rows that
are nearly or quite the same: the column that goes is the one of least score all the same, and the
index decides only where scores agree.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp

from svsieve.elimination import AtSize, Data, Path, Task
from svsieve.kernels import Linear, Polynomial
from svsieve.machines import CSvm, L2Svm
from tests.elimination.walks import by_engine
from tests.reference.rational import squared_weights

SHAPES = ("two scales", "scales", "equal rows", "collinear", "near rows", "twins")
ENGINES = ("wide-linear", "kernel", "tall-linear")


def close_table(shape: str, seed: int) -> tuple[np.ndarray, np.ndarray, float]:
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(5, 10)), int(rng.integers(4, 8))
    X = np.round(rng.normal(size=(n, d)) * 128.0) / 256.0
    if shape == "two scales":
        X *= 2.0 ** rng.choice([-10, 10], d)
    elif shape == "scales":
        X *= 2.0 ** rng.integers(-10, 11, d)
    elif shape == "equal rows":
        X = X[rng.integers(0, n, n) // 2]
    elif shape == "collinear":
        X = X[:, :2] @ np.round(rng.normal(size=(2, d)) * 4.0)
    elif shape == "near rows":
        X = X[:, :1] + X * 2.0 ** -int(rng.integers(4, 18))
    elif shape == "twins":
        X = X[:, rng.integers(0, d, d) // 2] * rng.choice([-1.0, 1.0], d)
        X[:, -1] = 3.0
    y = np.where(np.arange(n) % 2, 1.0, -1.0)
    return X, y, float(2.0 ** rng.integers(14, 27))


def walked(X, y: np.ndarray, machine, engine: str, **parts) -> Path:
    codes = (y > 0).astype(int)
    data = Data(X, (Task(None, y),), codes)
    return by_engine(data, engine, kernel=Linear(), machine=machine, **parts)


def expect_least(paths: list[Path], n_columns: int, scores_of) -> None:
    """`scores_of` a list of columns: their exact scores."""
    known: dict[tuple[int, ...], list] = {}
    for path in paths:
        kept = list(range(n_columns))
        for step, column in enumerate(path.dropped[: n_columns - 1]):
            left = tuple(kept)
            if left not in known:
                known[left] = scores_of(kept)
            scores = known[left]
            own, least = scores[kept.index(column)], min(scores)
            assert own - least <= 1e-9 * own
            close = [s for s in scores if abs(s - own) <= 1e-9 * max(s, own)]
            assert path.tied[step] == (len(close) > 1)
            kept.remove(column)


# With a band of 1e-11 |u| |x_j| for ties a wrong column goes on "two scales" and "collinear".
@pytest.mark.parametrize("bias", [None, 0.0, 1.0], ids=["free offset", "no offset", "penalised"])
@pytest.mark.parametrize("squared", [False, True], ids=["bound", "ridge"])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_least_exact_score_goes(shape: str, squared: bool, bias: float | None) -> None:
    for seed in (0, 2, 4):
        X, y, C = close_table(shape, seed)
        machine = L2Svm(C) if squared else CSvm(C)
        paths = [walked(X, y, machine, engine, bias=bias) for engine in ENGINES]
        exact = partial(squared_weights, X, y, C=C, squared=squared, bias=bias)
        expect_least(paths, X.shape[1], exact)


@pytest.mark.parametrize("bias", [None, 1.0], ids=["free offset", "penalised"])
@pytest.mark.parametrize("shape", SHAPES)
def test_of_a_sparse_table_too(shape: str, bias: float | None) -> None:
    for seed in (0, 2):
        X, y, C = close_table(shape, seed)
        engines = (*ENGINES, "sparse-linear")
        paths = [walked(sp.csr_array(X), y, CSvm(C), engine, bias=bias) for engine in engines]
        expect_least(paths, X.shape[1], partial(squared_weights, X, y, C=C, bias=bias))


@pytest.mark.parametrize("bias", [None, 1.0], ids=["free offset", "penalised"])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_least_sum_over_classes_goes(shape: str, bias: float | None) -> None:
    for seed in (0, 2):
        X, _, C = close_table(shape, seed)
        codes = np.arange(len(X)) % 3
        labels = [np.where(codes == k, 1.0, -1.0) for k in range(3)]
        data = Data(X, tuple(Task(None, y) for y in labels), codes)
        parts = {"kernel": Linear(), "machine": CSvm(C), "bias": bias}
        paths = [by_engine(data, engine, **parts) for engine in ENGINES]

        def exact(kept: list[int], X=X, C=C, labels=labels) -> list:
            each = [squared_weights(X, y, kept, C, bias=bias) for y in labels]
            return [sum(column) for column in zip(*each, strict=True)]

        expect_least(paths, X.shape[1], exact)


@pytest.mark.parametrize("bias", [None, 1.0], ids=["free offset", "penalised"])
@pytest.mark.parametrize("factor", [1e6, 1e8])
def test_columns_far_wider_than_the_others(factor: float, bias: float | None) -> None:
    """Beside them the others vanish in a Gram matrix: the machine is solved all the same."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(14, 7))
        X[:, 2:4] *= factor
        y = np.where(np.arange(14) % 2, 1.0, -1.0)
        paths = [walked(X, y, CSvm(1.0), engine, bias=bias) for engine in ENGINES]
        for path in paths:
            assert path.largest_gap <= 1e-9
        expect_least(paths, 7, partial(squared_weights, X, y, C=1.0, bias=bias))


def test_a_limit_on_iterations_is_not_evaded() -> None:
    X, y, C = close_table("scales", 0)
    for engine in ("kernel", "tall-linear"):
        assert walked(X, y, CSvm(C), engine, max_iter=1).largest_gap > 1e-3


def test_a_limit_on_iterations_is_not_evaded_beside_a_machine_that_is_solved() -> None:
    """Columns are open: the machine of two rows is settled, and the other one stays as it is."""
    X, y, C = close_table("two scales", 0)
    data = Data(X, (Task(np.arange(2), y[:2]), Task(None, y)), (y > 0).astype(int))
    path = by_engine(data, "tall-linear", kernel=Linear(), machine=CSvm(C), max_iter=6)
    assert (path.kkt_gap[:4] > 1e-3).all()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("shape", SHAPES)
def test_order_does_not_depend_on_the_places_of_columns(shape: str, engine: str) -> None:
    for seed in range(12):
        X, y, C = close_table(shape, seed)
        places = np.random.default_rng(seed).permutation(X.shape[1])
        path = walked(X, y, CSvm(C), engine)
        moved = walked(np.ascontiguousarray(X[:, places]), y, CSvm(C), engine)
        if not path.tied.any():
            np.testing.assert_array_equal(places[moved.order], path.order)


def test_the_columns_left_are_in_order_too() -> None:
    """A walk that stops early orders what is left by the last machine."""
    for seed in (0, 2, 4, 5, 7, 8, 10):
        X, y, C = close_table("two scales", seed)
        path = walked(X, y, CSvm(C), "wide-linear", stops=[AtSize(X.shape[1])])
        scores = squared_weights(X, y, list(range(X.shape[1])), C)
        np.testing.assert_array_equal(path.order, np.argsort([-float(s) for s in scores]))


def test_thousands_of_equal_columns_are_ties() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 60))[:, rng.integers(0, 60, 2000)] * rng.choice([-1.0, 1.0], 2000)
    X[:, rng.integers(0, 2000, 500)] = 7.0
    y = np.where(rng.normal(size=30) > 0, 1.0, -1.0)
    path = walked(X, y, CSvm(1e6), "wide-linear")
    kinds = np.unique(np.abs(X - X[0]), axis=1).shape[1]
    assert (~path.tied).sum() <= kinds
    assert path.kkt_gap.max() <= 1e-9


@pytest.mark.parametrize("seed", range(12))
def test_kernel_values_that_are_rounding_alone_make_no_machine(seed: int) -> None:
    """A gap that cannot be told from rounding is at least as large as that, and is no tie."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(8, 3)) * 2.0) + 10.0 ** rng.integers(4, 7)
    y = np.where(np.arange(8) % 2, 1.0, -1.0)
    data, kernel = Data(X, (Task(None, y),), (y > 0).astype(int)), Polynomial(3, 0.5, 1.0)
    path = by_engine(data, "kernel", kernel=kernel, machine=CSvm(1e3), stops=[AtSize(3)])
    (solution,) = path.final_solutions
    largest = float(kernel.gram(X).max())
    rounding = float(np.finfo(np.float64).eps) * largest * float(np.abs(solution.values).sum())
    if rounding > 0.1:
        assert path.final_kkt_gap >= 0.999 * rounding
    else:
        assert path.final_kkt_gap < 0.1
