"""Scores from decision values, against scikit-learn's scorers on fitted machines."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn
from scipy import sparse
from sklearn.metrics import accuracy_score, get_scorer, make_scorer, precision_score
from sklearn.svm import SVC, LinearSVC

from svsieve import SVMRFECV
from svsieve.elimination import Path
from svsieve.resolve import resolve_estimator
from svsieve.selection.fold_scores import FoldScores, resolve_metrics
from svsieve.selection.refitting import Refit

LABELS = np.array(["ash", "beech", "cedar"])
MANY = ["accuracy", "balanced_accuracy", "f1_macro", "matthews_corrcoef"]


def fitted(machine, n_classes: int, seed: int = 0):
    """A machine on noisy rows, held-out rows, their labels."""
    rng = np.random.default_rng([seed, n_classes])
    X, Z = rng.normal(size=(60, 3)), rng.normal(size=(25, 3))
    y, z = (
        LABELS[
            np.argmax(
                A @ rng.normal(size=(3, n_classes)) + rng.normal(size=(len(A), n_classes)), axis=1
            )
        ]
        for A in (X, Z)
    )
    return machine.fit(X, y), Z, z


def problem_values(machine, Z) -> np.ndarray:
    """Decision values of the two-class problems, of shape (problems, rows)."""
    if isinstance(machine, SVC) and len(machine.classes_) > 2:
        shape = machine.decision_function_shape
        machine.decision_function_shape = "ovo"
        values = machine.decision_function(Z)
        machine.decision_function_shape = shape
    else:
        values = machine.decision_function(Z)
    return np.atleast_2d(values.T)


def scores_of(machine, metrics, Z, z, weights=None) -> FoldScores:
    return FoldScores(metrics, machine, resolve_estimator(machine), machine.classes_, Z, z, weights)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "machine",
    [
        SVC(kernel="linear"),
        SVC(kernel="rbf", decision_function_shape="ovo"),
        SVC(kernel="rbf", break_ties=True, C=0.05),
        LinearSVC(),
    ],
    ids=str,
)
@pytest.mark.parametrize("weighted", [False, True])
def test_metrics_are_those_of_the_fitted_machine(machine, n_classes, weighted) -> None:
    machine, Z, z = fitted(machine, n_classes)
    weights = np.random.default_rng(0).integers(1, 4, len(z)).astype(float) if weighted else None
    names = [*MANY, "roc_auc", "average_precision"] if n_classes == 2 else MANY
    options = {"pos_label": "beech"}
    metrics = resolve_metrics(
        {
            name: make_scorer(
                get_scorer(name)._score_func, response_method="decision_function", **options
            )
            if name == "average_precision"
            else name
            for name in names
        }
    )
    shifts = np.array([0.0, 0.4, -0.3])  # three steps, of which the first is the machine itself
    decisions = problem_values(machine, Z) + shifts[:, None, None]
    found = scores_of(machine, metrics, Z, z, weights)(decisions)
    assert found.shape == (3, len(metrics))
    given = {} if weights is None else {"sample_weight": weights}
    expected = [metric.scorer(machine, Z, z, **given) for metric in metrics]
    np.testing.assert_allclose(found[0], expected, rtol=1e-12)
    # The other steps: many at once and one by one are the same.
    for k in range(3):
        np.testing.assert_allclose(
            scores_of(machine, metrics, Z, z, weights)(decisions[k : k + 1])[0], found[k]
        )


@pytest.mark.parametrize("name", ["accuracy", "balanced_accuracy", "roc_auc"])
def test_many_steps_at_once_are_the_same_as_one_by_one(name: str, monkeypatch) -> None:
    machine, Z, z = fitted(SVC(kernel="linear"), 2)
    rng = np.random.default_rng(0)
    decisions = rng.normal(size=(40, 1, len(z))).round(1)  # with ties, and zeros
    scores = scores_of(machine, resolve_metrics(name), Z, z)
    at_once = scores(decisions)
    monkeypatch.setattr("svsieve.selection.fold_scores._AT_ONCE", {})
    np.testing.assert_allclose(at_once, scores(decisions), rtol=1e-13)


def test_labels_that_were_not_trained_on_are_wrong() -> None:
    machine, Z, z = fitted(SVC(kernel="linear"), 2)
    z[:5] = "cedar"
    found = scores_of(machine, resolve_metrics("accuracy"), Z, z)(problem_values(machine, Z)[None])
    assert found[0, 0] == machine.score(Z, z)


def test_one_class_held_out_is_left_to_the_scorer() -> None:
    machine, Z, z = fitted(SVC(kernel="linear"), 2)
    z[:] = "ash"
    scores = scores_of(machine, resolve_metrics("roc_auc"), Z, z)
    with pytest.warns(sklearn.exceptions.UndefinedMetricWarning):
        assert np.isnan(scores(problem_values(machine, Z)[None])).all()


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
def test_a_callable_gets_an_estimator_fitted_on_the_columns_left(layout) -> None:
    machine, Z, z = fitted(SVC(kernel="linear"), 2)
    X, y = Z[:15], z[:15]
    path = Path.from_scores([1.0, 3.0, 2.0])
    seen = []

    def score(estimator, X, y):
        seen.append((X.shape, sparse.issparse(X)))
        return estimator.score(X, y) + 10.0 * estimator.n_features_in_

    metrics = resolve_metrics({"mine": score, "accuracy": "accuracy"}, machine)
    assert [metric.refits for metric in metrics] == [True, False]
    specification, classes = resolve_estimator(machine), machine.classes_
    refit = Refit(machine, (layout(X), y, None))
    scores = FoldScores(metrics, machine, specification, classes, layout(Z), z, refit=refit)
    sizes = np.array([3, 1])
    decided = scores(np.repeat(problem_values(machine, Z)[None], 2, axis=0))
    assert np.isnan(decided[:, 0]).all()
    found = scores.completed(decided, path, sizes)
    np.testing.assert_array_equal(found[:, 1], decided[:, 1])
    for size, got in zip(sizes, found[:, 0], strict=True):
        kept = np.sort(path.top(size))
        model = SVC(kernel="linear").fit(X[:, kept], y)
        assert got == pytest.approx(model.score(Z[:, kept], z) + 10.0 * size)
    assert seen == [((25, 3), layout is sparse.csr_array), ((25, 1), layout is sparse.csr_array)]


def test_names_of_metrics() -> None:
    def mine(estimator, X, y):
        return 0.0

    assert [m.name for m in resolve_metrics(None)] == ["accuracy"]
    assert [m.name for m in resolve_metrics(mine)] == ["score"]
    assert [m.name for m in resolve_metrics(("f1", "accuracy"))] == ["f1", "accuracy"]
    both = resolve_metrics({"first": "accuracy", "second": mine})
    assert [(m.name, m.weighted) for m in both] == [("first", True), ("second", False)]


def test_routing_decides_who_gets_weights() -> None:
    with sklearn.config_context(enable_metadata_routing=True):
        asked = make_scorer(accuracy_score).set_score_request(sample_weight=True)
        metrics = resolve_metrics({"a": asked, "b": "accuracy", "c": lambda e, X, y: 0.0})
    assert [m.weighted for m in metrics] == [True, False, False]


@pytest.mark.parametrize(
    "scoring", ["accurate", [], {}, 3, ["accuracy", "accuracy"], {1: "f1"}, [3]]
)
def test_refusals(scoring) -> None:
    with pytest.raises(ValueError, match=r"'scoring' parameter of SVMRFECV must be the name of a"):
        resolve_metrics(scoring)


class Probable(SVC):
    def predict_proba(self, X):
        raise AssertionError("not asked here")


@pytest.mark.parametrize("scoring", ["neg_log_loss", ["accuracy", "neg_brier_score"]])
def test_probabilities_are_refused_where_there_are_none(scoring) -> None:
    with pytest.raises(ValueError, match=r"'scoring'.*asks for predict_proba, which SVC does not"):
        resolve_metrics(scoring, SVC())
    assert resolve_metrics(scoring, Probable())[-1].refits
    assert resolve_metrics(scoring)[-1].refits


def test_options_of_a_scorer_are_kept() -> None:
    machine, Z, z = fitted(SVC(kernel="linear"), 2)
    scorer = make_scorer(precision_score, pos_label="ash")
    counts = make_scorer(accuracy_score, normalize=False)
    loss = make_scorer(accuracy_score, greater_is_better=False)
    metrics = resolve_metrics({"precision": scorer, "count": counts, "loss": loss})
    found = scores_of(machine, metrics, Z, z)(problem_values(machine, Z)[None])[0]
    np.testing.assert_allclose(found, [one(machine, Z, z) for one in (scorer, counts, loss)])


def test_an_area_needs_two_classes() -> None:
    """With three, the rows of the last against the others would give a number all the same."""
    machine, Z, z = fitted(SVC(kernel="linear"), 3)
    scores = scores_of(machine, resolve_metrics("roc_auc"), Z, z)
    with pytest.raises(ValueError, match=r"multi_class must be in"):
        scores(problem_values(machine, Z)[None])
    X, y = np.random.default_rng(0).normal(size=(30, 3)), np.arange(30) % 3
    with pytest.raises(ValueError, match=r"multi_class must be in"):
        SVMRFECV(scoring="roc_auc", cv=3).fit(X, y)
