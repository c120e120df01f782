"""The bound and the test error over C and gamma, with the paths of two searches on both."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm
from matplotlib.figure import Figure
from numpy.typing import NDArray
from sklearn.datasets import make_moons

from svsieve import SVC, GradientSearch
from svsieve.kernels import Rbf
from svsieve.machines import L2Svm
from svsieve.selection.objectives import Judge, RadiusMargin

Floats = NDArray[np.float64]

PENALTIES = np.logspace(-3, 4, 29)
GAMMAS = np.logspace(-4, 2, 25)


# Where searches begin: at the defaults of the estimator, and far from them.
STARTS = {"from the defaults": {}, "from far away": {"C": 100.0, "gamma": 0.01}}
MOST_BOUND = 3.0  # what is larger is drawn alike


def landscapes() -> tuple[Floats, Floats, dict[str, GradientSearch]]:
    """Return the bound and the test error in per cent on the grid, and the searches."""
    X, y = make_moons(150, noise=0.3, random_state=0)
    X_test, y_test = make_moons(3000, noise=0.3, random_state=1)
    judge = Judge(RadiusMargin(), X, np.where(y == 1, 1.0, -1.0))
    bound, error = np.empty((2, len(PENALTIES), len(GAMMAS)))
    for i, C in enumerate(PENALTIES):
        for j, gamma in enumerate(GAMMAS):
            bound[i, j] = judge(L2Svm(C), Rbf(gamma)).value
            fitted = SVC(C=C, gamma=gamma, slack="l2").fit(X, y)
            error[i, j] = 100.0 * (fitted.predict(X_test) != y_test).mean()
    searches = {
        name: GradientSearch(SVC(slack="l2", **start)).fit(X, y) for name, start in STARTS.items()
    }
    return bound, error, searches


def tuning() -> Figure:
    """Draw both landscapes."""
    bound, error, searches = landscapes()
    figure = Figure(figsize=(9.0, 3.8), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    levels = np.geomspace(bound.min(), MOST_BOUND, 16)
    _contours(left, bound, levels, "radius/margin bound", searches)
    _contours(right, error, np.linspace(error.min(), error.max(), 16), "test error, %", searches)
    left.set_ylabel("gamma")
    left.legend(loc="upper right", framealpha=0.8)
    return figure


def _contours(
    axes: Axes, values: Floats, levels: Floats, title: str, searches: dict[str, GradientSearch]
) -> None:
    drawn = axes.contourf(
        PENALTIES,
        GAMMAS,
        values.T,
        levels,
        norm=BoundaryNorm(levels, 256, extend="max"),
        cmap="viridis",
        extend="max",
    )
    axes.figure.colorbar(drawn, ax=axes, format="%.3g")
    for (name, search), line, colour in zip(
        searches.items(), ("o-", "s--"), ("red", "white"), strict=True
    ):
        trace = search.trace_
        axes.plot(
            trace["C"], trace["gamma"], line, color=colour, markersize=4, linewidth=1, label=name
        )
        best = search.best_index_
        axes.plot(trace["C"][best], trace["gamma"][best], "*", color=colour, markersize=14)
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="C",
        title=title,
        xlim=(PENALTIES[0], PENALTIES[-1]),
        ylim=(GAMMAS[0], GAMMAS[-1]),
    )
