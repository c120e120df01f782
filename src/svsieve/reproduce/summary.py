"""One page about all experiments, made from the files that their runs have left."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

from svsieve.reproduce.experiment import Effort, Experiment
from svsieve.reproduce.registry import experiments
from svsieve.reproduce.verdicts import Word

TITLE = "# Reproductions"
INTRODUCTION = (
    "Published tables and figures, computed again by `svsieve reproduce ID --full` and set beside "
    "the printed numbers. Two numbers agree if they are no further apart than three standard "
    "errors of their difference. What cannot be compared, or is worse, says why on its page; what "
    "was found wrong or ambiguous in the sources is on the page of [errata](../errata.md)."
)
HEADER = ("table or figure", "", "cells", *(word.value for word in Word), "made")


def write_summary(folder: Path) -> Path:
    """Write index.md about the results in a folder, and return it.

    Parameters
    ----------
    folder : Path
        Where ``svsieve reproduce --full --out`` has written its files.
    """
    page = folder / "index.md"
    folder.mkdir(parents=True, exist_ok=True)
    page.write_text(summary_page(folder), encoding="utf-8")
    return page


def summary_page(folder: Path) -> str:
    """Return the page as text: one row per experiment, those without results too."""
    total: Counter[str] = Counter()
    lines = [HEADER, ("---",) * len(HEADER)]
    for experiment in experiments():
        words, made = _verdicts(folder / f"{experiment.id}.csv")
        if not any(quantity.exact for quantity in experiment.quantities):
            total += words
        lines.append(_row(experiment, words, made))
    lines.append(("all", "without schedules, which have no noise", *_counts(total), ""))
    good, worse = total[Word.WITHIN.value] + total[Word.BETTER.value], total[Word.WORSE.value]
    share = f"{good / (good + worse):.1%}" if good + worse else "none"
    told = f"Of {good + worse} comparable cells {share} are within noise or better."
    table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    return "\n\n".join([TITLE, INTRODUCTION, told, table]) + "\n"


def _verdicts(file: Path) -> tuple[Counter[str], str]:
    """How often each verdict was given to judged numbers that were published; how it was made."""
    if not file.is_file():
        return Counter(), ""
    with file.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    judged = [row for row in rows if row["judged"] and row["published"]]
    if not rows:
        return Counter(), ""
    effort = rows[0]["command"].rpartition("--")[2]
    made = f"{rows[0]['version']}, {rows[0]['date']}"
    if effort != Effort.FULL.value:
        return Counter(), f"only --{effort}: {made}"
    return Counter(row["verdict"] for row in judged), made


def _row(experiment: Experiment, words: Counter[str], made: str) -> tuple[str, ...]:
    name = f"[{experiment.id}]({experiment.id}.md)" if made else experiment.id
    also = f" (also {', '.join(experiment.also)})" if experiment.also else ""
    return (name, experiment.title + also, *_counts(words), made or "not run yet")


def _counts(words: Counter[str]) -> list[str]:
    return [str(sum(words.values())), *(str(words[word.value]) for word in Word)]
