"""Small problems solved, as criteria see them."""

from __future__ import annotations

import numpy as np

from svsieve import kernels, machines
from svsieve.criteria import Context


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
) -> Context:
    """The problem on some rows of a state that holds all of them."""
    machine = machine or machines.CSvm(C=1.0)
    state = kernels.KernelState(kernel, X)
    picked = np.arange(len(labels)) if rows is None else rows
    K = state.gram()[np.ix_(picked, picked)]
    problem = machine.problem(state.diagonal()[picked], labels[picked])
    solution = machines.solve(problem, K, tol=1e-12)
    return Context(machine, problem, solution, rows, labels[picked], state)
