"""Figure 4.8: the optimum hangs on what columns cost."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from svsieve import rules
from svsieve.reproduce.experiment import Effort, Measurement, Settings
from svsieve.reproduce.planas.data import Generated
from svsieve.reproduce.planas.protocol import (
    CURVE,
    OPTIMUM,
    ThesisTable,
    Trial,
    eliminating,
    linear,
    points,
)
from svsieve.reproduce.published import PublishedCell, read

C = 10.0
OPTIONS = {"n_features": 200, "n_informative": 30, "random_state": 8}
DATA = Generated(1000, 8000, tuple(OPTIONS.items()))
# Weights of accuracy and size, by panel.
WEIGHTS = {"left": (0.95, 0.05), "right": (0.6, 0.4)}


class TradeOffs(ThesisTable):
    """One curve, two optima."""

    id = "planas-fig-4.8"
    title = "The optimum with two weights of accuracy and size"
    notes = (
        "1000 rows, 200 columns of which 30 are informative, 20 folds, C = 10, step 5, sizes 1, 5, "
        "..., 197. Left: 0.95 (1 - accuracy) + 0.05 size / 200, right: 0.6 and 0.4. Compared with "
        "what the author's notebook printed; the pictures show another run."
    )
    quantities = (*OPTIMUM, CURVE)
    fewer_folds_when_quick = True
    x, series, y, log_x = "size", "accuracy", CURVE.name, False

    def cells(self, effort: Effort) -> Iterable[Settings]:
        """Return the one ranking."""
        return [{}]

    def measure(self, cell: Settings, repeat: int, effort: Effort) -> Iterable[Measurement]:
        """Rank and validate once, and choose twice."""
        folds = 20 if effort is Effort.FULL else 2
        trial = Trial.of(DATA.table(), folds, repeat, effort)
        rankings, _ = trial.ranked(eliminating(linear(C), 5))
        sizes = range(1, 200, 4 if effort is Effort.FULL else 16)
        curve = trial.validated(rankings, linear(C), sizes)
        for panel, weights in WEIGHTS.items():
            rule = rules.Scalarised(*weights)
            size = rule.choose(curve).size
            at = int(np.searchsorted(curve.sizes, size))
            values = {"n_features": float(size), "accuracy": float(curve.mean()[at])}
            yield Measurement({"panel": panel}, {**values, "cost": float(rule.cost(curve)[at])})
        yield from points(cell, curve)

    def published(self) -> list[PublishedCell]:
        """Return what the notebook printed."""
        quantities = ("n_features", "accuracy", "cost")
        return read("planas_figures", ("panel",), quantities, where={"table": "figure 4.8"})


EXPERIMENT = TradeOffs()
