"""Figure 4: how the number of variables can be chosen."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from svsieve import SVC, SVMRFE
from svsieve.arrays import FloatArray
from svsieve.criteria import Context, RadiusMargin
from svsieve.datasets import make_weston_nonlinear
from svsieve.kernels import KernelState, Rbf
from svsieve.machines import L2Svm, solve
from svsieve.reproduce.experiment import Effort, Experiment, Measurement, Quantity, Settings
from svsieve.reproduce.rakotomamonjy.toys import ALL_ROWS, ERROR

C, KERNEL = 1e3, Rbf(gamma=0.5 / 3.0**2)


class NumberOfVariables(Experiment):
    """Error on new rows, the radius/margin bound and the criterion removed, against the size."""

    id = "rakotomamonjy-fig-4"
    title = "Non-linear toy problem: three ways to see how many variables to keep"
    notes = (
        "50 training rows, ranked by the change of the weight norm. Shown against the number of "
        "variables left: the error on new rows, the bound R^2 w^2 / m, and the criterion of the "
        "variable that goes next. The figure has no numbers to compare with; its text says that a "
        "threshold of 100 on the criterion would keep about ten variables."
    )
    quantities = (ERROR, Quantity("bound", digits=1), Quantity("criterion", digits=2))
    x, series, y = "n_features", "error", "error"

    def cells(self, effort: Effort) -> Iterable[Settings]:
        """Return the one setting."""
        return [{"train_size": 10 if effort is Effort.SMOKE else 50}]

    def repeats(self, effort: Effort) -> int:
        """Return the number of draws."""
        return {Effort.SMOKE: 2, Effort.QUICK: 10, Effort.FULL: 100}[effort]

    def measure(self, cell: Settings, repeat: int, effort: Effort) -> Iterable[Measurement]:
        """Rank a draw, and look at every size."""
        n = int(cell["train_size"])
        rng = np.random.default_rng(np.random.SeedSequence((4, repeat)))
        X, y = make_weston_nonlinear(n, rng=rng, balanced=True)
        X_test, y_test = make_weston_nonlinear(ALL_ROWS // 5, rng=rng)
        mean, deviation = X.mean(axis=0), X.std(axis=0)
        X, X_test = (X - mean) / deviation, (X_test - mean) / deviation
        machine = SVC(kernel=KERNEL, C=C, slack="l2")
        path = SVMRFE(machine, n_features_to_select=1).fit(X, y).path_
        for size, criterion in zip(range(1, 53), path.importances[::-1], strict=True):
            columns = np.sort(path.top(size))
            wrong = machine.fit(X[:, columns], y).predict(X_test[:, columns]) != y_test
            values = {"error": float(wrong.mean()), "criterion": float(criterion)}
            values["bound"] = bound(X[:, columns], y.astype(np.float64)) / n
            yield Measurement({"n_features": size}, values)


def bound(X: FloatArray, y: FloatArray) -> float:
    """Return R^2 ||w||^2 of the machine with squared slacks."""
    state, machine = KernelState(KERNEL, X), L2Svm(C=C)
    problem = machine.problem(state.diagonal(), y)
    context = Context(machine, problem, solve(problem, state.gram()), None, y, state)
    return RadiusMargin().value(context)


EXPERIMENT = NumberOfVariables()
