"""A table of numbers with names, and a class for every row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from svsieve import arrays

# How many names a message lists.
LISTED = 5
# Sparse tables are written out where that takes no more bytes than this, or than so many times
# their own.
SMALL_BYTES = 2.0**22
FULL = 2.0


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Rows of finite numbers under distinct names, with the class of each row.

    Attributes
    ----------
    values : ndarray of float64 (C order) or CSR array, shape (n_rows, n_columns)
    names : tuple of str
        Of the columns.
    labels : ndarray of str, one per row, or None
        The class of each row.
    target : str
        What the labels are.
    ids : tuple of str or None
        Names of the rows.
    file : str
        Where it comes from.
    digests : dict of str to str
        SHA-256 of the files read, by their names.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.io import Table
    >>> Table(np.eye(2), ("a", "b"), np.array(["x", "y"]), "kind")
    Table(2 rows, 2 columns, target 'kind' with classes x: 1, y: 1)
    """

    values: arrays.Table
    names: tuple[str, ...]
    labels: NDArray[Any] | None = None
    target: str = "target"
    ids: tuple[str, ...] | None = None
    file: str = ""
    digests: dict[str, str] | None = None

    def __repr__(self) -> str:
        kinds = ""
        if self.labels is not None:
            counts = ", ".join(f"{label}: {count}" for label, count in self.class_counts.items())
            kinds = f", target {self.target!r} with classes {counts}"
        return f"Table({self.n_rows} rows, {self.n_columns} columns{kinds})"

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.values.shape[0])

    @property
    def n_columns(self) -> int:
        """Number of columns, without target and ids."""
        return int(self.values.shape[1])

    @property
    def class_counts(self) -> dict[str, int]:
        """Rows of every class, in the order of the labels."""
        if self.labels is None:
            return {}
        labels, counts = np.unique(self.labels, return_counts=True)
        return dict(zip(labels.tolist(), counts.tolist(), strict=True))

    def dense(self, small: float = SMALL_BYTES) -> Table:
        """Return the table with a dense array, where that is small or hardly larger than it is.

        Parameters
        ----------
        small : float, default=2**22
            So many bytes are small.
        """
        if not sp.issparse(self.values):
            return self
        full = 8.0 * self.n_rows * self.n_columns
        if full > max(small, FULL * 12.0 * self.values.nnz):
            return self
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return Table(**fields | {"values": np.ascontiguousarray(self.values.toarray())})


def refuse_repeated(names: Sequence[str], what: str, file: str) -> None:
    """Refuse names that occur twice, naming the first."""
    for name, count in Counter(names).items():
        if count > 1:
            raise ValueError(f"{file}: {what} must be distinct. Got {name!r} {count} times.")


def position_of(name: str, names: Sequence[str], option: str, file: str) -> int:
    """Return where a name stands among others; where it does not, say which are like it."""
    if name in names:
        return list(names).index(name)
    alike = get_close_matches(name, names, n=3)
    hint = f"; did you mean {' or '.join(map(repr, alike))}?" if alike else f": {some(names)}."
    raise ValueError(f"{file}: {option} {name!r} is not among its {len(names)} columns{hint}")


def some(names: Sequence[str]) -> str:
    """Return the first few names, and how many there are besides."""
    shown = ", ".join(map(shortened, names[:LISTED]))
    return shown if len(names) <= LISTED else f"{shown} and {len(names) - LISTED} more"


def shortened(text: object, most: int = 60) -> str:
    """Return a text as it stands in a message: in quotes, on one line, not too long.

    Examples
    --------
    >>> from svsieve.io.table import shortened
    >>> shortened("a" * 100, 10)
    "'aaaaaaaaaa…'"
    """
    plain = str(text)
    return repr(plain if len(plain) <= most else plain[:most] + "…")
