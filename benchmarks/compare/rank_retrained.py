"""Machines trained again without every column: all at once, or a solver for each column."""

from __future__ import annotations

from functools import partial
from unittest.mock import patch

import numpy as np

from benchmarks.compare.timing import RATIO_COLUMNS, Options, Report, compared, race, say
from svsieve.criteria import Criterion, RadiusMargin, Span, retrain, span
from svsieve.datasets import make_weston_linear
from svsieve.elimination import Data, Parts, Path, Task, trace
from svsieve.kernels import Linear
from svsieve.machines import CSvm, L2Svm, Machine

CRITERIA = (RadiusMargin(retrain=True), Span(retrain=True))
MACHINES: dict[str, Machine] = {"squared slack": L2Svm(1e5), "linear slack": CSvm(0.01)}


def run(options: Options) -> Report:
    """Rank the columns of Weston's linear problem by each criterion."""
    n_rows = options.pick(50, 20)
    X, y = make_weston_linear(n_rows, rng=np.random.default_rng(0), balanced=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    data = Data(X, (Task(labels=np.where(y > 0, 1.0, -1.0)),), (y > 0).astype(np.int64))
    report = Report(
        f"rankings of {n_rows} x {X.shape[1]}, linear, one at a time, retrained, "
        f"{options.threads} thread(s); peer: a solver for every column",
        columns=RATIO_COLUMNS,
        notes=["squared slack: C=1e5, as in rakotomamonjy-1; linear slack: C=0.01"],
    )
    for slack, machine in MACHINES.items():
        for criterion in CRITERIA:
            what = f"{type(criterion).__name__}, {slack}"
            say(what)
            ours = partial(ranking, data, machine, criterion)
            seconds = race({"peer": partial(one_by_one, ours), "ours": ours}, options.repeat)
            report.rows.append(compared(what, seconds["peer"], seconds["ours"], at_least=1.0))
    return report


def ranking(data: Data, machine: Machine, criterion: Criterion) -> Path:
    """Rank the columns down to two."""
    return trace(data, Parts(Linear(), machine, criterion, least=2))


def one_by_one(ours: partial[Path]) -> Path:
    """Rank them without what is known of all columns at once."""
    with (
        patch.object(retrain, "retrained_at_once", return_value=None),
        patch.object(span, "retrained_at_once", return_value=None),
    ):
        return ours()
