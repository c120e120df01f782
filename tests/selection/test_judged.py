"""Decision values answer as the machine itself would."""

import numpy as np
import pytest
from sklearn.base import is_classifier
from sklearn.datasets import load_wine
from sklearn.metrics import get_scorer
from sklearn.preprocessing import scale
from sklearn.svm import SVC, LinearSVC

from svsieve.selection.judged import Judged

WINE = load_wine()
X, y = scale(WINE.data[:, :2]), WINE.target_names[WINE.target]


@pytest.mark.parametrize(("shape", "break_ties"), [("ovr", False), ("ovr", True), ("ovo", False)])
def test_one_vs_one(shape, break_ties):
    model = SVC(C=0.1, decision_function_shape=shape, break_ties=break_ties).fit(X, y)
    pairs = model.set_params(decision_function_shape="ovo", break_ties=False).decision_function(X)
    model.set_params(decision_function_shape=shape, break_ties=break_ties)
    judged = Judged(model.classes_, pairs, shape=shape, break_ties=break_ties)
    np.testing.assert_array_equal(judged.predict(judged.rows), model.predict(X))
    np.testing.assert_allclose(judged.decision_function(judged.rows), model.decision_function(X))


def test_one_vs_rest():
    model = LinearSVC(random_state=0).fit(X, y)
    judged = Judged(model.classes_, model.decision_function(X), one_vs_rest=True)
    np.testing.assert_array_equal(judged.predict(judged.rows), model.predict(X))
    np.testing.assert_array_equal(judged.decision_function(judged.rows), model.decision_function(X))


@pytest.mark.parametrize("name", ["accuracy", "balanced_accuracy", "roc_auc", "average_precision"])
def test_scorers_are_answered(name):
    labels = (y == "class_1").astype(int)
    model = SVC().fit(X, labels)
    judged = Judged(model.classes_, model.decision_function(X)[:, None])
    assert is_classifier(judged)
    scorer = get_scorer(name)
    assert scorer(judged, judged.rows, labels) == scorer(model, X, labels)


def test_zero_belongs_to_the_class_that_the_libraries_give_it():
    classes, zero = np.array(["a", "b"]), np.zeros((1, 1))
    assert Judged(classes, zero).predict(np.empty((1, 0))).tolist() == ["b"]
    assert Judged(classes, zero, one_vs_rest=True).predict(np.empty((1, 0))).tolist() == ["a"]


def test_other_rows_are_refused():
    judged = Judged(np.array([0, 1]), np.zeros((3, 1)))
    with pytest.raises(ValueError, match="only the 3 rows that were judged"):
        judged.predict(np.zeros((2, 5)))
