"""Tables in binary files: parquet, numpy archives, annotated data."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path as FilePath
from typing import Any

import numpy as np
import scipy.sparse as sp

from svsieve.arrays import Table
from svsieve.errors import MissingExtraError
from svsieve.io.cells import ColumnCells, Contents, as_text
from svsieve.io.table import refuse_repeated, some

# Arrays of an archive that may hold the names of its columns or rows.
NAME_ARRAYS = ("feature_names", "names", "columns")
ID_ARRAYS = ("ids", "row_names", "index")


class ArrayContents(Contents):
    """A numeric array with names beside it.

    Parameters
    ----------
    file : str
    values : ndarray or sparse matrix
    names, row_names : list of str
    more : dict of str to list
        Further variables, text or numbers, one entry per row each.
    own_labels : list, optional
    """

    def __init__(
        self,
        file: str,
        values: Any,
        names: list[str],
        row_names: list[str] | None,
        more: dict[str, list[Any]] | None = None,
        own_labels: list[Any] | None = None,
    ) -> None:
        self.file, self._values, self.row_names = file, values, row_names
        self._more = more or {}
        self.names = names
        self.own_labels = None if own_labels is None else [as_text(one) for one in own_labels]
        # Annotations of rows may be the target; they are no columns to rank.
        self.annotations = list(self._more)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self._values.shape[0])

    def annotation(self, name: str) -> list[str | None]:
        """Return what stands beside the rows under a name."""
        return [as_text(one) for one in self._more[name]]

    def texts(self, position: int) -> list[str | None]:
        """Return the cells of a variable as text."""
        column = self._values[:, [position]]
        dense = column.toarray() if sp.issparse(column) else column
        return [as_text(value) for value in dense.ravel().tolist()]

    def numbers(self, positions: Sequence[int]) -> Table:
        """Return some variables as columns of finite numbers, refusing anything else."""
        everything = len(positions) == self._values.shape[1]
        kept = self._values if everything else self._values[:, list(positions)]
        if sp.issparse(kept):
            sparse = sp.csr_array(kept, dtype=np.float64)
            dense = None
            wrong = ~np.isfinite(sparse.data)
            if wrong.any():
                entry = int(np.argmax(wrong))
                row = int(np.searchsorted(sparse.indptr, entry, side="right")) - 1
                self._refuse(row, positions[int(sparse.indices[entry])], sparse.data[entry])
            return sparse
        dense = np.ascontiguousarray(kept, dtype=np.float64)
        finite = np.isfinite(dense)
        if not finite.all():
            row, column = (int(place) for place in np.argwhere(~finite)[0])
            self._refuse(row, positions[column], dense[row, column])
        return dense

    def _refuse(self, row: int, position: int, value: Any) -> None:
        raise self.wrong(f"row {row + 1}", self.names[position], str(value))


def read_parquet(data: bytes, file: str) -> ColumnCells:
    """Return the columns of a parquet file; those that pandas kept as its index are left out."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        table = parquet.read_table(pa.BufferReader(data))
    except (pa.ArrowInvalid, pa.ArrowException, OSError) as error:
        raise ValueError(f"{file} is damaged or is no parquet file ({_short(error)}).") from None
    names = [str(name) for name in table.column_names]
    cells = ColumnCells(file, names, list(table.columns))
    index = [name for name in names if name.startswith("__index_level_")]
    if index:
        at = names.index(index[0])
        kept = [position for position, name in enumerate(names) if name not in index]
        row_names = [one or "" for one in cells.texts(at)]
        cells = ColumnCells(file, [names[k] for k in kept], [table.column(k) for k in kept])
        cells.row_names = row_names
    return cells


def read_npz(data: bytes, file: str) -> ArrayContents:
    """Return the arrays X, y and, where they are there, names and ids of a numpy archive."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except Exception as error:  # zip, format, pickles: whatever a damaged file leads to
        raise ValueError(f"{file} is damaged or is no npz archive ({_short(error)}).") from None
    X = arrays.get("X")
    if X is None or X.ndim != 2 or X.dtype.kind not in "biuf":
        found = "none" if X is None else f"{X.dtype} of shape {X.shape}"
        raise ValueError(
            f"{file} must hold a table of numbers named X. Got {found}; its arrays are "
            f"{some(list(arrays))}."
        )
    n, d = X.shape
    for name, length in [("y", n), *((one, d) for one in NAME_ARRAYS)]:
        if name in arrays and arrays[name].shape != (length,):
            raise ValueError(
                f"{file}: array {name} must have {length} entries, as X has shape {X.shape}. "
                f"Got shape {arrays[name].shape} instead."
            )
    named = [arrays[one] for one in NAME_ARRAYS if one in arrays]
    names = [str(one) for one in named[0]] if named else [str(j) for j in range(d)]
    ids = [arrays[one] for one in ID_ARRAYS if one in arrays and arrays[one].shape == (n,)]
    row_names = [str(one) for one in ids[0]] if ids else None
    others = {"X", "y", *NAME_ARRAYS, *ID_ARRAYS}
    more = {
        name: array.tolist()
        for name, array in arrays.items()
        if name not in others and array.shape == (n,)
    }
    labels = arrays["y"].tolist() if "y" in arrays else None
    return ArrayContents(file, X, names, row_names, more, labels)


def read_h5ad(path: FilePath, file: str) -> ArrayContents:
    """Return the matrix of an annotated data set with the annotations of its rows."""
    try:
        import anndata
    except ImportError as error:
        raise MissingExtraError(
            f"{file}: h5ad files are read by anndata, which is not installed: "
            "pip install 'svsieve[anndata]'."
        ) from error
    try:
        data = anndata.read_h5ad(path)
    except Exception as error:  # whatever a damaged file leads to
        raise ValueError(f"{file} is damaged or is no h5ad file ({_short(error)}).") from None
    names = [str(name) for name in data.var_names]
    refuse_repeated(names, "names of variables", file)
    more = {str(name): data.obs[name].tolist() for name in data.obs.columns}
    row_names = [str(name) for name in data.obs_names]
    return ArrayContents(file, data.X, names, row_names, more)


def _short(error: Exception) -> str:
    return str(error).strip().splitlines()[0][:120] if str(error).strip() else type(error).__name__
