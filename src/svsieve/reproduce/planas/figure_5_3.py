"""Figure 5.3: a random ranking and a filter, where table 5.2 ranks by elimination."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from svsieve.arrays import FloatArray
from svsieve.reproduce.experiment import Effort, Measurement, Settings
from svsieve.reproduce.planas.data import STEPS
from svsieve.reproduce.planas.protocol import (
    OPTIMUM,
    ThesisTable,
    Trial,
    eliminating,
    linear,
    optimum,
)
from svsieve.reproduce.published import PublishedCell, read
from svsieve.selection import Curve

RANDOM, FILTER = "random", "filter"
C, ORDERS = 1e-5, 10


class WithoutElimination(ThesisTable):
    """Columns in any order, or by the weights of one machine."""

    id = "planas-fig-5.3"
    title = "A random ranking and a filter"
    notes = (
        "The data of planas-5.2, C = 1e-5, every size from 1 to 299. Random: ten orders, trained "
        "on the rows that are cross-validated elsewhere and tested on the other 1000 that the code "
        "draws. Filter: the weights of one machine on all columns, 7 folds. Accuracies "
        "are those of the author's output, which print cuts to two digits."
    )
    quantities = OPTIMUM
    x, series, log_x = "panel", "C = 1e-5", False

    def cells(self, effort: Effort) -> Iterable[Settings]:
        """Return both."""
        return self.printed_cells()

    def measure(self, cell: Settings, repeat: int, effort: Effort) -> Iterable[Measurement]:
        """Rank and test."""
        sizes = range(1, 300, 1 if effort is Effort.FULL else 24)
        if cell["panel"] == FILTER:
            trial = Trial.of(STEPS.table(), 7, repeat, effort)
            rankings, _ = trial.ranked(eliminating(linear(C), trial.X.shape[1]))
            return [optimum(cell, trial.validated(rankings, linear(C), sizes))]
        X, y = replace(STEPS, rows=STEPS.drawn).table()
        orders = ORDERS if effort is Effort.FULL else 2
        rng = np.random.default_rng(repeat)
        table = [
            [_accuracy(X[:, order[:size]], y) for size in sizes]
            for order in (rng.permutation(X.shape[1]) for _ in range(orders))
        ]
        scores = {"accuracy": np.array(table)}
        curve = Curve(np.array(sizes), scores, n_columns=X.shape[1])
        return [optimum(cell, curve)]

    def published(self) -> list[PublishedCell]:
        """Return the points that the caption gives."""
        quantities = ("n_features", "accuracy", "cost")
        return read("planas_figures", ("panel",), quantities, where={"table": "figure 5.3"})


def _accuracy(X: FloatArray, y: FloatArray) -> float:
    """Train on the rows that other tables use, test on the others."""
    n = STEPS.rows
    return float(linear(C).fit(X[:n], y[:n]).score(X[n:], y[n:]))


EXPERIMENT = WithoutElimination()
