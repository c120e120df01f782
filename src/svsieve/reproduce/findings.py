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
from svsieve.reproduce.noise import deviations
from svsieve.reproduce.published import PublishedCell, cell_key
from svsieve.reproduce.verdicts import Estimate, Verdict, Word, judged


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

    def unexplained(self) -> list[Finding]:
        """Return what is worse than published and does not say why."""
        return [row for row in self.rows if row.verdict.word is Word.WORSE and not row.verdict.why]

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

    The error of a measured mean is that of its runs, with the deviation that
    :func:`svsieve.reproduce.noise.deviations` gives their cell; a single run has the error that it
    knows from its folds, if any. A published run without an error is taken to be as noisy as one
    run of its cell here.
    """
    runs: dict[str, list[Measurement]] = {}
    for one in measurements:
        runs.setdefault(cell_key(one.cell), []).append(one)
    published = {cell_key(cell.cell): cell for cell in experiment.published()}
    rows = []
    for quantity in experiment.quantities:
        spreads = _spreads(runs, quantity)
        for key, spread in spreads.items():
            of_cell = runs[key]
            cell = of_cell[0].cell
            measured = _measured(of_cell, quantity.name, spread)
            noise = measured.error if math.isnan(spread) else spread
            printed = _printed(published, cell, quantity, noise if experiment.one_run else None)
            if quantity.relative_to is not None:
                reference = cell_key(quantity.reference(cell))
                if reference not in spreads:
                    continue
                of_other = _measured(runs[reference], quantity.name, spreads[reference])
                measured = _ratio(measured, of_other)
            why_not = experiment.why_not_comparable(cell)
            if effort is Effort.SMOKE and not quantity.exact:
                why_not = SMOKE_ONLY
            elif effort is Effort.QUICK and experiment.fewer_folds_when_quick:
                why_not = FEWER_FOLDS
            verdict = judged(
                quantity, printed, measured, why_not, explained=experiment.explained(cell)
            )
            rows.append(Finding(cell, quantity, printed, measured, len(of_cell), verdict))
    return Findings(experiment, rows)


def _spreads(runs: Mapping[str, Sequence[Measurement]], quantity: Quantity) -> dict[str, float]:
    """The standard deviation of one run of each cell with a quantity; nan if all were run once."""
    keys = [key for key, of_cell in runs.items() if quantity.name in of_cell[0].values]
    if quantity.exact:
        return dict.fromkeys(keys, 0.0)
    found = deviations([_values(runs[key], quantity.name) for key in keys])
    return dict(zip(keys, found.tolist(), strict=True))


def _values(runs: Sequence[Measurement], name: str) -> FloatArray:
    return np.array([run.values[name] for run in runs if name in run.values])


def _measured(runs: Sequence[Measurement], name: str, spread: float) -> Estimate:
    values = _values(runs, name)
    own = [run.errors[name] for run in runs if name in run.errors]
    if own and len(values) == 1:
        return Estimate(float(values.mean()), own[0])
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
