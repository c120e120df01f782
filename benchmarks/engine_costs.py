"""Times of sparse tables by both engines that can rank them, beside what the rule expects.

usage: python -m benchmarks.engine_costs [SECONDS]

An elimination is stopped after so many seconds (6), and infinity printed. The figures go into
`tests/elimination/test_costs.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import process_time

import numpy as np
from scipy import sparse

from svsieve.elimination import Constant, Data, Fraction, Parts, Task, walk
from svsieve.elimination.engines import engine_name
from svsieve.elimination.engines.costs import Work, sparse_seconds, wide_seconds
from svsieve.kernels import Linear
from svsieve.machines import CSvm, L2Svm

# rows, columns, filled, problems, share dropped (0: one at a time)
SHAPES = [
    (60, 100, 0.5, 1, 0.0),
    (60, 500, 0.1, 1, 0.0),
    (60, 2000, 0.05, 1, 0.0),
    (60, 5000, 0.02, 1, 0.1),
    (100, 300, 0.2, 5, 0.0),
    (100, 300, 0.2, 5, 0.1),
    (100, 20000, 0.01, 1, 0.01),
    (100, 20000, 0.2, 1, 0.01),
    (200, 1000, 0.1, 1, 0.0),
    (200, 2000, 0.02, 1, 0.0),
    (200, 2000, 0.3, 1, 0.0),
    (200, 2000, 0.02, 1, 0.1),
    (300, 1000, 0.05, 5, 0.1),
    (300, 3000, 0.02, 1, 0.01),
    (500, 1000, 0.05, 1, 0.0),
    (500, 1000, 0.05, 1, 0.1),
    (500, 5000, 0.01, 1, 0.1),
    (1000, 300, 0.1, 1, 0.0),
    (1000, 300, 0.1, 1, 0.1),
    (2000, 100, 0.1, 1, 0.0),
    (2000, 1000, 0.02, 1, 0.1),
    (2000, 2000, 0.2, 1, 0.2),
]
MACHINES = ((L2Svm(0.2), 1.0), (CSvm(1.0), None))
ENGINES: dict[str, Callable[[Work], float]] = {
    "sparse-linear": sparse_seconds,
    "wide-linear": wide_seconds,
}


def table(rows: int, columns: int, filled: float, problems: int) -> Data:
    """Uniform values in random places; a class is where its direction reaches furthest."""
    rng = np.random.default_rng(0)
    X = sparse.csr_array(sparse.random_array((rows, columns), density=filled, rng=rng))
    reach = X @ rng.normal(size=(columns, max(2, problems)))
    reach = (reach - reach.mean(axis=0)) / reach.std(axis=0)
    codes = (reach + 0.5 * rng.normal(size=reach.shape)).argmax(axis=1)
    classes = range(problems) if problems > 1 else [1]
    return Data(X, [Task(labels=np.where(codes == q, 1.0, -1.0)) for q in classes], codes)


def seconds(data: Data, parts: Parts, most: float) -> float:
    """CPU seconds of an elimination; infinite where they are more than asked for."""
    began = process_time()
    for _ in walk(data, parts):
        if process_time() - began > most:
            return np.inf
    return process_time() - began


def main(most: float = 6.0) -> None:
    """Print a line for every shape, machine and engine."""
    print("rows columns filled problems share machine engine measured expected chosen")
    for rows, columns, filled, problems, share in SHAPES:
        data = table(rows, columns, filled, problems)
        schedule = Fraction(share) if share else Constant(1)
        for machine, bias in MACHINES:
            parts = Parts(Linear(), machine, bias=bias, schedule=schedule)
            chosen = engine_name(data, parts)
            for name, expected in ENGINES.items():
                asked = Parts(Linear(), machine, bias=bias, schedule=schedule, engine=name)
                measured, rule = seconds(data, asked, most), expected(Work.of(data, parts))
                mark = "*" if chosen == name else ""
                print(
                    f"{rows} {columns} {filled} {problems} {share} {type(machine).__name__} {name} "
                    f"{measured:.4f} {rule:.4f} {mark}",
                    flush=True,
                )


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
