"""Experiments are run cell by cell; what is done is kept, so that a killed run goes on."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from joblib import Parallel, delayed, parallel_config

from svsieve.estimators.progress import Tally
from svsieve.reproduce import provenance
from svsieve.reproduce.experiment import Effort, Experiment, Measurement, Settings
from svsieve.reproduce.registry import find
from svsieve.store import RunStore, settings_key


@dataclass(frozen=True, eq=False)
class Outcome:
    """What the runs of an experiment have left behind.

    Attributes
    ----------
    measurements : list of Measurement
    cpu_seconds : float
        Of all runs, whenever they were made.
    warned : dict of str to int
        Kinds of warnings, and how many runs gave them.
    sample : list of dict
        The quickest runs with what they measured, to be run again one day.
    """

    measurements: list[Measurement]
    cpu_seconds: float
    warned: dict[str, int]
    sample: list[dict[str, Any]] = field(default_factory=list)


SAMPLED = 3


def run(
    experiment: Experiment,
    effort: Effort,
    *,
    store: str | os.PathLike[str] | None = None,
    jobs: int = 1,
    progress: bool = False,
    only: Sequence[Settings] | None = None,
) -> Outcome:
    """Run what is not in the store yet.

    Parameters
    ----------
    experiment : Experiment
    effort : Effort
    store : str or path, optional
        File of a run store. Without one nothing is kept.
    jobs : int, default=1
        Runs side by side, each in a process of its own with one thread.
    progress : bool, default=False
        Say on stderr how many runs are done.
    only : sequence of dict, optional
        Cells to run in the place of all.

    Returns
    -------
    Outcome

    Raises
    ------
    ValueError
        If the store was made by another experiment or effort, or with other code, another native
        core, other data or other libraries. It is left as it is.
    """
    cells = experiment.cells(effort) if only is None else only
    units = {
        settings_key({**cell, "repeat": repeat}): (cell, repeat)
        for repeat in range(experiment.repeats(effort))
        for cell in cells
    }
    with RunStore(store, _fingerprint(experiment, effort)) as kept:
        done = set(kept.done())
        left = [key for key in units if key not in done]
        with Tally(len(left), "runs", n_jobs=jobs, shown=progress) as tally:
            for key, (measured, facts) in _measured(experiment, effort, units, kept, jobs):
                kept.finish(key, [], {"measurements": [asdict(one) for one in measured]}, facts)
                tally.add(facts["cpu_seconds"])
        return _outcome(kept, units)


def _fingerprint(experiment: Experiment, effort: Effort) -> dict[str, str]:
    """What the numbers hang on, named as the message names it that refuses another one's store."""
    made = {"the experiment": experiment.id, "the effort": effort.value}
    return made | provenance.fingerprint(experiment)


Unit = tuple[Settings, int]
Measured = tuple[list[Measurement], dict[str, Any]]


def _measured(
    experiment: Experiment, effort: Effort, units: dict[str, Unit], store: RunStore, jobs: int
) -> Iterator[tuple[str, Measured]]:
    """Run units until there is none left to claim; no unit is claimed before a process is free."""

    def claimed() -> Iterator[str]:
        while (key := store.claim(units)) is not None:
            yield key

    if jobs == 1:
        for key in claimed():
            yield key, _one(experiment, units[key], effort)
        return
    with parallel_config(backend="loky", inner_max_num_threads=1):
        parallel = Parallel(
            n_jobs=jobs, return_as="generator_unordered", pre_dispatch="1*n_jobs", batch_size=1
        )
        yield from parallel(
            delayed(_named)(key, experiment.id, units[key], effort) for key in claimed()
        )


def _named(key: str, experiment: str, unit: Unit, effort: Effort) -> tuple[str, Measured]:
    return key, _one(find(experiment), unit, effort)


def _one(experiment: Experiment, unit: Unit, effort: Effort) -> Measured:
    began = time.process_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        measured = list(experiment.measure(*unit, effort))
    facts = {
        "cpu_seconds": time.process_time() - began,
        "warned": sorted({one.category.__name__ for one in caught}),
    }
    return measured, facts


def _outcome(store: RunStore, units: dict[str, Unit]) -> Outcome:
    measurements, seconds, warned = [], 0.0, dict[str, int]()
    done, quick = set(store.done()), list[tuple[float, dict[str, Any]]]()
    for key, (cell, repeat) in units.items():
        if key not in done:  # another process works on it
            continue
        result = store.result(key)
        with store.reading():
            found = [Measurement(**one) for one in result.curve["measurements"]]
            took = float(result.facts["cpu_seconds"])
            for kind in result.facts["warned"]:
                warned[kind] = warned.get(kind, 0) + 1
        measurements += found
        seconds += took
        values = [{"cell": one.cell, "values": one.values} for one in found]
        quick.append((took, {"cell": cell, "repeat": repeat, "measured": values}))
    quick.sort(key=lambda entry: entry[0])
    return Outcome(measurements, seconds, warned, [one for _, one in quick[:SAMPLED]])
