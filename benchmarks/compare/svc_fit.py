"""One fit of ``svsieve.SVC`` against one of ``sklearn.svm.SVC``, both to a KKT gap of 1e-3."""

from __future__ import annotations

from functools import partial

from sklearn import svm

from benchmarks.compare.problems import problems
from benchmarks.compare.timing import RATIO_COLUMNS, Options, Report, compared, race
from svsieve import SVC

TOL = 1e-3


def run(options: Options) -> Report:
    """Time both fits on every problem."""
    report = Report(
        f"SVC fit at gap {TOL:g}, peer sklearn.svm.SVC, {options.threads} thread(s)",
        columns=(*RATIO_COLUMNS, "peer SVs", "our SVs"),
    )
    for problem in problems():
        X, y = problem.data.X, problem.data.y
        peer = svm.SVC(tol=TOL, **problem.settings)
        ours = SVC(tol=TOL, **problem.settings)
        seconds = race(
            {"peer": partial(peer.fit, X, y), "ours": partial(ours.fit, X, y)},
            options.repeat,
        )
        row = compared(problem.what, seconds["peer"], seconds["ours"], at_least=problem.target)
        row["peer SVs"], row["our SVs"] = len(peer.support_), len(ours.support_)
        report.rows.append(row)
    return report
