"""The noise of comparisons: other starts on the same splits, other random numbers, a grid."""

import math

import numpy as np
import pytest

from svsieve.reproduce import Experiment, Measurement, Quantity, compare
from svsieve.reproduce.cells import known_from, scatter_of
from svsieve.reproduce.findings import judge
from svsieve.reproduce.published import PublishedCell, cell_key
from svsieve.reproduce.tables import read_table, write_table
from svsieve.reproduce.verdicts import Word


class Splits(Experiment):
    """Splits that differ much, and two starts that differ little on each."""

    id, title, notes = "splits-1", "The same splits", "Nothing is computed."
    quantities = (Quantity("error", judged=True),)
    x, series, y = "set", "method", "error"
    again, same_splits = "start", True

    def cells(self, effort):
        return [{"set": name} for name in "ab"]

    def repeats(self, effort):
        return 50

    def measure(self, cell, repeat, effort):
        raise NotImplementedError

    def published(self):
        return [
            PublishedCell({"set": "a"}, {"error": 0.31}, {"error": 0.02}),
            PublishedCell({"set": "b"}, {"error": 0.51}, {"error": 0.02}),
        ]

    def tolerance(self, cell):
        return 0.001 if cell["set"] == "b" else 0.0


def _splits(starts):
    rng = np.random.default_rng(0)
    of_split, found = 0.1 * rng.normal(size=50), []
    of_split -= of_split.mean()
    for start in (None, *starts):
        cell = {"set": "a"} | ({} if start is None else {"start": start})
        other = 0.01 * rng.normal(size=50)
        values = 0.3 + of_split + (0.0 if start is None else other)
        found += [Measurement(cell, {"error": float(value)}) for value in values]
    return found


def test_on_the_same_splits_noise_is_that_between_two_starts():
    measured = _splits(["far", "near"])
    by_start = {
        start: np.array([m.values["error"] for m in measured if m.cell.get("start") == start])
        for start in (None, "far", "near")
    }
    errors = [
        (by_start[start] - by_start[None]).std(ddof=1) / math.sqrt(50) for start in ("far", "near")
    ]
    findings = compare(Splits(), measured)
    row, *others = findings.rows
    assert row.pair.measured.error == pytest.approx(math.sqrt(np.mean(np.square(errors))))
    assert row.pair.published.error == 0.0
    assert row.measured.error > 5 * row.pair.measured.error  # splits differ, and do not count
    assert row.verdict.word is Word.DIFFERS
    assert all("how far two runs are apart" in other.verdict.why for other in others)
    assert sum(findings.words().values()) == 1


def test_without_other_starts_errors_over_splits_stand_in_their_place():
    measured = _splits([])
    (row,) = compare(Splits(), measured).rows
    assert row.pair.measured.error == row.measured.error
    assert row.verdict.word is Word.LEVEL


def test_a_given_machine_may_be_a_tenth_of_a_point_off():
    for value, word in ((0.5109, Word.LEVEL), (0.5112, Word.DIFFERS)):
        (row,) = compare(Splits(), [Measurement({"set": "b"}, {"error": value})] * 3).rows
        assert row.verdict.word is word


def test_paired_errors_are_kept_in_the_table(tmp_path):
    measured = _splits(["far"])
    experiment, file = Splits(), tmp_path / "splits-1.csv"
    findings = compare(experiment, measured)
    write_table(findings, file)
    again = judge(experiment, read_table(experiment, file))
    for one, other in zip(findings.rows, again.rows, strict=True):
        assert other.verdict.word is one.verdict.word
        assert other.verdict.apart == pytest.approx(one.verdict.apart, rel=1e-3, nan_ok=True)
        assert other.paired == pytest.approx(one.paired, rel=1e-3, nan_ok=True)


class Seeds(Splits):
    """One run of each cell; some once more, with other random numbers."""

    id = "seeds-1"
    quantities = (Quantity("cost", judged=True), Quantity("size", judged=True, whole=True))
    again, same_splits, one_run, noise_by = "seed", False, True, ("degree",)

    def published(self):
        return [
            PublishedCell({"degree": degree, "C": C}, {"cost": 0.2, "size": 9.0}, {"cost": 0.05})
            for degree in (1, 2)
            for C in (1, 2)
        ]

    def tolerance(self, cell):
        return 0.0


def _seeds():
    costs = {1: (0.20, 0.21, 0.22), 2: (0.20, 0.26, 0.32)}
    found = []
    for degree in (1, 2):
        for seed, cost in enumerate(costs[degree]):
            cell = {"degree": degree, "C": 1} | ({"seed": seed} if seed else {})
            found.append(Measurement(cell, {"cost": cost, "size": 9.0}, {"cost": 0.05}))
        more = Measurement({"degree": degree, "C": 2}, {"cost": 0.3, "size": 15.0}, {"cost": 0.05})
        found.append(more)
    return found


def test_noise_of_one_run_is_that_of_other_random_numbers_not_of_folds():
    experiment = Seeds()
    known = known_from(experiment, _seeds())
    scatter = scatter_of(experiment, known)
    assert (scatter.cells, scatter.runs) == (2, 3)
    low, high = scatter.range("cost")
    assert 0.01 <= low < high <= 0.06  # drawn towards each other
    rows = {
        cell_key(row.cell): row
        for row in compare(experiment, _seeds()).rows
        if row.quantity.name == "cost"
    }
    quiet, loud = (rows[cell_key({"degree": degree, "C": 2})] for degree in (1, 2))
    assert quiet.pair.published.error == quiet.pair.measured.error == pytest.approx(low)
    assert loud.pair.measured.error == pytest.approx(high)
    assert quiet.pair.printed.error == 0.05  # as it was printed
    assert abs(quiet.verdict.apart) > abs(loud.verdict.apart)


def test_runs_of_several_cells_have_a_mean_each():
    experiment = Seeds()
    experiment.noise_by = ()
    cells = {(1, 1): (0.1, 0.2), (2, 1): (0.5, 0.6)}
    measured = [
        Measurement(
            {"degree": degree, "C": C} | ({"seed": seed} if seed else {}), {"cost": cost, "size": 1}
        )
        for (degree, C), costs in cells.items()
        for seed, cost in enumerate(costs)
    ]
    scatter = scatter_of(experiment, known_from(experiment, measured))
    assert scatter.range("cost") == pytest.approx((math.sqrt(0.005), math.sqrt(0.005)))


def test_equal_whole_numbers_do_not_mean_that_there_is_no_noise():
    experiment = Seeds()
    found = scatter_of(experiment, known_from(experiment, _seeds()))
    assert found.range("size") == pytest.approx((6.0 / math.sqrt(12.0),) * 2)  # the grid
    runs = {1: (9.0, 9.0, 9.0), 2: (9.0, 21.0, 33.0)}
    measured = [
        Measurement({"degree": degree, "C": 1}, {"cost": 0.2, "size": size})
        for degree, sizes in runs.items()
        for size in sizes
    ]
    rows = [row for row in compare(experiment, measured).rows if row.quantity.name == "size"]
    assert rows[0].pair.published.error == rows[1].pair.published.error > 6.0
