"""Table 5.17: times of implementations, in the validation of a random ranking."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.svm import SVC as PeerSVC
from sklearn.svm import LinearSVC

from svsieve import SVC
from svsieve.arrays import FloatArray
from svsieve.kernels import PerFeature, Polynomial
from svsieve.reproduce.experiment import Effort, Experiment, Measurement, Quantity, Settings
from svsieve.reproduce.planas.data import IMPLEMENTATIONS
from svsieve.reproduce.published import PublishedCell, read

C = 0.1
CUBIC = Polynomial(degree=3, gamma=PerFeature(1.0), coef0=C)


class Precomputed(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """LIBSVM on a kernel matrix of degree 3 that is made outside of it."""

    def fit(self, X: FloatArray, y: NDArray[Any]) -> Precomputed:
        """Make the matrix and train."""
        kernel = Polynomial(degree=3, gamma=1.0 / X.shape[1], coef0=C)
        self.machine_ = PeerSVC(kernel="precomputed", C=C).fit(kernel.gram(X), y)
        return self


MACHINES: dict[str, Any] = {
    "LIBLINEAR": LinearSVC(C=C, dual=False),
    "LIBSVM, built-in kernel": PeerSVC(kernel="linear", C=C),
    "LIBSVM, precomputed kernel": Precomputed(),
    "svsieve, linear": SVC(kernel="linear", C=C),
    "svsieve, degree 3": SVC(kernel=CUBIC, C=C),
}


class Implementations(Experiment):
    """The time of training on the best 1, 3, 5, ... columns of a random ranking."""

    id = "planas-5.17"
    title = "LIBLINEAR against LIBSVM: times, and those of this library"
    notes = (
        "100 columns, C = 0.1, trained at sizes 1, 3, ..., 99 of a random ranking. Times are "
        "divided by that of LIBLINEAR on as many rows, measured in the same run; the published "
        "speed-ups are the inverse. The rows of this library were not published."
    )
    quantities = (Quantity("seconds", relative_to={"implementation": "LIBLINEAR"}),)
    x, series, y = "train_size", "implementation", "seconds"

    def cells(self, effort: Effort) -> Iterable[Settings]:
        """Return all implementations on 500, 1000 and 2000 rows."""
        rows = {Effort.SMOKE: (100,), Effort.QUICK: (500,), Effort.FULL: (500, 1000, 2000)}[effort]
        return [{"implementation": name, "train_size": n} for n in rows for name in MACHINES]

    def repeats(self, effort: Effort) -> int:
        """Return how often it is timed."""
        return 3 if effort is Effort.FULL else 1

    def measure(self, cell: Settings, repeat: int, effort: Effort) -> Iterable[Measurement]:
        """Train at all sizes."""
        X, y = IMPLEMENTATIONS.table()
        rows = slice(0, int(cell["train_size"]))
        order = np.random.default_rng(repeat).permutation(X.shape[1])
        machine = MACHINES[str(cell["implementation"])]
        began = time.process_time()
        for size in range(1, 100, 20 if effort is Effort.SMOKE else 2):
            machine.fit(np.ascontiguousarray(X[rows, order[:size]]), y[rows])
        return [Measurement(cell, {"seconds": time.process_time() - began})]

    def published(self) -> list[PublishedCell]:
        """Return the table."""
        return read("planas_5_17", ("implementation", "train_size"), {"time_s": "seconds"})


EXPERIMENT = Implementations()
