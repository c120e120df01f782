"""A picture of several selectors judged on the same folds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from svsieve.reports.figures import (
    BLUE,
    GREY,
    PALE,
    Display,
    axes,
    best_on_top,
    height_of,
    legend_above,
)
from svsieve.reports.sentences import SHARES
from svsieve.selection.evaluation import Evaluation


@dataclass(eq=False)
class SelectorsDisplay(Display):
    """The nested score of each selector: its mean, its interval and its folds.

    Parameters
    ----------
    evaluations : dict of str to Evaluation
        By the names of the selectors, all of one metric.

    Attributes
    ----------
    order : list of str
        The selectors as they are shown, that of the best mean first.
    ax_, figure_
        Axes and figure of matplotlib that it was drawn on last.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from svsieve import SVC, SVMRFECV, evaluate
    >>> from svsieve.reports.selectors import SelectorsDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> found = {one: evaluate(SVMRFECV(SVC(kernel=one)), X, y, cv=3) for one in ("linear", "rbf")}
    >>> display = SelectorsDisplay(found).plot()
    >>> display.ax_.get_xlabel()
    'accuracy on held-out rows'
    """

    evaluations: Mapping[str, Evaluation]

    def __post_init__(self) -> None:
        metrics = {one.metric for one in self.evaluations.values()}
        if len(metrics) != 1:
            raise ValueError(
                "evaluations of SelectorsDisplay must all have one metric. "
                f"Got {sorted(metrics) or 'none'}."
            )
        self.metric = metrics.pop()
        self.order = sorted(self.evaluations, key=lambda name: -self.evaluations[name].mean)

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw on given axes, or on those of a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        **kwargs
            For the points of the means, see ``matplotlib.axes.Axes.plot``.

        Returns
        -------
        SelectorsDisplay
        """
        ax = axes(ax, height=height_of(2 * len(self.order)))
        labels = []
        for row, name in enumerate(self.order):
            one, first = self.evaluations[name], row == 0
            folds = np.full(len(one.scores), float(row))
            ax.plot(one.scores, folds, "o", color=PALE, ms=4, label="a fold" if first else None)
            ax.plot(
                one.interval, [row, row], color=BLUE, lw=2, label="95% interval" if first else None
            )
            style = {"color": BLUE, "marker": "o", "ms": 7, "ls": "none"}
            ax.plot([one.mean], [row], **(style | kwargs), label="mean" if first else None)
            labels.append(f"{name} ({np.median(one.n_features):g})")
        chances = {one.chance for one in self.evaluations.values()} - {None}
        for chance in chances:
            ax.axvline(chance, color=GREY, lw=1, ls=":", label="chance")
        best_on_top(ax, labels)
        if self.metric in SHARES:  # the interval of a mean knows no limits, a share does
            low, high = ax.get_xlim()
            ax.set_xlim(max(low, -0.02), min(high, 1.02))
        ax.set_xlabel(f"{self.metric.replace('_', ' ')} on held-out rows")
        legend_above(ax, title="in brackets: columns selected, median of the folds")
        return self._drawn_on(ax)
