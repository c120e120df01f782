"""Nested cross-validation: what is measured, for any selector, and that noise lands at chance."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.stats import t as student
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import make_classification
from sklearn.decomposition import PCA
from sklearn.feature_selection import RFECV, SelectKBest, f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, ShuffleSplit, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC as PeerSVC

from svsieve import SVC, SVMRFE, SVMRFECV, evaluate, stability
from svsieve.selection.evaluation import support_of


def table(rows=60, columns=10, seed=0):
    return make_classification(
        rows, columns, n_informative=4, n_redundant=0, flip_y=0.1, random_state=seed
    )


class Boruta(BaseEstimator):
    """A selector that says `support_` and nothing else."""

    def __init__(self, level=0.5):
        self.level = level

    def fit(self, X, y):
        self.support_ = f_classif(X, y)[1] < self.level
        return self


SELECTORS = {
    "ours": SVMRFECV(step=2, cv=3),
    "fixed size": SVMRFE(n_features_to_select=3),
    "RFECV": RFECV(PeerSVC(kernel="linear"), cv=3),
    "filter": make_pipeline(StandardScaler(), SelectKBest(k=3), PeerSVC()),
    "search": GridSearchCV(SVMRFECV(step=3, cv=2), {"estimator": [SVC(C=0.1), SVC(C=10.0)]}, cv=2),
    "two selectors": make_pipeline(SelectKBest(k=6), SVMRFE(n_features_to_select=2), PeerSVC()),
}


# --- what is measured ------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(SELECTORS))
def test_every_outer_fold_is_a_fit_and_a_score(name: str) -> None:
    X, y = table()
    cv = StratifiedKFold(3)
    found = evaluate(SELECTORS[name], X, y, cv=cv)
    for k, (train, test) in enumerate(cv.split(X, y)):
        model = clone(SELECTORS[name]).fit(X[train], y[train])
        assert found.scores[k] == model.score(X[test], y[test])
        np.testing.assert_array_equal(found.supports[k], support_of(model, 10))
    assert found.n_features.tolist() == found.supports.sum(axis=1).tolist()
    assert found.stability.nogueira == stability(found.supports).nogueira
    assert found.permuted is None
    assert found.metric == "accuracy"
    assert found.mean == found.scores.mean()


def test_supports_name_columns_of_the_table() -> None:
    X, y = table()
    model = clone(SELECTORS["two selectors"]).fit(X, y)
    first = np.flatnonzero(model[0].get_support())
    expected = np.isin(np.arange(10), first[model[1].get_support()])
    np.testing.assert_array_equal(support_of(model, 10), expected)
    assert support_of(model, 10).sum() == 2
    np.testing.assert_array_equal(support_of(Boruta().fit(X, y), 10), f_classif(X, y)[1] < 0.5)


def test_another_estimator_on_the_columns_selected() -> None:
    X, y = table()
    cv = KFold(3)
    for selector in (SVMRFE(n_features_to_select=3), SelectKBest(k=3), Boruta()):
        neighbours = KNeighborsClassifier(3)
        found = evaluate(selector, X, y, estimator=neighbours, cv=cv, scoring="balanced_accuracy")
        for k, (train, test) in enumerate(cv.split(X)):
            kept = support_of(clone(selector).fit(X[train], y[train]), 10)
            model = clone(neighbours).fit(X[train][:, kept], y[train])
            expected = balanced_accuracy_score(y[test], model.predict(X[test][:, kept]))
            assert found.scores[k] == pytest.approx(expected)
    assert found.metric == "balanced_accuracy"
    assert found.chance == 0.5


def test_inner_folds_and_what_the_selection_says_of_itself() -> None:
    X, y = table()
    cv, inner = StratifiedKFold(3), KFold(4)
    found = evaluate(SVMRFECV(step=2), X, y, cv=cv, inner_cv=inner)
    for k, (train, _) in enumerate(cv.split(X, y)):
        model = SVMRFECV(step=2, cv=inner).fit(X[train], y[train])
        assert model.curve_.n_folds == 4
        claimed = model.curve_.mean()[model.curve_.sizes == model.n_features_]
        assert found.selection_scores[k] == claimed
    assert found.optimism == pytest.approx(found.selection_scores.mean() - found.mean)
    peer = evaluate(RFECV(PeerSVC(kernel="linear", tol=1e-10), step=2), X, y, cv=cv, inner_cv=inner)
    np.testing.assert_allclose(peer.selection_scores, found.selection_scores)
    np.testing.assert_allclose(peer.scores, found.scores)
    np.testing.assert_array_equal(peer.supports, found.supports)
    search = evaluate(SELECTORS["search"], X, y, cv=2, inner_cv=3)
    assert np.isfinite(search.selection_scores).all()
    assert np.isnan(evaluate(SELECTORS["filter"], X, y, cv=2).selection_scores).all()
    piped = make_pipeline(StandardScaler(), SVMRFECV(step=3, cv=2))
    assert np.isfinite(evaluate(piped, X, y, cv=2).selection_scores).all()


def test_interval_of_the_mean() -> None:
    X, y = table()
    found = evaluate(
        SVMRFE(n_features_to_select=3), X, y, cv=ShuffleSplit(8, test_size=0.2, random_state=0)
    )
    n_test, n_train = 12, 48
    deviation = found.scores.std(ddof=1) * np.sqrt(1 / 8 + n_test / n_train)
    reach = student.ppf(0.975, 7) * deviation
    np.testing.assert_allclose(found.interval, (found.mean - reach, found.mean + reach))
    one = evaluate(SVMRFE(), X, y, cv=ShuffleSplit(1, random_state=0))
    assert np.isnan(one.interval).all()
    assert one.stability is None


def test_groups_reach_both_levels() -> None:
    X, y = table()
    groups = np.arange(60) // 4
    found = evaluate(SVMRFECV(step=3, cv=GroupKFold(3)), X, y, cv=GroupKFold(3), groups=groups)
    for k, (train, test) in enumerate(GroupKFold(3).split(X, y, groups)):
        model = SVMRFECV(step=3, cv=GroupKFold(3)).fit(X[train], y[train], groups=groups[train])
        assert found.scores[k] == model.score(X[test], y[test])


def test_forms_of_the_table() -> None:
    X, y = table()
    X[np.abs(X) < 0.3] = 0.0
    expected = evaluate(SVMRFECV(step=3, cv=2), X, y, cv=3)
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(10)])
    labels = pd.Series(np.array(["no", "yes"])[y], index=np.arange(60) + 5)
    for given in (frame, sparse.csr_array(X), X.tolist()):
        found = evaluate(SVMRFECV(step=3, cv=2), given, labels, cv=3)
        np.testing.assert_array_equal(found.scores, expected.scores)
        np.testing.assert_array_equal(found.supports, expected.supports)
    by_name = evaluate(SVMRFE(keep=["c3"], n_features_to_select=2), frame, labels, cv=2)
    assert by_name.supports[:, 3].all()


def test_side_by_side() -> None:
    X, y = table()
    alone = evaluate(SVMRFECV(step=3, cv=2), X, y, cv=3, permute=2)
    together = evaluate(SVMRFECV(step=3, cv=2), X, y, cv=3, permute=2, n_jobs=2)
    np.testing.assert_array_equal(alone.scores, together.scores)
    np.testing.assert_array_equal(alone.permuted, together.permuted)


# --- honesty ---------------------------------------------------------------------------------


def noise(seed: int, rows: int = 100, columns: int = 2000) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, columns)), rng.permutation(np.arange(rows) % 2)


def test_noise_lands_at_chance_and_the_naive_protocol_does_not() -> None:
    selector = SVMRFECV(step=0.5, cv=5)
    nested, naive = [], []
    for seed in range(10):
        X, y = noise(seed)
        nested.append(evaluate(selector, X, y, cv=5).mean)
        # The naive protocol: columns from all rows, then cross-validation on those columns.
        kept = SVMRFE(n_features_to_select=30, step=0.5).fit(X, y).support_
        scores = []
        for train, test in StratifiedKFold(5).split(X, y):
            machine = SVC(kernel="linear").fit(X[train][:, kept], y[train])
            scores.append(machine.score(X[test][:, kept], y[test]))
        naive.append(np.mean(scores))
    standard_error = np.std(nested, ddof=1) / np.sqrt(10)
    assert abs(np.mean(nested) - 0.5) < 2 * standard_error
    assert np.mean(naive) > 0.8


def test_permuted_labels_land_at_chance() -> None:
    X, y = table(rows=100, columns=30)
    found = evaluate(SVMRFECV(step=0.5, cv=3), X, y, cv=5, permute=10)
    assert found.permuted.shape == (10, 5)
    assert found.mean > 0.7
    error = found.permuted.mean(axis=1).std(ddof=1) / np.sqrt(10)
    assert abs(found.permuted.mean() - 0.5) < 3 * error
    assert found.chance == pytest.approx(max(np.bincount(y)) / 100)
    again = evaluate(SVMRFECV(step=0.5, cv=3), X, y, cv=5, permute=True)
    np.testing.assert_array_equal(again.permuted[0], found.permuted[0])
    other = evaluate(SVMRFECV(step=0.5, cv=3), X, y, cv=5, permute=1, random_state=1)
    assert not np.array_equal(other.permuted, again.permuted)
    np.testing.assert_array_equal(other.scores, found.scores)


def test_a_leak_is_caught_by_permuted_labels() -> None:
    """A selector that has seen all rows: honest labels look fine, permuted ones give it away."""
    X, y = noise(0, rows=60, columns=500)

    class Leaky(BaseEstimator):
        def fit(self, rows, labels):
            self.support_ = np.zeros(500, dtype=bool)
            self.support_[np.argsort(-np.abs(X.T @ (seen[0] - 0.5)))[:10]] = True
            return self

    class Remembering(KFold):
        """A splitter that tells the leaky selector all labels."""

        def split(self, X, y=None, groups=None):
            seen[:] = [np.asarray(y)]
            return super().split(X, y, groups)

    seen: list[np.ndarray] = []
    found = evaluate(Leaky(), X, y, estimator=SVC(kernel="linear"), cv=Remembering(5), permute=1)
    assert found.permuted.mean() > 0.7


# --- words and refusals ----------------------------------------------------------------------


def test_summary_says_it_in_words() -> None:
    X, y = table()
    found = evaluate(SVMRFECV(step=3, cv=2), X, y, cv=3, permute=1)
    text = found.summary()
    assert text.startswith(f"accuracy {found.mean:.4g} on held-out rows (95% interval ")
    assert "columns selected in the median, from" in text
    assert "the selection's own estimate is" in text
    assert f"chance is {found.chance:.4g}" in text
    assert "stability of 3 sets" in text
    assert repr(found).startswith(f"Evaluation(accuracy={found.mean:.4g} (")
    plain = evaluate(SELECTORS["filter"], X, y, cv=ShuffleSplit(1, random_state=0))
    assert len(plain.summary().splitlines()) == 2


@pytest.mark.parametrize(
    ("selector", "options", "message"),
    [
        (SVMRFECV, {}, r"selector must be an estimator"),
        ("rfe", {}, r"selector must be an estimator"),
        (SelectKBest(), {}, r"SelectKBest selects columns but does not predict"),
        (SVMRFE(), {"inner_cv": 3}, r"neither SVMRFE nor what it is made of has a parameter 'cv'"),
        (SVMRFE(), {"permute": -1}, r"'permute' parameter of evaluate"),
        (SVMRFE(), {"permute": 1.5}, r"'permute' parameter of evaluate"),
        (LogisticRegression(), {}, r"LogisticRegression does not say which columns it selected"),
        (make_pipeline(PCA(4), SVMRFE()), {}, r"Pipeline does not say which columns"),
        (Boruta(0.0), {"estimator": PeerSVC()}, r"Boruta selected none of the 10 columns"),
        (PeerSVC(), {}, r"SVC does not say which columns it selected"),
    ],
    ids=str,
)
def test_refusals(selector, options, message) -> None:
    X, y = table()
    with pytest.raises(ValueError, match=message):
        evaluate(selector, X, y, cv=2, **options)


class Claims(Boruta):
    """Keeps two columns and tells scores of the sizes it is given."""

    def __init__(self, sizes=(1, 2, 3), scores="mean_test_score"):
        self.sizes, self.scores = sizes, scores

    def fit(self, X, y):
        self.support_ = np.arange(X.shape[1]) < 2
        self.n_features_ = 2
        self.cv_results_ = {"n_features": np.array(self.sizes)}
        self.cv_results_[self.scores] = np.array([0.1, 0.2, 0.3])[: len(self.sizes)]
        return self


@pytest.mark.parametrize(
    ("selector", "claimed"),
    [
        (Claims(), 0.2),
        (Claims(sizes=(2, 1)), 0.1),
        (Claims(sizes=(1, 3)), np.nan),
        (Claims(scores="std_test_score"), np.nan),
        (Claims(sizes=(1, 3), scores="std_test_score"), np.nan),
    ],
)
def test_a_claim_is_the_score_of_the_size_taken_if_there_is_one(selector, claimed: float) -> None:
    X, y = table()
    found = evaluate(selector, X, y, estimator=PeerSVC(), cv=2)
    np.testing.assert_array_equal(found.selection_scores, [claimed] * 2)
