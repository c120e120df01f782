"""What the first-order criteria cost beside the weight norm, on MADELON."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.compare.data import DataSet, first_part, load
from benchmarks.compare.timing import Options, Report, Row, Seconds, race, say, verdict
from svsieve.criteria import Criterion, RadiusMargin, Span, WeightNorm
from svsieve.elimination import Constant, Data, Parts, Path, Task, trace
from svsieve.kernels import PerFeature, Rbf
from svsieve.machines import CSvm, L2Svm, Machine

STEP = 20
CRITERIA: dict[str, tuple[Criterion, float | None]] = {  # with the ratio not to exceed
    "WeightNorm": (WeightNorm(order=1), None),
    "RadiusMargin": (RadiusMargin(order=1), 2.5),
    "RadiusMargin, variance": (RadiusMargin(order=1, radius="variance"), None),
    "Span": (Span(order=1), 5.0),
}
MACHINES: dict[str, Machine] = {"linear slack": CSvm(1.0), "squared slack": L2Svm(1.0)}


def run(options: Options) -> Report:
    """Time all criteria in turn, with either slack."""
    data = first_part(load("madelon"), *options.pick((1714, 500), (150, 60)))
    columns = data.X.shape[1]
    report = Report(
        f"rankings of {data.label}, RBF, gamma 1 / columns left, C=1, step {STEP}, order 1, ratios "
        f"to WeightNorm, {options.threads} thread(s)",
        columns=("what", "s per step", "ratio", "cpu ratio", "target", "reached"),
        notes=[
            "RadiusMargin: a second program, the smallest sphere, started from the step before",
            "Span: one inverse and one product of matrices over the support vectors at each step; "
            "with squared slack nearly all rows are, however few columns are left",
        ],
    )
    for slack, machine in MACHINES.items():
        for part, least in (("the first fifth", columns - columns // 5), ("all columns", 1)):
            say(f"{data.label}, {slack}, {part}: {', '.join(CRITERIA)}")
            sides = {
                name: partial(ranking, data, machine, criterion, least)
                for name, (criterion, _) in CRITERIA.items()
            }
            steps = len(sides["WeightNorm"]().counts)
            seconds = race(sides, options.repeat, seconds=40.0)
            report.rows += [
                row(f"{name}, {slack}, {part}", seconds, name, steps, most)
                for name, (_, most) in CRITERIA.items()
            ]
    return report


def row(
    what: str, seconds: dict[str, Seconds], name: str, steps: int, at_most: float | None
) -> Row:
    """Return the row of one criterion."""
    own, base = seconds[name], seconds["WeightNorm"]
    ratio = own.wall / base.wall
    return {
        "what": what,
        "s per step": own.wall / steps,
        "ratio": ratio,
        "cpu ratio": own.cpu / base.cpu,
        "target": None if at_most is None else f"<= {at_most:g}",
        "reached": None if at_most is None else verdict(ratio <= at_most),
        "seconds": own.wall,
        "rounds": own.rounds,
    }


def ranking(data: DataSet, machine: Machine, criterion: Criterion, least: int) -> Path:
    """Rank columns until so many are left."""
    table = Data(data.X, (Task(labels=data.y),), (data.y > 0).astype(np.int64))
    kernel = Rbf(gamma=PerFeature(1.0))
    return trace(table, Parts(kernel, machine, criterion, schedule=Constant(STEP), least=least))
