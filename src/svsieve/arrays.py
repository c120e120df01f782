"""Array types and the checks of the numerical layers: float64, C order, finite, nothing guessed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

FloatArray: TypeAlias = npt.NDArray[np.float64]
IndexArray: TypeAlias = npt.NDArray[np.int64]
# A dense float64 array or a scipy sparse matrix: scipy ships no types.
Table: TypeAlias = Any

LIMITS = np.finfo(np.float64)


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


def table_in_range(X: Table, name: str = "X") -> Table:
    """`float_table`, refusing columns whose squares leave the range of double precision."""
    table = float_table(X, name)
    refuse_extremes(column_peaks(table), table.shape[0])
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


def column_peaks(X: Table) -> FloatArray:
    """Return the largest magnitude of every column, NaN where it holds one."""
    with np.errstate(invalid="ignore"):
        if sp.issparse(X):
            peaks = np.zeros(X.shape[1])
            np.maximum.at(peaks, X.indices, np.abs(X.data))
            return peaks
        return np.asarray(np.maximum(X.max(axis=0), -X.min(axis=0)))


def refuse_extremes(
    peaks: FloatArray, n_rows: int, *, names: Sequence[Any] | None = None, vanishing: bool = True
) -> None:
    """Refuse columns whose squares leave the range of double precision, given their peaks.

    Kernels multiply or square entries and add them up over columns, gamma="scale" over rows too.
    Beyond the limits the sum is infinite, or, where `vanishing` matters, a column counts for
    nothing though it is not zero.
    """
    terms = float(len(peaks) * (n_rows if vanishing else 1))
    least = float(np.sqrt(LIMITS.tiny * terms)) if vanishing else 0.0
    most = float(np.sqrt(LIMITS.max / (4.0 * terms)))
    wrong = (peaks > most) | ((peaks > 0) & (peaks < least))
    if wrong.any():
        column = int(np.argmax(wrong))
        happens = "overflow" if peaks[column] > most else "vanish"
        raise ValueError(
            f"{column_name(column, names)} of X has entries of size up to {peaks[column]:.3g}, "
            f"whose squares {happens} in double precision; the largest must lie between "
            f"{least:.3g} and {most:.3g}. Scale the column."
        )


def column_name(position: int, names: Sequence[Any] | None, *, capital: bool = True) -> str:
    """Return how to call a column in a sentence, by its name too where it has one."""
    name = "" if names is None else f" ({str(names[position])!r})"
    return f"{'Column' if capital else 'column'} {position}{name}"
