"""What was found, for people: a CSV file, a page in Markdown, a figure."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from svsieve.reports.figures import close
from svsieve.reproduce.drawing import figure_of
from svsieve.reproduce.findings import Finding, Findings
from svsieve.reproduce.published import cell_key
from svsieve.reproduce.running import Outcome
from svsieve.reproduce.verdicts import Estimate, Word


@dataclass(frozen=True)
class Made:
    """How results were made.

    Attributes
    ----------
    command, version, date : str
    """

    command: str
    version: str
    date: str


def write(findings: Findings, outcome: Outcome, made: Made, folder: Path) -> list[Path]:
    """Write ID.csv, ID.svg and ID.md into a folder, and return them."""
    folder.mkdir(parents=True, exist_ok=True)
    id = findings.experiment.id
    table, figure, page = (folder / f"{id}.{ending}" for ending in ("csv", "svg", "md"))
    _write_table(findings, made, table)
    drawn = figure_of(findings)
    drawn.savefig(figure, metadata={"Date": None})
    close(drawn)
    page.write_text(_page(findings, outcome, made), encoding="utf-8")
    return [table, figure, page]


# ---- the table

COLUMNS = (
    *("quantity", "judged", "published", "published_error", "measured", "measured_error"),
    *("runs", "apart", "verdict", "why", "command", "version", "date"),
)


def _write_table(findings: Findings, made: Made, file: Path) -> None:
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
                    "apart": _number(row.verdict.apart, 3),
                    "verdict": row.verdict.word.value,
                    "why": row.verdict.why,
                    "command": made.command,
                    "version": made.version,
                    "date": made.date,
                }
            )


def _how_judged(row: Finding) -> str:
    """Say yes of numbers with noise, exact of those without, nothing of those only shown."""
    if row.quantity.exact:
        return "exact"
    return "yes" if row.quantity.judged else ""


def _number(value: float, digits: int = 6) -> str:
    return "" if math.isnan(value) else f"{value:.{digits}g}"


# ---- the page


def summary(findings: Findings) -> str:
    """Return one sentence about the verdicts."""
    words = findings.words()
    counts = ", ".join(f"{words[word]} {word.value}" for word in Word if words[word])
    if not words:
        return "Nothing to judge: times, a figure without numbers, or a protocol of its own."
    text = f"{sum(words.values())} cells: {counts}."
    share = findings.share_confirmed()
    if not math.isnan(share):
        text += f" Of the comparable ones {share:.0%} are within noise or better"
        mean = findings.mean_difference()
        text += f"; measured less published is {mean.value:+.4f} ± {mean.error:.4f} on average."
    unexplained = findings.unexplained()
    if unexplained:
        text += f" {len(unexplained)} that are worse have no explanation."
    return text


@dataclass(frozen=True)
class TextTable:
    """The comparison as text: one row per cell; reasons are numbered in the rows from 1."""

    header: list[str]
    rows: list[list[str]]
    reasons: list[str]


def text_table(findings: Findings) -> TextTable:
    """Return measured numbers with the published ones in brackets, and the verdicts."""
    shown = [row for row in findings.rows if not row.quantity.drawn_only]
    settings = list(dict.fromkeys(key for row in shown for key in row.cell))
    labels = {row.quantity.name: row.quantity.label for row in shown}
    header = [key.replace("_", " ") for key in settings]
    header += [f"{label} (published)" for label in labels.values()] + ["apart", "verdict"]
    cells: dict[str, list[Finding]] = {}
    for row in shown:
        cells.setdefault(cell_key(row.cell), []).append(row)
    rows, reasons = list[list[str]](), list[str]()
    for of_cell in cells.values():
        line = [_shown(of_cell[0].cell.get(key)) for key in settings]
        by_name = {row.quantity.name: row for row in of_cell}
        line += [_pair(by_name.get(name)) for name in labels]
        rows.append([*line, *_verdict(of_cell, reasons)])
    return TextTable(header, rows, reasons)


def _pair(row: Finding | None) -> str:
    """Measured with its error, and published."""
    if row is None:
        return ""
    text = row.quantity.shown(row.measured.value)
    if row.measured.error > 0:
        text += f" ± {row.quantity.shown(row.measured.error)}"
    return text + (f" ({row.quantity.shown(row.published.value)})" if row.published else "")


def _verdict(of_cell: Sequence[Finding], reasons: list[str]) -> list[str]:
    """How far apart the judged number is, and the verdict; a new reason joins the others."""
    judged = next((row for row in of_cell if row.quantity.judged), None)
    if judged is None:
        return ["", ""]
    apart, why = judged.verdict.apart, judged.verdict.why
    if why and why not in reasons:
        reasons.append(why)
    number = f" [{reasons.index(why) + 1}]" if why else ""
    return ["" if math.isnan(apart) else f"{apart:+.1f}", judged.verdict.word.value + number]


def _noise(findings: Findings) -> str:
    """Where the standard errors come from, if cells were run more than once."""
    runs = {row.runs for row in findings.rows if row.quantity.judged and not row.quantity.exact}
    if not runs or max(runs) < 2:
        return ""
    count = f"{min(runs)} to {max(runs)}" if len(runs) > 1 else f"{max(runs)}"
    text = f" {count} runs of each cell; its own variance is drawn towards that of all cells."
    if findings.experiment.one_run:
        text += " Print is one run, taken to be as noisy as one here."
    return text


def _shown(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else f"{value:g}"


def _page(findings: Findings, outcome: Outcome, made: Made) -> str:
    experiment = findings.experiment
    text = text_table(findings)
    rule = ["---"] * len(text.header)
    lines = ["| " + " | ".join(line) + " |" for line in (text.header, rule, *text.rows)]
    reasons = [f"[{number}] {why}." for number, why in enumerate(text.reasons, 1)]
    warned = [
        f"{count} of the runs gave a {kind}." for kind, count in sorted(outcome.warned.items())
    ]
    also = f" Also: {', '.join(experiment.also)}." if experiment.also else ""
    parts = [
        f"# {experiment.id}: {experiment.title}",
        experiment.notes + also,
        f"![Measured lines and published rings]({experiment.id}.svg)",
        summary(findings),
        "\n".join(lines),
        "  \n".join(reasons),
        "± one standard error; *apart*: measured less published, in standard errors of the "
        "difference. Within noise: at most 3 of them." + _noise(findings),
        f"Made by `{made.command}`, svsieve {made.version}, {made.date}; "
        f"{outcome.cpu_seconds / 60:.1f} minutes of processor time. {' '.join(warned)}".strip(),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"
