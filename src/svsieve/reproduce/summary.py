"""One page about all experiments, made from the files that their runs have left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from svsieve.reproduce.experiment import Experiment
from svsieve.reproduce.findings import Findings
from svsieve.reproduce.not_shown import NOT_SHOWN
from svsieve.reproduce.pages import kept
from svsieve.reproduce.records import Made, read_record
from svsieve.reproduce.registry import experiments
from svsieve.reproduce.verdicts import Word

TITLE = "# Reproductions"
INTRODUCTION = (
    "Published tables and figures, computed again by `svsieve reproduce ID --full` and set beside "
    "the printed numbers. A number *agrees* if it is no further from print than three standard "
    "errors of the difference; *level only*: it is, on a page that rejects fewer than half of the "
    "wrong pairings of its cells; it *differs* beyond that, be it better or worse, and its page "
    "gives the reason with the check that shows it, or says that none is known. What is *not "
    "comparable* says why. Every published number is counted once. Pages say what they can notice, "
    "how they were made and when a sample of them was last run again (`svsieve reproduce check`). "
    "What was found wrong or ambiguous in the sources is on the page of [errata](../errata.md)."
)
HEADER = ("table or figure", "", "numbers", *(word.value for word in Word), "shifted", "made")


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


def counted_once(found: Sequence[Findings]) -> list[Counter[Word]]:
    """Return how often each verdict was given in each of several findings.

    A published number that several of them are set beside counts for the first in which it can be
    compared.
    """
    chosen: dict[str, tuple[int, bool]] = {}
    for place, findings in enumerate(found):
        for row in findings.counted():
            before = chosen.get(row.origin)
            if before is None or (row.comparable and not before[1]):
                chosen[row.origin] = place, row.comparable
    return [
        Counter(row.verdict.word for row in findings.counted() if chosen[row.origin][0] == place)
        for place, findings in enumerate(found)
    ]


def summary_page(folder: Path) -> str:
    """Return the page as text: one row per experiment, those without results too."""
    results: dict[str, tuple[Findings, Made]] = {}
    partly: dict[str, str] = {}
    for experiment in experiments():
        found = kept(experiment, folder)
        if found is None:
            continue
        made = read_record(folder, experiment.id)
        if made.is_full:
            results[experiment.id] = found, made
        else:
            partly[experiment.id] = f"only {made.command.rpartition(' ')[2]}: {_when(made)}"
    words = dict(zip(results, counted_once([one for one, _ in results.values()]), strict=True))
    lines = [HEADER, ("---",) * len(HEADER)]
    for experiment in experiments():
        counts = words.get(experiment.id, Counter())
        if experiment.id in results:
            found, made = results[experiment.id]
            shifted = ", ".join(name for name, one in found.powers().items() if one.flagged)
            when = _when(made)
        else:
            shifted, when = "", partly.get(experiment.id, "not run yet")
        there = experiment.id in results or experiment.id in partly
        lines.append(_row(experiment, counts, shifted.replace("_", " "), when, there=there))
    total = sum(words.values(), Counter[Word]())
    lines.append(("all", "", *_counts(total), "", ""))
    table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    told = (
        f"Of {sum(total.values())} published numbers "
        + ", ".join(f"{total[word]} {_plural(word)}" for word in Word)
        + "."
    )
    parts = [TITLE, INTRODUCTION, told, table, _settled(), _not_shown()]
    return "\n\n".join(parts) + "\n"


def _plural(word: Word) -> str:
    return {
        Word.AGREES: "agree",
        Word.LEVEL: "agree in level only",
        Word.DIFFERS: "differ",
        Word.NOT_COMPARABLE: "are not comparable",
    }[word]


def _when(made: Made) -> str:
    return f"{made.version}, {made.date}"


def _row(
    experiment: Experiment, words: Counter[Word], shifted: str, when: str, *, there: bool
) -> tuple[str, ...]:
    name = f"[{experiment.id}]({experiment.id}.md)" if there else experiment.id
    also = f" (also {', '.join(experiment.also)})" if experiment.also else ""
    return (name, experiment.title + also, *_counts(words), shifted, when)


def _counts(words: Counter[Word]) -> list[str]:
    return [str(sum(words.values())), *(str(words[word]) for word in Word)]


def _settled() -> str:
    """What was chosen after the printed numbers had been seen."""
    lines = [f"- {one.id}: {one.settled}." for one in experiments() if one.settled]
    return "\n".join(["## Settled after seeing print", "", *lines])


def _not_shown() -> str:
    """Tables and figures of the sources that show no result, or none that is computed here."""
    by_reason: dict[str, list[str]] = {}
    for id, reason in NOT_SHOWN.items():
        by_reason.setdefault(reason, []).append(id)
    lines = [f"- {', '.join(ids)}: {reason}." for reason, ids in by_reason.items()]
    return "\n".join(["## Tables and figures without a page", "", *lines])
