"""Smets' (2006) tables 5.3 and 5.4 computed again: C and widths chosen by the radius/margin bound.

``python -m benchmarks.smets_tables [--sets ...] [--methods ...] [--realisations N] [--start ...]``

Each realisation of a set is tuned on its training rows and tested on its test rows; the mean error
and the mean number of machines trained stand beside the published ones. A: linear slack, grid of
10 x 10 with 5-fold cross-validation; B, C: linear and squared slack, one width; D, E: the same with
a width for every column, B to E by L-BFGS-B. Realisations are those of the publication, so there is
little noise between the two. Where it began is not published: by default the search begins at C = 1
and gamma = "scale"; ``--start unit`` begins at C = 1 and sigma^2 = 1.
"""

from __future__ import annotations

import argparse
import csv
import math
import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC as PeerSVC
from threadpoolctl import threadpool_limits

from benchmarks.compare.data import folder
from benchmarks.compare.timing import Options, Report, Row, say
from svsieve import SVC, GradientSearch

Floats = NDArray[np.float64]

SETS = {
    "banana": 1,
    "breast-cancer": 2,
    "diabetis": 3,
    "german": 5,
    "heart": 6,
    "thyroid": 9,
    "titanic": 10,
}  # with the number of its table in the appendix
SEARCHES = {"B": ("l1", False), "C": ("l2", False), "D": ("l1", True), "E": ("l2", True)}
METHODS = ("A", *SEARCHES)
STARTS: dict[str, Any] = {"scale": "scale", "unit": 0.5}
PUBLISHED_REALISATIONS = 100
WITHIN = 3.0  # standard errors of a difference
MORE_TRAININGS = 1.5  # times the published number
GRID = {"C": np.logspace(-2, 4, 10), "gamma": np.logspace(-4, 2, 10)}


@dataclass(frozen=True)
class Printed:
    """A cell of the tables: mean error with its standard error, mean number of trainings."""

    error: float
    standard_error: float
    trainings: float


def published(name: str) -> dict[str, Printed]:
    """Return the cells of a set by method."""
    root = Path(__file__).resolve().parents[1]
    place = Path(os.environ.get("SVSIEVE_PUBLISHED", root.parent / "shared" / "published"))
    path = place / f"smets_B_{SETS[name]:02d}.csv"
    if not path.exists():
        raise SystemExit(
            f"The published table {path.name} is not in the folder {place}: set "
            "SVSIEVE_PUBLISHED to the folder that holds it."
        )
    with path.open(newline="", encoding="utf-8") as file:
        return {
            line["method"]: Printed(
                float(line["error"]),
                float(line["std"]) / math.sqrt(PUBLISHED_REALISATIONS),
                float(line["n_trainings"]),
            )
            for line in csv.DictReader(file)
        }


def realisations(name: str, count: int) -> list[tuple[Floats, Floats, Floats, Floats]]:
    """Return training rows, their labels, test rows and theirs, of each realisation."""
    path = folder() / f"ida_{name.replace('-', '_')}.npz"
    if not path.exists():
        raise SystemExit(
            f"{path.name} is not in the folder {path.parent}: set SVSIEVE_DATA to the folder that "
            "holds it."
        )
    with np.load(path, allow_pickle=False) as stored:
        X, y = np.asarray(stored["X"], dtype=np.float64), stored["y"]
        pairs = zip(stored["train_idx"][:count], stored["test_idx"][:count], strict=True)
        return [(X[train], y[train], X[test], y[test]) for train, test in pairs]


def search(method: str, start: str) -> Any:
    """Return the search of a method."""
    if method == "A":
        return GridSearchCV(PeerSVC(), GRID, cv=5)
    slack, weights = SEARCHES[method]
    return GradientSearch(SVC(gamma=STARTS[start], slack=slack), weights=weights)


def cell(name: str, method: str, count: int, start: str) -> tuple[Floats, Floats, Floats]:
    """Return of each realisation the error, the trainings, and 1.0 if all rows are one class."""
    errors, trainings, trivial = [], [], []
    for X, y, X_test, y_test in realisations(name, count):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # trivial machines are counted below
            found = search(method, start).fit(X, y)
        predicted = found.predict(X_test)
        errors.append(float((predicted != y_test).mean()))
        trainings.append(500.0 if method == "A" else float(found.n_trainings_))
        trivial.append(float(len(np.unique(predicted)) == 1))
    return np.array(errors), np.array(trainings), np.array(trivial)


def judged(name: str, method: str, found: tuple[Floats, Floats, Floats], printed: Printed) -> Row:
    """Return a row: errors in per cent and trainings, both beside the published ones."""
    errors, trainings, trivial = found
    own = float(errors.std(ddof=1)) / math.sqrt(len(errors)) if len(errors) > 1 else math.nan
    difference = float(errors.mean()) - printed.error
    both = math.hypot(own, printed.standard_error)
    verdict = (
        "within" if abs(difference) <= WITHIN * both else "better" if difference < 0 else "WORSE"
    )
    strict = difference <= WITHIN * printed.standard_error
    few = trainings.mean() <= MORE_TRAININGS * printed.trainings
    return {
        "set": name,
        "method": method,
        "published %": f"{100 * printed.error:.2f} +- {100 * printed.standard_error:.2f}",
        "measured %": f"{100 * errors.mean():.2f} +- {100 * own:.2f}",
        "apart": f"{difference / both:+.1f}",
        "verdict": verdict,
        "by their error alone": "yes" if strict else "NO",
        "one class %": f"{100 * trivial.mean():.0f}",
        "published trainings": f"{printed.trainings:.2f}",
        "trainings": f"{trainings.mean():.2f}",
        "few": "yes" if few else "NO",
        "errors": [round(float(error), 6) for error in errors],  # type: ignore[dict-item]
    }


def report(sets: Sequence[str], methods: Sequence[str], count: int, start: str) -> Report:
    """Return the table of some sets and methods."""
    found = Report(
        f"tables 5.3 and 5.4: {count} realisations of each set, search from {start}",
        columns=(
            *("set", "method", "published %", "measured %", "apart", "verdict"),
            *("by their error alone", "one class %", "published trainings", "trainings", "few"),
        ),
        notes=[
            f"apart: difference in standard errors of the difference; within: at most {WITHIN:g}; "
            "by their error alone: the same with the published standard error only",
            "one class: realisations whose machine takes all test rows for one class, the trivial "
            "minimum of the bound of linear slack; published B and D on breast-cancer and diabetis "
            "equal the error of always predicting the larger class in every digit",
            f"few: at most {MORE_TRAININGS:g} times the published number of trainings",
        ],
    )
    for name in sets:
        printed = published(name)
        for method in methods:
            say(f"{name}, method {method}")
            found.rows.append(
                judged(name, method, cell(name, method, count, start), printed[method])
            )
    verdicts = [row["verdict"] for row in found.rows]
    counts = (f"{verdicts.count(word)} {word}" for word in ("within", "better", "WORSE"))
    found.notes.append(f"cells: {', '.join(counts)}")
    return found


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.smets_tables", description=__doc__)

    def listed(text: str) -> list[str]:
        return text.split(",")

    parser.add_argument("--sets", type=listed, default=list(SETS), help=", ".join(SETS))
    parser.add_argument("--methods", type=listed, default=list(SEARCHES), help="B,C,D,E; A is slow")
    parser.add_argument("--realisations", type=int, default=100, help="of 100 (default all)")
    parser.add_argument("--start", choices=STARTS, default="scale")
    asked = parser.parse_args(arguments)
    for name, known in (("sets", SETS), ("methods", METHODS)):
        for value in getattr(asked, name):
            if value not in known:
                parser.error(f"--{name} must be of {', '.join(known)}. Got {value!r} instead.")
    if not 1 <= asked.realisations <= PUBLISHED_REALISATIONS:
        parser.error(f"--realisations must be from 1 to 100. Got {asked.realisations} instead.")
    return asked


def main(arguments: Sequence[str] | None = None) -> None:
    """Compute the table, print it and store it as JSON."""
    asked = parse(arguments)
    with threadpool_limits(limits=1):
        found = report(asked.sets, asked.methods, asked.realisations, asked.start)
    name = "smets_tables" if "A" not in asked.methods else "smets_grid"
    path = found.save(f"{name}.{asked.start}", Options(repeat=1))
    found.show()
    print(f"written to {path}")


if __name__ == "__main__":
    main()
