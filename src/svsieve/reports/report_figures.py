"""The pictures of a report as figures of matplotlib."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import ConfusionMatrixDisplay

from svsieve.reports.curves import CurveDisplay
from svsieve.reports.figures import height_of, safe, unshown_axes
from svsieve.reports.frequencies import StabilityDisplay
from svsieve.reports.pareto import ParetoDisplay
from svsieve.reports.ranking import RankingDisplay
from svsieve.reports.report import Report
from svsieve.reports.schedule import ScheduleDisplay

MOST_COLUMNS = 20


def draw(report: Report) -> dict[str, Any]:
    """Return the pictures of a report by name.

    Parameters
    ----------
    report : Report

    Returns
    -------
    dict of str to matplotlib Figure
        ``"curve"``, ``"pareto"``, ``"ranking"``, ``"schedule"``, ``"confusion"`` and, with more
        than one outer fold, ``"stability"``.
    """
    best, kept = report.best, np.isin(np.arange(len(report.names)), report.selected)
    shown = best.path.top(min(MOST_COLUMNS, best.path.n_columns))
    names = [report.names[j] for j in shown.tolist()]
    scores = best.path.importances[::-1][: len(shown)]
    displays = {
        "curve": CurveDisplay(best.curve, report.metric, best.choice, report.rule),
        "pareto": ParetoDisplay(best.curve, report.metric, best.choice),
        "ranking": RankingDisplay(names, scores, kept[shown]),
        "schedule": ScheduleDisplay(best.walked.sizes),
    }
    heights = {"ranking": height_of(len(names))}
    if report.nested.stability is not None:
        found = StabilityDisplay(
            report.nested.stability, report.names, best.path.order, kept, MOST_COLUMNS
        )
        displays["stability"] = found
        heights["stability"] = height_of(len(found.columns))
    figures = {}
    for name, display in displays.items():
        ax = unshown_axes(**({"height": heights[name]} if name in heights else {}))
        figures[name] = display.plot(ax).figure_
    figures["confusion"] = _confusion(report)
    return figures


def _confusion(report: Report) -> Any:
    ax = unshown_axes()
    labels = [safe(label) for label in report.classes]
    display = ConfusionMatrixDisplay(report.confusion, display_labels=labels)
    display.plot(ax=ax, cmap="Blues", colorbar=False, xticks_rotation=45 if len(labels) > 4 else 0)
    ax.set_xlabel("predicted class")
    ax.set_ylabel("class")
    return ax.figure
