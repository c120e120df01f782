"""The format of SVMlight and LIBSVM: a label, then the entries that are not zero."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence

import numpy as np
from sklearn.datasets import load_svmlight_file

from svsieve.arrays import Table
from svsieve.io.cells import Contents, as_text
from svsieve.io.delimited import decoded
from svsieve.io.table import shortened

# So many columns are taken without a question, or so many for each entry: where words are hashed to
# columns most of these are empty.
FREE_COLUMNS = 1_000_000
COLUMNS_PER_ENTRY = 1_000
# What a column takes at least, for its name and its place, and the share of the memory for all.
BYTES_PER_COLUMN = 100
SHARE_OF_MEMORY = 0.5


class SvmlightContents(Contents):
    """Rows of an svmlight file; columns are named by the numbers that they have there.

    Parameters
    ----------
    data : bytes
    file : str
        Its name, for messages.
    """

    def __init__(self, data: bytes, file: str) -> None:
        self.file = file
        lines = decoded(data, file).splitlines()
        least = _least_index(lines, file)
        X, y = load_svmlight_file(io.BytesIO(data), zero_based=least == 0, dtype=np.float64)
        self._values = X
        self.names = [str(j + min(least, 1)) for j in range(X.shape[1])]
        self.own_labels = [as_text(label) for label in y.tolist()]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self._values.shape[0])

    def texts(self, position: int) -> list[str | None]:
        """Return the cells of a variable as text."""
        column = self._values[:, [position]].toarray().ravel()
        return [as_text(value) for value in column.tolist()]

    def numbers(self, positions: Sequence[int]) -> Table:
        """Return some variables as sparse columns of finite numbers, refusing anything else."""
        values = self._values[:, list(positions)].tocsr()
        wrong = np.flatnonzero(~np.isfinite(values.data))
        if len(wrong):
            row = int(np.searchsorted(values.indptr, wrong[0], side="right")) - 1
            name = self.names[positions[int(values.indices[wrong[0]])]]
            raise self.wrong(f"row {row + 1}", name, str(values.data[wrong[0]]))
        return values


def _least_index(lines: Sequence[str], file: str) -> int:
    """The smallest number of a column; lines that are not of the format are refused.

    scikit-learn says what it stumbled over but not where. Numbers too great for the entries there
    are would take all memory before anything could be said, so they are refused here.
    """
    least, n_rows, n_entries = 1, 0, 0
    greatest, where = 0, 0
    for at, line in enumerate(lines):
        label, *entries = line.split("#", 1)[0].split() or [""]
        if not label:
            continue
        n_rows += 1
        place = f"{file}, line {at + 1}"
        try:
            float(label)
        except ValueError:
            raise ValueError(
                f"{place}: must begin with a label that is a number. Got {shortened(label)} "
                "instead."
            ) from None
        before = -1
        for entry in entries:
            index, colon, value = entry.partition(":")
            if index == "qid":
                continue
            try:
                position, _ = int(index), float(value)
            except ValueError:
                position = -1
            if not colon or position <= before:
                raise ValueError(
                    f"{place}: after the label there must be pairs column:number, columns rising. "
                    f"Got {shortened(entry)} instead."
                )
            before = position
            n_entries += 1
            least = min(least, position)
        if before > greatest:
            greatest, where = before, at + 1
    if not n_rows:
        raise ValueError(f"{file} is empty; an svmlight table needs rows.")
    most = _most_columns(n_entries)
    if greatest > most:
        raise ValueError(
            f"{file}, line {where}: the index {greatest} asks for as many columns. A file with "
            f"{n_entries:,} entries may have no more than {most:,}; correct the index, or number "
            "the columns that have entries from 1 on."
        )
    return least


def _most_columns(n_entries: int) -> int:
    """How many columns a file with some entries may have, and this machine can hold."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    fitting = int(SHARE_OF_MEMORY * memory / BYTES_PER_COLUMN)
    return min(max(FREE_COLUMNS, COLUMNS_PER_ENTRY * n_entries), fitting)
