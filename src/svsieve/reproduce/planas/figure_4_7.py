"""Figure 4.7: what a ranking is worth at all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svsieve import rules
from svsieve.arrays import FloatArray
from svsieve.reproduce.experiment import Effort, Measurement, Quantity, Settings
from svsieve.reproduce.planas.data import FIGURE_4_7
from svsieve.reproduce.planas.protocol import (
    CURVE,
    EVERY_SIXTH,
    FEATURES,
    Ranking,
    ThesisTable,
    Trial,
    eliminating,
    linear,
    points,
)
from svsieve.reproduce.published import PublishedCell, read

C = 10.0
STEPS = {"B": 300, "C": 10, "D": 1}


def shuffled(X: FloatArray, y: NDArray[Any], seed: int) -> NDArray[Any]:
    """Return a random ranking."""
    return np.random.default_rng(seed).permutation(X.shape[1])


class Rankings(ThesisTable):
    """A random ranking, a filter, and SVM-RFE with steps of 10 and of 1."""

    id = "planas-fig-4.7"
    also = ("planas-4.7",)
    title = "Random ranking (A), filter (B), SVM-RFE with step 10 (C) and 1 (D)"
    notes = (
        "1000 rows, 300 columns of which 30 are informative (text: 50), 20 folds, C = 10, sizes 1, "
        "7, ..., 295. The point of highest mean accuracy, not of least cost. In the thesis the "
        "random rankings are tested on other rows than the cross-validated ones. The filter is one "
        "machine on all columns. Times are divided by that of step 10."
    )
    quantities = (
        FEATURES,
        Quantity("accuracy", judged=True, percent=True, digits=2),
        Quantity("seconds", relative_to={"panel": "C"}),
        CURVE,
    )
    fewer_folds_when_quick = True
    x, series, y, log_x = "size", "panel", CURVE.name, False

    def cells(self, effort: Effort) -> Iterable[Settings]:
        """Return the four panels."""
        return self.printed_cells()

    def repeats(self, effort: Effort) -> int:
        """Return how often the rows are shuffled into other folds."""
        return 2 if effort is Effort.FULL else 1

    def measure(self, cell: Settings, repeat: int, effort: Effort) -> Iterable[Measurement]:
        """Rank and validate."""
        folds = 20 if effort is Effort.FULL else 2
        trial = Trial.of(FIGURE_4_7.table(), folds, repeat, effort)
        panel = str(cell["panel"])
        ranking: Ranking = shuffled if panel == "A" else eliminating(linear(C), STEPS[panel])
        rankings, seconds = trial.ranked(ranking)
        sizes = EVERY_SIXTH if effort is Effort.FULL else range(1, 300, 24)
        curve = trial.validated(rankings, linear(C), sizes)
        size = rules.Best().choose(curve).size
        at = int(np.searchsorted(curve.sizes, size))
        values = {"n_features": float(size), "accuracy": float(curve.mean()[at])}
        if panel != "A":
            values["seconds"] = seconds
        best = Measurement(cell, values, {"accuracy": float(curve.standard_error()[at])})
        return [best, *points(cell, curve)]

    def published(self) -> list[PublishedCell]:
        """Return the points that the figure marks."""
        quantities = {"n_features": "n_features", "accuracy": "accuracy", "time_s": "seconds"}
        return read("planas_figures", ("panel",), quantities, where={"table": "figure 4.7"})


EXPERIMENT = Rankings()
