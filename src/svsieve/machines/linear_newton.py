"""Newton systems of linear machines: (R + sigma X_A' Diag(v) X_A) step = -gradient.

A holds the rows whose coefficients are inside their bounds, v their weights; R is one for every
column but an unpenalised constant, for which it is zero.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from svsieve.arrays import FloatArray, IndexArray
from svsieve.machines.linear_table import WorkingTable

MOST_COLUMNS = 3000  # a matrix over the columns is kept up to this size
MOST_ROWS = 1500  # beyond it, one over the rows of A up to this size, then conjugate gradients
Mask: TypeAlias = npt.NDArray[np.bool_]

# A pass over the table moves as much memory as it multiplies numbers: it takes the time of so many
# times its multiplications in a product of matrices.
PASS_COST = 8.0
REFINEMENTS = 2
LEAST_REMAINDER = 1e-3  # a sum is built anew when so little of it is left: the rest is rounding


def newton_matrix(
    table: WorkingTable, weights: FloatArray, ridge: FloatArray, squares: FloatArray
) -> NewtonMatrix:
    """Return the cheaper kind of Newton matrix for a table, with no row in A."""
    return (ColumnMatrix if has_few_columns(table) else RowMatrix)(table, weights, ridge, squares)


def has_few_columns(table: WorkingTable) -> bool:
    """Return whether Newton systems are over the columns, whatever their ridge."""
    return table.width <= min(MOST_COLUMNS, table.n_rows)


def moves(gradient: FloatArray, squares: FloatArray) -> float:
    """How far a step along a gradient moves the rows, from the mean squares of the columns."""
    return float(np.sqrt(gradient @ (squares * gradient)))


def conjugate_gradients(
    times: Callable[[FloatArray], FloatArray],
    precondition: Callable[[FloatArray], FloatArray],
    gradient: FloatArray,
    squares: FloatArray,
    enough: float,
    limit: int,
) -> tuple[FloatArray, FloatArray]:
    """Return a step and what it leaves of the gradient, which moves the rows by `enough` if found.

    At most `limit` products with the matrix are made.
    """
    step = np.zeros(len(gradient))
    rest = -gradient
    search = precondition(rest)
    size = first = rest @ search
    for _ in range(limit):
        image = times(search)
        curvature = search @ image
        if not curvature > 0.0:  # along a constant that no row holds
            break
        length = size / curvature
        step += length * search
        rest -= length * image
        if moves(rest, squares) <= enough:
            break
        ready = precondition(rest)
        size, before = rest @ ready, size
        if size <= 1e-20 * first:
            break
        search = ready + (size / before) * search
    return step, -rest


class NewtonMatrix:
    """What both kinds share: the table, the row weights v, the diagonal R and the set A.

    With the mean squares of the columns, which say how far a step moves the rows.
    """

    _STATE: tuple[str, ...] = ("_ridge", "_squares")

    def __init__(
        self, table: WorkingTable, weights: FloatArray, ridge: FloatArray, squares: FloatArray
    ) -> None:
        self._table = table
        self._weights = weights
        self._ridge = ridge
        self._squares = squares

    def suits(self, table: WorkingTable) -> bool:
        """Tell whether this is still the right kind for a table that lost columns."""
        return True

    def move(self, entered: IndexArray, left: IndexArray, active: Mask) -> None:
        """Let rows enter and leave A; `active` tells for every row whether it is in A now."""
        raise NotImplementedError

    def times_part(self, places: IndexArray, values: FloatArray) -> FloatArray | None:
        """X_A' Diag(v) X_A times a vector that is zero elsewhere, or None if that takes a pass."""
        return None

    def drop(self, places: IndexArray) -> None:
        """Follow the table, from which the columns at these places were dropped."""
        self._ridge = np.delete(self._ridge, places)
        self._squares = np.delete(self._squares, places)

    def state(self) -> dict[str, Any]:
        """Return the arrays that a matrix taken up again goes on with."""
        return {name: getattr(self, name) for name in self._STATE}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take them; the table has its present columns already."""
        for name in self._STATE:
            setattr(self, name, state[name])

    def step(
        self, gradient: FloatArray, sigma: float, enough: float = 0.0
    ) -> tuple[FloatArray, FloatArray]:
        """Return a Newton step and what it leaves of the gradient of the quadratic model.

        That may be a gradient that moves the rows by `enough`, see `moves`, where it is quicker.
        """
        raise NotImplementedError

    def _bare_curvature(self, sigma: float) -> float:
        """The curvature to assume for a constant that nothing holds: that of one heavy row."""
        return sigma * float(self._weights.max()) * self._table.constant**2


def _refined(
    solve: Callable[[FloatArray], FloatArray],
    times: Callable[[FloatArray], FloatArray],
    gradient: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Return the step that a solver of limited accuracy leads to, and what it leaves."""
    step = solve(-gradient)
    rest = gradient + times(step)
    for _ in range(REFINEMENTS):
        better = step - solve(rest)
        rest_there = gradient + times(better)
        if not rest_there @ rest_there < rest @ rest:
            break
        step, rest = better, rest_there
    return step, rest


def _factorised(matrix: FloatArray, diagonal: FloatArray) -> tuple[FloatArray, bool]:
    """Return the Cholesky factor with another diagonal, raised until rounding lets there be one."""
    extra = 0.0
    while True:
        near = matrix.copy()
        np.fill_diagonal(near, diagonal * (1.0 + extra))
        try:
            return cho_factor(near, overwrite_a=True, check_finite=False)  # type: ignore[no-any-return]
        except LinAlgError:
            extra = max(1e-14, 30.0 * extra)


class ColumnMatrix(NewtonMatrix):
    """The matrix over the columns, kept up to date by the rows that enter and leave A."""

    _STATE = (*NewtonMatrix._STATE, "_sum", "_largest")
    _factor: tuple[FloatArray, bool] | None  # of the matrix before the last changes of A
    _sigma: float
    _changed: int  # rows since

    def __init__(
        self, table: WorkingTable, weights: FloatArray, ridge: FloatArray, squares: FloatArray
    ) -> None:
        super().__init__(table, weights, ridge, squares)
        self._sum = np.zeros((table.width, table.width))
        self._largest = 0.0  # trace of the largest sum since it was built
        self._forget_factor()

    def move(self, entered: IndexArray, left: IndexArray, active: Mask) -> None:
        """Add and subtract the squares of the rows, or add up those of A anew if that is less."""
        self._changed += len(entered) + len(left)
        if 2 * (len(entered) + len(left)) < np.count_nonzero(active):
            if len(entered):
                self._sum += self._table.normal_matrix(entered, self._weights[entered])
            if len(left):
                self._sum -= self._table.normal_matrix(left, self._weights[left])
            trace = float(self._sum.trace())
            self._largest = max(self._largest, trace)
            if trace >= LEAST_REMAINDER * self._largest:
                return
        rows = np.flatnonzero(active)
        self._sum = self._table.normal_matrix(rows, self._weights[rows])
        self._largest = float(self._sum.trace())

    def times_part(self, places: IndexArray, values: FloatArray) -> FloatArray:
        """Take it from the columns of the matrix."""
        return np.asarray(self._sum[:, places] @ values)

    def drop(self, places: IndexArray) -> None:
        """Forget the rows and columns of the matrix that belong to the dropped columns."""
        super().drop(places)
        self._sum = np.delete(np.delete(self._sum, places, axis=0), places, axis=1)
        self._forget_factor()

    def step(
        self, gradient: FloatArray, sigma: float, enough: float = 0.0
    ) -> tuple[FloatArray, FloatArray]:
        """Solve by Cholesky, or with the last factor if only a few rows have changed since.

        Conjugate gradients that are preconditioned by it arrive after about as many iterations.
        Rounding that hides R is answered by a little more of the diagonal.
        """
        few = self._changed <= self._table.width / (12.0 * PASS_COST)
        if self._factor is not None and sigma == self._sigma and few:
            found = conjugate_gradients(
                lambda step: self._ridge * step + sigma * (self._sum @ step),
                self._by_factor,
                gradient,
                self._squares,
                enough,
                self._changed + 2,
            )
            if moves(found[1], self._squares) <= enough:
                return found
        matrix = sigma * self._sum
        matrix[np.diag_indices_from(matrix)] += self._ridge
        diagonal = matrix.diagonal().copy()
        if not diagonal[-1] > 0:
            diagonal[-1] = self._bare_curvature(sigma)
        self._factor, self._sigma, self._changed = _factorised(matrix, diagonal), sigma, 0
        return _refined(self._by_factor, lambda step: matrix @ step, gradient)

    def _by_factor(self, right: FloatArray) -> FloatArray:
        return np.asarray(cho_solve(self._factor, right, check_finite=False))

    def _forget_factor(self) -> None:
        """Start without, as a matrix taken up again does."""
        self._factor = None
        self._sigma, self._changed = 0.0, 0


class RowMatrix(NewtonMatrix):
    """The same system solved over the few rows of A, or by conjugate gradients."""

    _STATE = (*NewtonMatrix._STATE, "_active", "_iterates")

    def __init__(
        self, table: WorkingTable, weights: FloatArray, ridge: FloatArray, squares: FloatArray
    ) -> None:
        super().__init__(table, weights, ridge, squares)
        self._active = np.zeros(table.n_rows, dtype=bool)
        self._iterates = True  # until conjugate gradients have come too late once

    def suits(self, table: WorkingTable) -> bool:
        """Tell whether the columns are still too many for a matrix over them."""
        return not has_few_columns(table)

    def move(self, entered: IndexArray, left: IndexArray, active: Mask) -> None:
        """Only note A."""
        self._active = active

    def step(
        self, gradient: FloatArray, sigma: float, enough: float = 0.0
    ) -> tuple[FloatArray, FloatArray]:
        """Solve by conjugate gradients if they are quick, else over the rows of A if those are few.

        Conjugate gradients are given the time that the other way takes. They lose it once.
        """
        rows = np.flatnonzero(self._active & (self._weights > 0))
        if len(rows) == 0:
            held = np.where(self._ridge > 0, self._ridge, self._bare_curvature(sigma))
            return -gradient / held, gradient - self._ridge * gradient / held
        many = len(rows) > MOST_ROWS
        limit = 10 * len(gradient) if many else self._worth(len(rows))
        if many or (enough > 0.0 and self._iterates):
            found = self._by_conjugate_gradients(gradient, sigma, enough, limit)
            if many or moves(found[1], self._squares) <= enough:
                return found
            self._iterates = False
        return self._by_rows(gradient, sigma, rows)

    def _worth(self, m: int) -> int:
        """Iterations that take the time of solving over m rows."""
        over_rows = m * m * (self._table.width + m / 3.0)
        return int(over_rows / (PASS_COST * self._table.pass_cost))

    def _by_rows(
        self, gradient: FloatArray, sigma: float, rows: IndexArray
    ) -> tuple[FloatArray, FloatArray]:
        """Solve over the rows by Woodbury's identity.

        With P = sqrt(v) X_A and T = I / sigma + P P' it says (I + sigma P'P)^-1 = I - P' T^-1 P. An
        unpenalised constant, c = sqrt(v) times its value, is eliminated: its entry is c' T^-1 c.
        """
        block = self._table.rows(rows) * np.sqrt(self._weights[rows])[:, None]
        penalised = block * self._ridge
        system = penalised @ penalised.T
        factor = _factorised(system, system.diagonal() + 1.0 / sigma)
        free = self._ridge[-1] == 0.0
        border = cho_solve(factor, block[:, -1], check_finite=False)

        def solve(right: FloatArray) -> FloatArray:
            step = self._ridge * right
            inner = penalised @ right
            if free:
                step[-1] = (right[-1] - border @ inner) / (border @ block[:, -1])
                inner += block[:, -1] * step[-1]
            step -= penalised.T @ cho_solve(factor, inner, check_finite=False)
            return step

        return _refined(
            solve, lambda step: self._ridge * step + sigma * (block.T @ (block @ step)), gradient
        )

    def _by_conjugate_gradients(
        self, gradient: FloatArray, sigma: float, enough: float, limit: int
    ) -> tuple[FloatArray, FloatArray]:
        """Conjugate gradients, preconditioned by an estimate of the diagonal."""
        scale = np.where(self._active, sigma * self._weights, 0.0)
        diagonal = self._ridge + scale.sum() * self._squares

        def times(step: FloatArray) -> FloatArray:
            return self._ridge * step + self._table.gathered(scale * self._table.times(step))

        return conjugate_gradients(
            times, lambda rest: rest / diagonal, gradient, self._squares, enough, limit
        )
