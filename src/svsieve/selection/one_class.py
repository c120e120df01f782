"""Choosing the parameters of descriptions of one class, for want of rows of any other.

The width sigma of a Gaussian kernel, ``gamma = 1 / (2 sigma^2)``, decides what is described: with a
small one every row becomes a support vector and is learnt by heart; with a large one the boundary
is the sphere around the columns themselves. Two rules look at the support vectors alone
(`choose_sigma`); another at outliers made up for the purpose (`choose_by_outliers`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.spatial.distance import cdist

from svsieve.arrays import FloatArray, Table, table_in_range
from svsieve.kernels import Rbf, kernel_values
from svsieve.machines import DualProblem, DualSolution, OneClass, solve
from svsieve.resolve import (
    OneClassSpecification,
    check_integer,
    check_option,
    check_real,
    check_share,
    refusal,
    resolve_estimator,
)
from svsieve.selection.artificial_outliers import (
    ArtificialOutliers,
    OutlierChoice,
    choose_by_outliers,
    outliers_in_ball,
    outliers_in_box,
)

__all__ = [
    "ArtificialOutliers",
    "LeaveOneOut",
    "OutlierChoice",
    "SigmaChoice",
    "choose_by_outliers",
    "choose_sigma",
    "leave_one_out_target_error",
    "outliers_in_ball",
    "outliers_in_box",
    "sigma_grid",
]

RULES = ("target-error", "support-vectors")
STEP = math.sqrt(2.0)
BLOCK_BYTES = 64 << 20


@dataclass(frozen=True, eq=False)
class SigmaChoice:
    """A width, and the search that led to it.

    Attributes
    ----------
    sigma : float
        The width chosen.
    reason : str
        Why, in one sentence.
    sigmas : ndarray of float
        Widths tried, ascending; the last is the one chosen, or the one after it.
    support_shares : ndarray of float
        Share of rows that were support vectors with each.
    """

    sigma: float
    reason: str
    sigmas: FloatArray
    support_shares: FloatArray

    @property
    def gamma(self) -> float:
        """The same width as gamma = 1 / (2 sigma^2)."""
        return 0.5 / self.sigma**2


def sigma_grid(X: Table, factor: float = STEP) -> FloatArray:
    """Return widths from the smallest distance of two different rows to the largest.

    Below, a Gaussian kernel sees no neighbours; beyond, it sees one sphere.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_rows, n_columns)
        Rows, two of them different.
    factor : float, default=sqrt(2)
        From each width to the next.

    Returns
    -------
    ndarray of float
        Ascending; the last is the largest distance.

    Examples
    --------
    >>> from svsieve.selection.one_class import sigma_grid
    >>> sigma_grid([[0.0], [1.0], [1.0], [5.0]], factor=2.0)
    array([1., 2., 4., 5.])
    """
    check_real("sigma_grid", "factor", factor, above=1.0)
    table = table_in_range(X)
    table = table.toarray() if sparse.issparse(table) else table
    least, most = math.inf, 0.0
    step = max(1, BLOCK_BYTES // (8 * len(table)))
    for start in range(0, len(table), step):
        distances = cdist(table[start : start + step], table)
        least = min(least, float(distances.min(where=distances > 0, initial=math.inf)))
        most = max(most, float(distances.max()))
    if not most > 0:
        raise ValueError("X must have two rows that differ to choose a width for.")
    n_steps = math.ceil((math.log(most) - math.log(least)) / math.log(factor) - 1e-9)
    return np.append(least * factor ** np.arange(n_steps), most)


def choose_sigma(
    X: Table,
    nu: float = 0.1,
    *,
    rule: str = "target-error",
    target: float | None = None,
    factor: float = STEP,
    tol: float = 1e-8,
    max_rows: int = 5000,
    random_state: int = 0,
) -> SigmaChoice:
    """Return a width of the Gaussian kernel by the support vectors it needs.

    A description is trained with growing widths, each from the solution before, and the share of
    rows that are support vectors, which bounds the leave-one-out error on targets, falls.

    Time grows with the square of the number of rows, and 5,000 of them tell a share to six tenths
    of a percent (its standard error), far less than the step to the next width changes it.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_rows, n_columns)
        Rows of the class.
    nu : float, default=0.1
        As in :class:`svsieve.SVDD`.
    rule : {"target-error", "support-vectors"}, default="target-error"
        Stop at the first width whose share of support vectors is at most `target`, or at the last
        one before the number of support vectors stops falling.
    target : float, optional
        For "target-error": the share of targets that may be rejected. Above `nu`, since no share
        of support vectors is below it; ``nu + 0.1``, or half way from nu to 1 if that is less, by
        default.
    factor : float, default=sqrt(2)
        From each width to the next (see `sigma_grid`).
    tol : float, default=1e-8
        KKT gap of the trainings. Support vectors are counted: at a gap of 1e-3 their number is as
        much the solver's doing as the data's.
    max_rows : int, default=5000
        Of more rows so many, drawn at random, stand for all.
    random_state : int, default=0
        Seed of that draw.

    Returns
    -------
    SigmaChoice
        Its `gamma` is what :class:`svsieve.SVDD` takes.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve import SVDD
    >>> from svsieve.selection.one_class import choose_sigma
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> choice = choose_sigma(X, nu=0.1, target=0.15)
    >>> choice.support_shares[-1] <= 0.15
    np.True_
    >>> SVDD(nu=0.1, gamma=choice.gamma).fit(X).predict([[0.0, 0.0], [5.0, 5.0]])
    array([ 1, -1])
    """
    owner = "choose_sigma"
    nu = check_share(owner, "nu", nu)
    check_option(owner, "rule", rule, RULES)
    check_real(owner, "tol", tol, above=0.0)
    if target is None:
        target = min(nu + 0.1, 0.5 + 0.5 * nu)
    elif not nu < check_share(owner, "target", target):
        allowed = f"a float above nu={nu:g}, below which no share of support vectors lies"
        raise refusal(owner, "target", allowed, target)
    check_integer(owner, "max_rows", max_rows, at_least=2)
    check_integer(owner, "random_state", random_state, at_least=0)
    table = table_in_range(X)
    if table.shape[0] > max_rows:
        draw = np.random.default_rng(random_state)
        table = table[np.sort(draw.choice(table.shape[0], max_rows, replace=False))]
    sigmas, shares = sigma_grid(table, factor), []
    start = None
    for at, sigma in enumerate(sigmas):
        share, start = _support_share(table, sigma, nu, tol, start)
        shares.append(share)
        tried = (sigmas[: at + 1], np.array(shares))
        if rule == "target-error" and share <= target:
            reason = f"{share:.1%} of the rows are support vectors, at most {target:.1%}."
            return SigmaChoice(float(sigma), reason, *tried)
        if rule == "support-vectors" and at and share >= shares[-2] and shares[-2] < 1.0:
            reason = f"The support vectors, {shares[-2]:.1%} of the rows, fall no further."
            return SigmaChoice(float(sigmas[at - 1]), reason, *tried)
    reason = "It is the largest distance of two rows; beyond, the boundary is a sphere."
    return SigmaChoice(float(sigmas[-1]), reason, *tried)


def _support_share(
    table: Table, sigma: float, nu: float, tol: float, start: FloatArray | None
) -> tuple[float, FloatArray]:
    values = kernel_values(Rbf(gamma=0.5 / sigma**2), table)
    problem = OneClass(nu).problem(np.ones(table.shape[0]))
    solution = solve(problem, values, start=start, tol=tol)
    return float(np.mean(solution.coefficients > 0)), solution.coefficients


@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """The leave-one-out error on targets: the share of rows rejected by what the others describe.

    Attributes
    ----------
    error : float
        That share.
    bound : float
        The share of support vectors, which it never exceeds.
    rejected : ndarray of bool, shape (n_rows,)
        Which rows.
    n_trainings : int
        How many descriptions had to be trained without a row.
    """

    error: float
    bound: float
    rejected: npt.NDArray[np.bool_]
    n_trainings: int


def leave_one_out_target_error(estimator: Any, X: Table) -> LeaveOneOut:
    """Return the leave-one-out error on targets of a description of one class.

    A row without a coefficient is not missed: what the others describe still holds it. A row at its
    bound that lies outside stays outside. Only the rows on the boundary are left out in turn,
    everything else, C and gamma too, kept as with all rows.

    Parameters
    ----------
    estimator : svsieve.SVDD, svsieve.OneClassSVC or sklearn.svm.OneClassSVM
        Its options; it need not be fitted.
    X : array-like or sparse matrix of shape (n_rows, n_columns)
        Rows of the class.

    Returns
    -------
    LeaveOneOut
        The error, and the bound that needs no further training.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve import SVDD
    >>> from svsieve.selection.one_class import leave_one_out_target_error
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> found = leave_one_out_target_error(SVDD(nu=0.1, gamma=0.1), X)
    >>> found.error <= found.bound
    True
    """
    specification = resolve_estimator(estimator, owner="leave_one_out_target_error", one_class=True)
    if not isinstance(specification, OneClassSpecification):
        allowed = "a description of one class, such as svsieve.SVDD"
        raise refusal("leave_one_out_target_error", "estimator", allowed, estimator)
    table = table_in_range(X)
    kernel, machine = specification.kernel.bind(table), specification.machine
    K = kernel.refuse_overflow(kernel.gram(table))
    problem = machine.problem(np.diagonal(K))
    tol = min(specification.tol, 1e-8)
    whole = solve(problem, K, tol=tol)
    b, rounding = whole.coefficients, 10.0 * tol / problem.gap_unit
    rejected = _depth(problem, whole) < -rounding
    doubtful = np.flatnonzero((b > 0) & ~rejected)
    for row in doubtful:
        rejected[row] = _is_rejected_without(int(row), problem, K, b, tol, rounding)
    bound = float(np.mean(b > 0))
    return LeaveOneOut(float(rejected.mean()), bound, rejected, len(doubtful))


def _is_rejected_without(
    row: int, problem: DualProblem, K: FloatArray, start: FloatArray, tol: float, rounding: float
) -> bool:
    """Tell whether the others reject a row, whose own coefficient is held at zero."""
    upper = problem.upper.copy()
    upper[row] = 0.0
    if upper.sum() < problem.total:  # nu = 1: the others are all needed, and all outside
        return True
    without = solve(replace(problem, upper=upper), K, start=start, tol=tol)
    return bool(_depth(problem, without)[row] < -rounding)


def _depth(problem: DualProblem, solution: DualSolution) -> FloatArray:
    """How far inside the boundary rows lie; half of R^2 less the squared distance for spheres."""
    slack = problem.ridge * solution.coefficients
    return np.asarray(solution.gradient - slack + solution.offset)
