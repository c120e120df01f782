"""The median of many rankings."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from svsieve import Sieve
from svsieve.cli.results import write_results
from svsieve.elimination import Path
from svsieve.estimators import sieve as sieve_module
from svsieve.estimators.sieving import nested as nested_module
from svsieve.estimators.sieving.consensus import consensus
from svsieve.reports import ScheduleDisplay


def ranked(order: np.ndarray) -> Path:
    """Return a path whose columns are in this order, best first."""
    scores = np.empty(len(order))
    scores[order] = -np.arange(len(order))
    return Path.from_scores(scores)


@given(st.integers(1, 12), st.integers(1, 7), st.integers(1, 5), st.integers(0, 10**6))
def test_the_order_is_that_of_median_ranks(columns: int, parts: int, votes: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    whole, *others = (rng.permutation(columns) for _ in range(1 + parts))
    found = consensus(ranked(whole), [ranked(one) for one in others], votes)
    voters = [whole.tolist()] * min(votes, parts) + [one.tolist() for one in others]
    ranks = [[1 + order.index(column) for order in voters] for column in range(columns)]
    keys = [(float(np.median(one)), float(np.mean(one))) for one in ranks]
    in_order = [keys[column] for column in found.order]
    assert all(
        before[0] < after[0] or (before[0] == after[0] and before[1] <= after[1] + 1e-9)
        for before, after in pairwise(in_order)
    )
    assert sorted(found.order.tolist()) == list(range(columns))
    assert found.notes["rankings"] == 1 + parts


def test_rankings_that_agree_are_the_answer() -> None:
    order = np.array([3, 0, 4, 1, 2])
    found = consensus(ranked(order), [ranked(order)] * 4, votes=4)
    np.testing.assert_array_equal(found.order, order)
    np.testing.assert_allclose(found.importances[::-1], 1.0 / np.arange(1, 6))
    assert not found.tied.any()


def test_scores_are_one_over_the_median_rank() -> None:
    whole, *parts = (ranked(np.array(order)) for order in ([0, 1, 2], [1, 0, 2], [0, 2, 1]))
    found = consensus(whole, parts, votes=1)
    np.testing.assert_array_equal(found.order, [0, 1, 2])
    np.testing.assert_allclose(found.importances[::-1], [1.0, 1.0 / 2.0, 1.0 / 3.0])
    np.testing.assert_array_equal(found.following, [1.0 / 2.0, 1.0])


def test_a_ranking_that_went_astray_does_not_matter() -> None:
    order = np.arange(50)
    astray = np.roll(order, -2)  # the best two come last
    orders = [order, order, astray]
    found = consensus(ranked(order), [ranked(one) for one in orders], votes=3)
    np.testing.assert_array_equal(found.order, order)
    ranks = np.argsort([order] * 3 + orders, axis=1)
    assert ranks.mean(axis=0).argmin() == 2  # by the mean they would be lost


def test_without_parts_it_is_the_ranking_on_all_rows() -> None:
    whole = ranked(np.array([1, 0]))
    assert consensus(whole, [], votes=5) is whole


def test_columns_that_all_keep_stay_first() -> None:
    orders = [np.array([4, 2, 0, 1, 3]), np.array([2, 4, 3, 0, 1]), np.array([4, 2, 1, 3, 0])]
    whole, *parts = map(ranked, orders)
    assert set(consensus(whole, parts, votes=1).top(2)) == {2, 4}


def test_without_time_for_all_rows_the_parts_decide() -> None:
    parts = [ranked(np.array(order)) for order in ([2, 0, 1], [2, 1, 0], [0, 2, 1])]
    found = consensus(None, parts, votes=5)
    np.testing.assert_array_equal(found.order, [2, 0, 1])
    assert found.notes["rankings"] == 3


def table() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 30)), np.repeat([0, 1], 20)
    X[y == 1, :3] += 1.5
    return X, y


def test_sieve_joins_its_rankings() -> None:
    sieve = Sieve(keep=[7]).fit(*table())
    assert sieve.path_.notes["rankings"] == 26  # five cuts into five folds, and all rows
    assert sieve.full_path_.notes.get("rankings") is None
    assert sieve.path_.order[0] == 7
    assert not np.array_equal(sieve.path_.order, sieve.full_path_.order)
    text = sieve.report_.to_markdown()
    assert "by the median of their ranks in 26 rankings" in text
    assert f"in {sieve.full_path_.n_steps} steps" in text
    assert sieve.report_.best.walked is sieve.full_path_


def test_the_estimate_is_that_of_the_ranking_agreed_on(monkeypatch) -> None:
    def worst_first(candidate, whole, parts, votes):
        assert len(parts) == 4  # of the five folds of a cut one is judged
        return ranked(consensus(whole, parts, votes).order[::-1])

    X, y = table()
    good = Sieve().fit(X, y)
    monkeypatch.setattr(nested_module, "agreed", worst_first)
    poor = Sieve().fit(X, y)
    assert float(good.score_) > float(poor.score_) + 0.1
    found, lost = (one.nested_.supports[:, :3].mean() for one in (good, poor))
    assert found > lost + 0.2


def test_the_elimination_is_what_is_drawn_and_saved(tmp_path) -> None:
    sieve = Sieve().fit(*table())
    drawn = ScheduleDisplay.from_estimator(sieve, ax=Figure().subplots())
    np.testing.assert_array_equal(drawn.sizes, sieve.full_path_.sizes)
    write_results(sieve.report_, tmp_path / "results", [], {})
    saved = Path.load(tmp_path / "results" / "path.npz")
    np.testing.assert_array_equal(saved.order, sieve.full_path_.order)
    one = sieve.report_.best
    with pytest.raises(ValueError, match="must have the 30 columns"):
        replace(sieve.report_, candidates=(replace(one, elimination=ranked(np.arange(3))),))


def test_with_a_kernel_the_ranking_on_all_rows_stands_alone() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 8))
    sieve = Sieve().fit(X, (X[:, 0] * X[:, 1] > 0).astype(int))
    assert sieve.choice_.kernel != "linear"
    np.testing.assert_array_equal(sieve.path_.order, sieve.full_path_.order)
    assert "median of their ranks" not in sieve.report_.to_markdown()


def test_where_time_ends_before_a_ranking_on_all_rows(monkeypatch) -> None:
    traced = sieve_module.trace

    def cut_short(data, parts):
        return replace(traced(data, parts), stopped="time")

    monkeypatch.setattr(sieve_module, "trace", cut_short)
    sieve = Sieve().fit(*table())
    assert sieve.path_.notes["rankings"] == 25
    assert "a ranking on all rows" in sieve.choice_.untried
    assert sieve.full_path_.notes["n_rows"] < 40
    assert sieve.score(*table()) > 0.8
