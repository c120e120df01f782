"""The price of precision: a fit to gap 1e-9 against one to 1e-3, and the gap really reached."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import svm

from benchmarks.compare.data import Floats
from benchmarks.compare.problems import Problem, problems
from benchmarks.compare.timing import Options, Report, race, verdict
from svsieve import SVC

LOOSE, TIGHT, AT_MOST = 1e-3, 1e-9, 3.0
PEER_ITERATIONS = 2_000_000  # the peer may circle for ever at 1e-9
BLOCK = 500

Wide = NDArray[np.longdouble]


def run(options: Options) -> Report:
    """Time our two fits and certify the tight one, and the peer's, in extended precision."""
    report = Report(
        f"SVC fit to gap {TIGHT:g} against {LOOSE:g}, {options.threads} thread(s); "
        "true gaps recomputed in extended precision",
        columns=(
            "what",
            f"{LOOSE:g} s",
            f"{TIGHT:g} s",
            "ratio",
            "cpu ratio",
            "target",
            "reached",
            "our true gap",
            "peer true gap",
        ),
        notes=[f"the peer is sklearn.svm.SVC(tol={TIGHT:g}), at most {PEER_ITERATIONS} iterations"],
    )
    for problem in problems():
        X, y = problem.data.X, problem.data.y
        loose = SVC(tol=LOOSE, **problem.settings)
        tight = SVC(tol=TIGHT, **problem.settings)
        seconds = race(
            {"loose": partial(loose.fit, X, y), "tight": partial(tight.fit, X, y)},
            options.repeat,
            seconds=5.0,
        )
        peer = svm.SVC(tol=TIGHT, max_iter=PEER_ITERATIONS, **problem.settings).fit(X, y)
        ratio = seconds["tight"].wall / seconds["loose"].wall
        report.rows.append(
            {
                "what": problem.what,
                f"{LOOSE:g} s": seconds["loose"].wall,
                f"{TIGHT:g} s": seconds["tight"].wall,
                "ratio": ratio,
                "cpu ratio": seconds["tight"].cpu / seconds["loose"].cpu,
                "target": f"<= {AT_MOST:g}",
                "reached": verdict(ratio <= AT_MOST),
                "our true gap": true_gap(problem, tight),
                "peer true gap": true_gap(problem, peer),
                "reported gap": float(np.max(tight.kkt_gap_)),
                "rounds": seconds["tight"].rounds,
            }
        )
    return report


def true_gap(problem: Problem, model: Any) -> float:
    """Return the KKT gap of a fitted two-class machine, computed in extended precision.

    With h = K b - y the gap is the largest h among rows whose coefficient can still shrink,
    less the smallest h among rows whose coefficient can still grow.
    """
    X, y, C = problem.data.X, problem.data.y, problem.settings["C"]
    b = np.zeros(len(y), dtype=np.longdouble)
    b[model.support_] = model.dual_coef_[0]
    h = np.concatenate(
        [
            _kernel(X[start : start + BLOCK], X[model.support_], problem.settings)
            @ b[model.support_]
            for start in range(0, len(y), BLOCK)
        ]
    )
    h -= y
    upper, lower = np.where(y > 0, C, 0.0), np.where(y > 0, 0.0, -C)
    return float(h[b > lower].max() - h[b < upper].min())


def _kernel(Z: Floats, X: Floats, settings: dict[str, Any]) -> Wide:
    """Return k(Z, X) in extended precision."""
    left, right = Z.astype(np.longdouble), X.astype(np.longdouble)
    gamma = np.longdouble(settings.get("gamma", 1.0))
    values: Wide = left @ right.T
    if settings["kernel"] == "poly":
        values = (gamma * values + settings["coef0"]) ** settings["degree"]
    elif settings["kernel"] == "rbf":
        squares = (left**2).sum(axis=1)[:, None] + (right**2).sum(axis=1)[None, :]
        values = np.exp(-gamma * (squares - 2 * values))
    return values
