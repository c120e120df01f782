"""`Sieve` without settings beside tuned peers, on the same outer folds.

    python -m benchmarks.sieve_table [--sets colon heart] [--repeats 5] [--jobs 2]

Outer folds are 5 repetitions of two halves. Every method standardises inside its training rows and
tunes by inner folds there; each is judged on the rows held out. The last lines say, for each set,
whether `Sieve` is within one standard error of the best peer, and with how many columns.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import datasets as bundled
from sklearn import svm
from sklearn.base import clone
from sklearn.feature_selection import RFECV, SelectKBest, f_classif
from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from svsieve import Sieve
from svsieve.datasets import load_public
from svsieve.selection.evaluation import support_of

SETS = ("colon", "lymphoma", "arcene", "german", "heart", "digits", "breast-cancer")
PENALTIES = [1e-3, 1e-2, 1e-1, 1.0, 10.0]


@dataclass(frozen=True)
class Result:
    """Scores and numbers of columns, one per outer fold, and the seconds of all fits."""

    scores: NDArray[np.float64]
    columns: NDArray[np.int64]
    seconds: float

    @property
    def error(self) -> float:
        """Standard error of the mean score."""
        return float(self.scores.std(ddof=1) / np.sqrt(len(self.scores)))


def load(name: str) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return rows and labels of a set."""
    if name == "digits":
        return bundled.load_digits(return_X_y=True)
    if name == "breast-cancer":
        return bundled.load_breast_cancer(return_X_y=True)
    data = load_public(f"ida-{name}" if name in ("german", "heart") else name)
    X, y = np.asarray(data.X, dtype=np.float64), data.y
    return (X[:100], y[:100]) if name == "arcene" else (X, y)


def inner() -> StratifiedKFold:
    """Return the inner folds of the peers."""
    return StratifiedKFold(5, shuffle=True, random_state=0)


def peers(n_columns: int) -> Iterator[tuple[str, Any]]:
    """Yield the methods to compare with, each tuned by inner folds."""
    sizes = sorted({int(k) for k in np.geomspace(2, n_columns, 10)})
    rbf = make_pipeline(StandardScaler(), svm.SVC())
    gammas = [share / n_columns for share in (0.1, 0.3, 1.0, 3.0)]
    yield "linear SVC", _grid(svm.SVC(kernel="linear"), {"svc__C": PENALTIES})
    yield (
        "RBF SVC",
        GridSearchCV(
            rbf, {"svc__C": [0.3, 1.0, 3.0, 10.0, 30.0], "svc__gamma": gammas}, cv=inner()
        ),
    )
    yield (
        "SelectKBest + SVC",
        GridSearchCV(
            make_pipeline(StandardScaler(), SelectKBest(f_classif), svm.SVC(kernel="linear")),
            {"selectkbest__k": sizes, "svc__C": PENALTIES},
            cv=inner(),
        ),
    )
    sparse = svm.LinearSVC(penalty="l1", dual=False, max_iter=5000)
    yield "L1 LinearSVC", _grid(sparse, {"linearsvc__C": [0.01, 0.03, 0.1, 0.3, 1.0, 3.0]})
    step = 1 if n_columns <= 100 else 0.1
    yield (
        "RFECV",
        make_pipeline(
            StandardScaler(), RFECV(svm.SVC(kernel="linear", C=0.1), step=step, cv=inner())
        ),
    )


def _grid(machine: Any, grid: dict[str, Any]) -> GridSearchCV:
    return GridSearchCV(make_pipeline(StandardScaler(), machine), grid, cv=inner())


def columns_used(model: Any, n_columns: int) -> int:
    """Return how many columns a fitted model needs."""
    found = getattr(model, "best_estimator_", model)
    last = found.steps[-1][1] if hasattr(found, "steps") else found
    if getattr(last, "penalty", None) == "l1":
        return int((last.coef_ != 0).any(axis=0).sum())
    try:
        return int(support_of(model, n_columns).sum())
    except ValueError:
        return n_columns


def judged(model: Any, X: Any, y: Any, repeats: int) -> Result:
    """Fit and score a model on all outer folds."""
    outer = RepeatedStratifiedKFold(n_splits=2, n_repeats=repeats, random_state=0)
    scores, columns, begun = [], [], time.perf_counter()
    for train, test in outer.split(X, y):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted = clone(model).fit(X[train], y[train])
        scores.append(fitted.score(X[test], y[test]))
        columns.append(columns_used(fitted, X.shape[1]))
    return Result(np.array(scores), np.array(columns), time.perf_counter() - begun)


def compared(name: str, repeats: int, jobs: int | None, say: Callable[[str], None]) -> bool:
    """Compare on one set; return whether `Sieve` is within a standard error of the best peer."""
    X, y = load(name)
    say(f"\n{name}: {X.shape[0]} x {X.shape[1]}")
    results = {}
    for label, model in [("Sieve", Sieve(n_jobs=jobs)), *peers(X.shape[1])]:
        results[label] = one = judged(model, X, y, repeats)
        say(
            f"  {label:18s} {one.scores.mean():.4f} +- {one.error:.4f}   "
            f"{np.median(one.columns):6.0f} columns   {one.seconds:7.1f} s"
        )
    best = max(
        (label for label in results if label != "Sieve"), key=lambda k: results[k].scores.mean()
    )
    ours, theirs = results["Sieve"], results[best]
    gap = theirs.scores.mean() - ours.scores.mean()
    within = gap <= max(theirs.error, ours.error)
    fewer = np.median(ours.columns) < np.median(theirs.columns)
    say(
        f"  best peer: {best}; Sieve is {'within' if within else 'NOT within'} one standard error "
        f"({gap:+.4f}), with {'fewer' if fewer else 'not fewer'} columns"
    )
    return bool(within)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=SETS)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=None)
    options = parser.parse_args()
    fine = [
        compared(name, options.repeats, options.jobs, lambda line: print(line, flush=True))
        for name in options.sets
    ]
    print(f"\nwithin one standard error of the best peer on {sum(fine)} of {len(fine)} sets")


if __name__ == "__main__":
    main()
