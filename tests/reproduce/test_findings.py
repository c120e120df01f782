"""Runs become means with errors, set beside what was published."""

import math

import pytest

from svsieve.reproduce import Effort, Experiment, Measurement, Quantity, compare
from svsieve.reproduce.published import PublishedCell, cell_key, joined, read
from svsieve.reproduce.verdicts import Word
from tests.reproduce.small import Small


def _measurements(experiment, repeats=3):
    return [
        one
        for repeat in range(repeats)
        for cell in experiment.cells(Effort.FULL)
        for one in experiment.measure(cell, repeat, Effort.FULL)
    ]


def _rows(findings, name):
    return {cell_key(row.cell): row for row in findings.rows if row.quantity.name == name}


def test_the_deviation_of_a_run_is_shared_and_lent_to_the_published_run():
    rows = _rows(compare(Small(), _measurements(Small())), "error")
    row = rows[cell_key({"C": 1.0, "step": 1})]
    assert row.measured.value == pytest.approx(0.11)
    assert row.measured.error == pytest.approx(0.01 / math.sqrt(3))
    assert row.published.error == pytest.approx(0.01)
    assert row.runs == 3
    assert row.verdict.word is Word.LEVEL


def test_a_cell_that_scatters_more_is_given_more_noise():
    def runs(C, values):
        return [Measurement({"C": C, "step": 1}, {"error": v}) for v in values]

    quiet = [one for C in range(2, 12) for one in runs(C, (0.1, 0.101, 0.102))]
    calm = compare(Small(), [*quiet, *runs(1.0, (0.149, 0.15, 0.151))])
    wild = compare(Small(), [*quiet, *runs(1.0, (0.09, 0.15, 0.21))])
    key = cell_key({"C": 1.0, "step": 1})
    assert _rows(calm, "error")[key].verdict.word is Word.DIFFERS
    row = _rows(wild, "error")[key]
    assert row.verdict.word is Word.LEVEL
    assert row.published.error == pytest.approx(math.sqrt(3) * row.measured.error)


def test_what_differs_says_why_and_still_differs():
    experiment = Small()
    other = [
        Measurement({"C": 1.0, "step": step}, {"error": 0.3 + 0.001 * run})
        for step in (1, 2)
        for run in range(3)
    ]
    experiment.reason = lambda cell: "other seeds" if cell["step"] == 1 else ""
    findings = compare(experiment, other)
    assert findings.words() == {Word.DIFFERS: 2}
    assert [row.verdict.why for row in findings.rows] == ["other seeds", "reason not known"]


def test_times_are_ratios_on_both_sides():
    rows = _rows(compare(Small(), _measurements(Small())), "seconds")
    row = rows[cell_key({"C": 1.0, "step": 2})]
    assert row.measured.value == pytest.approx(0.5)
    assert row.published.value == pytest.approx(0.25)
    assert row.verdict.word is Word.NOT_COMPARABLE
    alone = rows[cell_key({"C": 0.1, "step": 2})]
    assert alone.published is None


def test_verdicts_are_counted_where_something_was_published():
    findings = compare(Small(), _measurements(Small()))
    assert findings.words() == {Word.LEVEL: 2, Word.NOT_COMPARABLE: 1}
    mean = findings.powers()["error"].mean
    assert mean.value == pytest.approx(0.0, abs=1e-12)
    assert mean.error == pytest.approx(math.sqrt(2 * (1e-4 + 1e-4 / 3)) / 2)


def test_a_trial_of_the_code_is_not_compared():
    findings = compare(Small(), _measurements(Small()), Effort.SMOKE)
    assert set(findings.words()) == {Word.NOT_COMPARABLE}


def test_a_quick_run_with_fewer_folds_is_not_compared():
    experiment = Small()
    experiment.fewer_folds_when_quick = True
    findings = compare(experiment, _measurements(experiment), Effort.QUICK)
    assert set(findings.words()) == {Word.NOT_COMPARABLE}
    assert compare(experiment, _measurements(experiment)).words()[Word.LEVEL] == 2


class OneRun(Experiment):
    id, title = "one-1", "One run"
    quantities = (Quantity("cost", judged=True),)
    x, series, y = "C", "C", "cost"
    one_run = True

    def cells(self, effort):
        return [{"C": 1}]

    def repeats(self, effort):
        return 1

    def measure(self, cell, repeat, effort):
        return [Measurement(cell, {"cost": 0.2}, {"cost": 0.01})]

    def published(self):
        return [PublishedCell({"C": 1.0}, {"cost": 0.21})]


def test_a_single_run_has_the_error_of_its_folds():
    (row,) = compare(OneRun(), OneRun().measure({"C": 1}, 0, Effort.FULL)).rows
    assert row.measured.error == 0.01
    assert row.published.error == 0.01
    assert row.verdict.word is Word.LEVEL


def test_variants_find_the_published_cell_that_does_not_know_them():
    variant = Measurement({"C": 1, "criterion": "mine"}, {"cost": 0.2}, {"cost": 0.01})
    (row,) = compare(OneRun(), [variant]).rows
    assert row.published.value == 0.21


def test_tables_of_the_same_cells_are_joined():
    a = [PublishedCell({"C": 1}, {"cost": 0.1}, {"cost": 0.01})]
    b = [PublishedCell({"C": 1.0}, {"seconds": 3.0}), PublishedCell({"C": 2}, {"seconds": 4.0})]
    first, second = joined(a, b)
    assert first.values == {"cost": 0.1, "seconds": 3.0}
    assert first.errors == {"cost": 0.01}
    assert second.values == {"seconds": 4.0}


def test_published_cells_are_read_with_their_errors():
    cells = read("planas_5_15", ("C", "k"), ("n_features", "cost"))
    assert len(cells) == 18
    assert cells[0] == PublishedCell(
        {"C": 0.05, "k": 0.3}, {"n_features": 21.0, "cost": 0.324}, {"cost": 0.009}
    )


def test_cells_that_were_not_published_are_left_out():
    table = read("rakotomamonjy_2", ("method", "train_size"), ["error"], trials=100)
    cells = [one.cell for one in table]
    assert {"method": "w2_retrain", "train_size": 100} in cells
    assert {"method": "span_retrain", "train_size": 100} not in cells
