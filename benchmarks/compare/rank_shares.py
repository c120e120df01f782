"""Where the time of a ranking goes: solver, scores, down-dating."""

from __future__ import annotations

import cProfile
import pstats
from collections.abc import Callable, Mapping
from functools import partial
from types import FunctionType
from typing import Any
from unittest import mock

import numpy as np

from benchmarks.compare.data import DataSet, first_part, load, tall, wide
from benchmarks.compare.timing import Options, Report, Row, once, say
from svsieve.criteria import WeightNorm
from svsieve.elimination import Constant, Data, Parts, Task, loop, trace
from svsieve.elimination.engines import kernel as kernel_engine
from svsieve.elimination.engines import tall_linear
from svsieve.kernels import KernelState, Linear, PerFeature, Polynomial, Rbf
from svsieve.machines import CSvm, L2Svm, LinearPrimal

PHASES = ("solver", "scores", "down-dating")


def run(options: Options) -> Report:
    """Profile one ranking of each kind."""
    madelon = first_part(load("madelon"), *options.pick((1714, 500), (150, 60)))
    rbf = Rbf(gamma=PerFeature(1.0))
    poly = Polynomial(degree=7, gamma=PerFeature(1.0), coef0=0.6)
    zero, first, steps = WeightNorm(), WeightNorm(order=1), Constant(20)
    report = Report(
        f"share of the time of a whole ranking, ours alone, {options.threads} thread(s)",
        columns=("what", "total s", *(f"{phase} %" for phase in PHASES), "rest %"),
        notes=[
            "down-dating: the first Gram matrix and what keeps it up to date; rest: choosing, "
            "recording, checks",
            "wide tables: measured inside the native core; others: by Python's profiler, whose "
            "own cost is in the rest",
        ],
    )
    for data in (
        options.pick(load("colon"), wide(30, 200)),
        wide(*options.pick((72, 7129), (30, 300))),
        wide(*options.pick((100, 60_000), (30, 1000))),
    ):
        report.rows.append(wide_shares(data))
    for what, kernel, C, criterion in (
        ("RBF, zero order", rbf, 1.0, zero),
        ("RBF, first order", rbf, 1.0, first),
        ("poly 7, zero order", poly, 0.6, zero),
    ):
        parts = Parts(kernel, CSvm(C), criterion, schedule=steps)
        report.rows.append(profiled(f"{madelon.label}, {what}, step 20", madelon, parts, KERNEL))
    table = tall(*options.pick((50_000, 100), (2_000, 20)))
    parts = Parts(Linear(), L2Svm(2.0), bias=1.0)
    report.rows.append(profiled(f"{table.label}, as LinearSVC, step 1", table, parts, TALL))
    return report


def two_class(data: DataSet) -> Data:
    """Return a table as the elimination takes it."""
    return Data(data.X, (Task(labels=data.y),), (data.y > 0).astype(np.int64))


def wide_shares(data: DataSet) -> Row:
    """Ask the engine for wide tables, caught where the loop chooses it, for its own times."""
    say(f"{data.label}: shares")
    parts = Parts(Linear(), CSvm(1.0), engine="wide-linear")
    engines: list[Any] = []

    def caught(*arguments: Any, **named: Any) -> Any:
        engines.append(choose(*arguments, **named))
        return engines[-1]

    choose = loop.choose_engine
    with mock.patch.object(loop, "choose_engine", caught):
        total, _ = once(partial(trace, two_class(data), parts))
    inside = engines[0].seconds()
    seconds = {
        "solver": inside["solving"],
        "scores": inside["choosing"],
        "down-dating": inside["down_dating"],
    }
    return _row(f"{data.label}, linear, step 1", total.wall, seconds)


def profiled(
    what: str, data: DataSet, parts: Parts, functions: Mapping[str, list[Callable[..., Any]]]
) -> Row:
    """Run a ranking under the profiler and add up the time spent in the functions of each phase."""
    say(f"{what}: shares")
    table = two_class(data)
    profiler = cProfile.Profile()
    profiler.runcall(trace, table, parts)
    stats: dict[Any, Any] = pstats.Stats(profiler).stats  # type: ignore[attr-defined]
    seconds = {
        phase: sum(_cumulative(stats, function) for function in functions[phase])
        for phase in PHASES
    }
    return _row(what, _cumulative(stats, trace), seconds)


def _row(what: str, total: float, seconds: Mapping[str, float]) -> Row:
    row: Row = {"what": what, "total s": total}
    row |= {f"{phase} %": 100.0 * seconds[phase] / total for phase in PHASES}
    return row | {"rest %": 100.0 * (1.0 - sum(seconds.values()) / total)}


def _cumulative(stats: Mapping[Any, Any], function: Callable[..., Any]) -> float:
    """Seconds in a Python function and in all it calls."""
    assert isinstance(function, FunctionType)
    code = function.__code__
    entry = stats.get((code.co_filename, code.co_firstlineno, code.co_name))
    return 0.0 if entry is None else float(entry[3])


# Functions that do not call each other, by phase.
_SCREEN = [method for method in [getattr(WeightNorm, "least", None)] if method is not None]
KERNEL = {
    "solver": [kernel_engine.solve],
    "scores": [WeightNorm.scores, *_SCREEN],
    "down-dating": [KernelState.__init__, KernelState.gram, KernelState.drop],
}
TALL = {
    "solver": [LinearPrimal.solve],
    "scores": [tall_linear.TallLinearEngine._scores],
    "down-dating": [LinearPrimal.__init__, LinearPrimal.drop],
}
