"""A picture of the sizes that no other size beats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from svsieve.reports.curves import mark_chosen, score_at
from svsieve.reports.figures import BLUE, GREY, PALE, Display, axes, legend_inside, safe, size_axis
from svsieve.reports.fitted import fitted_part
from svsieve.selection import Choice, Curve, pareto_front

# Inches kept for a character of a number (a layout may yet shrink the picture), and the share of
# the width left free on either side.
CHARACTER = 0.13
MARGIN = 0.08


@dataclass(eq=False)
class ParetoDisplay(Display):
    """Mean scores of all sizes, and the front of those that no smaller size equals.

    Parameters
    ----------
    curve : Curve
    metric : str, optional
        Which one is shown; the first of the curve by default.
    choice : Choice, optional
        The size chosen.

    Attributes
    ----------
    front : ndarray of int
        Sizes on the front, ascending.
    ax_, figure_
        Axes and figure of matplotlib that it was drawn on last.

    Examples
    --------
    >>> from svsieve.reports import ParetoDisplay
    >>> from svsieve.selection import Curve
    >>> curve = Curve([1, 2, 3, 4], {"accuracy": [[0.5, 0.8, 0.7, 0.9]]}, n_columns=4)
    >>> display = ParetoDisplay.from_curve(curve)
    >>> [text.get_text() for text in display.ax_.texts]
    ['4', '1', '2']
    """

    curve: Curve
    metric: str | None = None
    choice: Choice | None = None

    def __post_init__(self) -> None:
        self.metric = self.curve.metric(self.metric)
        self.front = pareto_front(self.curve, self.metric)

    @classmethod
    def from_curve(
        cls,
        curve: Curve,
        *,
        metric: str | None = None,
        choice: Choice | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the front of a curve.

        Parameters
        ----------
        curve : Curve
        metric : str, optional
            Which one is shown; the first of the curve by default.
        choice : Choice, optional
            A size to mark.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        **kwargs
            For the line of the front, see ``matplotlib.axes.Axes.plot``.

        Returns
        -------
        ParetoDisplay
        """
        return cls(curve, metric, choice).plot(ax, **kwargs)

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, metric: str | None = None, ax: Any = None, **kwargs: Any
    ) -> Self:
        """Draw the front of a fitted SVMRFECV, and the size it has chosen.

        Parameters
        ----------
        estimator : SVMRFECV
        metric, ax, **kwargs
            As in `from_curve`.

        Returns
        -------
        ParetoDisplay
        """
        curve = fitted_part(estimator, "curve_", cls.__name__)
        choice = getattr(estimator, "choice_", None)
        return cls.from_curve(curve, metric=metric, choice=choice, ax=ax, **kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw on given axes, or on those of a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        **kwargs
            For the line of the front, see ``matplotlib.axes.Axes.plot``.

        Returns
        -------
        ParetoDisplay
        """
        ax = axes(ax)
        sizes, name = self.curve.sizes, self.curve.metric(self.metric)
        mean = self.curve.mean(name)
        on_front = np.isin(sizes, self.front)
        ax.scatter(sizes[~on_front], mean[~on_front], s=14, color=PALE, label="other sizes")
        # The step is what can be had with at most so many columns.
        style = {"color": BLUE, "marker": "o", "markersize": 5, "drawstyle": "steps-post"}
        front = mean[on_front]
        ax.plot(self.front, front, **({"label": "Pareto front", "zorder": 3} | style | kwargs))
        size_axis(ax.xaxis, np.append(sizes, self.curve.n_columns))
        for at in self._numbered(ax):
            place = {"textcoords": "offset points", "xytext": (-3, 5), "ha": "right"}
            ax.annotate(f"{self.front[at]:,}", (self.front[at], front[at]), color=GREY, **place)
        if self.choice is not None:
            mark_chosen(ax, self.choice.size, score_at(self.curve, self.choice.size, name))
        ax.margins(x=MARGIN, y=0.1)
        ax.set_xlabel("columns")
        ax.set_ylabel(f"mean {safe(name)}")
        legend_inside(ax, "lower right")
        return self._drawn_on(ax)

    def _numbered(self, ax: Any) -> list[int]:
        """Which points of the front have room for their size: the best, then from the left."""
        scale = np.log if ax.get_xscale() == "log" else np.asarray
        places, ends = scale(self.front), scale(self.curve.sizes[[0, -1]])
        width = ax.get_window_extent().width / ax.figure.dpi / (1.0 + 2.0 * MARGIN)
        right = (places - ends[0]) / max(float(ends[1] - ends[0]), 1e-300) * width
        left = right - CHARACTER * np.array([len(f"{size:,}") for size in self.front.tolist()])
        chosen: list[int] = []
        for at in sorted(range(len(right)), key=lambda at: (at < len(right) - 1, at)):
            if ((right[chosen] <= left[at]) | (right[at] <= left[chosen])).all():
                chosen.append(at)
        return chosen
