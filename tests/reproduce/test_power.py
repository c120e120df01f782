"""What pages can notice: fed with their own cells exchanged, with a constant, with a shift."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from svsieve.reproduce import find, pages
from svsieve.reproduce.cells import is_again
from svsieve.reproduce.findings import judge
from svsieve.reproduce.planas.criterion import CODE, EQUATION
from svsieve.reproduce.power import power_of
from svsieve.reproduce.published import cell_key
from svsieve.reproduce.summary import counted_once
from svsieve.reproduce.tables import read_table
from svsieve.reproduce.verdicts import Word, is_apart

FOLDER = Path(__file__).parents[2] / "docs" / "reproductions"
KEPT = {file.stem: pages.kept(find(file.stem), FOLDER) for file in sorted(FOLDER.glob("*.csv"))}
JUDGED = [(id, name) for id, found in KEPT.items() for name in found.powers()]
# Of pages with more cells, some of the exchanges are tried.
ALL_UP_TO, SOME = 50, 8


def _comparable(id, name):
    return [row for row in KEPT[id].rows if row.quantity.name == name and row.comparable]


def _fed(id, name, values):
    """What the page finds if comparable cells of a quantity had other values."""
    experiment = find(id)
    table = read_table(experiment, FOLDER / f"{id}.csv")
    keys = {cell_key(row.cell): v for row, v in zip(_comparable(id, name), values, strict=True)}
    fed = [
        replace(one, measured=replace(one.measured, value=keys[cell_key(one.cell)]))
        if one.quantity.name == name and cell_key(one.cell) in keys
        else one
        for one in table
    ]
    found = judge(experiment, fed, noise_of=table)
    rows = {cell_key(row.cell): row for row in found.rows if row.quantity.name == name}
    return [rows[key] for key in keys]


def _stated(id, label):
    """The line of a page that says what it can notice about a quantity."""
    page = (FOLDER / f"{id}.md").read_text(encoding="utf-8")
    table = page.split("What this page can notice:")[1].split("| verdict |")[0]
    line = next(one for one in table.splitlines() if one.startswith(f"| {label} |"))
    return [entry.strip() for entry in line.strip("|").split("|")]


@pytest.mark.parametrize(("id", "name"), JUDGED)
def test_cells_that_are_exchanged_are_noticed_as_often_as_the_page_says(id, name):
    rows, power = _comparable(id, name), KEPT[id].powers()[name]
    quantity, n = rows[0].quantity, len(rows)
    shifts = range(1, n) if n <= ALL_UP_TO else range(1, n, n // SOME)
    pairings = rejected = 0
    for shift in shifts:  # the value of every cell in the place of that of another
        values = np.roll([row.pair.measured.value for row in rows], shift).tolist()
        own = [rows[(place - shift) % n] for place in range(n)]
        for one, there, found in zip(own, rows, _fed(id, name, values), strict=True):
            if is_apart(quantity, there.pair.printed, one.pair.printed):
                pairings += 1
                rejected += found.verdict.word is Word.DIFFERS
    stated = _stated(id, quantity.label)
    assert int(stated[1]) == power.cells == n
    if not power.pairings:
        assert pairings == 0
        assert "level only" in stated[2]
        return
    share, of = re.match(r"(\d+)% of (\d+)", stated[2]).groups()
    assert int(of) == power.pairings
    assert int(share) == round(100 * power.share)
    assert ("level only" in stated[2]) == (power.share < 0.5)
    if len(shifts) == n - 1:  # all pairings
        assert (pairings, rejected) == (power.pairings, power.rejected)
    else:
        assert rejected / pairings == pytest.approx(power.share, abs=0.12)


@pytest.mark.parametrize(("id", "name"), JUDGED)
def test_a_constant_is_noticed_as_often_as_the_page_says(id, name):
    rows = _comparable(id, name)
    level = float(np.mean([row.pair.published.value for row in rows]))
    found = _fed(id, name, [level] * len(rows))
    differing = sum(row.verdict.word is Word.DIFFERS for row in found)
    assert _stated(id, rows[0].quantity.label)[3] == f"{differing} of {len(rows)}"
    assert differing == KEPT[id].powers()[name].constant


@pytest.mark.parametrize(("id", "name"), JUDGED)
def test_a_common_shift_is_flagged_beyond_what_the_page_says(id, name):
    rows, power = _comparable(id, name), KEPT[id].powers()[name]
    if rows[0].quantity.exact:
        assert power.shift == 0.0
        return
    if rows[0].quantity.share:  # a share that is shifted may not be one any more
        assert power.flagged == (abs(power.mean.value) > power.shift)
        return
    for factor, flagged in ((0.98, False), (1.02, True)):
        moved = [
            replace(
                row.pair,
                measured=replace(
                    row.pair.measured, value=row.pair.published.value + factor * power.shift
                ),
            )
            for row in rows
        ]
        assert power_of(rows[0].quantity, moved).flagged is flagged
    assert ("flagged" in _stated(id, rows[0].quantity.label)[5]) == power.flagged


@pytest.mark.parametrize(("id", "name"), JUDGED)
def test_agreement_on_a_page_that_tells_nothing_apart_is_of_the_level_only(id, name):
    power = KEPT[id].powers()[name]
    words = {row.verdict.word for row in _comparable(id, name)}
    assert (Word.AGREES not in words) if not power.tells_apart else (Word.LEVEL not in words)


@pytest.mark.parametrize("name", ["cost", "n_features", "accuracy"])
def test_equation_4_37_fails_as_a_table_where_the_criterion_of_the_code_passes(name):
    """Eighteen cells; one by one, some of those by the equation are within the noise of print."""
    by = {CODE: [], EQUATION: []}
    for id in ("planas-5.20", "planas-5.25"):
        for row in KEPT[id].rows:
            again = is_again(KEPT[id].experiment, row.cell)
            if row.quantity.name == name and row.cell["C"] == 0.5 and not again:
                by[row.cell["criterion"]].append(row)
    assert [len(rows) for rows in by.values()] == [18, 18]
    powers = {
        key: power_of(rows[0].quantity, [row.pair for row in rows]) for key, rows in by.items()
    }
    assert not powers[EQUATION].passes
    if name == "accuracy":  # that of the code is at the limit itself
        assert powers[CODE].p_value > 1e-3
        assert powers[EQUATION].squares > 50 * powers[CODE].squares
    else:
        assert powers[CODE].passes


def test_cells_set_beside_one_published_number_are_counted_once():
    """Found by where the number stands in print, not by a list."""
    places = {}
    for id, found in KEPT.items():
        for row in found.rows:
            if row.published is not None and row.quantity.judged:
                places.setdefault(row.origin, []).append((id, cell_key(row.cell)))
    shared = {origin: cells for origin, cells in places.items() if len({id for id, _ in cells}) > 1}
    assert {tuple(sorted({id for id, _ in cells})) for cells in shared.values()} == {
        ("planas-5.2", "planas-5.4")
    }
    assert len(shared) == 3  # size, accuracy and cost of one cell
    twice = {
        id
        for cells in places.values()
        for id, _ in cells
        if len([one for one in cells if one[0] == id]) > 1
    }
    assert "planas-5.18" in twice
    counted = counted_once(list(KEPT.values()))
    assert sum(sum(words.values()) for words in counted) == len(places)
