"""Whole rankings of twenty shapes, beside refitting scikit-learn's machine at each of the sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC, LinearSVC

from benchmarks.compare.data import Floats
from benchmarks.compare.fair import (
    COLUMNS,
    NOTES,
    as_row,
    at_tolerance,
    measure_all,
    medians,
    quietly,
    tight_tolerance,
)
from benchmarks.compare.tables import Labelled, clouds, counts, normal, uniform
from benchmarks.compare.timing import Options, Report, Row
from svsieve import SVMRFE, SVMRFECV

DENSE, SPARSE = (1.0, 0.8), (1.5, 1.2)  # ratios to reach against the tight and the default peer
GAP = 1e-9
LEAST = 10  # columns at which a ranking ends
SECONDS = 30.0  # what the runs of one shape may last before they are cut short
FOLDS = StratifiedKFold(5)


@dataclass(frozen=True)
class Shape:
    """A table with a machine and a step."""

    table: str
    make: Callable[[], Labelled]
    machine: Any
    step: int | float
    folds: bool = False  # also choose a size by cross-validation

    @property
    def what(self) -> str:
        """What is done with which table, for the eye and for picking."""
        machine = f"{type(self.machine).__name__}(C={self.machine.C:g})"
        step = f"{self.step:.0%}" if self.step < 1 else str(self.step)
        return f"{self.table}, {machine}, step {step}{', SVMRFECV' if self.folds else ''}"


def _linear(C: float = 1.0) -> SVC:
    return SVC(kernel="linear", C=C)


def _squared(C: float = 1.0) -> LinearSVC:
    return LinearSVC(C=C)


TEXT = ("text 1,993 x 4,862, 134,000 entries", partial(counts, 1993, 4862, 134_000))
BINARY = partial(counts, 800, 88_119, 728_000, binary=True)
SHAPES = (
    Shape("dense 60 x 30", partial(clouds, 60, 30), _linear(), 1),
    Shape("dense 60 x 2,000", partial(clouds, 60, 2000), _linear(), 1),
    Shape("dense 60 x 90,000", partial(normal, 60, 90_000), _linear(), 0.1),
    Shape("dense 150 x 1,000, ten classes", partial(clouds, 150, 1000, 10), _linear(), 0.1),
    Shape("dense 1,797 x 64, ten classes", partial(clouds, 1797, 64, 10), _linear(), 1),
    Shape("dense 3,000 x 100", partial(clouds, 3000, 100), _linear(0.1), 0.1),
    Shape("dense 600 x 30", partial(clouds, 600, 30), _squared(), 1),
    Shape("dense 200 x 3,000", partial(clouds, 200, 3000), _squared(), 0.1),
    Shape("dense 2,000 x 2,000", partial(normal, 2000, 2000), _squared(0.1), 0.1),
    Shape("dense 2,000 x 300, ten classes", partial(clouds, 2000, 300, 10), _squared(0.1), 0.1),
    Shape("dense 50,000 x 50", partial(clouds, 50_000, 50), _squared(), 0.1),
    Shape(*TEXT, _squared(0.1), 0.1),
    Shape("binary 800 x 88,119, 728,000 entries", BINARY, _squared(0.1), 0.1),
    Shape(
        "uniform 0.5 %, 5,000 x 20,000", partial(uniform, 5000, 20_000, 0.005), _squared(0.1), 0.1
    ),
    Shape(
        "uniform 2 %, 20,000 x 2,000, five classes",
        partial(uniform, 20_000, 2000, 0.02, 5),
        _squared(0.1),
        0.2,
    ),
    Shape(*TEXT, _squared(0.1), 0.1, folds=True),
    Shape("text 600 x 3,000, 40,000 entries", partial(counts, 600, 3000, 40_000), _linear(), 0.1),
    Shape(
        "text 400 x 2,000, 20,000 entries, ten classes",
        partial(counts, 400, 2000, 20_000, 10),
        _linear(),
        0.1,
    ),
    Shape("text 500 x 1,500, 20,000 entries", partial(counts, 500, 1500, 20_000), _squared(), 1),
    Shape(
        "uniform 1 %, 50,000 x 1,000, ten classes",
        partial(uniform, 50_000, 1000, 0.01, 10),
        _squared(0.1),
        0.1,
    ),
)


def run(options: Options) -> Report:
    """Time all shapes, or those whose description holds one of the words asked for."""
    report = Report(
        "whole rankings down to ten columns, peer scikit-learn's machine fitted to the first k "
        f"columns of our ranking for every size k that ours visits; {options.threads} thread(s)",
        columns=(*COLUMNS[:-1], "our gap", "steps", "runs"),
        notes=[*NOTES, f"reached: the ratios, and our largest gap at most {GAP:g}"],
    )
    measure_all(report, SHAPES, measured, options)
    return report


def measured(shape: Shape, options: Options) -> Row:
    """Time both sides on one shape."""
    data = shape.make()
    path = ranked(shape, data)
    parts = list(_parts(shape, data, path))
    sizes, order = path.sizes, path.order
    looked_at = [_columns(data.X, order, k) for k in (sizes[0], sizes[len(sizes) // 2])]
    tol, found = tight_tolerance(shape.machine, looked_at, data.y)
    del looked_at
    sides = {
        "ours": partial(ranked, shape, data),
        "peer": partial(refitted, shape.machine, parts),
    }
    if tol != shape.machine.tol:
        sides["tight"] = partial(refitted, at_tolerance(shape.machine, tol), parts)
    repeat = 1 if options.quick else options.repeat
    times, runs = medians(sides, repeat, SECONDS)
    targets = SPARSE if sp.issparse(data.X) else DENSE
    row = as_row(shape.what, times, runs, (tol, found), targets)
    row["our gap"], row["steps"] = float(path.largest_gap), len(sizes)
    if not path.largest_gap <= GAP:
        row["reached"] = "no"
    return row


def ranked(shape: Shape, data: Labelled) -> Any:
    """Rank with ours and return the path."""
    if shape.folds:
        chosen = SVMRFECV(
            shape.machine, step=shape.step, min_features_to_select=LEAST, cv=FOLDS, n_jobs=None
        )
        return chosen.fit(data.X, data.y).path_
    selector = SVMRFE(shape.machine, step=shape.step, n_features_to_select=LEAST)
    return selector.fit(data.X, data.y).path_


Part = tuple[Any, Any, Any, list[Any], Any]


def _parts(shape: Shape, data: Labelled, path: Any) -> Iterator[Part]:
    """Rows to train on, rows to score or None, sizes and order: one for all rows, one per fold."""
    yield data.X, data.y, None, path.sizes, path.order
    if shape.folds:
        for train, test in FOLDS.split(data.X, data.y):
            held_out = data.X[test], data.y[test]
            yield data.X[train], data.y[train], held_out, path.sizes, path.order


def refitted(machine: Any, parts: list[Part]) -> None:
    """Fit the peer at all the sizes, and score where rows are held out.

    It has its columns told, a favour: it need not score and sort.
    """
    for X, y, held_out, sizes, order in parts:
        for k in sizes:
            model = quietly(machine, _columns(X, order, k), y)
            if held_out is not None:
                model.score(_columns(held_out[0], order, k), held_out[1])


def _columns(X: Any, order: Any, k: int) -> Floats:
    """The first k columns of an order, ascending, as scikit-learn's RFE would slice them."""
    return X if k == X.shape[1] else X[:, np.sort(order[:k])]
