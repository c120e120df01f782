"""Solutions without a column in closed form, beside programs solved from scratch."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svsieve import kernels, machines
from svsieve.criteria import RadiusMargin, Span, WeightNorm, linear_retrain, retrain
from svsieve.criteria.linear_retrain import retrained_at_once
from svsieve.criteria.span_geometry import SpanGeometry, Supports
from svsieve.machines import solve
from tests.criteria.contexts import cloud, solved

TOL = 1e-10
MACHINES = {
    "l2": machines.L2Svm(10.0),
    "hard": machines.L2Svm(np.inf),
    "bounded": machines.CSvm(2e-3),
}


def without(context, j: int):
    """The program without a column, solved from scratch."""
    K = context.state.gram_without(j, context.rows)
    return solve(context.problem, K, tol=1e-12)


@pytest.mark.parametrize("weights", [None, np.linspace(0.5, 2.0, 20)], ids=["even", "weights"])
@pytest.mark.parametrize("rows", [None, np.arange(19, -1, -1)], ids=["all rows", "turned"])
@pytest.mark.parametrize("name", MACHINES)
def test_what_holds_is_the_solution(name: str, rows, weights) -> None:
    X, y = cloud(20, 200)
    context = solved(kernels.Linear(), X, y, MACHINES[name], rows, weights)
    found = retrained_at_once(context, TOL)
    assert found is not None
    assert found.holds.mean() > 0.5
    for j in np.flatnonzero(found.holds)[:40]:
        expected = without(context, int(j))
        scale = np.abs(expected.coefficients).max()
        np.testing.assert_allclose(
            found.coefficients[:, j], expected.coefficients, atol=1e-9 * scale
        )
        assert found.objectives[j] == pytest.approx(expected.objective, rel=1e-9)


def support_changes(context, j: int) -> bool:
    """Whether a row meets or leaves a bound without a column, by programs solved from scratch."""
    before, after = context.solution.coefficients, without(context, j).coefficients
    bounds = (context.problem.lower, context.problem.upper)
    return any(((after == bound) != (before == bound)).any() for bound in bounds)


@pytest.mark.parametrize("name", ["l2", "bounded"])
def test_rows_that_move_are_followed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = cloud(40, 30)
    context = solved(kernels.Linear(), X, y, MACHINES[name])
    monkeypatch.setattr(linear_retrain, "FEW_COLUMNS", 1)
    found = retrained_at_once(context, TOL)
    changes = np.array([support_changes(context, j) for j in range(30)])
    assert found is not None
    assert found.holds.all()
    np.testing.assert_array_equal(found.moved, changes)
    for j in range(30):
        expected = without(context, j)
        np.testing.assert_allclose(found.coefficients[:, j], expected.coefficients, atol=1e-10)
    monkeypatch.setattr(linear_retrain, "MOST_MOVES", 0)
    np.testing.assert_array_equal(retrained_at_once(context, TOL).holds, ~changes)
    monkeypatch.setattr(linear_retrain, "MOST_MOVES", 9)
    monkeypatch.setattr(linear_retrain, "FIRST_MOVES", 1)
    monkeypatch.setattr(linear_retrain, "SETTLED", 1.1)
    some = retrained_at_once(context, TOL).holds
    assert (~changes).sum() <= some.sum() < 30


def test_squares_are_those_of_the_machines_trained_again() -> None:
    X, y = cloud(40, 30)
    context = solved(kernels.Linear(), X, y, MACHINES["l2"])
    found = retrained_at_once(context, TOL)
    assert found is not None
    assert (found.holds & found.moved).sum() > 10
    for j in np.flatnonzero(found.holds):
        solution, K = without(context, j), context.state.gram_without(int(j), context.rows)
        supports = Supports.of(context.problem, solution)
        squares = SpanGeometry.of(K, supports).squares()
        np.testing.assert_allclose(found.squares[supports.rows, j], squares, rtol=1e-8)
        assert np.isnan(np.delete(found.squares[:, j], supports.rows)).all()


def assert_holds_only_for_solutions(context) -> None:
    found = retrained_at_once(context, TOL)
    if found is None:
        return
    for j in np.flatnonzero(found.holds):
        expected, u = without(context, int(j)), found.coefficients[:, j]
        assert found.objectives[j] == pytest.approx(expected.objective, rel=1e-8)
        assert abs(u.sum()) <= 1e-11 * np.abs(u).sum()


@given(
    seed=st.integers(0, 2**31),
    shape=st.tuples(st.integers(4, 30), st.integers(1, 20)),
    C=st.sampled_from([1e-3, 1e-2, 0.1, 1.0, 100.0, 1e5, np.inf]),
    squared=st.booleans(),
    rounded=st.booleans(),
    weighted=st.booleans(),
)
def test_whatever_holds_is_a_solution(seed, shape, C, squared, rounded, weighted) -> None:
    """Whole numbers give ties, twin rows and columns that say nothing."""
    rng = np.random.default_rng(seed)
    X = 3.0 * rng.normal(size=shape)
    X = np.round(X) if rounded else X
    y = np.where(rng.random(len(X)) < 0.3, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    weights = rng.integers(0, 3, size=len(X)).astype(float) if weighted else None
    if weights is not None:
        weights[:2] = 1.0
    machine = machines.L2Svm(C) if squared else machines.CSvm(min(C, 1e5))
    context = solved(kernels.Linear(), X, y, machine, None, weights)
    if context.solution.stopped != "unbounded":
        assert_holds_only_for_solutions(context)


@pytest.mark.parametrize("seed", [1608, 4925, 5151])
def test_no_row_is_put_at_a_bound_that_breaks_the_sum(seed: int) -> None:
    """Found among many small tables with twin rows: the last free row, or one nearly tied to it."""
    rng = np.random.default_rng(seed)
    X = np.round(3.0 * rng.normal(size=(rng.integers(4, 16), rng.integers(3, 12))), 1)
    X = X[rng.integers(0, len(X), size=len(X))]
    y = np.where(rng.random(len(X)) < 0.4, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    weights = rng.uniform(0.1, 3.0, size=len(X))
    machine = machines.CSvm(float(rng.choice([0.1, 1.0, 10.0])))
    context = solved(kernels.Linear(), X, y, machine, None, weights)
    assert_holds_only_for_solutions(context)
    expected = [-2.0 * without(context, j).objective for j in range(X.shape[1])]
    np.testing.assert_allclose(WeightNorm(retrain=True).scores(context), expected, rtol=1e-8)


def test_columns_are_taken_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = cloud(40, 30)
    context = solved(kernels.Linear(), X, y, MACHINES["l2"])
    whole = retrained_at_once(context, TOL)
    monkeypatch.setattr(linear_retrain, "BLOCK", 40 * 12)
    blocks = retrained_at_once(context, TOL)
    both = whole.holds & blocks.holds
    assert both.sum() > 20
    np.testing.assert_allclose(
        blocks.coefficients[:, both], whole.coefficients[:, both], atol=1e-11
    )


def test_there_is_no_closed_form_for_other_kernels_or_without_a_free_row() -> None:
    X, y = cloud(20, 6)
    assert retrained_at_once(solved(kernels.Rbf(gamma=0.1), X, y), TOL) is None
    y = np.where(np.arange(20) % 2, 1.0, -1.0)
    assert retrained_at_once(solved(kernels.Linear(), X, y, machines.CSvm(1e-9)), TOL) is None


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("criterion", [WeightNorm(retrain=True), Span(retrain=True)], ids=repr)
def test_most_columns_of_a_wide_table_are_not_trained_and_score_as_if_they_were(
    criterion, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = cloud(20, 200)
    context = solved(kernels.Linear(), X, y, MACHINES[name])
    trained = []

    def counted(problem, K, **options):
        trained.append(1)
        return solve(problem, K, **options)

    monkeypatch.setattr(retrain, "solve", counted)
    found = criterion.scores(context)
    assert len(trained) < 100
    monkeypatch.setattr("svsieve.criteria.span.retrained_at_once", lambda *_: None)
    monkeypatch.setattr(retrain, "retrained_at_once", lambda *_: None)
    trained.clear()
    np.testing.assert_allclose(found, criterion.scores(context), rtol=1e-8)
    assert len(trained) == 200


@pytest.mark.parametrize("criterion", [WeightNorm(retrain=True), RadiusMargin(retrain=True)])
def test_the_least_are_those_of_all_scores(criterion) -> None:
    X, y = cloud(20, 100)
    context = solved(kernels.Linear(), X, y, MACHINES["l2"])
    full = criterion.scores(context)
    found = criterion.least(context, 3)
    assert found is not None
    np.testing.assert_allclose(found.values, full[found.positions], rtol=1e-8)
    assert set(np.argsort(full)[:4]) <= set(found.positions.tolist())
