"""Checkpoint files: what they hold, when they are written, what is refused."""

import dataclasses
import os
import zipfile

import numpy as np
import pytest
from scipy import sparse

from svsieve import criteria, kernels, machines
from svsieve.elimination import Data, Parts, Path, Stretch, Subsample, Task
from svsieve.elimination.recorder import PathRecorder
from svsieve.store import Checkpoint, Fingerprint
from svsieve.store import checkpoint as module
from svsieve.store.checkpoint import stored_seed

PRINT = Fingerprint("a", "b", "c", 7)


def path_of(n_columns=6, steps=3, **facts):
    """A path that drops one column per step, from the last on."""
    recorder = PathRecorder(n_columns, notes=facts.pop("notes", None))
    zeros = np.zeros(steps)
    recorder.add(
        Stretch(
            first=1,
            size=n_columns,
            counts=np.ones(steps, dtype=np.int64),
            dropped=np.arange(n_columns)[::-1][:steps],
            scores=np.arange(steps, dtype=float),
            following=np.arange(steps) + 1.0,
            kkt_gap=zeros,
            accuracy=zeros,
            seconds=zeros,
            tied=np.zeros(steps, dtype=bool),
        )
    )
    return dataclasses.replace(recorder.path(), **facts)


class Clock:
    def __init__(self):
        self.now = 0.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(module, "time", clock)
    return clock


@pytest.fixture
def file(tmp_path):
    return tmp_path / "run.npz"


# --- reading and writing ---------------------------------------------------------------------


def test_what_was_written_is_read(file):
    path = path_of(notes={"seed": 7})
    Checkpoint(file, PRINT).write(lambda: path, last=True)
    found = Checkpoint(file, PRINT).read()
    assert found.same_ranking(path)
    np.testing.assert_array_equal(found.scores, path.scores)
    assert found.notes == {"seed": 7}
    assert found.stopped == "running"


def test_checkpoint_is_a_path_file_without_pickles(file):
    Checkpoint(file, PRINT).write(path_of, last=True)
    assert Path.load(file).n_steps == 3
    with np.load(file, allow_pickle=False) as archive:
        assert all(archive[name].dtype != object for name in archive.files)


def test_no_file_is_no_path(file):
    assert Checkpoint(file, PRINT).read() is None
    assert stored_seed(file) is None


def test_seed_of_the_run_is_told(file):
    Checkpoint(file, PRINT).write(path_of, last=True)
    assert stored_seed(file) == 7


def test_written_at_most_once_a_second_and_at_the_end(file, clock):
    checkpoint = Checkpoint(file, PRINT)
    asked = []

    def made():
        asked.append(clock.now)
        return path_of()

    for tenth in range(35):
        clock.now = tenth / 10
        checkpoint.write(made)
    assert len(asked) == 3
    assert np.diff(asked).min() >= 1.0
    checkpoint.write(made, last=True)
    assert len(asked) == 4


def test_slow_writing_is_done_less_often(file, clock, monkeypatch):
    checkpoint = Checkpoint(file, PRINT)
    made = []

    def slow():
        made.append(clock.now)
        clock.now += 2.0
        return path_of()

    for second in range(200):
        clock.now = max(clock.now, float(second))
        checkpoint.write(slow)
    assert np.diff(made).min() >= 40.0


def test_full_disk_does_not_end_the_run(file, monkeypatch):
    Checkpoint(file, PRINT).write(path_of, last=True)
    before = file.read_bytes()

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.warns(UserWarning, match=r"run.npz' could not be written .*No space left"):
        Checkpoint(file, PRINT).write(lambda: path_of(steps=4), last=True)
    assert file.read_bytes() == before
    assert [entry.name for entry in file.parent.iterdir()] == ["run.npz"]


def test_half_written_files_of_killed_runs_are_swept_up(file):
    stale = file.with_name("run.npz.0123abcd.tmp")
    others = [file.with_name(name) for name in ("run.npz.tmp", "other.npz.0123abcd.tmp")]
    for entry in (stale, *others):
        entry.write_bytes(b"half")
    Checkpoint(file, PRINT).read()
    assert not stale.exists()
    assert all(entry.exists() for entry in others)


def test_sixty_thousand_columns_stay_small(file):
    rng = np.random.default_rng(0)
    path = path_of(60_000, 59_999)
    noisy = {name: rng.random(59_999) for name in ("scores", "following", "kkt_gap", "seconds")}
    path = dataclasses.replace(path, dropped=rng.permutation(path.dropped), **noisy)
    Checkpoint(file, PRINT).write(lambda: path, last=True)
    assert file.stat().st_size < 3 * 2**20


# --- what is refused, and left in place ------------------------------------------------------


def damage(file, how):
    content = file.read_bytes()
    if how == "empty":
        file.write_bytes(b"")
    elif how == "garbage":
        file.write_bytes(np.random.default_rng(0).bytes(2000))
    elif how == "truncated":
        file.write_bytes(content[: len(content) // 2])
    elif how == "cut by a byte":
        file.write_bytes(content[:-1])
    elif how == "flipped":
        middle = content.index(b"dropped.npy") + 60
        file.write_bytes(content[:middle] + bytes([content[middle] ^ 0xFF]) + content[middle + 1 :])
    elif how == "lacking":
        with zipfile.ZipFile(file) as old:
            kept = {name: old.read(name) for name in old.namelist() if "scores" not in name}
        with zipfile.ZipFile(file, "w") as new:
            for name, data in kept.items():
                new.writestr(name, data)
    elif how == "text":
        file.write_text("column,rank\n1,2\n")
    elif how == "no fingerprint":
        path_of().save(file)
    elif how == "pickle":
        with file.open("wb") as handle:
            np.savez(handle, facts=np.array([{"a": 1}], dtype=object))


@pytest.mark.parametrize(
    "how",
    [
        "empty",
        "garbage",
        "truncated",
        "cut by a byte",
        "flipped",
        "lacking",
        "text",
        "no fingerprint",
        "pickle",
    ],
)
def test_damaged_file_is_refused_and_left_in_place(file, how):
    Checkpoint(file, PRINT).write(path_of, last=True)
    damage(file, how)
    before = file.read_bytes()
    for read in (Checkpoint(file, PRINT).read, lambda: stored_seed(file)):
        with pytest.raises(ValueError, match=r"Checkpoint .*run.npz' is damaged.*left in place"):
            read()
    assert file.read_bytes() == before


def test_other_format_is_refused(file, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(module, "FORMAT", 2)
        Checkpoint(file, PRINT).write(path_of, last=True)
    with pytest.raises(ValueError, match="has format 2, this version reads 1"):
        Checkpoint(file, PRINT).read()


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("data", "x", r"another run: the data \(X\) differ"),
        ("labels", "x", r"the labels or weights"),
        ("options", "x", r"the options differ"),
        ("seed", 8, r"the seed \(random_state\) differ"),
    ],
)
def test_other_run_is_refused_and_what_differs_is_named(file, field, value, message):
    Checkpoint(file, PRINT).write(path_of, last=True)
    with pytest.raises(ValueError, match=message):
        Checkpoint(file, dataclasses.replace(PRINT, **{field: value})).read()


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        (3, TypeError, "name of a file. Got 3"),
        ("", TypeError, "name of a file. Got ''"),
        (b"run", TypeError, "name of a file"),
        (".", ValueError, "is a folder"),
        ("absent/run.npz", ValueError, "folder of checkpoint 'absent/run.npz' does not exist"),
    ],
)
def test_names_that_cannot_be(name, error, message):
    with pytest.raises(error, match=message):
        Checkpoint(name, PRINT)


# --- fingerprints ----------------------------------------------------------------------------


def run(X=None, labels=None, weights=None, groups=None, counts=None, **options):
    X = np.arange(12.0).reshape(4, 3) if X is None else X
    labels = np.array([1.0, 1.0, -1.0, -1.0]) if labels is None else labels
    groups = (labels > 0).astype(np.int64) if groups is None else groups
    options = {"kernel": kernels.Rbf(gamma=0.5), "machine": machines.CSvm(1.0)} | options
    data = Data(X, (Task(None, labels, weights),), groups, counts)
    return Fingerprint.of(data, Parts(**options))


class Own:
    """A criterion of a user's own, without a repr."""

    def __init__(self, power=1.0):
        self.power = power

    def scores(self, context):
        return np.ones(context.state.n_kept)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"criterion": Own()},
        {"kernel": kernels.Rbf(gamma="scale") + 2.0 * kernels.Linear()},
        {"keep": np.arange(2)},
        {"sampler": Subsample(0.5), "seed": 3},
    ],
)
def test_equal_runs_have_equal_fingerprints(options):
    again = dict(options)
    if "criterion" in options:
        again["criterion"] = Own()
    assert run(**options) == run(**again)


@pytest.mark.parametrize(
    ("change", "differing"),
    [
        ({"X": np.arange(12.0).reshape(4, 3) + 1e-15 * np.eye(4, 3)}, ["data"]),
        ({"X": np.arange(12.0).reshape(3, 4).T.copy()}, ["data"]),
        ({"X": sparse.csr_array(np.arange(12.0).reshape(4, 3))}, ["data"]),
        ({"labels": np.array([1.0, -1.0, 1.0, -1.0])}, ["labels"]),
        ({"weights": np.array([1.0, 1.0, 1.0, 2.0])}, ["labels"]),
        ({"groups": np.array([0, 1, 1, 1])}, ["labels"]),
        ({"counts": np.array([1.0, 1.0, 1.0, 2.0])}, ["labels"]),
        ({"kernel": kernels.Rbf(gamma=0.6)}, ["options"]),
        ({"kernel": kernels.Laplace(gamma=0.5)}, ["options"]),
        ({"machine": machines.L2Svm(1.0)}, ["options"]),
        ({"criterion": criteria.WeightNorm(order=1)}, ["options"]),
        ({"criterion": Own()}, ["options"]),
        ({"least": 2}, ["options"]),
        ({"keep": np.array([1])}, ["options"]),
        ({"tol": 1e-9}, ["options"]),
        ({"kernel": kernels.Linear(), "bias": 1.0}, ["options"]),
        ({"seed": 1}, ["seed"]),
        ({"seed": 1, "least": 2}, ["options", "seed"]),
    ],
)
def test_every_difference_is_seen_and_named(change, differing):
    assert run().differences(run(**change)) == differing


def test_long_arrays_are_told_apart_in_the_middle():
    keep = np.arange(5000)
    other = np.delete(np.arange(5001), 2500)
    assert run(keep=keep).differences(run(keep=other)) == ["options"]
    assert run(criterion=Own(1.0)).differences(run(criterion=Own(2.0))) == ["options"]


def test_sparse_tables_of_one_pattern_are_told_apart():
    X = sparse.csr_array(np.eye(4, 3))
    assert run(X=X).differences(run(X=2 * X)) == ["data"]
    assert run(X=X) == run(X=X.copy())
    moved = sparse.csr_array(np.roll(np.eye(4, 3), 1, axis=1))
    assert run(X=X).differences(run(X=moved)) == ["data"]
