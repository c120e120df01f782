"""Machines of a linear kernel without each column, as long as the same rows support them.

Without column x the Gram matrix is K - xx'. If rows that lie between their bounds stay there, and
those at a bound stay at it, the free coefficients solve the same equations with xx' taken away, and
a change of rank one has a closed form (Sherman and Morrison). With u the coefficients, w = x'u the
weight of the column and P the inverse of `span_geometry` over the free rows f:

    u_f(x) = u_f + P x_f w / (1 - g),      g = x_f' P x_f

All columns together cost two matrix products. Whether the rows did stay is not assumed: the
gradient on K - xx' is computed anew, and a column counts only if its KKT gap is small enough.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from svsieve.arrays import FloatArray
from svsieve.criteria.context import Context
from svsieve.criteria.span_geometry import SpanGeometry, Supports
from svsieve.kernels import Linear
from svsieve.native import one_blas_thread


@dataclass(frozen=True, eq=False)
class Staying:
    """Solutions without each kept column.

    Attributes
    ----------
    coefficients : ndarray of shape (n_rows, n_kept)
    objectives : ndarray of shape (n_kept,)
        Of the program, as `DualSolution.objective`.
    holds : ndarray of bool of shape (n_kept,)
        Whether it is the solution; the other columns need a solver.
    geometry : SpanGeometry
        Of the solution with all kept columns.
    columns : ndarray of shape (n_rows, n_kept)
        As the kernel sees them.
    """

    coefficients: FloatArray
    objectives: FloatArray
    holds: npt.NDArray[np.bool_]
    geometry: SpanGeometry
    columns: FloatArray


def staying(context: Context, tol: float) -> Staying | None:
    """Return the solutions without each column; None where there is no closed form.

    Parameters
    ----------
    context : Context
    tol : float
        Largest KKT gap of a solution.
    """
    if not isinstance(context.state.kernel, Linear):
        return None
    problem, u = context.problem, context.solution.coefficients
    supports = Supports.of(problem, context.solution)
    if not len(supports.free):
        return None
    K, rows = context.gram(), np.arange(len(u)) if context.rows is None else context.rows
    free = supports.rows[supports.free]
    X = context.state.linear_columns(rows)
    with one_blas_thread(), np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        geometry = SpanGeometry.of(K, supports)
        solved = geometry.inverse() @ X[free]
        tau = (u @ X) / (1.0 - np.einsum("pj,pj->j", X[free], solved))
        U = np.repeat(u[:, None], X.shape[1], axis=1)
        U[free] += solved * tau
        gradient = K @ U - X * np.einsum("pj,pj->j", X, U)
        gradient += problem.ridge[:, None] * U + problem.linear[:, None]
        objectives = 0.5 * np.einsum("pj,pj->j", U, gradient + problem.linear[:, None])
        gaps = _gaps(U, gradient, problem.lower[:, None], problem.upper[:, None])
    return Staying(U, objectives, gaps * problem.gap_unit <= tol, geometry, X)


def _gaps(U: FloatArray, gradient: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
    """By how much the best pair of rows could still improve each solution; nan out of bounds."""
    up = np.where(upper > U, -gradient, -np.inf).max(axis=0)
    down = np.where(lower < U, -gradient, np.inf).min(axis=0)
    inside = ((lower <= U) & (upper >= U)).all(axis=0)
    return np.where(inside, up - down, np.nan)
