"""What was measured in each cell: from the runs themselves, or from a table that was kept."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from svsieve.arrays import FloatArray
from svsieve.reproduce.experiment import Experiment, Measurement, Quantity, Settings
from svsieve.reproduce.noise import deviations
from svsieve.reproduce.published import cell_key
from svsieve.reproduce.verdicts import Estimate


@dataclass(frozen=True)
class Known:
    """One number of one cell, as a table of results holds it.

    Attributes
    ----------
    cell : dict
    quantity : Quantity
    measured : Estimate
        The mean of the runs with its standard error; that of the folds where there is one run.
    runs : int
    paired : float
        Of a cell that is run from another start: the standard error of the mean difference to the
        cell itself, run by run.
    """

    cell: Settings
    quantity: Quantity
    measured: Estimate
    runs: int
    paired: float = math.nan

    @property
    def deviation(self) -> float:
        """The standard deviation of one run among others; nan if there was one."""
        return self.measured.error * math.sqrt(self.runs) if self.runs > 1 else math.nan


def known_from(experiment: Experiment, measurements: Iterable[Measurement]) -> list[Known]:
    """Return what runs say about each cell, quantity by quantity.

    The error of a mean is that of its runs, with the deviation that
    :func:`svsieve.reproduce.noise.deviations` gives their cell; a single run has the error that it
    knows from its folds, if any.
    """
    runs: dict[str, list[Measurement]] = {}
    for one in measurements:
        runs.setdefault(cell_key(one.cell), []).append(one)
    found = []
    for quantity in experiment.quantities:
        spreads = _spreads(runs, quantity)
        for key, spread in spreads.items():
            cell = runs[key][0].cell
            measured = _measured(runs[key], quantity.name, spread)
            if quantity.relative_to is not None:
                reference = cell_key(quantity.reference(cell))
                if reference not in spreads:
                    continue
                of_other = _measured(runs[reference], quantity.name, spreads[reference])
                measured = ratio(measured, of_other)
            paired = _paired(experiment, runs, key, quantity.name)
            found.append(Known(cell, quantity, measured, len(runs[key]), paired))
    return found


def itself(experiment: Experiment, cell: Settings) -> Settings:
    """Return the cell that was run again, without what tells its runs apart."""
    return {key: value for key, value in cell.items() if key != experiment.again}


def is_again(experiment: Experiment, cell: Settings) -> bool:
    """Tell whether a cell is another one, run again."""
    return experiment.again != "" and experiment.again in cell


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


def _paired(
    experiment: Experiment, runs: Mapping[str, Sequence[Measurement]], key: str, name: str
) -> float:
    """The standard error of the mean difference between a cell run again and the cell itself."""
    cell = runs[key][0].cell
    if not (experiment.same_splits and is_again(experiment, cell)):
        return math.nan
    first, again = (
        _values(runs.get(one, ()), name) for one in (cell_key(itself(experiment, cell)), key)
    )
    if len(first) != len(again) or len(first) < 2:
        return math.nan
    return float((again - first).std(ddof=1)) / math.sqrt(len(first))


def ratio(value: Estimate, reference: Estimate) -> Estimate:
    """Return one number over another, whose error is not known."""
    return Estimate(value.value / reference.value if reference.value else math.nan)


@dataclass(frozen=True)
class Scatter:
    """How far runs are apart that were made again, quantity by quantity.

    Attributes
    ----------
    of_folds : dict of str to float
        The deviation of runs with other random numbers, over the error that their folds say.
    plain : dict of str to float
        That deviation itself.
    cells, runs : int
        How many cells were run again, and how often each was run in all.
    """

    of_folds: Mapping[str, float]
    plain: Mapping[str, float]
    cells: int = 0
    runs: int = 0

    def of(self, one: Known) -> float:
        """Return the deviation of one run of a cell that was run once; nan if nothing is known."""
        name = one.quantity.name
        if name in self.of_folds and one.measured.error > 0:
            return self.of_folds[name] * one.measured.error
        return self.plain.get(name, math.nan)


def scatter_of(experiment: Experiment, known: Sequence[Known]) -> Scatter:
    """Return what cells that were run again with other random numbers say about all cells.

    Folds say how far their own scores are apart. That grows and falls with the noise of a run, but
    is something else; so the two are compared where both are known, pooled over the cells.
    """
    groups: dict[tuple[str, str], list[Known]] = {}
    for one in known:
        key = one.quantity.name, cell_key(itself(experiment, one.cell))
        groups.setdefault(key, []).append(one)
    again = {key: group for key, group in groups.items() if len(group) > 1}
    of_folds, plain = dict[str, float](), dict[str, float]()
    for name in {name for name, _ in again}:
        of_name = [group for (other, _), group in again.items() if other == name]
        squares = sum(_variance(group) * (len(group) - 1) for group in of_name)
        freedom = sum(len(group) - 1 for group in of_name)
        plain[name] = math.sqrt(squares / freedom)
        folds = [np.mean([one.measured.error**2 for one in group]) for group in of_name]
        from_folds = sum(
            float(square) * (len(group) - 1) for square, group in zip(folds, of_name, strict=True)
        )
        if math.isfinite(from_folds) and from_folds > 0:
            of_folds[name] = math.sqrt(squares / from_folds)
    return Scatter(
        of_folds,
        plain,
        len({key for _, key in again}),
        max((len(group) for group in again.values()), default=0),
    )


def _variance(group: Sequence[Known]) -> float:
    return float(np.var([one.measured.value for one in group], ddof=1))


def paired_error(experiment: Experiment, known: Sequence[Known], one: Known) -> float:
    """Return the standard error of a difference between two starts, over those that were run."""
    key, name = cell_key(one.cell), one.quantity.name
    found = [
        other.paired
        for other in known
        if other.quantity.name == name
        and is_again(experiment, other.cell)
        and cell_key(itself(experiment, other.cell)) == key
        and math.isfinite(other.paired)
    ]
    return math.sqrt(float(np.mean(np.square(found)))) if found else math.nan


def with_error(estimate: Estimate, error: float) -> Estimate:
    """Return an estimate with another error."""
    return replace(estimate, error=error)
