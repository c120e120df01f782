"""Exact linear machines for many rows, quickly solved anew as columns are dropped.

The dual program is that of every machine; what is iterated on are the weights, one per column. The
squared slack is one smooth problem, the linear slack a sequence of them (`linear_slacks`), each
solved by Newton's method (`linear_descent`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from svsieve.arrays import FloatArray, IndexArray, Table, distinct_indices, float_table
from svsieve.machines.classifiers import CSvm, L2Svm, weights_per_row
from svsieve.machines.linear_descent import Rows
from svsieve.machines.linear_newton import has_few_columns
from svsieve.machines.linear_slacks import LinearSlack, SquaredSlack, kkt_interval
from svsieve.machines.linear_table import WorkingTable
from svsieve.machines.problem import DualProblem, Stopped, check_effort
from svsieve.native import one_blas_thread

MOST_STEPS = 10_000
# Columns so many times as wide as the middle one are scaled down to it: their squares would leave
# the others few digits.
WIDE = 1e4
MOST_WIDE = 1e9  # beyond, too little of a ridge would remain: nothing is scaled
ROUNDING = 8.0 * np.finfo(np.float64).eps  # of a sum, in units of what Cauchy and Schwarz allow


@dataclass(frozen=True, eq=False)
class LinearSolution:
    """A linear machine on the kept columns.

    Attributes
    ----------
    weights : ndarray of shape (n_kept,)
        In the order of the original columns.
    offset : float
    values : ndarray of shape (n_rows,)
        The decision function of the rows: X[:, kept] @ weights + offset.
    coefficients : ndarray of shape (n_rows,)
        Signed dual coefficients; X[:, kept].T @ coefficients are the weights.
    objective : float
        Of the dual program, as in `DualSolution`.
    kkt_gap : float
        As in `DualSolution`, or a bound above it where that already meets the tolerance.
    iterations : int
        Newton steps.
    stopped : str
        "converged", "iteration-limit" or "precision-floor", as in `DualSolution`.
    """

    weights: FloatArray
    offset: float
    values: FloatArray
    coefficients: FloatArray
    objective: float
    kkt_gap: float
    iterations: int
    stopped: Stopped


class LinearPrimal:
    """A linear two-class machine on a table that loses columns.

    Each `solve` starts from the last solution, and costs a few passes over the table.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_rows, n_columns)
        Not copied if it is a float64 array in C order or CSR; it must not change meanwhile.
    labels : array-like of +1 and -1
    machine : CSvm or L2Svm
        With finite C.
    row_weights : array-like of shape (n_rows,), optional
        They multiply C. A row of weight 0 takes no part.
    bias : float, optional
        None: an unpenalised offset. A positive number s: the offset is s times one more weight,
        penalised like the others, as if a column held s throughout. 0: no offset.
    kept : array-like of int, optional
        Columns to begin with, all by default.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.machines import CSvm, LinearPrimal
    >>> X = np.array([[-1.0, 0.3], [1.0, 0.1], [3.0, 0.2]])
    >>> machine = LinearPrimal(X, [-1, 1, 1], CSvm(C=10.0))
    >>> machine.drop([1])
    >>> machine.solve().weights
    array([1.])
    """

    def __init__(
        self,
        X: Table,
        labels: npt.ArrayLike,
        machine: CSvm | L2Svm,
        row_weights: npt.ArrayLike | None = None,
        *,
        bias: float | None = None,
        kept: npt.ArrayLike | None = None,
    ) -> None:
        if not np.isfinite(machine.C):
            raise ValueError(f"LinearPrimal needs a machine with finite C. Got {machine!r}.")
        if bias is not None and not (np.isfinite(bias) and bias >= 0):
            raise ValueError(f"bias must be None or a finite number from 0 on. Got {bias!r}.")
        table = float_table(X)
        n, d = table.shape
        begin = np.arange(d) if kept is None else distinct_indices(kept, "kept", d)
        if not len(begin):
            raise ValueError("kept must name a column. Got none.")
        program = machine.problem(np.ones(n), labels, row_weights)
        self._ridge_of_rows = program.ridge
        self._rows = Rows(-program.linear, weights_per_row(row_weights, n), _bounds(program))
        self._free_offset = bias is None
        self._table = WorkingTable(table, begin, 1.0 if bias is None else float(bias))
        with one_blas_thread(), np.errstate(over="ignore"):
            squares = self._table.mean_squares()
            if not np.isfinite(squares.sum() * n):
                raise ValueError("the squares of X must have a finite sum; scale its columns.")
            # With x_j / f_j in the place of x_j the weight is w_j f_j, and its ridge 1 / f_j^2.
            few = has_few_columns(self._table)
            self._factors = _factors(squares) if few else np.ones(self._table.width)
            if (self._factors != 1.0).any():
                self._table = self._table.divided(self._factors)
            self._ridge = self._factors**-2.0
            if self._free_offset:
                self._ridge[-1] = 0.0
            self._largest = self._table.largest()
            self._norms = np.sqrt(self._table.mean_squares() * n)
            kind = SquaredSlack if isinstance(machine, L2Svm) else LinearSlack
            self._slack = kind(self._table, self._rows, self._ridge, machine.C)

    @property
    def kept(self) -> IndexArray:
        """Original indices of the kept columns, ascending."""
        return self._table.kept

    def drop(self, columns: npt.ArrayLike) -> None:
        """Leave out columns, named by original index.

        Examples
        --------
        >>> import numpy as np
        >>> from svsieve.machines import L2Svm, LinearPrimal
        >>> machine = LinearPrimal(np.eye(3), [1, -1, 1], L2Svm())
        >>> machine.drop([1])
        >>> machine.kept
        array([0, 2])
        """
        kept = self.kept
        gone = distinct_indices(columns, "columns", int(kept[-1]) + 1)
        places = np.searchsorted(kept, gone)
        absent = gone[kept[places] != gone]
        if len(absent):
            raise ValueError(f"columns must be kept ones. Got {absent[0]}, which is gone.")
        if len(gone) == len(kept):
            raise ValueError(f"columns must leave one. Got all {len(kept)} that are kept.")
        with one_blas_thread():
            self._slack.drop(places)
        self._forget(places)

    def _forget(self, places: IndexArray) -> None:
        self._ridge = np.delete(self._ridge, places)
        self._factors = np.delete(self._factors, places)
        self._largest = np.delete(self._largest, places)
        self._norms = np.delete(self._norms, places)

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Return, in copies, what solving has made of the machine: all that X does not tell."""
        return {name: np.array(values) for name, values in self._slack.state().items()}

    def restore(self, dropped: Sequence[IndexArray], state: Mapping[str, npt.NDArray[Any]]) -> None:
        """Go on from a state.

        Parameters
        ----------
        dropped : sequence of ndarray of int
            What `drop` was called with since the machine was made. The table follows step by step,
            so that its memory is laid out as it was, and products round alike.
        state : mapping
            What `state` returned then.
        """
        for columns in dropped:
            places = np.searchsorted(self.kept, np.sort(columns))
            self._table.drop(places)
            self._forget(places)
        self._slack.restore({name: v if v.ndim else v[()] for name, v in state.items()})

    def solve(self, tol: float = 1e-8, max_iter: int = -1) -> LinearSolution:
        """Return the machine on the kept columns.

        Parameters
        ----------
        tol : float, default=1e-8
            KKT gap to reach.
        max_iter : int, default=-1
            Limit on Newton steps; -1 for ten thousand.

        Examples
        --------
        >>> import numpy as np
        >>> from svsieve.machines import L2Svm, LinearPrimal
        >>> LinearPrimal(np.array([[-1.0], [1.0]]), [-1, 1], L2Svm(C=2.0)).solve().weights
        array([0.8])
        """
        check_effort(tol, max_iter)
        limit = MOST_STEPS if max_iter == -1 else int(max_iter)
        steps, stalls, best = 0, 0, np.inf
        with one_blas_thread():
            while True:
                steps += self._slack.improve(tol, limit - steps)
                slopes = self._balanced(self._slack.slopes)
                dual = self._table.gathered(self._rows.signs * slopes)
                gap = self._gap_bound(slopes, dual)
                if gap > tol:
                    gap = min(gap, self._gap(slopes, dual))
                self._slack.learn(dual)
                stalls += gap > 0.5 * best
                if gap <= tol:
                    return self._solution(slopes, dual, gap, steps, "converged")
                if steps >= limit:
                    return self._solution(slopes, dual, gap, steps, "iteration-limit")
                if stalls > 1:
                    return self._solution(slopes, dual, gap, steps, "precision-floor")
                best = min(best, gap)
                self._slack.correct(dual)

    def _balanced(self, slopes: FloatArray) -> FloatArray:
        """Give what rounding left of the sum of coefficients to the row with most room for it."""
        if not self._free_offset:
            return slopes
        rest = float(self._rows.signs @ slopes)
        room = np.minimum(slopes, self._rows.upper - slopes)
        most = int(room.argmax())
        if rest != 0.0 and room[most] > abs(rest):
            slopes = slopes.copy()
            slopes[most] -= self._rows.signs[most] * rest
        return slopes

    def _gap_bound(self, slopes: FloatArray, dual: FloatArray) -> float:
        """The gap of the weights, plus all that their difference from the dual ones can change.

        Rounding in sum_i b_i x_ij is that of a table whose entries differ in their last digits, for
        which the weights may be right: it is not counted. Of a column far wider than the others it
        would be more than the decision values, though the weight is exact.
        """
        signs = self._rows.signs
        low, high = self._interval(slopes, -signs * self._slack.short)
        rounding = ROUNDING * float(np.linalg.norm(slopes)) * self._norms
        rest = np.abs(self._ridge * self._slack.weights - dual) - rounding
        moved = np.maximum(rest, 0.0) / np.where(self._ridge > 0.0, self._ridge, 1.0)
        return max(0.0, low - high) + 2.0 * float(moved @ self._largest)

    def _gap(self, slopes: FloatArray, dual: FloatArray) -> float:
        """The gap by its definition, from the coefficients alone, which must balance."""
        values = self._table.times(_divided(dual, self._ridge))
        low, high = self._interval(slopes, values - self._rows.signs)
        unbalanced = abs(dual[-1]) if self._free_offset else 0.0
        return max(0.0, low - high) + float(unbalanced)

    def _interval(self, slopes: FloatArray, gradient: FloatArray) -> tuple[float, float]:
        full = gradient + self._ridge_of_rows * self._rows.signs * slopes
        return kkt_interval(self._rows, slopes, full, free_offset=self._free_offset)

    def _solution(
        self, slopes: FloatArray, dual: FloatArray, gap: float, steps: int, stopped: Stopped
    ) -> LinearSolution:
        signs, slack = self._rows.signs, self._slack
        coefficients = signs * slopes
        objective = 0.5 * float(dual @ _divided(dual, self._ridge)) - float(slopes.sum())
        objective += 0.5 * float(slopes @ (self._ridge_of_rows * slopes))
        values = signs * (1.0 - slack.short)
        offset = self._table.constant * float(slack.weights[-1])
        if self._free_offset:
            low, high = self._interval(slopes, -signs * slack.short)
            free = ((slopes > 0) & (slopes < self._rows.upper)).any()
            if np.isfinite(low) and np.isfinite(high):
                # No row fixes the offset: the middle of what is allowed; else the nearest allowed.
                near = float(np.clip(0.0, min(low, high), max(low, high)))
                shift = near if free else 0.5 * (low + high)
                offset, values = offset - shift, values - shift
        return LinearSolution(
            weights=(slack.weights / self._factors)[: len(self.kept)],
            offset=offset,
            values=values,
            coefficients=coefficients,
            objective=objective,
            kkt_gap=gap,
            iterations=steps,
            stopped=stopped,
        )


def has_wide_columns(X: Table) -> bool:
    """Return whether a column is so much wider than the others that `LinearPrimal` scales it."""
    table = WorkingTable(X, np.arange(X.shape[1]), 0.0)
    return bool((_factors(table.mean_squares()) != 1.0).any())


def _factors(squares: FloatArray) -> FloatArray:
    """Powers of two by which columns are to be divided, from their mean squares."""
    size = np.sqrt(squares)
    middle = float(np.median(size[size > 0.0])) if (size > 0.0).any() else 1.0
    wide = size > WIDE * middle
    if (size > MOST_WIDE * middle).any():
        wide = np.zeros_like(wide)
    return np.exp2(np.round(np.log2(np.where(wide, size / middle, 1.0))))


def _divided(dual: FloatArray, ridge: FloatArray) -> FloatArray:
    """The weights that X'b stands for, zero where there is no ridge."""
    return np.where(ridge > 0.0, dual / np.where(ridge > 0.0, ridge, 1.0), 0.0)


def _bounds(program: DualProblem) -> FloatArray:
    """U without sign; a row of weight zero stays at zero by itself and needs no bound."""
    bounds = np.maximum(program.upper, -program.lower)
    return np.where(bounds > 0, bounds, np.inf)
