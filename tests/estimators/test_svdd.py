"""The sphere around one class: against geometry, oracles, other libraries and its own theory."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from svsieve import SVDD, OneClassSVC, kernels, machines
from tests.oracles import library, numbers

EXACT = {"tol": 1e-12}


def cloud(rows=60, columns=3, seed=0):
    return np.random.default_rng([rows, columns, seed]).normal(size=(rows, columns))


# --- the rigid sphere --------------------------------------------------------------------------


def smallest_ball(X):
    """The smallest of the balls through few points that hold all, by trying all of them."""
    best = (math.inf, None)
    for size in range(2, X.shape[1] + 2):
        for rows in combinations(range(len(X)), size):
            first, *others = X[list(rows)]
            edges = np.array(others) - first
            # The centre first + edges' t is as far from first as from each other point.
            t = np.linalg.lstsq(2 * edges @ edges.T, (edges**2).sum(axis=1), rcond=None)[0]
            centre = first + edges.T @ t
            square = ((first - centre) ** 2).sum()
            if square < best[0] and (((X - centre) ** 2).sum(axis=1) <= square + 1e-12).all():
                best = (square, centre)
    return math.sqrt(best[0]), best[1]


@pytest.mark.parametrize("columns", [1, 2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_rigid_sphere_is_the_smallest_enclosing_ball(columns, seed):
    X = cloud(14, columns, seed) + 3.0
    radius, centre = smallest_ball(X)
    model = SVDD("linear", C=1.0, **EXACT).fit(X)
    assert model.radius_ == pytest.approx(radius, abs=1e-8)
    np.testing.assert_allclose(model.center_, centre, atol=1e-8)
    assert (model.predict(X) == 1).all()


# --- oracles -----------------------------------------------------------------------------------


@pytest.mark.parametrize("column", range(3), ids=numbers.KERNELS)
def test_soft_sphere_has_the_known_digits(column):
    kernel = library.KERNELS[numbers.KERNELS[column]]
    model = SVDD(kernel, C=numbers.ONE_CLASS_BOUND, **EXACT).fit(numbers.X)
    b = np.zeros(len(numbers.X))
    b[model.support_] = model.dual_coef_[0]
    numbers.assert_digits(b, numbers.SOFT_SVDD["alpha"][column])
    numbers.assert_digits(model.radius_**2, numbers.SOFT_SVDD["radius"][column])


@pytest.mark.parametrize("column", range(3), ids=numbers.KERNELS)
def test_negative_sphere_has_the_known_digits(column):
    kernel = library.KERNELS[numbers.KERNELS[column]]
    model = SVDD(kernel, C=numbers.C_TARGET, C_outlier=numbers.C_OUTLIER, **EXACT)
    model.fit(numbers.X, numbers.T)
    b = np.zeros(len(numbers.X))
    b[model.support_] = model.dual_coef_[0]
    numbers.assert_digits(b, numbers.NEGATIVE_SVDD["alpha"][column])
    numbers.assert_digits(model.radius_**2, numbers.NEGATIVE_SVDD["radius"][column])


# --- what nu promises --------------------------------------------------------------------------

MACHINES = st.sampled_from(
    [
        lambda nu: SVDD("rbf", nu, gamma=0.3),
        lambda nu: SVDD("linear", nu),
        lambda nu: SVDD("poly", nu, degree=2, coef0=1.0),
        lambda nu: SVDD("laplace", nu),
        lambda nu: OneClassSVC("rbf", nu, gamma=0.3),
        lambda nu: OneClassSVC("poly", nu, degree=2, coef0=1.0),
    ]
)


@settings(deadline=None, max_examples=150)
@given(
    MACHINES, st.floats(0.02, 1.0), st.integers(5, 260), st.integers(1, 4), st.integers(0, 10**6)
)
def test_nu_lies_between_outliers_and_support_vectors(make, nu, rows, columns, seed):
    X = np.random.default_rng(seed).normal(size=(rows, columns))
    model = make(nu).fit(X)
    outliers = np.mean(model.predict(X) == -1)
    supporting = len(model.support_) / rows
    assert outliers <= nu + 1 / rows + 1e-12
    assert supporting >= nu - 1 / rows - 1e-12


@settings(deadline=None, max_examples=60)
@given(st.floats(0.05, 0.9), st.floats(0.2, 5.0), st.integers(0, 10**6))
def test_what_nu_promises_with_known_negatives(nu, factor, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(60, 2)), np.where(np.arange(60) % 6 == 0, -1, 1)
    C_outlier = factor / (nu * (y > 0).sum())
    model = SVDD(nu=nu, C_outlier=C_outlier, gamma=0.3).fit(X, y)
    b = np.zeros(60)
    b[model.support_] = model.dual_coef_[0]
    assert b.sum() == pytest.approx(1.0, abs=1e-9)
    negative = np.abs(b[y < 0]).sum()
    depth = model.decision_function(X)
    assert (depth[y > 0] < -1e-9).mean() <= nu * (1 + negative) + 1e-9
    assert (depth[y < 0] > 1e-9).sum() <= negative / C_outlier + 1e-9


def test_a_large_penalty_keeps_known_negatives_outside():
    rng = np.random.default_rng(1)
    X = np.vstack([rng.normal(size=(80, 2)), rng.normal(size=(8, 2)) + np.array([1.5, 0.0])])
    y = np.repeat([1, -1], [80, 8])
    inside = [
        (SVDD(nu=0.05, gamma=0.5, C_outlier=C).fit(X, y).decision_function(X[80:]) > 1e-9).sum()
        for C in (1e-6, 0.5, 100.0)
    ]
    assert inside[0] > 0
    assert inside == sorted(inside, reverse=True)
    assert inside[-1] == 0
    plain = SVDD(nu=0.05, gamma=0.5).fit(X[:80])
    weak = SVDD(nu=0.05, gamma=0.5, C_outlier=1e-12).fit(X, y)
    np.testing.assert_allclose(weak.decision_function(X), plain.decision_function(X), atol=1e-8)


# --- what is the same --------------------------------------------------------------------------


@pytest.mark.parametrize("nu", [0.05, 0.3, 1.0])
@pytest.mark.parametrize(
    "kernel",
    [
        kernels.Rbf(gamma=0.4),
        kernels.Laplace(gamma=0.4),
        kernels.Normalised(kernels.Linear()),
        kernels.Normalised(kernels.Polynomial(3, 0.5, 1.0)),
        kernels.Normalised(kernels.Rbf(gamma=0.2) + kernels.Polynomial(2, 0.5, 1.0)),
    ],
    ids=str,
)
def test_sphere_and_half_space_are_one_where_rows_have_one_norm(kernel, nu):
    X = cloud(50) + 2.0
    Z = cloud(30, seed=1) + 2.0
    sphere = SVDD(kernel, nu, **EXACT).fit(X)
    half_space = OneClassSVC(kernel, nu, **EXACT).fit(X)
    np.testing.assert_allclose(
        sphere.decision_function(Z), 2 * half_space.decision_function(Z) / (nu * 50), atol=1e-8
    )


@pytest.mark.parametrize(
    "machine",
    [machines.Svdd(nu=0.2), machines.Svdd(C=1.0), machines.SquaredSvdd(1.0)],
    ids=str,
)
@pytest.mark.parametrize(
    "kernel", [kernels.Polynomial(2, 0.5, 1.0), kernels.Rbf(gamma=0.3), kernels.Linear()], ids=str
)
def test_centring_in_feature_space_changes_nothing(machine, kernel):
    K = kernel.gram(cloud(40) + 1.0)
    H = np.eye(40) - 1 / 40
    centred = H @ K @ H
    found = []
    for matrix in (K, centred):
        problem = machine.problem(np.diag(matrix))
        solution = machines.solve(problem, matrix, tol=1e-12)
        found.append((machine.squared_radius(solution, problem), solution.coefficients))
    assert found[0][0] == pytest.approx(found[1][0], rel=1e-8)
    b, c = found[0][1], found[1][1]
    assert (b - c) @ K @ (b - c) == pytest.approx(0.0, abs=1e-12 * np.abs(K).max())


def test_a_shift_of_the_columns_changes_nothing():
    X, Z = cloud(60), cloud(20, seed=3)
    near, far = (SVDD("linear", 0.2, **EXACT).fit(X + shift) for shift in (0.0, 1e6))
    np.testing.assert_allclose(far.center_, near.center_ + 1e6, rtol=1e-14)
    np.testing.assert_allclose(far.decision_function(Z + 1e6), near.decision_function(Z), atol=1e-7)


def test_a_wide_gaussian_is_the_linear_sphere_with_the_same_penalty():
    X, sigma = cloud(50), 300.0
    wide = SVDD("rbf", 0.2, gamma=0.5 / sigma**2, **EXACT).fit(X)
    linear = SVDD("linear", 0.2, **EXACT).fit(X)
    np.testing.assert_array_equal(wide.predict(X), linear.predict(X))
    assert wide.radius_**2 * sigma**2 == pytest.approx(linear.radius_**2, rel=1e-3)


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csr_matrix])
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_sparse_rows_give_what_dense_rows_give(form, kernel):
    X = np.where(cloud() > 0.3, cloud(), 0.0)
    dense = SVDD(kernel, 0.2, gamma=0.3, coef0=1.0, **EXACT).fit(X)
    thin = SVDD(kernel, 0.2, gamma=0.3, coef0=1.0, **EXACT).fit(form(X))
    expected = dense.decision_function(X)
    for model, rows in ((thin, form(X)), (thin, X), (dense, form(X))):
        np.testing.assert_allclose(model.decision_function(rows), expected, atol=1e-9)


def test_rows_on_demand_give_what_a_gram_matrix_gives():
    X = cloud(400)
    whole, few = (SVDD(gamma=0.3, tol=1e-8, cache_size=size).fit(X) for size in (1000, 0.01))
    np.testing.assert_allclose(few.decision_function(X), whole.decision_function(X), atol=1e-7)


# --- weights, labels ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model",
    [SVDD(gamma=0.3), SVDD(C=0.1), SVDD("linear"), SVDD(C=0.4, slack="l2"), OneClassSVC()],
    ids=str,
)
def test_a_row_of_weight_two_is_two_rows(model):
    X, weights = cloud(40), np.where(np.arange(40) % 3 == 0, 2.0, 1.0)
    weights[5] = 0.0
    model.set_params(tol=1e-12)
    weighted = model.fit(X, sample_weight=weights).decision_function(X)
    repeated = model.fit(np.repeat(X, weights.astype(int), axis=0)).decision_function(X)
    np.testing.assert_allclose(weighted, repeated, atol=1e-8)


@pytest.mark.parametrize(
    "y", [None, np.ones(30), np.zeros(30), np.array(["a", "b"] * 15), np.arange(30), [np.nan] * 30]
)
def test_every_label_but_minus_one_is_a_target(y):
    X = cloud(30)
    expected = SVDD().fit(X).decision_function(X)
    np.testing.assert_array_equal(SVDD().fit(X, y).decision_function(X), expected)


def test_fit_predict_takes_known_negatives():
    X, y = cloud(40), np.where(np.arange(40) < 4, -1, 1)
    model = SVDD(gamma=0.3)
    np.testing.assert_array_equal(model.fit_predict(X, y), model.fit(X, y).predict(X))
    assert (model.fit_predict(X, y) != model.fit_predict(X)).any()


def test_squared_slack_leaves_every_support_vector_outside():
    X = cloud(40)
    model = SVDD("linear", C=0.3, slack="l2", **EXACT).fit(X)
    depth = model.decision_function(X)
    off = np.setdiff1d(np.arange(40), model.support_)
    np.testing.assert_allclose(depth[model.support_], -model.dual_coef_[0] / 0.6, atol=1e-9)
    assert (depth[off] >= -1e-9).all()


def test_attributes():
    model = SVDD(nu=0.2).fit(cloud())
    assert model.offset_ == pytest.approx(-(model.radius_**2))
    assert model.dual_coef_.sum() == pytest.approx(1.0)
    assert model.n_support_.tolist() == [len(model.support_)]
    assert model.kkt_gap_ < 1e-3
    with pytest.raises(AttributeError, match="linear kernel"):
        _ = model.center_
    with pytest.raises(NotFittedError):
        SVDD().predict(cloud())


# --- refusals ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"nu": 0.0}, r"'nu' parameter of SVDD must be a float in \(0, 1\]. Got 0.0"),
        ({"nu": 1.5}, r"'nu' parameter of SVDD .* Got 1.5"),
        ({"C": -1.0}, r"'C' parameter of SVDD must be a float in \(0, inf\). Got -1.0"),
        ({"C": 0.01}, r"'C' parameter of SVDD must be at least 1 / 30 = 0.0333333.* Got 0.01"),
        ({"C_outlier": 0.0}, r"'C_outlier' parameter of SVDD .* Got 0.0"),
        ({"slack": "l3"}, r"'slack' parameter of SVDD must be one of 'l1', 'l2'. Got 'l3'"),
        ({"slack": "l2"}, r"'C' parameter of SVDD .* slack='l2': nu.* Got None"),
        ({"slack": "l2", "C": 1e-9}, r"'C' parameter of SVDD is too small.* Got 1e-09"),
        ({"kernel": "sigmoid"}, r"'kernel' parameter of SVDD"),
        ({"gamma": -1.0}, r"'gamma' parameter of SVDD"),
        ({"tol": 0.0}, r"'tol' parameter of SVDD"),
        ({"max_iter": 0}, r"'max_iter' parameter of SVDD"),
        ({"cache_size": 0}, r"'cache_size' parameter of SVDD"),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        SVDD(**options).fit(cloud(30))


def test_bad_labels_and_weights_are_named():
    X = cloud(30)
    with pytest.raises(ValueError, match=r"y marks every row as a known negative"):
        SVDD().fit(X, -np.ones(30))
    with pytest.raises(ValueError, match=r"y must have one label for each of the 30 rows.* 29"):
        SVDD().fit(X, np.ones(29))
    with pytest.raises(ValueError, match="sample_weight is zero in every row"):
        SVDD().fit(X, sample_weight=np.zeros(30))
    with pytest.raises(ValueError, match=r"sample_weight must not be negative.* row 3"):
        SVDD().fit(X, sample_weight=np.where(np.arange(30) == 3, -1.0, 1.0))


def test_a_limit_on_iterations_is_told():
    with pytest.warns(ConvergenceWarning, match=r"SVDD stopped \(iteration-limit\) after 3"):
        SVDD(gamma=0.3, max_iter=3).fit(cloud(300))
