"""Ranking MADELON with a kernel, zero order, against the same algorithm written plainly.

Plainly means: in each step a Gram matrix by numpy, scikit-learn's SVC(kernel="precomputed") fitted
from nothing, and a compiled double loop over the support vectors for each column left.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from sklearn import svm

from benchmarks.compare.contract_without import poly_loop, rbf_loop
from benchmarks.compare.data import DataSet, Floats, first_part, load
from benchmarks.compare.support_vectors import SupportVectors
from benchmarks.compare.timing import (
    RATIO_COLUMNS,
    Options,
    Report,
    Row,
    Seconds,
    alone,
    compared,
    once,
    race_once,
    say,
)
from svsieve import SVC, SVMRFE

STEP, DEGREE, COEF0 = 20, 7, 0.6
TIMED = 5  # columns per step that the second loop is timed on

# Sums of b_k b_j k(x_k, x_j) without each of the columns, given as rows.
Loop = Callable[[SupportVectors, Floats], Floats]


@dataclass(frozen=True)
class Case:
    """A machine with the plain version's kernel and loop, and with a slower form of that loop."""

    what: str
    machine: SVC
    gram: Callable[[SupportVectors], Floats]
    loop: Loop
    target: float
    slower: Loop | None = None


@dataclass(frozen=True)
class Plain:
    """Ranks as in RFE, and where the time went: Gram matrices and fits, the loop, a slower loop."""

    ranking: NDArray[np.int64]
    fits: Seconds
    loop: Seconds
    slower: Seconds


def cases() -> list[Case]:
    """Return the Gaussian and the polynomial machine, with 1 / columns left as gamma."""
    return [
        Case(
            "RBF, C=1, zero order",
            SVC(C=1.0, kernel="rbf", gamma="auto"),
            lambda vectors: np.exp(-vectors.gamma * vectors.squared_distances()),
            lambda v, columns: rbf_loop(v.squared_distances(), columns, v.b, v.gamma),
            60.0,
        ),
        Case(
            "poly 7, C=0.6, zero order",
            SVC(C=0.6, kernel="poly", degree=DEGREE, coef0=COEF0, gamma="auto"),
            lambda vectors: _base(vectors) ** DEGREE,
            lambda v, columns: poly_loop(_base(v), columns, v.b, v.gamma, DEGREE),
            20.0,
            slower=lambda v, columns: poly_loop(_base(v), columns, v.b, v.gamma, float(DEGREE)),
        ),
    ]


def run(options: Options) -> Report:
    """Run the plain version once per kernel and ours a few times."""
    madelon = load("madelon")
    data = first_part(madelon, *options.pick((1714, 500), (150, 60)))
    report = Report(
        f"whole kernel ranking of {data.label}, gamma 1 / columns left, step {STEP}, gap 1e-8, "
        f"peer SVC(kernel='precomputed') + numba, {options.threads} thread(s)",
        columns=(*RATIO_COLUMNS, "our gap", "same rank"),
        notes=[
            "the peer runs once, at scikit-learn's default tolerance, its loop compiled before; "
            "ours runs before and after it and its best time counts",
            "products: an integer exponent, which the compiler turns into multiplications; pow: a "
            f"real one, its loop timed on {TIMED} columns of each step and scaled",
            "same rank: share of the columns that both drop in the same step",
        ],
    )
    for case in cases():
        report.rows += against_plain(case, data, options)
    say("poly 7, a tenth of the remaining columns per step, down to one: ours alone")
    seconds, selector = once(partial(ranking, cases()[1].machine, data, 0.1))
    report.rows.append(
        alone("poly 7, 10 % of the remaining, down to one column", seconds)
        | {"our gap": float(selector.path_.kkt_gap.max())}
    )
    return report


def ranking(machine: SVC, data: DataSet, step: int | float = STEP) -> SVMRFE:
    """Rank all columns with ours."""
    return SVMRFE(machine, n_features_to_select=1, step=step).fit(data.X, data.y)


def against_plain(case: Case, data: DataSet, options: Options) -> list[Row]:
    """Time both sides; one more row where the loop can be written in a slower way."""
    say(f"{case.what}: the plain version")
    plain_ranking(case, first_part(data, 40, 3))  # compiles the loops
    _, seconds, peer = race_once(
        partial(plain_ranking, case, data),
        partial(ranking, case.machine, data),
        min(options.repeat, 2),
    )
    ours = ranking(case.machine, data)
    facts: Row = {
        "our gap": float(ours.path_.kkt_gap.max()),
        "same rank": float(np.mean(ours.ranking_ == peer.ranking)),
        "peer fits s": peer.fits.wall,
    }
    what = case.what if case.slower is None else f"{case.what}, loop with products"
    rows = [compared(what, peer.fits + peer.loop, seconds, at_least=case.target) | facts]
    if case.slower is not None:
        total = peer.fits + peer.slower
        row = compared(f"{case.what}, loop with pow", total, seconds, at_least=case.target)
        rows.append(row | facts)
    return rows


def plain_ranking(case: Case, data: DataSet) -> Plain:
    """Eliminate as a plain implementation does, and keep the times of its parts."""
    kept = np.arange(data.X.shape[1])
    steps: list[NDArray[np.int64]] = []
    fits = loop = slower = Seconds(0.0, 0.0)
    while len(kept) > 1:
        X = np.ascontiguousarray(data.X[:, kept])
        fit_seconds, (vectors, value) = once(partial(_fit, case, X, data.y))
        columns = np.ascontiguousarray(vectors.X.T)
        loop_seconds, sums = once(partial(case.loop, vectors, columns))
        if case.slower is not None:
            few = columns[:TIMED]
            few_seconds, _ = once(partial(case.slower, vectors, few))
            slower += few_seconds.scaled(len(columns) / len(few))
        fits, loop = fits + fit_seconds, loop + loop_seconds
        worst = np.argsort(np.abs(value - sums), kind="stable")[: min(STEP, len(kept) - 1)]
        steps.append(kept[worst])
        kept = np.delete(kept, worst)
    ranks = np.ones(data.X.shape[1], dtype=np.int64)
    for rank, columns in enumerate(reversed(steps), start=2):
        ranks[columns] = rank
    return Plain(ranks, fits, loop, slower)


def _fit(case: Case, X: Floats, y: Floats) -> tuple[SupportVectors, float]:
    """Train on a Gram matrix; return the support vectors and their b'Kb."""
    gram = case.gram(SupportVectors(X, y, ""))
    model = svm.SVC(C=case.machine.C, kernel="precomputed").fit(gram, y)
    b = np.ascontiguousarray(model.dual_coef_[0])
    inner = gram[np.ix_(model.support_, model.support_)]
    return SupportVectors(X[model.support_], b, ""), float(b @ inner @ b)


def _base(vectors: SupportVectors) -> Floats:
    """Return what the power is taken of."""
    base: Floats = vectors.gamma * vectors.products() + COEF0
    return base
