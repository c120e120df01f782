"""Runs are kept, and go on where they were."""

import pytest

from svsieve.reproduce import Effort, compare, find, pages, run
from svsieve.reproduce.records import Made
from tests.reproduce.small import Small


def test_a_run_that_was_killed_goes_on(tmp_path):
    log, store = tmp_path / "log", tmp_path / "runs.sqlite"
    log.write_text("")
    with pytest.raises(RuntimeError, match="killed"):
        run(Small(log, fails_at=5), Effort.FULL, store=store)
    outcome = run(Small(log), Effort.FULL, store=store)
    lines = [line for line in log.read_text().splitlines() if line]
    assert len(lines) == len(set(lines)) == 12
    assert outcome.measurements == run(Small(), Effort.FULL).measurements


def test_what_is_done_is_not_run_again(tmp_path):
    log, store = tmp_path / "log", tmp_path / "runs.sqlite"
    log.write_text("")
    first = run(Small(log), Effort.FULL, store=store)
    again = run(Small(log, fails_at=12), Effort.FULL, store=store)
    assert again.measurements == first.measurements


def test_a_store_of_another_effort_is_refused(tmp_path):
    run(Small(), Effort.SMOKE, store=tmp_path / "runs.sqlite")
    with pytest.raises(ValueError, match="the effort"):
        run(Small(), Effort.FULL, store=tmp_path / "runs.sqlite")


def test_side_by_side_gives_the_same_numbers(tmp_path):
    experiment = find("planas-fig-5.10")
    alone = run(experiment, Effort.FULL)
    beside = run(experiment, Effort.FULL, store=tmp_path / "runs.sqlite", jobs=2)
    assert beside.measurements == alone.measurements


def test_pages_say_how_they_were_made_and_why_cells_are_left_out(tmp_path):
    experiment = Small()
    outcome = run(experiment, Effort.FULL)
    made = Made("svsieve reproduce small-1 --full", "0.0", "2001-02-03", "abc", {"the code": "1"})
    written = pages.write(compare(experiment, outcome.measurements), made, tmp_path)
    table, figure, page, _ = [path.read_text(encoding="utf-8") for path in written]
    lines = table.splitlines()
    assert lines[0].startswith("C,step,quantity,judged,published,published_error,measured")
    assert len(lines) == 1 + 4 + 4  # errors, times
    assert "<svg" in figure
    assert "![" in page
    assert "(small-1.svg)" in page
    assert "| 1 | 1 | 11.000 ± 0.577 (11.000) | +0.0 |" in page
    assert "[1] not the same." in page
    assert "level only 2" in page  # both printed numbers are the same
    assert "`svsieve reproduce small-1 --full`, svsieve 0.0, 2001-02-03, commit abc" in page
