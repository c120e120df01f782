"""SVMRFE with weights, pipelines, an estimator of the user and the tools of scikit-learn."""

import pickle

import joblib
import numpy as np
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.datasets import make_classification
from sklearn.feature_selection import RFE
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler
from sklearn.svm import SVC as PeerSVC
from sklearn.svm import LinearSVC

from svsieve import SVC, SVMRFE, kernels, stopping


def table(n_classes=2, rows=60, columns=12, seed=0):
    return make_classification(
        n_samples=rows,
        n_features=columns,
        n_informative=5,
        n_redundant=2,
        n_classes=n_classes,
        n_clusters_per_class=1,
        random_state=seed,
    )


SCIKIT_LEARN_1_6 = sklearn.__version__.startswith("1.6.")

# --- weights ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "estimator",
    [
        SVC(kernel="linear"),
        SVC(kernel="linear", class_weight="balanced"),
        SVC(gamma=0.1, slack="l2"),
        PeerSVC(kernel="poly", gamma=0.1, tol=1e-9),
        LinearSVC(class_weight="balanced", tol=1e-9, max_iter=100_000),
    ],
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_weights_count_rows(estimator, n_classes):
    X, y = table(n_classes, rows=45)
    counts = np.random.default_rng(1).integers(0, 4, len(y))
    weighted = SVMRFE(estimator, n_features_to_select=3).fit(X, y, sample_weight=counts)
    repeated = SVMRFE(estimator, n_features_to_select=3).fit(
        np.repeat(X, counts, axis=0), np.repeat(y, counts)
    )
    assert weighted.path_.same_ranking(repeated.path_)
    np.testing.assert_allclose(weighted.path_.scores, repeated.path_.scores, rtol=1e-4)
    if not (SCIKIT_LEARN_1_6 and isinstance(estimator, LinearSVC)):  # balances without weights
        np.testing.assert_allclose(
            weighted.decision_function(X), repeated.decision_function(X), atol=1e-3
        )
    plain = SVMRFE(estimator, n_features_to_select=3).fit(X, y)
    assert not np.allclose(plain.path_.scores, weighted.path_.scores, rtol=1e-3)


@pytest.mark.parametrize("estimator", [SVC(), SVC(gamma="auto")])
def test_weights_count_rows_in_rules_of_gamma(estimator):
    X, y = table(rows=45)
    counts = np.random.default_rng(1).integers(0, 4, len(y))
    weighted = SVMRFE(estimator, n_features_to_select=3).fit(X, y, sample_weight=counts)
    repeated = SVMRFE(estimator, n_features_to_select=3).fit(
        np.repeat(X, counts, axis=0), np.repeat(y, counts)
    )
    np.testing.assert_allclose(weighted.path_.scores, repeated.path_.scores, rtol=1e-4)


def test_class_weights_reach_the_ranking():
    X, y = table(rows=90)
    weights = {0: 5.0, 1: 0.2}
    by_class = SVMRFE(SVC(kernel="linear", class_weight=weights), n_features_to_select=1)
    by_row = SVMRFE(SVC(kernel="linear"), n_features_to_select=1)
    rows = np.where(y == 0, 5.0, 0.2)
    expected = by_row.fit(X, y, sample_weight=rows).path_
    np.testing.assert_allclose(by_class.fit(X, y).path_.scores, expected.scores, rtol=1e-6)


def test_one_vs_rest_weighs_the_positive_class_only():
    X, y = table(3, rows=90)
    machine = LinearSVC(class_weight={0: 3.0, 1: 1.0, 2: 0.5})
    selector = SVMRFE(machine, n_features_to_select=11).fit(X, y)
    peer = clone(machine).set_params(tol=1e-10, max_iter=100_000, dual=False).fit(X, y)
    assert selector.path_.scores[0] == pytest.approx((peer.coef_**2).sum(axis=0).min(), rel=1e-3)


# --- pipelines inside ------------------------------------------------------------------------


def test_scaler_inside_is_fitted_on_the_training_rows():
    X, y = table()
    X *= 10.0 ** np.arange(-3, 9)
    inside = SVMRFE(make_pipeline(StandardScaler(), SVC()), n_features_to_select=4).fit(X, y)
    scaled = StandardScaler().fit_transform(X)
    outside = SVMRFE(SVC(), n_features_to_select=4).fit(scaled, y)
    assert inside.path_.same_ranking(outside.path_)
    np.testing.assert_allclose(
        inside.decision_function(X), outside.decision_function(scaled), atol=1e-6
    )
    assert isinstance(inside.estimator_, Pipeline)
    assert inside.estimator_[0].n_features_in_ == 4


def test_steps_that_pass_and_pipelines_in_pipelines():
    X, y = table()
    inner = make_pipeline(MinMaxScaler(), "passthrough", LinearSVC())
    nested = Pipeline([("first", StandardScaler()), ("nothing", None), ("rest", inner)])
    found = SVMRFE(nested, n_features_to_select=4).fit(X, y, sample_weight=np.ones(60))
    plain = make_pipeline(StandardScaler(), MinMaxScaler(), LinearSVC())
    assert found.path_.same_ranking(SVMRFE(plain, n_features_to_select=4).fit(X, y).path_)


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
def test_weights_go_to_all_steps_that_take_them(layout):
    X, y = table()
    counts = np.random.default_rng(1).integers(0, 3, len(y))
    model = make_pipeline(StandardScaler(with_mean=False), MaxAbsScaler(), SVC(kernel="linear"))
    repeated = SVMRFE(model, n_features_to_select=4).fit(
        layout(np.repeat(X, counts, axis=0)), np.repeat(y, counts)
    )
    nested = make_pipeline(model[0], make_pipeline(model[1], model[2]))
    for machine in (model, nested):
        weighted = SVMRFE(machine, n_features_to_select=4).fit(layout(X), y, sample_weight=counts)
        assert weighted.path_.same_ranking(repeated.path_)
        np.testing.assert_allclose(weighted.path_.scores, repeated.path_.scores, rtol=1e-6)
        np.testing.assert_allclose(
            weighted.decision_function(X), repeated.decision_function(X), atol=1e-7
        )


# --- the estimator at the end ----------------------------------------------------------------


def test_estimator_is_the_users_class_on_the_columns_kept():
    X, y = table()
    given = PeerSVC(kernel="rbf", C=3.0)
    selector = SVMRFE(given, n_features_to_select=4).fit(X, y)
    assert type(selector.estimator_) is PeerSVC
    assert selector.estimator_.C == 3.0
    assert not hasattr(given, "classes_")
    expected = clone(given).fit(X[:, selector.support_], y)
    np.testing.assert_array_equal(selector.predict(X), expected.predict(X[:, selector.support_]))
    assert selector.score(X, y) == expected.score(X[:, selector.support_], y)
    weights = np.arange(60.0)
    assert selector.score(X, y, sample_weight=weights) == expected.score(
        X[:, selector.support_], y, sample_weight=weights
    )
    assert not hasattr(selector, "predict_proba")


def test_weights_of_a_kernel_object_are_cut_to_the_columns_kept():
    X, y = table()
    weights = np.linspace(0.5, 2.0, 12)
    kernel = kernels.Rbf(gamma=0.1, weights=weights) + 0.5 * kernels.Linear()
    selector = SVMRFE(SVC(kernel=kernel), n_features_to_select=4).fit(X, y)
    kept = selector.support_
    cut = kernels.Rbf(gamma=0.1, weights=weights[kept]) + 0.5 * kernels.Linear()
    expected = SVC(kernel=cut).fit(X[:, kept], y).decision_function(X[:, kept])
    np.testing.assert_allclose(selector.decision_function(X), expected)


def test_it_is_a_classifier_only_with_a_fitted_estimator():
    assert is_classifier(SVMRFE())
    assert not hasattr(SVMRFE(), "classes_")
    assert not hasattr(SVMRFE(LinearSVC()), "predict_proba")
    with pytest.raises(sklearn.exceptions.NotFittedError):
        SVMRFE().predict([[1.0]])
    with pytest.raises(sklearn.exceptions.NotFittedError):
        SVMRFE().transform([[1.0]])


# --- company ---------------------------------------------------------------------------------


def test_clone_and_pickle():
    X, y = table()
    selector = SVMRFE(SVC(C=3.0), step="sqrt", stop=stopping.AtSize(3)).fit(X, y)
    copy = clone(selector)
    assert not hasattr(copy, "support_")
    assert copy.estimator.C == 3.0
    again = pickle.loads(pickle.dumps(selector))
    assert again.path_.same_ranking(selector.path_)
    np.testing.assert_array_equal(again.predict(X), selector.predict(X))
    assert copy.fit(X, y).path_.same_ranking(selector.path_)


def test_grid_search_over_the_inner_estimator():
    X, y = table(rows=90)
    grid = {"estimator__C": [0.01, 1.0], "n_features_to_select": [2, 6]}
    search = GridSearchCV(SVMRFE(SVC(kernel="linear"), step=2), grid, cv=3).fit(X, y)
    assert search.best_score_ > 0.7
    assert search.best_params_["estimator__C"] == search.best_estimator_.estimator_.C


def test_last_but_one_step_of_a_pipeline():
    X, y = table(rows=90)
    model = make_pipeline(StandardScaler(), SVMRFE(step=0.5), SVC())
    assert cross_val_score(model, X, y, cv=3).mean() > 0.7


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_fits_side_by_side(backend):
    X, y = table()
    selectors = [SVMRFE(SVC(C=C), n_features_to_select=2) for C in (0.1, 1.0, 10.0)]
    alone = [clone(selector).fit(X, y).path_ for selector in selectors]
    together = joblib.Parallel(n_jobs=2, backend=backend)(
        joblib.delayed(selector.fit)(X, y) for selector in selectors
    )
    for one, other in zip(alone, together, strict=True):
        assert one.same_ranking(other.path_)


@pytest.mark.parametrize("inside", [False, True])
def test_routing_hands_on_weights(inside):
    X, y = table()
    weights = np.where(np.arange(60) < 30, 1.0, 0.0)
    with sklearn.config_context(enable_metadata_routing=True):
        if inside:
            machine = SVC(kernel="linear").set_fit_request(sample_weight=True)
            selector = SVMRFE(machine.set_score_request(sample_weight=True))
            if SCIKIT_LEARN_1_6:  # a search looks for requests of `score` on the outside only
                selector.set_score_request(sample_weight=True)
        else:
            selector = SVMRFE().set_fit_request(sample_weight=True)
            selector.set_score_request(sample_weight=False)
        pipeline = make_pipeline(StandardScaler(), selector)
        pipeline[0].set_fit_request(sample_weight=False)
        pipeline.fit(X, y, sample_weight=weights)
        search = GridSearchCV(selector, {"estimator__C": [1.0]} if inside else {"step": [1]}, cv=2)
        search.fit(X, y, sample_weight=np.where(np.arange(60) % 2, 1.0, 0.5))
    expected = SVMRFE().fit(StandardScaler().fit_transform(X)[:30], y[:30])
    np.testing.assert_array_equal(pipeline[-1].support_, expected.support_)


def test_routing_looks_into_pipelines_and_past_what_is_no_estimator():
    with sklearn.config_context(enable_metadata_routing=True):
        machine = make_pipeline(StandardScaler(), SVC().set_fit_request(sample_weight=True))
        for estimator, expected in ((machine, True), (SVC(), None), ("svc", None)):
            requests = SVMRFE(estimator).get_metadata_routing()
            assert requests.fit.requests["sample_weight"] is expected


def test_routing_refuses_weights_nobody_asked_for():
    X, y = table()
    with (
        sklearn.config_context(enable_metadata_routing=True),
        pytest.raises(sklearn.exceptions.UnsetMetadataPassedError, match="sample_weight"),
    ):
        make_pipeline(SVMRFE()).fit(X, y, sample_weight=np.ones(60))


def test_the_same_parameters_as_rfe_mean_the_same():
    X, y = table()
    shared = {"n_features_to_select": 4, "step": 2}
    peer = RFE(PeerSVC(kernel="linear", tol=1e-10), **shared).fit(X, y)
    selector = SVMRFE(PeerSVC(kernel="linear", tol=1e-10), **shared).fit(X, y)
    np.testing.assert_array_equal(selector.ranking_, peer.ranking_)
    assert selector.n_features_ == peer.n_features_
    np.testing.assert_array_equal(selector.transform(X), peer.transform(X))
