"""Measurements of many runs, set beside the published numbers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from svsieve.arrays import FloatArray
from svsieve.reproduce.experiment import Effort, Experiment, Measurement, Quantity
from svsieve.reproduce.published import PublishedCell, cell_key
from svsieve.reproduce.verdicts import Estimate, Verdict, Word, judged

# With so many runs the deviation is estimated from the runs of all cells; with more, cell by cell.
POOL_FROM = 2
OWN_FROM = 10


@dataclass(frozen=True)
class Finding:
    """One number of one cell, published and measured."""

    cell: dict[str, Any]
    quantity: Quantity
    published: Estimate | None
    measured: Estimate
    runs: int
    verdict: Verdict


@dataclass(frozen=True, eq=False)
class Findings:
    """All that was found about an experiment."""

    experiment: Experiment
    rows: Sequence[Finding]

    def settings(self) -> list[str]:
        """Return the settings that tell cells apart, in the order of their appearance."""
        return list(dict.fromkeys(key for row in self.rows for key in row.cell))

    def words(self) -> Counter[Word]:
        """Return how often each verdict was given, to judged numbers that were published."""
        judged = (row for row in self.rows if row.quantity.judged and row.published is not None)
        return Counter(row.verdict.word for row in judged)

    def share_confirmed(self) -> float:
        """Return the share of the comparable cells that are within noise or better."""
        words = self.words()
        good = words[Word.WITHIN] + words[Word.BETTER]
        comparable = good + words[Word.WORSE]
        return good / comparable if comparable else math.nan

    def mean_difference(self) -> Estimate:
        """Return measured less published, averaged over the comparable cells of judged quantities.

        Its error takes the cells to be independent.
        """
        pairs = [
            (row.measured.value - row.published.value, row.measured.error, row.published.error)
            for row in self.rows
            if row.published is not None
            and row.quantity.judged
            and row.verdict.word is not Word.NOT_COMPARABLE
        ]
        if not pairs:
            return Estimate(math.nan)
        table = np.array(pairs)
        error = math.sqrt(float(np.nansum(table[:, 1:] ** 2))) / len(table)
        return Estimate(float(table[:, 0].mean()), error)


SMOKE_ONLY = "a trial of the code on a part of the rows"
FEWER_FOLDS = "a quick run with fewer folds, whose machines see fewer rows"


def compare(
    experiment: Experiment, measurements: Iterable[Measurement], effort: Effort = Effort.FULL
) -> Findings:
    """Return the findings of an experiment: cell by cell and quantity by quantity.

    The error of a measured mean is that of its runs. The deviation of one run is pooled over all
    cells, since each has few; a single run has the error that it knows from its folds, if any. A
    published run without an error is taken to be as noisy as one run here.
    """
    runs: dict[str, list[Measurement]] = {}
    for one in measurements:
        runs.setdefault(cell_key(one.cell), []).append(one)
    published = {cell_key(cell.cell): cell for cell in experiment.published()}
    rows = []
    for quantity in experiment.quantities:
        spread = 0.0 if quantity.exact else _one_run(runs.values(), quantity.name)
        for of_cell in runs.values():
            if quantity.name not in of_cell[0].values:
                continue
            cell = of_cell[0].cell
            measured = _measured(of_cell, quantity.name, spread)
            noise = measured.error if math.isnan(spread) else spread
            printed = _printed(published, cell, quantity, noise if experiment.one_run else None)
            if quantity.relative_to is not None:
                reference = runs.get(cell_key(quantity.reference(cell)))
                if reference is None:
                    continue
                measured = _ratio(measured, _measured(reference, quantity.name, spread))
            why_not = experiment.why_not_comparable(cell)
            if effort is Effort.SMOKE and not quantity.exact:
                why_not = SMOKE_ONLY
            elif effort is Effort.QUICK and experiment.fewer_folds_when_quick:
                why_not = FEWER_FOLDS
            verdict = judged(quantity, printed, measured, why_not)
            rows.append(Finding(cell, quantity, printed, measured, len(of_cell), verdict))
    return Findings(experiment, rows)


def _one_run(cells: Iterable[Sequence[Measurement]], name: str) -> float:
    """The standard deviation of one run, pooled over the cells; nan with one run of each."""
    squares, freedom = 0.0, 0
    for runs in cells:
        values = _values(runs, name)
        if len(values) > 1:
            squares += float(((values - values.mean()) ** 2).sum())
            freedom += len(values) - 1
    return math.sqrt(squares / freedom) if freedom else math.nan


def _values(runs: Sequence[Measurement], name: str) -> FloatArray:
    return np.array([run.values[name] for run in runs if name in run.values])


def _measured(runs: Sequence[Measurement], name: str, spread: float) -> Estimate:
    values = _values(runs, name)
    own = [run.errors[name] for run in runs if name in run.errors]
    if own and len(values) < POOL_FROM:
        return Estimate(float(values.mean()), float(np.mean(own)))
    if len(values) >= OWN_FROM:
        return Estimate(float(values.mean()), float(values.std(ddof=1)) / math.sqrt(len(values)))
    return Estimate(float(values.mean()), spread / math.sqrt(len(values)))


def _printed(
    published: Mapping[str, PublishedCell],
    cell: dict[str, Any],
    quantity: Quantity,
    spread: float | None,
) -> Estimate | None:
    found = _lookup(published, cell, quantity.name)
    if found is None:
        return None
    error = found.errors.get(quantity.name, math.nan if spread is None else spread)
    value = Estimate(found.values[quantity.name], error)
    if quantity.relative_to is None:
        return value
    reference = _lookup(published, quantity.reference(cell), quantity.name)
    if reference is None:
        return None
    return _ratio(value, Estimate(reference.values[quantity.name]))


def _lookup(
    published: Mapping[str, PublishedCell], cell: Mapping[str, Any], name: str
) -> PublishedCell | None:
    """The published cell with a quantity; it may not know settings in which variants differ."""
    known = {frozenset(one.cell) for one in published.values() if name in one.values}
    for keys in sorted(known, key=len, reverse=True):
        if keys <= cell.keys():
            found = published.get(cell_key({key: cell[key] for key in keys}))
            if found is not None and name in found.values:
                return found
    return None


def _ratio(value: Estimate, reference: Estimate) -> Estimate:
    return Estimate(value.value / reference.value if reference.value else math.nan)
