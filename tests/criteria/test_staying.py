"""Solutions without a column in closed form, beside programs solved from scratch."""

from __future__ import annotations

import numpy as np
import pytest

from svsieve import kernels, machines
from svsieve.criteria import RadiusMargin, Span, WeightNorm, retrain
from svsieve.criteria.staying import staying
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
    found = staying(context, TOL)
    assert found is not None
    assert found.holds.mean() > 0.5
    for j in np.flatnonzero(found.holds)[:40]:
        expected = without(context, int(j))
        scale = np.abs(expected.coefficients).max()
        np.testing.assert_allclose(
            found.coefficients[:, j], expected.coefficients, atol=1e-9 * scale
        )
        assert found.objectives[j] == pytest.approx(expected.objective, rel=1e-9)


@pytest.mark.parametrize("name", MACHINES)
def test_columns_that_move_the_support_do_not_hold(name: str) -> None:
    X, y = cloud(40, 30)
    context = solved(kernels.Linear(), X, y, MACHINES[name] if name != "hard" else MACHINES["l2"])
    found = staying(context, TOL)
    assert found is not None
    before = context.solution.coefficients
    lower, upper = context.problem.lower, context.problem.upper
    moved = [
        ((without(context, j).coefficients == lower) != (before == lower)).any()
        or ((without(context, j).coefficients == upper) != (before == upper)).any()
        for j in range(30)
    ]
    assert any(moved)
    assert not (found.holds & np.array(moved)).any()


def test_there_is_no_closed_form_for_other_kernels_or_without_a_free_row() -> None:
    X, y = cloud(20, 6)
    assert staying(solved(kernels.Rbf(gamma=0.1), X, y), TOL) is None
    y = np.where(np.arange(20) % 2, 1.0, -1.0)
    assert staying(solved(kernels.Linear(), X, y, machines.CSvm(1e-9)), TOL) is None


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
    monkeypatch.setattr("svsieve.criteria.span.staying", lambda *_: None)
    monkeypatch.setattr(retrain, "staying", lambda *_: None)
    trained.clear()
    np.testing.assert_allclose(found, criterion.scores(context), rtol=1e-8)
    assert len(trained) == 200


@pytest.mark.parametrize("criterion", [WeightNorm(retrain=True), RadiusMargin(retrain=True)])
def test_the_least_are_found_with_what_is_known(criterion) -> None:
    X, y = cloud(20, 100)
    context = solved(kernels.Linear(), X, y, MACHINES["l2"])
    full = criterion.scores(context)
    found = criterion.least(context, 3)
    assert found is not None
    np.testing.assert_allclose(found.values, full[found.positions], rtol=1e-8)
    assert set(np.argsort(full)[:4]) <= set(found.positions.tolist())
