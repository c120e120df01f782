"""Damaged stores are read as before or refused in one sentence with the name of the file."""

import gzip
import json
import sqlite3
from pathlib import Path as FilePath

import numpy as np
import pytest

from svsieve import RunStore
from svsieve.elimination import Path
from svsieve.estimators.grid_cell import cell_from
from svsieve.estimators.kept_runs import run_kept
from svsieve.selection.folds import ScoredPath
from svsieve.store import settings_key

FINGERPRINT = {"the data (X)": "a" * 64, "the version of svsieve": "0.1.0"}
KEYS = [settings_key({"run": k}) for k in range(6)]
SCORES = [0.5, 0.25, 2.0, 1.0]
PATH = Path.from_scores(SCORES, names=list("abcd"))
CURVE = {
    "sizes": [1, 2, 3, 4],
    "held_out": {"accuracy": [[0.5, 0.75, 1.0, 0.875], [0.625, 0.5, 1.0, 0.75]]},
    "train": None,
    "n_columns": 4,
    "chance": 0.5,
}
FACTS = {"size": 3, "score": 1.0, "seconds": 0.25, "kkt_gap": 0.0, "engine": "wide-linear"}
FAILURE = "ValueError: nothing can be done."
JOBS = {
    KEYS[0]: (Path.from_scores, (SCORES,)),
    KEYS[1]: (ScoredPath, (PATH, np.array([[0.5, 1.0], [0.25, 0.75]]))),
    KEYS[2]: (dict, ({"C": 2.0},)),
}
# What version 0.1.0 made of all that, killed while it worked on the last cell.
OLD = FilePath(__file__).with_name("files") / "version_0_1_0.sqlite.gz"
DAMAGED = 500


def filled(file):
    with RunStore(file, FINGERPRINT) as store:
        run_kept(JOBS, store, None)
        store.finish(KEYS[3], [PATH, PATH], CURVE, FACTS)
        store.fail(KEYS[4], FAILURE)
    return file


def old(file):
    file.write_bytes(gzip.decompress(OLD.read_bytes()))
    return file


def all_of(store):
    """What a store holds, as plain values."""
    results = [store.result(key) for key in store.done()]
    with store.reading():
        orders = [path.order.tolist() for result in results for path in result.paths]
        orders += [path.importances.tolist() for result in results for path in result.paths]
    texts = [(result.curve, result.facts, result.archives) for result in results]
    return store.states(), store.failures(), orders, texts, store.to_frame().to_json()


def damaged(data, seed):
    rng = np.random.default_rng(seed)
    kind = ("flipped", "cut", "doubled")[seed % 3]
    if kind == "flipped":
        found = bytearray(data)
        for place in rng.integers(len(data), size=rng.integers(1, 9)):
            found[place] ^= 1 << rng.integers(8)
        return bytes(found)
    start, end = np.sort(rng.integers(len(data), size=2))
    return data[:start] + data[end:] if kind == "cut" else data[:end] + data[start:]


@pytest.mark.filterwarnings("ignore:Run store .* could not be written")  # a bit says: read-only
def test_damaged_stores_are_read_as_before_or_refused(tmp_path):
    file = filled(tmp_path / "run.db")
    data = file.read_bytes()
    with RunStore(file) as store:
        before = all_of(store)
    same, refused = 0, []
    for seed in range(DAMAGED):
        file.write_bytes(damaged(data, seed))
        for ending in ("-wal", "-shm"):
            file.with_name(f"run.db{ending}").unlink(missing_ok=True)
        try:
            with RunStore(file, FINGERPRINT) as store:
                assert all_of(store) == before, seed
            same += 1
        except ValueError as error:
            refused.append(str(error))
    assert same > 0.1 * DAMAGED
    assert len(refused) > 0.5 * DAMAGED
    assert [said for said in refused if "\n" in said or "run.db' " not in said] == []


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("UPDATE results SET curve = '[1]' WHERE key = ?", "is not what was kept"),
        ("UPDATE results SET facts = '{\"size\": 4}' WHERE key = ?", "is not what was kept"),
        ("UPDATE paths SET archive = x'00' WHERE key = ?", "is not what was kept|are not what"),
        ("DELETE FROM results WHERE key = ?", "is missing"),
        ("DELETE FROM paths WHERE key = ? AND position = 1", "are not what was kept"),
    ],
)
def test_a_result_that_was_changed_is_refused(tmp_path, statement, message):
    file = filled(tmp_path / "run.db")
    change(file, statement, KEYS[3])
    with RunStore(file, FINGERPRINT) as store, pytest.raises(ValueError, match=message) as error:
        store.result(KEYS[3])
    assert "run.db'" in str(error.value)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE results SET curve = '{\"a\": 1}' WHERE key = ?",
        "UPDATE results SET curve = 'nothing' WHERE key = ?",
        "UPDATE paths SET archive = x'00' WHERE key = ?",
    ],
)
@pytest.mark.parametrize("place", [1, 3])
def test_without_digests_too_the_file_is_named(tmp_path, statement, place):
    """Stores of version 0.1.0 have none: what makes no sense is found out when it is used."""
    file = old(tmp_path / "run.db")
    change(file, statement, KEYS[place])

    def use(store):
        if place == 1:
            return run_kept(JOBS, store, None)
        return cell_from(store, KEYS[3], {"run": 3}, None).paths

    with RunStore(file, FINGERPRINT) as store, pytest.raises(ValueError, match=r"run\.db'"):
        use(store)


def test_an_unknown_state_is_refused(tmp_path):
    file = filled(tmp_path / "run.db")
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA ignore_check_constraints = 1")
    connection.execute("UPDATE cells SET state = 'dane' WHERE key = ?", (KEYS[0],))
    connection.commit()
    connection.close()
    with pytest.raises(ValueError, match=r"run\.db' is damaged .*CHECK constraint failed"):
        RunStore(file, FINGERPRINT)
    with RunStore(file, check=False) as store, pytest.raises(ValueError, match="is 'dane'"):
        store.done()


def change(file, statement, *values):
    connection = sqlite3.connect(file)
    connection.execute(statement, values)
    connection.commit()
    connection.close()


def test_a_store_of_version_0_1_0_is_read_and_resumed(tmp_path):
    file = old(tmp_path / "run.db")
    with RunStore(file, FINGERPRINT) as store:
        states = ["done", "done", "done", "done", "failed", "claimed"]
        assert store.states() == dict(zip(KEYS, states, strict=True))
        assert store.failures() == {KEYS[4]: FAILURE}
        results = run_kept(JOBS, store, None)
        np.testing.assert_array_equal(results[KEYS[0]].importances, np.sort(SCORES))
        assert results[KEYS[1]].path.same_ranking(PATH)
        assert results[KEYS[1]].scores.tolist() == [[0.5, 1.0], [0.25, 0.75]]
        assert results[KEYS[2]] == {"C": 2.0}
        cell = cell_from(store, KEYS[3], {"run": 3}, None)
        assert cell.choice().size == 3
        assert cell.path.column_names == tuple("abcd")
        assert cell.facts == FACTS
        assert store.claim(KEYS) == KEYS[5]  # of a process that is gone
        store.finish(KEYS[5], [PATH], CURVE, FACTS)
    with RunStore(file, FINGERPRINT) as store:
        assert len(store.done()) == 5
        assert store.result(KEYS[5]).paths[0].same_ranking(PATH)
        assert json.loads(store.to_frame().to_json())["size"]["5"] == 3
