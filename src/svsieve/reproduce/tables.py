"""Results in a CSV file: written, and read again to be judged anew."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from pathlib import Path

from svsieve.reproduce.cells import Known
from svsieve.reproduce.experiment import Experiment
from svsieve.reproduce.findings import Finding, Findings
from svsieve.reproduce.published import value_of
from svsieve.reproduce.verdicts import Estimate

COLUMNS = (
    *("quantity", "judged", "published", "published_error", "measured", "measured_error"),
    *("runs", "paired_error", "apart", "verdict", "why"),
)


def file_of(folder: Path, id: str) -> Path:
    """Return where the table of an experiment is kept."""
    return folder / f"{id}.csv"


def write_table(findings: Findings, file: Path) -> None:
    """Write what was found, one number of one cell per row."""
    settings = findings.settings()
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, (*settings, *COLUMNS), lineterminator="\n")
        writer.writeheader()
        for row in findings.rows:
            printed = row.published or Estimate(math.nan)
            writer.writerow(
                {
                    **row.cell,
                    "quantity": row.quantity.label.removesuffix(" %"),
                    "judged": _how_judged(row),
                    "published": _number(printed.value),
                    "published_error": _number(printed.error),
                    "measured": _number(row.measured.value),
                    "measured_error": _number(row.measured.error),
                    "runs": row.runs,
                    "paired_error": _number(row.paired),
                    "apart": _number(row.verdict.apart, 3),
                    "verdict": row.verdict.word.value,
                    "why": row.verdict.why,
                }
            )


def read_table(experiment: Experiment, file: Path) -> list[Known]:
    """Return what a table says was measured; verdicts and published numbers are left aside."""
    by_label = {one.label.removesuffix(" %"): one for one in experiment.quantities}
    found = []
    with file.open(newline="", encoding="utf-8") as stream:
        rows: Sequence[dict[str, str]] = list(csv.DictReader(stream))
    for row in rows:
        entries = list(row.items())
        end = list(row).index(COLUMNS[0])
        cell = {key: value_of(text) for key, text in entries[:end] if text != ""}
        measured = Estimate(_value(row["measured"]), _value(row["measured_error"]))
        paired = _value(row.get("paired_error", ""))
        known = Known(cell, by_label[row["quantity"]], measured, int(row["runs"]), paired)
        found.append(known)
    return found


def _how_judged(row: Finding) -> str:
    """Say yes of numbers with noise, exact of those without, nothing of those only shown."""
    if row.quantity.exact:
        return "exact"
    return "yes" if row.quantity.judged else ""


def _number(value: float, digits: int = 6) -> str:
    return "" if math.isnan(value) else f"{value:.{digits}g}"


def _value(text: str) -> float:
    return float(text) if text else math.nan
