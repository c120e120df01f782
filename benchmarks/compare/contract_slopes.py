"""Slopes of all features at once against the matrix-product formula in numpy."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from benchmarks.compare.data import Floats
from benchmarks.compare.support_vectors import SupportVectors, support_vectors
from benchmarks.compare.timing import RATIO_COLUMNS, Options, Report, compared, race
from svsieve.kernels import Kernel, KernelState, PairWeights, Polynomial, Rbf

DEGREE, COEF0, TARGET = 7, 1.0, 1.0


def rbf_slopes(vectors: SupportVectors, gram: Floats) -> Floats:
    """Return -4 gamma [(X o X)' A 1 - column sums of X o A X] with A = b b' o K."""
    A = np.outer(vectors.b, vectors.b) * gram
    X = vectors.X
    slopes: Floats = -4 * vectors.gamma * ((X * X).T @ A.sum(axis=1) - (X * (A @ X)).sum(axis=0))
    return slopes


def poly_slopes(vectors: SupportVectors, base: Floats) -> Floats:
    """Return 2 column sums of X o A X with A = b b' o gamma p B^(p-1)."""
    cube = base * base * base
    A = np.outer(vectors.b, vectors.b) * (vectors.gamma * DEGREE * cube * cube)
    slopes: Floats = 2 * (vectors.X * (A @ vectors.X)).sum(axis=0)
    return slopes


def run(options: Options) -> Report:
    """Time both sides and compare their numbers; the pairings are ready on both sides."""
    vectors = support_vectors()
    gamma = vectors.gamma
    gram = np.exp(-gamma * vectors.squared_distances())
    base = gamma * vectors.products() + COEF0
    cases: list[tuple[str, Kernel, Callable[[], Floats]]] = [
        ("RBF", Rbf(gamma=gamma), partial(rbf_slopes, vectors, gram)),
        (
            "poly 7",
            Polynomial(degree=DEGREE, gamma=gamma, coef0=COEF0),
            partial(poly_slopes, vectors, base),
        ),
    ]
    report = Report(
        f"contract_slopes, {vectors.label}, peer numpy's matrix product, "
        f"{options.threads} thread(s)",
        columns=(*RATIO_COLUMNS, "difference"),
        notes=["difference: largest over the features, relative to the largest slope"],
    )
    for what, kernel, peer in cases:
        state = KernelState(kernel, vectors.X)
        state.gram()

        def ours(state: KernelState = state) -> Floats:
            return state.contract_slopes(PairWeights.outer(vectors.b))

        seconds = race({"peer": peer, "ours": ours}, options.repeat, least=2.0)
        row = compared(what, seconds["peer"], seconds["ours"], at_least=TARGET)
        reference = peer()
        row["difference"] = float(np.abs(ours() - reference).max() / np.abs(reference).max())
        report.rows.append(row)
    return report
