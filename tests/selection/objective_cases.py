"""Machines, kernels and rows on which objectives are tried, and central differences of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from svsieve.kernels import Kernel, Laplace, Linear, Polynomial, Rbf, scaled_kernel
from svsieve.kernels.parameters import parameters_of, with_parameters
from svsieve.machines import CSvm, L2Svm
from svsieve.selection.objectives import (
    Judge,
    Objective,
    PosteriorError,
    RadiusMargin,
    Span,
    ValidationError,
)
from tests.criteria.contexts import cloud
from tests.criteria.plain import derivative

X, LABELS = cloud(28, 4, seed=3)
X_OTHER, LABELS_OTHER = cloud(15, 4, seed=11)
HELD_OUT = (X_OTHER, LABELS_OTHER)
WEIGHTS = np.random.default_rng(2).choice([0.5, 1.0, 2.0], len(LABELS))

SLOPED: dict[str, Objective] = {
    "radius-margin": RadiusMargin(),
    "span": Span(),
    "validation": ValidationError(slope=2.0),
    "posterior": PosteriorError(),
    "fitted validation": ValidationError(slope="fitted"),
    "fitted slope": ValidationError(slope="fitted", offset=False),
    "counted radius-margin": RadiusMargin(count_supports=True),
    "radius-margin from zero": RadiusMargin(radius="origin", delta=0.5),
}
MACHINES = {"l1": CSvm(C=1.3), "l2": L2Svm(C=1.3)}
POLYNOMIAL = Polynomial(degree=3, gamma=0.2, coef0=0.7)
KERNELS: dict[str, Kernel] = {
    "rbf": Rbf(gamma=0.3),
    "weighted rbf": Rbf(gamma=0.5, weights=(0.3, 1.0, 2.0, 0.1)),
    "polynomial": POLYNOMIAL,
    "laplace": Laplace(gamma=0.2),
    "linear": Linear(),
    "sum": 0.7 * Rbf(gamma=0.3) + 0.4 * POLYNOMIAL,
}


def judge_of(objective: Objective, weights: np.ndarray | None = None, tol: float = 1e-12) -> Judge:
    return Judge(objective, X, LABELS, weights=weights, held_out=HELD_OUT, tol=tol)


def by_C(value: Callable, machine: CSvm | L2Svm, kernel: Kernel) -> float:
    """d value / d ln C, every program solved anew."""
    return derivative(lambda t: value(replace(machine, C=machine.C * np.exp(t)), kernel))


def by_params(value: Callable, machine: CSvm | L2Svm, kernel: Kernel) -> dict[str, float]:
    """Derivatives in the parameters of the kernel, every program solved anew."""
    start = parameters_of(kernel)
    return {
        name: derivative(
            lambda t, name=name: value(machine, with_parameters(kernel, {name: start[name] + t}))
        )
        for name in start
    }


def by_scales(value: Callable, machine: CSvm | L2Svm, kernel: Kernel) -> np.ndarray:
    """d value / d ln v for every column, every program solved anew."""
    unit = np.eye(X.shape[1])
    return np.array(
        [
            derivative(lambda t, j=j: value(machine, scaled_kernel(kernel, np.exp(t * unit[j]))))
            for j in range(X.shape[1])
        ]
    )
