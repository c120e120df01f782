"""Delimited text: what divides cells and decimals is found by looking."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from svsieve.io.cells import ColumnCells
from svsieve.io.table import shortened

DELIMITERS = ("\t", ";", ",", "|", " ")
# The delimiter and the decimal sign are told by so many records, or by fewer long ones.
LOOKED_AT = 30
LOOKED_AT_CHARACTERS = 200_000
# No cell is longer: it would be the rest of a file in which a quote is never closed.
LONGEST_CELL = 2**24
COMMA_NUMBER = re.compile(r"\s*[-+]?\d+,\d+([eE][-+]?\d+)?\s*")
POINT_NUMBER = re.compile(r"\s*[-+]?\d*\.\d+([eE][-+]?\d+)?\s*")


@dataclass(frozen=True)
class Dialect:
    """How a text is divided.

    Attributes
    ----------
    delimiter : str
        Between cells.
    decimal : str
        Between the whole part of a number and its fraction.
    """

    delimiter: str
    decimal: str = "."


class _UndividedError(ValueError):
    """A text that cannot be divided into cells by some delimiter."""


def read_delimited(data: bytes, file: str) -> ColumnCells:
    """Return the cells of a text with a head.

    Parameters
    ----------
    data : bytes
        UTF-8, with or without a byte order mark.
    file : str
        Its name, for messages.
    """
    text = decoded(data, file)
    if not text.strip():
        raise ValueError(f"{file} is empty; a table needs a line of column names and rows.")
    dialect = sniffed(text, file)
    lines = io.StringIO(text, newline="")
    records = _records(lines, dialect, file)
    head = [name.strip() for name in next(records)[1]]
    body = text[lines.tell() :]
    first = next(records, None)
    if first is None:
        raise ValueError(f"{file} has a line of column names and no rows under it.")
    if len(first[1]) == len(head) + 1:  # as R writes row names: nothing stands above them
        head = ["", *head]
    columns = _columns(body, dialect, len(head))
    if columns is None:
        raise _ragged(text, dialect, len(head), file)

    def place(row: int) -> str:
        return f"line {_line_of(text, dialect, row, file)}"

    return ColumnCells(file, head, columns, place, dialect.decimal)


def decoded(data: bytes, file: str) -> str:
    """Return bytes as text, refusing what is no UTF-8 by line and byte."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ValueError(
            f"{file}, line {line}: byte 0x{data[error.start]:02x} is no UTF-8; save the table as "
            "UTF-8 text."
        ) from None
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise ValueError(f"{file}, line {line}: holds a zero byte, so it is no delimited text.")
    return text


def sniffed(text: str, file: str) -> Dialect:
    r"""Find the delimiter that divides the first records into equally many cells.

    The sniffer of the csv module takes the comma of "1,5;2,5" for the delimiter; counting the cells
    of whole records, quotes observed, tells the two apart.

    Examples
    --------
    >>> from svsieve.io.delimited import sniffed
    >>> sniffed("a;b\n1,5;2,5\n", "x.csv")
    Dialect(delimiter=';', decimal=',')
    """
    best, most = None, 1
    wrong: _UndividedError | None = None
    for delimiter in DELIMITERS:
        try:
            counts = [len(cells) for _, cells in _some_records(text, Dialect(delimiter), file)]
        except _UndividedError as error:  # a cell of absurd length: something else divides cells
            wrong = error
            continue
        if not counts:
            continue
        usual = Counter(counts[1:] or counts).most_common(1)[0][0]
        # The head may be one shorter, and a broken record must not hide what the others say.
        fits = sum(count == usual for count in counts) >= 0.6 * len(counts)
        if fits and usual > most and abs(counts[0] - usual) <= max(1, usual // 10):
            best, most = delimiter, usual
            if delimiter in "\t;":  # never part of a number
                break
    if best is None:
        if wrong is not None:
            raise wrong
        if _is_one_column(text, file):
            return Dialect("\t")
        raise ValueError(
            f"{file}: cells must be divided by commas, semicolons, tabs, bars or blanks, equally "
            f"many in each line. The first line is {shortened(text.splitlines()[0])}."
        )
    return Dialect(best, _decimal(text, best, file))


def _is_one_column(text: str, file: str) -> bool:
    lines = [cells for _, cells in _some_records(text, Dialect("\t"), file)]
    return all(len(cells) == 1 and not set(cells[0]) & set(";,|") for cells in lines)


def _decimal(text: str, delimiter: str, file: str) -> str:
    """The comma, where cells look like 1,5 and none like 1.5."""
    commas = points = 0
    for _, cells in _some_records(text, Dialect(delimiter), file)[1:]:
        commas += sum(COMMA_NUMBER.fullmatch(cell) is not None for cell in cells)
        points += sum(POINT_NUMBER.fullmatch(cell) is not None for cell in cells)
    if commas and points:
        raise ValueError(
            f"{file}: numbers must all be written with a decimal comma or all with a decimal "
            f"point. The first rows have {commas} of the one and {points} of the other."
        )
    return "," if commas else "."


def _records(lines: io.StringIO, dialect: Dialect, file: str) -> Iterator[tuple[int, list[str]]]:
    """Records that are not blank, with the number of their last line."""
    reader = csv.reader(lines, delimiter=dialect.delimiter)
    while True:
        try:
            with _long_cells():
                cells = next(reader, None)
        except csv.Error as error:
            raise _UndividedError(
                f"{file}, line {reader.line_num}: cannot be divided into cells ({error}); is a "
                "quote never closed?"
            ) from None
        if cells is None:
            return
        if cells:
            yield reader.line_num, cells


@contextmanager
def _long_cells() -> Iterator[None]:
    """Let the csv module read cells of any sensible length; its limit is one for all readers."""
    before = csv.field_size_limit(LONGEST_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _some_records(text: str, dialect: Dialect, file: str) -> list[tuple[int, list[str]]]:
    """The first records: the head, the first row, and more unless they are long."""
    lines = io.StringIO(text, newline="")
    found = []
    for record in _records(lines, dialect, file):
        found.append(record)
        enough = len(found) > 1 and lines.tell() > LOOKED_AT_CHARACTERS
        if enough or len(found) == LOOKED_AT:
            break
    return found


def _line_of(text: str, dialect: Dialect, row: int, file: str) -> int:
    """The line on which a row ends; the head is no row."""
    records = _records(io.StringIO(text, newline=""), dialect, file)
    return next(line for at, (line, _) in enumerate(records) if at == row + 1)


def _columns(body: str, dialect: Dialect, n_cells: int) -> list[Any] | None:
    """All cells under the head as columns of text; None where rows differ in length."""
    import pyarrow as pa
    from pyarrow import csv as arrow

    data = body.encode()
    names = [str(position) for position in range(n_cells)]
    # All in one block, where it fits: every block of a column costs as much as many cells.
    block = min(max(2**20, len(data) + 1), 2**31 - 1)
    try:
        table = arrow.read_csv(
            pa.BufferReader(data),
            arrow.ReadOptions(column_names=names, block_size=block),
            arrow.ParseOptions(delimiter=dialect.delimiter, newlines_in_values='"' in body),
            arrow.ConvertOptions(column_types=dict.fromkeys(names, pa.string())),
        )
    except pa.ArrowInvalid:
        return None
    return list(table.columns)


def _ragged(text: str, dialect: Dialect, n_cells: int, file: str) -> ValueError:
    """The error for the first record that has another number of cells than the head."""
    records = _records(io.StringIO(text, newline=""), dialect, file)
    next(records)
    for line, cells in records:
        if len(cells) != n_cells:
            return ValueError(
                f"{file}, line {line}: must have {n_cells} cells, as the head has. "
                f"Got {len(cells)} instead, beginning with {shortened(cells[0])}."
            )
    return ValueError(f"{file} cannot be divided into cells; is a quote never closed?")
