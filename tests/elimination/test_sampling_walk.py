"""Samplers inside the loop: which rows the machines of each step have seen."""

from __future__ import annotations

import numpy as np
import pytest

from svsieve.criteria import Maximum, MeanRank
from svsieve.elimination import (
    Bootstrap,
    Constant,
    Data,
    Parts,
    Reflective,
    Subsample,
    Task,
    trace,
)
from svsieve.kernels import Linear, Rbf
from svsieve.machines import CSvm, L2Svm
from tests.elimination.walks import (
    cut,
    same_numbers,
    same_walk,
    several_classes,
    table,
    two_classes,
)

ROWS, COLUMNS = 60, 10
KERNELS = [Linear(), Rbf(gamma="scale")]


@pytest.fixture
def data() -> Data:
    return two_classes(table("plain", ROWS, COLUMNS))


def refit(data: Data, columns: np.ndarray, rows, counts, kernel, **parts) -> np.ndarray:
    """Scores of columns by a machine on some rows alone, each counted so many times."""
    (task,) = data.tasks
    X = np.ascontiguousarray(data.X[np.ix_(rows, columns)])
    alone = Data(X, (Task(None, task.labels[rows], counts),), data.groups[rows])
    fit = trace(alone, Parts(kernel, CSvm(1.0), tol=1e-11, least=len(columns), **parts))
    scores = np.empty(len(columns))
    scores[fit.survivors] = fit.survivor_scores
    return scores


def expect_rows(data: Data, path, sampler, kernel, seed: int, **parts) -> None:
    """Every step's scores are those of machines on the rows of that iteration."""
    left = np.arange(COLUMNS)
    for step in range(path.n_steps):
        draws = sampler.draws(data.groups, len(left), step + 1, seed)
        tables = [
            refit(
                data,
                left,
                np.arange(ROWS) if draw.rows is None else draw.rows,
                draw.counts,
                kernel,
                **parts,
            )
            for draw in draws
        ]
        scores = sampler.combine(np.array(tables))
        place = int(np.flatnonzero(left == path.dropped[step])[0])
        assert scores[place] <= scores.min() + path.resolution[step]
        assert path.scores[step] == pytest.approx(scores[place], rel=1e-5, abs=1e-12)
        left = np.delete(left, place)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize(
    "sampler",
    [
        Subsample(0.5),
        Subsample(0.5, stratified=False),
        Subsample(0.6, stratified="balanced"),
        Subsample(0.5, below=5),
        Subsample(0.5, once=True),
    ],
    ids=str,
)
def test_each_step_sees_its_own_rows(data: Data, kernel, sampler) -> None:
    path = trace(data, Parts(kernel, CSvm(1.0), sampler=sampler, seed=3, tol=1e-11))
    assert path.engine == "kernel"
    expect_rows(data, path, sampler, kernel, 3)


@pytest.mark.parametrize("bias", [None, 1.0])
@pytest.mark.parametrize("combine", [Bootstrap().combine, Maximum(), MeanRank()], ids=str)
def test_bootstrap_counts_rows_as_often_as_they_were_drawn(data: Data, combine, bias) -> None:
    sampler = Bootstrap(repeats=4, share=0.7, combine=combine)
    parts = Parts(Linear(), CSvm(1.0), sampler=sampler, seed=5, bias=bias, tol=1e-11)
    path = trace(data, parts)
    if isinstance(combine, MeanRank):  # ranks of the same sum may be tied
        assert sorted(path.order.tolist()) == list(range(COLUMNS))
        return
    expect_rows(data, path, sampler, Linear(), 5, bias=bias)


def test_a_bootstrap_draw_is_a_table_with_repeated_rows(data: Data) -> None:
    sampler = Bootstrap(repeats=1, share=1.0)
    (draw,) = sampler.draws(data.groups, COLUMNS, 1, 7)
    path = trace(data, Parts(Linear(), L2Svm(1.0), sampler=sampler, seed=7, least=COLUMNS))
    repeated = np.repeat(draw.rows, draw.counts.astype(int))
    (task,) = data.tasks
    written = Data(data.X[repeated], (Task(None, task.labels[repeated]),), data.groups[repeated])
    same_walk(path, trace(written, Parts(Linear(), L2Svm(1.0), least=COLUMNS)), rtol=1e-6)


@pytest.mark.parametrize("sampler", [Subsample(0.5), Bootstrap(repeats=3)], ids=str)
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_the_seed_decides(data: Data, kernel, sampler) -> None:
    def run(seed: int):
        return trace(data, Parts(kernel, CSvm(1.0), sampler=sampler, seed=seed))

    first, again = run(1), run(1)
    same_walk(first, again, rtol=0)
    np.testing.assert_array_equal(first.importances, again.importances)
    assert any(not np.array_equal(run(seed).scores, first.scores) for seed in (2, 3))


def test_below_a_size_all_rows_are_used(data: Data) -> None:
    for sampler in (Subsample(0.4, below=6), Bootstrap(repeats=3, below=6)):
        path = trace(data, Parts(Rbf(gamma=0.1), CSvm(1.0), sampler=sampler, tol=1e-11))
        rest = trace(
            data, Parts(Rbf(gamma=0.1), CSvm(1.0), tol=1e-11), resume=cut(path, COLUMNS - 6)
        )
        np.testing.assert_array_equal(path.order, rest.order)
        same_numbers(path.importances, rest.importances, rtol=1e-6)
    everything = Subsample(0.4, below=COLUMNS)
    same_walk(
        trace(data, Parts(Rbf(gamma=0.1), CSvm(1.0), sampler=everything)),
        trace(data, Parts(Rbf(gamma=0.1), CSvm(1.0))),
    )


def test_sampling_beforehand_is_a_walk_on_these_rows(data: Data) -> None:
    sampler = Subsample(0.5, once=True)
    (draw,) = sampler.draws(data.groups, COLUMNS, 1, 4)
    (task,) = data.tasks
    fewer = Data(data.X[draw.rows], (Task(None, task.labels[draw.rows]),), data.groups[draw.rows])
    for kernel in KERNELS:
        path = trace(data, Parts(kernel, CSvm(1.0), sampler=sampler, seed=4, tol=1e-11))
        alone = trace(fewer, Parts(kernel, CSvm(1.0), tol=1e-11))
        same_walk(path, alone, rtol=1e-5)
        np.testing.assert_allclose(path.accuracy, alone.accuracy)


@pytest.mark.parametrize("steps", [1, 4, 8])
@pytest.mark.parametrize("sampler", [Subsample(0.5), Bootstrap(repeats=3)], ids=str)
def test_a_walk_taken_up_again_draws_the_same_rows(data: Data, sampler, steps: int) -> None:
    parts = Parts(Rbf(gamma="scale"), CSvm(1.0), sampler=sampler, seed=2, tol=1e-11)
    whole = trace(data, parts)
    same_walk(trace(data, parts, resume=cut(whole, steps)), whole, rtol=1e-5)


def test_several_classes_and_weights_of_rows() -> None:
    weights = np.random.default_rng(0).uniform(0.5, 2.0, ROWS)
    data = several_classes(table("plain", ROWS, COLUMNS), 3, "one-vs-one", weights=weights)
    for sampler in (Subsample(0.5), Bootstrap(repeats=2)):
        for bias in (None, 1.0):
            parts = Parts(Linear(), CSvm(1.0), sampler=sampler, bias=bias, least=COLUMNS)
            path = trace(data, parts)
            expected = []
            for draw in sampler.draws(data.groups, COLUMNS, 1, 0):
                counts = np.ones(len(draw.rows)) if draw.counts is None else draw.counts
                times = np.zeros(ROWS)
                times[draw.rows] = counts
                tasks = tuple(
                    Task(task.rows, task.labels, task.weights * times[task.rows])
                    for task in data.tasks
                )
                fit = trace(
                    Data(data.X, tasks, data.groups),
                    Parts(Linear(), CSvm(1.0), bias=bias, least=COLUMNS),
                )
                expected.append(fit.survivor_scores[np.argsort(fit.survivors)])
            joined = sampler.combine(np.array(expected))
            same_numbers(path.survivor_scores[np.argsort(path.survivors)], joined, rtol=1e-6)


def test_kernel_reflective_step_and_internal_sampling_together() -> None:
    """The combination needs nothing but its parts."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 40))
    y = (X[:, 3] * X[:, 8] + 0.1 * rng.normal(size=120) > 0).astype(np.int64)
    data = Data(X, (Task(None, np.where(y == 1, 1.0, -1.0)),), y)
    parts = Parts(
        Rbf(gamma="scale"),
        CSvm(10.0),
        schedule=Reflective(0.3, centre=5, least=1),
        sampler=Subsample(0.7, below=10),
        seed=1,
    )
    path = trace(data, parts)
    assert set(path.top(2).tolist()) == {3, 8}
    assert 5 in path.sizes
    same_walk(trace(data, parts), path, rtol=0)
    plain = trace(data, Parts(Rbf(gamma="scale"), CSvm(10.0), schedule=Constant(1)))
    assert set(plain.top(2).tolist()) == {3, 8}
