"""Tables 3 and 4: gene expression, few rows and thousands of columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.preprocessing import StandardScaler

from svsieve import SVC, SVMRFE, golub_score, schedules
from svsieve.arrays import FloatArray
from svsieve.datasets import load_public
from svsieve.elimination import Path
from svsieve.reproduce.experiment import Effort, Experiment, Measurement, Settings
from svsieve.reproduce.published import PublishedCell, read
from svsieve.reproduce.rakotomamonjy.readings import CRITERIA
from svsieve.reproduce.rakotomamonjy.toys import ERROR, TRIALS


class Genes(Experiment):
    """Mean test error against the number of best columns, by criterion."""

    quantities = (ERROR,)
    x, series, y, log_x = "n_features", "method", "error", True
    panels = ("values",)

    table: ClassVar[str]
    train_rows: ClassVar[int]

    def rows(self, cell: Settings) -> tuple[FloatArray, NDArray[Any]]:
        """Return the table before its columns are standardised."""
        found = load_public(self.data_sets[0])
        return found.X, found.y

    def cells(self, effort: Effort) -> Iterable[Settings]:
        """Return the one protocol: a split serves all criteria and sizes."""
        return [{}]

    def repeats(self, effort: Effort) -> int:
        """Return the number of splits."""
        return {Effort.SMOKE: 1, Effort.QUICK: 6, Effort.FULL: TRIALS}[effort]

    def measure(self, cell: Settings, repeat: int, effort: Effort) -> Iterable[Measurement]:
        """Split, rank the columns of the training rows, test the best ones."""
        X, y = self.rows(cell)
        if effort is Effort.SMOKE:
            X = X[:, :300]
        splitter = StratifiedShuffleSplit(1, train_size=self.train_rows, random_state=repeat)
        train, test = next(splitter.split(X, y))
        scaler = StandardScaler().fit(X[train])
        X_train, X_test = scaler.transform(X[train]), scaler.transform(X[test])
        machine = SVC(kernel="linear", C=1e6, slack="l2")

        def error(columns: NDArray[Any]) -> dict[str, float]:
            fitted = machine.fit(X_train[:, columns], y[train])
            return {"error": float((fitted.predict(X_test[:, columns]) != y[test]).mean())}

        for method, order in self._orders(machine, X_train, y[train]):
            for size in self._sizes(method):
                if size <= X.shape[1] or method == "svm_all":
                    settings = {"method": method, "n_features": size, **cell}
                    yield Measurement(settings, error(np.sort(order[:size])))

    def _orders(
        self, machine: SVC, X: FloatArray, y: NDArray[Any]
    ) -> Iterable[tuple[str, NDArray[Any]]]:
        """Return the columns, best first, by each criterion of the table."""
        yield "svm_all", np.arange(X.shape[1])
        yield "corr", Path.from_scores(golub_score(X, y)).order
        for method, criterion in CRITERIA.items():
            selector = SVMRFE(
                machine,
                n_features_to_select=20,
                step=schedules.HalveThenOne(100),
                criterion=criterion,
            )
            if self._sizes(method):
                yield method, selector.fit(X, y).path_.order

    def _sizes(self, method: str) -> list[int]:
        cells = [one.cell for one in self.published()]
        return [int(cell["n_features"]) for cell in cells if cell["method"] == method]

    def published(self) -> list[PublishedCell]:
        """Return the table."""
        keys = ("method", "n_features")
        return read(f"rakotomamonjy_{self.table}", keys, ["error"], trials=TRIALS)
