"""Ranking MADELON with a Gaussian kernel, first order, against RFE with a first-order callable."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn import svm
from sklearn.feature_selection import RFE

from benchmarks.compare.contract_slopes import rbf_slopes
from benchmarks.compare.data import DataSet, Floats, first_part, load
from benchmarks.compare.support_vectors import SupportVectors
from benchmarks.compare.timing import RATIO_COLUMNS, Options, Report, compared, race, say
from svsieve import SVMRFE

STEP, TARGET = 20, 6.0
MACHINE = svm.SVC(C=1.0, kernel="rbf", gamma="auto")  # gamma: 1 / columns left, on both sides


def run(options: Options) -> Report:
    """Time both sides and compare their ranks."""
    data = first_part(load("madelon"), *options.pick((1714, 500), (150, 60)))
    say(f"{data.label}: scikit-learn's RFE with a first-order callable")
    seconds = race(
        {"peer": partial(peer_ranking, data), "ours": partial(ranking, data)},
        options.repeat,
        seconds=45.0,
    )
    peer, ours = peer_ranking(data), ranking(data)
    row = compared("RBF, C=1, first order", seconds["peer"], seconds["ours"], at_least=TARGET)
    row["our gap"] = float(ours.path_.kkt_gap.max())
    row["same rank"] = float(np.mean(peer.ranking_ == ours.ranking_))
    return Report(
        f"whole kernel ranking of {data.label}, gamma 1 / columns left, step {STEP}, gap 1e-8, "
        "peer RFE(SVC(kernel='rbf')) at its default tolerance with numpy's matrix products as "
        f"importance_getter, {options.threads} thread(s)",
        columns=(*RATIO_COLUMNS, "our gap", "same rank"),
        rows=[row],
        notes=["same rank: share of the columns that both drop in the same step"],
    )


def slopes(model: Any) -> Floats:
    """Return the first-order scores of a fitted SVC, as a user of RFE would write them."""
    vectors = SupportVectors(model.support_vectors_, model.dual_coef_[0], "")
    gram = np.exp(-vectors.gamma * vectors.squared_distances())
    return np.abs(rbf_slopes(vectors, gram))


def peer_ranking(data: DataSet) -> RFE:
    """Rank all columns with the peer."""
    selector = RFE(MACHINE, n_features_to_select=1, step=STEP, importance_getter=slopes)
    return selector.fit(data.X, data.y)


def ranking(data: DataSet) -> SVMRFE:
    """Rank all columns with ours."""
    selector = SVMRFE(MACHINE, n_features_to_select=1, step=STEP, criterion="weight-first-order")
    return selector.fit(data.X, data.y)
