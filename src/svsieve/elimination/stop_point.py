"""Where to stop, read off the importances that an elimination recorded.

The accuracy with k columns is estimated by what share of the importance has gone; the size is the
one that pays best for it. Importances are given in the order in which columns went; tables of
accuracies have n + 1 entries, that at k for k columns.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from svsieve.arrays import FloatArray, float_vector

# Costs this close to each other are a tie.
TIE = 1e-12


def accuracy_between(importances: npt.ArrayLike, low: float, high: float) -> FloatArray:
    """Return the accuracy for each size between fixed bounds: `low` with nothing, `high` with all.

    Examples
    --------
    >>> from svsieve.elimination.stop_point import accuracy_between
    >>> accuracy_between([1, 2, 3, 10, 40], 0.5, 1.0).round(6)
    array([0.5     , 0.857143, 0.946429, 0.973214, 0.991071, 1.      ])
    """
    q = _importances(importances)
    return accuracy_through(q, [len(q), 0], [high, low])


def accuracy_through(
    importances: npt.ArrayLike, sizes: npt.ArrayLike, accuracies: npt.ArrayLike
) -> FloatArray:
    """Return the accuracy for each size through the accuracies known at some sizes.

    Between two of them the accuracy moves with the share of the importance, of the columns that
    went between them, that has gone; evenly where none of these columns had any.

    Parameters
    ----------
    importances : array-like of shape (n_columns,)
        Not negative, in the order in which the columns went.
    sizes : array-like of int
        Falling, from n_columns to 0.
    accuracies : array-like, one per size

    Examples
    --------
    >>> from svsieve.elimination.stop_point import accuracy_through
    >>> accuracy_through([1, 2, 3, 10, 40], [5, 3, 1, 0], [0.95, 0.92, 0.70, 0.5]).round(6)
    array([0.5     , 0.7     , 0.869231, 0.92    , 0.94    , 0.95    ])
    """
    q = _importances(importances)
    known = float_vector(accuracies, "accuracies")
    knots = len(q) - np.asarray(sizes, dtype=np.int64)
    if len(knots) != len(known):
        raise ValueError(f"accuracies must have {len(knots)} entries. Got {len(known)}.")
    if not (
        len(knots) > 1 and knots[0] == 0 and knots[-1] == len(q) and (np.diff(knots) > 0).all()
    ):
        raise ValueError(f"sizes must fall from {len(q)} to 0. Got {np.asarray(sizes).tolist()}.")
    out = np.empty(len(q) + 1)
    out[0] = known[0]
    for i, (start, stop) in enumerate(pairwise(knots.tolist())):
        gone = np.cumsum(q[start:stop])
        share = gone / gone[-1] if gone[-1] > 0 else np.arange(1, stop - start + 1) / (stop - start)
        out[start + 1 : stop + 1] = known[i] + (known[i + 1] - known[i]) * share
        out[stop] = known[i + 1]
    return out[::-1].copy()


def cheapest_size(accuracy: npt.ArrayLike, tradeoff: tuple[float, float] = (0.8, 0.2)) -> int:
    """Return the size k >= 1 with the least cost ``w1 (1 - accuracy_k) + w2 k / n``.

    Of equal costs the smaller size is taken.

    Examples
    --------
    >>> from svsieve.elimination.stop_point import cheapest_size
    >>> cheapest_size([0.5, 0.857143, 0.946429, 0.973214, 0.991071, 1.0])
    2
    """
    values = float_vector(accuracy, "accuracy")
    if len(values) < 2:
        raise ValueError("accuracy must have an entry for each size from 0 to at least 1.")
    weights = np.asarray(tradeoff, dtype=np.float64)
    if weights.shape != (2,) or not (np.isfinite(weights) & (weights >= 0)).all():
        raise ValueError(
            f"tradeoff must be two numbers, for error and for size, not negative. Got {tradeoff!r}."
        )
    if not weights.any():
        raise ValueError(f"tradeoff must not be zero for both error and size. Got {tradeoff!r}.")
    n = len(values) - 1
    cost = weights[0] * (1.0 - values) + weights[1] * np.arange(n + 1) / n
    cost[0] = math.inf
    return int(np.flatnonzero(cost <= cost.min() + TIE * weights.sum())[0])


def _importances(values: npt.ArrayLike) -> FloatArray:
    q = float_vector(values, "importances")
    bad = np.flatnonzero(~(np.isfinite(q) & (q >= 0)))
    if len(bad):
        raise ValueError(
            f"importances must be finite and not negative. Entry {bad[0]} is {q[bad[0]]}."
        )
    return q
