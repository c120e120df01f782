"""Draw the figures of the guide: ``python docs/make_figures.py``, a minute or two.

Needs svsieve and matplotlib. Figures go to ``docs/figures``, which is not under version control.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import joblib
import matplotlib as mpl
import numpy as np
from figure_one_class import boundaries
from figure_tuning import tuning
from matplotlib.figure import Figure
from numpy.typing import NDArray

from svsieve import SVC, SVMRFE, fisher_score
from svsieve.criteria import RadiusMargin, Span, WeightNorm
from svsieve.datasets import make_weston_nonlinear

FIGURES = Path(__file__).resolve().parent / "figures"
ROWS = (20, 30, 40, 50, 70, 100)
TRIALS = 40

Ranking = Callable[[NDArray[np.float64], NDArray[np.int64]], NDArray[np.int64]]


def eliminated(criterion: object) -> Ranking:
    """Return the ranking by elimination, one column at a time, with a Gaussian kernel."""

    def ranking(X: NDArray[np.float64], y: NDArray[np.int64]) -> NDArray[np.int64]:
        machine = SVC(kernel="rbf", gamma=1.0 / 18.0, C=1000.0, slack="l2")
        selector = SVMRFE(machine, n_features_to_select=2, criterion=criterion)
        return selector.fit(X, y).path_.top(2)

    return ranking


def filtered(X: NDArray[np.float64], y: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the two columns of largest Fisher score."""
    return np.argsort(fisher_score(X, y))[:-3:-1]


RANKINGS: dict[str, Ranking] = {
    "WeightNorm()": eliminated(WeightNorm()),
    "WeightNorm(order=1)": eliminated(WeightNorm(order=1)),
    "WeightNorm(retrain=True)": eliminated(WeightNorm(retrain=True)),
    "RadiusMargin(order=1)": eliminated(RadiusMargin(order=1)),
    "Span(order=1)": eliminated(Span(order=1)),
    "fisher_score": filtered,
}


def hits(rows: int, trial: int) -> list[bool]:
    """Tell for each ranking whether its two best columns are the two that matter."""
    X, y = make_weston_nonlinear(rows, rng=np.random.default_rng((rows, trial)), balanced=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return [set(ranking(X, y).tolist()) == {0, 1} for ranking in RANKINGS.values()]


def criteria() -> Path:
    """Draw how often each criterion finds the two columns of the non-linear toy problem."""
    work = [(rows, trial) for rows in ROWS for trial in range(TRIALS)]
    with joblib.parallel_config("loky", inner_max_num_threads=1):
        found = joblib.Parallel(n_jobs=-1)(joblib.delayed(hits)(*one) for one in work)
    shares = np.array(found, dtype=float).reshape(len(ROWS), TRIALS, -1).mean(axis=1)
    figure = Figure(figsize=(7.2, 3.8), layout="constrained")
    axes = figure.subplots()
    for share, name, marker in zip(shares.T, RANKINGS, "osD^vx", strict=True):
        axes.plot(ROWS, 100.0 * share, marker=marker, label=name)
    axes.set(
        xlabel="training rows",
        ylabel="% of draws",
        title=f"both relevant columns of 52 ranked first, {TRIALS} draws",
        ylim=(-3.0, 103.0),
    )
    figure.legend(loc="outside right center", frameon=False)
    return saved(figure, "criteria")


def saved(figure: Figure, name: str) -> Path:
    """Write a figure that is the same file whenever it is the same figure."""
    FIGURES.mkdir(exist_ok=True)
    path = FIGURES / f"{name}.svg"
    with mpl.rc_context({"svg.hashsalt": name}):
        figure.savefig(path, metadata={"Date": None})
    return path


if __name__ == "__main__":
    criteria()
    saved(boundaries(), "one_class")
    saved(tuning(), "tuning")
