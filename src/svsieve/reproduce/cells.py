"""What was measured in each cell: from the runs themselves, or from a table that was kept."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from svsieve.arrays import FloatArray
from svsieve.reproduce.experiment import Experiment, Measurement, Quantity, Settings
from svsieve.reproduce.noise import Prior, deviations
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
    """How far runs with other random numbers are apart.

    Attributes
    ----------
    of_folds : dict of str to float
        The deviation of one run over the error that its folds say, by quantity.
    usual : dict of str to Prior
        What the errors over folds usually are.
    sizes : dict
        The deviation of one run of quantities of which folds say nothing, by the settings on which
        it hangs and the name of the quantity.
    by : tuple of str
        These settings.
    folds : int
    cells, runs : int
        How many cells were run again, and how often each was run in all.
    """

    of_folds: Mapping[str, float] = field(default_factory=dict)
    usual: Mapping[str, Prior] = field(default_factory=dict)
    sizes: Mapping[tuple[str, str], float] = field(default_factory=dict)
    by: tuple[str, ...] = ()
    folds: int = 0
    cells: int = 0
    runs: int = 0

    def of(self, one: Known, printed: float) -> float:
        """Return the deviation of one run of a cell that was run once; nan if nothing is known.

        `printed` is the error over folds that was printed for it, nan if there is none.
        """
        name = one.quantity.name
        if name not in self.of_folds:
            return self.sizes.get((_group(self.by, one.cell), name), math.nan)
        variance, freedom = fold_variance(one, printed, self.folds)
        return self.of_folds[name] * math.sqrt(self.usual[name].moderated(variance, freedom))

    def range(self, name: str) -> tuple[float, float]:
        """Return the least and the greatest deviation of a quantity of which folds say nothing."""
        found = [value for (_, other), value in self.sizes.items() if other == name]
        return min(found), max(found)


def fold_variance(one: Known, printed: float, folds: int) -> tuple[float, float]:
    """Return the squared error over folds, measured and printed, and its degrees of freedom."""
    errors = np.array([one.measured.error, printed])
    known = errors[np.isfinite(errors)]
    return float(np.mean(known**2)), float(len(known) * (folds - 1))


def _group(by: Sequence[str], cell: Settings) -> str:
    return cell_key({key: cell[key] for key in by if key in cell})


def scatter_of(
    experiment: Experiment, known: Sequence[Known], printed: Mapping[tuple[str, str], float]
) -> Scatter:
    """Return what cells that were run again with other random numbers say about all cells.

    Errors over folds say how far the scores of folds are apart, which is something else, but grows
    and falls with the noise of a run: where both are known, one is so many times the other. Folds
    are few, and so the error of each cell is drawn towards the usual one. Of sizes folds say
    nothing; there runs of cells with the same noise are pooled.

    Parameters
    ----------
    experiment : Experiment
    known : sequence of Known
    printed : dict
        Errors that were printed, by quantity and cell.
    """
    again = _run_again(experiment, known)
    of_folds, usual = dict[str, float](), dict[str, Prior]()
    sizes: dict[tuple[str, str], float] = {}
    for quantity in experiment.quantities:
        groups = [of_cell for (name, _), of_cell in again.items() if name == quantity.name]
        if not groups:
            continue
        errors = [[one.measured.error for one in of_cell] for of_cell in groups]
        if not np.isfinite(np.concatenate(errors)).all():
            sizes |= _of_sizes(experiment, known, quantity, groups)
            continue
        squares = [
            float(np.var([one.measured.value for one in of_cell], ddof=1) / np.mean(np.square(own)))
            for of_cell, own in zip(groups, errors, strict=True)
        ]
        freedoms = [len(of_cell) - 1 for of_cell in groups]
        of_folds[quantity.name] = math.sqrt(float(np.average(squares, weights=freedoms)))
        usual[quantity.name] = _usual(experiment, known, quantity, printed)
    return Scatter(
        of_folds,
        usual,
        sizes,
        experiment.noise_by,
        experiment.folds,
        len({key for _, key in again}),
        max((len(of_cell) for of_cell in again.values()), default=0),
    )


def _run_again(
    experiment: Experiment, known: Sequence[Known]
) -> dict[tuple[str, str], list[Known]]:
    """All runs of the cells that were run again, by quantity and cell."""
    found: dict[tuple[str, str], list[Known]] = {}
    for one in known:
        key = cell_key(itself(experiment, one.cell))
        found.setdefault((one.quantity.name, key), []).append(one)
    return {key: of_cell for key, of_cell in found.items() if len(of_cell) > 1}


def _usual(
    experiment: Experiment,
    known: Sequence[Known],
    quantity: Quantity,
    printed: Mapping[tuple[str, str], float],
) -> Prior:
    """What the squared errors over folds of comparable cells usually are."""
    found = [
        fold_variance(
            one, printed.get((quantity.name, cell_key(one.cell)), math.nan), experiment.folds
        )
        for one in known
        if one.quantity is quantity
        and math.isfinite(one.measured.error)
        and not is_again(experiment, one.cell)
        and not experiment.why_not_comparable(one.cell)
    ]
    variances, freedoms = np.array(found).T
    return Prior.of(variances, freedoms)


def _of_sizes(
    experiment: Experiment,
    known: Sequence[Known],
    quantity: Quantity,
    cells: Sequence[Sequence[Known]],
) -> dict[tuple[str, str], float]:
    """The deviations of runs of cells, by the settings on which they hang."""
    groups: dict[str, list[FloatArray]] = {}
    for of_cell in cells:
        values = np.array([one.measured.value for one in of_cell])
        group = _group(experiment.noise_by, of_cell[0].cell)
        groups.setdefault(group, []).append(values - values.mean())
    # Each cell has a mean of its own, which costs a run: so much wider are the deviations.
    centred = []
    for of_group in groups.values():
        values = np.concatenate(of_group)
        centred.append(values * math.sqrt((len(values) - 1) / (len(values) - len(of_group))))
    least = _grid(known, quantity) / math.sqrt(12.0) if quantity.whole else 0.0
    return {
        (group, quantity.name): max(spread, least)
        for group, spread in zip(groups, deviations(centred).tolist(), strict=True)
    }


def _grid(known: Sequence[Known], quantity: Quantity) -> float:
    """The least difference between two sizes that single runs have given."""
    sizes = {one.measured.value for one in known if one.quantity is quantity and one.runs == 1}
    return float(np.diff(sorted(sizes)).min()) if len(sizes) > 1 else 0.0


def pooled_deviation(experiment: Experiment, known: Sequence[Known], quantity: Quantity) -> float:
    """Return one deviation of runs for all comparable cells; nan if each was run once."""
    variances = [
        one.deviation**2
        for one in known
        if one.quantity is quantity
        and one.runs > 1
        and not is_again(experiment, one.cell)
        and not experiment.why_not_comparable(one.cell)
    ]
    return math.sqrt(float(np.mean(variances))) if variances else math.nan


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
