"""Pairing matrices s_ik = sum_j t_j(x_i, x_k) of dense and sparse tables."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp

from svsieve.arrays import FloatArray, IndexArray, Table
from svsieve.native import core, one_blas_thread

NATIVE = {
    "product": core.Pairing.PRODUCT,
    "squared-difference": core.Pairing.SQUARED_DIFFERENCE,
    "absolute-difference": core.Pairing.ABSOLUTE_DIFFERENCE,
}

# d ln t / d ln v where a column is multiplied by v.
HOMOGENEITY = {"product": 2.0, "squared-difference": 2.0, "absolute-difference": 1.0}

# Sparse tables are written out this many entries at a time.
_BLOCK_ENTRIES = 4_000_000


def scale_columns(X: Table, factors: FloatArray) -> Table:
    """Multiply each column by its factor."""
    if isinstance(X, np.ndarray):
        return np.ascontiguousarray(X * factors)
    return sp.csr_array(X @ sp.diags_array(factors))


def column_ranges(X: Table) -> Iterator[slice]:
    """Yield ranges of columns narrow enough to be written out densely."""
    width = max(1, _BLOCK_ENTRIES // max(1, X.shape[0]))
    for first in range(0, X.shape[1], width):
        yield slice(first, min(first + width, X.shape[1]))


def dense_columns(X: Table, columns: IndexArray | slice) -> FloatArray:
    """Return some columns as a dense C-contiguous block."""
    block = X[:, columns]
    return np.ascontiguousarray(block if isinstance(block, np.ndarray) else block.toarray())


def self_pairing(pairing: str, X: Table) -> FloatArray:
    """Return s(x_i, x_i)."""
    if pairing != "product":
        return np.zeros(X.shape[0])
    if isinstance(X, np.ndarray):
        return np.asarray(np.einsum("ij,ij->i", X, X))
    return np.asarray(X.multiply(X).sum(axis=1)).ravel()


def pairing_matrix(
    pairing: str,
    Z: Table,
    X: Table | None = None,
    profile: core.Profile | None = None,
    *,
    centred: bool = False,
) -> FloatArray:
    """Return s between the rows of `Z` and `X` (`Z` itself where None); phi(s) with a profile.

    Differences do not change when a column is shifted: dense columns are centred first, so that
    squared norms do not swamp small distances, unless they were `centred` where that matters.
    """
    if sp.issparse(Z) or sp.issparse(X):
        return _sparse_pairing(pairing, Z, X, profile)
    if pairing != "product" and not centred:
        shift = (Z if X is None else X).mean(axis=0)
        Z, X = _shifted(Z, shift), None if X is None else _shifted(X, shift)
    with one_blas_thread():
        if X is None:
            out = core.empty_table(len(Z), len(Z))
            core.build_pairing(NATIVE[pairing], Z, out, profile)
        else:
            out = core.empty_table(len(Z), len(X))
            core.cross_pairing(NATIVE[pairing], Z, X, out, profile)
    return out


def _shifted(X: FloatArray, shift: FloatArray) -> FloatArray:
    return np.subtract(X, shift, out=core.empty_table(*X.shape))


def _sparse_pairing(
    pairing: str, Z: Table, X: Table | None, profile: core.Profile | None
) -> FloatArray:
    left = sp.csr_array(Z)
    right = left if X is None else sp.csr_array(X)
    if pairing == "absolute-difference":
        s = np.zeros((left.shape[0], right.shape[0]))
        part = np.empty_like(s)
        left_columns, right_columns = sp.csc_array(left), sp.csc_array(right)
        for block in column_ranges(left):
            a, b = dense_columns(left_columns, block), dense_columns(right_columns, block)
            core.cross_pairing(NATIVE[pairing], a, b, part, None)
            s += part
    else:
        s = np.ascontiguousarray((left @ right.T).toarray())
        if pairing == "squared-difference":
            a, b = self_pairing("product", left), self_pairing("product", right)
            s = np.maximum(a[:, None] + b[None, :] - 2.0 * s, 0.0)
    if X is None and pairing != "product":
        np.fill_diagonal(s, 0.0)
    if profile is not None:
        core.apply_profile(profile, s, s)
    return s
