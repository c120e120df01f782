"""Facts about the data that decide how much is tried: folds, repetitions, sizes."""

from __future__ import annotations

import math

import numpy as np
from sklearn.model_selection import StratifiedKFold

from svsieve.arrays import IndexArray

# Folds where rows are few, and where a ranking costs seconds.
FOLDS, FEWER_FOLDS = 5, 4
MANY_ROWS = 1000
# (up to so many rows, so many repetitions): with few rows the choice depends on the cut. With few
# columns there is little to choose from.
REPEATS = ((60, 5), (200, 3), (500, 2))
FEW_COLUMNS = 20
# From so many rows on, rankings with a kernel draw that many of them for every step: a ranking
# needs fewer rows than a machine, and its cost grows with their square.
MOST_ROWS = 3000
# Where time is limited they draw fewer, so that a ranking takes this share of it, but no fewer than
# these. Seconds per column and pair of rows, about.
SHARE_OF_TIME, LEAST_ROWS, SECONDS_EACH = 0.02, 300, 1e-9
# Columns go one at a time from here on, and above by this share.
SINGLE_STEPS = 40
SHARE = 0.2


def sizes_to_visit(n_columns: int, least: int = 1) -> tuple[int, ...]:
    """Return the sizes of a ranking: a fifth of the columns goes at a time, then one by one.

    Examples
    --------
    >>> from svsieve.estimators.sieving.planning import sizes_to_visit
    >>> sizes_to_visit(100)[:7]
    (100, 80, 64, 51, 40, 39, 38)
    """
    sizes = [n_columns]
    while sizes[-1] > least:
        size = sizes[-1]
        after = size - 1 if size <= SINGLE_STEPS else max(SINGLE_STEPS, int(size * (1.0 - SHARE)))
        sizes.append(max(least, after))
    return tuple(sizes)


def rows_to_rank_on(n_columns: int, seconds: float = math.inf) -> int:
    """Return how many rows a step of a ranking with a kernel draws at most.

    Examples
    --------
    >>> from svsieve.estimators.sieving.planning import rows_to_rank_on
    >>> rows_to_rank_on(500), rows_to_rank_on(500, seconds=10.0)
    (3000, 632)
    """
    affordable = math.sqrt(SHARE_OF_TIME * seconds / (SECONDS_EACH * n_columns))
    return int(min(MOST_ROWS, max(LEAST_ROWS, affordable)))


def folds(codes: IndexArray, n_columns: int, seed: int) -> tuple[IndexArray, int]:
    """Cut rows into folds, several times where they are few.

    Parameters
    ----------
    codes : ndarray of int
        Classes of the rows, each with two rows at least.
    n_columns : int
    seed : int

    Returns
    -------
    fold_of : ndarray of int, shape (n_repeats, n_rows)
        Folds of the second repetition have numbers that follow those of the first.
    n_folds : int
        Folds of a repetition.
    """
    n = len(codes)
    wanted = FOLDS if n < MANY_ROWS else FEWER_FOLDS
    n_folds = max(2, min(wanted, int(np.bincount(codes).min())))
    repeats = next((times for rows, times in REPEATS if n <= rows and n_columns > FEW_COLUMNS), 1)
    fold_of = np.empty((repeats, n), dtype=np.int64)
    for r, own in enumerate(fold_of):
        cut = StratifiedKFold(n_folds, shuffle=True, random_state=(seed + r) % 2**32)
        for f, (_, rows) in enumerate(cut.split(codes, codes)):
            own[rows] = r * n_folds + f
    return fold_of, n_folds
