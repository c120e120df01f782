"""Gram matrices, built and down-dated, against numpy's matrix product."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from benchmarks.compare.data import Floats
from benchmarks.compare.timing import RATIO_COLUMNS, Options, Report, compared, race
from svsieve.kernels import Kernel, KernelState, Linear, Rbf

SHAPES = ((62, 2000), (100, 60_000), (300, 16_384), (1714, 500), (4000, 50))
DROPS = (1, 20)  # columns at a time, of 1,714 x 4,000


def linear_gram(X: Floats) -> Floats:
    """Return all inner products."""
    products: Floats = X @ X.T
    return products


def gaussian_gram(X: Floats) -> Floats:
    """Return exp(-D / columns)."""
    products = X @ X.T
    squares = np.diag(products)
    distances = np.maximum(squares[:, None] + squares[None, :] - 2.0 * products, 0.0)
    values: Floats = np.exp(distances / -X.shape[1])
    return values


def kernels(columns: int) -> list[tuple[str, Kernel, Callable[[Floats], Floats]]]:
    """Return each kernel with its plain version."""
    return [
        ("linear", Linear(), linear_gram),
        ("RBF", Rbf(gamma=1.0 / columns), gaussian_gram),
    ]


def dropping(kernel: Kernel, X: Floats, count: int) -> Iterator[Floats]:
    """Yield Gram matrices with ever fewer columns."""
    state = KernelState(kernel, X)
    state.gram()
    for first in range(0, X.shape[1], count):
        state.drop(np.arange(first, first + count))
        yield state.gram()


def run(options: Options) -> Report:
    """Time both sides and compare their numbers."""
    report = Report(
        f"Gram matrices, peer numpy's matrix product, {options.threads} thread(s)",
        columns=(*RATIO_COLUMNS, "difference"),
        notes=[
            "difference: largest, relative to the largest value",
            "dropped: the peer computes the matrix of all columns, as it would at every step",
        ],
    )
    for rows, columns in SHAPES:
        X = np.random.default_rng(0).normal(size=(rows, columns))
        for what, kernel, peer in kernels(columns):

            def ours(kernel: Kernel = kernel, X: Floats = X) -> Floats:
                return KernelState(kernel, X).gram()

            seconds = race({"peer": partial(peer, X), "ours": ours}, options.repeat, least=1.0)
            label = f"{what}, {rows} x {columns}"
            row = compared(label, seconds["peer"], seconds["ours"], at_least=None)
            reference = peer(X)
            row["difference"] = float(np.abs(ours() - reference).max() / np.abs(reference).max())
            report.rows.append(row)
    X = np.random.default_rng(0).normal(size=(1714, 4000))
    for count in DROPS:
        for what, kernel, peer in kernels(X.shape[1]):
            steps = dropping(kernel, X, count)
            sides = {"peer": partial(peer, X), "ours": partial(next, steps)}
            seconds = race(sides, options.repeat, least=1.0)
            label = f"{what}, 1714 x 4000, {count} dropped"
            report.rows.append(compared(label, seconds["peer"], seconds["ours"], at_least=None))
    return report
