"""Rows left out: their margins against machines trained again, and choices by what they lose."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from svsieve import SVC, GradientSearch
from svsieve.criteria import Context
from svsieve.criteria.span_geometry import NoSpanError, SpanGeometry, Supports
from svsieve.kernels import KernelState, Linear, Rbf
from svsieve.machines import CSvm, L2Svm, solve
from svsieve.selection.left_out import confirmed, margins_left_out, merged
from tests.criteria.contexts import cloud

X, LABELS = cloud(40, 3, seed=5)
KERNEL = Rbf(gamma=0.4)
COUNTS = np.random.default_rng(1).choice([1.0, 2.0, 3.0], len(LABELS))


def trained(machine, weights: np.ndarray) -> Context:
    state = KernelState(KERNEL, X)
    problem = machine.problem(state.diagonal(), LABELS, weights)
    solution = solve(problem, state.gram(), tol=1e-13)
    return Context(machine, problem, solution, None, LABELS, state)


def without_one(machine, weights: np.ndarray, counts: np.ndarray, p: int) -> tuple[float, Context]:
    """y_p f(x_p) of the machine trained again with one of the rows at place p left out."""
    fewer = weights.copy()
    fewer[p] *= max(counts[p] - 1.0, 0.0) / counts[p]
    again = trained(machine, fewer)
    inner = again.state.gram()[p] @ again.solution.coefficients + again.solution.offset
    return float(LABELS[p] * inner), again


def moved(before: Context, after: Context, p: int) -> bool:
    """Whether a row other than p met or left a bound."""
    kinds = []
    for one in (before, after):
        found = Supports.of(one.problem, one.solution)
        kind = np.zeros(len(LABELS))
        kind[found.rows[found.free]], kind[found.rows[found.bounded]] = 1, 2
        kinds.append(np.delete(kind, p))
    return not np.array_equal(*kinds)


@pytest.mark.parametrize("counts", [np.ones(len(LABELS)), COUNTS], ids=["single", "several"])
@pytest.mark.parametrize(
    "machine", [CSvm(0.3), CSvm(2.0), L2Svm(0.1), L2Svm(3.0)], ids=["l1", "l1 2", "l2", "l2 3"]
)
def test_margins_are_those_of_machines_trained_again(machine, counts: np.ndarray) -> None:
    weights = 0.7 * counts
    context = trained(machine, weights)
    margins = margins_left_out(context, counts)
    seen = 0
    for p in range(len(LABELS)):
        again, after = without_one(machine, weights, counts, p)
        if not moved(context, after, p):
            assert margins[p] == pytest.approx(again, abs=1e-7)
            seen += 1
    assert seen >= 8


def test_rows_that_do_not_matter_keep_their_margin() -> None:
    context = trained(L2Svm(50.0), np.ones(len(LABELS)))
    idle = context.solution.coefficients == 0
    inner = context.state.gram() @ context.solution.coefficients + context.solution.offset
    assert idle.any()
    margins = margins_left_out(context, np.ones(len(LABELS)))
    np.testing.assert_allclose(margins[idle], (LABELS * inner)[idle], atol=1e-9)


BALANCED = np.where(np.arange(len(LABELS)) % 2 == 0, 1.0, -1.0)


def bounded(shift: float) -> Context:
    """All rows at their bound: as many of each class, and a small C."""
    state, machine = KernelState(Linear(), X + shift), CSvm(1e-6)
    problem = machine.problem(state.diagonal(), BALANCED)
    solution = solve(problem, state.gram(), tol=1e-13)
    return Context(machine, problem, solution, None, BALANCED, state)


def test_without_free_rows_distances_are_from_the_mean() -> None:
    here, there = bounded(0.0), bounded(100.0)
    ones = np.ones(len(LABELS))
    assert not len(Supports.of(here.problem, here.solution).free)
    inner = here.state.gram() @ here.solution.coefficients + here.solution.offset
    squares = ((X - X.mean(axis=0)) ** 2).sum(axis=1)
    expected = BALANCED * inner - 1e-6 * squares
    np.testing.assert_allclose(margins_left_out(here, ones), expected, atol=1e-13)
    np.testing.assert_allclose(margins_left_out(there, ones), expected, atol=1e-9)


def test_a_lone_free_row_has_a_margin() -> None:
    X_two, y_two = np.array([[-1.0], [1.0], [1.2]]), np.array([-1.0, 1.0, 1.0])
    state, machine = KernelState(Linear(), X_two), CSvm(0.1)
    problem = machine.problem(state.diagonal(), y_two, [1.0, 0.6, 0.8])
    solution = solve(problem, state.gram(), tol=1e-13)
    assert len(Supports.of(problem, solution).free) == 1
    context = Context(machine, problem, solution, None, y_two, state)
    # f = 0.208 x + 0.7504. The free row is 0.8 from the mean, the others 2.2 and 0.2 from it.
    expected = [-0.5424 - 0.1 * 2.2**2, 0.9584 - 0.06 * 0.2**2, 1.0 - 0.04 * 0.8**2]
    np.testing.assert_allclose(margins_left_out(context, np.ones(3)), expected, atol=1e-12)


def test_no_margins_where_rounding_leaves_no_distances(monkeypatch) -> None:
    def fail(K, supports):
        raise NoSpanError("no distances")

    monkeypatch.setattr(SpanGeometry, "of", fail)
    assert margins_left_out(trained(CSvm(2.0), np.ones(len(LABELS))), np.ones(len(LABELS))) is None
    search = GradientSearch(SVC()).fit(X, LABELS)
    assert np.isnan(search.trace_["left_out_error"]).all()
    assert search.best_index_ == int(np.argmin(search.trace_["value"]))


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_rows_at_one_place_are_merged_by_class(kind) -> None:
    table = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, -0.0], [1.0, 0.0], [0.0, 2.0]])
    labels = np.array([1.0, 1.0, 1.0, -1.0, 1.0])
    weights = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    X_one, y_one, w_one, k_one = merged(kind(table), labels, weights, np.ones(5))
    dense = X_one.toarray() if sparse.issparse(X_one) else X_one
    assert dense.tolist() == [[1.0, 0.0], [0.0, 2.0], [1.0, 0.0]]
    assert y_one.tolist() == [1.0, 1.0, -1.0]
    assert w_one.tolist() == [5.0, 18.0, 8.0]
    assert k_one.tolist() == [2.0, 2.0, 1.0]


def test_rows_at_places_of_their_own_stay() -> None:
    found = merged(X, LABELS, COUNTS, COUNTS)
    assert found[0] is X
    assert found[1] is LABELS


class TestConfirmed:
    GOOD = np.array([1.0, 2.0, 0.5, 0.8, -0.1, 1.2])
    POOR = np.array([0.1, -0.2, 0.1, -0.5, 0.3, -0.1])
    ONES = np.ones(6)

    def test_the_smallest_value_stands_where_nothing_is_clearly_better(self) -> None:
        assert confirmed([0.5, 0.4], [self.POOR, self.GOOD], self.ONES, self.ONES) == 1
        other = self.GOOD[::-1]  # the same loss, on other rows
        assert confirmed([0.5, 0.4], [self.GOOD, other], self.ONES, self.ONES) == 1
        assert confirmed([0.4, 0.5], [self.GOOD, other], self.ONES, self.ONES) == 0

    def test_a_clearly_smaller_loss_is_taken_instead(self) -> None:
        assert confirmed([0.5, 0.4], [self.GOOD, self.POOR], self.ONES, self.ONES) == 0

    def test_points_without_value_or_margins_are_left_alone(self) -> None:
        assert confirmed([np.inf, 0.4], [self.GOOD, self.POOR], self.ONES, self.ONES) == 1
        assert confirmed([0.5, 0.4], [None, self.POOR], self.ONES, self.ONES) == 1
        assert confirmed([0.5, 0.4], [self.GOOD, None], self.ONES, self.ONES) == 1

    @settings(max_examples=30, deadline=None)
    @given(st.floats(0.1, 10.0), st.integers(1, 5))
    def test_units_and_repetitions_do_not_matter(self, unit: float, times: int) -> None:
        rng = np.random.default_rng(times)
        margins = [rng.normal(size=12) + shift for shift in (0.4, 0.3, 0.5)]
        counts = rng.integers(1, 4, 12).astype(float)
        values = [0.3, 0.2, 0.4]
        plain = confirmed(values, margins, counts, counts)
        assert confirmed(values, [unit * margins[0], *margins[1:]], counts, counts) == plain
        assert confirmed(values, margins, unit * counts, counts) == plain
        repeated = [np.repeat(m, counts.astype(int)) for m in margins]
        ones = np.ones(int(counts.sum()))
        assert confirmed(values, repeated, ones, ones) == plain

    def test_margins_that_are_no_numbers_are_left_alone(self) -> None:
        lost = self.GOOD * np.nan
        assert confirmed([0.5, 0.4, 0.6], [lost, self.POOR, self.GOOD], self.ONES, self.ONES) == 2

    @pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
    def test_one_margin_that_is_no_number_is_enough(self, bad: float) -> None:
        ones = self.ONES
        good, poor = (np.append(margins[:-1], bad) for margins in (self.GOOD, self.POOR))
        assert confirmed([0.5, 0.4, 0.6], [good, self.POOR, self.GOOD], ones, ones) == 2
        assert confirmed([0.5, 0.4], [good, self.POOR], ones, ones) == 1
        # The smallest value cannot be put in doubt where its own margins are not known.
        assert confirmed([0.5, 0.4], [self.GOOD, poor], ones, ones) == 1
