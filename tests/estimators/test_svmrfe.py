"""What SVMRFE selects: sizes, steps, kept columns, stops, samplers, classes, forms of the table."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC as PeerSVC
from sklearn.svm import LinearSVC

from svsieve import SVC, SVMRFE, criteria, samplers, schedules, stopping


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


# --- what is selected ------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "expected"), [(None, 6), (5, 5), (1, 1), (0.25, 3), (1.0, 12)])
def test_number_of_columns_kept(size, expected):
    X, y = table()
    selector = SVMRFE(n_features_to_select=size).fit(X, y)
    assert selector.n_features_ == expected
    assert selector.support_.sum() == expected
    assert (selector.ranking_[selector.support_] == 1).all()
    assert selector.transform(X).shape == (60, expected)
    np.testing.assert_array_equal(selector.transform(X), X[:, selector.support_])
    assert selector.inverse_transform(selector.transform(X)).shape == X.shape


def test_more_columns_asked_for_than_there_are():
    X, y = table()
    with pytest.warns(UserWarning, match="n_features_to_select=20 > n_features=12") as caught:
        selector = SVMRFE(n_features_to_select=20).fit(X, y)
    assert caught[0].filename == __file__
    assert selector.support_.all()


def test_the_ranking_tells_the_steps_and_the_path_the_order():
    X, y = table()
    selector = SVMRFE(SVC(), n_features_to_select=2, step=3).fit(X, y)
    assert np.bincount(selector.ranking_).tolist() == [0, 2, 1, 3, 3, 3]
    path = selector.path_
    assert path.sizes.tolist() == [12, 9, 6, 3, 2]
    assert sorted(path.order.tolist()) == list(range(12))
    np.testing.assert_array_equal(np.sort(path.top(2)), np.flatnonzero(selector.support_))
    assert (path.kkt_gap <= 1e-8).all()
    assert path.stopped == "size"
    np.testing.assert_array_equal(selector.ranking_, path.ranking())


def test_a_float_step_is_a_share_of_the_remaining_columns():
    X, y = table(columns=20)
    path = SVMRFE(step=0.3, n_features_to_select=1).fit(X, y).path_
    assert path.sizes.tolist() == [20, 14, 10, 7, 5, 4, 3, 2, 1]
    plan = schedules.FractionOfOriginal(0.25)
    assert SVMRFE(step=plan, n_features_to_select=5).fit(X, y).path_.sizes.tolist() == [
        20,
        15,
        10,
        5,
    ]


def test_sizes_to_visit():
    X, y = table()
    path = SVMRFE(step=[9, 4, 2], n_features_to_select=2).fit(X, y).path_
    assert path.sizes.tolist() == [12, 9, 4, 2]


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_columns_that_matter_are_found(kernel):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 15))
    score = X[:, 4] + X[:, 9] if kernel == "linear" else X[:, 4] ** 2 + X[:, 9] ** 2 - 2
    machine = SVC(kernel=kernel, degree=2, coef0=1.0, C=10)
    selector = SVMRFE(machine, n_features_to_select=2).fit(X, score > 0)
    assert np.flatnonzero(selector.support_).tolist() == [4, 9]


@pytest.mark.parametrize("as_names", [False, True])
def test_kept_columns_are_never_dropped(as_names):
    X, y = table()
    worst = SVMRFE(n_features_to_select=1).fit(X, y).path_.order[-2:]
    frame = pd.DataFrame(X, columns=[f"gene {j}" for j in range(12)])
    keep = [f"gene {j}" for j in worst] if as_names else worst
    selector = SVMRFE(n_features_to_select=3, keep=keep).fit(frame if as_names else X, y)
    assert selector.support_[worst].all()
    assert selector.n_features_ == 3


def test_more_columns_to_keep_than_half():
    X, y = table()
    selector = SVMRFE(keep=np.arange(8)).fit(X, y)
    np.testing.assert_array_equal(selector.support_, np.arange(12) < 8)
    with pytest.raises(ValueError, match=r"'keep'.*8 columns, more than the 5 of n_features_to"):
        SVMRFE(keep=np.arange(8), n_features_to_select=5).fit(X, y)


def test_a_stop_alone_decides_the_size():
    X, y = table()
    selector = SVMRFE(stop=stopping.AtSize(3)).fit(X, y)
    assert selector.n_features_ == 3
    selector = SVMRFE(stop=stopping.WhenScoreAbove(0.1, relative=True)).fit(X, y)
    scores = selector.path_.survivor_scores
    assert selector.path_.stopped == "score"
    assert scores.min() > 0.1 * scores.sum()
    selector = SVMRFE(stop=[stopping.AtSize(3), stopping.AfterSeconds(0.0)]).fit(X, y)
    assert selector.n_features_ == 12
    assert selector.path_.stopped == "time"


class Reversed:
    """A criterion of a user's own: columns of high index go first."""

    def scores(self, context):
        return 1.0 / (1.0 + context.state.kept)


def test_criterion_of_a_users_own():
    X, y = table()
    selector = SVMRFE(criterion=Reversed(), n_features_to_select=4).fit(X, y)
    np.testing.assert_array_equal(selector.path_.dropped, np.arange(11, 3, -1))


# --- samplers --------------------------------------------------------------------------------


@pytest.mark.parametrize("sampler", [0.5, samplers.Bootstrap(3), samplers.Subsample(0.6, below=8)])
def test_draws_follow_the_seed(sampler):
    X, y = table(rows=100, columns=30)
    fits = [
        SVMRFE(sampler=sampler, random_state=seed, n_features_to_select=1).fit(X, y).path_
        for seed in (0, 0, 1, np.random.RandomState(0))
    ]
    assert fits[0].same_ranking(fits[1])
    assert not fits[0].same_ranking(fits[2])
    assert fits[0].same_ranking(fits[3])


def test_without_random_parts_the_seed_does_nothing():
    X, y = table()
    first, second = (SVMRFE(random_state=seed).fit(X, y).path_ for seed in (None, 7))
    assert first.same_ranking(second)


# --- several classes -------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", [SVC(kernel="linear"), SVC(), PeerSVC(), LinearSVC()])
@pytest.mark.parametrize("combine", ["sum", "max", "cv", "mean-rank", criteria.PowerSum(2.0)])
def test_three_classes(estimator, combine):
    X, y = table(3, rows=90)
    names = np.array(["ash", "beech", "cedar"])[y]
    selector = SVMRFE(estimator, n_features_to_select=5, combine=combine).fit(X, names)
    assert selector.classes_.tolist() == ["ash", "beech", "cedar"]
    assert selector.decision_function(X).shape == (90, 3)
    assert set(selector.predict(X)) <= set(names)
    if combine == "sum":
        assert selector.score(X, names) > 0.7


def test_one_vs_one_scores_are_summed():
    X, y = table(3, rows=90)
    selector = SVMRFE(SVC(kernel="linear", tol=1e-12), n_features_to_select=11).fit(X, y)
    importance = (SVC(kernel="linear", tol=1e-12).fit(X, y).coef_ ** 2).sum(axis=0)
    assert selector.path_.dropped.tolist() == [importance.argmin()]
    assert selector.path_.scores[0] == pytest.approx(importance.min(), rel=1e-6)


def test_one_vs_rest_scores_are_summed():
    X, y = table(3, rows=90)
    selector = SVMRFE(LinearSVC(), n_features_to_select=11).fit(X, y)
    peer = LinearSVC(tol=1e-10, max_iter=100_000, dual=False).fit(X, y)
    importance = (peer.coef_**2).sum(axis=0)
    assert selector.path_.dropped.tolist() == [importance.argmin()]
    assert selector.path_.scores[0] == pytest.approx(importance.min(), rel=1e-4)


# --- forms of the table ----------------------------------------------------------------------


@pytest.mark.parametrize("layout", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array])
@pytest.mark.parametrize("estimator", [SVC(kernel="linear"), SVC(gamma=0.1), LinearSVC()])
def test_sparse_rows_give_the_same(layout, estimator):
    X, y = table()
    X[np.abs(X) < 0.6] = 0.0
    dense = SVMRFE(estimator, n_features_to_select=2).fit(X, y)
    selector = SVMRFE(estimator, n_features_to_select=2).fit(layout(X), y)
    assert selector.path_.same_ranking(dense.path_)
    assert sparse.issparse(selector.transform(layout(X)))
    np.testing.assert_array_equal(selector.predict(layout(X)), dense.predict(X))


@pytest.mark.parametrize("dtype", [np.float32, np.int64, bool])
def test_other_types_of_cells(dtype):
    X, y = table()
    X = (X > 0).astype(dtype) if dtype is bool else (10 * X).astype(dtype)
    selector = SVMRFE(n_features_to_select=3).fit(X, y)
    expected = SVMRFE(n_features_to_select=3).fit(X.astype(np.float64), y)
    assert selector.path_.same_ranking(expected.path_)


def test_fortran_order_and_read_only_rows():
    X, y = table()
    expected = SVMRFE(n_features_to_select=3).fit(X, y)
    rows = np.asfortranarray(X)
    rows.flags.writeable = False
    assert SVMRFE(n_features_to_select=3).fit(rows, y).path_.same_ranking(expected.path_)
    twice = np.repeat(X, 2, axis=1)[:, ::2]
    assert SVMRFE(n_features_to_select=3).fit(twice, y).path_.same_ranking(expected.path_)


def test_one_column_and_two_rows():
    selector = SVMRFE().fit([[0.0], [2.0]], ["no", "yes"])
    assert selector.support_.tolist() == [True]
    assert selector.path_.n_steps == 0
    assert selector.predict([[1.5]]).tolist() == ["yes"]
    two = SVMRFE().fit([[0.0, 1.0], [2.0, 1.0]], ["no", "yes"])
    assert two.support_.tolist() == [True, False]


def test_constant_columns_go_first():
    X, y = table()
    X[:, [2, 7]] = 5.0
    path = SVMRFE(n_features_to_select=1).fit(X, y).path_
    assert path.dropped[:2].tolist() == [2, 7]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_names_of_columns(make):
    X, y = table()
    names = [f"größe {j}" for j in range(12)]
    frame = make(dict(zip(names, X.T, strict=True)))
    selector = SVMRFE(n_features_to_select=3).fit(frame, y)
    kept = [name for name, on in zip(names, selector.support_, strict=True) if on]
    assert selector.feature_names_in_.tolist() == names
    assert selector.get_feature_names_out().tolist() == kept
    assert sorted(selector.path_.names(selector.path_.top(3))) == sorted(kept)
    np.testing.assert_array_equal(
        selector.predict(frame), SVMRFE(n_features_to_select=3).fit(X, y).predict(X)
    )


@pytest.mark.parametrize(("library", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_frames_come_out_where_asked_for(library, kind):
    X, y = table()
    frame = kind(dict(zip([f"c{j}" for j in range(12)], X.T, strict=True)))
    selector = SVMRFE(n_features_to_select=3).set_output(transform=library)
    result = selector.fit(frame, y).transform(frame)
    assert isinstance(result, kind)
    assert list(result.columns) == selector.get_feature_names_out().tolist()
    assert selector.score(frame, y) > 0.5
    assert isinstance(make_pipeline(selector).fit_transform(frame, y), kind)


@pytest.mark.parametrize("counts", [(9, 3), (3, 9), (4, 6, 10), (5, 5)])
def test_chance_is_the_share_of_the_largest_class(counts):
    y = np.repeat(np.arange(len(counts)), counts)
    X = np.random.default_rng(0).normal(size=(len(y), 3)) + y[:, None]
    assert SVMRFE().fit(X, y).path_.notes["chance"] == sorted(counts)[-1] / sum(counts)
