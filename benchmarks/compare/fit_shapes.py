"""Fits of ``SVC`` and ``OneClassSVC``, small and large, beside scikit-learn's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn import svm
from sklearn.datasets import load_digits

from benchmarks.compare.data import load
from benchmarks.compare.fair import (
    COLUMNS,
    NOTES,
    as_row,
    at_tolerance,
    exact_objective,
    measure_all,
    medians,
    tight_tolerance,
)
from benchmarks.compare.tables import Labelled, clouds, counts
from benchmarks.compare.timing import Options, Report, Row
from svsieve import SVC, OneClassSVC

TARGETS = (0.9, 0.9)
SECONDS = 30.0  # what the runs of one shape may last before they are cut short


@dataclass(frozen=True)
class Shape:
    """A table with a machine of the peer, which ours is given the settings of."""

    table: str
    make: Callable[[], Labelled]
    machine: Any

    @property
    def what(self) -> str:
        """What is fitted to which table, for the eye and for picking."""
        return f"{self.table}, {self.machine}"

    def ours(self, tol: float) -> Any:
        """Return the same machine of ours."""
        same = ("kernel", "gamma", "degree", "coef0", "cache_size")
        settings = {name: getattr(self.machine, name) for name in same}
        if isinstance(self.machine, svm.OneClassSVM):
            return OneClassSVC(**settings, nu=self.machine.nu, tol=tol)
        return SVC(**settings, C=self.machine.C, tol=tol)


def _digits() -> Labelled:
    return Labelled(*load_digits(return_X_y=True))


def _banana() -> Labelled:
    data = load("banana")
    return Labelled(data.X, (data.y > 0).astype(np.int64))


SVM, ONE = svm.SVC, svm.OneClassSVM
DIGITS = ("digits 1,797 x 64, ten classes", _digits)
TEXT = ("text 1,993 x 4,862, 134,000 entries", partial(counts, 1993, 4862, 134_000))
SHAPES = (
    Shape("dense 60 x 30", partial(clouds, 60, 30), SVM()),
    Shape("dense 60 x 2,000", partial(clouds, 60, 2000), SVM(kernel="linear")),
    Shape("dense 150 x 30, ten classes", partial(clouds, 150, 30, 10), SVM()),
    Shape("dense 500 x 10", partial(clouds, 500, 10), SVM(C=10)),
    Shape(*DIGITS, SVM()),
    Shape(*DIGITS, SVM(kernel="linear")),
    Shape(*DIGITS, SVM(kernel="poly", coef0=1.0)),
    Shape("banana 5,300 x 2", _banana, SVM(C=100, gamma=1.0)),
    Shape("dense 5,000 x 20", partial(clouds, 5000, 20), SVM()),
    Shape("dense 3,000 x 100", partial(clouds, 3000, 100), SVM(kernel="linear", C=0.1)),
    Shape("dense 10,000 x 50", partial(clouds, 10_000, 50), SVM()),
    Shape(*TEXT, SVM()),
    Shape(*TEXT, SVM(kernel="linear")),
    Shape(
        "text 600 x 3,000, 40,000 entries, ten classes",
        partial(counts, 600, 3000, 40_000, 10),
        SVM(),
    ),
    Shape("dense 100 x 10", partial(clouds, 100, 10), ONE(nu=0.1)),
    Shape("dense 2,000 x 50", partial(clouds, 2000, 50), ONE(nu=0.1)),
    Shape("dense 2,000 x 50", partial(clouds, 2000, 50), ONE(nu=0.5)),
    Shape("dense 10,000 x 50", partial(clouds, 10_000, 50), ONE(nu=0.05)),
    Shape(*TEXT, ONE(nu=0.2)),
)


def run(options: Options) -> Report:
    """Time all shapes, or those whose description holds one of the words asked for."""
    report = Report(
        f"fits, peer scikit-learn's machine of the same settings; {options.threads} thread(s)",
        columns=(*COLUMNS[:-1], "our tight s", "our tight tol", "our gap", "runs"),
        notes=[
            *NOTES,
            "tight ratio: both sides at a tolerance at which they are within 1e-6 of the optimum",
        ],
    )
    measure_all(report, SHAPES, measured, options)
    return report


def measured(shape: Shape, options: Options) -> Row:
    """Time both sides on one shape, at default and at tight tolerances."""
    data = shape.make()
    X, y = data.X, None if isinstance(shape.machine, svm.OneClassSVM) else data.y
    default = shape.ours(shape.machine.tol)
    best = [exact_objective(shape.machine, X, y)]
    tol, found = tight_tolerance(shape.machine, [X], y, best)
    our_tol, _ = tight_tolerance(default, [X], y, best)
    machines = {"ours": default, "peer": shape.machine}
    if our_tol != default.tol:
        machines["ours tight"] = shape.ours(our_tol)
    if tol != shape.machine.tol:
        machines["tight"] = at_tolerance(shape.machine, tol)
    sides = {name: partial(machine.fit, X, y) for name, machine in machines.items()}
    times, runs = medians(sides, 1 if options.quick else options.repeat, SECONDS)
    row = as_row(shape.what, times, runs, (tol, found), TARGETS)
    row["our tight s"], row["our tight tol"] = (
        times.get("ours tight", times["ours"]),
        f"{our_tol:.0e}",
    )
    row["our gap"] = float(machines["ours"].kkt_gap_)
    return row
