"""The figure of an experiment: measured lines and published rings, in one picture or several."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from svsieve.reports.comparison import ComparisonDisplay, Series, plot_panels
from svsieve.reproduce.cells import is_again
from svsieve.reproduce.findings import Finding, Findings


def figure_of(findings: Findings) -> Any:
    """Return a figure of matplotlib with the quantity that the experiment draws."""
    experiment = findings.experiment
    quantity = next(one for one in experiment.quantities if one.name == experiment.y)
    rows = [
        row
        for row in findings.rows
        if row.quantity is quantity
        and experiment.x in row.cell
        and not is_again(experiment, row.cell)
    ]
    places = [row.cell[experiment.x] for row in rows]
    words = list(dict.fromkeys(places)) if any(isinstance(one, str) for one in places) else []
    varying = [key for key in findings.settings() if _varies(rows, key) and key != experiment.x]
    told = [key for key in varying if key not in experiment.panels]
    titles = [key for key in varying if key in experiment.panels]

    lines: dict[str, None] = {}
    panels: dict[str, dict[str, list[Finding]]] = {}
    for row in rows:
        line = _named(row, told) or experiment.series
        lines[line] = None
        panels.setdefault(_named(row, titles), {}).setdefault(line, []).append(row)
    displays = {
        title: ComparisonDisplay(
            [_series(line, of_line.get(line, []), experiment.x, words) for line in lines],
            experiment.x.replace("_", " "),
            quantity.label,
            experiment.log_x,
            words,
        )
        for title, of_line in panels.items()
    }
    if len(displays) > 1:
        return plot_panels(displays)
    return next(iter(displays.values())).plot().figure_


def _series(name: str, rows: Sequence[Finding], x: str, words: Sequence[Any]) -> Series:
    """One line; nothing is known of a line without rows."""
    unit = 100.0 if rows and rows[0].quantity.percent else 1.0

    def column(values: Sequence[float]) -> Any:
        return np.array(values, dtype=np.float64)

    return Series(
        name,
        column([words.index(row.cell[x]) if words else float(row.cell[x]) for row in rows]),
        unit * column([row.measured.value for row in rows]),
        unit * column([row.measured.error for row in rows]),
        unit * column([row.published.value if row.published else math.nan for row in rows]),
    )


def _varies(rows: Sequence[Finding], key: str) -> bool:
    return len({row.cell.get(key) for row in rows}) > 1


def _named(row: Finding, keys: Sequence[str]) -> str:
    """Settings in a legend or title: words speak for themselves, numbers need a name."""
    return ", ".join(_told(key, row.cell[key]) for key in keys if key in row.cell)


def _told(key: str, value: Any) -> str:
    return value if isinstance(value, str) else f"{key.replace('_', ' ')} {value:g}"
