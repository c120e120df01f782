"""The toy problems beside a row-by-row reading of their definition."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import svsieve
from svsieve.datasets import make_weston_linear, make_weston_nonlinear

MAKERS = pytest.mark.parametrize(
    "make", [make_weston_linear, make_weston_nonlinear], ids=["linear", "non-linear"]
)
ROWS = 6000


def linear_row(rng: np.random.Generator, y: int, d: int) -> list[float]:
    if rng.random() < 0.7:
        informative = [y * rng.normal(i, 1) for i in (1, 2, 3)]
        informative += [rng.normal(0, 1) for _ in (4, 5, 6)]
    else:
        informative = [rng.normal(0, 1) for _ in (1, 2, 3)]
        informative += [y * rng.normal(i - 3, 1) for i in (4, 5, 6)]
    return informative + [rng.normal(0, 20) for _ in range(7, d + 1)]


def nonlinear_row(rng: np.random.Generator, y: int, d: int) -> list[float]:
    centres = [(-3 / 4, -3), (3 / 4, 3)] if y == -1 else [(3, -3), (-3, 3)]
    centre = centres[rng.integers(2)]
    return [rng.normal(centre[0], 1), rng.normal(centre[1], 1)] + [
        rng.normal(0, 20) for _ in range(3, d + 1)
    ]


@pytest.mark.parametrize(
    ("make", "row"),
    [(make_weston_linear, linear_row), (make_weston_nonlinear, nonlinear_row)],
    ids=["linear", "non-linear"],
)
def test_distributions_are_those_of_the_definition(make, row) -> None:
    rng, d = np.random.default_rng(1), 8
    X, y = make(ROWS, d, 0)
    by_hand = np.array([1, -1] * (ROWS // 2))
    expected = np.array([row(rng, label, d) for label in by_hand])
    # Single columns, and sums and differences of two: the kinds of rows show in these.
    pairs = [(0, 0), (0, 1), (1, 2), (2, 5), (3, 4), (0, 7), (6, 7)]
    for label in (-1, 1):
        ours, theirs = X[y == label], expected[by_hand == label]
        for i, j in pairs:
            for sign in (1.0, -1.0):
                test = stats.ks_2samp(
                    ours[:, i] + sign * ours[:, j], theirs[:, i] + sign * theirs[:, j]
                )
                assert test.pvalue > 1e-4, (label, i, j, sign)


def test_moments_of_the_linear_problem() -> None:
    X, y = make_weston_linear(200_000, 8, 3)
    towards = (X * y[:, None])[:, :6].mean(axis=0)
    np.testing.assert_allclose(towards, [0.7, 1.4, 2.1, 0.3, 0.6, 0.9], atol=0.02)
    np.testing.assert_allclose(X[:, 6:].std(axis=0), 20.0, rtol=0.01)
    np.testing.assert_allclose(X.mean(axis=0)[6:], 0.0, atol=0.2)
    # A row is of one kind: where columns 1 to 3 speak, columns 4 to 6 do not.
    speaks = X[:, 2] * y > 3.0
    np.testing.assert_allclose((X * y[:, None])[speaks, 3:6].mean(axis=0), 0.0, atol=0.05)


def test_neither_column_of_the_non_linear_problem_has_a_mean() -> None:
    X, y = make_weston_nonlinear(200_000, 3, 3)
    for label in (-1, 1):
        np.testing.assert_allclose(X[y == label, :2].mean(axis=0), 0.0, atol=0.05)
    product = X[:, 0] * X[:, 1]
    np.testing.assert_allclose(product[y == -1].mean(), 0.75 * 3, atol=0.1)
    np.testing.assert_allclose(product[y == 1].mean(), -9.0, atol=0.1)


@MAKERS
def test_shapes_and_seeds(make) -> None:
    X, y = make(7, 9, 5)
    assert X.shape == (7, 9)
    assert y.dtype.kind == "i"
    assert set(y.tolist()) <= {-1, 1}
    again, labels = make(7, 9, np.random.default_rng(5))
    np.testing.assert_array_equal(again, X)
    np.testing.assert_array_equal(labels, y)
    assert (make(7, 9, 6)[0] != X).all()
    assert make(1, rng=0)[0].shape[1] == (202 if make is make_weston_linear else 52)


@MAKERS
def test_classes_are_equally_likely_and_on_request_equally_many(make) -> None:
    share = (make(ROWS, 6, 0)[1] > 0).mean()
    assert 0.47 < share < 0.53
    assert share != 0.5
    assert make(ROWS, 6, 0, balanced=True)[1].sum() == 0
    odd = {int(make(11, 6, seed, balanced=True)[1].sum()) for seed in range(20)}
    assert odd == {-1, 1}
    first = {int(make(10, 6, seed, balanced=True)[1][0]) for seed in range(20)}
    assert first == {-1, 1}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 10), "n of make_weston_.* at least 1. Got 0"),
        ((2.5, 10), "n of make_weston_.* whole number .* Got 2.5"),
        ((10, 1), "d of make_weston_.* at least .* Got 1"),
        ((10, True), "d of make_weston_.* Got True"),
    ],
)
@MAKERS
def test_refused(make, arguments, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(*arguments)


def test_least_columns() -> None:
    assert make_weston_linear(3, 6)[0].shape == (3, 6)
    assert make_weston_nonlinear(3, 2)[0].shape == (3, 2)
    with pytest.raises(ValueError, match=r"at least 6\. Got 5"):
        make_weston_linear(3, 5)
    assert svsieve.datasets.make_weston_linear is make_weston_linear
