"""Machines with several kernels and penalties on the same columns, judged on held-out rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np

from svsieve.arrays import FloatArray, IndexArray, Table
from svsieve.elimination import Data
from svsieve.kernels import Kernel
from svsieve.machines import CSvm, solve


def decisions_at(
    data: Data,
    machines: Sequence[tuple[Kernel, float]],
    Z: Table,
    columns: IndexArray,
    *,
    tol: float = 1e-3,
) -> Iterator[FloatArray]:
    """Train machines on some columns and yield what each makes of held-out rows.

    Machines that follow one another with the same kernel share its matrices, and each begins where
    the one before ended: give the penalties of a kernel in ascending order.

    Parameters
    ----------
    data : Data
        What is trained on.
    machines : sequence of (kernel, C)
        Gamma rules are evaluated on the columns.
    Z : table
        Held-out rows, with all columns.
    columns : ndarray of int
    tol : float, default=1e-3
        KKT gap to reach.

    Yields
    ------
    ndarray of shape (n_problems, n_held_out)
        Decision values.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.elimination import Data, Task
    >>> from svsieve.kernels import Linear
    >>> from svsieve.selection.settings import decisions_at
    >>> X = np.array([[-1.0, 5.0], [1.0, 3.0]])
    >>> data = Data(X, (Task(labels=np.array([-1.0, 1.0])),), np.array([0, 1]))
    >>> list(decisions_at(data, [(Linear(), 1.0)], np.array([[2.0, 9.0]]), np.array([0])))
    [array([[2.]])]
    """
    X, Z = data.X[:, columns], Z[:, columns]
    if isinstance(X, np.ndarray):
        X, Z = np.ascontiguousarray(X), np.ascontiguousarray(Z)
    for rule, group in groupby(machines, key=lambda machine: machine[0]):
        kernel = rule.bind(X, row_weights=data.row_weights)
        K, cross = kernel.gram(X), kernel.cross(Z, X)
        starts: list[FloatArray | None] = [None] * len(data.tasks)
        before = 1.0
        for _, C in group:
            values = np.empty((len(data.tasks), Z.shape[0]))
            for q, task in enumerate(data.tasks):
                rows = np.arange(len(K)) if task.rows is None else task.rows
                own = K if task.rows is None else K[np.ix_(rows, rows)]
                problem = CSvm(C).problem(np.diagonal(own), task.labels, task.weights)
                start = starts[q]
                begin = None if start is None else start * (C / before)
                solution = solve(problem, own, start=begin, tol=tol)
                b = starts[q] = solution.coefficients
                used = np.flatnonzero(b)
                values[q] = cross[:, rows[used]] @ b[used] + solution.offset
            before = C
            yield values
