"""Scores that do not change, as a path."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_selection import f_classif

from svsieve import fisher_score
from svsieve.datasets import make_weston_linear
from svsieve.elimination import Path, ascending

SCORES = st.lists(
    st.floats(-1e6, 1e6) | st.integers(-3, 3).map(float), min_size=1, max_size=30
).map(np.array)


@given(scores=SCORES)
def test_order_is_that_of_an_elimination_without_rounding(scores: np.ndarray) -> None:
    path = Path.from_scores(scores)
    np.testing.assert_array_equal(path.order, ascending(scores, 0.0)[::-1])
    np.testing.assert_array_equal(path.importances, np.sort(scores))
    assert (path.counts == 1).all()
    assert path.sizes.tolist() == list(range(len(scores), 0, -1))
    assert (path.margins >= 0).all()
    np.testing.assert_array_equal(path.tied, path.margins == 0)
    assert (path.stopped, path.engine) == ("size", "scores")


@given(scores=SCORES)
def test_small_scores_may_be_the_good_ones(scores: np.ndarray) -> None:
    path = Path.from_scores(scores, larger_is_better=False)
    assert path.same_ranking(Path.from_scores(-scores))
    np.testing.assert_array_equal(scores[path.order], np.sort(scores))


def test_equal_scores_go_lower_index_first() -> None:
    path = Path.from_scores([2.0, 1.0, 2.0, 1.0, 3.0])
    assert path.dropped.tolist() == [1, 3, 0, 2]
    assert path.order.tolist() == [4, 2, 0, 3, 1]
    assert path.tied.tolist() == [True, False, True, False]


def test_names_files_frames_and_sizes(tmp_path) -> None:
    X, y = make_weston_linear(80, 10, 0)
    names = [f"gene {j}" for j in range(10)]
    path = Path.from_scores(fisher_score(X, y), names)
    path.save(tmp_path / "filter.npz")
    loaded = Path.load(tmp_path / "filter.npz")
    assert loaded.same_ranking(path)
    assert loaded.column_names == tuple(names)
    frame = path.to_frame()
    assert frame["name"][0] == f"gene {path.order[0]}"
    assert frame["score"].is_monotonic_decreasing
    assert "10 columns, 9 steps, 1 kept" in path.summary()
    assert path.ranking()[path.order].tolist() == list(range(1, 11))
    assert 1 <= path.estimated_size() <= 10


def test_one_column() -> None:
    path = Path.from_scores([0.5])
    assert path.order.tolist() == [0]
    assert path.n_steps == 0


def test_infinite_scores_are_the_best() -> None:
    path = Path.from_scores([1.0, np.inf, 2.0])
    assert path.order.tolist() == [1, 2, 0]
    with pytest.raises(ValueError, match="importance of columns cannot be added up"):
        path.estimated_size()


def test_p_values_do_not_add_up() -> None:
    X, y = make_weston_linear(80, 10, 0)
    _, p = f_classif(X, y)
    path = Path.from_scores(p, larger_is_better=False)
    assert path.order[0] == p.argmin()
    with pytest.raises(ValueError, match="small ones are the good ones"):
        path.estimated_size()


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([], "scores must have an entry for at least one column"),
        ([1.0, np.nan], r"scores must not be missing\. Column 1 has nan"),
        ([[1.0]], "scores must be one-dimensional"),
    ],
)
def test_refused(scores, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Path.from_scores(scores)


def test_names_must_fit() -> None:
    with pytest.raises(ValueError, match=r"column_names must have 2 entries\. Got 1"):
        Path.from_scores([1.0, 2.0], ["a"])
