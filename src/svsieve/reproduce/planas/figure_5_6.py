"""Figure 5.6: a linear machine on all columns of MADELON, over C."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from sklearn.model_selection import cross_val_score
from sklearn.svm import LinearSVC

from svsieve.reproduce.experiment import Effort, Measurement, Quantity, Settings
from svsieve.reproduce.planas.data import madelon
from svsieve.reproduce.planas.protocol import ThesisTable, Trial
from svsieve.reproduce.published import PublishedCell, read


class AllColumns(ThesisTable):
    """Accuracy in ten folds, nothing selected."""

    id = "planas-fig-5.6"
    title = "A linear machine on all columns of MADELON, over C"
    notes = (
        "The first 1600 rows, standardised with all 2000, ten folds, LIBLINEAR's primal solver "
        "with at most 2000 iterations, 100 values of C from 0.1 to 8913. The curve is flat near 52 "
        "%: that C does not help is all it says."
    )
    quantities = (Quantity("accuracy", judged=True, percent=True, digits=2),)
    y, series = "accuracy", "all columns"
    data_sets = ("madelon",)

    def cells(self, effort: Effort) -> Iterable[Settings]:
        """Return all values of C, or some."""
        cells = self.printed_cells()
        return cells if effort is Effort.FULL else cells[:: 50 if effort is Effort.SMOKE else 20]

    def measure(self, cell: Settings, repeat: int, effort: Effort) -> Iterable[Measurement]:
        """Train and test in every fold."""
        trial = Trial.of(madelon(1600), 10, repeat, effort)
        machine = LinearSVC(C=float(cell["C"]), dual=False, max_iter=2000)
        scores = cross_val_score(machine, trial.X, trial.y, cv=trial.splits)
        error = float(scores.std(ddof=1) / np.sqrt(len(scores)))
        return [Measurement(cell, {"accuracy": float(scores.mean())}, {"accuracy": error})]

    def published(self) -> list[PublishedCell]:
        """Return the points of the curve."""
        return read("planas_fig_5_06", ("C",), ("accuracy",))


EXPERIMENT = AllColumns()
