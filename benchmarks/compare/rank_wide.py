"""Ranking wide tables one column at a time, against scikit-learn's RFE; and a few at a time."""

from __future__ import annotations

from functools import partial

import numpy as np
from sklearn import svm
from sklearn.feature_selection import RFE

from benchmarks.compare.data import DataSet, load, wide
from benchmarks.compare.timing import (
    RATIO_COLUMNS,
    Options,
    Report,
    Row,
    alone,
    compared,
    race,
    race_once,
    say,
)
from svsieve import SVMRFE

STEPS = (1, 2, 3, 5, 10)


def run(options: Options) -> Report:
    """Rank the tables with and without the peer, then with larger steps."""
    synthetic = wide(*options.pick((72, 7129), (30, 300)))
    large = wide(*options.pick((100, 60_000), (30, 1000)))
    colon = options.pick(load("colon"), wide(30, 200))
    arcene = options.pick(load("arcene"), wide(30, 400))
    report = Report(
        "whole ranking, linear kernel, C=1, peer RFE(SVC(kernel='linear')) at its default "
        f"tolerance, {options.threads} thread(s)",
        columns=(*RATIO_COLUMNS, "our gap", "same rank", "top 50"),
        notes=[
            "the peer runs once, ours several times before and after it; the best of ours counts",
            "our gap: the largest KKT gap of any step; the peer stops at 1e-3",
            "same rank: share of the columns that both give the same place; top 50: columns that "
            "are among the first 50 of both",
            "step 2 and more: ours against ours, the peer is one column at a time",
        ],
    )
    report.rows = [
        against_peer(colon, 300.0, options),
        against_peer(synthetic, 800.0, options),
        against_peer(arcene, None, options) if options.full else without_peer(arcene, options),
        without_peer(large, options),
        *larger_steps(synthetic, options),
        *larger_steps(large, options),
    ]
    return report


def ranking(data: DataSet, step: int = 1) -> SVMRFE:
    """Rank all columns with ours."""
    selector = SVMRFE(svm.SVC(kernel="linear"), n_features_to_select=1, step=step)
    return selector.fit(data.X, data.y)


def peer_ranking(data: DataSet) -> RFE:
    """Rank all columns with the peer."""
    selector = RFE(svm.SVC(kernel="linear"), n_features_to_select=1, step=1)
    return selector.fit(data.X, data.y)


def against_peer(data: DataSet, target: float | None, options: Options) -> Row:
    """Time both sides and compare their orders."""
    say(f"{data.label}: scikit-learn's RFE, one column at a time")
    peer_seconds, our_seconds, peer = race_once(
        partial(peer_ranking, data), partial(ranking, data), options.repeat
    )
    ours = ranking(data)
    row = compared(f"{data.label}, step 1", peer_seconds, our_seconds, at_least=target)
    best = np.argsort(peer.ranking_, kind="stable")[:50]
    row["our gap"] = float(ours.path_.kkt_gap.max())
    row["same rank"] = float(np.mean(peer.ranking_ == ours.ranking_))
    row["top 50"] = len(np.intersect1d(best, ours.path_.order[:50]))
    return row


def without_peer(data: DataSet, options: Options) -> Row:
    """Time ours alone."""
    say(f"{data.label}: ours alone")
    ours = ranking(data)
    seconds = race({"ours": partial(ranking, data)}, options.repeat)["ours"]
    return alone(f"{data.label}, step 1", seconds) | {"our gap": float(ours.path_.kkt_gap.max())}


def larger_steps(data: DataSet, options: Options) -> list[Row]:
    """Compare a few columns at a time with one at a time, all ours."""
    say(f"{data.label}: ours with steps {STEPS}")
    sides = {str(step): partial(ranking, data, step) for step in STEPS}
    seconds = race(sides, options.repeat, seconds=30.0)
    rows = []
    for step in STEPS[1:]:
        what = f"{data.label}, step {step}"
        row = compared(what, seconds["1"], seconds[str(step)], at_least=1.0)
        row["our gap"] = float(ranking(data, step).path_.kkt_gap.max())
        rows.append(row)
    return rows
