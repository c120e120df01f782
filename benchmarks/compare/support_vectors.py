"""The support vectors and coefficients that the contractions are timed on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.compare.data import Floats, load

COUNT = 1700


@dataclass(frozen=True)
class SupportVectors:
    """Rows, signed coefficients (none zero, sum zero) and what a plain version precomputes."""

    X: Floats
    b: Floats
    label: str

    @property
    def gamma(self) -> float:
        """One over the number of features."""
        return 1.0 / int(self.X.shape[1])

    def products(self) -> Floats:
        """Return all inner products."""
        products: Floats = self.X @ self.X.T
        return products

    def squared_distances(self) -> Floats:
        """Return all squared distances."""
        products = self.products()
        squares = np.diag(products)
        return np.maximum(squares[:, None] + squares[None, :] - 2.0 * products, 0.0)


def support_vectors() -> SupportVectors:
    """Return 1,700 MADELON rows with coefficients of the labels' signs."""
    data = load("madelon")
    X, y = np.ascontiguousarray(data.X[:COUNT]), data.y[:COUNT]
    sizes = np.random.default_rng(0).uniform(0.1, 1.0, COUNT)
    for sign in (-1.0, 1.0):
        sizes[y == sign] /= sizes[y == sign].sum()
    kind = "MADELON" if data.real else "synthetic"
    return SupportVectors(X, y * sizes, f"{COUNT} {kind} support vectors x {X.shape[1]} features")
