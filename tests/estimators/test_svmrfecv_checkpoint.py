"""SVMRFECV goes on from a run store, and refuses that of another run."""

import numpy as np
import pytest

from svsieve import SVC, SVMRFECV, RunStore, samplers
from tests.estimators.dask_cluster import cluster_that_loses_a_worker


def table(rows=40, columns=15):
    rng = np.random.default_rng(0)
    y = np.arange(rows) % 2
    X = rng.normal(size=(rows, columns))
    X[:, 4] += 1.5 * y
    return X, y


def same(one, other):
    np.testing.assert_array_equal(one.path_.order, other.path_.order)
    np.testing.assert_array_equal(one.path_.scores, other.path_.scores)
    np.testing.assert_array_equal(one.curve_.scores(), other.curve_.scores())
    np.testing.assert_array_equal(one.curve_.train["accuracy"], other.curve_.train["accuracy"])
    assert one.choice_ == other.choice_


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_fit_that_broke_goes_on(tmp_path, monkeypatch, n_jobs):
    X, y = table()
    whole = SVMRFECV(SVC(), cv=4).fit(X, y)
    file = tmp_path / "run"
    from svsieve.estimators import eliminations

    plain, ran = eliminations.run_fold, []

    def breaks(plan, X, y, weights, fold):
        if fold.number == 3:
            raise KeyboardInterrupt
        return plain(plan, X, y, weights, fold)

    def counts(plan, X, y, weights, fold):
        ran.append(fold.number)
        return plain(plan, X, y, weights, fold)

    monkeypatch.setattr(eliminations, "run_fold", breaks)
    with pytest.raises(KeyboardInterrupt):
        SVMRFECV(SVC(), cv=4, checkpoint=file).fit(X, y)
    with RunStore(file) as store:
        assert len(store.done()) == 3  # all rows, folds 1 and 2
    monkeypatch.setattr(eliminations, "run_fold", counts if n_jobs == 1 else plain)
    again = SVMRFECV(SVC(), cv=4, checkpoint=file, n_jobs=n_jobs).fit(X, y)
    same(again, whole)
    if n_jobs == 1:
        assert ran == [3, 4]
    same(SVMRFECV(SVC(), cv=4, checkpoint=file).fit(X, y), whole)


def test_a_dask_cluster_that_loses_a_worker_gives_the_same(tmp_path):
    X, y = table(120, 60)
    whole = SVMRFECV(SVC(), cv=8).fit(X, y)
    file = tmp_path / "run"
    with cluster_that_loses_a_worker(file) as killed:
        together = SVMRFECV(SVC(), cv=8, n_jobs=-1, checkpoint=file).fit(X, y)
    assert killed
    assert killed[0] < 9
    same(together, whole)
    with RunStore(file) as store:
        assert len(store.done()) == 9


def test_another_rule_uses_what_is_there(tmp_path):
    X, y = table()
    SVMRFECV(cv=3, checkpoint=tmp_path / "run").fit(X, y)
    other = SVMRFECV(cv=3, rule="tolerance", checkpoint=tmp_path / "run").fit(X, y)
    same(other, SVMRFECV(cv=3, rule="tolerance").fit(X, y))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"estimator": SVC(C=3.0)}, "the options"),
        ({"step": 2}, "the options"),
        ({"cv": 4}, r"the folds \(cv\)"),
    ],
)
def test_the_store_of_another_run_is_refused(tmp_path, options, message):
    X, y = table()
    SVMRFECV(SVC(), cv=3, checkpoint=tmp_path / "run").fit(X, y)
    with pytest.raises(ValueError, match=f"another run: {message} differ"):
        SVMRFECV(**({"estimator": SVC(), "cv": 3} | options), checkpoint=tmp_path / "run").fit(X, y)
    with pytest.raises(ValueError, match=r"another run: the data \(X\) differ"):
        SVMRFECV(SVC(), cv=3, checkpoint=tmp_path / "run").fit(X + 1.0, y)


def test_drawn_rows_need_a_seed_to_be_drawn_again(tmp_path):
    X, y = table()
    options = {"cv": 3, "sampler": samplers.Subsample(0.7), "checkpoint": tmp_path / "run"}
    with pytest.raises(ValueError, match=r"'random_state' parameter of SVMRFECV must be an int"):
        SVMRFECV(**options).fit(X, y)
    first = SVMRFECV(**options, random_state=5).fit(X, y)
    again = SVMRFECV(**options, random_state=5).fit(X, y)
    np.testing.assert_array_equal(first.path_.order, again.path_.order)
