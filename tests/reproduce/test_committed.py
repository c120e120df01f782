"""The results that the documentation shows."""

import csv
from collections import Counter
from pathlib import Path

import pytest

from svsieve.reproduce import find
from svsieve.reproduce.verdicts import Word

FOLDER = Path(__file__).parents[2] / "docs" / "reproductions"
TABLES = sorted(FOLDER.glob("*.csv"))


def _rows(file):
    with file.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


@pytest.mark.parametrize("file", TABLES, ids=lambda file: file.stem)
def test_a_result_says_how_it_was_made(file):
    rows = _rows(file)
    assert {row["command"] for row in rows} == {f"svsieve reproduce {find(file.stem).id} --full"}
    page = file.with_suffix(".md").read_text(encoding="utf-8")
    for column in ("command", "version", "date"):
        (value,) = {row[column] for row in rows}
        assert value
        assert value in page
    assert file.with_suffix(".svg").is_file()


@pytest.mark.parametrize("file", TABLES, ids=lambda file: file.stem)
def test_what_is_worse_is_explained_on_the_page(file):
    page = file.with_suffix(".md").read_text(encoding="utf-8")
    for row in _rows(file):
        if row["judged"] and row["verdict"] in (Word.WORSE, Word.NOT_COMPARABLE):
            assert row["why"]
            assert not row["published"] or row["why"] in page


def test_nine_of_ten_comparable_cells_are_within_noise_or_better():
    words = Counter(
        row["verdict"] for file in TABLES for row in _rows(file) if row["judged"] == "yes"
    )
    good = words[Word.WITHIN] + words[Word.BETTER]
    assert good >= 0.9 * (good + words[Word.WORSE])
