"""Scores of rankings at any sizes: the same as from fitting anew, whatever is done to avoid it."""

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_wine, make_classification, make_regression
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge
from sklearn.metrics import accuracy_score, get_scorer, make_scorer
from sklearn.model_selection import GroupKFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, Normalizer, StandardScaler
from sklearn.svm import SVC as PeerSVC
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from svsieve import SVC, SVMRFE
from svsieve.elimination import Path
from svsieve.kernels import Laplace, Linear, PerFeature, Rbf
from svsieve.selection.validation import validate

SIZES = [1, 2, 5, 6, 11, 20]
ORDER = np.random.default_rng(0).permutation(20)


def two_classes(n=90, d=20, seed=0, classes=2):
    X, y = make_classification(
        n, d, n_informative=6, n_classes=classes, flip_y=0.1, random_state=seed
    )
    return X, np.array(["ox", "cat", "owl"])[y]


def plain(order, estimator, X, y, *, sizes, cv, scoring=("accuracy",), weights=None, name=None):
    """Held-out and training scores by clone, fit and score: metric -> (folds, sizes)."""
    tables = []
    for part in (1, 0):
        table = {metric: np.empty((0, len(sizes))) for metric in scoring}
        for split in cv.split(X, y):
            rows = []
            for size in sizes:
                columns = np.sort(np.asarray(order)[:size])
                given = {} if weights is None else {name: weights[split[0]]}
                model = clone(estimator).fit(X[split[0]][:, columns], y[split[0]], **given)
                Z = X[split[part]][:, columns]
                rows.append([get_scorer(m)(model, Z, y[split[part]]) for m in scoring])
            for at, metric in enumerate(scoring):
                table[metric] = np.vstack([table[metric], np.array(rows)[:, at]])
        tables.append(table)
    return tables


def assert_same(curve, tables):
    for metric, table in tables[0].items():
        np.testing.assert_allclose(curve.held_out[metric], table, atol=1e-12)
    for metric, table in tables[1].items():
        # The decision values of support vectors on the margin are equal: rounding orders them.
        ordered = metric in ("roc_auc", "average_precision")
        np.testing.assert_allclose(curve.train[metric], table, atol=2e-3 if ordered else 1e-12)


def refuse_to_fit(*args, **kwargs):
    raise AssertionError("the estimator was fitted anew")


FOLLOWED = {
    "linear": SVC(kernel="linear"),
    "rbf": SVC(kernel="rbf"),
    "rbf, hard margin": SVC(kernel="rbf", slack="l2", C=np.inf, gamma=1.0),
    "poly, squared slack": SVC(kernel="poly", degree=2, coef0=1.0, slack="l2"),
    "laplace": SVC(kernel="laplace", C=3.0),
    "sum of kernels": SVC(kernel=Rbf(gamma=PerFeature(1.0)) + Laplace(gamma=0.1)),
    "balanced": SVC(class_weight="balanced"),
    "weights of classes": SVC(class_weight={"cat": 5.0}),
    "scikit-learn": PeerSVC(tol=1e-9),
    "scikit-learn poly": PeerSVC(kernel="poly", tol=1e-9, class_weight="balanced"),
    "scaled": make_pipeline(StandardScaler(), "passthrough", SVC()),
    "scaled, scikit-learn": make_pipeline(MaxAbsScaler(), PeerSVC(kernel="linear", tol=1e-9)),
    "liblinear": LinearSVC(tol=1e-10, dual=False),
    "scaled, liblinear": make_pipeline(StandardScaler(), LinearSVC(tol=1e-10, dual=False, C=9.0)),
}


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", FOLLOWED)
def test_followed_machines_score_as_those_fitted_anew(name, classes, monkeypatch):
    X, y = two_classes(classes=classes)
    metrics = ["accuracy", "roc_auc"] if classes == 2 else ["accuracy", "f1_macro"]
    cv = StratifiedKFold(3)
    sizes = [6, 11, 20] if "hard margin" in name else SIZES
    estimator = FOLLOWED[name]
    expected = plain(ORDER, estimator, X, y, sizes=sizes, cv=cv, scoring=metrics)
    for kind in (SVC, PeerSVC, LinearSVC):
        monkeypatch.setattr(kind, "fit", refuse_to_fit)
    curve = validate(ORDER, estimator, X, y, cv=cv, sizes=sizes, scoring=metrics)
    assert_same(curve, expected)
    assert curve.metrics == metrics
    assert curve.sizes.tolist() == sizes
    assert curve.n_columns == 20


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "estimator",
    [
        LinearSVC(tol=1e-10, max_iter=100_000, random_state=0),
        LinearSVC(tol=1e-10, intercept_scaling=3.0, class_weight="balanced", random_state=0),
        LinearSVC(tol=1e-10, fit_intercept=False, random_state=0),
        SVC(kernel="linear", tol=1e-9),
        SVC(kernel="linear", slack="l2", tol=1e-9),
    ],
    ids=repr,
)
def test_linear_machines_on_many_rows(estimator, classes, monkeypatch):
    X, y = two_classes(n=760, classes=classes)
    cv, sizes = StratifiedKFold(3), [1, 4, 20]
    expected = plain(ORDER, estimator, X, y, sizes=sizes, cv=cv)
    monkeypatch.setattr(type(estimator), "fit", refuse_to_fit)
    curve = validate(ORDER, estimator, X, y, cv=cv, sizes=sizes)
    # a row on the border may fall on either side
    for found, tables in ((curve.held_out, expected[0]), (curve.train, expected[1])):
        np.testing.assert_allclose(found["accuracy"], tables["accuracy"], atol=1.5 / 250)


def test_weights_of_the_columns_follow_the_columns():
    X, y = two_classes()
    weights = np.linspace(0.1, 3.0, 20)
    cv = StratifiedKFold(3)
    for kernel in (Linear(weights=tuple(weights)), Rbf(gamma="scale", weights=tuple(weights))):
        for scoring in ("accuracy", lambda model, Z, y: model.score(Z, y)):
            curve = validate(ORDER, SVC(kernel=kernel), X, y, cv=cv, sizes=[1, 7], scoring=scoring)
            for fold, (train, test) in enumerate(cv.split(X, y)):
                for at, size in enumerate([1, 7]):
                    columns = np.sort(ORDER[:size])
                    own = type(kernel)(**vars(kernel) | {"weights": tuple(weights[columns])})
                    model = SVC(kernel=own).fit(X[train][:, columns], y[train])
                    expected = model.score(X[test][:, columns], y[test])
                    assert curve.scores()[fold, at] == pytest.approx(expected)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_sparse_rows(kernel):
    X, y = two_classes()
    X[X < 0.5] = 0.0
    dense = validate(ORDER, SVC(kernel=kernel), X, y, cv=3, sizes=SIZES)
    thin = validate(ORDER, SVC(kernel=kernel), sparse.csc_array(X), y, cv=3, sizes=SIZES)
    np.testing.assert_allclose(thin.scores(), dense.scores())


@pytest.mark.parametrize(
    ("estimator", "name"),
    [
        (SVC(), "sample_weight"),
        (PeerSVC(tol=1e-9), "sample_weight"),
        (DecisionTreeClassifier(random_state=0), "sample_weight"),
        (make_pipeline(MaxAbsScaler(), SVC()), "svc__sample_weight"),
    ],
)
def test_weights_of_rows_are_for_training(estimator, name):
    X, y = two_classes()
    weights = np.random.default_rng(1).uniform(0.1, 3.0, len(y))
    cv = StratifiedKFold(3)
    options = {"cv": cv, "sizes": [2, 9]}
    curve = validate(ORDER, estimator, X, y, sample_weight=weights, **options)
    assert_same(curve, plain(ORDER, estimator, X, y, **options, weights=weights, name=name))
    weights[::7] = 0.0
    curve = validate(ORDER, estimator, X, y, sample_weight=weights, **options)
    assert_same(curve, plain(ORDER, estimator, X, y, **options, weights=weights, name=name))


def test_a_class_without_weight_is_refused_in_the_words_of_the_machine():
    X, y = two_classes()
    with pytest.raises(ValueError, match="Every class needs a row of positive weight"):
        validate(ORDER, SVC(), X, y, cv=3, sizes=[2], sample_weight=(y == "ox").astype(float))


def test_scalers_are_given_the_weights_of_rows():
    X, y = two_classes()
    weights = np.random.default_rng(1).uniform(0.1, 3.0, len(y))
    (train, test), *_ = splits = list(StratifiedKFold(3).split(X, y))
    estimator = make_pipeline(StandardScaler(), SVC())
    curve = validate(ORDER, estimator, X, y, cv=splits, sizes=[7], sample_weight=weights)
    given = {"standardscaler__sample_weight": weights[train], "svc__sample_weight": weights[train]}
    columns = ORDER[:7]
    model = clone(estimator).fit(X[train][:, columns], y[train], **given)
    assert curve.scores()[0, 0] == model.score(X[test][:, columns], y[test])


@pytest.mark.parametrize(
    "estimator",
    [
        KNeighborsClassifier(),
        DecisionTreeClassifier(random_state=0),
        PeerSVC(kernel="sigmoid"),
        PeerSVC(max_iter=10**6),
        make_pipeline(Normalizer(), SVC()),  # rows are scaled by the columns that are there
        LinearSVC(loss="hinge", C=0.01, random_state=0),  # so few rows that nothing is gained
    ],
    ids=repr,
)
def test_any_other_estimator_is_fitted_anew(estimator):
    X, y = two_classes(classes=3)
    cv = StratifiedKFold(3)
    curve = validate(ORDER, estimator, X, y, cv=cv, sizes=[2, 20])
    assert_same(curve, plain(ORDER, estimator, X, y, cv=cv, sizes=[2, 20]))


class Contrary(SVC):
    def predict(self, X):
        return self.classes_[(super().predict(X) == self.classes_[0]).astype(int)]


def test_a_machine_with_methods_of_its_own_is_asked_itself():
    X, y = two_classes()
    straight = validate(ORDER, SVC(), X, y, sizes=[20]).scores()
    contrary = validate(ORDER, Contrary(), X, y, sizes=[20]).scores()
    np.testing.assert_allclose(contrary, 1.0 - straight)


def test_regression():
    X, y = make_regression(60, 8, random_state=0)
    curve = validate(range(8), Ridge(), X, y, sizes=[1, 8], scoring="r2")
    assert curve.chance is None
    assert curve.mean()[1] > 0.99 > curve.mean()[0]


# ---- rankings


def test_a_path_is_scored_at_the_sizes_it_visits():
    X, y = two_classes()
    path = SVMRFE(SVC(kernel="linear"), n_features_to_select=1, step=6).fit(X, y).path_
    curve = validate(path, SVC(), X, y)
    assert curve.sizes.tolist() == sorted(path.sizes.tolist()) == [1, 2, 8, 14, 20]
    np.testing.assert_array_equal(
        curve.scores(), validate(path.order, SVC(), X, y, sizes=path.sizes).scores()
    )
    assert validate(path.order, SVC(), X, y, cv=2).sizes.tolist() == list(range(1, 21))


def test_a_filter_is_a_ranking_too():
    X, y = two_classes()
    path = Path.from_scores(np.abs(X[y == "ox"].mean(axis=0) - X[y == "cat"].mean(axis=0)))
    assert validate(path, SVC(), X, y, sizes=[3, 20]).mean()[0] > 0.6


def test_some_columns_can_be_ranked_alone():
    X, y = two_classes()
    curve = validate([3, 1, 4], SVC(), X, y)
    assert curve.sizes.tolist() == [1, 2, 3]
    assert curve.n_columns == 20
    np.testing.assert_array_equal(
        curve.scores(), validate([0, 1, 2], SVC(), X[:, [3, 1, 4]], y).scores()
    )


def test_one_ranking_per_fold():
    X, y = two_classes()
    cv = StratifiedKFold(3)
    rankings = [ORDER, ORDER[::-1], [5, 2, 7]]
    curve = validate(rankings, SVC(), X, y, cv=cv, sizes=[1, 3])
    for fold, ranking in enumerate(rankings):
        alone = validate(ranking, SVC(), X, y, cv=cv, sizes=[1, 3])
        np.testing.assert_array_equal(curve.scores()[fold], alone.scores()[fold])
    assert validate(rankings, SVC(), X, y, cv=cv).sizes.tolist() == [1, 2, 3]


def test_the_order_of_the_sizes_does_not_matter():
    X, y = two_classes(n=260)  # so many rows that solutions are not polished
    forth = validate(ORDER, SVC(C=10), X, y, sizes=SIZES)
    back = validate(ORDER, SVC(C=10), X, y, sizes=[*SIZES[::-1], 5])
    assert back.sizes.tolist() == SIZES
    np.testing.assert_array_equal(forth.scores(), back.scores())
    for at, size in enumerate(SIZES):
        alone = validate(ORDER, SVC(C=10), X, y, sizes=[size])
        np.testing.assert_allclose(alone.scores()[:, 0], forth.scores()[:, at])


# ---- scoring


def test_several_metrics():
    X, y = two_classes()
    y = (y == "ox").astype(int)
    names = ["balanced_accuracy", "roc_auc", "average_precision", "accuracy"]
    curve = validate(ORDER, SVC(), X, y, cv=3, sizes=[2, 9], scoring=names)
    cv = StratifiedKFold(3)
    assert_same(curve, plain(ORDER, SVC(), X, y, cv=cv, sizes=[2, 9], scoring=names))
    assert curve.metrics == names
    loss = make_scorer(lambda a, b: 1 - accuracy_score(a, b), greater_is_better=False)
    scoring = {"right": "accuracy", "wrong": loss}
    for estimator in (SVC(), KNeighborsClassifier()):
        curve = validate(ORDER, estimator, X, y, cv=3, sizes=[2, 9], scoring=scoring)
        np.testing.assert_allclose(curve.held_out["right"] - 1, curve.held_out["wrong"])


def test_a_function_sees_the_fitted_estimator():
    X, y = two_classes()

    def width(estimator, Z, labels):
        return estimator.n_features_in_ + Z.shape[1] / 100

    curve = validate(ORDER, SVC(), X, y, sizes=[2, 9], scoring=width)
    assert curve.metrics == ["width"]
    np.testing.assert_allclose(curve.mean(), [2.02, 9.09])
    curve = validate(
        ORDER, SVC(), X, y, sizes=[2], scoring=lambda model, Z, labels: {"a": 1.0, "b": 2.0}
    )
    assert curve.metrics == ["a", "b"]


def test_the_score_of_the_estimator_itself():
    X, y = two_classes()
    own = validate(ORDER, SVC(), X, y, sizes=[2, 9], scoring=None)
    assert own.metrics == ["score"]
    np.testing.assert_array_equal(own.mean(), validate(ORDER, SVC(), X, y, sizes=[2, 9]).mean())


def test_training_scores_can_be_left_out():
    X, y = two_classes()
    for estimator in (SVC(), KNeighborsClassifier()):
        curve = validate(ORDER, estimator, X, y, sizes=[2], return_train_score=False)
        assert curve.train is None


def test_chance_is_the_share_of_the_largest_class():
    X, y = load_wine(return_X_y=True)
    assert validate([0, 1], SVC(), X, y, sizes=[2]).chance == pytest.approx(71 / 178)


# ---- rows


def test_groups_stay_together():
    X, y = two_classes()
    groups = np.repeat(np.arange(30), 3)
    cv = GroupKFold(3)
    curve = validate(ORDER, SVC(), X, y, cv=cv, groups=groups, sizes=[9])
    splits = list(cv.split(X, y, groups))
    np.testing.assert_array_equal(
        curve.scores(), validate(ORDER, SVC(), X, y, cv=splits, sizes=[9]).scores()
    )


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_folds_at_the_same_time(backend):
    X, y = two_classes()
    alone = validate(ORDER, SVC(), X, y, sizes=SIZES)
    with parallel_config(backend=backend):
        together = validate(ORDER, SVC(), X, y, sizes=SIZES, n_jobs=2)
    np.testing.assert_array_equal(alone.scores(), together.scores())


@pytest.mark.parametrize("estimator", [SVC(), make_pipeline(StandardScaler(), SVC())])
def test_data_frames(estimator):
    X, y = two_classes()
    frame = pd.DataFrame(X, columns=[f"gene {j}" for j in range(20)])
    expected = validate(ORDER, estimator, X, y, sizes=[3, 9]).scores()
    for scoring in ("accuracy", lambda model, Z, labels: model.score(Z, labels)):
        curve = validate(ORDER, estimator, frame, pd.Series(y), sizes=[3, 9], scoring=scoring)
        np.testing.assert_allclose(curve.scores(), expected)


def test_a_class_may_be_missing_from_a_fold():
    X, y = two_classes(n=90, classes=3)
    rare = np.flatnonzero(y == "owl")
    splits = [(np.setdiff1d(np.arange(90), rare), rare), (np.arange(60), np.arange(60, 90))]
    estimator = SVC(class_weight={"owl": 2.0, "cat": 3.0})
    curve = validate(ORDER, estimator, X, y, cv=splits, sizes=[4])
    assert curve.scores()[0, 0] == 0.0


def test_what_did_not_converge_is_said():
    X, y = two_classes()
    with pytest.warns(ConvergenceWarning, match="SVC did not converge at some sizes; the largest"):
        validate(ORDER, SVC(C=100, tol=1e-300), X, y, sizes=[3], cv=2)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"path": []}, "path must name at least one column"),
        ({"path": [0, 20]}, r"path holds 20, which is not in \[0, 20\)"),
        ({"path": [0, 3, 0]}, "path holds 0 twice"),
        ({"path": [0.5, 1.5]}, "whole numbers"),
        ({"path": [ORDER, ORDER]}, "one for each of 5 folds. Got 2"),
        ({"path": Path.from_scores([1.0, 2.0])}, "path ranks 2 columns, X has 20"),
        ({"sizes": [0, 3]}, r"sizes must be from 1 to 20, the columns ranked. Got \[0, 3\]"),
        ({"sizes": [21]}, "sizes must be from 1 to 20"),
        ({"sizes": []}, "sizes must be from 1 to 20"),
        ({"sizes": [1.5]}, "whole numbers"),
        ({"sample_weight": [1.0]}, "sample_weight must have 90 entries"),
        ({"sample_weight": -np.ones(90)}, "not negative. Row 0 has -1"),
        (
            {"sample_weight": np.ones(90), "estimator": KNeighborsClassifier()},
            "KNeighborsClassifier takes no sample_weight",
        ),
        ({"scoring": []}, "at least one metric"),
        ({"scoring": "speed"}, "'speed'"),
        ({"estimator": SVC(C=-1)}, "'C' parameter of SVC"),
        ({"y": np.linspace(0, 1, 90)}, "Unknown label type"),
        ({"X": np.full((90, 20), np.nan)}, "NaN"),
        ({"estimator": SVC(class_weight={"dog": 2.0})}, "names the class 'dog'"),
        (
            {"cv": [(np.arange(3), np.arange(3, 90))], "y": ["a"] * 45 + ["b"] * 45},
            "only class 'a'",
        ),
    ],
)
def test_refusals(changed, message):
    X, y = two_classes()
    given = {"path": ORDER, "estimator": SVC(), "X": X, "y": y} | changed
    arguments = [given.pop(name) for name in ("path", "estimator", "X", "y")]
    with pytest.raises(ValueError, match=message):
        validate(*arguments, **given)


@pytest.mark.parametrize(("estimator", "shown"), [(None, "None"), ("svc", "'svc'"), (SVC, "SVC")])
def test_what_cannot_be_fitted_is_refused(estimator, shown):
    X, y = two_classes()
    with pytest.raises(TypeError, match=rf"'estimator' parameter of validate .* Got {shown} inst"):
        validate(ORDER, estimator, X, y)


def test_a_path_that_is_not_finished_has_no_order_below_its_last_size():
    X, y = two_classes()
    path = SVMRFE(SVC(kernel="linear"), n_features_to_select=6, step=7).fit(X, y).path_
    values = {name: getattr(path, name) for name in vars(path)}
    partial = Path(**values | {"stopped": "running", "survivor_scores": np.full(6, np.nan)})
    assert validate(partial, SVC(), X, y).sizes.tolist() == [6, 13, 20]
    with pytest.raises(ValueError, match=r"order of its last 6 columns is not known.*Got 2"):
        validate(partial, SVC(), X, y, sizes=[2])
    assert validate(path, SVC(), X, y, sizes=[2]).sizes.tolist() == [2]
