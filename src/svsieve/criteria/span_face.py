"""The support vectors of a trained machine as a function of its data.

Without a ridge the dual program may have more solutions than one: where more rows lie on the margin
than the feature space has dimensions for, twin rows being the plainest case. All agree on the
decision function, on the rows off the margin, which are at their bounds, and so on X'u; what rows
on the margin share, they may share differently, and the span of the support vectors with them. The
one meant here is that of least norm, to which solutions with a ridge tend as it goes to zero: twins
share evenly.

A row is free if its coefficient, after one Newton step on the free rows, is farther from its bounds
than that step may be wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.linalg import lstsq

from svsieve.arrays import FloatArray, IndexArray
from svsieve.criteria.context import Context
from svsieve.criteria.few_columns import few_columns_gram
from svsieve.criteria.retrain import Candidate
from svsieve.criteria.span_geometry import LEAST_COEFFICIENT, SpanGeometry, Supports
from svsieve.criteria.span_hull import RegularHull, Spectrum
from svsieve.machines import DualProblem, DualSolution, solve

# Roundings of k(x, x) times the sum of the coefficients in a gradient.
EPS = float(np.finfo(np.float64).eps)
GRADIENT_ROUNDING = 64.0 * EPS
# A Newton step is trusted up to a tenth of its length, and never takes more than this share of the
# largest coefficient for the bound.
STEP_DOUBT, MOST_DOUBT = 0.1, 1e-6
# Rounds of finding out which rows are free.
ROUNDS = 4
# Newton steps on the way to the solution of least norm, and what is left undone, as a share.
MOST_STEPS, LEAST_NORM_TOL = 200, 1e-13
SMALL_SHARE = 1e-10

Gram = Callable[[IndexArray], FloatArray]


def gram_over(context: Context, candidate: Candidate | None = None) -> Gram:
    """Return what gives the Gram matrix over some rows of the problem, of a candidate if given."""

    def gram(rows: IndexArray) -> FloatArray:
        at = rows if context.rows is None else context.rows[rows]
        few = few_columns_gram(context.state, at, None if candidate is None else candidate.position)
        if few is not None:
            return few
        K = context.gram() if candidate is None else candidate.K
        return K if len(rows) == len(K) else K[np.ix_(rows, rows)]

    return gram


def trained_geometry(problem: DualProblem, solution: DualSolution, gram: Gram) -> SpanGeometry:
    """Return the geometry of the support vectors of the solution of least norm.

    Raises
    ------
    NoSpanError
        No row is free.
    """
    supports = Supports.of(problem, solution)
    K = gram(supports.rows)
    geometry = SpanGeometry(K, supports) if len(supports.free) else None
    canonical = _canonical(problem, solution, geometry or supports, K, gram)
    if canonical is not solution:
        solution, geometry = canonical, None
    return _refined(problem, solution, geometry, gram)


def _canonical(
    problem: DualProblem,
    solution: DualSolution,
    known: SpanGeometry | Supports,
    K: FloatArray,
    gram: Gram,
) -> DualSolution:
    """The solution of least norm; the one given where there is no other."""
    margin = on_margin(problem, solution, float(np.diagonal(K).max(initial=0.0)))
    if len(margin) < 2:
        return solution
    regular = isinstance(known, SpanGeometry) and isinstance(known.hull, RegularHull)
    free = (known.supports if isinstance(known, SpanGeometry) else known).free_rows
    if regular and np.isin(margin, free).all():
        return solution
    K, no_ridge = gram(margin), np.zeros(len(margin))
    solution = _settled(problem, solution, margin, K)
    if RegularHull.of(K, no_ridge) is not None:
        return solution
    spectrum = Spectrum.of(K, no_ridge)
    if not spectrum.null.shape[1]:
        return solution
    u = solution.coefficients.copy()
    u[margin] = least_norm(u[margin], problem.lower[margin], problem.upper[margin], spectrum)
    return replace(solution, coefficients=u)


def _settled(
    problem: DualProblem, solution: DualSolution, margin: IndexArray, K: FloatArray
) -> DualSolution:
    """The solution with the rows near the margin solved as far as rounding allows.

    Rows of which the gap has left open whether they lie on the margin may be free or not.
    """
    u, gradient = solution.coefficients[margin], solution.gradient[margin]
    rounding = float(np.abs(u).sum() * np.diagonal(K).max()) + float(np.abs(gradient).max())
    tol = EPS * rounding
    if not solution.kkt_gap / problem.gap_unit > tol > 0.0:
        return solution
    part = DualProblem(
        gradient - K @ u,
        problem.lower[margin],
        problem.upper[margin],
        float(u.sum()),
        np.zeros(len(u)),
    )
    coefficients = solution.coefficients.copy()
    coefficients[margin] = solve(part, K, start=u, tol=tol).coefficients
    return replace(solution, coefficients=coefficients)


def on_margin(problem: DualProblem, solution: DualSolution, largest: float) -> IndexArray:
    """Return the rows without ridge that may have other coefficients in another solution.

    These are the rows whose gradient is the multiplier of the sum. Where an interval of multipliers
    will do, it is one between them that no row has. `largest` is the largest k(x, x).
    """
    u, gradient, lower, upper = (
        solution.coefficients,
        solution.gradient,
        problem.lower,
        problem.upper,
    )
    usable = lower < upper
    if (problem.ridge[usable] > 0.0).all():
        return np.empty(0, dtype=np.int64)
    least = float(gradient[usable & (u < upper)].min(initial=np.inf))
    most = float(gradient[usable & (u > lower)].max(initial=-np.inf))
    values = float(np.abs(gradient).max())
    doubt = GRADIENT_ROUNDING * (float(np.abs(u).sum()) * largest + values)
    doubt += 10.0 * max(solution.kkt_gap, 0.0) / problem.gap_unit
    if not np.isfinite(least + most) or least - most > doubt:
        return np.empty(0, dtype=np.int64)
    near = np.abs(gradient - 0.5 * (least + most)) <= doubt
    return np.flatnonzero(usable & near & (problem.ridge == 0.0))


def least_norm(
    u: FloatArray, lower: FloatArray, upper: FloatArray, spectrum: Spectrum
) -> FloatArray:
    """Return the point of least norm within bounds whose difference from u is in the null space.

    It is B mu, cut off at the bounds, with B a basis of what is orthogonal to the null space and mu
    the solution of a concave problem of as many variables, found by Newton steps; then exactly, for
    the rows that are not cut off.

    Parameters
    ----------
    u, lower, upper : ndarray of shape (n_rows,)
    spectrum : Spectrum
        Of the Gram matrix of the rows.
    """
    scale = float(np.abs(u).max(initial=0.0))
    if scale == 0.0:
        return u
    n = len(u)
    basis = np.column_stack([spectrum.vectors, np.full(n, n**-0.5)])
    goal, lower, upper = basis.T @ (u / scale), lower / scale, upper / scale

    def undone(mu: FloatArray) -> tuple[FloatArray, float]:
        """What is missing of the goal, and the dual value."""
        wish = basis @ mu
        cut = np.clip(wish, lower, upper)
        return goal - basis.T @ cut, float(goal @ mu - wish @ cut + 0.5 * cut @ cut)

    mu = goal
    missing, value = undone(mu)
    for _ in range(MOST_STEPS):
        size = float(np.abs(missing).max())
        if size <= LEAST_NORM_TOL:
            break
        wish = basis @ mu
        inner = basis[(lower < wish) & (wish < upper)]
        H = inner.T @ inner
        H[np.diag_indices(len(H))] += max(1e-3 * size, LEAST_NORM_TOL)
        step = np.linalg.solve(H, missing)
        length, slope = 1.0, float(missing @ step)
        while length > 1e-12:
            tried = undone(mu + length * step)
            if tried[1] >= value + 1e-4 * length * slope - 1e-15 * abs(value):
                break
            length *= 0.5
        mu = mu + length * step
        missing, value = tried
    wish = basis @ mu
    inside = (lower < wish) & (wish < upper)
    found = np.clip(wish, lower, upper)
    if inside.any():
        rest = goal - basis[~inside].T @ found[~inside]
        found[inside] = lstsq(basis[inside].T, rest, cond=SMALL_SHARE)[0]
    return np.asarray(scale * np.clip(found, lower, upper))


def _refined(
    problem: DualProblem, solution: DualSolution, geometry: SpanGeometry | None, gram: Gram
) -> SpanGeometry:
    """The geometry after Newton steps on the free rows, until it is clear which these are."""
    least: float | None = None
    for _ in range(ROUNDS):
        if geometry is None:
            supports = Supports.of(problem, solution, least)
            geometry = SpanGeometry(gram(supports.rows), supports)
        supports = geometry.supports
        u, rows, free = supports.u, supports.rows, supports.free
        even = np.zeros(len(u))
        even[free] = (problem.total - float(u.sum())) / len(free)
        gradient = geometry.gram[free] @ (u + even) + supports.ridge[free] * (u + even)[free]
        step = even[free] + geometry.moved_by(gradient + problem.linear[rows[free]])
        largest, length = float(np.abs(u).max()), float(np.abs(step).max())
        least = max(LEAST_COEFFICIENT * largest, min(STEP_DOUBT * length, MOST_DOUBT * largest))
        b = np.zeros(problem.n_rows)
        b[rows] = u
        b[rows[free]] += step
        solution = replace(solution, coefficients=b)
        after = Supports.of(problem, solution, least)
        if np.array_equal(after.rows, rows) and np.array_equal(after.free, free):
            geometry.supports = after
            return geometry
        if not length <= MOST_DOUBT * largest:
            break
        geometry = None
    if geometry is None:
        return SpanGeometry(gram(after.rows), after)
    geometry.doubt = np.abs(step)
    return geometry
