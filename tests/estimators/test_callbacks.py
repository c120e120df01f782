"""scikit-learn's callbacks, where the installed version has them."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from svsieve import SVC, SVMRFE, SVMRFECV
from svsieve.estimators import callbacks

sklearn_callback = pytest.importorskip("sklearn.callback", reason="needs scikit-learn 1.9")


class Listener:
    """Writes down what it is told; asks to stop after some steps."""

    max_propagation_depth = None

    def __init__(self, stop_after=None):
        self.heard = []
        self.stop_after = stop_after

    def setup(self, estimator, context):
        self.heard.append("setup")

    def teardown(self, estimator, context):
        self.heard.append("teardown")

    def on_fit_task_begin(self, estimator, context, *, X=None):
        self.heard.append(("begin", context.task_name, context.task_id, X is not None))

    def on_fit_task_end(self, estimator, context):
        self.heard.append(("end", context.task_name, context.task_id))
        ended = sum(one[:2] == ("end", "eliminate") for one in self.heard)
        return self.stop_after is not None and ended >= self.stop_after


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 8)), np.repeat([0, 1], 20)
    return X + y[:, None] * np.eye(8)[0], y


def test_steps_are_told(rows):
    listener = Listener()
    selector = SVMRFE(SVC(), n_features_to_select=5).set_callbacks(listener).fit(*rows)
    assert listener.heard[:2] == ["setup", ("begin", "fit", 0, True)]
    assert listener.heard[-2:] == [("end", "fit", 0), "teardown"]
    steps = [one[2] for one in listener.heard if one[:2] == ("end", "eliminate")]
    assert steps == [0, 1, 2]
    plain = SVMRFE(SVC(), n_features_to_select=5).fit(*rows)
    assert selector.path_.same_ranking(plain.path_)
    assert not hasattr(selector, "_callback_fit_ctx")


def test_a_callback_may_stop_the_elimination(rows):
    selector = SVMRFE(SVC(), n_features_to_select=1).set_callbacks(Listener(stop_after=2))
    with pytest.warns(UserWarning, match="interrupted after 2 steps; the 6 of 8") as seen:
        selector.fit(*rows)
    assert seen[0].filename == __file__
    assert selector.path_.stopped == "interrupted"
    assert selector.n_features_ == 6
    assert selector.predict(rows[0]).shape == (40,)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_folds_are_told(rows, n_jobs):
    listener = Listener()
    selector = SVMRFECV(SVC(), cv=3, n_jobs=n_jobs).set_callbacks(listener).fit(*rows)
    ended = [one[2] for one in listener.heard if one[:2] == ("end", "elimination")]
    assert sorted(ended) == [0, 1, 2, 3]
    assert listener.heard[-2:] == [("end", "fit", 0), "teardown"]
    assert selector.n_features_ == SVMRFECV(SVC(), cv=3).fit(*rows).n_features_


def test_callbacks_are_let_go_when_a_fit_fails(rows):
    class Broken:
        def scores(self, context):
            raise RuntimeError("broken")

    listener = Listener()
    with pytest.raises(RuntimeError, match="broken"):
        SVMRFE(SVC(), criterion=Broken()).set_callbacks(listener).fit(*rows)
    assert listener.heard[-1] == "teardown"


def test_callbacks_of_a_pipeline_reach_the_selector(rows):
    listener = Listener()
    chain = make_pipeline(StandardScaler(), SVMRFE(SVC(), n_features_to_select=6))
    chain.set_callbacks(listener).fit(*rows)
    names = [one[1] for one in listener.heard if one[0] == "end"]
    assert names.count("eliminate") == 2
    assert listener.heard.count("setup") == listener.heard.count("teardown") == 1


def test_progress_bar_of_scikit_learn(rows, capsys):
    pytest.importorskip("rich")
    bar = sklearn_callback.ProgressBar()
    SVMRFECV(SVC(), cv=3).set_callbacks(bar).fit(*rows)
    SVMRFE(SVC()).set_callbacks(bar).fit(*rows)
    assert "SVMRFECV" in capsys.readouterr().out


def test_a_version_without_callbacks(rows, monkeypatch):
    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr(callbacks, "importlib", SimpleNamespace(import_module=absent))
    monkeypatch.setattr(callbacks, "INTERFACE", callbacks._interface())
    assert callbacks.INTERFACE is None
    listener = Listener()
    clone(SVMRFE(SVC())).set_callbacks(listener).fit(*rows)
    assert listener.heard == []
