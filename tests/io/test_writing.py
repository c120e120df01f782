"""Tables out: no formulas, and folders that are whole or not there."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svsieve.io import neutralised, whole_folder, write_csv
from svsieve.io.folder import check_folder

DANGEROUS = "=+-@\t\r\n"


@given(st.text(max_size=20) | st.text("=a\r\n,;\"'", max_size=8))
def test_no_cell_of_text_begins_like_a_formula(name):
    text = write_csv(["name", "score"], [(name, -1.5)])
    head, row = csv.reader(io.StringIO(text, newline=""))
    assert head == ["name", "score"]
    assert row[1] == "-1.5"  # a number is what it is
    assert not row[0].startswith(tuple(DANGEROUS))
    plain = name.replace("\r\n", "\n").replace("\r", "\n")
    assert row[0] in (plain, f"'{plain}")


@given(st.text(max_size=20))
def test_harmless_names_are_left_alone(name):
    changed = neutralised(name) != name
    assert changed == name.startswith((*DANGEROUS, "＝", "＋", "－", "＠"))  # noqa: RUF001


def results(folder, text="new"):
    with whole_folder(folder) as place:
        (place / "a.txt").write_text(text)
        (place / "manifest.json").write_text(json.dumps({"files": {"a.txt": ""}}))


def test_a_folder_appears_at_once(tmp_path):
    target = tmp_path / "results"
    with whole_folder(target) as place:
        (place / "a.txt").write_text("a")
        assert not target.exists()
    assert [file.name for file in target.iterdir()] == ["a.txt"]
    assert [path.name for path in tmp_path.iterdir()] == ["results"]


def test_nothing_is_left_when_writing_fails(tmp_path):
    results(tmp_path / "results", "old")

    def fail():
        with whole_folder(tmp_path / "results") as place:
            (place / "a.txt").write_text("new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert (tmp_path / "results" / "a.txt").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["results"]


def test_earlier_results_are_replaced_but_nothing_else(tmp_path):
    results(tmp_path / "results", "old")
    results(tmp_path / "results", "new")
    assert (tmp_path / "results" / "a.txt").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["results"]
    (tmp_path / "results" / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match=r"holds 'notes\.txt'"):
        results(tmp_path / "results")
    assert (tmp_path / "results" / "notes.txt").read_text() == "mine"


def test_an_empty_folder_may_be_filled_and_a_file_may_not(tmp_path):
    (tmp_path / "empty").mkdir()
    results(tmp_path / "empty")
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="is a file"):
        check_folder(tmp_path / "file")
    with pytest.raises(ValueError, match="does not exist"):
        check_folder(tmp_path / "absent" / "results")


def names(folder):
    return sorted(file.name for file in folder.iterdir())


def test_the_results_behind_a_link_are_replaced_and_the_link_stays(tmp_path):
    results(tmp_path / "real", "old")
    (tmp_path / "link").symlink_to("real")
    results(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "a.txt").read_text() == "new"
    assert names(tmp_path) == ["link", "real"]
    assert names(tmp_path / "real") == ["a.txt", "manifest.json"]


def test_a_link_to_nothing_leads_to_a_new_folder(tmp_path):
    (tmp_path / "link").symlink_to("later")
    results(tmp_path / "link")
    assert names(tmp_path) == ["later", "link"]
    assert names(tmp_path / "later") == ["a.txt", "manifest.json"]


def test_the_current_folder_stays_the_current_folder(tmp_path, monkeypatch):
    place = tmp_path / "here"
    place.mkdir()
    monkeypatch.chdir(place)
    before = place.stat().st_ino
    for text in ("old", "new"):
        results(".", text)
        assert (place / "a.txt").read_text() == text
        assert names(place) == ["a.txt", "manifest.json"]
        assert names(tmp_path) == ["here"]
        assert place.stat().st_ino == Path().stat().st_ino == before
    (place / "table.csv").write_text("mine")
    with pytest.raises(ValueError, match=r"'\.' holds 'table\.csv', which is no result"):
        results(".")
    assert (place / "table.csv").read_text() == "mine"


def test_old_results_that_have_no_new_ones_go(tmp_path):
    target = tmp_path / "results"
    results(target)
    (target / "b.txt").write_text("old")
    (target / "manifest.json").write_text(json.dumps({"files": {"a.txt": "", "b.txt": ""}}))
    results(target)
    assert names(target) == ["a.txt", "manifest.json"]


@pytest.mark.parametrize("files", [["precious"], {"precious": "0" * 64}, {"../mine": ""}, 5, [[]]])
def test_a_manifest_does_not_decide_what_may_be_removed(tmp_path, files):
    target, mine = tmp_path / "results", tmp_path / "mine"
    (target / "precious").mkdir(parents=True)
    (target / "precious" / "letters.txt").write_text("mine")
    mine.write_text("mine")
    (target / "manifest.json").write_text(json.dumps({"files": files}))
    with pytest.raises(ValueError, match="which is no result of svsieve"):
        results(target)
    assert (target / "precious" / "letters.txt").read_text() == "mine"
    assert mine.read_text() == "mine"
    assert names(target) == ["manifest.json", "precious"]


def test_a_link_that_a_manifest_names_is_not_ours(tmp_path):
    target, mine = tmp_path / "results", tmp_path / "mine"
    results(target)
    mine.write_text("mine")
    (target / "a.txt").unlink()
    (target / "a.txt").symlink_to(mine)
    with pytest.raises(ValueError, match=r"holds 'a\.txt', which is no result"):
        results(target)
    assert mine.read_text() == "mine"
    assert (target / "a.txt").is_symlink()


KILLED = """
import os, signal, sys
from svsieve.io import folder
with folder.whole_folder(sys.argv[1]) as place:
    (place / "a.txt").write_text("new")
    if sys.argv[2] == "moving":
        (place / "manifest.json").write_text('{"files": {"a.txt": "", "c.txt": ""}}')
        (place / "c.txt").write_text("new")
        moved, plain = [], type(place).replace
        def replace(self, other):
            plain(self, other)
            moved.append(other)
            if len(moved) == 2:
                os.kill(os.getpid(), signal.SIGKILL)
        type(place).replace = replace
    else:
        os.kill(os.getpid(), signal.SIGKILL)
raise AssertionError
"""


@pytest.mark.parametrize("when", ["writing", "moving"])
@pytest.mark.parametrize("there", [True, False])
def test_what_a_killed_process_left_is_swept(tmp_path, when, there):
    target = tmp_path / "results"
    if there:
        results(target, "old")
    elif when == "moving":
        pytest.skip("a new folder is moved at once")
    done = subprocess.run([sys.executable, "-c", KILLED, str(target), when], timeout=120)
    assert done.returncode == -signal.SIGKILL
    assert list(tmp_path.rglob(".results.*.tmp"))
    results(target, "newer")
    assert (target / "a.txt").read_text() == "newer"
    assert names(tmp_path) == ["results"]
    assert names(target) == ["a.txt", "manifest.json"]


def test_a_folder_that_cannot_be_written_is_refused_before(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda place, mode: False)
    with pytest.raises(ValueError, match="cannot be written to"):
        check_folder(tmp_path / "results")


@pytest.mark.parametrize("moment", range(1, 6))
def test_ctrl_c_while_results_are_replaced_waits_until_all_are_there(tmp_path, monkeypatch, moment):
    names = ["a.txt", "b.txt", "c.txt"]

    def written(folder, text, names):
        with whole_folder(folder) as place:
            for name in names:
                (place / name).write_text(text)
            (place / "manifest.json").write_text(json.dumps({"files": dict.fromkeys(names, "")}))

    target = tmp_path / "results"
    written(target, "old", [*names, "gone.txt"])
    real, calls = Path.replace, []

    def interrupted(self, other):
        calls.append(1)
        if len(calls) == moment:
            raise KeyboardInterrupt
        return real(self, other)

    monkeypatch.setattr(Path, "replace", interrupted)
    if moment <= 4:
        with pytest.raises(KeyboardInterrupt):
            written(target, "new", names)
    else:
        written(target, "new", names)
    assert {file.name for file in target.iterdir()} == {*names, "manifest.json"}
    assert [(target / name).read_text() for name in names] == ["new"] * 3
