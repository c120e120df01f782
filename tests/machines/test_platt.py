"""Sigmoids fitted to decision values: optimality, another library, published numbers, limits."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime, minimize
from sklearn.calibration import _sigmoid_calibration

from svsieve.machines import CSvm, Sigmoid, fit_sigmoid, solve
from svsieve.machines.platt import smoothed_targets
from tests.oracles import library, numbers

VALIDATION_X = np.array([[0.5, 0.2, 1.0], [-0.8, -0.3, 0.4], [1.0, -0.6, -0.5], [-0.4, 0.7, -1.0]])
VALIDATION_Y = np.array([1.0, -1.0, 1.0, -1.0])


def values_and_labels(seed, rows=60, shift=1.0):
    rng = np.random.default_rng(seed)
    labels = np.where(rng.random(rows) < 0.4, 1.0, -1.0)
    return rng.normal(size=rows) + shift * labels, labels, rng.uniform(0.1, 3.0, rows)


def plain_loss(theta, f, y, w):
    """The cross-entropy as it is defined, row by row."""
    n_positive, n_negative = w[y > 0].sum(), w[y < 0].sum()
    total = 0.0
    for value, label, weight in zip(f, y, w, strict=True):
        p = 1 / (1 + math.exp(theta[0] * value + theta[1]))
        t = (n_positive + 1) / (n_positive + 2) if label > 0 else 1 / (n_negative + 2)
        total -= weight * (t * math.log(p) + (1 - t) * math.log(1 - p))
    return total


@pytest.mark.parametrize("seed", range(4))
def test_slope_and_offset_minimise_the_cross_entropy(seed):
    f, y, w = values_and_labels(seed)
    found = fit_sigmoid(f, y, w)
    theta = np.array([found.slope, found.offset])
    best = minimize(
        plain_loss, [0.0, 0.0], (f, y, w), method="Nelder-Mead", options={"xatol": 1e-9}
    )
    np.testing.assert_allclose(theta, best.x, rtol=1e-4, atol=1e-5)
    assert plain_loss(theta, f, y, w) <= best.fun + 1e-12
    assert np.abs(approx_fprime(theta, plain_loss, 1e-6, f, y, w)).max() < 1e-3
    central = [
        (plain_loss(theta + step, f, y, w) - plain_loss(theta - step, f, y, w)) / 2e-5
        for step in 1e-5 * np.eye(2)
    ]
    np.testing.assert_allclose(central, 0.0, atol=1e-7)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("size", [1.0, 1e3])
def test_it_agrees_with_scikit_learn(seed, weighted, size):
    f, y, w = values_and_labels(seed, shift=[0.0, 0.5, 2.0][seed % 3])
    found = fit_sigmoid(size * f, y, w if weighted else None)
    slope, offset = _sigmoid_calibration(size * f, y, w if weighted else None)
    assert found.slope * size == pytest.approx(slope * size, rel=1e-3, abs=1e-3)
    assert found.offset == pytest.approx(offset, rel=1e-3, abs=1e-3)


@pytest.mark.parametrize(
    ("machine", "slope", "offset", "values"),
    [
        (
            library.L2_SVM,
            -1.969574048,
            0.1197717634,
            [0.8691720715, -0.4218601931, 0.2405759455, -0.3627985636],
        ),
        (
            library.L1_SVM,
            -1.300511017,
            0.06175359519,
            [1.222717644, -0.8335782008, 0.3573773321, -0.4709069055],
        ),
    ],
    ids=["squared slack", "linear slack"],
)
def test_the_published_problem(machine, slope, offset, values):
    fit = library.Fit(machine, library.state(2), numbers.Y)
    f = library.GAUSSIAN.cross(VALIDATION_X, numbers.X) @ fit.b + fit.offset
    np.testing.assert_allclose(f, values, rtol=1e-8)
    found = fit_sigmoid(f, VALIDATION_Y)
    assert (found.slope, found.offset) == pytest.approx((slope, offset), rel=1e-8)


def test_targets_count_the_rows_of_each_class():
    labels, weights = np.array([1.0, 1.0, -1.0]), np.array([1.0, 2.0, 0.5])
    np.testing.assert_allclose(smoothed_targets(labels, weights), [4 / 5, 4 / 5, 1 / 2.5])


def test_the_slope_is_negative_iff_positives_have_the_larger_mean():
    # The machine gives no guarantee: on rows it was not trained on either sign occurs, also for
    # values of squared slack and hard margins.
    signs = set()
    for seed in range(200):
        f, y, _ = values_and_labels(seed, rows=12, shift=0.1)
        if len(set(y)) < 2:
            continue
        difference = f[y > 0].mean() - f[y < 0].mean()
        found = fit_sigmoid(f, y)
        assert np.sign(found.slope) == -np.sign(difference)
        signs.add(np.sign(found.slope))
    assert signs == {-1.0, 1.0}


def test_a_machine_can_be_wrong_about_every_row_that_was_held_out():
    # One row of each class is held out; the machine is trained on rows that say the opposite.
    X, y = np.array([[-1.0], [1.0]]), np.array([-1.0, 1.0])
    gram = X @ X.T
    b = solve(CSvm(1.0).problem(np.diag(gram), y), gram).coefficients
    held_out = np.array([[2.0], [-2.0]])
    values = (held_out @ X.T) @ b
    assert fit_sigmoid(values, [-1, 1]).slope > 0
    assert fit_sigmoid(values, [-1, 1], rising=True) == Sigmoid(0.0, 0.0)


def test_rising_takes_the_best_of_the_slopes_allowed():
    f, y, w = values_and_labels(0, shift=-1.0)
    found = fit_sigmoid(f, y, w, rising=True)
    assert found.slope == 0.0
    loss = plain_loss((found.slope, found.offset), f, y, w)
    for step in ((-1e-4, 0.0), (0.0, 1e-3), (0.0, -1e-3), (-1e-3, 1e-3)):
        assert plain_loss((step[0], found.offset + step[1]), f, y, w) > loss
    usual, y_usual, w_usual = values_and_labels(0)
    assert fit_sigmoid(usual, y_usual, w_usual, rising=True) == fit_sigmoid(usual, y_usual, w_usual)


@given(
    st.integers(0, 10_000),
    st.floats(1e-8, 1e8),
    st.floats(-1e2, 1e2),
    st.sampled_from([-3.0, 0.0, 1.0, 6.0]),
)
def test_unit_and_origin_of_the_values_do_not_matter(seed, unit, origin, shift):
    f, y, w = values_and_labels(seed, rows=20, shift=shift)
    p = fit_sigmoid(f, y, w).probability(f)
    moved = unit * (f + origin)
    np.testing.assert_allclose(fit_sigmoid(moved, y, w).probability(moved), p, atol=1e-7)


@given(st.integers(0, 10_000))
def test_whole_weights_count_rows(seed):
    f, y, _ = values_and_labels(seed, rows=15)
    counts = np.random.default_rng(seed).integers(0, 3, 15)
    if not counts.any():
        counts[0] = 1
    weighted = fit_sigmoid(f, y, counts)
    repeated = fit_sigmoid(np.repeat(f, counts), np.repeat(y, counts))
    np.testing.assert_allclose(weighted.probability(f), repeated.probability(f), atol=1e-9)


@given(st.integers(0, 10_000))
def test_swapped_classes_swap_probabilities(seed):
    f, y, w = values_and_labels(seed, rows=15)
    p, q = fit_sigmoid(f, y, w).probability(f), fit_sigmoid(-f, -y, w).probability(-f)
    np.testing.assert_allclose(p + q, 1.0, atol=1e-9)


@pytest.mark.parametrize("gap", [1.0, 1e-12, 1e12])
def test_separated_values_have_a_finite_optimum(gap):
    f = gap * np.array([-3.0, -2.0, -1.0, 1.0, 2.0])
    y = np.sign(f)
    found = fit_sigmoid(f, y)
    p = found.probability(f)
    assert -math.inf < found.slope < 0
    # The gradient vanishes: the probabilities match the targets in the mean and along the values.
    rest = smoothed_targets(y, np.ones(5)) - p
    np.testing.assert_allclose([rest.sum(), rest @ f / gap], 0.0, atol=1e-11)


def test_equal_values_and_single_classes_give_constants():
    assert fit_sigmoid([3.0, 3.0, 3.0], [1, 1, -1]).probability([0.0, 9.0]) == pytest.approx(
        (2 * 3 / 4 + 1 / 3) / 3
    )
    one_class = fit_sigmoid([1.0, 2.0, 5.0], [1, 1, 1])
    assert one_class.probability([-4.0, 4.0]) == pytest.approx(4 / 5)


def test_probabilities_of_huge_values_neither_overflow_nor_lose_their_sign():
    p = Sigmoid(slope=-2.0, offset=1.0).probability([-1e300, -350.0, 350.0, 1e300])
    np.testing.assert_allclose(p, [0.0, math.exp(-701), 1.0, 1.0], rtol=1e-12)


@pytest.mark.parametrize(
    ("values", "labels", "weights", "message"),
    [
        ([1.0, np.nan], [1, -1], None, "values must be finite. Row 1 has nan"),
        ([1.0, np.inf], [1, -1], None, "values must be finite. Row 1 has inf"),
        ([1.0, 2.0], [1, 0], None, r"labels of fit_sigmoid must be \+1 or -1. Got 0"),
        ([1.0, 2.0], [1], None, "labels must have 2 entries. Got 1"),
        ([1.0, 2.0], [1, -1], [1.0, -1.0], "Row 1 has -1.0"),
        ([1.0, 2.0], [1, -1], [0.0, 0.0], "needs a row with weight"),
        ([], [], None, "needs a row with weight"),
        ([[1.0]], [1], None, "one-dimensional"),
    ],
)
def test_what_is_refused(values, labels, weights, message):
    with pytest.raises(ValueError, match=message):
        fit_sigmoid(values, labels, weights)


@pytest.mark.parametrize(
    ("spread", "orders", "seed"),
    [(1, 3, 208), (3, 3, 110), (5, 12, 7), (5, 12, 12), (5, 12, 30), (5, 12, 228)],
)
def test_values_and_weights_of_all_sizes_have_a_minimum_too(spread, orders, seed):
    """Newton's steps have to be halved there, or end where the loss is flat to its last digit."""
    rng = np.random.default_rng([seed, spread, orders])
    f, y = np.exp(spread * rng.normal(size=38)), np.where(rng.random(38) < 0.4, 1.0, -1.0)
    w = 10.0 ** rng.uniform(-orders, orders, 38)
    targets, size = smoothed_targets(y, w), f.max()

    def loss(theta):
        z = theta[0] * (f / size) + theta[1]
        return float(w @ (targets * z + np.logaddexp(0.0, -z))) / w.sum()

    found = fit_sigmoid(f, y, w)
    options = {"xatol": 1e-10, "fatol": 1e-14, "maxiter": 4000, "maxfev": 8000}
    best = minimize(loss, [0.0, 0.0], method="Nelder-Mead", options=options)
    assert loss([found.slope * size, found.offset]) <= best.fun * (1 + 1e-4)
