"""The pictures of the page, described with altair.

Colours are variables of the style sheet (``var(--held-out)``), so that one picture serves light and
dark screens and paper. Names of columns never reach a picture: they are text of the page.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import altair as alt
import numpy as np

from svsieve.arrays import FloatArray, IndexArray
from svsieve.reports.figures import LINEAR_UP_TO
from svsieve.reports.report import Report
from svsieve.reports.sentences import SHARES, metric_name
from svsieve.selection import pareto_front

# More points than this cannot be told apart on a screen.
MOST_POINTS = 400
# The largest score, in terms of the least, that asks for a logarithmic axis.
FAR_APART = 100.0
HEIGHT = 340

# That of the style sheet: room for text is measured with it.
FONT = "system-ui, -apple-system, Segoe UI, Roboto, Helvetica Neue, Noto Sans, Arial, sans-serif"

# The parameter of both charts that holds the size to be marked.
SHOWN = "shown_size"
CHOSEN_RULE: dict[str, Any] = {"color": "var(--accent)", "strokeDash": [3, 3]}

# Lines that are not a machine on held-out rows, and the colours of machines not taken.
HELD_OUT, TRAINING, CHANCE = "held out", "training rows", "chance"
OTHERS = ("var(--other-1)", "var(--other-2)", "var(--other-3)")


@dataclass(frozen=True)
class Line:
    """How a line of the chart of scores looks."""

    label: str
    colour: str
    dash: tuple[int, int] = (1, 0)


def lines_of(report: Report) -> list[Line]:
    """Return the lines of the chart of scores, for its legend in the page."""
    best, metric = report.best, report.metric
    lines = [Line(f"{best.label}, {HELD_OUT}", "var(--held-out)")]
    if best.curve.train is not None:
        lines.append(Line(TRAINING, "var(--training)", (6, 4)))
    if report.chance is not None:
        lines.append(Line(CHANCE, "var(--quiet)", (2, 3)))
    others = [other for other in report.candidates[1:] if metric in other.curve.metrics]
    for other, colour in zip(others, cycle(OTHERS), strict=False):
        lines.append(Line(f"{other.label}, {HELD_OUT}", colour))
    return lines


def accuracy_chart(report: Report) -> dict[str, Any]:
    """Return scores against sizes; the parameter `SHOWN` is the one marked."""
    metric = report.metric
    tick, exact = (".0%", ".1%") if metric in SHARES else ("~g", ".3f")
    name = metric_name(metric)
    x = _size_axis("columns kept", report.best.curve.sizes)
    y = alt.Y(
        "score:Q",
        title=name,
        scale=alt.Scale(zero=False, padding=8),
        axis=alt.Axis(format=tick, tickCount=6),
    )
    rows = _curve_rows(report)
    band = _chart(rows).transform_filter("isValid(datum.low)")
    band = band.encode(x=x, y=alt.Y("low:Q", title=name), y2="high:Q")
    front = _chart(_front_rows(report)).encode(x=x)
    tips = [
        alt.Tooltip("size:Q", title="columns", format=","),
        alt.Tooltip("score:Q", title=name, format=exact),
        alt.Tooltip("error:Q", title="standard error", format=exact),
    ]
    dots = front.encode(y=y, tooltip=tips)
    shown = alt.param(name=SHOWN, value=report.chosen)
    here = alt.datum.size == shown
    edge: dict[str, Any] = {"stroke": "var(--page)", "strokeWidth": 2}
    return _finished(
        alt.layer(
            band.mark_area(color="var(--held-out)", opacity=0.16),
            _lines(rows, lines_of(report)).encode(x=x, y=y),
            dots.mark_point(size=42, filled=True, color="var(--held-out)", opacity=1),
            front.transform_filter(here).mark_rule(**CHOSEN_RULE),
            dots.transform_filter(here).mark_point(
                size=200, filled=True, opacity=1, color="var(--accent)", **edge
            ),
        ).add_params(shown)
    )


def _lines(rows: list[dict[str, Any]], looks: Sequence[Line]) -> Any:
    labels = [look.label for look in looks]
    colours, dashes = [look.colour for look in looks], [list(look.dash) for look in looks]
    return (
        _chart(rows)
        .mark_line(strokeWidth=2)
        .encode(
            color=alt.Color("line:N", legend=None, scale=alt.Scale(domain=labels, range=colours)),
            strokeDash=alt.StrokeDash(
                "line:N", legend=None, scale=alt.Scale(domain=labels, range=dashes)
            ),
        )
    )


def path_chart(report: Report) -> dict[str, Any] | None:
    """Return the score at which the columns of each step were dropped; None if none was."""
    path = report.best.walked
    if not path.n_steps:
        return None
    last = np.cumsum(path.counts) - 1
    scores, sizes = path.scores[last], path.sizes[:-1]
    known = np.isfinite(scores)
    scale, axis = _score_axis(scores[known])
    rows = [
        {"size": int(sizes[at]), "score": float(scores[at]), "dropped": int(path.counts[at])}
        for at in _thinned(sizes, known)
    ]
    x = _size_axis("columns left before the step", path.sizes, reverse=True)
    y = alt.Y("score:Q", title="score of the last dropped", scale=scale, axis=axis)
    drawn = _chart(rows).encode(
        x=x,
        y=y,
        tooltip=[
            alt.Tooltip("size:Q", title="columns left", format=","),
            alt.Tooltip("dropped:Q", title="dropped", format=","),
            alt.Tooltip("score:Q", title="score", format=".4~g"),
        ],
    )
    rule = _chart([{}]).transform_calculate(size=SHOWN).encode(x=x)
    return _finished(
        alt.layer(
            rule.mark_rule(**CHOSEN_RULE),
            drawn.mark_line(strokeWidth=1.5, color="var(--held-out)"),
            drawn.mark_point(size=18, filled=True, color="var(--held-out)", opacity=1),
        ).add_params(alt.param(name=SHOWN, value=report.chosen))
    )


def _curve_rows(report: Report) -> list[dict[str, Any]]:
    """One row per line and size: the candidate taken, then chance, then the other candidates."""
    best, metric = report.best, report.metric
    curve = best.curve
    mean, error = curve.mean(metric), curve.standard_error(metric)
    train = None if curve.train is None else curve.train[metric].mean(axis=0)
    rows: list[dict[str, Any]] = []
    for at in _thinned(curve.sizes, np.isfinite(mean), pareto_front(curve, metric)):
        row = {"line": f"{best.label}, {HELD_OUT}", "size": int(curve.sizes[at])}
        row |= {"score": float(mean[at]), "error": _number(error[at])}
        if math.isfinite(error[at]):
            row |= {"low": float(mean[at] - error[at]), "high": float(mean[at] + error[at])}
        rows.append(row)
    if train is not None:
        for at in _thinned(curve.sizes, np.isfinite(train)):
            size = int(curve.sizes[at])
            rows.append({"line": TRAINING, "size": size, "score": float(train[at])})
    if report.chance is not None:
        ends = (int(curve.sizes[0]), int(curve.sizes[-1]))
        rows += [{"line": CHANCE, "size": size, "score": report.chance} for size in ends]
    for other in report.candidates[1:]:
        if metric not in other.curve.metrics:
            continue
        scores = other.curve.mean(metric)
        for at in _thinned(other.curve.sizes, np.isfinite(scores)):
            size = int(other.curve.sizes[at])
            label = f"{other.label}, {HELD_OUT}"
            rows.append({"line": label, "size": size, "score": float(scores[at])})
    return rows


def _front_rows(report: Report) -> list[dict[str, Any]]:
    """The sizes that can be marked: the Pareto front and the size chosen."""
    curve, metric = report.best.curve, report.metric
    mean, error = curve.mean(metric), curve.standard_error(metric)
    sizes = np.append(pareto_front(curve, metric), report.chosen)
    return [
        {"size": int(curve.sizes[at]), "score": float(mean[at]), "error": _number(error[at])}
        for at in np.flatnonzero(np.isin(curve.sizes, sizes) & np.isfinite(mean))
    ]


def _thinned(sizes: IndexArray, known: Any, always: Sequence[int] | IndexArray = ()) -> list[int]:
    """Positions of at most some sizes, evenly spaced on the axis, with those always wanted."""
    places = np.flatnonzero(known)
    if len(places) > MOST_POINTS:
        spots = np.log(sizes[places])
        wanted = np.linspace(spots.min(), spots.max(), MOST_POINTS)
        rising = np.argsort(spots)
        nearest = rising[np.searchsorted(spots[rising], wanted).clip(max=len(spots) - 1)]
        places = np.union1d(places[nearest], places[np.isin(sizes[places], always)])
    return [int(at) for at in places]


def _size_axis(title: str, sizes: IndexArray, *, reverse: bool = False) -> alt.X:
    """An axis of whole numbers, logarithmic if there are many."""
    low, high = int(sizes.min()), int(sizes.max())
    if high > LINEAR_UP_TO and high >= 10 * low:
        digits = (1,) if high >= 1000 * low else (1, 2, 5)
        ticks = [digit * 10**power for power in range(len(str(high))) for digit in digits]
        scale = alt.Scale(type="log", nice=False, padding=10, reverse=reverse)
        axis = alt.Axis(format=",d", values=[tick for tick in ticks if low <= tick <= high])
    else:
        scale = alt.Scale(zero=False, nice=False, padding=10, reverse=reverse)
        axis = alt.Axis(format=",d", tickCount=min(high - low + 1, 8), tickMinStep=1)
    return alt.X("size:Q", title=title, scale=scale, axis=axis)


def _score_axis(scores: FloatArray) -> tuple[alt.Scale, alt.Axis]:
    """An axis of scores: logarithmic, with powers of ten, if they are positive and far apart."""
    if not len(scores) or scores.min() <= 0.0 or scores.max() < FAR_APART * scores.min():
        return alt.Scale(), alt.Axis(format="~g", tickCount=6)
    low, high = math.floor(math.log10(scores.min())), math.ceil(math.log10(scores.max()))
    every = 1 + (high - low) // 8
    powers = [10.0**power for power in range(low, high + 1, every)]
    return alt.Scale(type="log", nice=False), alt.Axis(format="~g", values=powers)


def _chart(rows: list[dict[str, Any]]) -> Any:
    return alt.Chart(alt.InlineData(values=rows))


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _finished(chart: Any) -> dict[str, Any]:
    """The description of a chart as wide as its place, in the type of the page."""
    quiet = {"labelColor": "var(--quiet)", "titleColor": "var(--quiet)", "titleFontWeight": 500}
    return dict(
        chart.properties(width="container", height=HEIGHT, background="transparent")
        .configure(font=FONT, autosize=alt.AutoSizeParams(type="fit-x", contains="padding"))
        .configure_view(stroke=None)
        .configure_axis(
            gridColor="var(--line)",
            domainColor="var(--line)",
            tickColor="var(--line)",
            labelFontSize=12,
            titleFontSize=12,
            titlePadding=10,
            labelPadding=6,
            **quiet,
        )
        .configure_axisX(grid=False)
        .to_dict()
    )
