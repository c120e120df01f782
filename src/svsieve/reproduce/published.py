"""Published numbers, which travel with the package as CSV files."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

FOLDER = "published"


@dataclass(frozen=True)
class PublishedCell:
    """One cell of a published table.

    Attributes
    ----------
    cell : dict
        Its settings.
    values, errors : dict of str to float
        Numbers and, where they were published, their standard errors.
    origin : dict of str to str
        Where each number stands: file, line and column.
    trials : dict of str to int
        Of shares: of how many runs.
    """

    cell: dict[str, Any]
    values: dict[str, float]
    errors: dict[str, float] = field(default_factory=dict)
    origin: dict[str, str] = field(default_factory=dict, compare=False)
    trials: dict[str, int] = field(default_factory=dict)


def read(
    name: str,
    keys: Sequence[str],
    quantities: Mapping[str, str] | Sequence[str],
    *,
    where: Mapping[str, Any] | None = None,
    trials: int | None = None,
) -> list[PublishedCell]:
    """Return the cells of a published table.

    Parameters
    ----------
    name : str
        Of the file, without its ending.
    keys : sequence of str
        Columns that tell the cells apart.
    quantities : sequence of str, or dict of str to str
        Columns with numbers, and what they are called here. ``cost_se``, where there is such a
        column, is the standard error of ``cost``.
    where : dict, optional
        Only rows with these values.
    trials : int, optional
        The column ``std`` is the standard deviation over so many trials, of the only quantity.

    Examples
    --------
    >>> from svsieve.reproduce.published import read
    >>> cell = read("rakotomamonjy_1", ["method", "train_size"], ["error"], trials=100)[0]
    >>> cell.cell, cell.values, round(cell.errors["error"], 6)
    ({'method': 'svm_all', 'train_size': 10}, {'error': 0.3658}, 0.002)
    """
    names = dict(quantities) if isinstance(quantities, Mapping) else {q: q for q in quantities}
    found = []
    text = files("svsieve.reproduce").joinpath(FOLDER, f"{name}.csv").read_text(encoding="utf-8")
    for number, line in enumerate(csv.DictReader(text.splitlines()), 2):
        row = {key: value_of(entry) for key, entry in line.items() if entry != ""}
        if where is not None and any(row.get(key) != value for key, value in where.items()):
            continue
        values = {own: float(row[column]) for column, own in names.items() if column in row}
        errors = {
            own: row[f"{column}_se"] for column, own in names.items() if f"{column}_se" in row
        }
        if trials is not None and "std" in row:
            errors = {own: row["std"] / math.sqrt(trials) for own in values}
        if values:
            cell = {key: row[key] for key in keys if key in row}
            origin = {own: f"{name} {number} {column}" for column, own in names.items()}
            found.append(PublishedCell(cell, values, errors, origin))
    return found


def joined(*tables: list[PublishedCell]) -> list[PublishedCell]:
    """Return cells with the numbers of several tables about the same settings."""
    found: dict[str, PublishedCell] = {}
    for cell in (cell for table in tables for cell in table):
        key = cell_key(cell.cell)
        before = found.get(key, PublishedCell(cell.cell, {}))
        found[key] = PublishedCell(
            cell.cell,
            before.values | cell.values,
            before.errors | cell.errors,
            before.origin | cell.origin,
        )
    return list(found.values())


def cell_key(cell: Mapping[str, Any]) -> str:
    """Return settings as text: equal settings, equal text, whether a number is an int or a float.

    Examples
    --------
    >>> from svsieve.reproduce.published import cell_key
    >>> cell_key({"step": 10, "C": 1e-5}) == cell_key({"C": 0.00001, "step": 10.0})
    True
    """
    return json.dumps(
        {k: v if isinstance(v, str) else float(v) for k, v in cell.items()}, sort_keys=True
    )


def value_of(text: str) -> Any:
    """Return an entry of a table: a number, or a word."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
