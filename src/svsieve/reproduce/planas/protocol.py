"""What the tables of the thesis have in common: folds, ranking, validation, the optimum."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold
from sklearn.svm import LinearSVC

from svsieve import SVMRFE, rules, validate
from svsieve.arrays import FloatArray, IndexArray
from svsieve.reproduce.experiment import Effort, Experiment, Measurement, Quantity, Settings
from svsieve.selection import Curve

FEATURES = Quantity("n_features", judged=True, whole=True, digits=0)
ACCURACY = Quantity("accuracy", judged=True, percent=True, digits=2)
COST = Quantity("cost", judged=True)
OPTIMUM = (FEATURES, ACCURACY, COST)
PRINTED = ("n_features", "accuracy", "cost")  # columns of the published tables

TRADE_OFF = rules.Scalarised(0.8, 0.2)

EVERY_SIXTH = range(1, 300, 6)

# A ranking of the columns of some training rows; the seed is for what is random in it.
Ranking = Callable[[FloatArray, NDArray[Any], int], Any]


# Other random numbers for the cells that are run again.
OTHER_SEEDS = (1, 2, 3)


class ThesisTable(Experiment):
    """A table of the thesis: features, accuracy and cost of the optimum, from one run."""

    quantities: ClassVar[tuple[Quantity, ...]] = OPTIMUM
    x, series, y, log_x = "C", "machine", "cost", True
    one_run = True
    again = "seed"

    def repeats(self, effort: Effort) -> int:
        """Return how often the rows are shuffled into other folds."""
        return {Effort.SMOKE: 1, Effort.QUICK: 2, Effort.FULL: 3}[effort]


def run_again(cells: Iterable[Settings]) -> list[Settings]:
    """Return cells with other random numbers: they tell how far two runs are apart."""
    return [{**cell, "seed": seed} for cell in cells for seed in OTHER_SEEDS]


def linear(C: float) -> LinearSVC:
    """Return the linear machine of the thesis: squared hinge loss, the intercept penalised too."""
    return LinearSVC(C=C, dual=False, max_iter=10_000)


def eliminating(machine: Any, step: Any, **parts: Any) -> Ranking:
    """Return the ranking by elimination down to one column."""

    def ranking(X: FloatArray, y: NDArray[Any], seed: int) -> Any:
        selector = SVMRFE(machine, n_features_to_select=1, step=step, random_state=seed, **parts)
        return selector.fit(X, y).path_

    return ranking


@dataclass(frozen=True, eq=False)
class Trial:
    """One cross-validation: rank the columns in every fold, then validate the rankings there.

    Attributes
    ----------
    X, y : ndarray
    splits : list of pairs of int arrays
        Training and test rows.
    seed : int
    """

    X: FloatArray
    y: NDArray[Any]
    splits: list[tuple[IndexArray, IndexArray]]
    seed: int

    @classmethod
    def of(
        cls, table: tuple[FloatArray, NDArray[Any]], folds: int, repeat: int, effort: Effort
    ) -> Trial:
        """Shuffle the rows into folds, without regard to the classes; few rows to try the code."""
        X, y = table
        if effort is Effort.SMOKE:
            X, y, folds = np.ascontiguousarray(X[:150, :40]), y[:150], 2
        splits = KFold(folds, shuffle=True, random_state=repeat).split(X)
        return cls(X, y, list(splits), repeat)

    def sampled(self, share: float) -> Trial:
        """Keep a share of the training rows of each fold, also for the validation."""
        rng = np.random.default_rng(self.seed)
        splits = [
            (rng.choice(train, int(share * len(train)), replace=False), test)
            for train, test in self.splits
        ]
        return replace(self, splits=splits)

    def sizes(self, wanted: Iterable[int]) -> list[int]:
        """Return the sizes that the table has columns for."""
        return [size for size in wanted if size < self.X.shape[1]]

    def ranked(self, ranking: Ranking) -> tuple[list[Any], float]:
        """Return the ranking of each fold, and the seconds that one took on average."""
        began = time.process_time()
        found = [
            ranking(self.X[train], self.y[train], 1000 * self.seed + fold)
            for fold, (train, _) in enumerate(self.splits)
        ]
        return found, (time.process_time() - began) / len(self.splits)

    def validated(self, rankings: Sequence[Any], machine: Any, sizes: Iterable[int]) -> Curve:
        """Return the accuracy on held-out rows against the number of best columns."""
        return validate(
            list(rankings),
            machine,
            self.X,
            self.y,
            cv=self.splits,
            sizes=self.sizes(sizes),
            return_train_score=False,
        )


def optimum(cell: Settings, curve: Curve, seconds: float | None = None) -> Measurement:
    """Return the size of least cost of the mean curve, chosen on the test folds."""
    size = TRADE_OFF.choose(curve).size
    at = int(np.searchsorted(curve.sizes, size))
    error = float(curve.standard_error()[at])
    errors = {"accuracy": error, "cost": TRADE_OFF.w_accuracy * error}
    values = {
        "n_features": float(size),
        "accuracy": float(curve.mean()[at]),
        "cost": float(TRADE_OFF.cost(curve)[at]),
    }
    if seconds is not None:
        values["seconds"] = seconds
    return Measurement(cell, values, errors)


# A whole curve, for figures.
CURVE = Quantity("mean_accuracy", percent=True, drawn_only=True)


def points(cell: Settings, curve: Curve) -> list[Measurement]:
    """Return a curve as cells: one for every size."""
    return [
        Measurement({**cell, "size": int(size)}, {CURVE.name: float(mean)})
        for size, mean in zip(curve.sizes, curve.mean(), strict=True)
    ]


def optimum_of_folds(cell: Settings, curve: Curve, seconds: float | None = None) -> Measurement:
    """Return the same, but the cost is the mean of each fold's own least cost, with its error."""
    one = optimum(cell, curve, seconds)
    costs = 0.8 * (1.0 - curve.scores()) + 0.2 * curve.sizes / curve.n_columns
    least = costs.min(axis=1)
    error = float(least.std(ddof=1) / np.sqrt(len(least)))
    return replace(
        one,
        values=one.values | {"cost": float(least.mean())},
        errors=one.errors | {"cost": error},
    )
