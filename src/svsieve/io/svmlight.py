"""The format of SVMlight and LIBSVM: a label, then the entries that are not zero."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
from sklearn.datasets import load_svmlight_file

from svsieve.arrays import Table
from svsieve.io.cells import Contents, as_text
from svsieve.io.delimited import decoded
from svsieve.io.table import shortened


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

    scikit-learn says what it stumbled over but not where.
    """
    least, n_rows = 1, 0
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
            least = min(least, position)
    if not n_rows:
        raise ValueError(f"{file} is empty; an svmlight table needs rows.")
    return least
