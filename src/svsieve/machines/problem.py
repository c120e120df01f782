"""The dual problem, its solution, and the call into the core that leads from one to the other."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from svsieve.arrays import FloatArray, float_vector
from svsieve.kernels import PairWeights
from svsieve.machines.starts import feasible_start, outermost_start
from svsieve.native import core, one_blas_thread

# Where to begin is worth a look at some rows from this many on.
MANY_ROWS = 200
ROWS_LOOKED_AT = 100

_VECTORS = ("linear", "lower", "upper", "ridge")

Stopped = Literal["converged", "iteration-limit", "unbounded", "precision-floor"]


@dataclass(frozen=True, eq=False)
class DualProblem:
    """min 1/2 b'(K + Diag(ridge)) b + linear'b  s.t.  lower <= b <= upper, sum(b) = total.

    Parameters
    ----------
    linear, lower, upper, ridge : array-like of shape (n_rows,)
        Bounds may be infinite.
    total : float
    gap_unit : float, default=1.0
        The KKT gap is reported, and compared with tolerances, after multiplication by this: nu * n
        for programs whose coefficients sum to one, so that a tolerance means the same for all.
    """

    linear: FloatArray
    lower: FloatArray
    upper: FloatArray
    total: float
    ridge: FloatArray
    gap_unit: float = 1.0

    def __post_init__(self) -> None:
        vectors = {name: float_vector(getattr(self, name), name) for name in _VECTORS}
        lengths = [len(vector) for vector in vectors.values()]
        if len(set(lengths)) > 1:
            n = Counter(lengths).most_common(1)[0][0]
            vectors = {name: float_vector(v, name, n) for name, v in vectors.items()}
        for name, vector in vectors.items():
            object.__setattr__(self, name, vector)
        core.check_problem(**vectors, total=float(self.total), gap_unit=float(self.gap_unit))

    @property
    def n_rows(self) -> int:
        """Number of coefficients."""
        return len(self.linear)


@dataclass(frozen=True, eq=False)
class DualSolution:
    """A solution of a `DualProblem`.

    Attributes
    ----------
    coefficients : ndarray of shape (n_rows,)
        Signed: y * alpha for a support vector machine.
    gradient : ndarray of shape (n_rows,)
        (K + Diag(ridge)) b + linear.
    offset : float
        The constant of the decision function: minus the multiplier of the sum.
    objective : float
    kkt_gap : float
        In the unit of the problem's `gap_unit`. Where coefficients sum to zero and decision values
        span less than the width of the margin, that is 2, it is told in units of half their range:
        with a small C they may span a millionth of it, and all rows would be within any tolerance.
    iterations : int
    stopped : str
        "converged"; "iteration-limit"; "unbounded": the program has no finite optimum (a hard
        margin on rows that cannot be separated); "precision-floor": rounding does not allow a
        smaller gap.
    """

    coefficients: FloatArray
    gradient: FloatArray
    offset: float
    objective: float
    kkt_gap: float
    iterations: int
    stopped: Stopped


class Machine(Protocol):
    """What a machine says: its program, its value, and how the value depends on the Gram matrix."""

    def problem(
        self,
        diagonal: npt.ArrayLike,
        labels: npt.ArrayLike | None = None,
        row_weights: npt.ArrayLike | None = None,
    ) -> DualProblem:
        """Return the program for rows with the given k(x, x)."""

    def value(self, solution: DualSolution, problem: DualProblem) -> float:
        """Return the optimal value that criteria and bounds are made of."""

    def pair_weights(self, solution: DualSolution) -> PairWeights:
        """Return M with d(value) = <M, dK>."""


def solve(
    problem: DualProblem,
    rows: FloatArray | core.CachedRows,
    *,
    start: npt.ArrayLike | None = None,
    tol: float = 1e-8,
    max_iter: int = -1,
    shrinking: bool = True,
    polish: bool = True,
) -> DualSolution:
    """Solve a dual problem.

    Parameters
    ----------
    problem : DualProblem
    rows : ndarray of shape (n_rows, n_rows) or row source
        The Gram matrix, or what `kernels.row_source` returns.
    start : array-like of shape (n_rows,), optional
        Where to begin: any vector; it is projected on the constraints. Changes the time, not the
        solution.
    tol : float, default=1e-8
        KKT gap to reach, in the unit in which `DualSolution` tells it.
    max_iter : int, default=-1
        Limit on pair steps; -1 for ten million, or 2000 a row if that is more.
    shrinking : bool, default=True
        Leave rows that rest at a bound out for a while.
    polish : bool, default=True
        Finish with the active-set method where it is the cheaper way to a small gap.

    Returns
    -------
    DualSolution

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.kernels import Linear
    >>> from svsieve.machines import CSvm, solve
    >>> gram = Linear().gram(np.array([[-1.0], [1.0], [3.0]]))
    >>> problem = CSvm(C=10.0).problem(np.diag(gram), labels=[-1, 1, 1])
    >>> solve(problem, gram).coefficients
    array([-0.5,  0.5,  0. ])
    """
    check_effort(tol, max_iter)
    n = rows.size() if isinstance(rows, core.CachedRows) else len(rows)
    if n != problem.n_rows:
        raise ValueError(f"the kernel has {n} rows, the problem {problem.n_rows}.")
    check_finite(rows.diagonal())
    options = core.SolveOptions(float(tol), int(max_iter), shrinking, polish)
    begin = _first_point(problem, rows) if start is None else feasible_start(problem, start)
    arguments = (
        problem.linear,
        problem.lower,
        problem.upper,
        problem.ridge,
        float(problem.total),
        float(problem.gap_unit),
        begin,
        options,
    )
    with one_blas_thread():
        if isinstance(rows, core.CachedRows):
            answer = core.solve_cached(rows, *arguments)
        else:
            answer = core.solve_gram(np.ascontiguousarray(rows, dtype=np.float64), *arguments)
    return DualSolution(*answer)  # type: ignore[arg-type]


def check_effort(tol: npt.ArrayLike, max_iter: int) -> None:
    """Refuse a tolerance, or one of several, and a limit on iterations that mean nothing."""
    if int(max_iter) != max_iter or (max_iter != -1 and max_iter < 1):
        raise ValueError(f"max_iter must be positive, or -1 for no limit. Got {max_iter!r}.")
    if not (np.asarray(tol) > 0).all():
        raise ValueError(f"tol must be positive. Got {tol!r}.")


def check_finite(diagonal: FloatArray) -> None:
    """Refuse a kernel matrix that has overflowed."""
    if not np.isfinite(diagonal).all():
        raise ValueError(
            "the kernel must be finite; its diagonal is not. Scale the columns, or lower gamma or "
            "the degree."
        )


def _first_point(problem: DualProblem, rows: FloatArray | core.CachedRows) -> FloatArray:
    """Where to begin when nothing is known.

    Of many rows with coefficients that sum to something, the outermost ones as seen from the mean
    of a few rows; else the feasible point nearest to zero.
    """
    if problem.total <= 0:
        return feasible_start(problem)
    usable = np.flatnonzero(problem.upper > 0)
    around_zero = (problem.lower <= 0).all() and (problem.upper >= 0).all()
    if not around_zero or len(usable) < MANY_ROWS:
        return feasible_start(problem)
    seen = usable[:: len(usable) // ROWS_LOOKED_AT]
    if isinstance(rows, core.CachedRows):
        mean = np.mean([rows.row(int(k)) for k in seen], axis=0)
    else:
        mean = rows[seen].mean(axis=0)
    gradient = mean + problem.linear
    gradient[problem.upper == 0] = np.inf
    return outermost_start(problem, gradient)
