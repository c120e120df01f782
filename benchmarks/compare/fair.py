"""The protocol of the tables over many shapes: medians in turn, a peer made as exact as ours."""

from __future__ import annotations

import statistics
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from sklearn import svm
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import pairwise_kernels

from benchmarks.compare.data import Floats
from benchmarks.compare.timing import Options, Report, Row, say, verdict
from svsieve import SVC, OneClassSVC
from svsieve.machines import L2Svm, LinearPrimal

CLOSE = 1e-6  # relative difference of objectives at which a peer counts as equally exact
TIGHTEST = 1e-12
MOST_PASSES = 1_000_000
MOST_PAIR_STEPS = 10_000_000
LEAST_SECONDS = 0.05  # of a round of one side
SHARED = ("kernel", "gamma", "degree", "coef0")

COLUMNS = (
    "what",
    "ours s",
    "peer s",
    "tight s",
    "ratio",
    "tight ratio",
    "tight tol",
    "targets",
    "reached",
    "runs",
)
NOTES = (
    "s: median CPU seconds of the runs, one side after the other; ratio: peer / ours",
    "peer: at its default tolerance; tight: at the first of 1/10, 1/100, ... of that at which its "
    "objective is within 1e-6 of ours (relative); * if none to 1e-12 is",
    "targets: at least these ratios, against the tight peer and against the default one",
)


def measure_all(
    report: Report, shapes: Iterable[Any], measured: Callable[[Any, Options], Row], options: Options
) -> None:
    """Add a row for each shape whose description holds one of the words asked for."""
    for shape in shapes:
        if options.wants(shape.what):
            say(shape.what)
            report.rows.append(measured(shape, options))
            say("ratio {ratio:.2f}, tight {tight ratio:.2f}".format(**report.rows[-1]))


def medians(
    sides: Mapping[str, Callable[[], object]], repeat: int, seconds: float
) -> tuple[dict[str, float], int]:
    """Run the sides in turn; return the median CPU seconds of each, and the rounds.

    There are fewer rounds than `repeat`, but at least one, where they would last more than
    `seconds`. What is quick is done several times in a round, of which the mean counts.
    """
    spent: dict[str, list[float]] = {name: [] for name in sides}
    times = {name: max(1, int(LEAST_SECONDS / _seconds(call))) for name, call in sides.items()}
    started = time.perf_counter()
    rounds = 0
    while True:
        order = list(sides) if rounds % 2 == 0 else list(sides)[::-1]
        for name in order:
            spent[name].append(_seconds(sides[name], times[name]))
        rounds += 1
        lasted = time.perf_counter() - started
        if rounds >= repeat or lasted * (rounds + 1) / rounds > seconds:
            return {name: statistics.median(of_side) for name, of_side in spent.items()}, rounds


def _seconds(call: Callable[[], object], times: int = 1) -> float:
    """Return the mean CPU seconds of a call."""
    begun = time.process_time()
    for _ in range(times):
        call()
    return max(time.process_time() - begun, 1e-9) / times


def as_row(
    what: str,
    times: Mapping[str, float],
    runs: int,
    tolerance: tuple[float, bool],
    targets: tuple[float, float],
) -> Row:
    """Return a row from the seconds of "ours" and "peer".

    And of "tight" and "ours tight" where a side is not exact enough at its default tolerance.
    """
    exact = times.get("tight", times["peer"])
    ratio = times["peer"] / times["ours"]
    tight = exact / times.get("ours tight", times["ours"])
    return {
        "what": what,
        "ours s": times["ours"],
        "peer s": times["peer"],
        "tight s": exact,
        "ratio": ratio,
        "tight ratio": tight,
        "tight tol": f"{tolerance[0]:.0e}{'' if tolerance[1] else '*'}",
        "targets": f"{targets[0]:g}, {targets[1]:g}",
        "reached": verdict(tight >= targets[0] and ratio >= targets[1]),
        "runs": runs,
    }


def tight_tolerance(
    model: Any, tables: list[Any], y: Any, exact: list[float] | None = None
) -> tuple[float, bool]:
    """Return the tolerance at which a machine is exact, and whether there is one.

    On each of the tables, which are columns of one. `exact` are the objectives to come close to, by
    default those of ours.
    """
    tol = model.tol
    if exact is None:
        exact = [exact_objective(model, X, y) for X in tables]
    while True:
        peer = at_tolerance(model, tol)
        errors = [
            abs(objective(quietly(peer, X, y), X, y) - best) / abs(best)
            for X, best in zip(tables, exact, strict=True)
        ]
        if max(errors) <= CLOSE:
            return tol, True
        if tol <= 1.01 * TIGHTEST:
            return tol, False
        tol /= 10.0


def at_tolerance(model: Any, tol: float) -> Any:
    """Return the peer with another tolerance, and passes enough to reach it."""
    changed = {"tol": tol}
    if tol < model.tol:  # libsvm knows no limit of its own, and its rounding may never get there
        of_liblinear = isinstance(model, svm.LinearSVC)
        changed["max_iter"] = MOST_PASSES if of_liblinear else MOST_PAIR_STEPS
    return clone(model).set_params(**changed)


def quietly(model: Any, X: Any, y: Any) -> Any:
    """Fit without a word where the peer does not converge in its passes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y)


def objective(model: Any, X: Any, y: Any) -> float:
    """Return what a fitted machine minimised or maximised, summed over its problems."""
    if isinstance(model, svm.LinearSVC):
        weights = np.column_stack([model.coef_, model.intercept_ / model.intercept_scaling])
        short = 1.0 - _signs(y) * model.decision_function(X).reshape(len(y), -1)
        return float(0.5 * (weights**2).sum() + model.C * (np.maximum(short, 0.0) ** 2).sum())
    if isinstance(model, svm.OneClassSVM | OneClassSVC):
        return _form(model, X)
    if model.kernel == "linear":
        coef, dual = _dense(model.coef_), _dense(model.dual_coef_)
        return float(np.abs(dual).sum() - 0.5 * (coef**2).sum())
    return _dual_of_pairs(model, X)


def exact_objective(model: Any, X: Any, y: Any) -> float:
    """The objective of ours, solved far beyond the peer's usual tolerance."""
    if not isinstance(model, svm.LinearSVC):
        ours = OneClassSVC if isinstance(model, svm.OneClassSVM) else SVC
        own = "nu" if ours is OneClassSVC else "C"
        shared = {name: getattr(model, name) for name in (*SHARED, own)}
        return objective(ours(**shared, tol=1e-9).fit(X, y), X, y)
    machine = L2Svm(C=2.0 * model.C)  # ours halves the squares, liblinear does not
    bias = float(model.intercept_scaling)
    problems = [LinearPrimal(X, s, machine, bias=bias) for s in _signs(y).T]
    return -sum(problem.solve(1e-9).objective for problem in problems)


def _signs(y: Any) -> Floats:
    classes = np.unique(y)
    if len(classes) == 2:
        return np.where(y == classes[1], 1.0, -1.0)[:, None]
    return np.where(y[:, None] == classes, 1.0, -1.0)


def _form(model: Any, X: Any) -> float:
    """The squared norm b'Kb of a description whose coefficients are scaled to sum to one."""
    b = _dense(model.dual_coef_)[0]
    b = b / b.sum()
    return float(b @ _gram(model, X) @ b)


def _dual_of_pairs(model: Any, X: Any) -> float:
    dual = _dense(model.dual_coef_)
    gram = _gram(model, X)
    ends = np.concatenate([[0], np.cumsum(model.n_support_)])
    parts = [np.arange(ends[q], ends[q + 1]) for q in range(len(model.n_support_))]
    total = float(np.abs(dual).sum())
    for i in range(len(parts)):
        for j in range(i + 1, len(parts)):
            at = np.concatenate([parts[i], parts[j]])
            b = np.concatenate([dual[j - 1, parts[i]], dual[i, parts[j]]])
            total -= 0.5 * float(b @ gram[np.ix_(at, at)] @ b)
    return total


def _gram(model: Any, X: Any) -> Floats:
    """Kernel values of the support vectors."""
    squares = X.multiply(X) if hasattr(X, "multiply") else X**2
    variance = float(squares.mean() - X.mean() ** 2)
    gamma = 1.0 / (X.shape[1] * variance) if model.gamma == "scale" else model.gamma
    settings = {"gamma": gamma, "degree": model.degree, "coef0": model.coef0}
    taken = {"rbf": ("gamma",), "poly": ("gamma", "degree", "coef0"), "linear": ()}[model.kernel]
    known = {name: settings[name] for name in taken}
    return np.asarray(pairwise_kernels(X[model.support_], metric=model.kernel, **known))


def _dense(values: Any) -> Floats:
    return np.asarray(values.toarray() if hasattr(values, "toarray") else values)
