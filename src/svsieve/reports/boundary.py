"""A picture of what a machine accepts in the plane of two columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from svsieve.arrays import FloatArray
from svsieve.reports.figures import (
    BLUE,
    GREY,
    INK,
    PALE,
    Display,
    axes,
    legend_above,
    names_of,
    safe,
)
from svsieve.resolve import check_integer, check_option, check_real

SHOWN = ("boundary", "distance")


@dataclass(eq=False)
class BoundaryDisplay(Display):
    """The boundary of a machine on two columns, with rows and support vectors.

    Parameters
    ----------
    across, up : ndarray of shape (n_points,)
        Values of the first and of the second column at which the machine was asked.
    values : ndarray of shape (n_points, n_points)
        Decision values, or distances from the centre, at ``(across[j], up[i])`` in line i.
    level : float
        Where in `values` the boundary runs.
    rows : ndarray of shape (n_rows, 2)
        Rows to show.
    support : ndarray of shape (n_SV, 2)
        Support vectors, ringed.
    show : {"boundary", "distance"}, default="boundary"
        What the picture is filled with: what is accepted, or lines of equal distance.
    names : tuple of two str, default=("column 0", "column 1")
        Names of the columns.

    Attributes
    ----------
    ax_, figure_
        Axes and figure of matplotlib that it was drawn on last.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve import SVDD
    >>> from svsieve.reports import BoundaryDisplay
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> display = BoundaryDisplay.from_estimator(SVDD(gamma=0.1).fit(X), X, show="distance")
    >>> display.values.shape, bool(display.values.min() < display.level)
    ((120, 120), True)
    """

    across: FloatArray
    up: FloatArray
    values: FloatArray
    level: float
    rows: FloatArray
    support: FloatArray
    show: str = "boundary"
    names: tuple[str, str] = ("column 0", "column 1")

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        show: str = "boundary",
        n_points: int = 120,
        margin: float = 0.25,
        ax: Any = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the boundary of a fitted machine on two columns.

        Parameters
        ----------
        estimator : fitted estimator
            SVDD, OneClassSVC, or another with a decision value per row, such as a classifier of two
            classes.
        X : array-like of shape (n_rows, 2)
            Rows to show; the picture reaches a little beyond them.
        show : {"boundary", "distance"}, default="boundary"
            What is accepted, or, of SVDD, the distance from the centre in feature space.
        n_points : int, default=120
            Points at which the machine is asked, along either side.
        margin : float, default=0.25
            How far the picture reaches beyond the rows, in their range.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        **kwargs
            For the filling, see ``matplotlib.axes.Axes.contourf``.

        Returns
        -------
        BoundaryDisplay
        """
        owner = f"{cls.__name__}.from_estimator"
        check_option(owner, "show", show, SHOWN)
        check_integer(owner, "n_points", n_points, at_least=2)
        check_real(owner, "margin", margin, at_least=0.0)
        check_is_fitted(estimator)
        rows = np.asarray(X, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] != 2:
            raise ValueError(f"X of {owner} must have two columns. Got shape {rows.shape} instead.")
        if show == "distance" and not hasattr(estimator, "radius_"):
            raise ValueError(
                f"The 'show' parameter of {owner} must be 'boundary' for an estimator without "
                f"radius_; only a sphere has distances. Got {type(estimator).__name__} instead."
            )
        low, high = rows.min(axis=0), rows.max(axis=0)
        beyond = margin * np.where(high > low, high - low, 1.0)
        across, up = np.linspace(low - beyond, high + beyond, n_points).T
        points: Any = np.column_stack([grid.ravel() for grid in np.meshgrid(across, up)])
        if hasattr(X, "iloc"):  # an estimator that knows names is asked by name
            points = type(X)(points, columns=X.columns)
        if show == "distance":
            squares = -_asked(estimator, points, "score_samples")
            values, level = np.sqrt(np.maximum(0.0, squares)), float(estimator.radius_)
        else:
            values, level = _asked(estimator, points, "decision_function"), 0.0
        if values.ndim != 1:
            raise ValueError(
                f"{owner} needs one decision value per row; {type(estimator).__name__} gives "
                f"{values.shape[1]}."
            )
        names = names_of(getattr(X, "columns", None), np.arange(2))
        display = cls(
            across=across,
            up=up,
            values=values.reshape(n_points, n_points),
            level=level,
            rows=rows,
            support=_support(estimator),
            show=show,
            names=(names[0], names[1]),
        )
        return display.plot(ax, **kwargs)

    def plot(self, ax: Any = None, **kwargs: Any) -> Self:
        """Draw on given axes, or on those of a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
        **kwargs
            For the filling, see ``matplotlib.axes.Axes.contourf``.

        Returns
        -------
        BoundaryDisplay
        """
        ax = axes(ax, height=5.2)
        if self.show == "distance":
            style: dict[str, Any] = {"levels": 12, "cmap": "Blues_r"} | kwargs
            filled = ax.contourf(self.across, self.up, self.values, **style)
            ax.figure.colorbar(filled, ax=ax, label="distance from the centre")
        elif self.values.max() >= self.level:  # else nothing is accepted
            above = max(float(self.values.max()), self.level + 1e-12)
            style = {"levels": [self.level, above], "colors": [PALE], "alpha": 0.5} | kwargs
            ax.contourf(self.across, self.up, self.values, **style)
        if self.values.min() < self.level < self.values.max():
            ax.contour(
                self.across, self.up, self.values, [self.level], colors=[INK], linestyles="--"
            )
        ax.plot([], [], color=INK, ls="--", label="boundary")
        ax.scatter(
            *self.rows.T, s=12, color=BLUE if self.show == "boundary" else GREY, label="rows"
        )
        ring = {"facecolors": "none", "edgecolors": INK, "label": "support vectors"}
        ax.scatter(*self.support.T, s=60, **ring)
        ax.set_xlabel(safe(self.names[0]))
        ax.set_ylabel(safe(self.names[1]))
        legend_above(ax)
        return self._drawn_on(ax)


def _asked(estimator: Any, points: Any, method: str) -> FloatArray:
    return np.asarray(getattr(estimator, method)(points), dtype=np.float64)


def _support(estimator: Any) -> FloatArray:
    found = getattr(estimator, "support_vectors_", None)
    if found is None:
        return np.empty((0, 2))
    return np.asarray(found.toarray() if sparse.issparse(found) else found, dtype=np.float64)
