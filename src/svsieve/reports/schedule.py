"""A picture of the sizes that an elimination visits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from svsieve.arrays import IndexArray, index_vector
from svsieve.elimination import Path, Schedule
from svsieve.reports.figures import BLUE, RED, Display, axes, size_axis, whole_numbers
from svsieve.reports.fitted import fitted_part


@dataclass(eq=False)
class ScheduleDisplay(Display):
    """Columns left, and columns dropped, in each iteration of an elimination.

    Parameters
    ----------
    sizes : array-like of int
        Columns before each step, and after the last.

    Attributes
    ----------
    ax_, figure_
        Axes and figure of matplotlib that it was drawn on last.
    step_ax_
        Axes of the columns dropped, on the right side of `ax_`.

    Examples
    --------
    >>> from svsieve import schedules
    >>> from svsieve.reports import ScheduleDisplay
    >>> display = ScheduleDisplay.from_schedule(schedules.Fraction(0.5), 16)
    >>> display.sizes
    array([16,  8,  4,  2,  1])
    >>> display.ax_.get_ylabel(), display.step_ax_.get_ylabel()
    ('columns left', 'columns dropped')
    """

    sizes: IndexArray

    def __post_init__(self) -> None:
        self.sizes = index_vector(self.sizes, "sizes", 2**62)
        if not len(self.sizes) or (np.diff(self.sizes) >= 0).any():
            raise ValueError(f"sizes must fall. Got {np.asarray(self.sizes).tolist()}.")

    @classmethod
    def from_path(cls, path: Path, *, ax: Any = None, **kwargs: Any) -> Self:
        """Draw the sizes that an elimination has visited.

        Parameters
        ----------
        path : Path
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        **kwargs
            For the line of columns left, see ``matplotlib.axes.Axes.plot``.

        Returns
        -------
        ScheduleDisplay
        """
        return cls(path.sizes).plot(ax, **kwargs)

    @classmethod
    def from_schedule(
        cls, schedule: Schedule, n_columns: int, least: int = 1, *, ax: Any = None, **kwargs: Any
    ) -> Self:
        """Draw the sizes that a schedule will visit.

        Parameters
        ----------
        schedule : Schedule
            One whose steps do not depend on the scores.
        n_columns : int
            Columns at the start.
        least : int, default=1
            Columns at the end.
        ax, **kwargs
            As in `from_path`.

        Returns
        -------
        ScheduleDisplay
        """
        return cls(np.array(schedule.sizes(n_columns, least))).plot(ax, **kwargs)

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, **kwargs: Any) -> Self:
        """Draw the sizes that a fitted SVMRFE, SVMRFECV or Sieve has visited.

        Parameters
        ----------
        estimator : SVMRFE, SVMRFECV or Sieve
        ax, **kwargs
            As in `from_path`.

        Returns
        -------
        ScheduleDisplay
        """
        path = fitted_part(estimator, "path_", cls.__name__)
        path = getattr(estimator, "full_path_", path)  # where `path_` joins many
        return cls.from_path(path, ax=ax, **kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw on given axes, or on those of a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        **kwargs
            For the line of columns left, see ``matplotlib.axes.Axes.plot``.

        Returns
        -------
        ScheduleDisplay
        """
        ax = axes(ax)
        steps = -np.diff(self.sizes)
        other = ax.twinx()
        marks = "o" if len(self.sizes) <= 60 else ""
        style = {"color": BLUE, "marker": marks, "markersize": 4, "label": "columns left"} | kwargs
        ax.plot(np.arange(len(self.sizes)), self.sizes, **style)
        if len(steps):
            # The step of iteration i leads from size i - 1 to size i.
            iterations = np.arange(1, len(steps) + 1)
            other.plot(
                iterations,
                steps,
                color=RED,
                marker="s" if marks else "",
                markersize=3.5,
                linestyle="--",
                label="columns dropped",
            )
            size_axis(other.yaxis, np.append(steps, 1))
        size_axis(ax.yaxis, self.sizes)
        whole_numbers(ax.xaxis)
        ax.set_xlabel("iteration")
        for side, label, colour in ((ax, "columns left", BLUE), (other, "columns dropped", RED)):
            side.set_ylabel(label, color=colour)
            side.tick_params(axis="y", colors=colour)
            if side.get_yscale() == "linear":
                side.set_ylim(bottom=0.0)
        self.step_ax_ = other
        return self._drawn_on(ax)
