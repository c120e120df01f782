"""What a report says in words. Every form of it, HTML and Markdown, says the same."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from svsieve.reports.report import Report

# Metrics that are shares of rows, which people read as percentages.
SHARES = frozenset({"accuracy", "balanced_accuracy"})

# Nogueira's stability is poor below the one and excellent above the other (Nogueira et al. 2018).
POOR, EXCELLENT = 0.40, 0.75


def columns(count: int) -> str:
    """Return a number of columns in words.

    Examples
    --------
    >>> from svsieve.reports.sentences import columns
    >>> columns(1), columns(2000)
    ('1 column', '2,000 columns')
    """
    return f"{count:,} column{'' if count == 1 else 's'}"


def score(metric: str, value: float) -> str:
    """Return a score as people read it: shares of rows in per cent.

    Examples
    --------
    >>> from svsieve.reports.sentences import score
    >>> score("accuracy", 0.9537), score("roc_auc", 0.9537), score("accuracy", float("nan"))
    ('95.4%', '0.954', 'unknown')
    """
    if not math.isfinite(value):
        return "unknown"
    if metric in SHARES:
        return f"{100.0 * value:.1f}".removesuffix(".0") + "%"
    return f"{value:.3f}"


def metric_name(metric: str) -> str:
    """Return the name of a metric in words.

    Examples
    --------
    >>> from svsieve.reports.sentences import metric_name
    >>> metric_name("balanced_accuracy"), metric_name("roc_auc"), metric_name("neg_log_loss")
    ('balanced accuracy', 'ROC AUC', 'negative log loss')
    """
    words = {"roc": "ROC", "auc": "AUC", "neg": "negative", "f1": "F1"}
    return " ".join(words.get(word, word) for word in metric.split("_"))


def interval(report: Report) -> str:
    """Return the interval of the nested score in words; empty where one fold tells nothing."""
    low, high = report.nested.interval
    if not (math.isfinite(low) and math.isfinite(high)):
        return ""
    metric = report.nested.metric
    if metric in SHARES:  # the interval of a mean knows no limits, a share does
        low, high = max(low, 0.0), min(high, 1.0)
    return f"95% interval {score(metric, low)} to {score(metric, high)}"


def answer(report: Report) -> str:
    """Return the one sentence that people came for."""
    total, metric = len(report.names), report.nested.metric
    keep = f"all {columns(total)}" if report.chosen == total else f"{report.chosen:,} of {total:,}"
    if report.chosen != total:
        keep += " columns"
    name = metric_name(metric)
    article = "an" if name[0] in "aeiou" else "a"
    reach = interval(report)
    they = "it gives" if report.chosen == 1 else "they give"
    return (
        f"Keep {keep}: on new rows {they} {article} {name} of about "
        f"{score(metric, report.nested.mean)}{f' ({reach})' if reach else ''}."
    )


def is_doubtful(report: Report) -> bool:
    """Tell whether chance lies within the interval of the nested score, or above it."""
    chance, low = report.nested.chance, report.nested.interval[0]
    reached = low if math.isfinite(low) else report.nested.mean
    return chance is not None and not reached > chance


def background(report: Report) -> list[str]:
    """Return sentences that put the answer into proportion."""
    nested, metric = report.nested, report.nested.metric
    lines = [f"Ranked by a {report.best.label}. {report.best.choice.reason}"]
    folds = "one outer fold" if len(nested.scores) == 1 else f"{len(nested.scores)} outer folds"
    honest = f"The whole selection was repeated in {folds}, and judged by rows it had not seen."
    if math.isfinite(nested.optimism):
        claimed = score(metric, float(nested.selection_scores.mean()))
        honest += f" The scores that it chose by had promised {claimed}."
    if nested.chance is not None and not is_doubtful(report):
        honest += f" Always saying the largest class gives {score(metric, nested.chance)}."
    return [*lines, honest]


def doubt(report: Report) -> str:
    """Return a warning where the answer may be chance; empty where it is not."""
    if report.nested.chance is None or not is_doubtful(report):
        return ""
    baseline = score(report.nested.metric, report.nested.chance)
    return f"That is not clearly better than chance, {baseline}: do not rely on this ranking."


def stability_in_words(report: Report) -> str:
    """Return how much the columns depend on the rows, in words."""
    nested = report.nested
    sizes = nested.n_features
    if sizes.min() == sizes.max():
        spread = f"Each of {len(sizes)} folds kept {columns(int(sizes[0]))}"
    else:
        spread = (
            f"The {len(sizes)} folds kept between {int(sizes.min()):,} and {int(sizes.max()):,} "
            f"columns, {np.median(sizes):,g} in the median"
        )
    found = nested.stability
    if found is None or not math.isfinite(found.nogueira):
        return f"{spread}; their agreement has no measure here."
    degree = stability_degree(found.nogueira)
    meaning = {
        "poor": "other rows would give quite other columns, so read names with care",
        "fair to good": "much of the choice would recur on other rows, not all of it",
        "excellent": "other rows would give nearly the same columns",
    }[degree]
    low, high = found.interval
    return (
        f"{spread}. Their agreement is {degree}, {found.nogueira:.2f} on Nogueira's scale "
        f"({low:.2f} to {min(high, 1.0):.2f}; 1 is the same columns every time, 0 is what chance "
        f"gives): {meaning}."
    )


def stability_degree(value: float) -> str:
    """Return a word for a value of Nogueira's measure.

    Examples
    --------
    >>> from svsieve.reports.sentences import stability_degree
    >>> [stability_degree(value) for value in (0.2, 0.5, 0.9)]
    ['poor', 'fair to good', 'excellent']
    """
    if value < POOR:
        return "poor"
    return "excellent" if value > EXCELLENT else "fair to good"


def plain(value: Any) -> str:
    """Return a value that JSON can hold, in words.

    Examples
    --------
    >>> from svsieve.reports.sentences import plain
    >>> plain({"C": [1, 10], "gamma": None})
    'C 1, 10, gamma none'
    """
    if value is None:
        return "none"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {plain(inner)}" for key, inner in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(plain(inner) for inner in value)
    return str(value)


def order_in_words(report: Report) -> str:
    """Return what the order of the columns and their scores are."""
    rankings = report.best.path.notes.get("rankings")
    if rankings is None:
        return (
            "Best first, as the elimination left them. The score is the one a column had when it "
            "was last seen, among the columns left at that time: compare neighbours, not ends."
        )
    return (
        f"Best first, by the median of their ranks in {rankings:,} rankings, each on other rows of "
        "the table. The score is one over that rank."
    )


def path_in_words(report: Report) -> str:
    """Return how the elimination went, in words."""
    path = report.best.walked
    if not path.n_steps:
        return "No column was eliminated."
    steps = "1 step" if path.n_steps == 1 else f"{path.n_steps:,} steps"
    text = f"{columns(path.n_columns)} went down to {len(path.survivors):,} in {steps}"
    gap = path.largest_gap
    if gap > 0.0:
        text += f"; every machine was solved to a gap of {gap:.1g} or less"
    ties = int(path.tied.sum())
    if ties:
        text += f"; equal scores at {ties:,} of them were told apart by the position of the column"
    return text + "."
