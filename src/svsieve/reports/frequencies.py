"""A picture of how often columns are selected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from svsieve.arrays import IndexArray
from svsieve.reports.figures import (
    BLUE,
    GREY,
    PALE,
    Display,
    axes,
    best_on_top,
    height_of,
    legend_above,
    names_of,
)
from svsieve.reports.fitted import fitted_part
from svsieve.resolve import check_integer
from svsieve.selection import Stability


@dataclass(eq=False)
class StabilityDisplay(Display):
    """How often the columns selected most are selected.

    The dotted line is the frequency of a column if sets of the same sizes were drawn at random.

    Parameters
    ----------
    stability : Stability
    names : sequence of str, optional
        Of all columns; they are shown by their index otherwise.
    order : array-like of int, optional
        Columns by their rank: it decides between columns that are selected equally often. Their
        index does by default.
    kept : array-like of bool, optional
        Which columns are selected on all rows.
    n_columns : int, default=20
        The most to show.

    Attributes
    ----------
    columns : ndarray of int
        Those shown, most often selected first. Columns in no set are left out unless kept.
    ax_, figure_
        Axes and figure of matplotlib that it was drawn on last.

    Examples
    --------
    >>> from svsieve import stability
    >>> from svsieve.reports import StabilityDisplay
    >>> found = stability([[True, True, False, False], [True, False, True, False]])
    >>> display = StabilityDisplay.from_stability(found, ["a", "b", "c", "d"])
    >>> display.columns
    array([0, 1, 2])
    """

    stability: Stability
    names: Sequence[str] | None = None
    order: IndexArray | None = None
    kept: NDArray[np.bool_] | None = None
    n_columns: int = 20

    def __post_init__(self) -> None:
        frequency, owner = self.stability.frequency, type(self).__name__
        shown = check_integer(owner, "n_columns", self.n_columns, at_least=1)
        for name in ("names", "order", "kept"):
            given = getattr(self, name)
            if given is not None and len(given) != len(frequency):
                raise ValueError(
                    f"{name} must have an entry for each of {len(frequency)} columns. "
                    f"Got {len(given)}."
                )
        order = np.arange(len(frequency)) if self.order is None else np.asarray(self.order)
        columns = order[np.argsort(-frequency[order], kind="stable")][:shown]
        worth = frequency > 0.0
        if self.kept is not None:
            self.kept = np.asarray(self.kept, dtype=bool)
            worth = worth | self.kept  # kept, though no set holds it: worth knowing
        self.columns: IndexArray = columns[worth[columns]]

    @classmethod
    def from_stability(
        cls,
        stability: Stability,
        names: Sequence[str] | None = None,
        *,
        n_columns: int = 20,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw what :func:`svsieve.stability` or :func:`svsieve.evaluate` has found.

        Parameters
        ----------
        stability : Stability
        names : sequence of str, optional
            Of all columns; they are shown by their index otherwise.
        n_columns : int, default=20
            The most to show.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        **kwargs
            For the bars, see ``matplotlib.axes.Axes.barh``.

        Returns
        -------
        StabilityDisplay
        """
        return cls(stability, names, n_columns=n_columns).plot(ax, **kwargs)

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, n_columns: int = 20, ax: Any = None, **kwargs: Any
    ) -> Self:
        """Draw how often the folds of a fitted SVMRFECV have selected columns.

        Parameters
        ----------
        estimator : SVMRFECV
            With at least two folds.
        n_columns, ax, **kwargs
            As in `from_stability`.

        Returns
        -------
        StabilityDisplay
        """
        stability = fitted_part(estimator, "stability_", cls.__name__)
        path = estimator.path_
        display = cls(stability, path.column_names, path.order, estimator.support_, n_columns)
        return display.plot(ax, **kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw on given axes, or on those of a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        **kwargs
            For the bars, see ``matplotlib.axes.Axes.barh``.

        Returns
        -------
        StabilityDisplay
        """
        ax = axes(ax, height=height_of(len(self.columns)))
        frequency, columns = self.stability.frequency, self.columns
        rows = np.arange(len(columns))
        kept = np.ones(len(columns), dtype=bool) if self.kept is None else self.kept[columns]
        for chosen, colour, label in ((True, BLUE, "kept"), (False, PALE, "dropped")):
            mine = kept == chosen
            if mine.any():
                style = {"color": colour, "height": 0.7}
                if self.kept is not None:
                    style["label"] = label
                ax.barh(rows[mine], frequency[columns][mine], **(style | kwargs))
        by_chance = float(frequency.mean())
        ax.axvline(by_chance, color=GREY, lw=1, ls=":", label="by chance")
        best_on_top(ax, names_of(self.names, columns))
        ax.set_xlim(0.0, 1.02)
        ax.set_xlabel(f"share of {self.stability.n_sets} sets that hold the column")
        low, high = self.stability.interval
        value = f"stability {self.stability.nogueira:.2f} ({low:.2f} to {high:.2f})"
        legend_above(ax, title=value)
        return self._drawn_on(ax)
