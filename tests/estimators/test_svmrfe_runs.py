"""Long runs: Ctrl-C, convergence, progress and checkpoints."""

import signal
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from svsieve import SVC, SVMRFE, samplers
from svsieve.criteria import WeightNorm
from svsieve.elimination import Path
from svsieve.elimination.engines import wide_linear
from svsieve.estimators import run
from svsieve.store import checkpoint as store


@pytest.fixture
def rows():
    return make_classification(50, 20, n_informative=6, random_state=0)


class Interrupted:
    """The usual criterion, with Ctrl-C pressed at one call."""

    def __init__(self, call):
        self.call = call
        self.calls = 0

    def scores(self, context, usual=WeightNorm.scores):
        self.calls += 1
        if self.calls == self.call:
            signal.raise_signal(signal.SIGINT)
        return usual(WeightNorm(), context)


# --- Ctrl-C ----------------------------------------------------------------------------------


def test_interruption_keeps_the_path_so_far(rows):
    X, y = rows
    whole = SVMRFE(SVC(), n_features_to_select=1).fit(X, y)
    selector = SVMRFE(SVC(), n_features_to_select=1, criterion=Interrupted(6))
    with pytest.warns(
        UserWarning, match=r"interrupted after 5 steps; the 15 of 20 columns"
    ) as seen:
        fitted = selector.fit(X, y)
    assert fitted is selector
    assert seen[0].filename == __file__
    assert selector.path_.stopped == "interrupted"
    assert selector.path_.engine
    np.testing.assert_array_equal(selector.path_.dropped, whole.path_.dropped[:5])
    assert selector.n_features_ == 15
    assert selector.estimator_.n_features_in_ == 15
    assert selector.score(X, y) > 0.5


def test_interruption_before_the_first_step(rows):
    X, y = rows
    with pytest.warns(UserWarning, match="interrupted after 0 steps"):
        selector = SVMRFE(SVC(), criterion=Interrupted(1)).fit(X, y)
    assert selector.support_.all()


def test_interruption_of_many_steps_at_once(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 3000)), np.arange(30) % 2
    whole = SVMRFE(n_features_to_select=1).fit(X, y).path_
    assert whole.engine == "wide-linear"
    monkeypatch.setattr(wide_linear, "MOST_STEPS", 500)
    advance, calls = wide_linear.WideLinearEngine.advance, []

    def pressed(self, turn):
        calls.append(turn)
        if len(calls) == 4:
            signal.raise_signal(signal.SIGINT)
        return advance(self, turn)

    monkeypatch.setattr(wide_linear.WideLinearEngine, "advance", pressed)
    with pytest.warns(UserWarning, match="interrupted after 1500 steps; the 1500 of 3000"):
        path = SVMRFE(n_features_to_select=1).fit(X, y).path_
    np.testing.assert_array_equal(path.dropped, whole.dropped[:1500])


def test_second_interruption_ends_the_fit(rows, monkeypatch):
    def pressed_again(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(SVC, "fit", pressed_again)
    selector = SVMRFE(SVC(), criterion=Interrupted(3))
    with pytest.raises(KeyboardInterrupt), pytest.warns(UserWarning, match="interrupted"):
        selector.fit(*rows)


def test_interrupted_run_is_resumed_from_its_checkpoint(rows, tmp_path, monkeypatch):
    X, y = rows
    file = tmp_path / "run.npz"
    whole = SVMRFE(SVC(), n_features_to_select=1).fit(X, y)
    machine = clone(whole).set_params(checkpoint=file)
    scores, pressed = WeightNorm.scores, Interrupted(8).scores
    with monkeypatch.context() as patch:
        patch.setattr(WeightNorm, "scores", lambda self, context: pressed(context, scores))
        patch.setattr(WeightNorm, "least", lambda self, context, count: None, raising=False)
        with pytest.warns(UserWarning, match="checkpoint resumes it"):
            machine.fit(X, y)
    begun = Path.load(file)
    assert (begun.stopped, begun.n_steps) == ("interrupted", 7)
    assert machine.fit(X, y).path_.same_ranking(whole.path_)


# --- convergence -----------------------------------------------------------------------------


def test_steps_that_do_not_converge_are_told(rows):
    X, y = rows
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        selector = SVMRFE(SVC(max_iter=1), n_features_to_select=15).fit(X, y)
    (told,) = [w for w in seen if "did not converge" in str(w.message)]
    assert issubclass(told.category, ConvergenceWarning)
    assert told.filename == __file__
    worst = selector.path_.kkt_gap.max()
    assert worst > 1e-8
    assert f"the largest KKT gap is {worst:.3g}" in str(told.message)
    assert "6 of 6 fits" in str(told.message)


def wide_column(factor):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 40)), np.arange(60) % 2
    X[:, 12] *= factor
    return X, y


MAKERS = {"free": lambda: SVC(kernel="linear"), "penalised": lambda: LinearSVC(dual="auto")}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_a_wide_column_is_no_reason_to_warn_where_scores_are_known(make):
    X, y = wide_column(1e8)
    plain = SVMRFE(make(), n_features_to_select=1)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="SVMRFE")
        warnings.filterwarnings("ignore", message="SVC|Liblinear")
        plain.fit(X, y)
    assert plain.path_.largest_gap <= 1e-8


def test_a_column_too_wide_to_see_the_others_beside_it_is_named():
    X, y = wide_column(1e13)
    frame = pd.DataFrame(X, columns=[f"gene {j}" for j in range(40)])
    with pytest.warns(ConvergenceWarning) as seen:
        SVMRFE(SVC(kernel="linear"), n_features_to_select=1).fit(frame, y)
    (told,) = [str(w.message) for w in seen if "SVMRFE" in str(w.message)]
    assert "Column 12 ('gene 12') varies 1e+13 times as much as the median column" in told
    assert told.endswith("scale the columns.")
    assert "max_iter" not in told


def test_ranking_is_solved_further_than_the_estimator_asks(rows):
    X, y = rows
    coarse = SVMRFE(SVC(tol=0.5), n_features_to_select=1).fit(X, y)
    fine = SVMRFE(SVC(tol=1e-12), n_features_to_select=1).fit(X, y)
    assert (coarse.path_.kkt_gap <= 1e-8).all()
    assert coarse.path_.same_ranking(fine.path_)


# --- progress --------------------------------------------------------------------------------


def test_progress_is_shown_on_stderr_only(rows, capsys):
    X, y = rows
    SVMRFE(n_features_to_select=4, progress=True).fit(X, y)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "4 of 20 columns left" in shown.err
    assert "\r" not in shown.err
    SVMRFE(n_features_to_select=4).fit(X, y)
    assert capsys.readouterr().err == ""


def test_last_fit_is_judged_like_the_steps(tmp_path):
    """No step is made here: all that is ranked is ranked by the last fit."""
    X, y = make_classification(120, 10, n_informative=4, flip_y=0.2, random_state=1)
    with warnings.catch_warnings():  # estimator_ says on its own behalf that it did not converge
        warnings.filterwarnings("ignore", "SVC stopped")
        with pytest.warns(
            ConvergenceWarning, match=r"SVMRFE: 1 of 1 fits .* \(the last, on the columns kept"
        ):
            hasty = SVMRFE(SVC(C=100, max_iter=2), n_features_to_select=10).fit(X, y).path_
    assert hasty.n_steps == 0
    assert hasty.final_kkt_gap > 0.1
    assert hasty.largest_gap == hasty.final_kkt_gap
    hasty.save(tmp_path / "path.npz")
    assert Path.load(tmp_path / "path.npz").final_kkt_gap == hasty.final_kkt_gap
    sound = SVMRFE(SVC(C=100), n_features_to_select=10).fit(X, y).path_
    assert sound.final_kkt_gap <= 1e-8
    assert not sound.same_ranking(hasty, rtol=np.inf)


# --- checkpoints -----------------------------------------------------------------------------


@pytest.fixture
def eager(monkeypatch):
    """Write a checkpoint after every step."""
    monkeypatch.setattr(store, "WRITE_SECONDS", 0.0)
    monkeypatch.setattr(store, "WRITE_SHARE", 1e9)


class Killed(BaseException):
    """What a test raises where a process would die."""


@pytest.fixture
def dies_after(monkeypatch):
    """Let a fit die when its n-th checkpoint has been written."""

    def arrange(count):
        write = store.Checkpoint.write
        written = []

        def counted(self, make_path, state=None, *, last=False):
            write(self, make_path, state, last=last)
            written.append(1)
            if len(written) == count:
                raise Killed

        monkeypatch.setattr(store.Checkpoint, "write", counted)

    return arrange


@pytest.mark.parametrize("estimator", [SVC(kernel="linear"), SVC(), SVC(kernel="poly", coef0=1.0)])
@pytest.mark.parametrize("sampler", [None, 0.7, samplers.Bootstrap(2)])
@pytest.mark.usefixtures("eager")
def test_killed_run_is_resumed_to_the_same_result(rows, tmp_path, dies_after, estimator, sampler):
    X, y = rows
    plain = SVMRFE(estimator, n_features_to_select=1, sampler=sampler, random_state=3).fit(X, y)
    machine = clone(plain).set_params(checkpoint=tmp_path / "run.npz")
    dies_after(1)
    with pytest.raises(Killed):
        machine.fit(X, y)
    begun = Path.load(tmp_path / "run.npz")
    assert begun.stopped == "running"
    dies_after(-1)
    resumed = machine.fit(X, y)
    assert resumed.path_.same_ranking(plain.path_, rtol=0)
    np.testing.assert_array_equal(resumed.path_.kkt_gap, plain.path_.kkt_gap)
    np.testing.assert_array_equal(resumed.ranking_, plain.ranking_)
    assert resumed.path_.stopped == "size"
    assert [file.name for file in tmp_path.iterdir()] == ["run.npz"]


@pytest.mark.parametrize("moment", range(1, 9))
def test_ctrl_c_between_two_steps_leaves_what_belongs_together(rows, tmp_path, monkeypatch, moment):
    """Path and state of the engine in the file are those of the same step, at any moment."""
    X, y = rows
    plain = SVMRFE(SVC(kernel="linear"), n_features_to_select=1)
    whole = plain.fit(X, y).path_
    machine = clone(plain).set_params(checkpoint=tmp_path / "run.npz")
    monkeypatch.setattr(wide_linear, "MOST_SECONDS", 0.0)
    calls, real = [], run.replace

    def interrupted(*given, **changes):
        calls.append(1)
        if len(calls) == moment:
            raise KeyboardInterrupt
        return real(*given, **changes)

    monkeypatch.setattr(run, "replace", interrupted)
    with pytest.warns(UserWarning, match="was interrupted"):
        machine.fit(X, y)
    monkeypatch.setattr(run, "replace", real)
    assert machine.fit(X, y).path_.same_ranking(whole, rtol=0)


def test_a_finished_run_keeps_no_state(rows, tmp_path):
    X, y = rows
    file = tmp_path / "run.npz"
    SVMRFE(SVC(kernel="linear"), checkpoint=file).fit(X, y)
    with np.load(file) as archive:
        assert not any(name.startswith("state ") for name in archive.files)


@pytest.mark.usefixtures("eager")
def test_a_state_of_another_version_is_left_alone(rows, tmp_path, dies_after):
    """The run goes on from the steps that are there, from a cold start."""
    X, y = rows
    file = tmp_path / "run.npz"
    machine = SVMRFE(SVC(), n_features_to_select=1, checkpoint=file)
    dies_after(5)
    with pytest.raises(Killed):
        machine.fit(X, y)
    with np.load(file) as archive:
        entries = {name: archive[name] for name in archive.files}
    assert any(name.startswith("state ") for name in entries)
    entries = {name: v for name, v in entries.items() if name != "state made at"}
    with file.open("wb") as handle:
        np.savez(handle, **entries)
    dies_after(-1)
    resumed = machine.fit(X, y).path_
    assert resumed.same_ranking(SVMRFE(SVC(), n_features_to_select=1).fit(X, y).path_)


@pytest.mark.usefixtures("eager")
def test_run_without_a_seed_goes_on_with_that_of_its_checkpoint(rows, tmp_path, dies_after):
    X, y = rows
    machine = SVMRFE(SVC(), sampler=0.5, checkpoint=tmp_path / "run.npz", n_features_to_select=1)
    dies_after(3)
    with pytest.raises(Killed):
        machine.fit(X, y)
    dies_after(-1)
    resumed = machine.fit(X, y).path_
    again = machine.fit(X, y).path_
    assert resumed.same_ranking(again)


def test_finished_run_is_not_run_again(rows, tmp_path, monkeypatch):
    X, y = rows
    machine = SVMRFE(SVC(), checkpoint=str(tmp_path / "run.npz"))
    first = machine.fit(X, y).path_

    def walked(*args, **kwargs):
        raise AssertionError("walked again")

    monkeypatch.setattr("svsieve.estimators.run.walk", walked)
    named = pd.DataFrame(X, columns=[f"gene {j}" for j in range(20)])
    again = machine.fit(named, y)
    assert again.path_.same_ranking(first)
    np.testing.assert_array_equal(again.path_.survivor_scores, first.survivor_scores)
    assert again.path_.column_names[3] == "gene 3"
    assert again.score(named, y) > 0.5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"C": 2.0}, "the options differ"),
        ({"X": 1e-9}, r"the data \(X\) differ"),
        ({"y": 1}, r"the labels or weights of the rows \(y, sample_weight\) differ"),
        ({"weight": 2.0}, r"the labels or weights of the rows \(y, sample_weight\) differ"),
        ({"seed": 4}, r"the seed \(random_state\) differ"),
        ({"seed": 4, "C": 2.0}, r"the options and the seed \(random_state\) differ"),
    ],
)
def test_checkpoint_of_another_run_is_refused_and_left(rows, tmp_path, change, message):
    X, y = rows
    file = tmp_path / "run.npz"
    options = {"sampler": 0.5, "checkpoint": file}
    SVMRFE(SVC(), random_state=3, **options).fit(X, y)
    before = file.read_bytes()
    X, y = X.copy(), y.copy()
    X[0, 0] += change.get("X", 0.0)
    if "y" in change:
        y[:2] = 1 - y[:2]
    weights = np.ones(50)
    weights[0] = change.get("weight", 1.0)
    machine = SVMRFE(SVC(C=change.get("C", 1.0)), random_state=change.get("seed", 3), **options)
    with pytest.raises(ValueError, match=rf"Checkpoint .*run.npz' belongs.*{message}. It is left"):
        machine.fit(X, y, sample_weight=weights)
    assert file.read_bytes() == before


def test_weights_of_one_are_no_weights(rows, tmp_path):
    X, y = rows
    machine = SVMRFE(SVC(), checkpoint=tmp_path / "run.npz")
    machine.fit(X, y)
    machine.fit(X, y, sample_weight=np.ones(50))


@pytest.mark.parametrize("content", [b"", b"not an archive", b"PK\x03\x04 cut short"])
def test_damaged_checkpoint_is_refused_and_left(rows, tmp_path, content):
    file = tmp_path / "run.npz"
    file.write_bytes(content)
    with pytest.raises(ValueError, match=r"Checkpoint .*run.npz' is damaged.*left in place"):
        SVMRFE(SVC(), checkpoint=file).fit(*rows)
    assert file.read_bytes() == content
