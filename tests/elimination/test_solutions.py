"""The solutions that steps carry: machines for the table as it was given.

A machine is optimal iff its primal value, computed from its decision values, equals its dual value,
computed from its coefficients. That judges coefficients and constant at once, also where the
constant is not unique.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from svsieve.criteria import Maximum
from svsieve.elimination import (
    AtSize,
    Bootstrap,
    Constant,
    Data,
    Parts,
    Subsample,
    Task,
    WhenScoreAbove,
    trace,
    walk,
)
from svsieve.elimination.engines.kernel import KernelEngine
from svsieve.kernels import Laplace, Linear, Polynomial, Rbf
from svsieve.machines import CSvm, L2Svm, solve
from svsieve.selection.folds import follow, scores_at
from tests.elimination.walks import same_walk, several_classes, table, two_classes

ENGINES = ["wide-linear", "tall-linear", "kernel"]
MACHINES = [CSvm(0.05), CSvm(1.0), CSvm(100.0), L2Svm(1.0)]


def expect_optimal(X, labels, rows, solution, kernel, machine, *, bias=None, weights=None) -> None:
    """Primal equals dual value for a machine on some rows of a table of the columns in use."""
    C = machine.C * (np.ones(len(rows)) if weights is None else weights)
    X = X.toarray() if sparse.issparse(X) else X
    support, b = X[solution.rows], solution.values
    signs = labels[np.searchsorted(rows, solution.rows)]
    assert (b * signs > 0).all()
    if isinstance(kernel, Linear):  # by way of weights: products of far rows have few digits
        values = X[rows] @ (b @ support) + solution.offset
    else:
        values = kernel.cross(X[rows], support) @ b + solution.offset
    slacks = np.maximum(0.0, 1.0 - labels * values)
    if bias is None and isinstance(kernel, Linear):  # shifted columns keep more digits
        support = support - X.mean(axis=0)
    norm = b @ kernel.gram(support) @ b
    if bias is not None:
        norm += (bias * b.sum()) ** 2
        assert solution.offset == pytest.approx(bias**2 * b.sum(), abs=1e-9)
    else:
        assert abs(b.sum()) <= 1e-9 * np.abs(b).sum()
    primal = norm / 2
    dual = np.abs(b).sum() - norm / 2
    if isinstance(machine, CSvm):
        primal += (C * slacks).sum()
        assert (np.abs(b) <= C[np.searchsorted(rows, solution.rows)] * (1 + 1e-12)).all()
    else:
        primal += (C * slacks**2).sum() / 2
        dual -= (b**2 / C[np.searchsorted(rows, solution.rows)]).sum() / 2
    assert primal == pytest.approx(dual, rel=1e-6, abs=1e-9 * C.sum())


def expect_all_optimal(data: Data, parts: Parts) -> None:
    path = trace(data, parts, solutions=True)
    left = np.arange(data.n_columns)
    ends = np.cumsum(path.counts)
    for step, solutions in enumerate(path.solutions):
        assert len(solutions) == len(data.tasks)
        for task, solution in zip(data.tasks, solutions, strict=True):
            rows = np.arange(data.n_rows) if task.rows is None else task.rows
            expect_optimal(
                data.X[:, left],
                task.labels,
                rows,
                solution,
                parts.kernel,
                parts.machine,
                bias=parts.bias,
                weights=task.weights,
            )
        left = np.setdiff1d(left, path.dropped[ends[step] - path.counts[step] : ends[step]])


@pytest.mark.parametrize("machine", MACHINES, ids=str)
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", ["plain", "integers", "far"])
def test_linear_engines(kind: str, engine: str, machine) -> None:
    data = two_classes(table(kind, 50, 10))
    expect_all_optimal(data, Parts(Linear(), machine, engine=engine))
    expect_all_optimal(data, Parts(Linear(), machine, engine=engine, schedule=Constant(3)))


@pytest.mark.parametrize("machine", MACHINES, ids=str)
def test_many_steps_in_one_stretch(machine) -> None:
    for kind in ("plain", "integers", "far"):
        data = two_classes(table(kind, 20, 150))
        expect_all_optimal(data, Parts(Linear(), machine, engine="wide-linear"))


@pytest.mark.parametrize("bias", [0.0, 1.0, 10.0])
@pytest.mark.parametrize("engine", ENGINES)
def test_penalised_bias(engine: str, bias: float) -> None:
    data = two_classes(table("plain", 50, 10) + 2.0)
    for machine in (CSvm(1.0), L2Svm(1.0)):
        expect_all_optimal(data, Parts(Linear(), machine, engine=engine, bias=bias))


@pytest.mark.parametrize("scheme", ["one-vs-one", "one-vs-rest"])
@pytest.mark.parametrize("engine", ENGINES)
def test_several_classes_and_weights_of_rows(engine: str, scheme: str) -> None:
    weights = np.random.default_rng(0).uniform(0.2, 3.0, 60)
    data = several_classes(table("far", 60, 10), 3, scheme, weights=weights)
    for machine in (CSvm(1.0), L2Svm(1.0)):
        expect_all_optimal(data, Parts(Linear(), machine, engine=engine))


@pytest.mark.parametrize("kernel", [Rbf(gamma=0.1), Polynomial(3, 0.1, 1.0), Laplace(0.1)], ids=str)
def test_kernels(kernel) -> None:
    data = two_classes(table("plain", 40, 6))
    for machine in (CSvm(1.0), L2Svm(1.0)):
        expect_all_optimal(data, Parts(kernel, machine, schedule=Constant(2)))
    several = several_classes(table("plain", 40, 6), 3, "one-vs-one")
    expect_all_optimal(several, Parts(kernel, CSvm(1.0), combine=Maximum()))


@pytest.mark.parametrize("engine", ENGINES)
def test_weighted_columns_and_sparse_tables(engine: str) -> None:
    factors = np.random.default_rng(1).uniform(0.2, 2.0, 10)
    X = table("mostly zero", 60, 10) + 0.0
    data = two_classes(X)
    for machine in (CSvm(1.0), L2Svm(1.0)):
        path = trace(
            data, Parts(Linear(weights=factors), machine, engine=engine, least=9), solutions=True
        )
        (solution,) = path.solutions[0]
        labels = data.tasks[0].labels
        expect_optimal(X * np.sqrt(factors), labels, np.arange(60), solution, Linear(), machine)
        csr = Data(sparse.csr_array(X), data.tasks, data.groups)
        expect_all_optimal(csr, Parts(Linear(), machine, engine=engine))


@pytest.mark.parametrize("engine", ENGINES)
def test_decision_values_are_those_of_a_machine_solved_anew(engine: str) -> None:
    """Far from the origin, on rows it was not trained on."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 8)) + rng.normal(0, 1e4, 8)
    data, machine = two_classes(X), L2Svm(1.0)
    path = trace(data, Parts(Linear(), machine, engine=engine), solutions=True)
    other = X.mean(axis=0) + rng.normal(size=(20, 8))
    left = np.arange(8)
    for step, (solution,) in enumerate(path.solutions):
        centre = X[:, left].mean(axis=0)
        K = (X[:, left] - centre) @ (X[:, left] - centre).T
        labels = data.tasks[0].labels
        anew = solve(machine.problem(np.diag(K), labels), K, tol=1e-12)
        cross = (other[:, left] - centre) @ (X[:, left] - centre).T
        expected = cross @ anew.coefficients + anew.offset
        weights = solution.values @ X[np.ix_(solution.rows, left)]
        np.testing.assert_allclose(other[:, left] @ weights + solution.offset, expected, atol=1e-6)
        left = np.setdiff1d(left, path.dropped[step])


def test_solutions_of_drawn_rows_stand_on_these_rows() -> None:
    data = two_classes(table("far", 60, 6))
    labels = data.tasks[0].labels
    for kernel in (Linear(), Rbf(gamma=0.05)):
        sampler = Subsample(0.5)
        path = trace(data, Parts(kernel, CSvm(1.0), sampler=sampler, least=5), solutions=True)
        (draw,) = sampler.draws(data.groups, 6, 1, 0)
        (solution,) = path.solutions[0]
        assert set(solution.rows.tolist()) <= set(draw.rows.tolist())
        expect_optimal(data.X, labels[draw.rows], draw.rows, solution, kernel, CSvm(1.0))
    sampler = Bootstrap(repeats=3)
    path = trace(data, Parts(Linear(), CSvm(1.0), sampler=sampler, least=5), solutions=True)
    draws = sampler.draws(data.groups, 6, 1, 0)
    for draw, solution in zip(draws, path.solutions[0], strict=True):
        rows = draw.rows
        expect_optimal(
            data.X, labels[rows], rows, solution, Linear(), CSvm(1.0), weights=draw.counts
        )


def test_asking_for_solutions_changes_nothing_else() -> None:
    data = two_classes(table("integers", 20, 200))
    for kernel in (Linear(), Rbf(gamma=0.01)):
        parts = Parts(kernel, CSvm(1.0), stops=[AtSize(150)])
        plain, carrying = trace(data, parts), trace(data, parts, solutions=True)
        same_walk(carrying, plain, rtol=0)
        assert plain.solutions is None
        assert len(carrying.solutions) == carrying.n_steps


def test_solutions_are_cut_with_their_stretch() -> None:
    data = two_classes(table("plain", 20, 150))
    whole = trace(data, Parts(Linear(), CSvm(1.0)), solutions=True)
    stop = WhenScoreAbove(float(whole.scores[20]) * (1 + 1e-9))
    path = trace(data, Parts(Linear(), CSvm(1.0), stops=[stop]), solutions=True)
    assert 0 < path.n_steps < whole.n_steps
    assert len(path.solutions) == path.n_steps
    for (found,), (expected,) in zip(path.solutions, whole.solutions, strict=False):
        np.testing.assert_array_equal(found.rows, expected.rows)
        np.testing.assert_array_equal(found.values, expected.values)


def test_stretches_carry_solutions_only_when_asked() -> None:
    data = two_classes(table("plain", 20, 150))
    stretch = next(walk(data, Parts(Linear(), CSvm(1.0))))
    assert all(step.solutions == () for step in stretch)
    stretch = next(walk(data, Parts(Linear(), CSvm(1.0)), solutions=True))
    assert all(len(step.solutions) == 1 for step in stretch)


# ---- the last fit


@pytest.mark.parametrize("engine", ENGINES)
def test_last_fit_hands_on_its_solutions(engine: str) -> None:
    """They are what machines on the columns kept come to, in terms of the table as it was given."""
    data = two_classes(table("far", 50, 10))
    path = trace(data, Parts(Linear(), CSvm(1.0), engine=engine, least=4))
    left = np.sort(path.survivors)
    (solution,) = path.final_solutions
    (task,) = data.tasks
    expect_optimal(data.X[:, left], task.labels, np.arange(50), solution, Linear(), CSvm(1.0))
    assert 0.0 <= path.final_kkt_gap <= 1e-8


def test_nothing_trains_the_last_fit_again(monkeypatch) -> None:
    made = []
    built = KernelEngine.__init__
    monkeypatch.setattr(
        KernelEngine, "__init__", lambda self, *given: made.append(1) or built(self, *given)
    )
    X = table("plain", 60, 8)
    whole = two_classes(X)
    labels = whole.tasks[0].labels
    data = Data(X[:40], (Task(labels=labels[:40]),), whole.groups[:40])
    right = lambda f: (f[:, 0] * labels[40:] > 0).mean(axis=1, keepdims=True)  # noqa: E731
    parts = Parts(Rbf(gamma=0.1), CSvm(1.0), least=3)
    scored = follow(data, parts, X[40:], right)
    assert len(made) == 1
    found = scores_at(data, parts, X[40:], right, scored.path, np.array([3]))
    assert scored.scores[-1] == found[0]
