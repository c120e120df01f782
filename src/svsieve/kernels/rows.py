"""Rows of a Gram matrix too large to hold: computed on demand by the core."""

from __future__ import annotations

import numpy as np

from svsieve.arrays import FloatArray, Table, float_table
from svsieve.errors import IncompatiblePartsError
from svsieve.kernels.composite import Normalised, Product, Sum
from svsieve.kernels.kernel import Kernel, PairingKernel, matrices_of
from svsieve.kernels.pairings import NATIVE
from svsieve.memory import fits
from svsieve.native import core

# A whole Gram matrix up to this size is worth its memory whatever the kernel costs.
SMALL_GRAM_BYTES = 64 << 20
# With this many entries per row, single rows cost much more than their share of a matrix product;
# sparse rows, which are scattered and gathered one by one, do so earlier.
LONG_ROWS = 100
LONG_SPARSE_ROWS = 10


def kernel_values(
    kernel: Kernel, X: Table, budget_bytes: int = 1 << 30
) -> FloatArray | core.CachedRows:
    """Return the Gram matrix, or rows on demand where it is too large or not worth its memory.

    Parameters
    ----------
    kernel : Kernel
        With numeric gammas (see `Kernel.bind`).
    X : array-like or sparse matrix of shape (n_rows, n_columns)
    budget_bytes : int, default=1 GiB
        The most that either may take.

    Returns
    -------
    ndarray of shape (n_rows, n_rows) or row source
        What `machines.solve` takes.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.kernels import Rbf, kernel_values
    >>> kernel_values(Rbf(gamma=0.5), np.array([[0.0], [2.0]])).shape
    (2, 2)
    """
    return values_of(kernel, float_table(X), budget_bytes)


def values_of(kernel: Kernel, table: Table, budget_bytes: int) -> FloatArray | core.CachedRows:
    """`kernel_values` of a table that has been checked."""
    n_rows = table.shape[0]
    size = 8 * n_rows * n_rows
    dense = isinstance(table, np.ndarray)
    entries = (table.size if dense else table.nnz) / n_rows
    native = _has_rows_on_demand(kernel)
    long = entries >= (LONG_ROWS if dense else LONG_SPARSE_ROWS)
    worth_it = (size <= SMALL_GRAM_BYTES or long) and fits(size * matrices_of(kernel))
    if size <= budget_bytes and (worth_it or not native):
        return kernel.gram_of(table)
    return core.CachedRows(_tree(kernel, table), int(budget_bytes))


def row_source(kernel: Kernel, X: Table, budget_bytes: int = 1 << 30) -> core.CachedRows:
    """Return a source of kernel rows for `machines.solve` that keeps to a memory budget.

    Parameters
    ----------
    kernel : Kernel
        With numeric gammas (see `Kernel.bind`), made of the library's own kernels.
    X : array-like or sparse matrix of shape (n_rows, n_columns)
    budget_bytes : int, default=1 GiB
        Memory for cached rows. The least recently used ones are forgotten.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.kernels import Rbf, row_source
    >>> rows = row_source(Rbf(gamma=0.5), np.array([[0.0], [2.0]]))
    >>> rows.row(0)
    array([1.        , 0.13533528])
    """
    return core.CachedRows(_tree(kernel, float_table(X)), int(budget_bytes))


def _tree(kernel: Kernel, X: Table) -> core.KernelTree:
    if isinstance(kernel, PairingKernel):
        return _leaf(kernel, X)
    parts = [_tree(child, X) for child in kernel.children]
    if isinstance(kernel, Sum):
        return core.sum_tree(parts, list(kernel.factors))
    if isinstance(kernel, Product):
        return core.product_tree(parts)
    if isinstance(kernel, Normalised):
        return core.normalised_tree(parts[0])
    raise IncompatiblePartsError(f"{type(kernel).__name__} has no rows on demand: {_REMEDY}")


def _has_rows_on_demand(kernel: Kernel) -> bool:
    if isinstance(kernel, PairingKernel):
        return kernel.native() is not None
    known = isinstance(kernel, (Sum, Product, Normalised))
    return known and all(_has_rows_on_demand(child) for child in kernel.children)


_REMEDY = "it needs the whole Gram matrix in memory; allow more of it, or use fewer rows."


def _leaf(kernel: PairingKernel, X: Table) -> core.KernelTree:
    kernel.gamma_number()
    profile = kernel.native()
    if profile is None:
        raise IncompatiblePartsError(f"{type(kernel).__name__} has no native profile: {_REMEDY}")
    table = kernel.scaled(X)
    pairing = NATIVE[kernel.pairing]
    if isinstance(table, np.ndarray):
        centred = table if kernel.pairing == "product" else table - table.mean(axis=0)
        return core.dense_leaf(pairing, profile, np.ascontiguousarray(centred))
    return core.sparse_leaf(
        pairing,
        profile,
        table.indptr.astype(np.int64),
        table.indices.astype(np.int64),
        table.data,
        table.shape[1],
    )
