"""Gram matrices, built and down-dated, against numpy's matrix product."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from benchmarks.compare.data import Floats
from benchmarks.compare.timing import RATIO_COLUMNS, Options, Report, compared, race
from svsieve.kernels import Kernel, KernelState, Linear, Rbf

SHAPES = ((62, 2000), (100, 60_000), (300, 16_384), (1714, 500), (4000, 50))
PATH, DROPS = (1714, 4000), (1, 20)  # a table, and how many of its columns go at a time


def linear_gram(X: Floats, gamma: float) -> Floats:
    """Return all inner products."""
    products: Floats = X @ X.T
    return products


def gaussian_gram(X: Floats, gamma: float) -> Floats:
    """Return exp(-gamma D)."""
    products = X @ X.T
    squares = np.diag(products)
    distances = np.maximum(squares[:, None] + squares[None, :] - 2.0 * products, 0.0)
    values: Floats = np.exp(-gamma * distances)
    return values


Peer = Callable[[Floats, float], Floats]


def kernels(gamma: float) -> list[tuple[str, Kernel, Peer]]:
    """Return each kernel with its plain version."""
    return [("linear", Linear(), linear_gram), ("RBF", Rbf(gamma=gamma), gaussian_gram)]


def drop_first(state: KernelState, count: int) -> Floats:
    """Leave out the first columns that are left and return the new matrix."""
    state.drop(state.kept[:count])
    return state.gram()


def difference(ours: Floats, peer: Floats) -> float:
    """Return the largest difference, relative to the largest value."""
    return float(np.abs(ours - peer).max() / np.abs(peer).max())


def run(options: Options) -> Report:
    """Time both sides and compare their numbers."""
    report = Report(
        f"Gram matrices, peer numpy's matrix product, {options.threads} thread(s)",
        columns=(*RATIO_COLUMNS, "difference"),
        notes=[
            "difference: largest, relative to the largest value",
            "dropped: ours along a path, the peer always with all columns",
        ],
    )
    for rows, columns in SHAPES:
        X, gamma = np.random.default_rng(0).normal(size=(rows, columns)), 1.0 / columns
        for what, kernel, peer in kernels(gamma):

            def ours(kernel: Kernel = kernel, X: Floats = X) -> Floats:
                return KernelState(kernel, X).gram()

            sides = {"peer": partial(peer, X, gamma), "ours": ours}
            seconds = race(sides, options.repeat, least=1.0)
            label = f"{what}, {rows} x {columns}"
            row = compared(label, seconds["peer"], seconds["ours"], at_least=None)
            row["difference"] = difference(ours(), peer(X, gamma))
            report.rows.append(row)
    X, gamma = np.random.default_rng(0).normal(size=PATH), 1.0 / PATH[1]
    for count in DROPS:
        for what, kernel, peer in kernels(gamma):
            state = KernelState(kernel, X)
            state.gram()
            sides = {"peer": partial(peer, X, gamma), "ours": partial(drop_first, state, count)}
            seconds = race(sides, options.repeat, least=1.0)
            label = f"{what}, {PATH[0]} x {PATH[1]}, {count} dropped"
            row = compared(label, seconds["peer"], seconds["ours"], at_least=None)
            row["difference"] = difference(state.gram(), peer(X[:, state.kept], gamma))
            report.rows.append(row)
    return report
