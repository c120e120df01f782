"""Every machine on small problems, with the program its formulas ask for."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from svsieve import machines
from svsieve.machines import DualProblem, DualSolution
from tests.reference import programs

TIGHT = 1e-12


@dataclass(frozen=True)
class Case:
    name: str
    machine: object
    program: Callable[[np.ndarray, np.ndarray], programs.Program]  # of diagonal and labels
    uses_labels: bool

    def __str__(self) -> str:
        return self.name

    def problem(self, K: np.ndarray, labels: np.ndarray) -> DualProblem:
        return self.machine.problem(np.diag(K).copy(), labels if self.uses_labels else None)


NU, N = 0.4, 40
CASES = [
    Case("c-svm", machines.CSvm(C=1.5), lambda d, y: programs.c_svm(y, 1.5), True),
    Case("l2-svm", machines.L2Svm(C=3.0), lambda d, y: programs.l2_svm(y, 1 / 3.0), True),
    Case("hard margin", machines.L2Svm(C=math.inf), lambda d, y: programs.l2_svm(y, 0.0), True),
    Case(
        "one-class",
        machines.OneClass(nu=NU),
        lambda d, y: programs.one_class(len(d), 1 / (NU * len(d))),
        False,
    ),
    Case("svdd by C", machines.Svdd(C=0.1), lambda d, y: programs.svdd(d, 0.1), False),
    Case(
        "svdd by nu",
        machines.Svdd(nu=NU),
        lambda d, y: programs.svdd(d, 1 / (NU * len(d))),
        False,
    ),
    Case("sphere", machines.EnclosingSphere(), lambda d, y: programs.sphere(d), False),
    Case(
        "ridged sphere",
        machines.EnclosingSphere(ridge=0.3),
        lambda d, y: programs.sphere(d, 0.3),
        False,
    ),
    Case(
        "negative svdd",
        machines.NegativeSvdd(C_target=0.3, C_outlier=0.2),
        lambda d, y: programs.negative_svdd(d, y, 0.3, 0.2),
        True,
    ),
    Case(
        "negative svdd by nu",
        machines.NegativeSvdd(nu=NU),
        lambda d, y: programs.negative_svdd(d, y, *2 * [1 / (NU * np.sum(y > 0))]),
        True,
    ),
    Case(
        "squared svdd",
        machines.SquaredSvdd(C=0.6),
        lambda d, y: programs.squared_svdd(d, np.ones(len(d)), 0.6, 0.6),
        False,
    ),
    Case(
        "squared negative svdd",
        machines.SquaredSvdd(C=0.6, C_outlier=0.3),
        lambda d, y: programs.squared_svdd(d, y, 0.6, 0.3),
        True,
    ),
]
BY_NAME = {case.name: case for case in CASES}


def cloud(rows: int = N, columns: int = 4, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Two overlapping classes of rows."""
    rng = np.random.default_rng([rows, columns, seed])
    labels = np.where(np.arange(rows) % 5 < 2, -1, 1)
    return rng.normal(size=(rows, columns)) + 0.6 * labels[:, None], labels


def gaussian(X: np.ndarray, gamma: float = 0.3) -> np.ndarray:
    squares = ((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2)
    return np.exp(-gamma * squares)


def cubic(X: np.ndarray) -> np.ndarray:
    return (0.5 * X @ X.T + 1) ** 3


def solved(case: Case, K: np.ndarray, labels: np.ndarray, **options) -> DualSolution:
    return machines.solve(case.problem(K, labels), K, **{"tol": TIGHT, **options})


def true_gap(K: np.ndarray, problem: DualProblem, solution: DualSolution) -> float:
    return programs.certificate(K, problem, solution.coefficients).gap * problem.gap_unit
