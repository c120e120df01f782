"""The table of tests that do not pass: read, and compared with what came of the tests."""

from __future__ import annotations

import pydoc
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from docs.differences import FOLDER, PEERS, page, tables

TABLE = Path(__file__).with_name("table.toml")
DOCS = Path(__file__).resolve().parents[2] / "docs"
PASSED, NOT_APPLICABLE = "passed", "not applicable"


@dataclass(frozen=True)
class Outcome:
    """What came of a test, and what it says if it did not pass."""

    kind: str
    text: str = ""


@dataclass(frozen=True)
class Row:
    """Tests that do not pass for one reason.

    Attributes
    ----------
    tests : list of str
        Their names; `*` stands for anything.
    fails : str
        What the failure says, so that another one behind the same name is noticed.
    reason : str
    page, says : str
        Where the documentation tells users, below `docs` or a dotted name of svsieve, and a piece
        of the sentence.
    """

    tests: list[str]
    fails: str
    reason: str
    page: str
    says: str


def read(path: Path = TABLE) -> tuple[str, list[Row]]:
    """Return the version of scikit-learn that the table is for, and its rows."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return table["scikit-learn"], [Row(**row) for row in table["row"]]


def matches(pattern: str, name: str) -> bool:
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), name) is not None


def compare(found: Mapping[str, Outcome], rows: Sequence[Row]) -> list[str]:
    """Return what differs from the table, a line each: new failures, rows that are not true."""
    wrong, used = [], set()
    for name, outcome in found.items():
        told = [(row, one) for row in rows for one in row.tests if matches(one, name)]
        used.update(one for _, one in told)
        if outcome.kind in (PASSED, NOT_APPLICABLE):
            wrong += [f"{name}: {outcome.kind}, take it out of the table." for _ in told[:1]]
        elif not told:
            last = outcome.text.strip().rpartition("\n")[2]
            wrong.append(f"{name}: {outcome.kind}, and not in the table. {last}")
        elif len(told) > 1:
            wrong.append(f"{name}: in the table more than once.")
        elif told[0][0].fails not in outcome.text:
            wrong.append(f"{name}: {outcome.kind} otherwise than the table says.")
    missing = (one for row in rows for one in row.tests if one not in used)
    return [*wrong, *(f"{one}: no such test, take it out of the table." for one in missing)]


def lost(rows: Sequence[Row]) -> list[str]:
    """Return the rows whose sentence the documentation has no more, a line each."""
    differences = {f"{one.name.lower()}.md": page(one, tables(one)) for one in PEERS}
    texts = {row.page: text_of(row.page, differences) for row in rows}
    return [
        f"{row.page}: does not say {row.says!r}." for row in rows if row.says not in texts[row.page]
    ]


def text_of(place: str, differences: Mapping[str, str]) -> str:
    """Return a page of the documentation, or a docstring, as one line."""
    path = DOCS / place
    if path.parent == FOLDER:  # made by the build of the site, which need not have been
        text = differences.get(path.name, "")
    elif place.endswith(".md"):
        text = path.read_text(encoding="utf-8") if path.exists() else ""
    else:
        text = pydoc.locate(place).__doc__ or ""
    return " ".join(text.split())
