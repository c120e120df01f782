"""Finding the columns of least contraction without contracting all of them in double precision.

The core contracts every column in single precision and bounds the error. Columns whose bounds tell
that they cannot be among the least are left out; the others are contracted in double precision,
which gives the same numbers as if all had been.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from svsieve.arrays import FloatArray, IndexArray
from svsieve.native import core

# With fewer rows, what is done once per column costs as much as what is done per pair.
LEAST_ROWS = 128

# Columns that must be left over, besides twice those wanted, for the screening to pay. Measured on
# tables of 400 and 1,700 rows.
SPARE_REMOVAL = {core.ProfileKind.EXPONENTIAL: 20, core.ProfileKind.POWER: 80}
SPARE_SLOPES = 768

# Values nearer to each other than this share of the largest may count as ties later on, so what is
# that near to the least has to be known as well.
SLACK = 1e-10


@dataclass(frozen=True, eq=False)
class Least:
    """The contractions of least magnitude, and those that might tie with them.

    Attributes
    ----------
    positions : ndarray of int
        Ascending positions in the kept columns. Among them are all that belong to the `count` + 1
        least magnitudes, all within 1e-10 of the largest magnitude from those, and the largest.
    values : ndarray of float
        Their contractions in double precision.
    """

    positions: IndexArray
    values: FloatArray


def pays(what: core.Screen, kind: core.ProfileKind, rows: int, columns: int, count: int) -> bool:
    """Tell whether screening is likely to be faster than contracting all columns."""
    spare = SPARE_SLOPES if what == core.Screen.SLOPES else SPARE_REMOVAL.get(kind, columns)
    return rows >= LEAST_ROWS and columns - 2 * count >= spare


def candidates(approximation: FloatArray, bound: FloatArray, count: int) -> IndexArray:
    """Return the positions that may belong in `Least`.

    Parameters
    ----------
    approximation, bound : ndarray of shape (n_columns,)
        |approximation - value| <= bound; a bound may be infinite.
    count : int
        Less than the number of columns.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.kernels.screening import candidates
    >>> candidates(np.array([3.0, -1.0, 2.0, 1.1, 9.0]), np.full(5, 0.2), 1)
    array([1, 3, 4])
    """
    size = np.abs(approximation)
    low, high = np.maximum(size - bound, 0.0), size + bound
    largest = float(low.max())
    finite = high[np.isfinite(high)]
    slack = SLACK * float(finite.max(initial=0.0))
    threshold = np.partition(high, count)[count] + slack
    return np.flatnonzero((low <= threshold) | (high >= largest))
