"""The boundary of SVDD: by the default width, by the width chosen, and with known negatives."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from svsieve import SVDD, one_class
from svsieve.reports import BoundaryDisplay

Floats = NDArray[np.float64]

NU = 0.1


def bent(n_rows: int = 150) -> Floats:
    """Return rows along half a ring."""
    rng = np.random.default_rng(0)
    angle = rng.uniform(0.0, np.pi, size=n_rows)
    ring = 3.0 * np.column_stack([np.cos(angle), np.sin(angle)])
    return ring + rng.normal(scale=0.3, size=(n_rows, 2))


def drawn(axes: Axes, title: str, gamma: float | str, X: Floats, negatives: Floats) -> None:
    """Draw a description of the rows, told of the negatives."""
    table, labels = np.vstack([X, negatives]), np.repeat([1, -1], [len(X), len(negatives)])
    model = SVDD(nu=NU, gamma=gamma, C_outlier=1.0).fit(table, labels)
    BoundaryDisplay.from_estimator(model, X, ax=axes)
    axes.plot(*negatives.T, "x", color="#c03030", markersize=9, markeredgewidth=2.5)
    outside = np.mean(model.predict(X) == -1)
    support = model.n_support_[0]
    axes.set_title(f"{title}\n{support} support vectors, {outside:.0%} outside", fontsize=9)
    axes.get_legend().remove()
    axes.set(xlabel="", ylabel="")


def boundaries() -> Figure:
    """Draw all three."""
    X, chosen = bent(), one_class.choose_sigma(bent(), nu=NU).gamma
    none, some = np.empty((0, 2)), np.array([[2.9, 0.4], [2.6, 0.9], [3.1, 1.1]])
    figure = Figure(figsize=(10.0, 3.6), layout="constrained")
    left, middle, right = figure.subplots(1, 3, sharex=True, sharey=True)
    drawn(left, 'gamma="scale"', "scale", X, none)
    drawn(middle, f"choose_sigma: gamma={chosen:.2g}", chosen, X, none)
    drawn(right, "the same, three known negatives (x)", chosen, X, some)
    return figure
