"""A picture of the best columns of a ranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from svsieve.arrays import FloatArray
from svsieve.elimination import Path
from svsieve.reports.figures import (
    BLUE,
    PALE,
    Display,
    axes,
    best_on_top,
    height_of,
    legend_above,
    names_of,
    set_scale,
)
from svsieve.reports.fitted import fitted_part
from svsieve.resolve import check_integer

# Scores further apart than this are shown on a logarithmic axis.
WIDE = 100.0


@dataclass(eq=False)
class RankingDisplay(Display):
    """The best columns of a ranking, with their scores.

    In an elimination the score of a column is the one it had when it was dropped; those of columns
    kept are from the last step. Scores of different steps are measured among different columns: the
    order of the rows is what the elimination found, and need not be that of the scores.

    Parameters
    ----------
    names : sequence of str
        Of the columns, best first.
    scores : array-like of float
        Theirs.
    kept : array-like of bool
        Whether they were selected.

    Attributes
    ----------
    ax_, figure_
        Axes and figure of matplotlib that it was drawn on last.

    Examples
    --------
    >>> from svsieve.elimination import Path
    >>> from svsieve.reports import RankingDisplay
    >>> path = Path.from_scores([5.0, 9.0, 2.0], ["height", "weight", "age"])
    >>> display = RankingDisplay.from_path(path)
    >>> [label.get_text() for label in display.ax_.get_yticklabels()]
    ['weight', 'height', 'age']
    """

    names: Sequence[str]
    scores: FloatArray
    kept: NDArray[np.bool_]

    @classmethod
    def from_path(
        cls,
        path: Path,
        *,
        n_columns: int = 20,
        size: int | None = None,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the best columns of an elimination.

        Parameters
        ----------
        path : Path
        n_columns : int, default=20
            The most to show.
        size : int, optional
            How many count as selected; those that the elimination has left by default.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        **kwargs
            For the marks, see ``matplotlib.axes.Axes.scatter``.

        Returns
        -------
        RankingDisplay
        """
        shown = min(check_integer(cls.__name__, "n_columns", n_columns, at_least=1), path.n_columns)
        kept = len(path.survivors) if size is None else size
        names = names_of(path.column_names, path.top(shown))
        scores = path.importances[::-1][:shown]
        return cls(names, scores, np.arange(shown) < kept).plot(ax, **kwargs)

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, n_columns: int = 20, ax: Any = None, **kwargs: Any
    ) -> Self:
        """Draw the best columns that a fitted SVMRFE or SVMRFECV has found.

        Parameters
        ----------
        estimator : SVMRFE or SVMRFECV
        n_columns, ax, **kwargs
            As in `from_path`.

        Returns
        -------
        RankingDisplay
        """
        path = fitted_part(estimator, "path_", cls.__name__)
        size = int(estimator.n_features_)
        return cls.from_path(path, n_columns=n_columns, size=size, ax=ax, **kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw on given axes, or on those of a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        **kwargs
            For the marks, see ``matplotlib.axes.Axes.scatter``.

        Returns
        -------
        RankingDisplay
        """
        ax = axes(ax, height=height_of(len(self.names)))
        scores = np.asarray(self.scores, dtype=np.float64)
        kept = np.asarray(self.kept, dtype=bool)
        known = np.isfinite(scores)
        wide = _spread(scores[known]) > WIDE
        if wide:
            set_scale(ax.xaxis, "log")
        floor = scores[known].min() / 2.0 if wide else 0.0
        rows = np.arange(len(scores))
        for chosen, colour, label in ((True, BLUE, "kept"), (False, PALE, "dropped")):
            mine = known & (kept == chosen)
            if mine.any():
                ax.hlines(rows[mine], floor, scores[mine], color=colour, linewidth=1.5, zorder=1)
                style = {"s": 36, "color": colour, "label": label, "zorder": 2} | kwargs
                ax.scatter(scores[mine], rows[mine], **style)
        if wide:
            ax.set_xlim(left=floor)
        elif known.any() and scores[known].min() >= 0.0:
            ax.set_xlim(left=0.0)
        best_on_top(ax, self.names)
        ax.set_xlabel("score")
        if known.any() and kept.any() and not kept.all():
            legend_above(ax)
        return self._drawn_on(ax)


def _spread(scores: FloatArray) -> float:
    """How many times the least score the largest is; 0 where that has no meaning."""
    if not len(scores) or scores.min() <= 0.0:
        return 0.0
    return float(scores.max() / scores.min())
