"""The results that the documentation shows."""

import csv
from pathlib import Path

import pytest

from svsieve.reproduce import find, pages
from svsieve.reproduce.records import read_record
from svsieve.reproduce.summary import summary_page
from svsieve.reproduce.verdicts import NOT_KNOWN, Word

FOLDER = Path(__file__).parents[2] / "docs" / "reproductions"
TABLES = sorted(FOLDER.glob("*.csv"))


def _rows(file):
    with file.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


@pytest.mark.parametrize("file", TABLES, ids=lambda file: file.stem)
def test_a_page_is_what_its_table_and_its_record_give_today(file, tmp_path):
    experiment = find(file.stem)
    findings, made = pages.kept(experiment, FOLDER), read_record(FOLDER, file.stem)
    assert made.command == f"svsieve reproduce {experiment.id} --full"
    assert made.commit
    for there in pages.write_again(findings, made, tmp_path):
        written = (FOLDER / there.name).read_text(encoding="utf-8")
        assert there.read_text(encoding="utf-8") == written
    assert file.with_suffix(".svg").is_file()


def test_the_index_is_what_the_tables_give_today():
    assert (FOLDER / "index.md").read_text(encoding="utf-8") == summary_page(FOLDER)


@pytest.mark.parametrize("file", TABLES, ids=lambda file: file.stem)
def test_what_differs_has_a_check_or_no_known_reason(file):
    page = file.with_suffix(".md").read_text(encoding="utf-8")
    for row in _rows(file):
        if row["judged"] and row["verdict"] in (Word.DIFFERS, Word.NOT_COMPARABLE):
            assert row["why"]
            assert not row["published"] or row["why"] in page
        if row["judged"] and row["verdict"] == Word.DIFFERS:
            assert row["why"] == NOT_KNOWN or "(test `" in row["why"]


def test_checks_that_reasons_name_are_there():
    tests = "".join(file.read_text(encoding="utf-8") for file in Path(__file__).parent.glob("*.py"))
    for file in TABLES:
        for row in _rows(file):
            for name in row["why"].split("(test `")[1:]:
                assert f"def {name.split('`')[0]}(" in tests
