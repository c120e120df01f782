"""``Sieve()`` without settings on rows that it sees, judged on rows that it does not see."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from svsieve import Sieve
from svsieve.arrays import FloatArray, IndexArray
from svsieve.datasets import load_public
from svsieve.reproduce.experiment import Effort, Experiment, Measurement, Quantity, Settings

SIZES = (1, 2, 3, 5, 7, 9, 12, 15, 20, 30, 50, 100, 200, 500)
# What a trial of the code sees.
FEW_ROWS, FEW_COLUMNS = 40, 6


class OneCall(Experiment):
    """Accuracy on held-out rows, columns kept, and what `Sieve` said before it saw them."""

    quantities: ClassVar[tuple[Quantity, ...]] = (
        Quantity("accuracy", percent=True, digits=2),
        Quantity("n_features", digits=1),
        Quantity("own_estimate", percent=True, digits=2),
        Quantity("accuracy_at_size", percent=True, digits=2, drawn_only=True),
    )
    x, series, y, log_x = "size", "ranking of Sieve", "accuracy_at_size", True

    @abstractmethod
    def split(self, y: NDArray[Any], repeat: int) -> tuple[IndexArray, IndexArray]:
        """Return the rows to choose from, and the rows to judge by."""

    def cells(self, effort: Effort) -> Iterable[Settings]:
        """Return the one way."""
        return self.printed_cells()

    def measure(self, cell: Settings, repeat: int, effort: Effort) -> Iterable[Measurement]:
        """Fit on some rows, judge on the others; for the figure, at other sizes too."""
        found = load_public(self.data_sets[0])
        train, test = self.split(found.y, repeat)
        X, y, X_test, y_test = found.X[train], found.y[train], found.X[test], found.y[test]
        if effort is Effort.SMOKE:
            X, y, X_test = X[:FEW_ROWS, :FEW_COLUMNS], y[:FEW_ROWS], X_test[:, :FEW_COLUMNS]
        sieve = Sieve().fit(X, y)
        accuracy = float(sieve.score(X_test, y_test))
        values = {"accuracy": accuracy, "n_features": float(sieve.n_features_)}
        values |= {"own_estimate": float(sieve.score_), **self.more(sieve, X, y)}
        error = math.sqrt(accuracy * (1.0 - accuracy) / len(y_test))
        yield Measurement(cell, values, {"accuracy": error})
        for size in (size for size in SIZES if size <= X.shape[1]):
            kept = np.sort(sieve.path_.top(size))
            machine = clone(sieve.estimator_).fit(X[:, kept], y)
            reached = float(machine.score(X_test[:, kept], y_test))
            yield Measurement({"size": size}, {"accuracy_at_size": reached})

    def more(self, sieve: Sieve, X: FloatArray, y: NDArray[Any]) -> dict[str, float]:
        """Return other numbers about the training rows and what was found there."""
        return {}
