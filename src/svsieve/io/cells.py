"""Columns of cells as pyarrow reads them: as text where it is asked for, or as numbers.

What cannot be a number is refused with its place: the line or row, and the column.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from svsieve.arrays import FloatArray, Table
from svsieve.io.table import shortened

# Cells that say that there is no number.
MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "nil", "?", "-", ".", "#n/a"})
TRUTHS = {"true": "1", "false": "0"}


class Contents(ABC):
    """What a file holds: variables by name, each with a cell for every row.

    Attributes
    ----------
    file : str
        The name of the file, for messages.
    names : list of str
        Of the variables.
    row_names : list of str or None
        Names of the rows, where the file has them in a place of their own.
    own_labels : ndarray or None
        The labels, where the format has a place for them.
    """

    file: str
    names: list[str]
    row_names: list[str] | None = None
    own_labels: list[str | None] | None = None

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """Number of rows."""

    @abstractmethod
    def texts(self, position: int) -> list[str | None]:
        """Return the cells of a variable as text; None where there is nothing."""

    @abstractmethod
    def numbers(self, positions: Sequence[int]) -> Table:
        """Return some variables as columns of finite numbers, refusing anything else."""

    def wrong(self, place: str, name: str, cell: str | None, hint: str = "") -> ValueError:
        """Return the error for a cell that is no finite number."""
        column = f"column {shortened(name)}"
        text = (cell or "").strip()
        if text.lower() in MISSING:
            shown = f"is missing ({text!r})" if text else "is empty"
            advice = "fill in missing values, or drop the column or the row"
            return ValueError(
                f"{self.file}, {place}, {column}: the cell {shown}; every cell must be a "
                f"finite number, so {advice}.{hint}"
            )
        advice = "encode the column as numbers or drop it"
        return ValueError(
            f"{self.file}, {place}, {column}: the cell must be a finite number, so {advice}. "
            f"Got {shortened(cell)} instead.{hint}"
        )


class ColumnCells(Contents):
    """Variables in columns.

    Parameters
    ----------
    file : str
    names : list of str
    columns : list of pyarrow arrays
        All of one length.
    place : callable, optional
        From the position of a row to where it stands, such as "line 7"; "row 6" by default.
    decimal : str, default="."
        What divides the whole part of a number from its fraction.
    """

    def __init__(
        self,
        file: str,
        names: list[str],
        columns: list[Any],
        place: Callable[[int], str] | None = None,
        decimal: str = ".",
    ) -> None:
        self.file, self.names, self._columns = file, names, columns
        self._place = place or (lambda row: f"row {row + 1}")
        self._decimal = decimal

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self._columns[0]) if self._columns else 0

    def texts(self, position: int) -> list[str | None]:
        """Return the cells of a variable as text; None where there is nothing."""
        return as_texts(self._columns[position])

    def numbers(self, positions: Sequence[int]) -> FloatArray:
        """Return some variables as columns of finite numbers, refusing anything else."""
        values = np.empty((len(positions), self.n_rows))
        for line, position in zip(values, positions, strict=True):
            found = as_numbers(self._columns[position], self._decimal)
            if isinstance(found, int):
                raise self._refusal(found, position)
            line[:] = found
        return np.ascontiguousarray(values.T)

    def transposed(self) -> RowCells:
        """Return the same cells with variables in rows, named by the first column."""
        return RowCells(self.file, self.names, self._columns, self._place, self._decimal)

    def _refusal(self, row: int, position: int) -> ValueError:
        cells = self.texts(position)
        known = [cell for cell in cells if cell is not None]
        hint = ""
        if len(set(known)) == len(cells) > 2:
            hint = " Name the column as id-column if it names the rows."
        return self.wrong(self._place(row), self.names[position], cells[row], hint)


class RowCells(Contents):
    """Variables in rows: the first column has their names, the head those of the others.

    Parameters
    ----------
    file, names, columns, place, decimal
        As in :class:`ColumnCells`, as they stand in the file.
    """

    def __init__(
        self,
        file: str,
        names: list[str],
        columns: list[Any],
        place: Callable[[int], str],
        decimal: str,
    ) -> None:
        self.file, self._place, self._decimal = file, place, decimal
        self.names = [name or "" for name in as_texts(columns[0])]
        self.row_names = names[1:]
        self._columns = columns[1:]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self._columns)

    def texts(self, position: int) -> list[str | None]:
        """Return the cells of a variable as text; None where there is nothing."""
        return [as_texts(column[position : position + 1])[0] for column in self._columns]

    def numbers(self, positions: Sequence[int]) -> FloatArray:
        """Return some variables as columns of finite numbers, refusing anything else."""
        values = np.empty((self.n_rows, len(positions)))
        chosen = np.asarray(positions, dtype=np.int64)
        for line, column, name in zip(values, self._columns, self.row_names or [], strict=True):
            kept = column.take(chosen)
            found = as_numbers(kept, self._decimal)
            if isinstance(found, int):
                place, row = self._place(positions[found]), self.names[positions[found]]
                cell = as_texts(kept[found : found + 1])[0]
                raise self.wrong(f"{place} ({shortened(row)})", name, cell)
            line[:] = found
        return values


def as_texts(column: Any) -> list[str | None]:
    """Return the cells of an arrow column as text; whole numbers without a fraction."""
    import pyarrow as pa

    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return list(column.to_pylist())
    return [as_text(cell) for cell in column.to_pylist()]


def as_text(value: Any) -> str | None:
    """Return a value as text, 1.0 as "1"; None where it is missing.

    Examples
    --------
    >>> from svsieve.io.cells import as_text
    >>> as_text(1.0), as_text(0.5), as_text(float("nan"))
    ('1', '0.5', None)
    """
    if value is None or value != value:
        return None
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)


def as_numbers(column: Any, decimal: str) -> FloatArray | int:
    """Return an arrow column as finite numbers, or the position of a cell that is none."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_dictionary(kind):
        column, kind = column.cast(kind.value_type), kind.value_type
    if pa.types.is_boolean(kind):
        column = column.cast(pa.int8())
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _parsed(column, decimal)
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_null(kind)):
        return 0  # a date, a list: no cell of it is a number
    if column.null_count:
        return int(np.argmax(np.asarray(column.is_null())))
    return _finite(np.asarray(column, dtype=np.float64))


def _parsed(column: Any, decimal: str) -> FloatArray | int:
    """Numbers from text; at first as they are, then without blanks, true and false as 1 and 0."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if decimal != ".":
        column = pc.replace_substring(column, decimal, ".")
    try:
        return _finite(np.asarray(pc.cast(column, pa.float64()), dtype=np.float64))
    except pa.ArrowInvalid:
        pass
    values = np.empty(len(column))
    for at, cell in enumerate(column.to_pylist()):
        text = "" if cell is None else cell.strip()
        try:
            # Python would take 1_000 for a number.
            values[at] = float("nan" if "_" in text else TRUTHS.get(text.lower(), text))
        except ValueError:
            return at
    return _finite(values)


def _finite(values: FloatArray) -> FloatArray | int:
    finite = np.isfinite(values)
    return values if finite.all() else int(np.argmin(finite))
