"""Small problems solved, as criteria see them."""

from __future__ import annotations

import numpy as np

from svsieve import kernels, machines
from svsieve.criteria import Context
from tests.oracles import library, numbers


def cloud(rows: int = 30, columns: int = 6, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Overlapping classes; the first columns tell them apart best."""
    rng = np.random.default_rng([rows, columns, seed])
    labels = np.where(np.arange(rows) % 3 == 0, -1.0, 1.0)
    strength = 1.0 / (1.0 + np.arange(columns))
    return rng.normal(size=(rows, columns)) + labels[:, None] * strength, labels


def solved(
    kernel: kernels.Kernel,
    X: np.ndarray,
    labels: np.ndarray,
    machine: machines.Machine | None = None,
    rows: np.ndarray | None = None,
    weights: np.ndarray | None = None,
    tol: float = 1e-12,
) -> Context:
    """The problem on some rows of a state that holds all of them."""
    machine = machine or machines.CSvm(C=1.0)
    state = kernels.KernelState(kernel, X)
    picked = np.arange(len(labels)) if rows is None else rows
    K = state.gram()[np.ix_(picked, picked)]
    problem = machine.problem(state.diagonal()[picked], labels[picked], weights)
    solution = machines.solve(problem, K, tol=tol)
    return Context(machine, problem, solution, rows, labels[picked], state, tol)


def oracle(machine: machines.Machine, column: int) -> Context:
    """The problem of the known digits with one of its kernels."""
    state, labels = library.state(column), numbers.Y.astype(float)
    fit = library.Fit(machine, state, labels)
    return Context(machine, fit.problem, fit.solution, None, labels, state, library.TOL)


MACHINES = {"c": machines.CSvm(C=1.0), "l2": machines.L2Svm(C=1.0)}
