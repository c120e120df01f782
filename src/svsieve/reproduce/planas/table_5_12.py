"""Table 5.12: a size estimated from few iterations; table 5.13 is its shares, 5.14 its times."""

from __future__ import annotations

import time
from collections.abc import Iterable

import numpy as np

from svsieve.reproduce.experiment import Effort, Measurement, Quantity, Settings
from svsieve.reproduce.planas.data import STEPS
from svsieve.reproduce.planas.estimated_size import estimated_accuracies
from svsieve.reproduce.planas.protocol import (
    EVERY_SIXTH,
    TRADE_OFF,
    ThesisTable,
    Trial,
    eliminating,
    linear,
)
from svsieve.reproduce.published import PublishedCell, joined, read
from svsieve.selection import Curve

KEYS = ("C", "step")


class StopCondition(ThesisTable):
    """The size of least cost, estimated without validation and validated."""

    id = "planas-5.12"
    also = ("planas-5.13", "planas-5.14", "planas-fig-5.11")
    title = "Stop condition: estimated and validated size, over C and the estimating step"
    notes = (
        "The data and folds of planas-5.2. The size is estimated from 1, 2 or 5 machines (step "
        "300, 150, 60) by the share of the importance that is gone, as the code does it: the "
        "algorithm printed in the thesis divides by max - min where the code multiplies. The "
        "validated optimum comes from a ranking with step 5 (text: 10), sizes 1, 7, ..., 295; it "
        "is noise, and so is their difference. `Path.estimated_size` is the library's own "
        "estimate. Times: estimate over full ranking. Table 5.13 is table 5.12 divided by 300."
    )
    quantities = (
        Quantity("est_features", judged=True, whole=True, digits=0),
        Quantity("opt_features", judged=True, whole=True, digits=0),
        Quantity("time_ratio"),
    )
    y = "est_features"

    def cells(self, effort: Effort) -> Iterable[Settings]:
        """Return all combinations."""
        cells = self.printed_cells()
        return cells if effort is Effort.FULL else [c for c in cells if c["C"] == 1e-4]

    def measure(self, cell: Settings, repeat: int, effort: Effort) -> Iterable[Measurement]:
        """Estimate on the training rows of each fold; rank and validate."""
        C, step = float(cell["C"]), int(cell["step"])
        trial = Trial.of(STEPS.table(), 7, repeat, effort)
        began = time.process_time()
        table = np.array(
            [
                estimated_accuracies(trial.X[train], trial.y[train], C, step)
                for train, _ in trial.splits
            ]
        )
        seconds = (time.process_time() - began) / len(table)
        n_columns = trial.X.shape[1]
        estimate = Curve(np.arange(1, n_columns - 1), {"accuracy": table}, n_columns=n_columns)
        rankings, in_full = trial.ranked(eliminating(linear(C), 5))
        curve = trial.validated(rankings, linear(C), EVERY_SIXTH)
        values = {
            "est_features": float(TRADE_OFF.choose(estimate).size),
            "opt_features": float(TRADE_OFF.choose(curve).size),
            "time_ratio": seconds / in_full,
        }
        return [Measurement(cell, values)]

    def published(self) -> list[PublishedCell]:
        """Return tables 5.12 and 5.14."""
        sizes = read("planas_5_12", KEYS, ("est_features", "opt_features"))
        times = {"time_s": "seconds"}
        short = read("planas_5_14", KEYS, times, where={"method": "stop condition estimate"})
        full = read("planas_5_14", KEYS, times, where={"method": "full SVM-RFE run"})
        ratios = [
            PublishedCell(a.cell, {"time_ratio": a.values["seconds"] / b.values["seconds"]})
            for a, b in zip(short, full, strict=True)
        ]
        return joined(sizes, ratios)


EXPERIMENT = StopCondition()
