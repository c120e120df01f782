"""The run store: who may do which cell, what is kept, and which files are refused."""

import multiprocessing
import os
import sqlite3
import time
from pathlib import Path as FilePath

import numpy as np
import pandas as pd
import pytest

from svsieve import RunStore, criteria, samplers, schedules
from svsieve.elimination import Path
from svsieve.store import owners, run_store, settings_key
from svsieve.store.settings import settings_of

FINGERPRINT = {"the data (X)": "a" * 64, "the folds (cv)": "b" * 64, "the version": "1.0"}
KEYS = [settings_key({"C": C, "step": schedules.Fraction(0.5)}) for C in (1.0, 2.0, 3.0)]
CURVE = {"sizes": [1, 3], "held_out": {"accuracy": [[0.1 + 0.2, float("nan")]]}, "train": None}

# What the children do, SQLite and a few small arrays, needs no thread that a fork leaves behind.
pytestmark = pytest.mark.filterwarnings(
    "ignore:This process .* is multi-threaded:DeprecationWarning"
)
in_processes = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a POSIX system")


def path(seed=0):
    scores = np.random.default_rng(seed).random(5)
    return Path.from_scores(scores, names=[f"gene {j}" for j in range(5)])


def contents(folder):
    return {file.name: file.read_bytes() for file in FilePath(folder).iterdir()}


@pytest.fixture
def file(tmp_path):
    return tmp_path / "grid.db"


# --- cells -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kept", [False, True], ids=["memory", "file"])
def test_a_cell_is_claimed_once_and_finished(file, kept):
    with RunStore(file if kept else None, FINGERPRINT) as store:
        assert store.claim([]) is None
        assert [store.claim(KEYS) for _ in range(4)] == [*KEYS, None]
        assert store.states() == dict.fromkeys(KEYS, "claimed")
        store.finish(KEYS[1], [path(1), path(2)], CURVE, {"seconds": 0.1})
        store.fail(KEYS[2], "It cannot be done.")
        assert store.claim(KEYS) is None
        assert store.done() == [KEYS[1]]
        assert store.failures() == {KEYS[2]: "It cannot be done."}
        store.reopen(KEYS)
        assert store.states() == dict(zip(KEYS, ("claimed", "done", "open"), strict=True))
        assert store.claim(KEYS) == KEYS[2]


def test_results_come_back_bit_by_bit(file):
    with RunStore(file, FINGERPRINT) as store:
        store.finish(KEYS[0], [path(1), path(2)], CURVE, {"seconds": 1 / 3, "engine": "kernel"})
    with RunStore(file, FINGERPRINT) as store:
        result = store.result(KEYS[0])
        assert store.result(KEYS[0], with_paths=False).archives == ()
        with pytest.raises(KeyError, match="no result of the cell"):
            store.result(KEYS[1])
    assert result.facts == {"seconds": 1 / 3, "engine": "kernel"}
    np.testing.assert_array_equal(
        result.curve["held_out"]["accuracy"], CURVE["held_out"]["accuracy"]
    )
    for found, seed in zip(result.paths, (1, 2), strict=True):
        assert found.same_ranking(path(seed))
        np.testing.assert_array_equal(found.importances, path(seed).importances)
        assert found.column_names == path(seed).column_names


def test_a_damaged_archive_is_refused():
    archive = run_store.packed(path())
    assert run_store.unpacked(archive).same_ranking(path())
    with pytest.raises(ValueError, match=r"The open file is damaged or is no path of svsieve"):
        run_store.unpacked(archive[:-40])


def test_the_first_result_stays():
    with RunStore(None, FINGERPRINT) as store:
        store.finish(KEYS[0], [path(1)], CURVE, {"by": 1})
        store.finish(KEYS[0], [path(2)], CURVE, {"by": 2})
        store.fail(KEYS[0], "too late")
        assert store.result(KEYS[0]).facts == {"by": 1}
        assert store.result(KEYS[0]).paths[0].same_ranking(path(1))
        assert store.failures() == {}


def test_nothing_of_a_result_that_cannot_be_kept_is(file):
    with RunStore(file, FINGERPRINT) as store:
        store.claim(KEYS)
        with pytest.raises(TypeError):
            store.finish(KEYS[0], [path(1), object()], CURVE, {})
        with pytest.raises(TypeError):
            store.finish(KEYS[0], [path(1)], CURVE, {"what": object()})
        assert store.states() == {KEYS[0]: "claimed"}
        store.finish(KEYS[0], [path(1)], CURVE, {})
        assert len(store.result(KEYS[0]).archives) == 1


def test_every_commit_reaches_the_disk(file):
    with RunStore(file, FINGERPRINT) as store:
        pragmas = [
            store._rows.read(f"PRAGMA {name}")[0][0] for name in ("journal_mode", "synchronous")
        ]
    assert pragmas == ["wal", 2]


# --- claims ----------------------------------------------------------------------------------


def test_closing_gives_claims_back(file):
    with RunStore(file, FINGERPRINT) as first, RunStore(file, FINGERPRINT) as second:
        assert first.claim(KEYS) == KEYS[0]
        assert second.claim(KEYS) == KEYS[1]
        second.finish(KEYS[1], [], CURVE, {})
        first.close()
        first.close()
        assert second.states() == {KEYS[0]: "open", KEYS[1]: "done"}
        assert second.claim(KEYS) == KEYS[0]
    assert contents(file.parent).keys() == {file.name}


def _claim_and_die(file):
    RunStore(file, FINGERPRINT).claim(KEYS)
    os._exit(1)


@in_processes
def test_the_claim_of_a_process_that_is_gone_is_free(file):
    with RunStore(file, FINGERPRINT) as store:
        child = multiprocessing.get_context("fork").Process(target=_claim_and_die, args=(file,))
        child.start()
        child.join()
        assert store.states() == {KEYS[0]: "claimed"}
        assert store.claim(KEYS) == KEYS[0]


def test_a_silent_claim_is_free_after_a_while(file, monkeypatch):
    with RunStore(file, FINGERPRINT) as first, RunStore(file, FINGERPRINT) as second:
        first.claim(KEYS[:1])
        assert second.claim(KEYS[:1]) is None
        monkeypatch.setattr(run_store, "SILENT_SECONDS", 0.05)
        time.sleep(0.1)
        assert second.claim(KEYS[:1]) == KEYS[0]


def test_a_claim_that_is_heard_of_is_not_free(file, monkeypatch):
    monkeypatch.setattr(run_store, "BEAT_SECONDS", 0.02)
    monkeypatch.setattr(run_store, "SILENT_SECONDS", 1.0)
    with RunStore(file, FINGERPRINT) as first, RunStore(file, FINGERPRINT) as second:
        first.claim(KEYS[:1])
        end = time.monotonic() + 1.5
        while time.monotonic() < end:
            assert second.claim(KEYS[:1]) is None
            time.sleep(0.05)


def test_who_is_gone():
    me = owners.this_process()
    host, number, birth = me.split(" ")
    assert not owners.is_gone(me)
    assert not owners.is_gone(f"{me} token")
    assert not owners.is_gone(f"elsewhere {number} {birth}")
    assert owners.is_gone(f"{host} {2**22 + 1} {birth}")  # beyond the numbers that Linux gives out
    if birth != "-":
        assert owners.is_gone(f"{host} {number} 1")  # the number was given out again


@in_processes
def test_who_is_gone_without_a_list_of_processes(monkeypatch):
    class Nowhere(type(FilePath())):
        def exists(self, **options):
            return False

    monkeypatch.setattr(owners, "FilePath", Nowhere)
    me = owners.this_process()
    assert me.endswith(" -")
    assert not owners.is_gone(me)
    child = multiprocessing.get_context("fork").Process(target=int)
    child.start()
    child.join()
    assert owners.is_gone(me.replace(str(os.getpid()), str(child.pid)))
    assert not owners.is_gone(me.replace(f" {os.getpid()} ", " 1 "))


def _work(file, started, answers):
    started.wait()
    mine = []
    with RunStore(file, FINGERPRINT) as store:
        while key := store.claim([str(number) for number in range(60)]):
            mine.append(key)
            store.finish(key, [path()], CURVE, {"by": os.getpid()})
    answers.put(mine)


@in_processes
def test_two_processes_make_one_store_and_share_its_cells(file):
    context = multiprocessing.get_context("fork")
    started, answers = context.Event(), context.Queue()
    workers = [context.Process(target=_work, args=(file, started, answers)) for _ in range(2)]
    for worker in workers:
        worker.start()
    started.set()
    shares = [answers.get(timeout=60) for _ in workers]
    for worker in workers:
        worker.join()
    assert sorted(shares[0] + shares[1], key=int) == [str(number) for number in range(60)]
    assert contents(file.parent).keys() == {file.name}


# --- tables ----------------------------------------------------------------------------------


def test_a_frame_of_all_cells(file):
    with RunStore(file, FINGERPRINT) as store:
        store.finish(KEYS[0], [path()], CURVE, {"score": 0.5})
        store.claim(KEYS)
        store.fail(KEYS[2], "No.")
        frame = store.to_frame()
    assert list(frame.columns) == ["C", "step", "state", "failure", "score"]
    assert frame["C"].tolist() == [1.0, 2.0, 3.0]
    assert frame["step"].unique().tolist() == ["Fraction(share=0.5)"]
    assert frame["state"].tolist() == ["done", "claimed", "failed"]
    assert frame["failure"].tolist()[2] == "No."
    assert frame["score"].isna().tolist() == [False, True, True]
    assert isinstance(RunStore(None).to_frame(), pd.DataFrame)


def test_a_store_can_be_read_without_its_data(file):
    with pytest.raises(ValueError, match="There is no run store"):
        RunStore(file)
    assert not file.exists()
    with RunStore(file, FINGERPRINT) as store:
        store.finish(KEYS[0], [path()], CURVE, {})
    with RunStore(file) as store:
        assert store.done() == KEYS[:1]


# --- settings as text ------------------------------------------------------------------------


def plain_function():
    return None


def test_equal_settings_have_equal_keys():
    one = {"C": np.float64(0.5), "degree": np.int64(3), "sizes": np.array([4, 2]), "on": True}
    other = {"on": True, "sizes": (4, 2), "degree": 3, "C": 0.5}
    assert settings_key(one) == settings_key(other)
    assert settings_key({"gamma": None}) != settings_key({"gamma": "None"})
    assert settings_key({"C": 0.1 + 0.2}) != settings_key({"C": 0.3})


def test_parts_are_told_by_their_fields():
    parts = [
        schedules.Fraction(0.5),
        schedules.Fraction(0.25),
        schedules.FractionOfOriginal(0.5),
        samplers.Bootstrap(3),
        samplers.Bootstrap(4),
        criteria.WeightNorm(order=1),
        schedules.Fraction,
        plain_function,
        [1, 2],
        {"a": 1},
    ]
    keys = [settings_key({"part": part}) for part in parts]
    assert len(set(keys)) == len(parts)
    shown = [settings_of(key)["part"] for key in keys]
    assert shown[0] == "Fraction(share=0.5)"
    assert shown[-2:] == ["[1, 2]", "a: 1"]
    assert "plain_function" in shown[7]


@pytest.mark.parametrize(
    "value",
    [lambda: None, object(), np.random.default_rng(0)],
    ids=["lambda", "object", "generator"],
)
def test_what_has_no_name_is_refused(value):
    with pytest.raises(ValueError, match=r"The setting 'criterion' has a value that cannot be"):
        settings_key({"criterion": value})


# --- refusals --------------------------------------------------------------------------------


def edit(file, statement):
    with sqlite3.connect(file) as connection:
        connection.execute(statement)
    connection.close()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"the data (X)": "c" * 64}, r"another run: the data \(X\) differ\."),
        (
            {"the folds (cv)": "c" * 64, "the version": "1.1"},
            r"another run: the folds \(cv\) and the version \(1\.0 there, 1\.1 here\) differ",
        ),
        ({"the scoring": "x"}, r"another run: the scoring differ"),
    ],
)
def test_another_run_is_refused_by_name(file, change, message):
    with RunStore(file, FINGERPRINT) as store:
        store.finish(KEYS[0], [path()], CURVE, {})
    before = contents(file.parent)
    with pytest.raises(ValueError, match=r"grid\.db' belongs to " + message):
        RunStore(file, FINGERPRINT | change)
    assert contents(file.parent) == before


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("UPDATE meta SET value = '2' WHERE name = 'format'", "has format 2, this version of"),
        ("DELETE FROM meta WHERE name = 'format'", r"none of svsieve's \(no entry 'format'\)"),
        ("UPDATE meta SET value = '{' WHERE name = 'fingerprint'", "is damaged or is none"),
        ("DROP TABLE meta", r"none of svsieve's \(no such table: meta\)"),
    ],
)
def test_another_version_is_refused_by_name(file, statement, message):
    RunStore(file, FINGERPRINT).close()
    edit(file, statement)
    before = contents(file.parent)
    for fingerprint in (FINGERPRINT, None):
        with pytest.raises(ValueError, match=message):
            RunStore(file, fingerprint)
    assert contents(file.parent) == before


@pytest.mark.parametrize("text", [b"", b"C,score\n1,0.9\n" * 1000])
def test_other_files_are_refused_and_left_alone(file, text):
    file.write_bytes(text)
    with pytest.raises(ValueError, match=r"grid\.db' is damaged or is none of svsieve's"):
        RunStore(file, FINGERPRINT)
    assert contents(file.parent) == {file.name: text}


@in_processes
def test_what_a_killed_process_left_in_the_log_is_read_before_refusing(file):
    RunStore(file, FINGERPRINT).close()
    child = multiprocessing.get_context("fork").Process(target=_claim_and_die, args=(file,))
    child.start()
    child.join()
    log = file.with_name("grid.db-wal").read_bytes()
    assert log
    before = file.read_bytes()
    with pytest.raises(ValueError, match="belongs to another run"):
        RunStore(file, {"the data (X)": "c"})
    assert file.read_bytes() == before
    assert file.with_name("grid.db-wal").read_bytes() == log
    with RunStore(file, FINGERPRINT) as store:
        assert store.states() == {KEYS[0]: "claimed"}


def test_places_where_no_file_can_be(tmp_path):
    with pytest.raises(ValueError, match=r"folder of run store .* does not exist"):
        RunStore(tmp_path / "none" / "grid.db", FINGERPRINT)
    with pytest.raises(ValueError, match=r"Run store .* is a folder"):
        RunStore(tmp_path, FINGERPRINT)
    with pytest.raises(TypeError, match=r"run store must be the name of a file\. Got 5"):
        RunStore(5, FINGERPRINT)
