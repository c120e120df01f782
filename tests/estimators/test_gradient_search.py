"""The search as its users see it: parameters found, what is counted and kept, several classes."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification, make_moons
from sklearn.decomposition import PCA
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC as PeerSVC

from svsieve import SVC, GradientSearch, kernels
from svsieve.machines import CSvm, L2Svm
from svsieve.selection.objectives import CrossValidation, Judge, RadiusMargin, ValidationError

MOONS, SIDES = make_moons(160, noise=0.25, random_state=0)
OTHER_MOONS, OTHER_SIDES = make_moons(400, noise=0.25, random_state=1)
LABELS = np.where(SIDES == 1, 1.0, -1.0)
L2 = SVC(slack="l2")


def test_the_result_is_a_minimum_of_the_objective() -> None:
    search = GradientSearch(L2, tol=1e-6).fit(MOONS, SIDES)
    C, gamma = search.best_params_["C"], search.best_params_["gamma"]
    judge = Judge(RadiusMargin(), MOONS, LABELS)
    here = judge(L2Svm(C), kernels.Rbf(gamma))
    assert search.best_value_ == pytest.approx(here.value, rel=1e-9)
    assert abs(here.log_C) < 1e-3 * here.value
    assert abs(here.params["log_gamma"]) < 1e-3 * here.value
    for factor in (0.7, 1.4):
        assert judge(L2Svm(C * factor), kernels.Rbf(gamma)).value > here.value
        assert judge(L2Svm(C), kernels.Rbf(gamma * factor)).value > here.value


@pytest.mark.parametrize("objective", ["radius-margin", "span", "validation", "posterior", "cv"])
def test_as_good_as_a_grid(objective: str) -> None:
    search = GradientSearch(L2, objective, random_state=0).fit(MOONS, SIDES)
    grid = {"C": np.logspace(-2, 3, 6), "gamma": np.logspace(-2, 2, 6)}
    by_grid = GridSearchCV(L2, grid, cv=5).fit(MOONS, SIDES)
    assert search.score(OTHER_MOONS, OTHER_SIDES) >= by_grid.score(OTHER_MOONS, OTHER_SIDES) - 0.02


def test_support_vectors_are_made_few() -> None:
    search = GradientSearch(SVC(C=0.1), "support-vectors").fit(MOONS, SIDES)
    before, after = SVC(C=0.1).fit(MOONS, SIDES), search.best_estimator_
    assert len(after.support_) < 0.7 * len(before.support_)
    assert search.best_value_ == pytest.approx(len(after.support_) / len(SIDES), abs=0.02)


def test_the_best_estimator_is_the_estimator_with_the_best_parameters() -> None:
    search = GradientSearch(SVC(slack="l2", tol=1e-6, break_ties=True)).fit(MOONS, SIDES)
    best = search.best_estimator_
    assert {name: best.get_params()[name] for name in search.best_params_} == search.best_params_
    assert (best.tol, best.break_ties, best.slack) == (1e-6, True, "l2")
    again = SVC(slack="l2", tol=1e-6).set_params(**search.best_params_).fit(MOONS, SIDES)
    np.testing.assert_array_equal(
        search.decision_function(OTHER_MOONS), again.decision_function(OTHER_MOONS)
    )
    np.testing.assert_array_equal(search.predict(OTHER_MOONS), again.predict(OTHER_MOONS))
    assert search.classes_.tolist() == [0, 1]


def test_the_trace_holds_every_evaluation() -> None:
    search = GradientSearch(L2, starts=3, random_state=4).fit(MOONS, SIDES)
    trace = search.trace_
    columns = {"C", "gamma", "value", "gradient_norm", "left_out_error", "start", "n_trainings"}
    assert set(trace) == columns
    assert {len(column) for column in trace.values()} == {search.n_trainings_}
    assert trace["n_trainings"].tolist() == list(range(1, search.n_trainings_ + 1))
    assert sorted(set(trace["start"].tolist())) == [0, 1, 2]
    assert trace["C"][0] == pytest.approx(1.0)
    assert trace["gamma"][0] == pytest.approx(1 / (2 * MOONS.var()))
    best = search.best_index_
    assert trace["value"][best] == pytest.approx(search.best_value_)
    assert trace["C"][best] == search.best_params_["C"]
    judge = Judge(RadiusMargin(), MOONS, LABELS)
    for C, gamma, value in zip(trace["C"], trace["gamma"], trace["value"], strict=True):
        assert judge(L2Svm(C), kernels.Rbf(gamma)).value == pytest.approx(value, rel=1e-6)


def test_few_trainings_are_needed() -> None:
    assert GradientSearch(L2).fit(MOONS, SIDES).n_trainings_ <= 20


@pytest.mark.parametrize("slack", ["l1", "l2"])
def test_scales_find_the_columns_that_matter(slack: str) -> None:
    rng = np.random.default_rng(3)
    noisy = np.hstack([MOONS, rng.normal(size=(len(MOONS), 4))])
    search = GradientSearch(SVC(slack=slack), weights=True).fit(noisy, SIDES)
    assert search.scales_[:2].min() > 2 * search.scales_[2:].max()
    kernel = search.best_params_["kernel"]
    np.testing.assert_allclose(kernel.weights, search.scales_**2)
    assert set(search.best_params_) == {"C", "kernel"}
    assert len(search.trace_["scale"]) == search.n_trainings_
    assert search.trace_["scale"][0].tolist() == [1.0] * 6
    other = np.hstack([OTHER_MOONS, rng.normal(size=(len(OTHER_MOONS), 4))])
    plain = GradientSearch(SVC(slack=slack)).fit(noisy, SIDES)
    assert search.score(other, OTHER_SIDES) > plain.score(other, OTHER_SIDES)


def test_few_rows_leave_the_scales_alike() -> None:
    rng = np.random.default_rng(3)
    noisy = np.hstack([MOONS, rng.normal(size=(len(MOONS), 4))])

    def spread(shrink: float, X=noisy, y=SIDES, **options) -> float:
        search = GradientSearch(L2, weights=True, shrink=shrink, confirm=False, tol=1e-8)
        return float(np.var(np.log(search.fit(X, y, **options).scales_)))

    spreads = [spread(shrink) for shrink in (0.0, 30.0, 150.0, 1e3, 1e6)]
    assert spreads == sorted(spreads, reverse=True)
    assert spreads[0] > 2 * spreads[2] > 0.0
    assert spreads[-1] < 1e-6
    # What counts is the number of rows, and a row of weight two is two rows.
    twice = spread(300.0, np.repeat(noisy, 2, axis=0), np.repeat(SIDES, 2))
    weighted = spread(300.0, sample_weight=np.full(len(SIDES), 2.0))
    assert twice == pytest.approx(weighted, rel=1e-3)


def test_the_value_told_is_the_objective_alone() -> None:
    search = GradientSearch(L2, weights=True, shrink=1000.0).fit(MOONS, SIDES)
    judge = Judge(RadiusMargin(), MOONS, LABELS, tol=1e-12)
    found = search.best_params_
    expected = judge(L2Svm(found["C"]), found["kernel"]).value
    assert search.best_value_ == pytest.approx(expected, rel=1e-6)
    assert search.trace_["value"][search.best_index_] == search.best_value_


def test_scales_come_on_top_of_the_weights_of_a_kernel() -> None:
    kernel = kernels.Rbf(gamma=2.0, weights=(1.0, 0.25))
    search = GradientSearch(SVC(kernel=kernel, slack="l2"), weights=True).fit(MOONS, SIDES)
    found = search.best_params_["kernel"]
    np.testing.assert_allclose(found.weights, np.array([1.0, 0.25]) * search.scales_**2)
    assert found.gamma == 2.0


# ---- kernels


def test_polynomials_have_a_degree_and_a_constant() -> None:
    X, y = make_classification(120, 4, n_informative=3, n_redundant=0, random_state=2)
    machine = SVC(kernel="poly", degree=2, coef0=1.0, slack="l2")
    search = GradientSearch(machine, degrees=[1, 2, 3], confirm=False).fit(X, y)
    assert set(search.best_params_) == {"C", "gamma", "coef0", "degree"}
    alone = {
        degree: GradientSearch(clone(machine).set_params(degree=degree), confirm=False).fit(X, y)
        for degree in (1, 2, 3)
    }
    values = {degree: one.best_value_ for degree, one in alone.items()}
    assert search.best_params_["degree"] == min(values, key=values.get)
    assert search.best_value_ == pytest.approx(min(values.values()), rel=1e-3)
    assert set(search.trace_["degree"].tolist()) == {1, 2, 3}
    assert search.n_trainings_ == len(search.trace_["value"])
    assert search.best_estimator_.degree == search.best_params_["degree"]


def test_sums_are_mixed() -> None:
    kernel = kernels.Sum((kernels.Linear(), kernels.Rbf(gamma=1.0)), (1.0, 0.1))
    search = GradientSearch(SVC(kernel=kernel, slack="l2")).fit(MOONS, SIDES)
    found = search.best_params_["kernel"]
    assert found.factors[0] == 1.0
    assert found.factors[1] > 0.3  # the moons are not linear
    assert {"1.coefficient", "1.gamma"} < set(search.trace_)
    judge = Judge(RadiusMargin(), MOONS, LABELS)
    C = search.best_params_["C"]
    assert judge(L2Svm(C), found).value == pytest.approx(search.best_value_, rel=1e-9)
    assert search.best_value_ < judge(L2Svm(C), kernel).value


def test_a_hard_margin_has_no_C() -> None:
    X = np.vstack([MOONS[SIDES == 1] + 3.0, MOONS[SIDES == 0]])
    y = np.sort(SIDES)[::-1]
    search = GradientSearch(SVC(C=math.inf, slack="l2")).fit(X, y)
    assert set(search.best_params_) == {"gamma"}
    with pytest.raises(ValueError, match="no finite value"):
        GradientSearch(SVC(C=math.inf, kernel="linear", slack="l2")).fit(MOONS, SIDES)


def test_a_linear_machine_has_only_C() -> None:
    search = GradientSearch(SVC(kernel="linear", slack="l2")).fit(MOONS, SIDES)
    assert set(search.best_params_) == {"C"}


# ---- bounds


def test_bounds_hold() -> None:
    bounds = {"C": (0.5, 2.0), "gamma": (0.1, 0.2)}
    search = GradientSearch(L2, bounds=bounds, starts=3, random_state=0).fit(MOONS, SIDES)
    for name, (low, high) in bounds.items():
        assert (search.trace_[name] >= low * (1 - 1e-12)).all()
        assert (search.trace_[name] <= high * (1 + 1e-12)).all()
    fixed = GradientSearch(L2, bounds={"C": (3.0, 3.0)}).fit(MOONS, SIDES)
    assert fixed.best_params_["C"] == pytest.approx(3.0, rel=1e-12)
    noisy = np.hstack([MOONS, MOONS[::-1]])
    scaled = GradientSearch(L2, weights=True, bounds={"scale": (0.5, 2.0)}).fit(noisy, SIDES)
    assert ((scaled.scales_ >= 0.5 - 1e-12) & (scaled.scales_ <= 2.0 + 1e-12)).all()


# ---- several classes, weights, tables, pipelines


def test_pairs_of_classes_share_the_parameters() -> None:
    X, y = load_iris(return_X_y=True)
    search = GradientSearch(L2).fit(X, y)
    C, gamma = search.best_params_["C"], search.best_params_["gamma"]
    total = 0.0
    for first, second in ((0, 1), (0, 2), (1, 2)):
        rows = (y == first) | (y == second)
        labels = np.where(y[rows] == first, 1.0, -1.0)
        total += Judge(RadiusMargin(), X[rows], labels)(L2Svm(C), kernels.Rbf(gamma)).value
    assert search.best_value_ == pytest.approx(total, rel=1e-9)
    assert search.n_trainings_ == 3 * len(search.trace_["value"])
    assert search.score(X, y) > 0.95


@pytest.mark.parametrize("slack", ["l1", "l2"])
def test_a_row_of_weight_two_is_two_rows(slack: str) -> None:
    weights = np.where(np.arange(len(SIDES)) % 3 == 0, 2.0, 1.0)
    weights[5:9] = 0.0
    twice = np.repeat(np.arange(len(SIDES)), weights.astype(int))
    machine = SVC(slack=slack, class_weight={0: 1.0, 1: 1.5})
    one = GradientSearch(machine, tol=1e-6).fit(MOONS, SIDES, sample_weight=weights)
    two = GradientSearch(machine, tol=1e-6).fit(MOONS[twice], SIDES[twice])
    assert one.best_value_ == pytest.approx(two.best_value_, rel=1e-4)
    assert one.best_params_["gamma"] == pytest.approx(two.best_params_["gamma"], rel=0.02)


def test_sparse_tables() -> None:
    dense, thin = (GradientSearch(L2).fit(X, SIDES) for X in (MOONS, sparse.csr_array(MOONS)))
    assert thin.best_params_["C"] == pytest.approx(dense.best_params_["C"], rel=1e-3)


def test_scikit_learns_machine_is_a_specification() -> None:
    ours = GradientSearch(SVC(gamma=0.7)).fit(MOONS, SIDES)
    theirs = GradientSearch(PeerSVC(gamma=0.7)).fit(MOONS, SIDES)
    assert isinstance(theirs.best_estimator_, PeerSVC)
    assert theirs.best_params_ == pytest.approx(ours.best_params_, rel=1e-6)


def test_pipelines() -> None:
    wide = MOONS * [1.0, 1000.0]
    chain = make_pipeline(StandardScaler(), SVC(slack="l2"))
    search = GradientSearch(chain).fit(wide, SIDES)
    plain = GradientSearch(L2).fit(StandardScaler().fit_transform(wide), SIDES)
    assert set(search.best_params_) == {"svc__C", "svc__gamma"}
    assert search.best_params_["svc__C"] == pytest.approx(plain.best_params_["C"], rel=1e-6)
    assert search.best_params_["svc__C"] == search.best_estimator_[-1].C
    deep = make_pipeline(StandardScaler(), make_pipeline(PCA(1), SVC(slack="l2")))
    assert set(GradientSearch(deep).fit(wide, SIDES).best_params_) == {
        "pipeline__svc__C",
        "pipeline__svc__gamma",
    }


def test_names_of_columns() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(MOONS, columns=["a", "b"])
    search = GradientSearch(L2).fit(frame, SIDES)
    assert search.feature_names_in_.tolist() == ["a", "b"]
    with pytest.raises(ValueError, match="feature names"):
        search.predict(frame[["b", "a"]])


def test_inside_cross_validation() -> None:
    assert cross_val_score(GradientSearch(L2), MOONS, SIDES, cv=3).mean() > 0.85


def test_weights_are_routed_where_they_are_asked_for() -> None:
    with sklearn.config_context(enable_metadata_routing=True):
        inside = GradientSearch(SVC(slack="l2").set_fit_request(sample_weight=True))
        assert inside.get_metadata_routing().fit.requests["sample_weight"] is True
        own = GradientSearch(L2).set_fit_request(sample_weight=False)
        assert own.get_metadata_routing().fit.requests["sample_weight"] is False


def test_the_same_seed_gives_the_same_result() -> None:
    one, two = (
        GradientSearch(L2, "validation", starts=2, random_state=7).fit(MOONS, SIDES)
        for _ in range(2)
    )
    assert one.best_params_ == two.best_params_
    third = GradientSearch(L2, "validation", random_state=8).fit(MOONS, SIDES)
    assert third.best_params_ != one.best_params_
    object_ = ValidationError(seed=5)
    same = [GradientSearch(L2, object_, random_state=s).fit(MOONS, SIDES) for s in (0, 1)]
    assert same[0].best_params_ == same[1].best_params_


# ---- warnings


def test_a_limit_on_trainings_is_kept_and_said() -> None:
    with pytest.warns(sklearn.exceptions.ConvergenceWarning, match="max_trainings=4"):
        search = GradientSearch(L2, max_trainings=4, tol=1e-9).fit(MOONS, SIDES)
    assert search.n_trainings_ == 4
    folds = GradientSearch(SVC(), CrossValidation(folds=3), max_trainings=9, tol=1e-9)
    with pytest.warns(sklearn.exceptions.ConvergenceWarning, match="9 trainings"):
        folds.fit(MOONS, SIDES)
    assert folds.n_trainings_ == 9


def test_a_machine_that_tells_no_classes_apart_is_said() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 3)), (np.arange(80) < 20).astype(int)
    with pytest.warns(UserWarning, match=r"takes all training rows for class 0, of \[0, 1\]"):
        search = GradientSearch(SVC(C=0.1)).fit(X, y)
    # where the bound of linear slack goes with C
    small = Judge(RadiusMargin(), X, np.where(y == 1, 1.0, -1.0))(CSvm(1e-8), kernels.Rbf(0.3))
    assert small.value == pytest.approx(4 * 20 / 80, rel=1e-3)
    assert search.best_value_ <= small.value * 1.1


def noisy_classes(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, (X[:, 0] + X[:, 1] + rng.normal(size=n) > 0.9).astype(int)


def test_rows_left_out_keep_a_search_from_ending_with_one_class() -> None:
    (X, y), (X_other, y_other) = noisy_classes(200, 0), noisy_classes(1000, 1)
    with pytest.warns(UserWarning, match="takes all training rows"):
        alone = GradientSearch(SVC(), confirm=False).fit(X, y)
    search = GradientSearch(SVC()).fit(X, y)
    assert search.n_trainings_ == alone.n_trainings_
    assert search.best_value_ > alone.best_value_
    assert search.score(X_other, y_other) > alone.score(X_other, y_other) + 0.05
    error = search.trace_["left_out_error"]
    assert error[search.best_index_] < error[alone.best_index_]
    assert np.isnan(alone.trace_["left_out_error"]).all()


@pytest.mark.filterwarnings("ignore:GradientSearch stopped")
def test_errors_left_out_count_rows_not_places() -> None:
    X, y = noisy_classes(60, 0)
    rows = np.repeat(np.arange(60), 1 + np.arange(60) % 3)
    search = GradientSearch(SVC(), max_trainings=4)
    repeated = search.fit(X[rows], y[rows]).trace_["left_out_error"]
    weighted = search.fit(X, y, 1.0 + np.arange(60) % 3).trace_["left_out_error"]
    np.testing.assert_allclose(repeated, weighted)
    assert (np.abs(repeated * len(rows) - np.round(repeated * len(rows))) < 1e-9).all()


def test_many_rows_are_not_left_out(monkeypatch) -> None:
    monkeypatch.setattr("svsieve.estimators.gradient_search.CONFIRMED_ROWS", 100)
    search = GradientSearch(L2).fit(MOONS, SIDES)
    assert np.isnan(search.trace_["left_out_error"]).all()
    assert search.best_index_ == int(np.argmin(search.trace_["value"]))


# ---- refusals, before any computing


@pytest.mark.parametrize(
    ("message", "estimator", "options"),
    [
        ("'estimator' parameter of GradientSearch must be a classifier", 3, {}),
        ("must be a machine whose bias is not penalised", sklearn.svm.LinearSVC(), {}),
        ("'objective' parameter of GradientSearch must be one of", L2, {"objective": "loo"}),
        ("'weights' parameter of GradientSearch must be True or False", L2, {"weights": 1}),
        ("weights=True of GradientSearch needs svsieve.SVC", PeerSVC(), {"weights": True}),
        ("needs an objective with slopes", L2, {"weights": True, "objective": "cv"}),
        ("'shrink' parameter of GradientSearch must be a float", L2, {"shrink": -1.0}),
        ("'starts' parameter of GradientSearch must be an int", L2, {"starts": 0}),
        ("'max_trainings' parameter of GradientSearch must be", L2, {"max_trainings": 0.5}),
        ("'tol' parameter of GradientSearch must be a float", L2, {"tol": 0.0}),
        ("'bounds' parameter of GradientSearch must be None or a dict", L2, {"bounds": [1, 2]}),
        (r"bounds\[.C.\]. parameter of GradientSearch .* a pair", L2, {"bounds": {"C": 1.0}}),
        ("positive, finite and in order. Got", L2, {"bounds": {"C": (0.0, 1.0)}}),
        ("positive, finite and in order. Got", L2, {"bounds": {"C": (2.0, 1.0)}}),
        ("needs an estimator with a polynomial kernel", L2, {"degrees": [2]}),
        ("'degrees' parameter of GradientSearch must be None", L2, {"degrees": [0]}),
    ],
)
def test_refusals(message: str, estimator, options, no_computing) -> None:
    with pytest.raises(ValueError, match=message):
        GradientSearch(estimator, **options).fit(MOONS, SIDES)


def test_bounds_of_what_is_not_varied_are_refused() -> None:
    with pytest.raises(ValueError, match=r"bounds name 'coef0', which is not varied.*C, gamma"):
        GradientSearch(L2, bounds={"coef0": (0.0, 1.0)}).fit(MOONS, SIDES)
    with pytest.raises(ValueError, match=r"'gamma', which is not varied.*C, scale"):
        GradientSearch(L2, weights=True, bounds={"gamma": (0.1, 1.0)}).fit(MOONS, SIDES)
