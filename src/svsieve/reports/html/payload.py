"""What the script of the page reads: the front with its weights, and all columns, compactly."""

from __future__ import annotations

from typing import Any

import numpy as np

from svsieve.arrays import FloatArray, IndexArray
from svsieve.io.spreadsheet import FORMULA_SIGNS
from svsieve.reports.report import Report
from svsieve.reports.sentences import SHARES, metric_name
from svsieve.reports.tradeoff import front_points, weights_along_front
from svsieve.selection.rules import TIE, Rule, Scalarised

# Digits of the scores of columns; more of them tell nobody anything and weigh megabytes.
DIGITS = 6


def tradeoff(report: Report) -> dict[str, Any]:
    """Return what the slider needs, with scores in full so that its sums are those of the rule.

    Only sizes on the Pareto front can have the least cost, so the others are left out.
    """
    curve, metric = report.best.curve, report.metric
    sizes, _, means = front_points(curve, metric)
    errors = curve.standard_error(metric)[np.isin(curve.sizes, sizes)]
    stops = weights_along_front(curve, metric)
    own = _scalarised(report.rule)
    if own is not None:
        stops = sorted([*stops, own], key=_price, reverse=True)
    chosen = [rule.choose(curve, metric).size for rule in stops]
    at = int(np.argmin(np.abs(np.array(chosen) - report.chosen)))
    return {
        "metric": metric_name(metric),
        "percent": metric in SHARES,
        "n_columns": curve.n_columns,
        "chosen": report.chosen,
        "tie": TIE,
        "sizes": sizes.tolist(),
        "means": means.tolist(),
        "errors": [float(e) if np.isfinite(e) else None for e in errors],
        "stops": [[rule.w_accuracy, rule.w_size] for rule in stops],
        "start": stops.index(own) if own is not None else at,
    }


def ranked_columns(report: Report) -> dict[str, Any]:
    """Return all columns, best first: names, scores, how often selected, ranks by others."""
    path = report.best.path
    order = path.order
    return {
        "formula_signs": FORMULA_SIGNS,
        "names": [report.names[j] for j in order.tolist()],
        "columns": order.tolist(),
        "scores": _short(path.importances[::-1]),
        "frequencies": _short(report.frequencies[order]),
        "others": [
            {"label": other.label, "ranks": _ranks(other.path.order)[order].tolist()}
            for other in report.candidates[1:]
        ],
    }


def _scalarised(rule: Rule) -> Scalarised | None:
    """The trade-off a rule makes, if it makes one over all sizes."""
    return rule if isinstance(rule, Scalarised) else None


def _price(rule: Scalarised) -> float:
    return np.inf if rule.w_accuracy == 0.0 else rule.w_size / rule.w_accuracy


def _ranks(order: IndexArray) -> IndexArray:
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(1, len(order) + 1)
    return ranks


def _short(values: FloatArray) -> list[float | int | None]:
    """Numbers with a few digits, whole ones without a point, None where there is none."""
    short: list[float | int | None] = []
    for value in values.tolist():
        number = float(f"{value:.{DIGITS}g}")
        if not np.isfinite(number):
            short.append(None)
        else:
            short.append(int(number) if number == int(number) and abs(number) < 1e9 else number)
    return short
