"""Array types and the checks of the numerical layers: float64, C order, finite, nothing guessed."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

FloatArray: TypeAlias = npt.NDArray[np.float64]
IndexArray: TypeAlias = npt.NDArray[np.int64]
# A dense float64 array or a scipy sparse matrix: scipy ships no types.
Table: TypeAlias = Any


def float_vector(values: npt.ArrayLike, name: str, length: int | None = None) -> FloatArray:
    """Return `values` as a contiguous float64 vector, refusing other shapes by `name`."""
    vector = np.ascontiguousarray(values, dtype=np.float64)
    if vector.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional. Got shape {vector.shape}.")
    if length is not None and len(vector) != length:
        raise ValueError(f"{name} must have {length} entries. Got {len(vector)}.")
    return vector


def float_table(X: Table, name: str = "X") -> Table:
    """Return `X` as a C-contiguous float64 array, or as float64 CSR if it is sparse.

    Refuses anything that is not a table of finite numbers.
    """
    if sp.issparse(X):
        table = sp.csr_array(X, dtype=np.float64)
        if not table.has_canonical_format:  # entries named twice mean their sum
            table = table.copy()
            table.sum_duplicates()
        _refuse_empty(table, name)
        _refuse_non_finite(table.data, name)
        return table
    table = np.ascontiguousarray(X, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"{name} must be a table with rows and columns. Got shape {table.shape}.")
    _refuse_empty(table, name)
    _refuse_non_finite(table, name)
    return table


def _refuse_empty(table: Table, name: str) -> None:
    if 0 in table.shape:
        raise ValueError(f"{name} must have a row and a column. Got shape {table.shape}.")


def _refuse_non_finite(values: FloatArray, name: str) -> None:
    finite = np.isfinite(values)
    if finite.all():
        return
    where = tuple(int(i) for i in np.argwhere(~finite)[0])
    place = f" in row {where[0]}, column {where[1]}" if len(where) == 2 else ""
    raise ValueError(f"{name} must hold finite numbers. Got {values[where]}{place}.")


def distinct_indices(values: npt.ArrayLike, name: str, limit: int) -> IndexArray:
    """Return `values` as ascending indices, refusing any outside [0, limit) or named twice."""
    indices = np.sort(index_vector(values, name, limit))
    repeated = indices[1:][np.diff(indices) == 0]
    if len(repeated):
        raise ValueError(f"{name} holds {repeated[0]} twice.")
    return indices


def index_vector(values: npt.ArrayLike, name: str, limit: int) -> IndexArray:
    """Return `values` as int64 indices, refusing any outside [0, limit)."""
    given = np.atleast_1d(np.asarray(values))
    if given.size and not np.issubdtype(given.dtype, np.integer):
        raise ValueError(f"{name} must hold whole numbers. Got dtype {given.dtype}.")
    indices = np.ascontiguousarray(given, dtype=np.int64)
    if indices.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional. Got shape {indices.shape}.")
    outside = (indices < 0) | (indices >= limit)
    if outside.any():
        raise ValueError(f"{name} holds {indices[outside][0]}, which is not in [0, {limit}).")
    return indices
