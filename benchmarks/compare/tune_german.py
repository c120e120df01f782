"""Choosing C and gamma of a Gaussian kernel: descent of a bound against a grid.

Both sides tune on the training rows of a realisation and are tested on its test rows. The peer
tries 10 x 10 values with 5-fold cross-validation.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC as PeerSVC

from benchmarks.compare.data import Floats, folder, load
from benchmarks.compare.timing import RATIO_COLUMNS, Options, Report, Row, compared, race_once, say
from svsieve import SVC, GradientSearch

GRID = {"C": np.logspace(-2, 4, 10), "gamma": np.logspace(-4, 2, 10)}
TARGET = 20.0
WORSE = 1.0  # points of error that the faster side may lose
REALISATIONS = 10
SEARCHES = {
    "radius/margin, squared slack": (SVC(slack="l2"), "radius-margin", TARGET),
    "span, squared slack": (SVC(slack="l2"), "span", TARGET),
    "span, linear slack": (SVC(), "span", TARGET),
}


@dataclass(frozen=True)
class Split:
    """Training and test rows."""

    X: Floats
    y: Floats
    X_test: Floats
    y_test: Floats

    def error(self, search: Any) -> float:
        """Return the test error of a fitted search in per cent."""
        return 100.0 * float((search.predict(self.X_test) != self.y_test).mean())


def run(options: Options) -> Report:
    """Time both sides on the first realisation, and compare errors on several."""
    splits = _splits(options.pick(REALISATIONS, 2), options.pick(None, 150))
    label = f"german {len(splits[0].X)} x {splits[0].X.shape[1]}"
    report = Report(
        f"tuning C and gamma, peer GridSearchCV(SVC(), 10 x 10, cv=5), {options.threads} thread(s)",
        columns=(*RATIO_COLUMNS, "trainings", "error %", "peer error %", "error kept"),
        notes=[
            f"times on one realisation; errors are means over {len(splits)}, of which the peer "
            "takes its time too",
            f"error kept: at most {WORSE:g} point above the peer's",
        ],
    )
    say(f"{label}: scikit-learn's GridSearchCV on {len(splits)} realisations")
    peers = [splits[0].error(_grid(splits[0]))]
    peers += [split.error(_grid(split)) for split in splits[1:]]
    for what, (machine, objective, target) in SEARCHES.items():
        say(f"{label}, {what}")
        report.rows.append(
            _against_peer(f"{label}, {what}", machine, objective, target, splits, peers, options)
        )
    return report


def _against_peer(
    what: str,
    machine: SVC,
    objective: str,
    target: float | None,
    splits: list[Split],
    peers: list[float],
    options: Options,
) -> Row:
    ours = partial(_descent, machine, objective, splits[0])
    peer_seconds, our_seconds, _ = race_once(partial(_grid, splits[0]), ours, options.repeat)
    row = compared(what, peer_seconds, our_seconds, at_least=target)
    searches = [_descent(machine, objective, split) for split in splits]
    errors = [split.error(search) for split, search in zip(splits, searches, strict=True)]
    row["trainings"] = float(np.mean([search.n_trainings_ for search in searches]))
    row["error %"], row["peer error %"] = float(np.mean(errors)), float(np.mean(peers))
    row["error kept"] = "yes" if np.mean(errors) <= np.mean(peers) + WORSE else "NO"
    return row


def _grid(split: Split) -> Any:
    return GridSearchCV(PeerSVC(), GRID, cv=5).fit(split.X, split.y)


def _descent(machine: SVC, objective: str, split: Split) -> Any:
    return GradientSearch(machine, objective).fit(split.X, split.y)


def _splits(count: int, rows: int | None) -> list[Split]:
    """Return realisations of the set; of its stand-in, random ones of the same sizes."""
    data = load("german")
    path = folder() / "ida_german.npz"
    if path.exists():
        with np.load(path, allow_pickle=False) as stored:
            pairs = list(zip(stored["train_idx"], stored["test_idx"], strict=True))
    else:
        rng = np.random.default_rng(0)
        pairs = [tuple(np.split(rng.permutation(len(data.y)), [700])) for _ in range(count)]
    return [
        Split(data.X[train[:rows]], data.y[train[:rows]], data.X[test], data.y[test])
        for train, test in pairs[:count]
    ]
