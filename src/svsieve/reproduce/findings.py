"""What was measured, set beside the published numbers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from svsieve.reproduce.cells import (
    Known,
    Scatter,
    is_again,
    known_from,
    paired_error,
    pooled_deviation,
    ratio,
    scatter_of,
    with_error,
)
from svsieve.reproduce.experiment import Effort, Experiment, Measurement, Quantity
from svsieve.reproduce.power import Pair, Power, power_of
from svsieve.reproduce.published import PublishedCell, cell_key
from svsieve.reproduce.verdicts import Estimate, Verdict, Word, judged


@dataclass(frozen=True)
class Finding:
    """One number of one cell, published and measured.

    Attributes
    ----------
    cell : dict
    quantity : Quantity
    published : Estimate or None
        With the error that the page shows: its own, or the one lent by runs here.
    measured : Estimate
    runs : int
    verdict : Verdict
    paired : float
        See :class:`svsieve.reproduce.cells.Known`.
    pair : Pair or None
        The numbers as they are compared.
    origin : str
        Which published number it is. The same in all cells that are set beside one number.
    """

    cell: dict[str, Any]
    quantity: Quantity
    published: Estimate | None
    measured: Estimate
    runs: int
    verdict: Verdict
    paired: float = math.nan
    pair: Pair | None = None
    origin: str = ""

    @property
    def comparable(self) -> bool:
        """Whether it has a say in what the page notices."""
        return self.quantity.judged and self.verdict.word is not Word.NOT_COMPARABLE


@dataclass(frozen=True, eq=False)
class Findings:
    """All that was found about an experiment."""

    experiment: Experiment
    rows: Sequence[Finding]
    scatter: Scatter

    def settings(self) -> list[str]:
        """Return the settings that tell cells apart, in the order of their appearance."""
        return list(dict.fromkeys(key for row in self.rows for key in row.cell))

    def counted(self) -> list[Finding]:
        """Return one finding for each published number that is judged.

        Where several cells are set beside the same number it is the first that can be compared.
        """
        chosen: dict[str, Finding] = {}
        for row in self.rows:
            if row.published is None or not row.quantity.judged:
                continue
            before = chosen.get(row.origin)
            if before is None or (row.comparable and not before.comparable):
                chosen[row.origin] = row
        return list(chosen.values())

    def words(self) -> Counter[Word]:
        """Return how often each verdict was given, every published number counted once."""
        return Counter(row.verdict.word for row in self.counted())

    def powers(self) -> dict[str, Power]:
        """Return what the page can notice about each quantity that is judged, by its name."""
        return _powers(self.experiment, self.rows)

    def apart_as_tables(self) -> dict[tuple[str, str], Power]:
        """Return how far apart those cells are that cannot be compared, by reason and quantity."""
        groups: dict[tuple[str, str], list[Finding]] = {}
        for row in self.rows:
            left_out = row.pair is not None and row.quantity.judged and not row.comparable
            known = not (math.isnan(row.verdict.apart) or is_again(self.experiment, row.cell))
            if left_out and known:
                groups.setdefault((row.verdict.why, row.quantity.name), []).append(row)
        return {
            key: power_of(rows[0].quantity, [row.pair for row in rows if row.pair is not None])
            for key, rows in groups.items()
        }


SMOKE_ONLY = "a trial of the code on a part of the rows"
FEWER_FOLDS = "a quick run with fewer folds, whose machines see fewer rows"
RUN_AGAIN = "run once more, to see how far two runs are apart"


def compare(
    experiment: Experiment, measurements: Iterable[Measurement], effort: Effort = Effort.FULL
) -> Findings:
    """Return the findings of an experiment: cell by cell and quantity by quantity."""
    return judge(experiment, known_from(experiment, measurements), effort)


def judge(
    experiment: Experiment,
    known: Sequence[Known],
    effort: Effort = Effort.FULL,
    *,
    noise_of: Sequence[Known] | None = None,
) -> Findings:
    """Return what numbers, measured now or kept in a table, say about the published ones.

    The noise is that of `noise_of`, if given, in the place of the numbers themselves.

    Where print is one run without a standard error it is taken to be as noisy as one run here.
    Where every cell was run once, that noise comes from the cells that were run again with other
    random numbers; without such cells, from the folds. Where both used the same splits, it is that
    between two starts of the search.
    """
    published = {cell_key(cell.cell): cell for cell in experiment.published()}
    of = known if noise_of is None else noise_of
    printed = {
        (one.quantity.name, cell_key(one.cell)): estimate.error
        for one in of
        if (estimate := _printed(experiment, published, one)[0]) is not None
    }
    scatter = scatter_of(experiment, of, printed) if experiment.one_run else Scatter()
    rows = [_finding(experiment, one, of, published, scatter, effort) for one in known]
    weak = {name for name, power in _powers(experiment, rows).items() if not power.tells_apart}
    rows = [
        replace(row, verdict=replace(row.verdict, word=Word.LEVEL))
        if row.verdict.word is Word.AGREES and row.quantity.name in weak
        else row
        for row in rows
    ]
    return Findings(experiment, rows, scatter)


def _finding(
    experiment: Experiment,
    one: Known,
    known: Sequence[Known],
    published: Mapping[str, PublishedCell],
    scatter: Scatter,
    effort: Effort,
) -> Finding:
    printed, origin = _printed(experiment, published, one)
    pair, shown = None, printed
    if printed is not None:
        pair = _pair(experiment, one, known, printed, scatter)
        if math.isnan(printed.error) and not one.quantity.exact and not pair.published.trials:
            shown = with_error(printed, pair.published.error)
        pair = replace(pair, printed=shown if shown is not None else printed)
    why_not = experiment.why_not_comparable(one.cell)
    if is_again(experiment, one.cell):
        why_not = why_not or RUN_AGAIN
    elif effort is Effort.SMOKE and not one.quantity.exact:
        why_not = SMOKE_ONLY
    elif effort is Effort.QUICK and experiment.fewer_folds_when_quick:
        why_not = FEWER_FOLDS
    verdict = judged(
        one.quantity,
        None if pair is None else pair.published,
        one.measured if pair is None else pair.measured,
        why_not,
        reason=experiment.reason(one.cell),
    )
    return Finding(
        one.cell, one.quantity, shown, one.measured, one.runs, verdict, one.paired, pair, origin
    )


def _powers(experiment: Experiment, rows: Sequence[Finding]) -> dict[str, Power]:
    return {
        quantity.name: power_of(quantity, pairs)
        for quantity in experiment.quantities
        if (
            pairs := [
                row.pair
                for row in rows
                if row.quantity is quantity and row.comparable and row.pair is not None
            ]
        )
    }


def _pair(
    experiment: Experiment,
    one: Known,
    known: Sequence[Known],
    printed: Estimate,
    scatter: Scatter,
) -> Pair:
    """A published and a measured number with the noise that their comparison has."""
    measured = one.measured
    if one.quantity.share and printed.trials:
        return Pair(printed, printed, replace(measured, trials=one.runs))
    if tolerance := experiment.tolerance(one.cell):
        printed = replace(printed, tolerance=tolerance)
        return Pair(printed, printed, measured)
    if experiment.same_splits:
        error = paired_error(experiment, known, one)
        if not math.isnan(error):
            return Pair(printed, with_error(printed, 0.0), with_error(measured, error))
    if experiment.one_run and one.quantity.relative_to is None:
        if one.runs > 1:
            deviation = one.deviation
            if one.quantity.whole:
                deviation = pooled_deviation(experiment, known, one.quantity)
                measured = with_error(measured, deviation / math.sqrt(one.runs))
            return Pair(printed, with_error(printed, deviation), measured)
        deviation = scatter.of(one, printed.error)
        if not math.isnan(deviation):
            return Pair(printed, with_error(printed, deviation), with_error(measured, deviation))
        lent = measured.error if math.isnan(printed.error) else printed.error
        return Pair(printed, with_error(printed, lent), measured)
    return Pair(printed, printed, measured)


def _printed(
    experiment: Experiment, published: Mapping[str, PublishedCell], one: Known
) -> tuple[Estimate | None, str]:
    name = one.quantity.name
    found = _lookup(published, one.cell, name)
    if found is None:
        return None, ""
    value = Estimate(
        found.values[name], found.errors.get(name, math.nan), trials=found.trials.get(name, 0)
    )
    origin = found.origin.get(name, f"{experiment.id} {cell_key(found.cell)} {name}")
    if one.quantity.relative_to is None:
        return value, origin
    reference = _lookup(published, one.quantity.reference(one.cell), name)
    if reference is None:
        return None, ""
    return ratio(value, Estimate(reference.values[name])), origin


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
