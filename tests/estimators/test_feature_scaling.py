"""FeatureScaling as its users see it."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC as PeerSVC
from sklearn.svm import LinearSVC

from svsieve import SVC, FeatureScaling, kernels, objectives
from svsieve.datasets import make_weston_nonlinear
from svsieve.estimators.scaled_columns import ColumnWeights, PrincipalComponents
from svsieve.kernels import scaled_kernel

pytestmark = pytest.mark.filterwarnings(
    "ignore:FeatureScaling found its objective smallest:UserWarning"
)


def toy(rows=80, columns=10, seed=0):
    X, y = make_weston_nonlinear(rows, columns, rng=[seed, rows], balanced=True)
    return StandardScaler().fit_transform(X), y


def machine(**options):
    return SVC(C=10.0, slack="l2", **options)


@pytest.fixture(scope="module")
def fitted():
    X, y = toy()
    return FeatureScaling(machine(), n_features_to_select=2).fit(X, y), X, y


# ---- what is learned


def test_attributes_fit_together(fitted):
    selector, X, _ = fitted
    np.testing.assert_array_equal(np.flatnonzero(selector.support_), [0, 1])
    np.testing.assert_array_equal(selector.ranking_ == 1, selector.support_)
    np.testing.assert_array_equal(selector.weights_ > 0, selector.support_)
    assert selector.n_features_ == 2
    assert selector.path_.n_columns == 10
    assert set(selector.path_.survivors) == {0, 1}
    values = selector.path_.notes["objective_values"]
    assert len(values) == selector.path_.n_steps + 1
    assert selector.value_ == values[-1]
    assert selector.n_trainings_ > selector.path_.n_steps
    np.testing.assert_array_equal(selector.transform(X), X[:, :2])


def test_the_machine_sees_scaled_columns(fitted):
    selector, X, y = fitted
    last = selector.estimator_[-1]
    factors = selector.weights_[:2]
    plain = SVC(C=last.C, gamma=last.gamma, slack="l2").fit(X[:, :2] * factors, y)
    np.testing.assert_allclose(
        selector.decision_function(X), plain.decision_function(X[:, :2] * factors)
    )
    kernel = scaled_kernel(kernels.Rbf(gamma=last.gamma), selector.weights_)
    same = SVC(C=last.C, kernel=kernel, slack="l2").fit(X, y)
    np.testing.assert_allclose(selector.decision_function(X), same.decision_function(X), atol=1e-8)


def test_it_predicts_better_than_all_columns(fitted):
    selector, _, _ = fitted
    X, y = make_weston_nonlinear(80, 10, rng=[0, 80], balanced=True)
    scaler = StandardScaler().fit(X)
    X_test, y_test = make_weston_nonlinear(1000, 10, rng=99)
    plain = machine().fit(scaler.transform(X), y)
    test = scaler.transform(X_test)
    assert selector.score(test, y_test) > plain.score(test, y_test) + 0.05
    assert selector.score(test, y_test) > 0.9


def test_the_value_is_that_of_the_bound_at_the_end(fitted):
    selector, X, y = fitted
    last = selector.estimator_[-1]
    judge = objectives.Judge(objectives.RadiusMargin(), X[:, :2] * selector.weights_[:2], y)
    from svsieve.machines import L2Svm

    value = judge(L2Svm(last.C), kernels.Rbf(gamma=last.gamma)).value
    assert selector.value_ == pytest.approx(value, rel=1e-6)


# ---- options


def test_none_stops_where_the_objective_rises():
    X, y = toy(100, 20)
    selector = FeatureScaling(machine()).fit(X, y)
    assert {0, 1} <= set(np.flatnonzero(selector.support_)) <= set(range(20))
    assert selector.n_features_ <= 6
    assert selector.path_.stopped == "score"
    larger = clone(selector).set_params(rise=0.0).fit(X, y)
    assert larger.n_features_ >= selector.n_features_


@pytest.mark.parametrize("size", [1, 3, 0.5, 10])
def test_sizes(size):
    X, y = toy(40)
    selector = FeatureScaling(machine(), n_features_to_select=size, max_evaluations=5).fit(X, y)
    assert selector.n_features_ == (5 if size == 0.5 else size)


@pytest.mark.parametrize("objective", ["span", "validation", objectives.RadiusMargin()], ids=str)
def test_objectives(objective):
    X, y = toy(200)
    selector = FeatureScaling(machine(), n_features_to_select=2, objective=objective).fit(X, y)
    assert set(np.flatnonzero(selector.support_)) == {0, 1}


def test_shares_of_a_fixed_sum():
    X, y = toy()
    selector = FeatureScaling(machine(), n_features_to_select=2, method="lp").fit(X, y)
    assert set(np.flatnonzero(selector.support_)) == {0, 1}
    assert selector.path_.n_steps == 1
    assert selector.score(X, y) > 0.9


def test_more_starts_never_end_higher():
    X, y = toy(rows=12, columns=30)

    def fitted_from(starts, seed=0):
        selector = FeatureScaling(
            machine(), n_features_to_select=2, starts=starts, random_state=seed
        )
        return selector.fit(X, y)

    found = [fitted_from(starts) for starts in (1, 4, 8)]
    values = [one.value_ for one in found]
    assert values == sorted(values, reverse=True)
    assert values[-1] < 0.9 * values[0]
    trainings = [one.n_trainings_ for one in found]
    assert trainings == sorted(trainings)
    assert trainings[1] > 2 * trainings[0]
    plain = FeatureScaling(machine(), n_features_to_select=2).fit(X, y)
    np.testing.assert_array_equal(plain.weights_, found[0].weights_)
    np.testing.assert_array_equal(fitted_from(8).weights_, found[2].weights_)
    # All that is told is that of the start taken.
    best = found[2]
    assert set(best.path_.survivors) == set(np.flatnonzero(best.support_))
    assert best.path_.notes["objective_values"][-1] == best.value_


@pytest.mark.parametrize("options", [{"method": "lp"}, {"space": "components"}], ids=str)
def test_other_ways_have_starts_too(options):
    X, y = toy(rows=20)
    options = {"n_features_to_select": 2, "random_state": 1, **options}
    one = FeatureScaling(machine(), **options).fit(X, y)
    three = FeatureScaling(machine(), starts=3, **options).fit(X, y)
    assert three.value_ <= one.value_
    assert three.n_trainings_ > one.n_trainings_


@pytest.mark.parametrize(
    "estimator",
    [
        machine(kernel="poly", degree=2, coef0=1.0),
        machine(kernel="laplace"),
        machine(kernel=kernels.Rbf(gamma="scale") + 0.1 * kernels.Linear()),
        machine(kernel=kernels.Rbf(gamma=0.1, weights=np.linspace(1.0, 2.0, 10))),
        PeerSVC(C=10.0),
        make_pipeline(StandardScaler(), machine()),
    ],
    ids=["poly", "laplace", "sum", "weighted", "scikit-learn", "pipeline"],
)
def test_estimators(estimator):
    X, y = toy(100)
    selector = FeatureScaling(estimator, n_features_to_select=2).fit(X, y)
    assert set(np.flatnonzero(selector.support_)) == {0, 1}
    assert selector.score(X, y) > 0.8


def test_units_do_not_matter_behind_a_scaler():
    X, y = make_weston_nonlinear(60, 8, rng=3, balanced=True)
    estimator = make_pipeline(StandardScaler(), machine())
    plain = FeatureScaling(estimator, n_features_to_select=2).fit(X, y)
    units = 10.0 ** np.arange(-4, 4)
    scaled = FeatureScaling(estimator, n_features_to_select=2).fit(X * units, y)
    np.testing.assert_array_equal(scaled.path_.order, plain.path_.order)
    np.testing.assert_array_equal(scaled.predict(X * units), plain.predict(X))


def test_several_classes_names_and_sparse_tables():
    X, y = load_iris(return_X_y=True, as_frame=True)
    names = load_iris().target_names
    selector = FeatureScaling(machine(), n_features_to_select=2).fit(X, names[y])
    assert set(selector.classes_) == set(names)
    assert all("petal" in name for name in selector.get_feature_names_out())
    assert selector.path_.column_names == tuple(X.columns)
    assert selector.score(X, names[y]) > 0.93
    stored = FeatureScaling(machine(), n_features_to_select=2).fit(sparse.csr_array(X), names[y])
    np.testing.assert_allclose(stored.weights_, selector.weights_, rtol=1e-5)
    np.testing.assert_array_equal(stored.predict(sparse.csr_array(X)), selector.predict(X))


def test_whole_weights_count_rows():
    X, y = toy(40, 6)
    counts = np.random.default_rng(0).integers(0, 3, 40)
    weighted = FeatureScaling(machine(), n_features_to_select=2).fit(X, y, sample_weight=counts)
    repeated = FeatureScaling(machine(), n_features_to_select=2).fit(
        np.repeat(X, counts, axis=0), np.repeat(y, counts)
    )
    np.testing.assert_allclose(weighted.weights_, repeated.weights_, rtol=1e-6)


def test_probabilities_are_handed_on():
    X, y = toy(60, 5)
    estimator = machine(probability=True, random_state=0)
    selector = FeatureScaling(estimator, n_features_to_select=2).fit(X, y)
    np.testing.assert_allclose(selector.predict_proba(X).sum(axis=1), 1.0)
    assert not hasattr(FeatureScaling(machine()), "predict_proba")


def test_a_machine_that_tells_nothing_apart_is_told():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 5)), np.arange(40) % 4 == 0
    selector = FeatureScaling(SVC(kernel="linear", slack="l2", C=1e-3), n_features_to_select=2)
    with pytest.warns(UserWarning, match="takes all training rows for class False"):
        selector.fit(X, y)


# ---- principal components


def rotated(seed=0):
    X, y = toy(100, 6, seed)
    rotation = np.linalg.qr(np.random.default_rng(seed).normal(size=(6, 6)))[0]
    return (X * [20.0, 12.0, 4.0, 3.0, 2.0, 1.0]) @ rotation + 5.0, y


def test_components_are_found_scaled_and_kept():
    X, y = rotated()
    selector = FeatureScaling(machine(), n_features_to_select=2, space="components").fit(X, y)
    assert set(np.flatnonzero(selector.support_)) == {0, 1}
    Z = PCA().fit_transform(X)[:, :2] * selector.weights_[:2]
    found = selector.transform(X)
    np.testing.assert_allclose(np.abs(found), np.abs(Z), rtol=1e-8)
    assert selector.get_feature_names_out().tolist() == ["component0", "component1"]
    np.testing.assert_array_equal(selector.predict(X), selector.estimator_[-1].predict(found))
    assert selector.score(X, y) > 0.9
    in_columns = FeatureScaling(machine(), n_features_to_select=2).fit(X, y)
    assert selector.score(X, y) > in_columns.score(X, y)


def test_components_are_those_of_centred_rows():
    # Rows are moved to their mean before they are turned. A polynomial sees the difference; without
    # the mean a new origin would change the predictions.
    X, y = rotated()
    estimator = machine(kernel="poly", degree=2, coef0=1.0)
    options = {"n_features_to_select": 2, "space": "components"}
    here = FeatureScaling(estimator, **options).fit(X, y)
    there = FeatureScaling(estimator, **options).fit(X + 100.0, y)
    np.testing.assert_allclose(
        here.decision_function(X), there.decision_function(X + 100.0), atol=1e-5
    )
    not_centred = X @ here.estimator_[0].axes_[:, :2] * here.weights_[:2]
    assert np.abs(not_centred - here.transform(X)).max() > 1.0


def test_components_come_back_as_rows():
    X, y = rotated()
    all_kept = FeatureScaling(
        machine(), n_features_to_select=6, space="components", max_evaluations=3
    ).fit(X, y)
    np.testing.assert_allclose(all_kept.inverse_transform(all_kept.transform(X)), X, atol=1e-8)


def test_components_of_weighted_rows_are_those_of_repeated_ones():
    X, _ = rotated()
    counts = np.random.default_rng(0).integers(0, 3, len(X))
    weighted = PrincipalComponents().fit(X, sample_weight=counts)
    repeated = PrincipalComponents().fit(np.repeat(X, counts, axis=0))
    np.testing.assert_allclose(weighted.axes_, repeated.axes_, atol=1e-10)
    np.testing.assert_allclose(weighted.mean_, repeated.mean_)


def test_components_along_which_nothing_differs_are_left_out():
    X = np.random.default_rng(0).normal(size=(4, 10))
    assert PrincipalComponents().fit(X).axes_.shape == (10, 3)
    with pytest.raises(ValueError, match="all alike"):
        PrincipalComponents().fit(np.ones((3, 2)))


def test_column_weights_count_their_columns():
    with pytest.raises(ValueError, match="a number for each of 3 columns"):
        ColumnWeights([1.0, 2.0]).fit(np.ones((2, 3)))


# ---- refusals


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"objective": "cv"}, "'objective' parameter of FeatureScaling must be one with slopes"),
        ({"objective": "luck"}, "'objective' parameter of FeatureScaling must be one of"),
        ({"threshold": -0.1}, "'threshold' parameter of FeatureScaling must be a float in"),
        ({"rise": "much"}, "'rise' parameter"),
        ({"penalty": -1.0}, "'penalty' parameter"),
        ({"reach": 0.0}, "'reach' parameter"),
        ({"max_evaluations": 0}, "'max_evaluations' parameter"),
        ({"starts": 0}, "'starts' parameter of FeatureScaling must be an int"),
        ({"random_state": "no"}, "cannot be used to seed"),
        ({"method": "l0"}, "'method' parameter of FeatureScaling must be one of 'descent', 'lp'"),
        ({"space": "rows"}, "'space' parameter of FeatureScaling must be one of"),
        ({"step": 0}, "'step' parameter"),
        ({"n_features_to_select": 0}, "'n_features_to_select' parameter"),
        ({"method": "lp"}, "n_features_to_select must not be None"),
        ({"progress": 1}, "'progress' parameter"),
        ({"estimator": LinearSVC()}, "machine whose bias is not penalised"),
        ({"estimator": PCA()}, "'estimator' parameter of FeatureScaling must be a classifier"),
    ],
)
def test_bad_options_are_refused_before_any_computing(no_computing, options, message):
    estimator = options.pop("estimator", SVC())
    with pytest.raises(ValueError, match=message):
        FeatureScaling(estimator, **options).fit(np.eye(4), [0, 1, 0, 1])


def test_components_need_a_dense_table_and_a_kernel_without_weights():
    X, y = toy(20, 4)
    with pytest.raises(TypeError, match="which a sparse X does not survive"):
        FeatureScaling(machine(), space="components").fit(sparse.csr_array(X), y)
    weighted = machine(kernel=kernels.Rbf(gamma=0.1, weights=np.ones(4)))
    with pytest.raises(ValueError, match="must have no weights: they belong to columns"):
        FeatureScaling(weighted, space="components").fit(X, y)


def test_frames_go_in_and_come_out():
    X, y = toy(40, 4)
    frame = pd.DataFrame(X, columns=list("abcd"))
    selector = FeatureScaling(machine(), n_features_to_select=2, max_evaluations=5)
    assert list(selector.set_output(transform="pandas").fit(frame, y).transform(frame)) == list(
        np.array(list("abcd"))[selector.support_]
    )
    selector.set_params(space="components").fit(frame, y)
    assert list(selector.transform(frame)) == list(selector.get_feature_names_out())
