"""How a result was made, in a file beside it, and whether it still comes out."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from svsieve.reproduce import provenance
from svsieve.reproduce.cells import Known, known_from
from svsieve.reproduce.experiment import Effort, Experiment, Measurement, Settings
from svsieve.reproduce.published import cell_key
from svsieve.reproduce.running import Outcome, run

# Numbers of a table have six digits; those of a sample all.
SIX_DIGITS, ALL_DIGITS = 1e-5, 1e-9


@dataclass(frozen=True)
class Checked:
    """A sample of the runs, made again.

    Attributes
    ----------
    date, commit : str
    fingerprint : dict of str to str
        Of what ran then.
    runs, numbers : int
        How many runs were made again, and how many numbers compared.
    other : int
        How many of these were not the same.
    """

    date: str
    commit: str
    fingerprint: dict[str, str]
    runs: int
    numbers: int
    other: int


@dataclass(frozen=True)
class Made:
    """How results were made.

    Attributes
    ----------
    command, version, date, commit : str
        Empty where that was not kept.
    fingerprint : dict of str to str
        What decided them, see :func:`svsieve.reproduce.provenance.fingerprint`. Empty where that
        was not kept.
    cpu_seconds : float
    warned : dict of str to int
    sample : list of dict
        Some of the runs, with all digits.
    checked : Checked or None
        The last time that a sample was run again.
    added : list of dict
        Cells that joined later: how many, when, at which commit and with which fingerprint.
    """

    command: str
    version: str
    date: str
    commit: str = ""
    fingerprint: dict[str, str] = field(default_factory=dict)
    cpu_seconds: float = 0.0
    warned: dict[str, int] = field(default_factory=dict)
    sample: Sequence[Mapping[str, Any]] = ()
    checked: Checked | None = None
    added: Sequence[Mapping[str, Any]] = ()

    @classmethod
    def now(cls, experiment: Experiment, effort: Effort, outcome: Outcome, date: str) -> Made:
        """Return how runs were made that have just been finished."""
        from svsieve import __version__

        return cls(
            f"svsieve reproduce {experiment.id} --{effort.value}",
            __version__,
            date,
            provenance.commit(),
            provenance.fingerprint(experiment),
            outcome.cpu_seconds,
            outcome.warned,
            _told(experiment, outcome.sample),
        )

    @property
    def is_full(self) -> bool:
        """Whether the whole protocol was run."""
        return self.command.endswith(f"--{Effort.FULL.value}")

    def differences(self, experiment: Experiment) -> list[str]:
        """Return what decides the results and is not what it was when they last came out."""
        here = provenance.fingerprint(experiment)
        for there in (self.fingerprint, self.checked.fingerprint if self.checked else {}):
            if there == here and not (self.checked and self.checked.other):
                return []
        last = self.checked.fingerprint if self.checked else self.fingerprint
        if not last:
            return ["everything: nothing was kept about it"]
        found = [name for name in here if last.get(name) != here[name]]
        return found or ["its numbers: a sample gave others"]

    def sentences(self) -> str:
        """Return what a page says about all this."""
        at = f"commit {self.commit}" if self.commit else "commit not kept"
        of = f"hash {provenance.short(self.fingerprint)}" if self.fingerprint else "hash not kept"
        text = (
            f"Made by `{self.command}`, svsieve {self.version}, {self.date}, {at}, {of}; "
            f"{self.cpu_seconds / 60:.1f} minutes of processor time."
        )
        for kind, count in sorted(self.warned.items()):
            text += f" {count} of the runs gave a {kind}."
        for more in self.added:
            minutes, digest = more["cpu_seconds"] / 60, provenance.short(more["fingerprint"])
            text += (
                f" {more['cells']} cells were added on {more['date']} at commit {more['commit']}, "
                f"hash {digest}; {minutes:.1f} minutes."
            )
        if self.checked is None:
            return text + " No sample of it was run again since."
        one = self.checked
        how = "all equal" if not one.other else f"{one.other} of them others: it is to be run anew"
        return text + (
            f" Run again on {one.date} at commit {one.commit}, hash "
            f"{provenance.short(one.fingerprint)}: {one.runs} of the runs, {one.numbers} numbers, "
            f"{how}."
        )


def file_of(folder: Path, id: str) -> Path:
    """Return where a record is kept."""
    return folder / f"{id}.json"


def write_record(made: Made, folder: Path, id: str) -> Path:
    """Write a record beside the result, and return its file."""
    file = file_of(folder, id)
    lines = [f' "{name}": {json.dumps(entry)}' for name, entry in asdict(made).items()]
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    return file


def read_record(folder: Path, id: str) -> Made:
    """Return how the result in a folder was made."""
    entries = json.loads(file_of(folder, id).read_text(encoding="utf-8"))
    checked = entries.pop("checked")
    return Made(**entries, checked=None if checked is None else Checked(**checked))


def check(experiment: Experiment, made: Made, kept: Sequence[Known], date: str) -> Made:
    """Run a sample of a result again, and return its record with what came of it.

    Where the record holds no runs, all runs of one cell are made again, their means are compared
    with the table, and some of them are kept for the next time.
    """
    if made.sample:
        runs, pairs = len(made.sample), _runs_again(experiment, made.sample)
        digits, sample = ALL_DIGITS, made.sample
    else:
        outcome = run(experiment, Effort.FULL, only=[experiment.sample()])
        runs, digits = experiment.repeats(Effort.FULL), SIX_DIGITS
        pairs = _means_again(known_from(experiment, outcome.measurements), kept)
        sample = _told(experiment, outcome.sample)
    other = sum(not _same(there, here, digits) for there, here in pairs)
    checked = Checked(
        date,
        provenance.commit(),
        provenance.fingerprint(experiment),
        runs,
        len(pairs),
        other,
    )
    return replace(made, checked=checked, sample=made.sample if other else sample)


def lacking(experiment: Experiment, kept: Sequence[Known]) -> list[Settings]:
    """Return the cells of the full protocol that a table does not have.

    None can be told where a cell that is run is not one of the table.
    """
    there = [one.cell for one in kept]
    cells = list(experiment.cells(Effort.FULL))
    missing = [cell for cell in cells if not any(cell.items() <= one.items() for one in there)]
    return missing if len(missing) < len(cells) else []


def with_added(made: Made, experiment: Experiment, cells: int, seconds: float, date: str) -> Made:
    """Return a record that says of some cells that they were added."""
    added = {
        "cells": cells,
        "date": date,
        "commit": provenance.commit(),
        "fingerprint": provenance.fingerprint(experiment),
        "cpu_seconds": seconds,
    }
    return replace(made, added=[*made.added, added])


def _told(experiment: Experiment, sample: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return runs without their times and without the points of curves."""
    names = {one.name for one in experiment.quantities if not (one.timed or one.drawn_only)}
    found = []
    for one in sample:
        measured = [
            {"cell": cell["cell"], "values": values}
            for cell in one["measured"]
            if (values := {key: cell["values"][key] for key in names & cell["values"].keys()})
        ]
        found.append({**one, "measured": measured})
    return found


def _runs_again(
    experiment: Experiment, sample: Sequence[Mapping[str, Any]]
) -> list[tuple[float, float]]:
    pairs = []
    for one in sample:
        found = _by_cell(experiment.measure(one["cell"], one["repeat"], Effort.FULL))
        for there in one["measured"]:
            values = found.get(cell_key(there["cell"]), {})
            pairs += [
                (value, values.get(name, math.nan)) for name, value in there["values"].items()
            ]
    return pairs


def _by_cell(measured: Any) -> dict[str, dict[str, float]]:
    found = dict[str, dict[str, float]]()
    one: Measurement
    for one in measured:
        found.setdefault(cell_key(one.cell), {}).update(one.values)
    return found


def _means_again(again: Sequence[Known], kept: Sequence[Known]) -> list[tuple[float, float]]:
    table = {(one.quantity.name, cell_key(one.cell)): one.measured.value for one in kept}
    return [
        (table.get((one.quantity.name, cell_key(one.cell)), math.nan), one.measured.value)
        for one in again
        if not one.quantity.timed
    ]


def _same(there: float, here: float, digits: float) -> bool:
    return math.isclose(there, here, rel_tol=digits, abs_tol=1e-12)
