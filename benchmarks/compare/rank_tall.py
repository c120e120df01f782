"""Ranking a tall table, many more rows than columns, against scikit-learn's RFE(LinearSVC)."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn import svm
from sklearn.feature_selection import RFE

from benchmarks.compare.data import DataSet, tall
from benchmarks.compare.rank_shares import two_class
from benchmarks.compare.timing import (
    RATIO_COLUMNS,
    Options,
    Report,
    alone,
    compared,
    once,
    race_once,
    say,
)
from svsieve import SVMRFE
from svsieve.elimination import Parts, trace
from svsieve.kernels import Linear
from svsieve.machines import CSvm

TARGET = 10.0


def run(options: Options) -> Report:
    """Time both sides with LinearSVC, and ours with SVC(kernel="linear")."""
    data = tall(*options.pick((50_000, 100), (2_000, 20)))
    report = Report(
        f"whole ranking of {data.label}, step 1, C=1, peer RFE(LinearSVC()) at its default "
        f"tolerance, {options.threads} thread(s)",
        columns=(*RATIO_COLUMNS, "our gap", "same rank"),
        notes=[
            "LinearSVC: squared slacks, penalised bias; SVC(kernel='linear'): plain slacks, free "
            "bias, not timed with the peer",
            "the peer runs once, ours before and after it; same rank: share of the columns that "
            "both give the same place",
        ],
    )
    say(f"{data.label}: scikit-learn's RFE(LinearSVC())")
    peer_seconds, our_seconds, peer = race_once(
        partial(_ranked, RFE, svm.LinearSVC(), data),
        partial(_ranked, SVMRFE, svm.LinearSVC(), data),
        options.repeat,
    )
    ours = _ranked(SVMRFE, svm.LinearSVC(), data)
    row = compared("LinearSVC()", peer_seconds, our_seconds, at_least=TARGET)
    row["our gap"] = float(ours.path_.kkt_gap.max())
    row["same rank"] = float(np.mean(peer.ranking_ == ours.ranking_))
    row["engine"] = ours.path_.engine
    report.rows.append(row)

    say(f"{data.label}: ours with plain slacks and a free bias")
    free = partial(trace, two_class(data), Parts(Linear(), CSvm(1.0)))
    seconds, path = once(free)
    report.rows.append(
        alone("SVC(kernel='linear'), ranking alone", seconds)
        | {"our gap": float(path.kkt_gap.max()), "engine": path.engine}
    )
    return report


def _ranked(selector: Any, machine: Any, data: DataSet) -> Any:
    return selector(machine, n_features_to_select=1, step=1).fit(data.X, data.y)
