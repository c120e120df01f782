"""An infinite C with squared slack: the hard margin where classes can be separated, else a word."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog

from svsieve import SVC, SVMRFE

HARD = {"C": math.inf, "slack": "l2", "kernel": "linear"}
# The nearest points of the two hulls are (0, 0) and (2, 0), the latter between two rows.
ROWS = np.array([[0.0, 0.0], [-1.0, 2.0], [-1.0, -2.0], [2.0, 1.0], [2.0, -1.0], [5.0, 0.0]])
SIDES = np.array(["left"] * 3 + ["right"] * 3)
OVERLAP = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array(["out", "in", "in", "out"])
SENTENCE = r"hard margin .*cannot separate class 'in' from 'out'\. Use a finite C"


def test_the_plane_lies_half_way_between_the_hulls() -> None:
    model = SVC(**HARD).fit(ROWS, SIDES)
    np.testing.assert_allclose(model.coef_, [[1.0, 0.0]], atol=1e-7)
    np.testing.assert_allclose(model.intercept_, [-1.0], atol=1e-7)
    np.testing.assert_allclose(model.decision_function(ROWS), ROWS[:, 0] - 1.0, atol=1e-7)


@pytest.mark.parametrize("seed", range(4))
def test_no_plane_has_a_wider_margin(seed: int) -> None:
    """Against a fan of directions: for each, the margin is half of the gap along it."""
    rng = np.random.default_rng(seed)
    y = np.repeat([-1.0, 1.0], 10)
    X = rng.normal(size=(20, 2)) + 3.5 * y[:, None] * [0.8, 0.6]
    model = SVC(**HARD).fit(X, y)
    margin = 1.0 / np.linalg.norm(model.coef_)
    assert (y * model.decision_function(X)).min() == pytest.approx(1.0, abs=1e-7)
    angles = np.linspace(0.0, 2.0 * np.pi, 20_001)
    along = X @ np.array([np.cos(angles), np.sin(angles)])
    gaps = along[y > 0].min(axis=0) - along[y < 0].max(axis=0)
    assert margin == pytest.approx(gaps.max() / 2.0, rel=1e-6)


@pytest.mark.parametrize("seed", range(12))
def test_classes_are_refused_iff_no_plane_separates_them(seed: int) -> None:
    """Whether one does is known from a linear program."""
    rng = np.random.default_rng(seed)
    y = np.repeat([-1.0, 1.0], 8)
    X = rng.normal(size=(16, 2)) + (0.2 + 0.3 * (seed % 6)) * y[:, None]
    A = -y[:, None] * np.column_stack([X, np.ones(16)])
    separable = linprog(np.zeros(3), A, -np.ones(16), bounds=[(None, None)] * 3).status == 0
    if separable:
        assert SVC(**HARD).fit(X, y).score(X, y) == 1.0
    else:
        with pytest.raises(ValueError, match=r"cannot separate class -1\.0 from 1\.0"):
            SVC(**HARD).fit(X, y)


def test_classes_that_overlap_are_named() -> None:
    with pytest.raises(ValueError, match=SENTENCE):
        SVC(**HARD).fit(*OVERLAP)


def test_of_several_classes_the_pair_that_overlaps_is_named() -> None:
    X = np.array([[0.0], [1.0], [2.0], [3.0], [9.0], [10.0]])
    y = np.array(["out", "in", "in", "out", "far", "far"])
    with pytest.raises(ValueError, match=SENTENCE):
        SVC(**HARD).fit(X, y)


def test_columns_are_ranked_by_the_weights_of_hard_margins() -> None:
    """All sets of columns that are visited separate the classes; each machine is solved alone."""
    X = np.column_stack([ROWS, [0.1, -0.2, 0.3, 0.0, -0.3, 0.2]])
    path = SVMRFE(SVC(**HARD), n_features_to_select=1).fit(X, SIDES).path_
    left = [0, 1, 2]
    for column, score in zip(path.dropped, path.scores, strict=True):
        weights = SVC(**HARD).fit(X[:, left], SIDES).coef_[0] ** 2
        assert left[int(weights.argmin())] == column
        assert score == pytest.approx(weights.min(), rel=1e-5, abs=1e-12)
        left.remove(int(column))
    assert left == [0]


def test_columns_that_cannot_separate_are_refused_by_the_elimination() -> None:
    corners = np.array(list(product([-1.0, 1.0], repeat=2)))
    X = np.column_stack([corners, 5.0 * np.prod(corners, axis=1)])
    y = np.where(np.prod(corners, axis=1) > 0, "same", "other")
    assert SVMRFE(SVC(**HARD), n_features_to_select=1).fit(X, y).get_support()[2]
    with pytest.raises(
        ValueError,
        match=r"no solution on the 2 columns left.*cannot be separated\. Use a finite C, or stop",
    ):
        SVMRFE(SVC(**HARD), n_features_to_select=1).fit(X[:, :2], y)
