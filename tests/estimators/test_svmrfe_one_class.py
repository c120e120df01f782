"""Ranking the columns of one class: no labels, the same loop."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import OneClassSVM
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from svsieve import SVC, SVDD, SVMRFE, SVMRFECV, OneClassSVC, importance, kernels, svm_score
from svsieve.criteria import Radius, WeightNorm
from tests.reference import programs


def table(rows=50, columns=5, seed=0):
    rng = np.random.default_rng([rows, columns, seed])
    return rng.normal(size=(rows, columns)) * np.linspace(1.0, 2.0, columns)


def naive_order(X, gram, program, value_change):
    """Columns as they go, every program solved by the reference and every matrix built anew."""
    left, gone = list(range(X.shape[1])), []
    while len(left) > 1:
        K = gram(X[:, left])
        b = programs.refine(K, program(np.diag(K)))
        scores = []
        for column in left:
            without = gram(X[:, [k for k in left if k != column]])
            scores.append(abs(value_change(b, K) - value_change(b, without)))
        gone.append(left.pop(int(np.argmin(scores))))
    return gone


def gaussian(X):
    return np.exp(-0.1 * ((X[:, None] - X[None]) ** 2).sum(axis=2))


def linear(X):
    return X @ X.T


def sphere_value(b, K):
    return b @ np.diag(K) - b @ K @ b


@pytest.mark.parametrize(("kernel", "gram"), [("rbf", gaussian), ("linear", linear)])
def test_order_is_that_of_the_spheres_value(kernel, gram):
    X = table()
    selector = SVMRFE(SVDD(kernel, 0.2, gamma=0.1), n_features_to_select=1).fit(X)
    expected = naive_order(X, gram, lambda d: programs.svdd(d, 1 / (0.2 * 50)), sphere_value)
    assert selector.path_.dropped.tolist() == expected
    assert selector.path_.kkt_gap.max() <= 1e-8


def test_order_is_that_of_the_half_spaces_norm():
    X = table() + 2.0
    selector = SVMRFE(OneClassSVC("rbf", 0.2, gamma=0.1), n_features_to_select=1).fit(X)
    expected = naive_order(
        X, gaussian, lambda d: programs.one_class(50, 1 / (0.2 * 50)), lambda b, K: b @ K @ b
    )
    assert selector.path_.dropped.tolist() == expected


def test_order_is_that_of_the_squared_slack():
    X = table()
    model = SVDD("rbf", C=0.3, slack="l2", gamma=0.1)
    selector = SVMRFE(model, n_features_to_select=1).fit(X)
    expected = naive_order(
        X, gaussian, lambda d: programs.squared_svdd(d, np.ones(50), 0.3, 0.3), sphere_value
    )
    assert selector.path_.dropped.tolist() == expected


def test_known_negatives_take_part():
    X, y = table(), np.where(np.arange(50) % 10 == 0, -1, 1)
    model = SVDD("rbf", C=0.3, C_outlier=0.2, gamma=0.1)
    selector = SVMRFE(model, n_features_to_select=1).fit(X, y)
    expected = naive_order(
        X, gaussian, lambda d: programs.negative_svdd(d, y, 0.3, 0.2), sphere_value
    )
    assert selector.path_.dropped.tolist() == expected
    assert selector.path_.notes["machine"].startswith("NegativeSvdd")
    np.testing.assert_array_equal(
        selector.estimator_.decision_function(selector.transform(X)),
        model.fit(X[:, selector.support_], y).decision_function(X[:, selector.support_]),
    )


def test_scikit_learns_machine_is_a_specification():
    X = table() + 1.0
    ours = SVMRFE(OneClassSVC(nu=0.3), n_features_to_select=2).fit(X)
    theirs = SVMRFE(OneClassSVM(nu=0.3), n_features_to_select=2).fit(X)
    np.testing.assert_array_equal(ours.path_.order, theirs.path_.order)
    assert isinstance(theirs.estimator_, OneClassSVM)
    assert theirs.estimator_.n_features_in_ == 2


@pytest.mark.parametrize(
    "model", [SVDD("linear", 0.2), SVDD("rbf", 0.2, gamma=0.1), OneClassSVC("rbf", 0.2, gamma=0.1)]
)
def test_accuracy_is_the_share_of_rows_accepted(model):
    X = table(80)
    path = SVMRFE(model, n_features_to_select=1).fit(X).path_
    kept = np.ones(5, dtype=bool)
    for dropped, accuracy in zip(path.dropped, path.accuracy, strict=True):
        own = model.set_params(tol=1e-10).fit(X[:, kept])
        assert accuracy == np.mean(own.predict(X[:, kept]) == 1)
        kept[dropped] = False
    assert path.final_accuracy == np.mean(model.fit(X[:, kept]).predict(X[:, kept]) == 1)


def test_accuracy_counts_known_negatives_that_are_rejected():
    X, y = table(80), np.where(np.arange(80) % 8 == 0, -1, 1)
    model = SVDD("rbf", 0.2, gamma=0.1, C_outlier=1e-6)
    path = SVMRFE(model, n_features_to_select=4).fit(X, y).path_
    depth = model.set_params(tol=1e-10).fit(X, y).decision_function(X)
    assert path.accuracy[0] == np.mean(y * depth >= -1e-9)
    assert path.accuracy[0] < 1.0


def test_rows_on_the_boundary_are_on_the_right_side():
    y = np.where(np.arange(12) % 4 == 0, -1, 1)
    path = SVMRFE(SVDD("linear"), n_features_to_select=1).fit(np.zeros((12, 2)), y).path_
    assert (path.accuracy.tolist(), path.final_accuracy) == ([1.0], 1.0)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_a_shift_of_the_columns_changes_nothing(kernel):
    X = table()
    near, far = (
        SVMRFE(SVDD(kernel, 0.2, gamma=0.1), n_features_to_select=1).fit(X + shift).path_
        for shift in (0.0, 1e5)
    )
    np.testing.assert_array_equal(near.order, far.order)
    np.testing.assert_allclose(near.scores, far.scores, rtol=1e-6)


def test_a_constant_column_goes_first_and_a_wide_one_stays():
    X = table()
    X[:, 3], X[:, 1] = 7.0, 10.0 * X[:, 1]
    path = SVMRFE(SVDD("linear"), n_features_to_select=1).fit(X).path_
    assert path.dropped[0] == 3
    assert path.scores[0] == 0.0
    assert path.order[0] == 1


@pytest.mark.parametrize("criterion", ["radius", "radius-first-order", "weight-first-order"])
@pytest.mark.parametrize("model", [SVDD(), OneClassSVC()])
def test_other_criteria_take_the_same_loop(criterion, model):
    selector = SVMRFE(model, criterion=criterion, n_features_to_select=2).fit(table())
    assert selector.n_features_ == 2


def test_rigid_sphere_makes_radius_and_value_one():
    X = table()
    orders = [
        SVMRFE(SVDD("rbf", C=1.0, gamma=0.1), criterion=rule, n_features_to_select=1).fit(X).path_
        for rule in (WeightNorm(), Radius())
    ]
    np.testing.assert_array_equal(orders[0].order, orders[1].order)
    np.testing.assert_allclose(orders[0].scores, orders[1].scores, rtol=1e-5)


def test_pipelines_weights_and_names():
    import pandas as pd

    X = pd.DataFrame(table(), columns=list("abcde"))
    weights = np.where(np.arange(50) % 4 == 0, 0.0, 1.0)
    chain = make_pipeline(StandardScaler(), SVDD("rbf", 0.2))
    weighted = SVMRFE(chain, n_features_to_select=2).fit(X, sample_weight=weights)
    fewer = SVMRFE(chain, n_features_to_select=2).fit(X[weights > 0])
    np.testing.assert_array_equal(weighted.path_.order, fewer.path_.order)
    assert set(weighted.get_feature_names_out()) < set("abcde")
    assert set(weighted.predict(X)) <= {-1, 1}
    assert weighted.score_samples(X).shape == (50,)


def test_weights_count_rows_where_some_are_one():
    X, times = table(), 1 + np.arange(50) % 3
    machine = SVDD("rbf", nu=0.3, gamma=0.1)
    weighted, repeated, plain = (
        SVMRFE(machine, n_features_to_select=1).fit(*rows).path_
        for rows in ((X, None, times), (np.repeat(X, times, axis=0),), (X,))
    )
    np.testing.assert_array_equal(weighted.order, repeated.order)
    np.testing.assert_allclose(weighted.scores, repeated.scores, rtol=1e-5)
    assert not np.allclose(weighted.scores, plain.scores, rtol=1e-2)


def test_a_run_that_is_resumed_gives_the_same(tmp_path):
    X, file = table(), tmp_path / "path.npz"
    first = SVMRFE(SVDD(), n_features_to_select=1, checkpoint=file).fit(X)
    again = SVMRFE(SVDD(), n_features_to_select=1, checkpoint=file).fit(X)
    np.testing.assert_array_equal(first.path_.order, again.path_.order)


def test_no_labels_are_asked_for():
    assert not get_tags(SVMRFE(SVDD())).target_tags.required
    assert get_tags(SVMRFE(SVC())).target_tags.required
    with pytest.raises(ValueError, match="requires y to be passed"):
        SVMRFE(SVC()).fit(table())
    assert not hasattr(SVMRFE(SVDD()).fit(table()), "classes_")
    assert SVMRFE(SVDD(), n_features_to_select=1).fit(table()).path_.notes["chance"] == 0.0


def test_who_needs_two_classes_says_so():
    X, y = table(), np.arange(50) % 2
    refusal = r"must be a classifier.*Got SVDD instead"
    with pytest.raises(ValueError, match=refusal):
        SVMRFECV(SVDD()).fit(X, y)
    with pytest.raises(ValueError, match=refusal):
        svm_score(X, y, SVDD())
    with pytest.raises(TypeError, match=r"importance\(\) takes a fitted.*Got SVDD"):
        importance()(SVDD().fit(X))
    with pytest.raises(ValueError, match=r"for one class svsieve.SVDD.*Got StandardScaler"):
        SVMRFE(StandardScaler()).fit(X)


def test_bad_options_of_the_estimator_are_named():
    with pytest.raises(ValueError, match=r"'nu' parameter of SVDD.*Got 2.0"):
        SVMRFE(SVDD(nu=2.0)).fit(table())
    with pytest.raises(ValueError, match=r"'nu' parameter of OneClassSVM.*Got 0"):
        SVMRFE(OneClassSVM(nu=0)).fit(table())
    with pytest.raises(ValueError, match=r"'kernel' parameter of OneClassSVM.*Got 'sigmoid'"):
        SVMRFE(OneClassSVM(kernel="sigmoid")).fit(table())
    with pytest.raises(ValueError, match="y marks every row as a known negative"):
        SVMRFE(SVDD()).fit(table(), -np.ones(50))


@parametrize_with_checks(
    [
        SVMRFE(SVDD()),
        SVMRFE(SVDD("linear"), n_features_to_select=1),
        SVMRFE(OneClassSVC(kernels.Rbf(gamma="scale")), criterion="radius"),
    ]
)
@pytest.mark.filterwarnings(
    "ignore:(SVDD|OneClassSVC) stopped .precision-floor:sklearn.exceptions.ConvergenceWarning"
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
