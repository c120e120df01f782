"""What an elimination costs by which engine: the rule by which sparse tables get theirs.

The figures are CPU seconds of one thread, good to a factor of two or three; the two engines are
often a factor of ten or a hundred apart. ``python -m benchmarks.engine_costs`` measures them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from svsieve.elimination.parts import Data, Parts
from svsieve.machines import L2Svm

# So many steps are counted, the others taken to be like them.
MOST_COUNTED = 5000
# Steps, and tables passed over in them, where the schedule waits for the scores.
UNKNOWN_STEPS, UNKNOWN_TABLES = 60, 10.0


@dataclass(frozen=True)
class Work:
    """What there is to do.

    Attributes
    ----------
    rows : float
        Of a problem, on average.
    all_rows, columns, entries : int
        Of the table.
    problems, steps : int
    tables : float
        The columns of all steps together, in those of the table.
    squared : bool
        Whether the slack is squared, which makes a machine smooth.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from svsieve.elimination import Data, Fraction, Parts, Task
    >>> from svsieve.elimination.engines.costs import Work
    >>> from svsieve.kernels import Linear
    >>> from svsieve.machines import CSvm
    >>> y = np.array([-1.0, 1.0])
    >>> data = Data(sparse.csr_array(np.eye(2)), (Task(labels=y),), (y > 0).astype(np.int64))
    >>> Work.of(data, Parts(Linear(), CSvm(), schedule=Fraction(0.5))).steps
    1
    """

    rows: float
    all_rows: int
    columns: int
    entries: int
    problems: int
    steps: int
    tables: float
    squared: bool

    @classmethod
    def of(cls, data: Data, parts: Parts) -> Work:
        """Return the work of an elimination of all columns of a table."""
        n, d = data.n_rows, data.n_columns
        dense = isinstance(data.X, np.ndarray)
        steps, tables = _steps(parts, d)
        rows = [n if task.rows is None else len(task.rows) for task in data.tasks]
        return cls(
            rows=float(np.mean(rows)),
            all_rows=n,
            columns=d,
            entries=n * d if dense else int(data.X.nnz),
            problems=len(rows),
            steps=steps,
            tables=tables,
            squared=isinstance(parts.machine, L2Svm),
        )


def _steps(parts: Parts, columns: int) -> tuple[int, float]:
    """Steps, and columns before each of them as shares of all."""
    if parts.schedule.needs_scores:
        return UNKNOWN_STEPS, UNKNOWN_TABLES
    ends = [stop.least_size(columns) for stop in parts.stops]
    least = min(max([parts.least, len(parts.keep), *ends]), columns)
    counts = parts.schedule.counts(columns, 1, columns, least, MOST_COUNTED)
    if not len(counts):
        return 1, 1.0
    sizes = columns - np.append(0, np.cumsum(counts)[:-1])
    left = columns - int(counts.sum()) - least
    more = max(0, round(left / counts[-1]))
    tables = float(sizes.sum()) + more * (least + 0.5 * left)
    return len(counts) + more, tables / columns


def sparse_seconds(work: Work) -> float:
    """Some thirty passes over the entries left in a step, and the rows' own numbers as often.

    The linear slack takes more of them.
    """
    share = work.rows / work.all_rows
    passed = 28e-9 * work.entries * share * work.tables
    of_rows = work.steps * (3e-5 + 1e-7 * work.rows)
    return work.problems * (passed + of_rows) * (1.0 if work.squared else 4.0)


def wide_seconds(work: Work) -> float:
    """The matrix of the rows, which loses a product with each column, and what solving adds.

    The table is written out first. Beyond a thousand rows the matrices leave the cache.
    """
    written = 2e-9 * work.all_rows * work.columns
    beyond = 1.0 + (work.all_rows / 700.0) ** 2
    removed = 4.5e-10 * work.columns * work.all_rows**2 * beyond
    return written + work.problems * (removed + 4e-6 * work.steps)
