"""Linear machines in rational arithmetic: no rounding, small tables only."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

Numbers = list[Fraction]


def exact(values: np.ndarray) -> Numbers:
    return [Fraction(float(value)) for value in values]


def reduced(rows: list[Numbers], width: int) -> tuple[list[Numbers], list[int]]:
    """Reduced row echelon form over the first `width` columns, and the columns of its pivots."""
    rows, pivots = [list(row) for row in rows], []
    for column in range(width):
        at = len(pivots)
        found = next((i for i in range(at, len(rows)) if rows[i][column]), None)
        if found is None:
            continue
        rows[at], rows[found] = rows[found], rows[at]
        rows[at] = [value / rows[at][column] for value in rows[at]]
        for i, row in enumerate(rows):
            if i != at and row[column]:
                rows[i] = [a - row[column] * b for a, b in zip(row, rows[at], strict=True)]
        pivots.append(column)
    return rows, pivots


def step_on(K: list[Numbers], g: Numbers, free: list[int]) -> tuple[Numbers, bool]:
    """The step on the free rows to their optimum, or a direction of descent without curvature."""
    f = len(free)
    system = [[K[i][k] for k in free] + [Fraction(1), -g[i]] for i in free]
    system.append([Fraction(1)] * f + [Fraction(0)] * 2)
    rows, pivots = reduced(system, f + 1)
    if all(row[-1] == 0 for row in rows[len(pivots) :]):
        step = [Fraction(0)] * (f + 1)
        for row, pivot in zip(rows, pivots, strict=False):
            step[pivot] = row[-1]
        return step[:f], True
    for column in set(range(f + 1)) - set(pivots):
        flat = [Fraction(0)] * (f + 1)
        flat[column] = Fraction(1)
        for row, pivot in zip(rows, pivots, strict=False):
            flat[pivot] = -row[column]
        slope = sum(g[i] * p for i, p in zip(free, flat[:f], strict=True))
        if slope:
            return [-p if slope > 0 else p for p in flat[:f]], False
    raise ArithmeticError("no direction")


def optimum(K: list[Numbers], y: Numbers, C: Fraction, ridge: Fraction) -> Numbers:
    """Coefficients of the classifier with bound C on y b, or C = 0 for none, and this ridge.

    A row of label 0 has neither.
    """
    n = len(y)
    K = [[K[i][k] + (ridge if i == k and y[i] else 0) for k in range(n)] for i in range(n)]
    b = [Fraction(0)] * n
    free: list[int] = []
    while True:
        g = [sum(K[i][k] * b[k] for k in range(n) if b[k]) - y[i] for i in range(n)]
        if free:
            step, ends = step_on(K, g, free)
            t, blocked = Fraction(1) if ends else None, None
            for i, p in zip(free, step, strict=True):
                bound = y[i] * C if p * y[i] > 0 else Fraction(0)
                if not p or not y[i] or (not C and p * y[i] > 0):
                    continue
                if t is None or (bound - b[i]) / p < t:
                    t, blocked = (bound - b[i]) / p, i
            assert t is not None
            for i, p in zip(free, step, strict=True):
                b[i] += t * p
            if blocked is not None:
                b[blocked] = y[blocked] * C if b[blocked] * y[blocked] > 0 else Fraction(0)
                free.remove(blocked)
            if blocked is not None or any(step):
                continue
        at_top = [y[i] * b[i] == C != 0 for i in range(n)]
        up = [i for i in range(n) if (b[i] if y[i] < 0 else not y[i] or not at_top[i])]
        low = [i for i in range(n) if (b[i] if y[i] > 0 else not y[i] or not at_top[i])]
        least, most = min(up, key=lambda i: g[i]), max(low, key=lambda i: g[i])
        if g[most] <= g[least]:
            return b
        free += [i for i in (least, most) if i not in free]


def squared_weights(
    X: np.ndarray,
    y: np.ndarray,
    kept: list[int],
    C: float,
    *,
    squared: bool = False,
    bias: float | None = None,
) -> Numbers:
    """w_j^2 of the kept columns. A penalised bias is a constant column and a free row of zeros."""
    used = list(kept)
    if bias is not None:
        used.append(X.shape[1])
        X = np.vstack([np.column_stack([X, np.full(len(X), bias)]), np.zeros(X.shape[1] + 1)])
        y = np.append(y, 0.0)
    table = [[value - top for value, top in zip(exact(row), exact(X[0]), strict=True)] for row in X]
    n = len(table)
    K = [[sum(table[i][j] * table[k][j] for j in used) for k in range(n)] for i in range(n)]
    bound, ridge = (Fraction(0), 1 / Fraction(C)) if squared else (Fraction(C), Fraction(0))
    b = optimum([[Fraction(v) for v in row] for row in K], exact(y), bound, ridge)
    return [Fraction(sum(b[i] * table[i][j] for i in range(n))) ** 2 for j in kept]
