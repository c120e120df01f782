"""Scoring a ranking at several sizes, against scikit-learn doing the same fits.

Both sides have the same folds, sizes, machine and scoring, and score training and held-out rows.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold, cross_validate
from sklearn.svm import SVC, LinearSVC

from benchmarks.compare.data import DataSet, Floats, first_part, load, tall, wide
from benchmarks.compare.timing import RATIO_COLUMNS, Options, Report, Row, compared, race_once, say
from svsieve import validate

FOLDS = StratifiedKFold(5)
TARGET = 1.0  # never slower


def run(options: Options) -> Report:
    """Time both sides on wide, square and tall tables."""
    colon = options.pick(load("colon"), wide(30, 200))
    madelon = first_part(load("madelon"), *options.pick((1000, 500), (150, 60)))
    many = tall(*options.pick((5_000, 50), (600, 20)))
    report = Report(
        "train and held-out accuracy of a ranking at some sizes, 5 folds, peer cross_validate per "
        f"size, both at the peer's default tolerance, {options.threads} thread(s)",
        columns=(*RATIO_COLUMNS, "sizes", "curves differ"),
        notes=[
            "the peer runs once, ours before and after it; the best of ours counts",
            "curves differ: mean absolute difference of the mean held-out accuracies",
        ],
    )
    report.rows = [
        against_peer("linear", SVC(kernel="linear"), colon, options),
        against_peer("RBF", SVC(), colon, options),
        against_peer("LinearSVC", LinearSVC(random_state=0), colon, options),
        against_peer("RBF", SVC(), madelon, options),
        against_peer("poly-3", SVC(kernel="poly"), madelon, options),
        against_peer("linear", SVC(kernel="linear"), many, options),
        against_peer("LinearSVC", LinearSVC(random_state=0), many, options),
    ]
    return report


def against_peer(what: str, machine: Any, data: DataSet, options: Options) -> Row:
    """Time both sides with one machine, sizes growing by about a half."""
    columns = data.X.shape[1]
    order = np.random.default_rng(0).permutation(columns)
    sizes = np.unique(np.geomspace(1, columns, int(2 + 2 * np.log2(columns))).astype(int))
    say(f"{what} on {data.label}")
    peer_seconds, our_seconds, peer = race_once(
        partial(_refitted, machine, order, sizes, data),
        partial(validate, order, machine, data.X, data.y, cv=FOLDS, sizes=sizes),
        options.repeat,
    )
    ours = validate(order, machine, data.X, data.y, cv=FOLDS, sizes=sizes)
    row = compared(f"{what}, {data.label}", peer_seconds, our_seconds, at_least=TARGET)
    row["sizes"] = len(sizes)
    row["curves differ"] = float(np.abs(ours.mean() - peer).mean())
    return row


def _refitted(machine: Any, order: Any, sizes: Any, data: DataSet) -> Floats:
    means = []
    for size in sizes:
        X = data.X[:, np.sort(order[:size])]
        found = cross_validate(machine, X, data.y, cv=FOLDS, return_train_score=True)
        means.append(found["test_score"].mean())
    return np.array(means)
