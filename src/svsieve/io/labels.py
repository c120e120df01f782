"""The class of every row: from a column, from the file's own place, or from a second file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svsieve.io.cells import MISSING, ColumnCells
from svsieve.io.table import position_of, refuse_repeated, shortened, some


def checked_labels(cells: Sequence[str | None], target: str, file: str) -> NDArray[Any]:
    """Return labels as text, refusing a missing one, a single class, and measured numbers."""
    labels = ["" if cell is None else cell.strip() for cell in cells]
    for row, label in enumerate(labels):
        if label.lower() in MISSING:
            raise ValueError(
                f"{file}: target {target!r} has no label in row {row + 1}; every row needs the "
                "label of its class."
            )
    kinds = sorted(set(labels))
    if len(kinds) < 2:
        raise ValueError(
            f"{file}: target {target!r} must have at least two classes. Every row has "
            f"{shortened(kinds[0])}."
        )
    if len(kinds) > 2 and len(kinds) > len(labels) // 2 and all(map(_is_number, kinds)):
        raise ValueError(
            f"{file}: target {target!r} must hold classes. Got {len(kinds)} different numbers in "
            f"{len(labels)} rows, which look measured; make classes of them first."
        )
    fractions = [kind for kind in kinds if _is_number(kind) and not float(kind).is_integer()]
    if len(kinds) > 10 and len(fractions) > len(kinds) // 2:
        raise ValueError(
            f"{file}: target {target!r} must hold classes. Got numbers with fractions such as "
            f"{fractions[0]}; make classes of them first."
        )
    return np.array(labels)


def joined_labels(
    found: ColumnCells, ids: Sequence[str] | None, n_rows: int, target: str | None
) -> tuple[list[str | None], str]:
    """Return a label per row of a table from a second file, and what it is.

    Where a column of that file holds the names of the rows, labels go by name; otherwise by order,
    and there must be as many as rows.
    """
    file, names = found.file, found.names
    key = None if ids is None else _key_column(found, ids)
    others = [position for position in range(len(names)) if position != key]
    if target is not None:
        at = position_of(target, names, "target", file)
    elif len(others) == 1:
        at = others[0]
    else:
        raise ValueError(
            f"{file} has several columns that could be the target, "
            f"{some([names[k] for k in others])}; name one with target."
        )
    cells = found.texts(at)
    if key is None:
        return _by_order(found, cells, at, n_rows)
    keys = [one or "" for one in found.texts(key)]
    refuse_repeated(keys, f"names of rows (column {names[key]!r})", file)
    by_name = dict(zip(keys, cells, strict=True))
    return [by_name[one] for one in ids or ()], names[at]


def _by_order(
    found: ColumnCells, cells: list[str | None], at: int, n_rows: int
) -> tuple[list[str | None], str]:
    if len(cells) == n_rows - 1 and len(found.names) == 1:  # no head: that is a label too
        return [found.names[0], *cells], "label"
    if len(cells) != n_rows:
        raise ValueError(
            f"{found.file} must have a label for each of the {n_rows} rows of the table. "
            f"Got {len(cells)} under the head {shortened(found.names[at])}."
        )
    return cells, found.names[at]


def _key_column(found: ColumnCells, ids: Sequence[str]) -> int | None:
    """The column that holds the names of the rows; None where none holds any of them."""
    known = [len(set(found.texts(position)) & set(ids)) for position in range(len(found.names))]
    key = int(np.argmax(known))
    if not known[key]:
        return None
    keys = set(found.texts(key))
    missing = [one for one in ids if one not in keys]
    if missing:
        raise ValueError(f"{found.file} has no label for the row {missing[0]!r} of the table.")
    return key


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
