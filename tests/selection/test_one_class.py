"""Widths, artificial outliers, leave-one-out: the parameters of descriptions of one class."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse, stats
from sklearn.ensemble import IsolationForest
from sklearn.model_selection import KFold
from sklearn.svm import OneClassSVM

from svsieve import SVC, SVDD, OneClassSVC, kernels, one_class


def cloud(rows=120, columns=2, seed=0):
    return np.random.default_rng([rows, columns, seed]).normal(size=(rows, columns))


# --- widths ------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**6), st.integers(3, 40), st.floats(1.1, 3.0))
def test_widths_go_from_the_smallest_to_the_largest_distance(seed, rows, factor):
    X = np.random.default_rng(seed).normal(size=(rows, 2))
    X = np.vstack([X, X[0]])  # equal rows have no distance to start from
    distances = [np.linalg.norm(a - b) for a in X for b in X]
    sigmas = one_class.sigma_grid(X, factor)
    assert sigmas[0] == pytest.approx(min(d for d in distances if d > 0))
    assert sigmas[-1] == pytest.approx(max(distances))
    np.testing.assert_allclose(sigmas[1:-1] / sigmas[:-2], factor)
    assert sigmas[-2] < sigmas[-1] <= factor * sigmas[-2] * (1 + 1e-8)


def test_widths_of_sparse_rows_are_those_of_dense_rows():
    X = np.where(cloud() > 0, cloud(), 0.0)
    np.testing.assert_allclose(one_class.sigma_grid(sparse.csr_array(X)), one_class.sigma_grid(X))


@pytest.mark.parametrize("nu", [0.05, 0.2, 0.5])
@pytest.mark.parametrize("columns", [3, 5])  # in fewer, scikit-learn's single precision shows
def test_target_error_takes_the_first_width_with_few_enough_support_vectors(nu, columns):
    X, target = cloud(150, columns), nu + 0.1
    choice = one_class.choose_sigma(X, nu, target=target)
    shares = []
    for sigma in one_class.sigma_grid(X):
        model = OneClassSVM(nu=nu, gamma=0.5 / sigma**2, tol=1e-8).fit(X)
        shares.append(len(model.support_) / len(X))
        if shares[-1] <= target:
            break
    np.testing.assert_allclose(choice.support_shares, shares)
    assert choice.sigma == choice.sigmas[-1] == pytest.approx(sigma)
    assert choice.gamma == 0.5 / choice.sigma**2
    assert "support vectors" in choice.reason or "largest distance" in choice.reason


@pytest.mark.parametrize(
    ("nu", "share"), [(0.1, "20.0%"), (0.8, "90.0%"), (0.9, "95.0%"), (0.96, "98.0%")]
)
def test_the_target_lies_a_tenth_above_nu_or_half_way_to_one(nu, share):
    choice = one_class.choose_sigma(cloud(), nu)
    assert choice.reason.endswith(f"at most {share}.")
    said, allowed = choice.support_shares[-1], float(share.rstrip("%")) / 100.0
    assert said <= allowed
    assert (choice.support_shares[:-1] > allowed).all()
    assert choice.reason.startswith(f"{100.0 * said:.1f}% of the rows are support vectors")


@pytest.mark.parametrize("columns", [2, 5])
def test_shares_do_not_depend_on_where_the_solver_began(columns):
    X = cloud(150, columns)
    choice = one_class.choose_sigma(X, 0.1)
    for sigma, share in zip(choice.sigmas, choice.support_shares, strict=True):
        alone = SVDD(nu=0.1, gamma=0.5 / sigma**2, tol=1e-10).fit(X)
        assert share == len(alone.support_) / len(X)


def test_the_other_rule_stops_where_support_vectors_fall_no_further():
    choice = one_class.choose_sigma(cloud(), 0.1, rule="support-vectors")
    shares = choice.support_shares
    falling = np.diff(shares[shares < 1.0])
    assert (falling[:-1] < 0).all()
    assert falling[-1] >= 0
    assert choice.sigma == choice.sigmas[-2]
    assert "fall no further" in choice.reason


def test_a_target_out_of_reach_ends_at_the_largest_distance():
    X = cloud(12, 6)
    choice = one_class.choose_sigma(X, 0.05, target=0.06)
    assert choice.sigma == one_class.sigma_grid(X)[-1]
    assert "largest distance" in choice.reason


def test_the_unit_of_the_columns_moves_the_width_along():
    one, hundred = (one_class.choose_sigma(scale * cloud(), 0.1).sigma for scale in (1.0, 100.0))
    assert hundred == pytest.approx(100 * one)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"nu": 0.0}, r"'nu' parameter of choose_sigma"),
        ({"rule": "best"}, r"'rule' parameter of choose_sigma must be one of 'target-error'"),
        ({"nu": 0.2, "target": 0.2}, r"'target' parameter .* above nu=0.2.*Got 0.2"),
        ({"target": 1.5}, r"'target' parameter of choose_sigma"),
        ({"factor": 1.0}, r"'factor' parameter of sigma_grid"),
        ({"tol": 0.0}, r"'tol' parameter of choose_sigma"),
        ({"max_rows": 1}, r"'max_rows' parameter of choose_sigma"),
        ({"random_state": -1}, r"'random_state' parameter of choose_sigma"),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        one_class.choose_sigma(cloud(), **options)


def test_rows_that_are_all_equal_have_no_width():
    with pytest.raises(ValueError, match="two rows that differ"):
        one_class.choose_sigma(np.ones((5, 2)))


# --- artificial outliers -----------------------------------------------------------------------


def test_points_in_a_box_are_even():
    X = cloud(50, 3) * np.array([1.0, 5.0, 0.1]) + 7.0
    made = one_class.outliers_in_box(X, 4000, widen=1.5, rng=0)
    low, high = X.min(axis=0), X.max(axis=0)
    sides = 1.5 * (high - low)
    start = (low + high - sides) / 2
    assert made.log_volume == pytest.approx(np.log(sides).sum())
    for j in range(3):
        assert stats.kstest((made.X[:, j] - start[j]) / sides[j], "uniform").pvalue > 1e-3


@pytest.mark.parametrize("columns", [1, 2, 5, 20])
def test_points_in_a_ball_are_even(columns):
    X = cloud(40, columns) + 3.0
    sphere = SVDD("linear", C=1.0, tol=1e-10).fit(X)
    made = one_class.outliers_in_ball(X, 4000, widen=1.2, rng=1)
    radius = 1.2 * sphere.radius_
    away = np.linalg.norm(made.X - sphere.center_, axis=1) / radius
    # The share of the volume within r is r^d, and directions are even.
    assert stats.kstest(away**columns, "uniform").pvalue > 1e-3
    assert (sphere.center_ < made.X).mean() == pytest.approx(0.5, abs=0.03)
    unit = math.pi ** (columns / 2) / math.gamma(columns / 2 + 1)
    assert made.log_volume == pytest.approx(math.log(unit) + columns * math.log(radius), rel=1e-6)


def test_accepted_points_measure_the_volume_of_a_description():
    X = cloud(60)
    sphere = SVDD("linear", C=1.0, tol=1e-10).fit(X)
    made = one_class.outliers_in_box(X, 40_000, widen=2.0, rng=0)
    share, error = made.accepted(sphere)
    assert error == pytest.approx(math.sqrt(share * (1 - share) / 40_000))
    true = math.pi * sphere.radius_**2
    assert abs(share * math.exp(made.log_volume) - true) < 4 * error * math.exp(made.log_volume)


def test_the_same_seed_gives_the_same_points():
    for make in (one_class.outliers_in_box, one_class.outliers_in_ball):
        np.testing.assert_array_equal(make(cloud(), 9, rng=3).X, make(cloud(), 9, rng=3).X)


def test_a_choice_is_what_its_table_says():
    X, grid = cloud(), {"gamma": [0.02, 0.2, 20.0], "nu": [0.05, 0.3]}
    folds = KFold(4)
    found = one_class.choose_by_outliers(SVDD(), grid, X, n_outliers=500, eta=0.3, cv=folds, rng=0)
    made = one_class.outliers_in_ball(X, 500, rng=np.random.default_rng(0))
    for at, setting in enumerate(found.params):
        models = [SVDD(**setting).fit(X[train]) for train, _ in folds.split(X)]
        held_out = [test for _, test in folds.split(X)]
        target = np.mean(
            [np.mean(m.predict(X[test]) == -1) for m, test in zip(models, held_out, strict=True)]
        )
        outlier = np.mean([np.mean(m.predict(made.X) == 1) for m in models])
        assert found.target_error[at] == pytest.approx(target)
        assert found.outlier_error[at] == pytest.approx(outlier)
        assert found.cost[at] == pytest.approx(0.3 * target + 0.7 * outlier)
    assert found.best_index == int(found.cost.argmin())
    assert found.best_params == found.params[found.best_index]
    assert len(found.params) == 6


def test_any_outlier_detector_can_be_judged():
    found = one_class.choose_by_outliers(
        IsolationForest(random_state=0, n_estimators=10),
        {"contamination": [0.05, 0.4]},
        cloud(),
        region="box",
        n_outliers=300,
        rng=0,
    )
    assert found.best_params["contamination"] in (0.05, 0.4)


def test_the_curse_of_many_columns_is_told():
    X = cloud(60, 40)
    with pytest.warns(UserWarning, match=r"No setting accepts more than 0.*in 40 columns"):
        one_class.choose_by_outliers(
            SVDD(), {"gamma": [0.02]}, X, region="box", n_outliers=200, rng=0
        )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"region": "cube"}, r"'region' parameter of choose_by_outliers"),
        ({"eta": 1.0}, r"'eta' parameter of choose_by_outliers .*Got 1.0"),
        ({"cv": 1}, r"'cv' parameter of choose_by_outliers"),
        ({"n_outliers": 0}, r"'n_points' parameter of outliers_in_ball"),
        ({"widen": 0.0}, r"'widen' parameter of outliers_in_ball"),
    ],
)
def test_bad_options_of_the_comparison_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        one_class.choose_by_outliers(SVDD(), {"nu": [0.1]}, cloud(), **options)


# --- leave-one-out -----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("nu", [0.1, 0.35])
@pytest.mark.parametrize("make", [SVDD, OneClassSVC])
def test_leave_one_out_is_that_of_descriptions_trained_without_each_row(make, nu, seed):
    X = cloud(25, 2, seed)
    found = one_class.leave_one_out_target_error(make("rbf", nu, gamma=0.3), X)
    C = 1 / (nu * 25)
    expected = []
    for row in range(25):
        # The same C with one row less: nu = 1 / (C 24).
        rest = np.delete(X, row, axis=0)
        model = make("rbf", min(1.0, 1 / (C * 24)), gamma=0.3, tol=1e-12).fit(rest)
        expected.append(model.decision_function(X[[row]])[0] < -1e-7)
    np.testing.assert_array_equal(found.rejected, expected)
    assert found.error == np.mean(expected)
    assert found.error <= found.bound
    assert found.n_trainings < 25


def test_leave_one_out_of_squared_slack_and_of_the_rigid_sphere():
    X = cloud(25)
    for model in (SVDD("rbf", C=0.5, slack="l2", gamma=0.3), SVDD("linear", C=1.0)):
        found = one_class.leave_one_out_target_error(model, X)
        rows = [
            model.set_params(tol=1e-12).fit(np.delete(X, k, axis=0)).decision_function(X[[k]])[0]
            for k in range(25)
        ]
        np.testing.assert_array_equal(found.rejected, np.array(rows) < -1e-7)


def test_leave_one_out_needs_a_description():
    with pytest.raises(ValueError, match=r"'estimator' parameter .* one class.*Got SVC"):
        one_class.leave_one_out_target_error(SVC(), cloud())


HUGE = np.array([[1e-300], [2e-300], [1e300]])


@pytest.mark.parametrize(
    "ask",
    [
        one_class.sigma_grid,
        one_class.choose_sigma,
        lambda X: one_class.leave_one_out_target_error(SVDD(), X),
        lambda X: one_class.outliers_in_ball(X, 5),
    ],
)
def test_columns_whose_squares_overflow_are_refused(ask):
    """Warnings are errors here: nothing is computed with them."""
    with pytest.raises(ValueError, match=r"Column 0 of X has entries of size up to 1e\+300, whose"):
        ask(HUGE)
    with pytest.raises(ValueError, match="squares overflow"):
        ask(cloud() * 1e300)


def test_a_wide_range_of_distances_has_a_grid():
    grid = one_class.sigma_grid([[0.0], [1e-150], [1e150]], factor=1e50)
    np.testing.assert_allclose(grid, 10.0 ** np.array([-150, -100, -50, 0, 50, 100, 150]))
    choice = one_class.choose_sigma(cloud() * 1e150, 0.1)
    np.testing.assert_allclose(choice.sigma, 1e150 * one_class.choose_sigma(cloud(), 0.1).sigma)


def test_a_kernel_that_overflows_is_refused_by_leaving_out():
    kernel = kernels.Normalised(kernels.Polynomial(3))
    with pytest.raises(ValueError, match="kernel values of row 0 are not finite under Normalised"):
        one_class.leave_one_out_target_error(SVDD(kernel), cloud() * 1e120)


def test_of_many_rows_some_stand_for_all():
    X = np.random.default_rng(0).normal(size=(700, 3))
    drawn = one_class.choose_sigma(X, 0.1, max_rows=300)
    again = one_class.choose_sigma(X, 0.1, max_rows=300)
    other = one_class.choose_sigma(X, 0.1, max_rows=300, random_state=1)
    whole = one_class.choose_sigma(X, 0.1)
    np.testing.assert_array_equal(drawn.support_shares, again.support_shares)
    assert drawn.support_shares.tolist() != other.support_shares.tolist()
    for choice in (drawn, other):
        assert abs(np.log(choice.sigma / whole.sigma)) <= np.log(2.0)  # two steps of the grid
        counts = choice.support_shares * 300
        np.testing.assert_allclose(counts, counts.round())
    X = sparse.csr_array(X)
    assert one_class.choose_sigma(X, 0.1, max_rows=300).sigma == pytest.approx(drawn.sigma)
    assert one_class.choose_sigma(X, 0.1, max_rows=700).sigma == pytest.approx(whole.sigma)
