"""The oracle problem in the library's own terms."""

from __future__ import annotations

import math

import numpy as np

from svsieve import kernels, machines
from tests.oracles import numbers

GAUSSIAN = kernels.Rbf(gamma=numbers.GAMMA)
POLYNOMIAL = kernels.Polynomial(degree=numbers.DEGREE, gamma=numbers.GAMMA, coef0=numbers.COEF0)
KERNELS = {
    "linear": kernels.Linear(),
    "polynomial": POLYNOMIAL,
    "gaussian": GAUSSIAN,
    "weighted gaussian": kernels.Rbf(gamma=1.0, weights=numbers.WEIGHTED_GAMMAS),
    "normalised polynomial": kernels.Normalised(POLYNOMIAL),
    "0.7 gaussian + 0.3 polynomial": 0.7 * GAUSSIAN + 0.3 * POLYNOMIAL,
    "gaussian * polynomial": GAUSSIAN * POLYNOMIAL,
}
TOL = 1e-13

L1_SVM = machines.CSvm(C=numbers.C)
L2_SVM = machines.L2Svm(C=numbers.C)
HARD_MARGIN = machines.L2Svm(C=math.inf)
SPHERE = machines.EnclosingSphere()
RIDGED_SPHERE = machines.EnclosingSphere(ridge=numbers.RIDGE)
SVDD = machines.Svdd(C=numbers.ONE_CLASS_BOUND)
ONE_CLASS = machines.OneClass(nu=1 / (numbers.ONE_CLASS_BOUND * len(numbers.X)))
NEGATIVE_SVDD = machines.NegativeSvdd(C_target=numbers.C_TARGET, C_outlier=numbers.C_OUTLIER)


def state(column: int, without: int | None = None) -> kernels.KernelState:
    """Kernel state of the oracle data, optionally after dropping one column."""
    result = kernels.KernelState(KERNELS[numbers.KERNELS[column]], numbers.X)
    if without is not None:
        result.drop([without])
    return result


class Fit:
    """A machine solved on one state: everything the oracle speaks about."""

    def __init__(self, machine, state: kernels.KernelState, labels=None) -> None:
        self.machine, self.K = machine, state.gram()
        self.problem = machine.problem(state.diagonal(), labels)
        self.solution = machines.solve(self.problem, self.K, tol=TOL)
        assert self.solution.stopped in ("converged", "precision-floor")
        self.b = self.solution.coefficients
        self.offset = self.solution.offset
        self.value = machine.value(self.solution, self.problem)
        self.weights = machine.pair_weights(self.solution)
        self.norm = float(self.b @ self.K @ self.b)

    def decision(self) -> np.ndarray:
        return self.K @ self.b + self.offset
