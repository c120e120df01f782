"""Disks that are full, read-only or odd: what was found is not lost, and nothing is left behind."""

import errno
import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

from svsieve import RunStore
from svsieve.half_done import beside, sweep
from svsieve.store import run_file, run_rows
from tests.store.test_damaged_stores import CURVE, FACTS, FINGERPRINT, KEYS, PATH, old

LEFT = "could not be written .*the run goes on with its results in memory"


@pytest.fixture
def file(tmp_path):
    return tmp_path / "run.db"


def failing(code, text):
    error = sqlite3.OperationalError(text)
    error.sqlite_errorcode = code
    return error


class Failing:
    """A connection that fails at statements which begin in a certain way."""

    def __init__(self, connection, start, error):
        self._connection, self._start, self._error = connection, start, error

    def execute(self, statement, *values):
        if statement.startswith(self._start):
            raise self._error
        return self._connection.execute(statement, *values)

    def __getattr__(self, name):
        return getattr(self._connection, name)


FAILURES = [
    failing(sqlite3.SQLITE_FULL, "database or disk is full"),
    failing(sqlite3.SQLITE_READONLY, "attempt to write a readonly database"),
    failing(sqlite3.SQLITE_IOERR_WRITE, "disk I/O error"),
]


@pytest.mark.parametrize("error", FAILURES, ids=str)
@pytest.mark.parametrize("start", ["BEGIN", "INSERT INTO results", "COMMIT"])
def test_a_disk_that_fails_costs_no_result(file, error, start):
    with RunStore(file, FINGERPRINT) as store:
        store.finish(KEYS[0], [PATH], CURVE, FACTS)
        assert store.claim(KEYS) == KEYS[1]
        store._rows._connection = Failing(store._rows._connection, start, error)
        with pytest.warns(UserWarning, match=LEFT) as said:
            store.finish(KEYS[1], [PATH], CURVE, FACTS)
        assert "run.db" in str(said[0].message)
        assert str(error) in str(said[0].message)
        assert store.file is None
        assert store.done() == KEYS[:2]
        assert store.result(KEYS[1]).paths[0].same_ranking(PATH)
        assert store.claim(KEYS) == KEYS[2]
        store.finish(KEYS[2], [PATH], CURVE, FACTS)
        assert store.done() == KEYS[:3]
    with RunStore(file, FINGERPRINT) as store:
        assert store.done() == KEYS[:1]


def test_what_others_had_claimed_is_free_once_they_cannot_be_heard(file):
    with RunStore(file, FINGERPRINT) as other, RunStore(file, FINGERPRINT) as store:
        assert other.claim(KEYS) == KEYS[0]
        store._rows._connection = Failing(store._rows._connection, "COMMIT", FAILURES[0])
        with pytest.warns(UserWarning, match=LEFT):
            assert store.claim(KEYS) == KEYS[0]
        assert other.claim(KEYS) == KEYS[1]


def test_where_no_store_can_be_made_everything_is_in_memory(file, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(run_rows, "make", full)
    with pytest.warns(UserWarning, match="No space left on device"):
        store = RunStore(file, FINGERPRINT)
    with store:
        store.finish(KEYS[0], [PATH], CURVE, FACTS)
        assert store.done() == KEYS[:1]
    assert not list(file.parent.iterdir())


FULL_DISK = """
import resource, sys, warnings
from svsieve import SVMRFECV, Grid, SVC
import numpy as np
rng = np.random.default_rng(0)
y = np.arange(40) % 2
X = rng.normal(size=(40, 12)); X[:, 3] += 2 * y
whole = SVMRFECV(SVC(), cv=4).fit(X, y)
cells = Grid(SVC(), {"C": [0.5, 1.0]}, cv=3).fit(X, y)
# No file may become larger: a full disk, as far as SQLite can tell.
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
for size in (0, 3_000, 30_000, 60_000, 70_000, 90_000):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = SVMRFECV(SVC(), cv=4, checkpoint=f"{sys.argv[1]}/run{size}").fit(X, y)
        grid = Grid(SVC(), {"C": [0.5, 1.0]}, cv=3, store=f"{sys.argv[1]}/grid{size}").fit(X, y)
    assert found.choice_ == whole.choice_
    assert (found.path_.order == whole.path_.order).all()
    assert [c.path.order.tolist() for c in grid.cells_] == [
        c.path.order.tolist() for c in cells.cells_]
    assert [c.choice() for c in grid.cells_] == [c.choice() for c in cells.cells_]
    texts = [str(one.message) for one in said]
    assert all("the run goes on" in text for text in texts), texts
    assert sum("run" + str(size) in text for text in texts) == 1, (size, texts)
    assert sum("grid" + str(size) in text for text in texts) == 1, (size, texts)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
"""


def test_selectors_and_grids_go_on_where_files_cannot_grow(tmp_path):
    pytest.importorskip("resource")
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    assert not list(tmp_path.glob("*.tmp*"))


@pytest.mark.parametrize("error", [PermissionError, OSError])
def test_a_file_system_without_hard_links_will_do(file, monkeypatch, error):
    def refused(*_, **__):
        raise error(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", refused)
    with RunStore(file, FINGERPRINT) as store:
        store.finish(KEYS[0], [PATH], CURVE, FACTS)
        with RunStore(file, FINGERPRINT) as other:
            assert other.done() == KEYS[:1]
            # Whoever makes one at the same time finds that there is one.
            run_file.make(file, FINGERPRINT)
            assert other.done() == store.done() == KEYS[:1]
    assert [one.name for one in file.parent.iterdir()] == [file.name]


KILLED = """
import sys, os, signal
from pathlib import Path
from svsieve.store import run_file
def killed(*_):
    os.kill(os.getpid(), signal.SIGKILL)
setattr(run_file, sys.argv[2], killed)
run_file.make(Path(sys.argv[1]), {})
"""


@pytest.mark.parametrize("at", ["_put", "lay_out"])
def test_what_a_killed_process_left_of_a_store_is_swept(file, at):
    done = subprocess.run([sys.executable, "-c", KILLED, str(file), at], timeout=120)
    assert done.returncode == -signal.SIGKILL
    assert list(file.parent.glob("run.db.*.tmp"))
    (file.parent / "run.db.0123abcd.tmp-wal").write_text("")
    (file.parent / "run.db.backup.tmp").write_text("mine")
    RunStore(file, FINGERPRINT).close()
    assert {one.name for one in file.parent.iterdir()} == {"run.db", "run.db.backup.tmp"}


def test_what_another_process_is_writing_is_not_swept(tmp_path):
    target = tmp_path / "results"
    holds = f"""
import sys
from pathlib import Path
from svsieve.half_done import beside
target = Path({str(target)!r})
with beside(target), beside(target, hidden=True, is_folder=True):
    print("there", flush=True)
    sys.stdin.read()
"""
    process = subprocess.Popen(
        [sys.executable, "-c", holds], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "there\n"
    sweep(target)
    assert len(list(tmp_path.iterdir())) == 2
    process.kill()
    process.wait()
    process.stdin.close()
    process.stdout.close()
    sweep(target)
    assert not list(tmp_path.iterdir())


def _make_many(target, name):
    for _ in range(200):
        sweep(target)
        with beside(target, is_folder=name == "folders") as path:
            assert path.exists()
            place = path / "a" if path.is_dir() else path
            beside_it = path.with_name(f"{path.name}-journal")
            place.write_text("written")
            beside_it.write_text("of SQLite's")
            assert place.read_text() == "written"
            assert beside_it.exists()


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("name", ["files", "folders"])
def test_processes_that_begin_at_the_same_time_do_not_sweep_each_other(tmp_path, name):
    context = multiprocessing.get_context("fork")
    target = tmp_path / "results"
    workers = [context.Process(target=_make_many, args=(target, name)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    assert not list(tmp_path.iterdir())


def test_sweeping_leaves_folders_inside_and_what_links_point_to(tmp_path):
    target, mine = tmp_path / "results", tmp_path / "mine"
    mine.mkdir()
    (mine / "precious").write_text("1")
    link = tmp_path / ".results.01234567.tmp"
    link.symlink_to(mine)
    full = tmp_path / ".results.aaaaaaaa.tmp"
    (full / "inside").mkdir(parents=True)
    (full / "inside" / "precious").write_text("2")
    (full / "link").symlink_to(mine)
    sweep(target)
    assert {one.name for one in tmp_path.iterdir()} == {"mine", full.name, link.name}
    assert (mine / "precious").read_text() == "1"
    assert (full / "inside" / "precious").read_text() == "2"


def test_a_beat_from_the_future_is_none(file, monkeypatch):
    with RunStore(file, FINGERPRINT) as first, RunStore(file, FINGERPRINT) as second:
        first.claim(KEYS[:1])
        first._rows.changed(
            lambda connection: connection.execute(
                "UPDATE cells SET heartbeat = ?", (time.time() + 1e6,)
            )
        )
        assert second.claim(KEYS[:1]) == KEYS[0]


def test_a_store_of_version_0_1_0_that_cannot_be_opened_is_copied(file, monkeypatch):
    def connected(name):
        raise failing(sqlite3.SQLITE_CANTOPEN, "unable to open database file")

    monkeypatch.setattr(run_rows, "connected", connected)
    with pytest.warns(UserWarning, match="unable to open database file"):
        store = RunStore(old(file), FINGERPRINT)
    with store:
        assert store.file is None
        assert store.result(KEYS[3]).curve == CURVE
        store.finish(KEYS[5], [PATH], CURVE, FACTS)
        assert store.done() == [*KEYS[:4], KEYS[5]]
