"""A picture of numbers against a setting, measured beside published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from svsieve.arrays import FloatArray
from svsieve.reports.figures import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    RED,
    Display,
    axes,
    legend_above,
    panel_axes,
    safe,
    set_scale,
)

COLOURS = (BLUE, ORANGE, GREEN, RED, GREY, "#CC79A7", "#56B4E9", INK)
MARKS = ("o", "s", "^", "D", "v")


@dataclass(frozen=True, eq=False)
class Series:
    """One line: numbers with their standard errors, and published ones where there are any.

    Attributes
    ----------
    name : str
    x, measured, error, published : ndarray of the same length
        nan where something is not known.
    """

    name: str
    x: FloatArray
    measured: FloatArray
    error: FloatArray
    published: FloatArray


@dataclass(eq=False)
class ComparisonDisplay(Display):
    """Lines through measured numbers with a band of one standard error; published ones as rings.

    Parameters
    ----------
    series : sequence of Series
    x_label, y_label : str
    log_x : bool, default=False
    x_words : sequence of str, default=()
        What stands at 0, 1 and so on, where the axis has names in place of numbers; points are then
        not joined.

    Attributes
    ----------
    ax_, figure_
        Axes and figure of matplotlib that it was drawn on last.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.reports.comparison import ComparisonDisplay, Series
    >>> line = Series("step 2", *np.array([[1, 10], [0.2, 0.1], [0.01, 0.01], [0.21, np.nan]]))
    >>> display = ComparisonDisplay([line], "C", "cost", log_x=True).plot()
    >>> [text.get_text() for text in display.ax_.get_legend().get_texts()]
    ['step 2', 'published']
    """

    series: Sequence[Series]
    x_label: str
    y_label: str
    log_x: bool = False
    x_words: Sequence[str] = ()

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw on given axes, or on those of a new figure."""
        ax = axes(ax, height=4.8)
        self._draw(ax, **kwargs)
        legend_above(ax)
        return self._drawn_on(ax)

    def _draw(self, ax: Any, **kwargs: Any) -> None:
        """Draw all but the legend."""
        for number, one in enumerate(self.series):
            colour, mark = COLOURS[number % len(COLOURS)], MARKS[number % len(MARKS)]
            order = np.argsort(one.x, kind="stable")
            x, y, error = one.x[order], one.measured[order], np.nan_to_num(one.error[order])
            style = {"color": colour, "linewidth": 1.4, "marker": mark, "markersize": 3.5, **kwargs}
            if self.x_words:
                x = x + 0.12 * (number - (len(self.series) - 1) / 2)
                ax.plot(x, y, label=safe(one.name), **style | {"linestyle": "none"})
                ax.errorbar(x, y, error, fmt="none", ecolor=colour, elinewidth=1.0)
            else:
                ax.plot(x, y, label=safe(one.name), **style)
                ax.fill_between(x, y - error, y + error, color=colour, alpha=0.18, linewidth=0)
            if np.isfinite(one.published).any():
                ax.plot(x, one.published[order], mark, color=colour, fillstyle="none", markersize=8)
        if self.log_x:
            set_scale(ax.xaxis, "log")
        if self.x_words:
            ax.set_xticks(range(len(self.x_words)), [safe(word) for word in self.x_words])
            ax.tick_params(axis="x", rotation=30)
        ax.set_xlabel(safe(self.x_label))
        ax.set_ylabel(safe(self.y_label))
        if any(np.isfinite(one.published).any() for one in self.series):
            ax.plot([], [], "o", color=GREY, fillstyle="none", markersize=8, label="published")


def plot_panels(panels: Mapping[str, ComparisonDisplay]) -> Any:
    """Draw pictures of the same series side by side, and return the figure.

    Parameters
    ----------
    panels : dict of str to ComparisonDisplay
        By the title of each. All have the same series in the same order, empty ones where nothing
        is known, so that one legend serves all.

    Returns
    -------
    matplotlib Figure

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.reports.comparison import ComparisonDisplay, Series, plot_panels
    >>> line = Series("RFE", *np.array([[1, 10], [0.2, 0.1], [0.01, 0.01], [np.nan, np.nan]]))
    >>> display = ComparisonDisplay([line], "columns", "error")
    >>> figure = plot_panels({"10 rows": display, "30 rows": display})
    >>> [ax.get_title() for ax in figure.axes]
    ['10 rows', '30 rows']
    """
    drawn = panel_axes(len(panels))
    labels: dict[str, Any] = {}
    for ax, (title, display) in zip(drawn, panels.items(), strict=True):
        display._draw(ax)
        ax.set_title(safe(title), fontsize="medium")
        ax.label_outer()
        handles, names = ax.get_legend_handles_labels()
        labels = dict(zip(names, handles, strict=True)) | labels
    figure = drawn[0].figure
    figure.legend(labels.values(), labels, loc="outside upper left", ncols=4, frameon=False)
    return figure
