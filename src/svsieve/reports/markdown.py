"""The report as Markdown: the words of the page, and tables in place of pictures."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from svsieve.reports import sentences
from svsieve.reports.report import Report
from svsieve.selection import pareto_front

# Rows of the table of columns; the file of the ranking has the others.
MOST_ROWS = 50
LONGEST = 80

# What Markdown would read as markup: anywhere, around words, in addresses, at the start of a line.
SPECIAL = re.compile(
    r"[\\`*\[\]|~$]|(?<![^\W_])_|_(?![^\W_])|:(?=//)|(?<=www)\.|^[#+\-=>]|(?<=^\d)[.)]"
)


def render(report: Report) -> str:
    """Return a report as Markdown, as GitHub and pandoc read it.

    Parameters
    ----------
    report : Report

    Returns
    -------
    str
    """
    parts = [f"# {literal(report.title or 'Report')}", f"**{prose(sentences.answer(report))}**"]
    doubt = sentences.doubt(report)
    if doubt:
        parts.append(f"**{prose(doubt)}**")
    parts += [prose(sentence) for sentence in sentences.background(report)]
    kept = ", ".join(literal(report.names[j]) for j in report.selected[:MOST_ROWS].tolist())
    more = f" and {report.chosen - MOST_ROWS:,} more" if report.chosen > MOST_ROWS else ""
    parts.append(f"Kept, best first: {kept}{more}.")
    if report.data_warnings:
        parts += ["## Look at the data", _items(report.data_warnings)]
    parts += ["## How many columns to keep", _sizes(report), _candidates(report)]
    parts += ["## Ranked columns", prose(sentences.order_in_words(report)), _ranking(report)]
    parts += ["## Would other rows give the same columns?"]
    parts += [prose(sentences.stability_in_words(report))]
    parts += ["## On rows it has not seen", _confusion(report), _folds(report)]
    parts += ["## The elimination", prose(sentences.path_in_words(report))]
    parts += ["## Methods", " ".join(prose(sentence) for sentence in report.methods)]
    if report.citations:
        parts += ["## References", _items(report.citations)]
    for head, facts in (("Settings", report.settings), ("Provenance", report.provenance)):
        if facts:
            parts += [f"## {head}", _facts(facts)]
    return "\n\n".join(part for part in parts if part) + "\n"


def literal(text: str, longest: int = LONGEST) -> str:
    r"""Return text in which Markdown sees no markup, on one line and not too long.

    Examples
    --------
    >>> from svsieve.reports.markdown import literal
    >>> print(literal("a|b *c* <d> gene_7 (x)."))
    a\|b \*c\* &lt;d&gt; gene_7 (x).
    >>> literal(" \n")
    '(no name)'
    """
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    if not line:
        return "(no name)"
    if len(line) > longest:
        line = f"{line[: longest - 1]}…"
    return html.escape(SPECIAL.sub(r"\\\g<0>", line), quote=False)


def prose(text: str) -> str:
    """Return a sentence in which Markdown sees no markup."""
    return literal(text, 10_000)


def _sizes(report: Report) -> str:
    """The sizes that no smaller one equals, with their scores."""
    curve, metric = report.best.curve, report.metric
    mean, error = curve.mean(metric), curve.standard_error(metric)
    front = pareto_front(curve, metric)
    rows = [
        (
            f"{curve.sizes[at]:,}",
            sentences.score(metric, float(mean[at])),
            sentences.score(metric, float(error[at])),
            "chosen" if curve.sizes[at] == report.chosen else "",
        )
        for at in np.flatnonzero(np.isin(curve.sizes, np.append(front, report.chosen)))
    ]
    name = sentences.metric_name(metric)
    return _table(("columns", f"{name}, held out", "standard error", ""), rows, "rrrl")


def _candidates(report: Report) -> str:
    if len(report.candidates) < 2:
        return ""
    rows = [
        (literal(one.label), f"{one.choice.size:,}", prose(one.choice.reason))
        for one in report.candidates
    ]
    return _table(("machine", "columns", "why so many"), rows, "lrl")


def _ranking(report: Report) -> str:
    path, kept = report.best.path, set(report.selected.tolist())
    shown = path.order[:MOST_ROWS].tolist()
    scores = path.importances[::-1]
    rows = [
        (
            f"{at + 1}",
            literal(report.names[j]),
            "kept" if j in kept else "",
            f"{scores[at]:.4g}",
            f"{100.0 * report.frequencies[j]:.0f}%",
        )
        for at, j in enumerate(shown)
    ]
    table = _table(("rank", "column", "kept", "score", "selected in folds"), rows, "rllrr")
    if len(shown) == path.n_columns:
        return table
    return f"{table}\n\nThe first {len(shown)} of {sentences.columns(path.n_columns)}."


def _confusion(report: Report) -> str:
    names = [literal(label) for label in report.classes]
    rows = [
        (f"**{name}**", *(f"{count:,}" for count in counts))
        for name, counts in zip(names, report.confusion.tolist(), strict=True)
    ]
    return _table(("class, predicted as", *names), rows, "l" + "r" * len(names))


def _folds(report: Report) -> str:
    nested = report.nested
    rows = [
        (f"{at + 1}", sentences.score(nested.metric, float(value)), f"{size:,}")
        for at, (value, size) in enumerate(zip(nested.scores, nested.n_features, strict=True))
    ]
    return _table(("fold", sentences.metric_name(nested.metric), "columns"), rows, "rrr")


def _facts(facts: Mapping[str, Any]) -> str:
    rows = [(literal(str(key)), prose(sentences.plain(value))) for key, value in facts.items()]
    return _table(("", ""), rows, "ll")


def _items(texts: Iterable[str]) -> str:
    return "\n".join(f"- {prose(text)}" for text in texts)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], sides: str) -> str:
    """A table; `sides` says for each column whether it is set to the left or to the right."""
    rule = [{"l": ":---", "r": "---:"}[side] for side in sides]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *rows))
