"""Figure 5: what C and sigma do."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from svsieve import SVC, SVMRFE
from svsieve.datasets import make_weston_nonlinear
from svsieve.kernels import Rbf
from svsieve.reproduce.experiment import Effort, Experiment, Measurement, Settings
from svsieve.reproduce.rakotomamonjy.readings import CRITERIA
from svsieve.reproduce.rakotomamonjy.toys import ALL_ROWS, ERROR

VALUES_OF_C = (0.1, 1.0, 10.0, 100.0, 1e3, 1e4)
VALUES_OF_SIGMA = (0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0)
METHODS = ("w2", "r2w2", "grad_w2", "grad_r2w2", "grad_span")


class Parameters(Experiment):
    """Error of the two best columns against C at sigma = 3, and against sigma at C = 100."""

    id = "rakotomamonjy-fig-5"
    title = "Non-linear toy problem: influence of C and sigma"
    notes = (
        "50 training rows, the two best columns, the draws of rakotomamonjy-2. C varies at sigma = "
        "3, sigma at C = 100. The figure has no numbers to compare with."
    )
    quantities = (ERROR,)
    x, series, y, log_x = "value", "method", "error", True

    def cells(self, effort: Effort) -> Iterable[Settings]:
        """Return both sweeps."""
        sweeps = {"C": VALUES_OF_C, "sigma": VALUES_OF_SIGMA}
        cells: list[Settings] = [
            {"parameter": name, "value": value} for name in sweeps for value in sweeps[name]
        ]
        return cells if effort is Effort.FULL else cells[:: 6 if effort is Effort.SMOKE else 2]

    def repeats(self, effort: Effort) -> int:
        """Return the number of draws."""
        return {Effort.SMOKE: 1, Effort.QUICK: 10, Effort.FULL: 100}[effort]

    def measure(self, cell: Settings, repeat: int, effort: Effort) -> Iterable[Measurement]:
        """Draw, rank by each criterion and test."""
        chosen = {"C": 100.0, "sigma": 3.0, str(cell["parameter"]): float(cell["value"])}
        rng = np.random.default_rng(np.random.SeedSequence((2, 50, repeat)))
        X, y = make_weston_nonlinear(50, rng=rng, balanced=True)
        X_test, y_test = make_weston_nonlinear(ALL_ROWS - 50, rng=rng)
        mean, deviation = X.mean(axis=0), X.std(axis=0)
        X, X_test = (X - mean) / deviation, (X_test - mean) / deviation
        machine = SVC(kernel=Rbf(gamma=0.5 / chosen["sigma"] ** 2), C=chosen["C"], slack="l2")
        for method in METHODS:
            selector = SVMRFE(machine, n_features_to_select=2, criterion=CRITERIA[method])
            columns = selector.fit(X, y).path_.survivors
            wrong = machine.fit(X[:, columns], y).predict(X_test[:, columns]) != y_test
            yield Measurement({"method": method, **cell}, {"error": float(wrong.mean())})


EXPERIMENT = Parameters()
