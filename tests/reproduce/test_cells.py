"""The noise of comparisons: other starts on the same splits, other random numbers, a grid."""

import math

import numpy as np
import pytest

from svsieve.reproduce import Experiment, Measurement, Quantity, compare
from svsieve.reproduce.cells import fold_variance, known_from, scatter_of
from svsieve.reproduce.findings import judge
from svsieve.reproduce.published import PublishedCell
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
            PublishedCell({"degree": degree, "C": C}, {"cost": 0.2, "size": 9.0})
            for degree in (1, 2)
            for C in (1, 2)
        ]

    def tolerance(self, cell):
        return 0.0


FOLDS = {1: 0.02, 2: 0.12}


def _seeds():
    costs = {1: (0.20, 0.21, 0.22), 2: (0.20, 0.26, 0.32)}
    found = []
    for degree in (1, 2):
        folds = {"cost": FOLDS[degree]}
        for seed, cost in enumerate(costs[degree]):
            cell = {"degree": degree, "C": 1} | ({"seed": seed} if seed else {})
            found.append(Measurement(cell, {"cost": cost, "size": 9.0}, folds))
        cell = {"degree": degree, "C": 2}
        found.append(Measurement(cell, {"cost": 0.3, "size": 15.0}, folds))
    return found


def test_noise_of_one_run_is_that_of_other_random_numbers_not_of_folds():
    experiment = Seeds()
    scatter = scatter_of(experiment, known_from(experiment, _seeds()), {})
    assert (scatter.cells, scatter.runs) == (2, 3)
    assert scatter.of_folds == {"cost": pytest.approx(0.5)}  # 0.01 / 0.02 and 0.06 / 0.12
    found = {
        row.cell["degree"]: row
        for row in compare(experiment, _seeds()).rows
        if row.quantity.name == "cost" and row.cell["C"] == 2
    }
    errors = {degree: row.pair.measured.error for degree, row in found.items()}
    assert 0.5 * FOLDS[1] < errors[1] < errors[2] < 0.5 * FOLDS[2]  # drawn towards the usual
    assert all(row.pair.published.error == row.pair.measured.error for row in found.values())
    assert abs(found[1].verdict.apart) > abs(found[2].verdict.apart)


def test_folds_of_print_and_of_the_run_are_two_witnesses_of_the_same():
    one = known_from(Seeds(), _seeds())[0]
    assert fold_variance(one, math.nan, 7) == pytest.approx((0.02**2, 6.0))
    assert fold_variance(one, 0.04, 7) == pytest.approx(((0.02**2 + 0.04**2) / 2, 12.0))


def test_runs_of_several_cells_have_a_mean_each():
    experiment = Seeds()
    experiment.noise_by = ()
    sizes = {(1, 1): (10.0, 20.0), (2, 1): (50.0, 60.0)}
    measured = [
        Measurement({"degree": degree, "C": C} | ({"seed": seed} if seed else {}), {"size": size})
        for (degree, C), values in sizes.items()
        for seed, size in enumerate(values)
    ]
    scatter = scatter_of(experiment, known_from(experiment, measured), {})
    assert scatter.range("size") == pytest.approx((math.sqrt(50.0),) * 2)


def test_equal_whole_numbers_do_not_mean_that_there_is_no_noise():
    experiment = Seeds()
    found = scatter_of(experiment, known_from(experiment, _seeds()), {})
    assert found.range("size") == pytest.approx((6.0 / math.sqrt(12.0),) * 2)  # the grid
    runs = {1: (9.0, 9.0, 9.0), 2: (9.0, 21.0, 33.0)}
    measured = [
        Measurement({"degree": degree, "C": 1}, {"cost": 0.2, "size": size})
        for degree, sizes in runs.items()
        for size in sizes
    ]
    rows = [row for row in compare(experiment, measured).rows if row.quantity.name == "size"]
    assert rows[0].pair.published.error == rows[1].pair.published.error > 6.0
