"""What an elimination is made of: the data, and the parts that say what happens to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from svsieve.arrays import FloatArray, IndexArray, Table, distinct_indices
from svsieve.criteria import Combine, Criterion, PowerSum, WeightNorm
from svsieve.elimination.checks import check_whole
from svsieve.elimination.samplers import AllRows, Sampler
from svsieve.elimination.schedules import Constant, Schedule
from svsieve.elimination.sparing import Spare
from svsieve.elimination.stopping import Stop
from svsieve.errors import IncompatiblePartsError
from svsieve.kernels import Kernel, Linear
from svsieve.machines import Machine

ENGINES = ("auto", "wide-linear", "tall-linear", "sparse-linear", "kernel")


@dataclass(frozen=True, eq=False)
class Task:
    """One two-class problem on rows of the table.

    Attributes
    ----------
    rows : ndarray of int or None
        Ascending; None: all.
    labels : ndarray of +1.0 and -1.0 or None
        One per row of the task; None for machines without labels.
    weights : ndarray of float or None
        One per row of the task, multiplying its C; None: ones.
    """

    rows: IndexArray | None = None
    labels: FloatArray | None = None
    weights: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class Data:
    """A table with the two-class problems on it.

    Attributes
    ----------
    X : ndarray (float64, C order) or CSR array
        Checked: finite, with at least one row and one column.
    tasks : sequence of Task
    groups : ndarray of int, one per row
        Class codes, for samplers.
    row_weights : ndarray of float, one per row, optional
        A row of weight k counts as k rows when a kernel measures the columns (gamma="scale"). The
        weights of rows in the machines are those of the tasks.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.elimination import Data, Task
    >>> y = np.array([-1.0, 1.0])
    >>> data = Data(np.eye(2), (Task(labels=y),), (y > 0).astype(np.int64))
    >>> data.n_rows, data.n_columns
    (2, 2)
    """

    X: Table
    tasks: tuple[Task, ...]
    groups: IndexArray
    row_weights: FloatArray | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "tasks", tuple(self.tasks))
        if not self.tasks:
            raise ValueError("tasks must hold at least one problem.")
        if len(self.groups) != self.n_rows:
            raise ValueError(
                f"groups must have one entry for each of {self.n_rows} rows. "
                f"Got {len(self.groups)}."
            )
        for task in self.tasks:
            n = self.n_rows if task.rows is None else len(task.rows)
            for name in ("labels", "weights"):
                values = getattr(task, name)
                if values is not None and len(values) != n:
                    raise ValueError(
                        f"{name} of a task must have one entry for each of its {n} rows. "
                        f"Got {len(values)}."
                    )

    @property
    def n_rows(self) -> int:
        """Rows of the table."""
        return int(self.X.shape[0])

    @property
    def n_columns(self) -> int:
        """Columns of the table."""
        return int(self.X.shape[1])


class Retune(Protocol):
    """Finds a machine and a kernel that suit the columns left, every few steps."""

    @property
    def every(self) -> int:
        """Steps from one tuning to the next."""

    def tune(self, data: Data, parts: Parts, kept: IndexArray) -> tuple[Machine, Kernel]:
        """Return the machine and the kernel for some columns.

        The same arguments must give the same answer, since a run taken up again repeats them. The
        kernel is one for all columns of the table.
        """


def _no_columns() -> IndexArray:
    return np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Parts:
    """All choices of an elimination.

    Parameters
    ----------
    kernel : Kernel
    machine : Machine
    criterion : Criterion, default=WeightNorm()
    combine : Combine, default=PowerSum()
        What becomes of the scores of several tasks.
    schedule : Schedule, default=Constant(1)
    sampler : Sampler, default=AllRows()
    stops : sequence of Stop, default=()
    least : int, default=1
        Columns at which the elimination ends.
    keep : array-like of int
        Columns never dropped; none by default.
    spare : Spare, optional
        Keeps some of the columns that a step would drop, such as `CorrelatedGroups()`.
    retune : Retune, optional
        Tunes machine and kernel again every few steps.
    bias : float, optional
        None: a constant that is not penalised. A positive number: the weight, penalised like all
        others, of a constant column of this value, as in scikit-learn's `LinearSVC`. Zero: no
        constant.
    tol : float, default=1e-8
        KKT gap to reach.
    max_iter : int, default=-1
    seed : int, default=0
    engine : {"auto", "wide-linear", "tall-linear", "sparse-linear", "kernel"}, default="auto"

    Examples
    --------
    >>> from svsieve.elimination import Fraction, Parts
    >>> from svsieve.kernels import Rbf
    >>> from svsieve.machines import CSvm
    >>> parts = Parts(Rbf(gamma=0.1), CSvm(C=1.0), schedule=Fraction(0.1))
    >>> parts.criterion
    WeightNorm(order=0, signed=False, retrain=False)
    """

    kernel: Kernel
    machine: Machine
    criterion: Criterion = field(default_factory=WeightNorm)
    combine: Combine = field(default_factory=PowerSum)
    schedule: Schedule = field(default_factory=Constant)
    sampler: Sampler = field(default_factory=AllRows)
    stops: tuple[Stop, ...] = ()
    least: int = 1
    keep: IndexArray = field(default_factory=_no_columns)
    spare: Spare | None = None
    retune: Retune | None = None
    bias: float | None = None
    tol: float = 1e-8
    max_iter: int = -1
    seed: int = 0
    engine: str = "auto"

    def __post_init__(self) -> None:
        object.__setattr__(self, "stops", tuple(self.stops))
        object.__setattr__(self, "keep", distinct_indices(self.keep, "keep", 2**62))
        check_whole(self.least, "least", "Parts", 1)
        check_whole(self.seed, "seed", "Parts", 0)
        if self.bias is not None and not (np.isfinite(self.bias) and self.bias >= 0):
            raise ValueError(f"bias must be None or finite and not negative. Got {self.bias!r}.")
        if self.retune is not None:
            check_whole(self.retune.every, "every", type(self.retune).__name__, 1)
        plain = type(self.kernel) is Linear and self.kernel.weights is None
        if self.bias is not None and not plain:
            raise IncompatiblePartsError(
                "a bias that is penalised or absent needs the kernel Linear() without weights, not "
                f"{self.kernel!r}. Got bias={self.bias!r}."
            )
        if not self.tol > 0:
            raise ValueError(f"tol must be positive. Got {self.tol!r}.")
        if int(self.max_iter) != self.max_iter or (self.max_iter != -1 and self.max_iter < 1):
            raise ValueError(
                f"max_iter must be positive, or -1 for no limit. Got {self.max_iter!r}."
            )
        if self.engine not in ENGINES:
            raise ValueError(f"engine must be one of {_listed(ENGINES)}. Got {self.engine!r}.")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in names)
