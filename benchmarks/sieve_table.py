"""`Sieve` without settings beside tuned peers, on the same outer folds.

    python -m benchmarks.sieve_table [--sets colon heart] [--methods Sieve] [--again Sieve]

Outer folds are 5 repetitions of two halves. Every method standardises inside its training rows and
tunes by inner folds there; each is judged on the rows held out. The lines below each set say
whether `Sieve` is within one standard error of the best peer, and with how many columns.

Every fit is kept in benchmarks/results/sieve_table.json as soon as it is done: a run that was
interrupted goes on where it stopped, and one that is repeated only prints. `--again` forgets what
is known of a method; peers whose grid has changed are forgotten by themselves.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
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
METHODS = ("Sieve", "linear SVC", "RBF SVC", "SelectKBest + SVC", "L1 LinearSVC", "RFECV")
PENALTIES = [1e-3, 1e-2, 1e-1, 1.0, 10.0]
# Steps of RFECV at most: from 200 columns on several go at a time, a hundredth of all.
MOST_STEPS = 100
RESULTS = Path(__file__).parent / "results" / "sieve_table.json"


@dataclass(frozen=True)
class Result:
    """Scores, numbers of columns and CPU seconds, one per outer fold."""

    scores: NDArray[np.float64]
    columns: NDArray[np.int64]
    seconds: NDArray[np.float64]

    @property
    def mean(self) -> float:
        """Mean score."""
        return float(self.scores.mean())

    @property
    def error(self) -> float:
        """Standard error of the mean score."""
        return float(self.scores.std(ddof=1) / np.sqrt(len(self.scores)))


class Kept:
    """Fits that are done, in a file that is never half written."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._done: dict[str, dict[str, Any]] = {}
        if file.exists():
            self._done = json.loads(file.read_text())

    def get(self, key: str, settings: str) -> dict[str, Any] | None:
        """Return what is known of a fit with these settings."""
        found = self._done.get(key)
        return found if found is not None and found["settings"] == settings else None

    def put(self, key: str, facts: dict[str, Any]) -> None:
        """Keep a fit."""
        self._done[key] = facts
        self._write()

    def forget(self, start: str) -> None:
        """Forget all fits whose name begins like this."""
        self._done = {key: one for key, one in self._done.items() if not key.startswith(start)}
        self._write()

    def _write(self) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        fresh = self._file.with_suffix(".new")
        fresh.write_text(json.dumps(self._done, indent=1))
        fresh.replace(self._file)


def load(name: str) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return rows and labels of a set."""
    if name == "digits":
        return bundled.load_digits(return_X_y=True)
    if name == "breast-cancer":
        return bundled.load_breast_cancer(return_X_y=True)
    data = load_public(f"ida-{name}" if name in ("german", "heart") else name)
    X, y = np.asarray(data.X, dtype=np.float64), data.y
    return (X[:100], y[:100]) if name == "arcene" else (X, y)


def models(n_columns: int) -> Iterator[tuple[str, Any]]:
    """Yield `Sieve` and the methods to compare with, each tuned by inner folds."""
    sizes = sorted({int(k) for k in np.geomspace(2, n_columns, 10)})
    gammas = [share / n_columns for share in (0.1, 0.3, 1.0, 3.0)]
    yield "Sieve", Sieve()
    yield "linear SVC", _grid([svm.SVC(kernel="linear")], {"svc__C": PENALTIES})
    radial = {"svc__C": [0.3, 1.0, 3.0, 10.0, 30.0], "svc__gamma": gammas}
    yield "RBF SVC", _grid([svm.SVC()], radial)
    best = {"selectkbest__k": sizes, "svc__C": PENALTIES}
    yield "SelectKBest + SVC", _grid([SelectKBest(f_classif), svm.SVC(kernel="linear")], best)
    sparse = svm.LinearSVC(penalty="l1", dual=False, max_iter=5000)
    yield "L1 LinearSVC", _grid([sparse], {"linearsvc__C": [0.01, 0.03, 0.1, 0.3, 1.0, 3.0]})
    step = max(1, n_columns // MOST_STEPS)
    yield (
        "RFECV",
        make_pipeline(
            StandardScaler(), RFECV(svm.SVC(kernel="linear", C=0.1), step=step, cv=_inner())
        ),
    )


def _grid(steps: Sequence[Any], grid: dict[str, Any]) -> GridSearchCV:
    return GridSearchCV(make_pipeline(StandardScaler(), *steps), grid, cv=_inner())


def _inner() -> StratifiedKFold:
    return StratifiedKFold(5, shuffle=True, random_state=0)


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


def judged(
    label: str, model: Any, name: str, rows: tuple[Any, Any], cut: tuple[int, int], kept: Kept
) -> Result:
    """Return what a model scores on the outer folds of (repetitions, seed)."""
    (X, y), (repeats, seed) = rows, cut
    outer = RepeatedStratifiedKFold(n_splits=2, n_repeats=repeats, random_state=seed)
    settings = " ".join(repr(model.get_params(deep=False)).split())
    facts = []
    for at, (train, test) in enumerate(outer.split(X, y)):
        key = f"{label} | {name} | seed {seed} | fold {at}"
        found = kept.get(key, settings)
        if found is None:
            begun = time.process_time()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                fitted = clone(model).fit(X[train], y[train])
            found = {
                "score": float(fitted.score(X[test], y[test])),
                "columns": columns_used(fitted, X.shape[1]),
                "seconds": time.process_time() - begun,
                "settings": settings,
            }
            kept.put(key, found)
        facts.append(found)
    return Result(
        *(np.array([one[key] for one in facts]) for key in ("score", "columns", "seconds"))
    )


def compared(
    name: str, methods: Sequence[str], cut: tuple[int, int], kept: Kept
) -> tuple[bool, bool] | None:
    """Print one set; return whether `Sieve` is near the best peer, and has fewer columns."""
    rows = load(name)
    print(f"\n{name}: {rows[0].shape[0]} x {rows[0].shape[1]}", flush=True)
    results = {}
    for label, model in models(rows[0].shape[1]):
        if label not in methods:
            continue
        results[label] = one = judged(label, model, name, rows, cut, kept)
        print(
            f"  {label:18s} {one.mean:.4f} +- {one.error:.4f}   {np.median(one.columns):6.0f} "
            f"columns   {one.seconds.sum():7.1f} CPU s",
            flush=True,
        )
    ours = results.pop("Sieve", None)
    if ours is None or not results:
        return None
    best = max(results, key=lambda label: results[label].mean)
    theirs = results[best]
    gap = theirs.mean - ours.mean
    near = gap <= theirs.error
    fewer = bool(np.median(ours.columns) < np.median(theirs.columns))
    print(
        f"  best peer: {best}; Sieve is {'within' if near else 'NOT within'} one standard error "
        f"({-gap:+.4f}), with {'fewer' if fewer else 'not fewer'} columns"
    )
    return near, fewer


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=SETS)
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=METHODS)
    parser.add_argument("--again", nargs="+", default=[], choices=METHODS)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0, help="of the outer folds")
    parser.add_argument("--results", type=Path, default=RESULTS, help="file to keep fits in")
    options = parser.parse_args()
    kept = Kept(options.results)
    for label in options.again:
        for name in options.sets:
            kept.forget(f"{label} | {name} | seed {options.seed} |")
    cut = (options.repeats, options.seed)
    found = [compared(name, options.methods, cut, kept) for name in options.sets]
    decided = [one for one in found if one is not None]
    if decided:
        near, fewer = (sum(column) for column in zip(*decided, strict=True))
        print(
            f"\nwithin one standard error of the best peer on {near} of {len(decided)} sets, with "
            f"fewer columns than it on {fewer}"
        )


if __name__ == "__main__":
    main()
