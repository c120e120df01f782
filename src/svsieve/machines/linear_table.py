"""A table that loses columns, and the products with it that a linear machine needs."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from svsieve.arrays import FloatArray, IndexArray, Table

# Columns that left are multiplied by zero until so few of the stored ones are in use; then the rest
# is copied together.
LEAST_USED = 0.75
BLOCK_BYTES = 1 << 23  # rows are gathered in blocks of about this size
BEYOND_CACHE = 20 << 20
SPARSE_SHARE = 0.1  # below this density products of rows stay sparse


class WorkingTable:
    """The rows of a table on its kept columns, followed by a constant column that never leaves.

    Parameters
    ----------
    X : float64 array in C order or CSR
        Read, never written to.
    kept : ascending indices
    constant : float
        The value of the last column; 0 for none at all.
    """

    def __init__(self, X: Table, kept: IndexArray, constant: float) -> None:
        self._table = X
        self._at = kept  # where the kept columns are in the table
        self.constant = constant
        self.kept = kept
        self._compact()

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self._table.shape[0])

    @property
    def width(self) -> int:
        """Number of kept columns, the constant one included."""
        return len(self.kept) + (self.constant != 0.0)

    @property
    def _is_dense(self) -> bool:
        return isinstance(self._table, np.ndarray)

    @property
    def _streams(self) -> bool:
        """Whether a plain loop over the rows beats BLAS, as it does on tables beyond the cache."""
        large = self._table.shape[1] <= 512 and 8 * np.prod(self._table.shape) > BEYOND_CACHE
        return self._is_dense and bool(large)

    @property
    def pass_cost(self) -> float:
        """Multiplications of `times` and `gathered` together, on all rows."""
        stored = self._table.size if self._is_dense else self._table.nnz
        return 2.0 * float(stored)

    def of_rows(self, rows: IndexArray) -> WorkingTable:
        """Return a table of some of the rows."""
        part = WorkingTable(self._table[rows], self._at, self.constant)
        part.kept = self.kept
        return part

    def divided(self, factors: FloatArray) -> WorkingTable:
        """Return a table whose columns, the constant one included, are divided by these."""
        every = np.ones(self._table.shape[1])
        every[self._at] = factors[: len(self._at)]
        table = self._table / every if self._is_dense else self._table @ sp.diags_array(1.0 / every)
        constant = self.constant / factors[-1] if self.constant else 0.0
        part = WorkingTable(
            sp.csr_array(table) if sp.issparse(table) else table, self._at, constant
        )
        part.kept = self.kept
        return part

    def drop(self, places: IndexArray) -> bool:
        """Leave out the kept columns at these places; tell whether the rest was moved together."""
        self.kept = np.delete(self.kept, places)
        self._at = np.delete(self._at, places)
        return self._compact()

    def _compact(self) -> bool:
        if len(self._at) >= LEAST_USED * self._table.shape[1]:
            return False
        if self._is_dense:
            self._table = np.take(self._table, self._at, axis=1)
        else:
            self._table = self._table[:, self._at]
        self._at = np.arange(len(self.kept))
        return True

    def times(self, vector: FloatArray) -> FloatArray:
        """X v, with an entry of v for the constant column."""
        product = self._spread(vector[: len(self.kept)], self._at)
        if self.constant:
            product += self.constant * vector[-1]
        return product

    def part_times(self, places: IndexArray, vector: FloatArray) -> FloatArray:
        """X_c v for a few of the kept columns."""
        at = self._at[places]
        if self._is_dense and len(at) <= 8:
            product = np.zeros(self.n_rows)
            for column, value in zip(at, vector, strict=True):
                product += value * self._table[:, column]
            return product
        return self._spread(vector, at)

    def _spread(self, vector: FloatArray, at: IndexArray) -> FloatArray:
        stored = int(self._table.shape[1])
        if len(at) < stored:
            full = np.zeros(stored)
            full[at] = vector
            vector = full
        if self._streams:
            return np.asarray(np.einsum("ij,j->i", self._table, vector))
        return np.asarray(self._table @ vector)

    def gathered(self, coefficients: FloatArray, rows: IndexArray | None = None) -> FloatArray:
        """X'b; with `rows` the coefficients are those of these rows and the others are zero."""
        if rows is None and self._streams:
            sums = np.einsum("ij,i->j", self._table, coefficients)
        else:
            table = self._table if rows is None else self._table[rows]
            sums = np.asarray(table.T @ coefficients)
        if len(self._at) < len(sums):
            sums = sums[self._at]
        return np.append(sums, self.constant * coefficients.sum()) if self.constant else sums

    def rows(self, rows: IndexArray) -> FloatArray:
        """Some rows, dense, the constant column included."""
        block = np.empty((len(rows), self.width))
        picked = self._table[rows]
        if len(self._at) < picked.shape[1]:
            picked = picked[:, self._at]
        block[:, : len(self.kept)] = picked if self._is_dense else picked.toarray()
        if self.constant:
            block[:, -1] = self.constant
        return block

    def normal_matrix(self, rows: IndexArray, weights: FloatArray) -> FloatArray:
        """sum_k v_k x_k x_k' over some rows, with the weight v_k of each."""
        roots = np.sqrt(weights)
        total = np.zeros((self.width, self.width))
        block = max(1, BLOCK_BYTES // (8 * self.width))
        for start in range(0, len(rows), block):
            chosen, scale = rows[start : start + block], roots[start : start + block]
            if self._is_dense or self._table.nnz > SPARSE_SHARE * np.prod(self._table.shape):
                scaled = self.rows(chosen)
                scaled *= scale[:, None]
                total += scaled.T @ scaled
            else:
                total += self._sparse_squares(chosen, scale)
        return total

    def _sparse_squares(self, rows: IndexArray, scale: FloatArray) -> FloatArray:
        picked = self._table[rows][:, self._at]
        if self.constant:
            picked = sp.hstack([picked, np.full((len(rows), 1), self.constant)], format="csr")
        scaled = sp.csr_array(picked.multiply(scale[:, None]))
        return np.asarray((scaled.T @ scaled).toarray())

    def largest(self) -> FloatArray:
        """Largest absolute value of every kept column and of the constant one."""
        high, low = self._table.max(axis=0), self._table.min(axis=0)
        if not self._is_dense:
            high, low = high.toarray().ravel(), low.toarray().ravel()
        largest = np.maximum(high, -low)[self._at]
        return np.append(largest, self.constant) if self.constant else largest

    def mean_squares(self) -> FloatArray:
        """Mean square of every kept column and of the constant one."""
        if self._is_dense:
            sums = np.einsum("ij,ij->j", self._table, self._table)
        else:
            sums = np.asarray(self._table.power(2).sum(axis=0)).ravel()
        squares = sums[self._at] / self.n_rows
        return np.append(squares, self.constant**2) if self.constant else squares
