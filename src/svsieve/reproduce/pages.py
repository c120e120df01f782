"""What was found, for people: a CSV file, a page in Markdown, a figure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from svsieve.reports.figures import close
from svsieve.reproduce import tables
from svsieve.reproduce.cells import is_again
from svsieve.reproduce.drawing import figure_of
from svsieve.reproduce.experiment import Experiment
from svsieve.reproduce.findings import Finding, Findings, judge
from svsieve.reproduce.power import Power
from svsieve.reproduce.published import cell_key
from svsieve.reproduce.records import Made, write_record
from svsieve.reproduce.verdicts import NOT_KNOWN, Word


def write(findings: Findings, made: Made, folder: Path) -> list[Path]:
    """Write ID.csv, ID.svg, ID.md and ID.json into a folder, and return them."""
    folder.mkdir(parents=True, exist_ok=True)
    figure = folder / f"{findings.experiment.id}.svg"
    drawn = figure_of(findings)
    drawn.savefig(figure, metadata={"Date": None})
    close(drawn)
    table, page, record = write_again(findings, made, folder)
    return [table, figure, page, record]


def write_again(findings: Findings, made: Made, folder: Path) -> tuple[Path, Path, Path]:
    """Write all but the figure, which shows numbers and no verdicts."""
    id = findings.experiment.id
    table, page = tables.file_of(folder, id), folder / f"{id}.md"
    tables.write_table(findings, table)
    page.write_text(page_text(findings, made), encoding="utf-8")
    return table, page, write_record(made, folder, id)


def kept(experiment: Experiment, folder: Path) -> Findings | None:
    """Return what a folder holds about an experiment, judged by the rules of today."""
    file = tables.file_of(folder, experiment.id)
    if not file.is_file():
        return None
    return judge(experiment, tables.read_table(experiment, file))


# ---- the page


def summary(findings: Findings) -> str:
    """Return one sentence about the verdicts."""
    words = findings.words()
    if not words:
        return "Nothing to judge: times, a figure without numbers, or a protocol of its own."
    counts = ", ".join(f"{word.value} {words[word]}" for word in Word if words[word])
    text = f"{sum(words.values())} published numbers: {counts}."
    unknown = sum(row.verdict.why == NOT_KNOWN for row in findings.counted())
    if unknown:
        text += f" Of those that differ, the reason is not known for {unknown}."
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
    quantities = list({row.quantity.name: row.quantity for row in shown}.values())
    header = [key.replace("_", " ") for key in settings]
    for quantity in quantities:
        header.append(f"{quantity.label} (published)")
        header += ["apart"] * _has_distance(quantity)
    cells: dict[str, list[Finding]] = {}
    for row in shown:
        cells.setdefault(cell_key(row.cell), []).append(row)
    rows, reasons = list[list[str]](), list[str]()
    for of_cell in cells.values():
        line = [_shown(of_cell[0].cell.get(key)) for key in settings]
        by_name = {row.quantity.name: row for row in of_cell}
        for quantity in quantities:
            one = by_name.get(quantity.name)
            line.append(_pair(one))
            line += [_apart(one)] * _has_distance(quantity)
        rows.append([*line, _verdict(of_cell, reasons)])
    return TextTable([*header, "verdict"], rows, reasons)


def _has_distance(quantity: Any) -> bool:
    return bool(quantity.judged and not quantity.exact)


def _pair(row: Finding | None) -> str:
    """Measured with its error, and published."""
    if row is None:
        return ""
    text = row.quantity.shown(row.measured.value)
    if row.measured.error > 0:
        text += f" ± {row.quantity.shown(row.measured.error)}"
    return text + (f" ({row.quantity.shown(row.published.value)})" if row.published else "")


def _apart(row: Finding | None) -> str:
    if row is None or math.isnan(row.verdict.apart):
        return ""
    return f"{row.verdict.apart:+.1f}"


def _verdict(of_cell: Sequence[Finding], reasons: list[str]) -> str:
    """The verdicts on the numbers of a cell; a new reason joins the others."""
    judged = [row for row in of_cell if row.quantity.judged]
    told: dict[str, list[str]] = {}
    for row in judged:
        why = row.verdict.why
        if why and why not in reasons:
            reasons.append(why)
        number = f" [{reasons.index(why) + 1}]" if why else ""
        told.setdefault(f"{row.verdict.word.value}{number}", []).append(row.quantity.label)
    if len(told) == 1:
        return next(iter(told))
    return "; ".join(
        f"{', '.join(label.removesuffix(' %') for label in labels)}: {words}"
        for words, labels in told.items()
    )


def power_table(findings: Findings) -> list[str]:
    """Return what the page can notice, as lines of a table; none where nothing is compared."""
    powers = findings.powers()
    if not powers:
        return []
    labels = {one.name: one for one in findings.experiment.quantities}
    header = (
        *("quantity", "cells", "wrong pairings rejected", "cells apart from a constant"),
        *("smallest common shift noticed", "measured less published", "as a table"),
    )
    lines = [header, ("---",) * len(header)]
    for name, power in powers.items():
        quantity = labels[name]
        if quantity.exact:
            noticed, mean, whole = "any", "", ""
        else:
            unit, digits = (100.0, 2) if quantity.percent else (1.0, 4 if name == "cost" else 2)
            noticed = f"{unit * power.shift:.{digits}f}"
            mean = f"{unit * power.mean.value:+.{digits}f} ± {unit * power.mean.error:.{digits}f}"
            mean += " **flagged**" if power.flagged else ""
            whole = _whole(power)
        rejected, constant = _share(power), f"{power.constant} of {power.cells}"
        lines.append((quantity.label, str(power.cells), rejected, constant, noticed, mean, whole))
    return ["| " + " | ".join(line) + " |" for line in lines]


def _share(power: Power) -> str:
    if not power.pairings:
        return "no two published numbers are apart: level only"
    text = f"{power.share:.0%} of {power.pairings}"
    return text if power.tells_apart else f"{text}: level only"


def _whole(power: Power) -> str:
    text = f"{power.squares:.0f} for {power.cells}, p = {power.p_value:.2g}"
    return text if power.passes else f"{text}: fails"


def _tables_apart(findings: Findings) -> str:
    """Say how far apart cells are, as tables, that are shown and not compared."""
    labels = {one.name: one.label for one in findings.experiment.quantities}
    told = [
        f"{labels[name].removesuffix(' %')} where *{why}*: {_whole(power)}"
        for (why, name), power in findings.apart_as_tables().items()
        if power.cells > 1
    ]
    return f"Not compared, and as a table: {'; '.join(told)}." if told else ""


def noise(findings: Findings) -> str:
    """Return where the noise of the comparisons comes from."""
    experiment = findings.experiment
    rows = [row for row in findings.rows if row.quantity.judged and not row.quantity.exact]
    if not rows:
        return ""
    runs = {row.runs for row in rows}
    text = []
    if max(runs) > 1 and not any(row.quantity.share for row in rows):
        count = f"{min(runs)} to {max(runs)}" if len(runs) > 1 else f"{max(runs)}"
        text.append(f"{count} runs of each cell; its own variance is drawn towards that of all.")
        if any(row.quantity.whole for row in rows):
            text.append("Sizes, whole numbers on a grid, have one deviation for all cells.")
    if any(row.quantity.share for row in rows):
        text.append("Counts are compared by Fisher's exact test.")
    if experiment.one_run and max(runs) > 1:
        text.append("Print is one run, taken to be as noisy as one here.")
    elif experiment.one_run:
        text.append(_one_run(findings))
    if experiment.same_splits:
        text.append(_same_splits(findings))
    return " ".join(text)


def _one_run(findings: Findings) -> str:
    """What is known of the noise where every cell was run once."""
    scatter = findings.scatter
    if not scatter.cells:
        return (
            "Missing is how far runs with other random numbers are apart. In its place stand the "
            "errors over the folds, which are about twice as wide; sizes have none."
        )
    folds, sizes = list[str](), list[str]()
    for one in findings.experiment.quantities:
        label = one.label.removesuffix(" %")
        if one.name in scatter.of_folds:
            folds.append(f"{label} {scatter.of_folds[one.name]:.2f}")
        elif one.judged:
            low, high = (one.shown(value) for value in scatter.range(one.name))
            sizes.append(f"{label} {low}" + (f" to {high}" if high != low else ""))
    return (
        f"Noise is that between runs with other random numbers, which {scatter.cells} cells tell "
        f"that were run {scatter.runs} times. Deviation of one run over the error of its folds: "
        f"{', '.join(folds)}; these errors are those of both runs, drawn towards those of all "
        f"cells. On its own: {', '.join(sizes)}. Print is taken to be as noisy. The errors shown "
        "are those over the folds."
    )


def _same_splits(findings: Findings) -> str:
    experiment = findings.experiment
    starts = [row for row in findings.rows if is_again(experiment, row.cell)]
    text = "Print used the same splits."
    if any(experiment.tolerance(row.cell) for row in findings.rows):
        text += " The given parameters (A) may be 0.1 points off, three units of *apart*."
    if starts:
        return text + " Searches: the noise is that of paired differences between two starts."
    return text + (
        " Missing is how far two starts of a search are apart on them; without it the errors over "
        "the splits stand in its place, which are wider."
    )


def _shown(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else f"{value:g}"


def page_text(findings: Findings, made: Made) -> str:
    """Return the page."""
    experiment = findings.experiment
    text = text_table(findings)
    rule = ["---"] * len(text.header)
    lines = ["| " + " | ".join(line) + " |" for line in (text.header, rule, *text.rows)]
    reasons = [f"[{number}] {why}." for number, why in enumerate(text.reasons, 1)]
    also = f" Also: {', '.join(experiment.also)}." if experiment.also else ""
    settled = f"Settled after seeing print: {experiment.settled}." if experiment.settled else ""
    power = power_table(findings)
    parts = [
        f"# {experiment.id}: {experiment.title}",
        experiment.notes + also,
        settled,
        f"![Measured lines and published rings]({experiment.id}.svg)",
        summary(findings),
        "What this page can notice:" if power else "",
        "\n".join(power),
        _tables_apart(findings),
        "\n".join(lines),
        "  \n".join(reasons),
        "± one standard error; *apart*: measured less published, in standard errors of the "
        "difference; beyond 3 they differ. " + noise(findings),
        made.sentences(),
    ]
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"
