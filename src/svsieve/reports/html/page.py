"""The page: templates filled in, pictures and scripts put inside, nothing left to be fetched.

Whatever comes from a table is escaped by jinja2: as text by its autoescape, inside scripts by its
``tojson``. Beyond that a policy in the head of the page forbids all requests, and all scripts but
its own two, which it names by their digests.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from svsieve.reports import sentences
from svsieve.reports.html.drawing import drawn
from svsieve.reports.report import Report

# Rows of the table of columns that are there before the script runs, and on paper.
FIRST_ROWS = 60
FRAME_HEIGHT = 820
STATIC_WIDTH = 720
MOST_BARS = 20


def render(report: Report) -> str:
    """Return the page of a report.

    Parameters
    ----------
    report : Report

    Returns
    -------
    str
        A whole document.
    """
    _needs_extra()
    from svsieve.reports.html import charts, payload

    specs = {"accuracy": charts.accuracy_chart(report)}
    elimination = charts.path_chart(report)
    if elimination is not None:
        specs["elimination"] = elimination
    fixed = {name: spec | {"width": STATIC_WIDTH} for name, spec in specs.items()}
    libraries, pictures = drawn(fixed)
    scripts = [libraries, _asset("report.js")]
    ranked = payload.ranked_columns(report)
    return str(
        _template("page.html.j2").render(
            report=report,
            say=sentences,
            style=_markup(_asset("report.css")),
            scripts=[_markup(script) for script in scripts],
            policy=_policy(scripts),
            specs=specs,
            lines=charts.lines_of(report),
            pictures={name: _markup(picture) for name, picture in pictures.items()},
            tradeoff=payload.tradeoff(report),
            ranked=ranked,
            rows=_first_rows(report, ranked),
            bars=_bars(report),
            recall=_recall(report),
            folds=_pairs(report.nested.scores.tolist(), report.nested.n_features.tolist()),
            class_rows=_pairs(report.classes, report.class_counts),
            nogueira=_nogueira(report),
        )
    )


def render_frame(report: Report) -> str:
    """Return the page in a frame, which keeps its styles from the page around it and back.

    Parameters
    ----------
    report : Report

    Returns
    -------
    str
    """
    page = render(report)
    frame = _template("frame.html.j2").render(page=page, title=report.title, height=FRAME_HEIGHT)
    return str(frame)


def _first_rows(report: Report, ranked: dict[str, Any]) -> list[dict[str, Any]]:
    """The best columns as the script would show them."""
    kept = set(report.selected.tolist())
    return [
        {
            "rank": at + 1,
            "name": ranked["names"][at],
            "score": ranked["scores"][at],
            "frequency": ranked["frequencies"][at],
            "others": [other["ranks"][at] for other in ranked["others"]],
            "kept": ranked["columns"][at] in kept,
        }
        for at in range(min(FIRST_ROWS, len(ranked["names"])))
    ]


def _bars(report: Report) -> list[dict[str, Any]]:
    """The columns selected most often, of equals the better ranked first."""
    order = report.best.path.order
    kept = set(report.selected.tolist())
    often = order[np.argsort(-report.frequencies[order], kind="stable")][:MOST_BARS]
    return [
        {"name": report.names[j], "share": float(report.frequencies[j]), "kept": j in kept}
        for j in often.tolist()
        if report.frequencies[j] > 0.0 or j in kept
    ]


def _pairs(first: Sequence[Any], second: Sequence[Any]) -> list[tuple[Any, Any]]:
    return list(zip(first, second, strict=True))


def _recall(report: Report) -> list[float | None]:
    """Share of the rows of each class that were recognised."""
    totals = report.confusion.sum(axis=1)
    hits = np.diagonal(report.confusion)
    return [
        float(hit / total) if total else None
        for hit, total in zip(hits.tolist(), totals.tolist(), strict=True)
    ]


def _nogueira(report: Report) -> float | None:
    found = report.nested.stability
    return found.nogueira if found is not None and math.isfinite(found.nogueira) else None


# --- libraries -----------------------------------------------------------------------------------


def _needs_extra() -> None:
    try:
        import altair  # noqa: F401
        import jinja2  # noqa: F401
        import vl_convert  # noqa: F401
    except ImportError as error:
        raise ImportError(
            f"The page of a report needs {error.name}, which is not installed: "
            "pip install 'svsieve[report]'."
        ) from error


@functools.cache
def _environment() -> Any:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("svsieve.reports.html", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    return environment


def _template(name: str) -> Any:
    return _environment().get_template(name)


@functools.cache
def _asset(name: str) -> str:
    return str(_environment().loader.get_source(_environment(), name)[0])


def _markup(text: str) -> Any:
    """Text of our own making, which is not escaped."""
    from markupsafe import Markup

    return Markup(text)


def _policy(scripts: list[str]) -> str:
    """What the page may do: run the scripts given, show styles and its own pictures."""
    digests = (hashlib.sha256(script.encode()).digest() for script in scripts)
    allowed = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
