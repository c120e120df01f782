"""Choosing the number of columns by cross-validation, against scikit-learn's RFECV.

Both sides have the same folds, steps and scoring, and both end with a ranking of all rows. The peer
fits a machine per step and fold and lets it predict the rows held out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn import svm
from sklearn.feature_selection import RFECV
from sklearn.model_selection import StratifiedKFold

from benchmarks.compare.contract_without import rbf_loop
from benchmarks.compare.data import DataSet, Floats, first_part, load, wide
from benchmarks.compare.rank_first_order import slopes
from benchmarks.compare.support_vectors import SupportVectors
from benchmarks.compare.timing import RATIO_COLUMNS, Options, Report, Row, compared, race_once, say
from svsieve import SVMRFECV

FOLDS = StratifiedKFold(5)
LINEAR = svm.SVC(kernel="linear")
RBF = svm.SVC(kernel="rbf", gamma="auto")  # gamma: 1 / columns left, on both sides


@dataclass(frozen=True)
class Case:
    """A table with a machine, steps, and importances for the peer."""

    what: str
    data: DataSet
    machine: svm.SVC
    step: int
    criterion: str
    importance: str | Callable[[Any], Floats]
    target: float | None


def run(options: Options) -> Report:
    """Time both sides and compare what they choose."""
    colon = options.pick(load("colon"), wide(30, 200))
    madelon = load("madelon")
    rows, columns = madelon.X.shape
    some = first_part(madelon, *options.pick((rows if options.full else 400, columns), (150, 60)))
    whole = first_part(madelon, *options.pick((rows, columns), (150, 60)))
    report = Report(
        "ranking and choice of a size, 5 folds, accuracy, peer RFECV(SVC()) at its default "
        f"tolerance, {options.threads} thread(s)",
        columns=(*RATIO_COLUMNS, "our size", "peer size", "curves differ"),
        notes=[
            "the peer runs once, ours before and after it; the best of ours counts",
            "zero order: the peer's importance_getter is a compiled loop over pairs of support "
            "vectors; first order: numpy's matrix products",
            "curves differ: mean absolute difference of the mean accuracies of all sizes; the peer "
            "stops at a gap of 1e-3, ours at 1e-8",
            "the zero-order peer has 400 rows; --full gives it all of them",
        ],
    )
    report.rows = [
        against_peer(Case("linear, step 1", colon, LINEAR, 1, "weight", "auto", 50.0), options),
        against_peer(
            Case("RBF, step 20, zero order", some, RBF, 20, "weight", changes, 15.0), options
        ),
        against_peer(
            Case("RBF, step 20, first order", whole, RBF, 20, "weight-first-order", slopes, None),
            options,
        ),
    ]
    return report


def changes(model: Any) -> Floats:
    """Return the zero-order scores of a fitted SVC, as a user of RFECV would write them."""
    vectors = SupportVectors(model.support_vectors_, model.dual_coef_[0], "")
    distances = vectors.squared_distances()
    gram = np.exp(-vectors.gamma * distances)
    columns = np.ascontiguousarray(vectors.X.T)
    without = rbf_loop(distances, columns, vectors.b, vectors.gamma)
    return np.abs(vectors.b @ gram @ vectors.b - without)


def choice(case: Case) -> SVMRFECV:
    """Rank and choose with ours."""
    selector = SVMRFECV(case.machine, step=case.step, cv=FOLDS, criterion=case.criterion)
    return selector.fit(case.data.X, case.data.y)


def peer_choice(case: Case) -> RFECV:
    """Rank and choose with the peer."""
    selector = RFECV(
        case.machine,
        step=case.step,
        cv=FOLDS,
        scoring="accuracy",
        importance_getter=case.importance,
    )
    return selector.fit(case.data.X, case.data.y)


def against_peer(case: Case, options: Options) -> Row:
    """Time both sides and compare their curves."""
    what = f"{case.data.label}, {case.what}"
    say(f"{what}: scikit-learn's RFECV")
    peer_choice(Case("", first_part(case.data, 30, 4), *_rest(case)))  # compiles the loop
    peer_seconds, our_seconds, peer = race_once(
        partial(peer_choice, case), partial(choice, case), min(options.repeat, 3)
    )
    ours = choice(case)
    row = compared(what, peer_seconds, our_seconds, at_least=case.target)
    theirs = peer.cv_results_["mean_test_score"]
    row["our size"] = int(ours.n_features_)
    row["peer size"] = int(peer.n_features_)
    row["curves differ"] = float(np.abs(ours.cv_results_["mean_test_score"] - theirs).mean())
    return row


def _rest(case: Case) -> tuple[Any, ...]:
    return case.machine, case.step, case.criterion, case.importance, case.target
