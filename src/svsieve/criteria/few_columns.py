"""The Gram matrix of a linear kernel on few columns, computed from them.

That of a kernel state has the rounding of all columns that were taken away from it, and of where
the table has its origin. The fewer columns are left, the more that matters and the less it costs to
begin again.
"""

from __future__ import annotations

import numpy as np

from svsieve.arrays import FloatArray, IndexArray
from svsieve.kernels import KernelState, Linear


def few_columns_gram(
    state: KernelState, rows: IndexArray, without: int | None = None
) -> FloatArray | None:
    """Return the Gram matrix over some rows, seen from their mean; None with more columns.

    Parameters
    ----------
    state : KernelState
    rows : ndarray of int
    without : int, optional
        The position of a kept column to leave out.
    """
    if not isinstance(state.kernel, Linear) or state.n_kept > len(rows):
        return None
    X = state.linear_columns(rows)
    X = X if without is None else np.delete(X, without, axis=1)
    X = X - X.mean(axis=0)
    return np.asarray(X @ X.T)
