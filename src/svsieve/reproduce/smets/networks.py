"""Small worlds and scale-free networks told apart by their statistics."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from svsieve import SVC
from svsieve.reproduce.experiment import Effort, Experiment, Measurement, Quantity, Settings
from svsieve.reproduce.smets.network_machines import KERNELS, TUNED, machine_of, networks
from svsieve.reproduce.smets.toys import FISHER, RFE, SCALING, Table, accuracies

NETWORKS = (519, 330)  # scale-free, small worlds
RAW, SCALED = "raw", "scaled"


class Networks(Experiment):
    """Accuracy on the networks held out against the number of statistics kept."""

    quantities = (
        Quantity("accuracy", percent=True, digits=1, drawn_only=True),
        Quantity("accuracy_of_three", percent=True, digits=1),
        Quantity("skewness_of_three", percent=True, digits=0),
        Quantity("separated", percent=True, digits=1),
    )
    x, series, y = "n_features", "method", "accuracy"
    panels = ("data", "train_size")
    features: ClassVar[str]
    sizes: ClassVar[tuple[int, ...]]
    figures: ClassVar[dict[str, tuple[str, ...]]]

    def cells(self, effort: Effort) -> Iterable[Settings]:
        """Return kernels with rankings, for each number of training networks; the scatter plots."""
        plots: list[Settings] = [{"figure": figure} for figure in self.figures]
        ways = [(kernel, method) for kernel in KERNELS for method in (FISHER, RFE, SCALING)]
        ways += [(TUNED, method) for method in (FISHER, RFE)]
        if effort is Effort.SMOKE:
            ways = ways[::5]  # each ranking once
        sizes = {Effort.SMOKE: (10,), Effort.QUICK: (10, 100)}.get(effort, (10, 25, 50, 100, 250))
        return plots + [
            {"data": data, "train_size": n, "kernel": kernel, "method": method}
            for data in (RAW, SCALED)
            for n in sizes
            for kernel, method in ways
        ]

    def repeats(self, effort: Effort) -> int:
        """Return the number of splits."""
        return {Effort.SMOKE: 1, Effort.QUICK: 3, Effort.FULL: 10}[effort]

    def measure(self, cell: Settings, repeat: int, effort: Effort) -> Iterable[Measurement]:
        """Split, rank and test; or see whether the columns of a scatter plot separate the kinds."""
        counts = tuple(number // 10 for number in NETWORKS) if effort is Effort.SMOKE else NETWORKS
        X, y, names = networks(self.features, *counts)
        if "figure" in cell:
            shown = np.isin(names, self.figures[str(cell["figure"])])
            columns = StandardScaler().fit_transform(X[:, shown])
            separated = SVC(kernel="linear", C=1e3).fit(columns, y).score(columns, y)
            return [Measurement(cell, {"separated": float(separated)})]
        if cell["data"] == SCALED:
            X = MinMaxScaler((-1.0, 1.0)).fit_transform(X)
        splitter = StratifiedShuffleSplit(
            1, train_size=int(cell["train_size"]), random_state=repeat
        )
        train, test = next(splitter.split(X, y))
        machine = machine_of(str(cell["kernel"]), (X[train], y[train]))
        return self._curve(cell, machine, (X[train], y[train]), (X[test], y[test]), names)

    def _curve(
        self, cell: Settings, machine: SVC, train: Table, test: Table, names: NDArray[np.str_]
    ) -> Iterable[Measurement]:
        method = str(cell["method"])
        for size, kept, accuracy in accuracies(method, machine, train, test, self.sizes):
            yield Measurement({**cell, "n_features": size}, {"accuracy": accuracy})
            if size == 3:
                skewed = float(np.char.startswith(names[kept], "skewness").mean())
                values = {"accuracy_of_three": accuracy, "skewness_of_three": skewed}
                yield Measurement(cell, values)
