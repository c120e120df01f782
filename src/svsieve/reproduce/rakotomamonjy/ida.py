"""Figures 2 and 3: test error against the number of ranked variables, 100 given splits."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from svsieve import SVC, SVMRFE
from svsieve.datasets import load_public
from svsieve.kernels import Rbf
from svsieve.reproduce.experiment import Effort, Experiment, Measurement, Settings
from svsieve.reproduce.rakotomamonjy.readings import CRITERIA
from svsieve.reproduce.rakotomamonjy.toys import ERROR


class BenchmarkSet(Experiment):
    """A set of the IDA benchmark, with the parameters that the benchmark gives for it."""

    quantities = (ERROR,)
    x, series, y = "n_features", "method", "error"
    notes = (
        "The 100 splits of the benchmark: columns are ranked one by one on the training part, and "
        "the machine (Gaussian kernel, squared slacks) is tested on the best ones. The figure has "
        "no numbers to compare with. Its text: fewer variables do as well or better, and the span "
        "without retraining is poor."
    )
    C: ClassVar[float]
    sigma: ClassVar[float]

    def cells(self, effort: Effort) -> Iterable[Settings]:
        """Return the criteria without retraining and those of first order."""
        methods = list(CRITERIA)
        return [{"method": name} for name in (methods[:2] if effort is Effort.SMOKE else methods)]

    def repeats(self, effort: Effort) -> int:
        """Return the number of splits."""
        return {Effort.SMOKE: 1, Effort.QUICK: 10, Effort.FULL: 100}[effort]

    def measure(self, cell: Settings, repeat: int, effort: Effort) -> Iterable[Measurement]:
        """Rank on the training part of a split, and test all sizes on its test part."""
        found = load_public(self.data_sets[0])
        train, test = found.more["train_idx"][repeat], found.more["test_idx"][repeat]
        machine = SVC(kernel=Rbf(gamma=0.5 / self.sigma**2), C=self.C, slack="l2")
        selector = SVMRFE(machine, n_features_to_select=1, criterion=CRITERIA[str(cell["method"])])
        order = selector.fit(found.X[train], found.y[train]).path_.order
        for size in range(1, len(order) + 1):
            columns = order[:size]
            fitted = machine.fit(found.X[train][:, columns], found.y[train])
            wrong = fitted.predict(found.X[test][:, columns]) != found.y[test]
            yield Measurement({**cell, "n_features": size}, {"error": float(wrong.mean())})
