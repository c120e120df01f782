"""The quadratic programs, their optimality conditions and an independent solver.

    min 1/2 b'(K + Diag(ridge)) b + linear'b,   lower <= b <= upper,   sum(b) = total

A *problem* is anything with the attributes linear, lower, upper, total, ridge; ``Program`` is the
plain one built here from the formulas of each machine. ``certificate`` measures any b in long
double. ``refine`` solves a program to rounding by a primal active-set method, starting from any
guess: it needs no positive definite matrix and shares no idea with pairwise descent but the start.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from scipy import linalg


class ProblemLike(Protocol):
    linear: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    total: float
    ridge: np.ndarray


class Program(NamedTuple):
    linear: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    total: float
    ridge: np.ndarray


def c_svm(y: np.ndarray, C: float, row_weights: np.ndarray | float = 1.0) -> Program:
    bound = C * row_weights * np.ones(len(y))
    return Program(
        -y.astype(float),
        np.where(y > 0, 0, -bound),
        np.where(y > 0, bound, 0),
        0.0,
        np.zeros(len(y)),
    )


def l2_svm(y: np.ndarray, ridge: np.ndarray | float) -> Program:
    signs = y.astype(float)
    lower, upper = np.where(y > 0, 0, -np.inf), np.where(y > 0, np.inf, 0)
    return Program(-signs, lower, upper, 0.0, ridge * np.ones(len(y)))


def one_class(n: int, upper: float) -> Program:
    return Program(np.zeros(n), np.zeros(n), np.full(n, upper), 1.0, np.zeros(n))


def svdd(diagonal: np.ndarray, C: float) -> Program:
    n = len(diagonal)
    return Program(-diagonal / 2, np.zeros(n), np.full(n, C), 1.0, np.zeros(n))


def sphere(diagonal: np.ndarray, ridge: float = 0.0) -> Program:
    n = len(diagonal)
    full = np.full(n, float(ridge))
    return Program(-(diagonal + ridge) / 2, np.zeros(n), np.full(n, np.inf), 1.0, full)


def negative_svdd(diagonal: np.ndarray, t: np.ndarray, C_target: float, C_outlier: float):
    n = len(diagonal)
    lower, upper = np.where(t > 0, 0, -C_outlier), np.where(t > 0, C_target, 0)
    return Program(-diagonal / 2, lower.astype(float), upper.astype(float), 1.0, np.zeros(n))


def squared_svdd(diagonal: np.ndarray, t: np.ndarray, C: float, C_outlier: float) -> Program:
    ridge = 1 / (4 * np.where(t > 0, C, C_outlier))
    lower, upper = np.where(t > 0, 0.0, -np.inf), np.where(t > 0, np.inf, 0.0)
    return Program(-diagonal / 2, lower, upper, 1.0, ridge)


@dataclass(frozen=True)
class Certificate:
    """What is true of b, computed in long double and rounded once at the end."""

    gradient: np.ndarray
    gap: float  # max of the gradient where b can shrink - min where b can grow
    multiplier: float  # mean gradient of the free rows, else the middle of the KKT interval
    interval: tuple[float, float]
    objective: float
    sum_error: float
    bound_error: float


def times(K: np.ndarray, b: np.ndarray, block: int = 256) -> np.ndarray:
    """K b in long double, without a long double copy of the whole K."""
    b = np.asarray(b, dtype=np.longdouble)
    used = np.flatnonzero(b)
    parts = [
        K[start : start + block][:, used].astype(np.longdouble) @ b[used]
        for start in range(0, len(K), block)
    ]
    return np.concatenate(parts)


def certificate(K: np.ndarray, problem: ProblemLike, b: np.ndarray) -> Certificate:
    exact = np.asarray(b, dtype=np.longdouble)
    linear = np.asarray(problem.linear, dtype=np.longdouble)
    gradient = times(K, exact) + np.asarray(problem.ridge, np.longdouble) * exact + linear
    can_grow, can_shrink = exact < problem.upper, exact > problem.lower
    low = gradient[can_shrink].max(initial=-np.inf)
    high = gradient[can_grow].min(initial=np.inf)
    free = can_grow & can_shrink
    multiplier = gradient[free].mean() if free.any() else (low + high) / 2
    outside = np.maximum(problem.lower - exact, exact - problem.upper).max()
    return Certificate(
        gradient=gradient.astype(float),
        gap=float(low - high),
        multiplier=float(multiplier),
        interval=(float(low), float(high)),
        objective=float((exact @ gradient + exact @ linear) / 2),
        sum_error=float(abs(exact.sum() - problem.total)),
        bound_error=float(max(0, outside)),
    )


def project(problem: ProblemLike, point: np.ndarray) -> np.ndarray:
    """Nearest feasible point, by bisection on the shift of the clipped point."""
    below, above = np.asarray(problem.lower, float), np.asarray(problem.upper, float)

    def excess(shift: float) -> float:
        return np.clip(point - shift, below, above).sum() - problem.total

    left, right = -1.0, 1.0
    # Bounds may sum to the total up to rounding only: then no shift will do, and any does.
    while excess(left) < 0 and left > -1e300:
        left *= 2
    while excess(right) > 0 and right < 1e300:
        right *= 2
    for _ in range(200):
        middle = (left + right) / 2
        left, right = (middle, right) if excess(middle) > 0 else (left, middle)
    nearest = np.clip(point - right, below, above)
    inside = (nearest > below) & (nearest < above)
    if inside.any():
        nearest[inside] -= (nearest.sum() - problem.total) / inside.sum()
    return nearest


def refine(
    K: np.ndarray, problem: ProblemLike, guess: np.ndarray | None = None, rounds: int = 5000
) -> np.ndarray:
    """Coefficients with a KKT gap of about 1e-12 (times the size of the numbers).

    The guess is projected, improved by up to 50 n pairwise steps while they pay, and then
    carried to the optimum by active-set moves: Newton on the free rows inside the sum
    constraint, a straight line to the nearest bound where the curvature vanishes.
    """
    start = np.zeros(len(K)) if guess is None else np.asarray(guess, float)
    b = project(problem, start)
    b = _pairwise_descent(K, problem, b, 50 * len(K) if guess is None else 5 * len(K))
    return _ActiveSet(K, problem, b).run(rounds)


def _pairwise_descent(K: np.ndarray, problem: ProblemLike, b: np.ndarray, steps: int) -> np.ndarray:
    """Most violating pair first: a plain way to come near the solution."""
    diagonal = np.diag(K) + problem.ridge
    gradient = K @ b + problem.ridge * b + problem.linear
    for _ in range(steps):
        grow = np.where(b < problem.upper, gradient, np.inf)
        shrink = np.where(b > problem.lower, gradient, -np.inf)
        i, j = int(np.argmin(grow)), int(np.argmax(shrink))
        gap = shrink[j] - grow[i]
        if not gap > 1e-7:
            break
        curvature = max(diagonal[i] + diagonal[j] - 2 * K[i, j], 1e-12)
        step = min(gap / curvature, problem.upper[i] - b[i], b[j] - problem.lower[j])
        if not np.isfinite(step):
            break
        b[i] = problem.upper[i] if step == problem.upper[i] - b[i] else b[i] + step
        b[j] = problem.lower[j] if step == b[j] - problem.lower[j] else b[j] - step
        gradient += step * (K[i] - K[j])
        gradient[i] += step * problem.ridge[i]
        gradient[j] -= step * problem.ridge[j]
    return b


class _ActiveSet:
    """Primal active-set iteration; ``free`` is the complement of the working set."""

    def __init__(self, K: np.ndarray, problem: ProblemLike, b: np.ndarray) -> None:
        self.K, self.problem, self.b = K, problem, b
        self.free = (b > problem.lower) & (b < problem.upper)
        self.idle = 0  # moves of no length in a row: then take the lowest index, against cycling
        self.exact = False  # gradients in long double: for the last moves only, they are slow

    def run(self, rounds: int) -> np.ndarray:
        for _ in range(rounds):
            if self._descend() or self._release():
                continue
            if self.exact:
                return self.b
            self.exact = True
            self._repair_sum()
        gap = certificate(self.K, self.problem, self.b).gap
        raise RuntimeError(f"the reference solver did not finish; KKT gap {gap:.2e}")

    def _gradient(self) -> np.ndarray:
        ridge, linear = self.problem.ridge, self.problem.linear
        if not self.exact:
            return self.K @ self.b + ridge * self.b + linear
        b = self.b.astype(np.longdouble)
        return (times(self.K, b) + ridge * b + linear).astype(float)

    def _noise(self) -> float:
        """What rounding leaves in a gradient."""
        largest = np.max(np.diag(self.K) + self.problem.ridge)
        size = np.abs(self.problem.linear).max() + largest * np.abs(self.b).sum()
        return (1e-15 if self.exact else 1e-13) * size

    def _descend(self) -> bool:
        """Move to the minimum over the free rows; True if a bound stopped the move."""
        for _ in range(3):  # repeated full steps are iterative refinement
            rows = np.flatnonzero(self.free)
            if len(rows) < 2:
                return False
            direction, endless = self._direction(rows)
            ratios = self._room(rows, direction)
            nearest = int(np.argmin(ratios))
            length = min(ratios[nearest], np.inf if endless else 1.0)
            if not np.isfinite(length):
                raise RuntimeError("the program has no minimum")
            self.b[rows] += length * direction
            if length < 1.0 or endless:
                self._pin(rows[nearest], direction[nearest])
                self.idle = self.idle + 1 if length < 1e-14 else 0
                return True
        return False

    def _room(self, rows: np.ndarray, direction: np.ndarray) -> np.ndarray:
        bound = np.where(direction > 0, self.problem.upper[rows], self.problem.lower[rows])
        small = np.abs(direction) <= 1e-16 * np.abs(direction).max(initial=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = (bound - self.b[rows]) / direction
        return np.where(small, np.inf, np.maximum(ratios, 0))

    def _pin(self, row: int, direction: float) -> None:
        self.b[row] = self.problem.upper[row] if direction > 0 else self.problem.lower[row]
        self.free[row] = False

    def _direction(self, rows: np.ndarray) -> tuple[np.ndarray, bool]:
        """Newton step inside sum(d) = 0, or a direction without curvature that descends."""
        gradient = self._gradient()[rows]
        downhill = gradient.mean() - gradient
        Q = self.K[np.ix_(rows, rows)] + np.diag(self.problem.ridge[rows])
        # the constant matrix added here does not change Q on the directions with sum zero
        lifted = Q + np.diag(Q).mean()
        try:
            factor = linalg.cho_factor(lifted, lower=True)
            pivots = np.diag(factor[0])
            if pivots.min() > 1e-5 * pivots.max():
                step, ones = linalg.cho_solve(factor, np.c_[downhill, np.ones(len(rows))]).T
                return step - ones * (step.sum() / ones.sum()), False
        except linalg.LinAlgError:
            pass
        return self._singular_direction(Q, downhill)

    def _singular_direction(self, Q: np.ndarray, downhill: np.ndarray) -> tuple[np.ndarray, bool]:
        centred = Q - Q.mean(axis=0) - Q.mean(axis=1)[:, None] + Q.mean()
        values, vectors = np.linalg.eigh(centred)
        flat = values <= 1e-13 * len(Q) * values.max(initial=1e-300)
        parts = vectors.T @ downhill
        lost = vectors[:, flat] @ parts[flat]
        lost -= lost.mean()
        if np.abs(lost).max(initial=0) > 100 * self._noise():
            return lost, True
        step = vectors[:, ~flat] @ (parts[~flat] / values[~flat])
        return step - step.mean(), False

    def _release(self) -> bool:
        """Free the row at a bound that would gain most; False if none would."""
        gradient, p = self._gradient(), self.problem
        can_grow, can_shrink = self.b < p.upper, self.b > p.lower
        noise = 4 * self._noise()
        if self.free.any():
            level = gradient[self.free].mean()
            gain = np.where(can_grow, level - gradient, -np.inf)
            gain = np.maximum(gain, np.where(can_shrink, gradient - level, -np.inf))
            gain[self.free] = -np.inf
            if gain.max() <= noise:
                return False
            row = np.flatnonzero(gain > noise)[0] if self.idle > 20 else int(np.argmax(gain))
            self.free[row] = True
            return True
        grow = np.where(can_grow, gradient, np.inf)
        shrink = np.where(can_shrink, gradient, -np.inf)
        if shrink.max() - grow.min() <= noise:
            return False
        self.free[[int(np.argmin(grow)), int(np.argmax(shrink))]] = True
        return True

    def _repair_sum(self) -> None:
        """Give the rounding of sum(b) to the free row that has most room."""
        rows = np.flatnonzero(self.free)
        if len(rows):
            inside = np.minimum(self.b - self.problem.lower, self.problem.upper - self.b)[rows]
            row = rows[int(np.argmax(inside))]
            self.b[row] -= float(self.b.astype(np.longdouble).sum() - self.problem.total)


def enumerate_solution(K: np.ndarray, problem: ProblemLike) -> np.ndarray:
    """The solution by trying every assignment of rows to {lower, free, upper} (n <= 8)."""
    n, best, best_gap = len(K), None, np.inf
    Q = K + np.diag(problem.ridge)
    choices = [
        [0] + [s for s, at in ((-1, lo), (1, up)) if np.isfinite(at)]
        for lo, up in zip(problem.lower, problem.upper, strict=True)
    ]
    for states in np.array(np.meshgrid(*choices, indexing="ij")).reshape(n, -1).T:
        b = np.where(states < 0, problem.lower, np.where(states > 0, problem.upper, 0.0))
        free = np.flatnonzero(states == 0)
        if len(free):
            m = len(free)
            system = np.ones((m + 1, m + 1))
            system[:m, :m], system[m, m] = Q[np.ix_(free, free)], 0
            fixed = states != 0
            right = np.r_[
                -problem.linear[free] - Q[np.ix_(free, fixed)] @ b[fixed],
                problem.total - b[fixed].sum(),
            ]
            b[free] = np.linalg.lstsq(system, right, rcond=None)[0][:m]
        if abs(b.sum() - problem.total) > 1e-9:
            continue
        if np.maximum(problem.lower - b, b - problem.upper).max() > 1e-12:
            continue
        gradient = Q @ b + problem.linear
        low = gradient[b > problem.lower].max(initial=-np.inf)
        gap = low - gradient[b < problem.upper].min(initial=np.inf)
        if gap < best_gap:
            best, best_gap = b, gap
    if best is None:
        raise RuntimeError("no assignment of the rows is feasible")
    return best
