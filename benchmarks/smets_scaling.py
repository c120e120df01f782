"""Smets's (2006) table 5.5, computed again: how often the last two columns are relevant ones.

``python -m benchmarks.smets_scaling [--trials N]``

A trial draws 10 to 100 training rows of one of Weston's toy problems with 50 columns, standardises
them, and drops columns until two are left. The published counts are out of ten trials; here the
first ten are counted, and all of them.
"""

from __future__ import annotations

import argparse
import math
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import StandardScaler

from benchmarks.compare.timing import Options, Report, Row, say
from svsieve import SVC, SVMRFE, FeatureScaling, fisher_score
from svsieve.datasets import make_weston_linear, make_weston_nonlinear

Draw = tuple[NDArray[np.float64], NDArray[np.int64]]

N_COLUMNS, N_KEPT = 50, 2
PUBLISHED_TRIALS = 10
# C and widths were not published.
C = 10.0


@dataclass(frozen=True)
class Problem:
    """A toy problem with a kernel: who draws it, and how many of its first columns matter."""

    name: str
    draw: Callable[..., Draw]
    n_relevant: int
    kernel: dict[str, Any]
    sizes: tuple[int, ...]


PROBLEMS = (
    Problem("linear", make_weston_linear, 6, {"kernel": "linear"}, (10, 20, 30)),
    Problem(
        "polynomial",
        make_weston_nonlinear,
        2,
        {"kernel": "poly", "degree": 2, "gamma": "auto", "coef0": 1.0},
        (10, 20, 30, 50, 100),
    ),
    Problem("Gaussian", make_weston_nonlinear, 2, {"kernel": "rbf"}, (10, 20, 30, 50, 100)),
)

# Successes in ten trials, by kernel, method and training rows; there is no more than this.
PUBLISHED = {
    "linear": {
        "Fisher score": {10: 4, 20: 5, 30: 5},
        "SVM-RFE": {10: 4, 20: 6, 30: 9},
        "scaling": {10: 3, 20: 8, 30: 10},
    },
    "polynomial": {
        "Fisher score": {10: 1, 20: 0, 30: 0},
        "SVM-RFE": {10: 1, 20: 0, 30: 3, 50: 9, 100: 8},
        "scaling": {10: 1, 20: 0, 30: 0},
    },
    "Gaussian": {
        "Fisher score": {10: 1, 20: 0, 30: 0},
        "SVM-RFE": {10: 0, 20: 0, 30: 0, 50: 6, 100: 2},
        "scaling": {10: 1, 20: 1, 30: 3, 50: 5, 100: 5},
    },
}
METHODS = ("Fisher score", "SVM-RFE", "scaling", "scaling, lp")


def kept_columns(method: str, problem: Problem, X: Any, y: Any) -> NDArray[np.intp]:
    """Return the two columns that a method leaves."""
    if method == "Fisher score":
        return np.argsort(fisher_score(X, y))[-N_KEPT:]
    machine = SVC(C=C, slack="l2", **problem.kernel)
    if method == "SVM-RFE":
        selector: Any = SVMRFE(machine, n_features_to_select=N_KEPT)
    else:
        way = "lp" if method == "scaling, lp" else "descent"
        selector = FeatureScaling(machine, n_features_to_select=N_KEPT, method=way)
    with warnings.catch_warnings():  # the machine is not used
        warnings.filterwarnings("ignore", "FeatureScaling found its objective smallest")
        return np.flatnonzero(selector.fit(X, y).support_)


def rows_of(problem: Problem, size: int, trial: int) -> Draw:
    """Draw standardised training rows with at least two of each class."""
    rng = np.random.default_rng([2006, size, trial])
    while True:
        X, y = problem.draw(size, N_COLUMNS, rng)
        if min((y > 0).sum(), (y < 0).sum()) >= 2:
            return StandardScaler().fit_transform(X), y


def successes(method: str, problem: Problem, size: int, trials: int) -> NDArray[np.bool_]:
    """Tell, for each trial, whether both columns left are relevant."""
    found = [
        kept_columns(method, problem, *rows_of(problem, size, trial)) for trial in range(trials)
    ]
    return np.array([(columns < problem.n_relevant).all() for columns in found])


def verdict(hits: NDArray[np.bool_], published: int | None) -> str:
    """Say how the share of successes compares with a published count out of ten.

    "below" allows for the noise of ten trials: the published count, or a larger one, would come
    out less than once in twenty times at the measured share.
    """
    if published is None:
        return "-"
    if hits.mean() >= published / PUBLISHED_TRIALS:
        return "at or above"
    p = float(hits.mean())
    chance = sum(
        math.comb(PUBLISHED_TRIALS, k) * p**k * (1 - p) ** (PUBLISHED_TRIALS - k)
        for k in range(published, PUBLISHED_TRIALS + 1)
    )
    return f"{'BELOW' if chance < 0.05 else 'within noise'} ({chance:.2g})"


def row_of(method: str, problem: Problem, size: int, trials: int) -> Row:
    """Return one line of the table."""
    began = time.process_time()
    hits = successes(method, problem, size, trials)
    reference = "scaling" if method == "scaling, lp" else method
    published = PUBLISHED[problem.name][reference].get(size)
    return {
        "kernel": problem.name,
        "rows": size,
        "method": method,
        "published /10": published,
        "first 10": int(hits[:PUBLISHED_TRIALS].sum()),
        "all %": f"{100 * hits.mean():.0f}",
        "verdict": verdict(hits, published),
        "s/trial": (time.process_time() - began) / trials,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Compute the table, print it and store it as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.smets_scaling", description=__doc__)
    parser.add_argument("--trials", type=int, default=100, help="draws per cell (default 100)")
    trials = parser.parse_args(arguments).trials
    if trials < 1:
        parser.error("--trials must be at least 1")
    report = Report(
        f"table 5.5: both columns left are relevant, of {trials} trials",
        columns=("kernel", "rows", "method", "published /10", "first 10", "all %", "verdict"),
        notes=[
            f"squared slack, C = {C:g}, gamma 1 / {N_COLUMNS} (C and widths were not published)",
            "within noise: at the measured share, ten trials give the published count or more at "
            "least once in twenty times (the share in parentheses)",
        ],
    )
    for problem in PROBLEMS:
        for size in problem.sizes:
            say(f"{problem.name}, {size} rows")
            report.rows += [row_of(method, problem, size, trials) for method in METHODS]
    report.show()
    options = Options(trials, 1, quick=trials < 100)
    print(f"written to {report.save('smets_scaling', options)}")


if __name__ == "__main__":
    main()
