"""Leave-one-feature-out sums of 1,700 support vectors against a plain compiled double loop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import exp

import numpy as np
from numba import njit

from benchmarks.compare.data import Floats
from benchmarks.compare.support_vectors import SupportVectors, support_vectors
from benchmarks.compare.timing import RATIO_COLUMNS, Options, Report, compared, race
from svsieve.kernels import Kernel, KernelState, PairWeights, Polynomial, Rbf

TIMED = 50  # features the loop is timed on; each costs it the same
DEGREE, COEF0 = 7, 1.0


@njit
def rbf_loop(distances, columns, b, gamma):  # type: ignore[no-untyped-def]
    """Return sum_kj b_k b_j exp(-gamma (D_kj - (x_k - x_j)^2)), once per column."""
    sums = np.empty(len(columns))
    for feature in range(len(columns)):
        x = columns[feature]
        total = 0.0
        for k in range(len(b)):
            for j in range(len(b)):
                difference = x[k] - x[j]
                left = distances[k, j] - difference * difference
                total += b[k] * b[j] * exp(-gamma * left)
        sums[feature] = total
    return sums


@njit
def poly_loop(base, columns, b, gamma, degree):  # type: ignore[no-untyped-def]
    """Return sum_kj b_k b_j (B_kj - gamma x_k x_j)^degree, once per column."""
    sums = np.empty(len(columns))
    for feature in range(len(columns)):
        x = columns[feature]
        total = 0.0
        for k in range(len(b)):
            for j in range(len(b)):
                total += b[k] * b[j] * (base[k, j] - gamma * x[k] * x[j]) ** degree
        sums[feature] = total
    return sums


@dataclass(frozen=True)
class Case:
    """One kernel with the loop it is compared with, which takes the columns to leave out."""

    what: str
    kernel: Kernel
    loop: Callable[[Floats], Floats]
    target: float


def cases(vectors: SupportVectors) -> list[Case]:
    """Return the Gaussian kernel, and the polynomial one with both ways to take a power."""
    gamma, b = vectors.gamma, vectors.b
    distances, base = vectors.squared_distances(), gamma * vectors.products() + COEF0
    poly = Polynomial(degree=DEGREE, gamma=gamma, coef0=COEF0)

    def rbf_sums(columns: Floats) -> Floats:
        sums: Floats = rbf_loop(distances, columns, b, gamma)
        return sums

    def poly_sums(columns: Floats, degree: float) -> Floats:
        sums: Floats = poly_loop(base, columns, b, gamma, degree)
        return sums

    return [
        Case("RBF, loop with exp", Rbf(gamma=gamma), rbf_sums, 50.0),
        Case("poly 7, loop with pow", poly, partial(poly_sums, degree=float(DEGREE)), 35.0),
        Case("poly 7, loop with products", poly, partial(poly_sums, degree=DEGREE), 35.0),
    ]


def run(options: Options) -> Report:
    """Time both sides and compare their numbers."""
    vectors = support_vectors()
    columns = np.ascontiguousarray(vectors.X.T)
    n_features = len(columns)
    report = Report(
        f"contract_without, {vectors.label}, peer a numba double loop per feature, "
        f"{options.threads} thread(s)",
        columns=(*RATIO_COLUMNS, "difference"),
        notes=[
            f"the loop runs over the full square in one thread without fastmath, compiled "
            f"beforehand; timed on {TIMED} of the {n_features} features and scaled",
            "pow: a real exponent; products: an integer exponent, which the compiler turns "
            "into multiplications",
            f"difference: largest on those {TIMED} features, relative to the largest value",
        ],
    )
    for case in cases(vectors):
        state = KernelState(case.kernel, vectors.X)
        state.gram()
        case.loop(columns[:1])  # compiles

        def ours(state: KernelState = state) -> Floats:
            # The weights are built anew, so that nothing can be remembered from the last round.
            return state.contract_without(PairWeights.outer(vectors.b))

        seconds = race(
            {"peer": partial(case.loop, columns[:TIMED]), "ours": ours},
            options.repeat,
            seconds=25.0,
        )
        peer = seconds["peer"].scaled(n_features / TIMED)
        row = compared(case.what, peer, seconds["ours"], at_least=case.target)
        reference = case.loop(columns[:TIMED])
        row["difference"] = float(
            np.abs(ours()[:TIMED] - reference).max() / np.abs(reference).max()
        )
        report.rows.append(row)
    return report
