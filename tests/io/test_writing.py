"""Tables out: no formulas, and folders that are whole or not there."""

import csv
import io
import json

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
