"""The same ranking as scikit-learn's RFE, where that one is solved to convergence."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_selection import RFE
from sklearn.svm import SVC as PeerSVC
from sklearn.svm import LinearSVC

from svsieve import SVC, SVMRFE


def drawn(seed, rows=40, columns=12, n_classes=2):
    """Columns of clearly different worth, so that no two scores are near each other."""
    rng = np.random.default_rng(seed)
    y = np.arange(rows) % n_classes
    X = rng.normal(size=(rows, columns)) * np.exp(rng.normal(size=columns))
    for code in range(n_classes):
        X[y == code] += 0.5 * rng.normal(size=columns)
    return X, y


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("C", [0.1, 10.0])
@pytest.mark.parametrize("step", [1, 3])
def test_svc(seed, C, step):
    X, y = drawn(seed)
    machine = PeerSVC(kernel="linear", C=C, tol=1e-10)
    peer = RFE(machine, n_features_to_select=1, step=step).fit(X, y)
    own = SVMRFE(machine, n_features_to_select=1, step=step).fit(X, y)
    np.testing.assert_array_equal(own.ranking_, peer.ranking_)
    ours = SVMRFE(SVC(kernel="linear", C=C), n_features_to_select=1, step=step).fit(X, y)
    np.testing.assert_array_equal(ours.ranking_, peer.ranking_)


@pytest.mark.parametrize("n_classes", [3, 4])
def test_svc_of_several_classes(n_classes):
    X, y = drawn(1, rows=60, n_classes=n_classes)
    machine = PeerSVC(kernel="linear", tol=1e-10, class_weight={0: 2.0})
    peer = RFE(machine, n_features_to_select=1).fit(X, y)
    own = SVMRFE(machine, n_features_to_select=1).fit(X, y)
    np.testing.assert_array_equal(own.ranking_, peer.ranking_)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "options",
    [
        {"loss": "squared_hinge", "dual": False},
        {"loss": "squared_hinge", "dual": False, "intercept_scaling": 5.0},
        {"loss": "squared_hinge", "dual": False, "fit_intercept": False},
        {"loss": "squared_hinge", "dual": False, "class_weight": "balanced", "C": 0.1},
        {"loss": "hinge", "dual": True, "C": 0.05},
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_linear_svc(options, n_classes, seed):
    X, y = drawn(seed, n_classes=n_classes)
    X, y = X[:-5], y[:-5]  # classes of different size
    machine = LinearSVC(tol=1e-11, max_iter=2_000_000, random_state=0, **options)
    peer = RFE(machine, n_features_to_select=1).fit(X, y)
    own = SVMRFE(machine, n_features_to_select=1).fit(X, y)
    np.testing.assert_array_equal(own.ranking_, peer.ranking_)


def test_weights_of_rows():
    X, y = drawn(2)
    weights = np.random.default_rng(0).uniform(0.1, 3.0, len(y))
    machine = PeerSVC(kernel="linear", tol=1e-10)
    peer = RFE(machine, n_features_to_select=1).fit(X, y, sample_weight=weights)
    own = SVMRFE(machine, n_features_to_select=1).fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(own.ranking_, peer.ranking_)


# --- what must not matter --------------------------------------------------------------------

MACHINES = st.sampled_from([SVC(kernel="linear"), SVC(gamma=0.1), SVC(kernel="poly", gamma=0.05)])


@given(st.integers(0, 10_000), MACHINES)
@settings(max_examples=15)
def test_permuted_columns_give_the_permuted_ranking(seed, machine):
    X, y = drawn(seed, columns=8)
    shuffle = np.random.default_rng(seed).permutation(8)
    straight = SVMRFE(machine, n_features_to_select=1).fit(X, y).path_
    shuffled = SVMRFE(machine, n_features_to_select=1).fit(X[:, shuffle], y).path_
    np.testing.assert_array_equal(shuffle[shuffled.order], straight.order)


@given(st.integers(0, 10_000), MACHINES)
@settings(max_examples=15)
def test_order_of_rows_and_names_of_classes_do_not_matter(seed, machine):
    X, y = drawn(seed, columns=8)
    shuffle = np.random.default_rng(seed).permutation(len(y))
    straight = SVMRFE(machine, n_features_to_select=1).fit(X, y).path_
    shuffled = SVMRFE(machine, n_features_to_select=1).fit(X[shuffle], -y[shuffle]).path_
    np.testing.assert_array_equal(shuffled.order, straight.order)
    np.testing.assert_allclose(shuffled.scores, straight.scores, rtol=1e-5, atol=1e-9)


@given(st.integers(0, 10_000), MACHINES, st.integers(0, 8), st.sampled_from([-5.0, 0.0, 1e3]))
@settings(max_examples=15)
def test_constant_column_changes_nothing_but_its_own_place(seed, machine, place, value):
    X, y = drawn(seed, columns=8)
    # A constant column is no part of a Gaussian kernel, and the intercept takes it in a linear one.
    if machine.kernel == "poly":
        value = 0.0
    wider = np.insert(X, place, value, axis=1)
    straight = SVMRFE(machine, n_features_to_select=1).fit(X, y).path_
    found = SVMRFE(machine, n_features_to_select=1).fit(wider, y).path_
    assert found.order[-1] == place
    rest = found.order[:-1]
    np.testing.assert_array_equal(rest - (rest > place), straight.order)


@pytest.mark.parametrize("machine", [SVC(kernel="linear"), SVC(gamma=0.1)])
def test_of_twin_columns_the_lower_index_goes_first_and_the_tie_is_told(machine):
    X, y = drawn(3, columns=6)
    order = SVMRFE(machine, n_features_to_select=1).fit(X, y).path_.order
    worst = int(order[-1])
    path = SVMRFE(machine, n_features_to_select=1).fit(np.c_[X, X[:, worst]], y).path_
    left_at = {int(column): step for step, column in enumerate(path.dropped)}
    assert left_at[worst] < left_at.get(6, 99)
    assert path.tied[left_at[worst]]
