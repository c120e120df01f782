"""SVMRFECV: what it chooses, and that its scores are those of machines fitted anew."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.feature_selection import RFECV
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC as PeerSVC
from sklearn.svm import LinearSVC

from svsieve import SVC, SVMRFE, SVMRFECV, rules, samplers, schedules, stopping


def table(n_classes=2, rows=80, columns=12, seed=0):
    return make_classification(
        n_samples=rows,
        n_features=columns,
        n_informative=5,
        n_redundant=2,
        n_classes=n_classes,
        n_clusters_per_class=1,
        flip_y=0.1,
        random_state=seed,
    )


def scores_anew(selector, machine, X, y, cv):
    """Held-out accuracy at every size of every fold, by machines fitted there."""
    splits = list(cv.split(X, y))
    return np.array(
        [
            [
                clone(machine).fit(X[train][:, kept], y[train]).score(X[test][:, kept], y[test])
                for kept in (np.sort(path.top(size)) for size in selector.curve_.sizes)
            ]
            for path, (train, test) in zip(selector.paths_, splits, strict=True)
        ]
    )


# --- agreement -------------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("step", [1, 3])
def test_the_same_as_rfecv(n_classes, step):
    X, y = table(n_classes, rows=90)
    machine = PeerSVC(kernel="linear", tol=1e-10)
    peer = RFECV(machine, step=step, cv=4, min_features_to_select=2).fit(X, y)
    ours = SVMRFECV(machine, step=step, cv=4, min_features_to_select=2).fit(X, y)
    for name in ("n_features", "mean_test_score", "std_test_score", "split3_test_score"):
        np.testing.assert_allclose(ours.cv_results_[name], peer.cv_results_[name], rtol=1e-12)
    assert ours.n_features_ == peer.n_features_
    np.testing.assert_array_equal(ours.support_, peer.support_)
    np.testing.assert_array_equal(ours.ranking_, peer.ranking_)
    np.testing.assert_array_equal(ours.predict(X), peer.predict(X))
    np.testing.assert_array_equal(ours.transform(X), peer.transform(X))


@pytest.mark.parametrize(
    "machine",
    [
        SVC(kernel="rbf", tol=1e-10),
        PeerSVC(kernel="poly", degree=2, coef0=1.0, gamma="auto", tol=1e-9),
        PeerSVC(class_weight="balanced", tol=1e-9),
        LinearSVC(tol=1e-10, max_iter=100_000),
        make_pipeline(StandardScaler(), SVC(gamma=0.1, tol=1e-10)),
    ],
    ids=str,
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_scores_are_those_of_machines_fitted_on_the_same_columns(machine, n_classes):
    X, y = table(n_classes)
    X += 0.5
    cv = StratifiedKFold(3)
    selector = SVMRFECV(machine, step=3, cv=cv).fit(X, y)
    expected = scores_anew(selector, machine, X, y, cv)
    np.testing.assert_allclose(selector.curve_.scores(), expected, rtol=1e-12)


def test_no_size_is_trained_for_the_sake_of_its_score(monkeypatch):
    """One program per size and elimination, and one more where each fold ends."""
    from svsieve.elimination.engines import kernel

    solved, plain = [], kernel.solve

    def counted(problem, *arguments, **options):
        solved.append(len(problem.lower))
        return plain(problem, *arguments, **options)

    monkeypatch.setattr(kernel, "solve", counted)
    X, y = table(columns=9)
    selector = SVMRFECV(SVC(gamma=0.1), cv=4).fit(X, y)
    sizes = len(selector.path_.sizes)
    assert len(selector.curve_.sizes) == sizes == 9
    assert sum(n == len(y) for n in solved) == sizes
    assert sum(n < len(y) for n in solved) <= 4 * (sizes + 1)


def test_paths_are_those_of_svmrfe_on_the_rows_of_each_fold():
    X, y = table()
    X *= np.linspace(0.1, 10.0, 12)
    machine = make_pipeline(StandardScaler(), SVC())
    selector = SVMRFECV(machine, step=2, cv=KFold(3)).fit(X, y)
    for path, (train, _) in zip(selector.paths_, KFold(3).split(X), strict=True):
        alone = SVMRFE(machine, step=2, n_features_to_select=1).fit(X[train], y[train]).path_
        assert path.same_ranking(alone)
        np.testing.assert_allclose(path.scores, alone.scores, rtol=1e-10)
    final = SVMRFE(machine, step=2, n_features_to_select=1).fit(X, y).path_
    assert selector.path_.same_ranking(final)


def test_the_scaler_never_sees_held_out_rows():
    X, y = table(rows=40)
    cv = KFold(2)
    machine = make_pipeline(StandardScaler(), SVC(kernel="linear"))
    before = SVMRFECV(machine, cv=cv).fit(X, y)
    (_, test) = next(iter(cv.split(X)))
    X[test[::2]] += 100.0  # held out in the first fold: its path must not notice
    after = SVMRFECV(machine, cv=cv).fit(X, y)
    assert before.paths_[0].same_ranking(after.paths_[0])
    np.testing.assert_array_equal(before.paths_[0].scores, after.paths_[0].scores)
    assert not before.paths_[1].same_ranking(after.paths_[1])


# --- choosing --------------------------------------------------------------------------------


def test_the_rule_chooses_from_the_curve():
    X, y = table()
    for rule in ("best", "one-se", "knee", rules.Tolerance(0.05), rules.AtMost(3)):
        selector = SVMRFECV(rule=rule, cv=4).fit(X, y)
        chosen = rules.resolve_rule(rule).choose(selector.curve_)
        assert selector.choice_ == chosen
        assert selector.n_features_ == chosen.size == selector.support_.sum()
        top = selector.path_.top(chosen.size)
        assert selector.support_[top].all()
        assert (selector.ranking_ == 1).sum() == chosen.size


def test_several_metrics():
    X, y = table()
    selector = SVMRFECV(scoring=["roc_auc", "accuracy"], cv=3).fit(X, y)
    assert selector.curve_.metrics == ["roc_auc", "accuracy"]
    assert selector.choice_ == rules.Best().choose(selector.curve_, "roc_auc")
    names = set(selector.cv_results_)
    assert {"n_features", "mean_test_roc_auc", "std_test_accuracy", "split2_test_accuracy"} <= names
    alone = SVMRFECV(scoring="accuracy", cv=3).fit(X, y)
    np.testing.assert_array_equal(
        selector.cv_results_["mean_test_accuracy"], alone.cv_results_["mean_test_score"]
    )


def test_curve_has_the_training_accuracy_where_it_is_known():
    X, y = table()
    selector = SVMRFECV(SVC(tol=1e-10), cv=KFold(3), step=4).fit(X, y)
    train = selector.curve_.train["accuracy"]
    for path, (rows, _), found in zip(selector.paths_, KFold(3).split(X), train, strict=True):
        for size, accuracy in zip(selector.curve_.sizes, found, strict=True):
            kept = np.sort(path.top(size))
            machine = SVC(tol=1e-10).fit(X[rows][:, kept], y[rows])
            assert accuracy == pytest.approx(machine.score(X[rows][:, kept], y[rows]), abs=0.02)
    assert selector.curve_.chance == max(np.bincount(y)) / len(y)
    assert selector.curve_.n_columns == 12
    assert SVMRFECV(scoring="roc_auc", cv=3).fit(X, y).curve_.train is None
    assert SVMRFECV(cv=3).fit(*table(3)).curve_.train is None


def test_select_chooses_again_without_ranking_again(monkeypatch):
    X, y = table()
    selector = SVMRFECV(SVC(kernel="linear"), step=2, cv=3).fit(X, y)
    path, curve = selector.path_, selector.curve_

    def walked(*given, **options):
        raise AssertionError("columns were eliminated again")

    monkeypatch.setattr("svsieve.elimination.loop.walk", walked)
    monkeypatch.setattr("svsieve.selection.folds.walk", walked)
    for size in (1, 4, 5, 12):  # 5 is between two sizes of the curve
        assert selector.select(size) is selector
        assert selector.n_features_ == size == selector.choice_.size
        np.testing.assert_array_equal(np.flatnonzero(selector.support_), np.sort(path.top(size)))
        expected = SVC(kernel="linear").fit(X[:, selector.support_], y)
        np.testing.assert_array_equal(
            selector.predict(X), expected.predict(X[:, selector.support_])
        )
        assert (selector.ranking_ == 1).sum() == size
        masks = [np.isin(np.arange(12), one.top(size)) for one in selector.paths_]
        np.testing.assert_allclose(selector.stability_.frequency, np.mean(masks, axis=0))
    assert selector.path_ is path
    assert selector.curve_ is curve
    assert selector.select("one-se").choice_ == rules.OneStandardError().choose(curve)
    assert selector.select(rules.AtMost(3)).n_features_ <= 3


def test_ranks_at_any_size():
    X, y = table()
    selector = SVMRFECV(step=5, cv=3).fit(X, y)
    assert selector.path_.sizes.tolist() == [12, 7, 2, 1]
    for size, ranks in ((12, [12]), (7, [7, 5]), (5, [5, 2, 5]), (2, [2, 5, 5]), (1, [1, 1, 5, 5])):
        selector.select(size)
        assert np.bincount(selector.ranking_)[1:].tolist() == ranks
    np.testing.assert_array_equal(selector.ranking_, selector.path_.ranking())


def test_select_refuses_what_is_not_there():
    X, y = table()
    with pytest.raises(NotFittedError):
        SVMRFECV().select(3)
    selector = SVMRFECV(min_features_to_select=4, cv=3).fit(X, y)
    for size in (3, 13):
        with pytest.raises(ValueError, match=r"from 4, at which the elimination ended, to 12"):
            selector.select(size)
    with pytest.raises(ValueError, match=r"'choice' parameter of SVMRFECV.select must be an int"):
        selector.select(2.5)
    with pytest.raises(ValueError, match=r"'rule' parameter of SVMRFECV.select"):
        selector.select("worst")


def test_pickles_do_not_carry_the_training_rows():
    X, y = table()
    selector = SVMRFECV(cv=3).fit(X, y, sample_weight=np.arange(80) % 3)
    again = pickle.loads(pickle.dumps(selector))
    np.testing.assert_array_equal(again.predict(X), selector.predict(X))
    with pytest.raises(ValueError, match=r"loaded without them\. Give them again: select\(choice"):
        again.select(4)
    with pytest.raises(ValueError, match="needs y where it is given X"):
        again.select(4, X)
    with pytest.raises(ValueError, match=r"one label for each of the 80 rows of X\. Got 5"):
        again.select(4, X, y[:5])
    again.select(4, X, y, sample_weight=np.arange(80) % 3)
    np.testing.assert_array_equal(again.predict(X), selector.select(4).predict(X))
    again.select(4, X, y)
    np.testing.assert_array_equal(again.support_, selector.support_)


def test_stability_of_the_folds():
    X, y = table()
    selector = SVMRFECV(cv=4).fit(X, y)
    masks = [np.isin(np.arange(12), path.top(selector.n_features_)) for path in selector.paths_]
    np.testing.assert_allclose(selector.stability_.frequency, np.mean(masks, axis=0))
    one = SVMRFECV(cv=ShuffleSplit(1, random_state=0)).fit(X, y)
    assert one.stability_ is None
    assert one.curve_.n_folds == 1


# --- parts -----------------------------------------------------------------------------------


def test_columns_that_stay():
    X, y = table()
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(12)])
    worst = SVMRFE(n_features_to_select=1).fit(X, y).path_.order[-2:]
    selector = SVMRFECV(keep=[f"c{j}" for j in worst], cv=3).fit(frame, y)
    assert selector.support_[worst].all()
    assert selector.curve_.sizes[0] == 2
    assert all(np.isin(worst, path.top(2)).all() for path in selector.paths_)
    assert selector.path_.column_names == selector.paths_[0].column_names == tuple(frame.columns)
    assert selector.get_feature_names_out().tolist() == [
        name for name, on in zip(frame.columns, selector.support_, strict=True) if on
    ]


def test_the_least_number_of_columns():
    X, y = table()
    selector = SVMRFECV(min_features_to_select=5, cv=3).fit(X, y)
    assert selector.curve_.sizes.tolist() == list(range(5, 13))
    with pytest.warns(UserWarning, match="50 > n_features=12: no column of X is dropped"):
        everything = SVMRFECV(min_features_to_select=50, cv=3).fit(X, y)
    assert everything.curve_.sizes.tolist() == [12]
    assert everything.support_.all()


@pytest.mark.parametrize(
    "options",
    [
        {"step": schedules.Entropy(below=5)},
        {"stop": stopping.WhenScoreAbove(0.02, relative=True)},
        {"stop": stopping.AtSize(4)},
        {"spare": 0.5, "step": 4},
    ],
    ids=str,
)
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_sizes_that_depend_on_the_scores(options, kernel):
    X, y = table(columns=20)
    machine = SVC(kernel=kernel, tol=1e-10)
    cv = StratifiedKFold(3)
    selector = SVMRFECV(machine, cv=cv, **options).fit(X, y)
    np.testing.assert_array_equal(selector.curve_.sizes, selector.path_.sizes[::-1])
    expected = scores_anew(selector, machine, X, y, cv)
    np.testing.assert_allclose(selector.curve_.scores(), expected, rtol=1e-12)


@pytest.mark.parametrize("sampler", [0.6, samplers.Bootstrap(3)])
def test_draws_follow_the_seed(sampler):
    X, y = table()
    fits = [
        SVMRFECV(SVC(), sampler=sampler, random_state=seed, step=3, cv=3).fit(X, y)
        for seed in (0, 0, 1)
    ]
    np.testing.assert_array_equal(fits[0].curve_.scores(), fits[1].curve_.scores())
    assert not np.array_equal(fits[0].curve_.scores(), fits[2].curve_.scores())
    seeds = {path.notes["seed"] for path in (fits[0].path_, *fits[0].paths_)}
    assert len(seeds) == 4
    assert fits[0].curve_.train is None


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_side_by_side(backend):
    import joblib

    X, y = table(3)
    alone = SVMRFECV(SVC(), step=2, cv=3).fit(X, y)
    with joblib.parallel_backend(backend):
        together = SVMRFECV(SVC(), step=2, cv=3, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(alone.curve_.scores(), together.curve_.scores())
    assert alone.path_.same_ranking(together.path_)


def test_progress_is_told(capsys):
    X, y = table()
    SVMRFECV(cv=3, progress=True).fit(X, y)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.splitlines()[-1] == f"[{'#' * 24}] 4 of 4 eliminations, 0 s"
    SVMRFECV(cv=3).fit(X, y)
    assert capsys.readouterr().err == ""


# --- rows ------------------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", [SVC(kernel="linear"), SVC(gamma=0.1), LinearSVC()], ids=str)
def test_sparse_rows_give_the_same(estimator):
    X, y = table()
    X[np.abs(X) < 0.6] = 0.0
    dense = SVMRFECV(estimator, cv=3).fit(X, y)
    thin = SVMRFECV(estimator, cv=3).fit(sparse.csr_array(X), y)
    np.testing.assert_array_equal(dense.curve_.scores(), thin.curve_.scores())
    np.testing.assert_array_equal(dense.support_, thin.support_)


@pytest.mark.parametrize("scoring", ["accuracy", "balanced_accuracy", "roc_auc", "f1"])
def test_weights_count_rows_on_both_sides(scoring):
    X, y = table(rows=60)
    counts = np.random.default_rng(1).integers(0, 4, 60)
    fold = np.arange(60) % 3
    splits = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(3)]
    again = np.repeat(fold, counts)
    repeated_splits = [(np.flatnonzero(again != k), np.flatnonzero(again == k)) for k in range(3)]
    weighted = SVMRFECV(scoring=scoring, cv=splits).fit(X, y, sample_weight=counts)
    repeated = SVMRFECV(scoring=scoring, cv=repeated_splits).fit(
        np.repeat(X, counts, axis=0), np.repeat(y, counts)
    )
    np.testing.assert_allclose(weighted.curve_.scores(), repeated.curve_.scores(), rtol=1e-10)
    np.testing.assert_array_equal(weighted.support_, repeated.support_)
    plain = SVMRFECV(scoring=scoring, cv=splits).fit(X, y)
    assert not np.allclose(weighted.curve_.scores(), plain.curve_.scores())


def test_groups_go_to_the_splitter():
    X, y = table()
    groups = np.arange(80) // 8
    selector = SVMRFECV(cv=GroupKFold(5)).fit(X, y, groups=groups)
    expected = SVMRFECV(cv=list(GroupKFold(5).split(X, y, groups))).fit(X, y)
    np.testing.assert_array_equal(selector.curve_.scores(), expected.curve_.scores())
    with pytest.raises(ValueError, match="groups"):
        SVMRFECV(cv=GroupKFold(5)).fit(X, y)


def test_routing_hands_on_groups_and_weights():
    X, y = table()
    groups, weights = np.arange(80) // 8, np.where(np.arange(80) < 60, 1.0, 0.5)
    expected = SVMRFECV(cv=GroupKFold(5)).fit(X, y, sample_weight=weights, groups=groups)
    with sklearn.config_context(enable_metadata_routing=True):
        selector = SVMRFECV(cv=GroupKFold(5)).set_fit_request(sample_weight=True)
        pipeline = make_pipeline(selector).fit(X, y, groups=groups, sample_weight=weights)
        plain = make_pipeline(SVMRFECV(cv=GroupKFold(5))).fit(X, y, groups=groups)
        with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError, match="sample_weight"):
            make_pipeline(SVMRFECV(cv=GroupKFold(5))).fit(
                X, y, groups=groups, sample_weight=weights
            )
    assert pipeline[-1].path_.same_ranking(expected.path_)
    np.testing.assert_array_equal(
        plain[-1].curve_.scores(),
        SVMRFECV(cv=GroupKFold(5)).fit(X, y, groups=groups).curve_.scores(),
    )


def test_a_class_that_a_fold_does_not_train_on():
    X, y = table(3)
    order = np.argsort(y, kind="stable")
    X, y = X[order], np.array(["ash", "beech", "cedar"])[y[order]]
    machine = SVC(kernel="linear", class_weight={"ash": 2.0, "cedar": 0.5})
    selector = SVMRFECV(machine, cv=KFold(3)).fit(X, y)
    assert selector.curve_.scores().shape == (3, 12)
    assert selector.curve_.scores()[0].max() < 0.3


# --- refusals --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rule": "worst"}, r"'rule' parameter of SVMRFECV must be one of 'best'"),
        ({"rule": rules.Best}, r"'rule' parameter of SVMRFECV"),
        ({"scoring": "accurate"}, r"'scoring' parameter of SVMRFECV"),
        ({"min_features_to_select": 0}, r"'min_features_to_select' parameter of SVMRFECV"),
        ({"min_features_to_select": 0.5}, r"'min_features_to_select' parameter of SVMRFECV"),
        ({"step": 0}, r"'step' parameter of SVMRFECV"),
        ({"criterion": "height"}, r"'criterion' parameter of SVMRFECV"),
        ({"progress": "yes"}, r"'progress' parameter of SVMRFECV"),
        ({"cv": []}, r"'cv' parameter of SVMRFECV must be a way to make at least one fold"),
        ({"cv": 1}, r"n_splits"),
        ({"estimator": PeerSVC(kernel="sigmoid")}, r"'kernel' parameter of SVC"),
        ({"estimator": "svc"}, r"'estimator' parameter of SVMRFECV"),
    ],
)
def test_refused_before_anything_is_computed(options, message, monkeypatch):
    def computed(*given, **options):
        raise AssertionError("something was computed before the refusal")

    monkeypatch.setattr("svsieve.estimators.eliminations.trace", computed)
    monkeypatch.setattr("svsieve.estimators.eliminations.run_fold", computed)
    with pytest.raises(ValueError, match=message):
        SVMRFECV(**options).fit(*table())


def test_folds_that_cannot_be_trained_on():
    X, y = table(rows=20)
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    with pytest.raises(ValueError, match=r"Fold 1 of the cross-validation is trained on one class"):
        SVMRFECV(cv=[(np.flatnonzero(y == 1), np.flatnonzero(y == 0))]).fit(X, y)
    weights = np.where(np.arange(20) < 2, 0.0, 1.0)
    splits = [(np.arange(2, 20), np.arange(2))]
    with pytest.raises(ValueError, match=r"Fold 1 of the cross-validation holds out no rows"):
        SVMRFECV(cv=splits).fit(X, y, sample_weight=weights)
    with pytest.raises(ValueError, match=r"Fold 1 of the cross-validation is trained on no rows"):
        SVMRFECV(cv=[splits[0][::-1]]).fit(X, y, sample_weight=weights)


def test_a_transformer_that_makes_other_columns_is_named():
    from sklearn.decomposition import PCA

    X, y = table()
    with pytest.raises(ValueError, match=r"Step 'pca' of the pipeline, PCA, makes other columns"):
        SVMRFECV(make_pipeline(PCA(3), SVC())).fit(X, y)


@pytest.mark.filterwarnings("ignore:SVC stopped:sklearn.exceptions.ConvergenceWarning")
def test_steps_that_do_not_converge_are_told():
    X, y = table()
    with pytest.warns(ConvergenceWarning, match=r"SVMRFECV: \d+ of \d+ fits did not converge"):
        SVMRFECV(SVC(max_iter=3), cv=2, step=4).fit(X * 100, y)


# --- company ---------------------------------------------------------------------------------


def test_it_is_a_classifier_and_a_selector():
    X, y = table()
    assert is_classifier(SVMRFECV())
    assert cross_val_score(SVMRFECV(cv=3, step=3), X, y, cv=3).mean() > 0.6
    model = make_pipeline(StandardScaler(), SVMRFECV(cv=3, step=3), SVC())
    assert cross_val_score(model, X, y, cv=3).mean() > 0.6
    copy = clone(SVMRFECV(rule=rules.Tolerance(0.1), cv=KFold(4)))
    assert copy.rule == rules.Tolerance(0.1)
    assert copy.get_params()["cv"].n_splits == 4
    assert "n_features_to_select" not in copy.get_params()


def test_masks_as_splits():
    X, y = table()
    held_out = np.arange(80) % 4 == 0
    by_mask = SVMRFECV(cv=[(~held_out, held_out)]).fit(X, y)
    by_number = SVMRFECV(cv=[(np.flatnonzero(~held_out), np.flatnonzero(held_out))]).fit(X, y)
    np.testing.assert_array_equal(by_mask.curve_.scores(), by_number.curve_.scores())
