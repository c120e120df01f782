"""The page of errata has all of them, and the tests and pages that it names exist."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "errata.md"
OWN = sorted((ROOT / "tests" / "reproduce").glob("test_errata*.py"))
FORMULAS, ALL = range(1, 59), range(1, 81)
WORDS = ("notation", "not shown")


def rows() -> dict[str, list[str]]:
    """The cells of each row by its number; a bar in a formula is escaped."""
    found: dict[str, list[str]] = {}
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if cells and re.fullmatch(r"E\d+", cells[0]):
            assert cells[0] not in found, f"{cells[0]} is there twice"
            found[cells[0]] = cells
    return found


ROWS = rows()
EVERY_ROW = pytest.mark.parametrize("number", ROWS)


@cache
def functions_in(file: Path) -> frozenset[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return frozenset(one.name for one in tree.body if isinstance(one, ast.FunctionDef))


def named_tests(check: str) -> tuple[list[str], list[Path]]:
    """Names, and the files they may be in."""
    files = [ROOT / name for name in re.findall(r"`(tests/[\w/]+\.py)`", check)]
    return re.findall(r"`(test_\w+)`", check), [*OWN, *files]


def pages(check: str) -> list[tuple[str, list[str]]]:
    """Ids of results, each with the words that are to be found there."""
    parts = re.split(r"\b((?:planas|rakotomamonjy|smets)-[\w.-]*\w)", check)
    return [
        (parts[at], re.findall(r"\*([^*]+)\*", parts[at + 1])) for at in range(1, len(parts), 2)
    ]


def test_no_number_is_missing():
    assert sorted(ROWS, key=lambda number: int(number[1:])) == [f"E{n}" for n in ALL]


@EVERY_ROW
def test_a_row_has_all_cells_and_a_check(number):
    cells = ROWS[number]
    assert len(cells) == 5
    names, _ = named_tests(cells[4])
    word = any(f"*{one}*" in cells[4] for one in WORDS)
    if int(number[1:]) in FORMULAS:
        assert names or "*notation*" in cells[4]
    assert names or word or any(words for _, words in pages(cells[4]))


@EVERY_ROW
def test_tests_that_are_named_exist(number):
    names, files = named_tests(ROWS[number][4])
    for name in names:
        assert any(name in functions_in(file) for file in files), name


@EVERY_ROW
def test_results_that_are_named_are_there_and_say_so(number):
    for page, words in pages(ROWS[number][4]):
        file = ROOT / "docs" / "reproductions" / f"{page}.md"
        assert file.exists(), page
        text = file.read_text(encoding="utf-8")
        for one in words:
            assert one in WORDS or one in text, f"{page} does not have {one!r}"


def test_every_test_of_an_erratum_is_named():
    named = {name for cells in ROWS.values() for name in named_tests(cells[4])[0]}
    written = {name for file in OWN for name in functions_in(file) if name.startswith("test_")}
    assert written <= named
