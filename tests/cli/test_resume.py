"""A run that is interrupted or killed goes on from its checkpoint, to the same files."""

import json
import os
import signal
import time

import pytest

pytest.importorskip("vl_convert")

from svsieve.store import RunStore
from tests.cli.conftest import toy, write_csv

# Some seconds of work, of which the eliminations are most.
OPTIONS = ("--target", "mood", "--folds", 4, "--inner-folds", 4)
OPTIONS = (*OPTIONS, "--report", "report.html", "--report", "report.md")


@pytest.fixture
def wide(tmp_path):
    return write_csv(tmp_path / "wide.csv", *toy(rows=60, columns=600))


def done_cells(file):
    if not file.exists():
        return 0
    try:
        with RunStore(file) as store:
            return len(store.done())
    except ValueError:
        return 0


def stopped_midway(svsieve, how, arguments, checkpoint, least):
    """Start a run and stop it when so many of its cells are done."""
    process = svsieve.start(*arguments)
    deadline = time.monotonic() + 120
    while done_cells(checkpoint) < least and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(process, how)
    return svsieve.wait()


def same_results(one, other):
    """Compare two folders of results: all bytes but the time that a manifest tells."""
    assert {file.name for file in one.iterdir()} == {file.name for file in other.iterdir()}
    for file in one.iterdir():
        if file.name != "manifest.json":
            assert file.read_bytes() == (other / file.name).read_bytes(), file.name
    manifests = [json.loads((folder / "manifest.json").read_text()) for folder in (one, other)]
    for manifest in manifests:
        for differs in ("time", "seconds"):
            del manifest[differs]
        for option in ("out", "checkpoint", "jobs"):
            manifest["options"].pop(option)
    assert manifests[0] == manifests[1]


@pytest.mark.parametrize("jobs", [1, 2])
def test_interrupted_and_killed_runs_end_with_the_same_files(svsieve, wide, tmp_path, jobs):
    rank = ("rank", wide, *OPTIONS, "--jobs", jobs)
    assert svsieve(*rank, "--out", "whole").code == 0
    checkpoint = tmp_path / "run"
    kept = (*rank, "--out", "parts", "--checkpoint", checkpoint)

    done = stopped_midway(svsieve, signal.SIGINT, kept, checkpoint, 2)
    assert done.code == 130
    # A fork ends without what a process does at exit, and joblib's tracker may complain of that.
    said = [line for line in done.err.splitlines() if line.startswith("svsieve")]
    assert len(said) == 1, done.err
    assert "the same command goes on" in said[0]
    assert "Traceback" not in done.err
    assert not (tmp_path / "parts").exists()
    after_one = done_cells(checkpoint)

    stopped_midway(svsieve, signal.SIGKILL, kept, checkpoint, after_one + 3)
    assert not (tmp_path / "parts").exists()
    assert done_cells(checkpoint) > after_one

    assert svsieve(*kept).code == 0
    same_results(tmp_path / "whole", tmp_path / "parts")
    assert not list(tmp_path.glob("*.tmp"))


def test_a_time_limit_ends_a_run_that_goes_on_later(svsieve, wide, tmp_path):
    rank = ("rank", wide, *OPTIONS, "--out", "r", "--checkpoint", "run")
    done = svsieve(*rank, "--time-limit", "0.7")
    assert done.code == 130
    assert "time limit of 0.7 s" in done.err
    assert svsieve(*rank).code == 0


def test_another_rule_is_asked_of_the_same_eliminations(svsieve, wide, tmp_path):
    rank = ("rank", wide, *OPTIONS, "--checkpoint", "run", "--json")
    assert svsieve(*rank).code == 0
    begun = (tmp_path / "run").stat().st_size
    again = svsieve(*rank, "--rule", "tolerance:1").json()
    assert again["n_selected"] == 1
    assert again["nested"]["n_selected"] == [1] * 4
    assert (tmp_path / "run").stat().st_size == begun


def test_without_a_checkpoint_nothing_is_promised(svsieve, wide, tmp_path):
    process = svsieve.start("rank", wide, *OPTIONS, "--out", "r")
    time.sleep(0.6)
    os.killpg(process, signal.SIGINT)
    done = svsieve.wait()
    assert done.code == 130
    assert "nothing is kept" in done.err
    assert not (tmp_path / "r").exists()
