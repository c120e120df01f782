"""What SVMRFE cannot do is said before anything is computed."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import VarianceThreshold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, PolynomialFeatures, StandardScaler
from sklearn.svm import SVC as PeerSVC
from sklearn.svm import SVR, LinearSVC

from svsieve import SVC, SVMRFE, criteria, schedules
from svsieve.estimators import run


@pytest.fixture(autouse=True)
def no_walking(monkeypatch):
    """Make any step of an elimination a failure of the test."""

    def walked(*args, **kwargs):
        raise AssertionError("something was computed before the refusal")

    monkeypatch.setattr(run, "walk", walked)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"estimator": RandomForestClassifier()}, r"'estimator'.*Got RandomForestClassifier"),
        ({"estimator": SVR()}, r"'estimator'.*must be a classifier.*Got SVR"),
        ({"estimator": SVC}, r"'estimator'.*Give an object, SVC\(\)"),
        ({"estimator": SVC(C=-1)}, r"'C' parameter of SVC.*Got -1"),
        ({"estimator": PeerSVC(kernel="sigmoid")}, r"'kernel' parameter of SVC.*'sigmoid'"),
        ({"estimator": PeerSVC(class_weight={7: 2.0})}, r"class_weight.*7"),
        ({"estimator": LinearSVC(penalty="l1")}, r"'penalty' parameter of LinearSVC"),
        ({"estimator": make_pipeline(StandardScaler(), SVR())}, r"'estimator'.*Got SVR"),
        ({"estimator": make_pipeline(SVC(), SVC())}, r"Step 'svc-1' of the pipeline.*transform"),
        ({"n_features_to_select": 0}, r"'n_features_to_select'.*Got 0"),
        ({"n_features_to_select": 1.5}, r"'n_features_to_select'.*Got 1.5"),
        ({"step": 0}, r"'step'.*Got 0"),
        ({"step": 1.0}, r"'step'.*Got 1.0"),
        ({"step": "half"}, r"'step'.*'sqrt', 'entropy', 'annealing', 'halving'.*Got 'half'"),
        ({"step": schedules.Sqrt}, r"'step'"),
        ({"criterion": "margin"}, r"'criterion'.*'weight'.*Got 'margin'"),
        ({"sampler": 1.0}, r"'sampler'.*Got 1.0"),
        ({"stop": 5}, r"'stop'.*Got 5"),
        ({"combine": "mean"}, r"'combine'.*'sum', 'max'.*Got 'mean'"),
        ({"combine": criteria.PowerSum}, r"'combine'"),
        ({"keep": [4]}, r"'keep'.*holds column 4; X has the columns 0 to 2"),
        ({"keep": ["a"]}, r"'keep'.*no column names"),
        ({"keep": [0, 1], "n_features_to_select": 1}, r"'keep'.*2 columns, more than the 1"),
        ({"random_state": "seed"}, r"cannot be used to seed"),
        ({"progress": 2}, r"'progress'.*True or False.*Got 2"),
        ({"checkpoint": "no/such/folder/run.npz"}, r"folder of checkpoint 'no/such/folder/run.npz"),
        ({"checkpoint": "."}, r"is a folder"),
    ],
)
def test_options(X, y, parameters, message):
    with pytest.raises(ValueError, match=message):
        SVMRFE(**parameters).fit(X, y)


def test_checkpoint_that_is_no_name(X, y):
    with pytest.raises(TypeError, match=r"checkpoint must be the name of a file. Got 7 instead"):
        SVMRFE(checkpoint=7).fit(X, y)


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (PolynomialFeatures(), r"'polynomialfeatures'.*PolynomialFeatures.*makes other columns"),
        (PCA(), r"Step 'pca' of the pipeline, PCA, makes other columns"),
        (VarianceThreshold(1.0), r"'variancethreshold'"),
        (FunctionTransformer(lambda X: X[:, :1]), r"'functiontransformer'.*\(12, 1\)"),
    ],
)
def test_steps_that_make_other_columns(X, y, step, message):
    with pytest.raises(ValueError, match=message):
        SVMRFE(make_pipeline(step, SVC())).fit(X, y)


def test_step_that_makes_infinities(X, y):
    step = FunctionTransformer(lambda X: X / 0.0)
    with (
        np.errstate(divide="ignore"),
        pytest.raises(ValueError, match=r"output of step 'functiontransformer'.*finite"),
    ):
        SVMRFE(make_pipeline(step, SVC())).fit(X, y)


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
def test_cells(X, y, layout):
    X[5, 2] = np.nan
    with pytest.raises(ValueError, match=r"NaN: column 2, row 5. SVMRFE takes finite numbers"):
        SVMRFE().fit(layout(X), y)
    X[5, 2] = 1e300
    with pytest.raises(ValueError, match=r"Column 2 of X.*overflow"):
        SVMRFE().fit(layout(X), y)


def test_text(X, y):
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame["b"] = "red"
    with pytest.raises(ValueError, match=r"Column 1 \('b'\) of X holds text"):
        SVMRFE().fit(frame, y)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (np.linspace(0.0, 1.3, 12), r"Unknown label type: continuous"),
        (np.ones(12), r"SVMRFE needs at least two classes.*only one class: 1"),
        (np.arange(11), r"inconsistent numbers of samples"),
        ([None] * 12, r"missing or infinite labels"),
        (np.ones((12, 2)), r"1d array"),
    ],
)
def test_labels(X, labels, message):
    with pytest.raises(ValueError, match=message):
        SVMRFE().fit(X, labels)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(11), r"one number per row"),
        (-np.ones(12), r"must not be negative"),
        (np.zeros(12), r"zero in every row"),
        (np.tile([0.0, 1.0], 6), r"Every class needs a row of positive weight.*class 0"),
    ],
)
def test_weights(X, y, weights, message):
    with pytest.raises(ValueError, match=message):
        SVMRFE().fit(X, y, sample_weight=weights)


def test_other_columns_in_prediction(X, y, monkeypatch):
    monkeypatch.undo()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    selector = SVMRFE().fit(frame, y)
    with pytest.raises(ValueError, match="feature names"):
        selector.predict(frame[["c", "b", "a"]])
    with pytest.raises(ValueError, match="2 features"):
        SVMRFE().fit(X, y).transform(X[:, :2])
