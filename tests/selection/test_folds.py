"""Held-out decision values along an elimination, against machines fitted anew at every size."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.svm import SVC, LinearSVC

from svsieve.elimination import (
    Bootstrap,
    Constant,
    Data,
    Entropy,
    Fraction,
    Parts,
    Subsample,
    WhenScoreAbove,
    trace,
)
from svsieve.elimination.solved import solutions_on
from svsieve.kernels import KernelState, Linear, Normalised, PerFeature, Polynomial, Rbf
from svsieve.machines import CSvm, L2Svm, one_vs_one, solve
from svsieve.selection import folds
from svsieve.selection.folds import follow, held_out_rows, scores_at
from tests.elimination.walks import several_classes, table, two_classes


def decisions(data: Data, parts: Parts, Z) -> tuple:
    """The path, and the decision values at all its sizes, of shape (sizes, problems, rows)."""
    blocks = []

    def score(block):
        blocks.append(block)
        return np.zeros((len(block), 1))

    scored = follow(data, parts, Z, score)
    assert scored.scores.shape == (len(scored.path.sizes), 1)
    return scored.path, np.concatenate(blocks)


def columns_at(path, k: int) -> np.ndarray:
    return np.sort(path.top(int(path.sizes[k])))


def by_scikit_learn(path, data: Data, Z, machine) -> np.ndarray:
    """Decision values of a two-class machine that is fitted anew at every size."""
    X = data.X.toarray() if sparse.issparse(data.X) else data.X
    Z = Z.toarray() if sparse.issparse(Z) else Z
    return np.array(
        [
            machine.fit(X[:, kept], data.groups).decision_function(Z[:, kept])
            for kept in (columns_at(path, k) for k in range(len(path.sizes)))
        ]
    )


MACHINE = SVC(kernel="linear", tol=1e-9)


@pytest.mark.parametrize("engine", ["wide-linear", "tall-linear", "kernel"])
@pytest.mark.parametrize("way", [folds._LinearProducts, folds._LinearWeights])
def test_linear_machines(engine: str, way, monkeypatch) -> None:
    monkeypatch.setattr(folds, "held_out_rows", lambda *given: way(*given))
    X = table("plain", 40, 12) + 2.0
    data, Z = two_classes(X), table("plain", 7, 12, seed=1) + 2.0
    for schedule in (Constant(1), Constant(4), Fraction(0.5)):
        path, found = decisions(data, Parts(Linear(), CSvm(), schedule=schedule, engine=engine), Z)
        np.testing.assert_allclose(
            found[:, 0], by_scikit_learn(path, data, Z, MACHINE), rtol=1e-4, atol=1e-4
        )


@pytest.mark.parametrize("block", [1, 3, 256])
@pytest.mark.parametrize("entries", [1, 500, 1 << 22])
def test_many_steps_at_once(block: int, entries: int, monkeypatch) -> None:
    monkeypatch.setattr(folds, "BLOCK_COLUMNS", block)
    monkeypatch.setattr(folds, "BLOCK_ENTRIES", entries)
    data, Z = two_classes(table("scales", 20, 150)), table("scales", 5, 150, seed=1)
    for schedule in (Constant(1), Constant(7)):
        parts = Parts(Linear(), CSvm(), schedule=schedule, engine="wide-linear")
        path, found = decisions(data, parts, Z)
        expected = by_scikit_learn(path, data, Z, SVC(kernel="linear", tol=1e-10))
        np.testing.assert_allclose(found[:, 0], expected, rtol=1e-4, atol=1e-5)


def test_the_way_is_chosen_by_the_shape_of_the_table(monkeypatch) -> None:
    parts = Parts(Linear(), CSvm())
    wide, tall = two_classes(table("plain", 40, 60)), two_classes(table("plain", 40, 3))
    assert isinstance(held_out_rows(wide, parts, wide.X[:10]), folds._LinearProducts)
    assert isinstance(held_out_rows(tall, parts, tall.X[:10]), folds._LinearWeights)
    monkeypatch.setattr(folds, "MOST_PRODUCTS", 10)
    assert isinstance(held_out_rows(wide, parts, wide.X[:10]), folds._LinearWeights)
    kernel = Parts(Rbf(0.1), CSvm())
    assert isinstance(held_out_rows(wide, kernel, wide.X[:10]), folds._KernelRows)


def test_large_columns_that_go_first_do_no_harm() -> None:
    X, Z = table("plain", 30, 80), table("plain", 6, 80, seed=1)
    for A in (X, Z):
        A[:, :5] = 1e6  # constant: worth nothing, and they go first
    data = two_classes(X)
    path, found = decisions(data, Parts(Linear(), CSvm(), engine="wide-linear"), Z)
    assert set(path.dropped[:5].tolist()) == set(range(5))
    expected = by_scikit_learn(path, data, Z, SVC(kernel="linear", tol=1e-10))
    np.testing.assert_allclose(found[5:, 0], expected[5:], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("bias", [1.0, 10.0])
@pytest.mark.parametrize("columns", [8, 60])
def test_penalised_bias(bias: float, columns: int) -> None:
    X, Z = table("plain", 40, columns) + 1.0, table("plain", 7, columns, seed=1) + 1.0
    data = two_classes(X)
    parts = Parts(Linear(), L2Svm(2.0), bias=bias, schedule=Fraction(0.3))
    path, found = decisions(data, parts, Z)
    machine = LinearSVC(C=1.0, intercept_scaling=bias, tol=1e-10, max_iter=100_000)
    expected = by_scikit_learn(path, data, Z, machine)
    np.testing.assert_allclose(found[:, 0], expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("columns", [10, 60])
def test_sparse_tables_and_weighted_columns(form, columns: int) -> None:
    X, Z = table("mostly zero", 60, columns), table("mostly zero", 9, columns, seed=1)
    factors = np.random.default_rng(1).uniform(0.2, 2.0, columns)
    dense = two_classes(X)
    data = Data(form(X), dense.tasks, dense.groups)
    parts = Parts(Linear(weights=factors), CSvm(), schedule=Constant(3))
    path, found = decisions(data, parts, form(Z))
    scaled = Data(X * np.sqrt(factors), dense.tasks, dense.groups)
    expected = by_scikit_learn(path, scaled, Z * np.sqrt(factors), MACHINE)
    np.testing.assert_allclose(found[:, 0], expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("kernel", "machine"),
    [
        (Rbf(0.1), SVC(gamma=0.1, tol=1e-9)),
        (Rbf("scale"), SVC(gamma="scale", tol=1e-9)),
        (Rbf(PerFeature(1.0)), SVC(gamma="auto", tol=1e-9)),
        (Polynomial(2, "scale", 1.0), SVC(kernel="poly", degree=2, coef0=1.0, tol=1e-9)),
    ],
)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_kernels(kernel, machine, form) -> None:
    X, Z = table("plain", 40, 9), table("plain", 7, 9, seed=1)
    dense = two_classes(X)
    data = Data(form(X), dense.tasks, dense.groups)
    path, found = decisions(data, Parts(kernel, CSvm(), schedule=Constant(2)), form(Z))
    expected = by_scikit_learn(path, dense, Z, machine)
    np.testing.assert_allclose(found[:, 0], expected, rtol=1e-5, atol=1e-6)


def solved_anew(data, kept, kernel, rows, labels, weights=None) -> tuple:
    """Coefficients and constant of one problem, by the solver alone."""
    X = data.X[np.ix_(rows, kept)]
    gram = kernel.gram(X)
    problem = CSvm().problem(np.diagonal(gram), labels, weights)
    solution = solve(problem, gram, tol=1e-12)
    return X, solution.coefficients, solution.offset


@pytest.mark.parametrize("kernel", [Linear(), Rbf(0.2), Normalised(Polynomial(2, 0.3, 1.0))])
def test_several_classes(kernel) -> None:
    data = several_classes(table("plain", 60, 8), 3, "one-vs-one")
    Z = table("plain", 7, 8, seed=1)
    path, found = decisions(data, Parts(kernel, CSvm(), schedule=Constant(3)), Z)
    assert found.shape == (len(path.sizes), 3, 7)
    for k in range(len(path.sizes)):
        kept = columns_at(path, k)
        for q, task in enumerate(data.tasks):
            X, b, offset = solved_anew(data, kept, kernel, task.rows, task.labels)
            expected = kernel.cross(Z[:, kept], X) @ b + offset
            np.testing.assert_allclose(found[k, q], expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kernel", [Linear(), Rbf("scale"), Rbf(0.2)])
@pytest.mark.parametrize("sampler", [Subsample(0.7), Bootstrap(3), Subsample(0.7, below=5)])
def test_machines_of_drawn_rows(kernel, sampler) -> None:
    data = several_classes(table("plain", 50, 8), 3, "one-vs-one")
    Z = table("plain", 6, 8, seed=1)
    parts = Parts(kernel, CSvm(), schedule=Constant(2), sampler=sampler, seed=5)
    path, found = decisions(data, parts, Z)
    for k, size in enumerate(path.sizes.tolist()):
        kept = columns_at(path, k)
        draws = sampler.draws(data.groups, size, k + 1, 5)
        expected = np.zeros((3, 6))
        for draw in draws:
            rows = np.arange(50) if draw.rows is None else draw.rows
            counts = np.ones(50) if draw.counts is None else draw.counts
            bound = KernelState(kernel, data.X[rows], kept=kept).kernel
            for q, task in enumerate(one_vs_one(data.groups[rows], 3)):
                mine = rows[task.rows]
                weights = counts[task.rows]
                X, b, offset = solved_anew(data, kept, bound, mine, task.labels, weights)
                expected[q] += (bound.cross(Z[:, kept], X) @ b + offset) / len(draws)
        # With few rows the constant is not unique: it is left out.
        found[k] -= found[k].mean(axis=1, keepdims=True)
        expected -= expected.mean(axis=1, keepdims=True)
        np.testing.assert_allclose(found[k], expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kernel", [Linear(), Rbf("scale")])
@pytest.mark.parametrize("columns", [6, 60])
def test_sizes_that_were_not_visited(kernel, columns: int) -> None:
    data, Z = two_classes(table("plain", 40, columns)), table("plain", 7, columns, seed=1)
    parts = Parts(kernel, CSvm(), schedule=Constant(3), stops=(WhenScoreAbove(1e-3),))
    path = trace(data, parts)
    sizes = np.array([2, 5, 1, columns - 1, 5])
    found = scores_at(data, parts, Z, lambda block: block[:, 0], path, sizes)
    machine = SVC(kernel="linear" if isinstance(kernel, Linear) else "rbf", tol=1e-9)
    for size, values in zip(sizes, found, strict=True):
        kept = np.sort(path.top(size))
        expected = machine.fit(data.X[:, kept], data.groups).decision_function(Z[:, kept])
        np.testing.assert_allclose(values, expected, rtol=1e-5, atol=1e-6)


def test_the_path_is_that_of_a_walk() -> None:
    data = two_classes(table("plain", 40, 15))
    for parts in (
        Parts(Linear(), CSvm()),
        Parts(Rbf(0.1), CSvm(), schedule=Entropy(below=5)),
        Parts(Linear(), CSvm(), stops=(WhenScoreAbove(1e-3),)),
        Parts(Linear(), CSvm(), least=15),
    ):
        path, found = decisions(data, parts, data.X[:4])
        expected = trace(data, parts)
        assert path.same_ranking(expected)
        assert path.stopped == expected.stopped
        assert path.engine == expected.engine
        assert path.final_accuracy == expected.final_accuracy
        assert path.notes == expected.notes
        assert path.solutions is None
        assert len(found) == path.n_steps + 1


@settings(max_examples=25)
@given(st.integers(1, 40), st.integers(0, 10_000), st.sampled_from([1, 2, 0.5]))
def test_training_rows_held_out_give_the_training_accuracy(columns, seed, step) -> None:
    """The same rows on both sides: the path knows their accuracy from the solver's gradients."""
    data = two_classes(table("plain", 25, columns, seed))
    schedule = Fraction(step) if step < 1 else Constant(step)
    labels = data.tasks[0].labels
    for kernel in (Linear(), Rbf(0.3)):
        values = []
        parts = Parts(kernel, CSvm(), schedule=schedule)
        scored = follow(
            data, parts, data.X, lambda f, values=values: values.extend(f[:, 0]) or f[:, 0, :1]
        )
        clear = np.abs(values).min(axis=1) > 1e-7
        found = (np.array(values) * labels > 0).mean(axis=1)
        clear[-1] = False  # trained once more: its constant may be another one, as good
        np.testing.assert_allclose(found[clear], scored.path.accuracy[clear[:-1]], rtol=1e-12)


@pytest.mark.parametrize("engine", ["auto", "wide-linear", "tall-linear", "kernel"])
def test_solutions_on_columns_are_those_of_a_step(engine: str) -> None:
    data = several_classes(table("plain", 50, 6), 3, "one-vs-one")
    parts = Parts(Linear(), CSvm(), engine=engine)
    path = trace(data, parts, solutions=True)
    for k in range(path.n_steps):
        found = solutions_on(data, parts, columns_at(path, k))
        for one, other in zip(found, path.solutions[k], strict=True):
            b, c = np.zeros(50), np.zeros(50)
            b[one.rows], c[other.rows] = one.values, other.values
            np.testing.assert_allclose(b, c, atol=1e-5)
            assert one.offset == pytest.approx(other.offset, abs=1e-5)


@pytest.mark.parametrize("classes", [2, 3])
def test_nothing_is_fitted_twice(classes: int, monkeypatch) -> None:
    """Scoring costs no solution: the last fit, which orders the columns left, has its own."""
    from svsieve.elimination.engines import kernel as engine

    solved = []

    def counted(*given, **options):
        solved.append(1)
        return solve(*given, **options)

    monkeypatch.setattr(engine, "solve", counted)
    data = several_classes(table("plain", 40, 8), classes, "one-vs-one")
    parts = Parts(Rbf(0.2), CSvm(), schedule=Constant(2))
    trace(data, parts)
    alone = len(solved)
    solved.clear()
    follow(data, parts, data.X[:5], lambda f: f[:, 0])
    assert len(solved) == alone
