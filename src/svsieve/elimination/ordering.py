"""The order in which columns go: by score, and by index where scores cannot be told apart.

Scores are known up to a resolution r. Among the columns left, those with score - r at or below the
smallest score left are a tie, and the one with the lowest index goes. Without such a rule the order
of columns that carry nothing would be that of their rounding errors.
"""

from __future__ import annotations

import heapq

import numpy as np

from svsieve.arrays import FloatArray, IndexArray


def ascending(
    scores: FloatArray, resolution: FloatArray | float, indices: IndexArray | None = None
) -> IndexArray:
    """Return all positions in the order in which they go.

    Parameters
    ----------
    scores : ndarray of shape (n_columns,)
        A column without which a machine has no solution may score infinity: it goes last.
    resolution : float or ndarray of shape (n_columns,)
        Not negative. Zero gives the stable order of the scores.
    indices : ndarray of int, optional
        Decides ties; the positions themselves by default.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.elimination import ascending
    >>> ascending(np.array([2.0, 1.0 + 1e-15, 1.0]), 1e-12)
    array([1, 2, 0])
    """
    return _order(scores, _lower(scores, resolution), indices)[0]


def least(
    scores: FloatArray, resolution: FloatArray | float, count: int
) -> tuple[IndexArray, bool]:
    """Return the first `count` positions of that order, and whether a tie decided any of them.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.elimination import least
    >>> least(np.array([2.0, 1.0, 1.0]), 0.0, 1)
    (array([1]), True)
    """
    lower = _lower(scores, resolution)
    if not 0 <= count <= len(scores):
        raise ValueError(f"count must lie in [0, {len(scores)}]. Got {count!r}.")
    if count == 0:
        return np.empty(0, dtype=np.int64), False
    # While fewer than `count` are gone, the smallest score left is at most the count-th smallest.
    border = np.partition(scores, count - 1)[count - 1]
    candidates = np.flatnonzero(lower <= border)
    order, starts = _order(scores[candidates], lower[candidates], None)
    sizes = np.diff(np.append(starts, len(order)))
    tied = bool((sizes[starts < count] > 1).any())
    return candidates[order[:count]], tied


def _lower(scores: FloatArray, resolution: FloatArray | float) -> FloatArray:
    """The least that each score may be."""
    bad = np.flatnonzero(~(scores > -np.inf))
    if len(bad):
        raise ValueError(
            "scores must be numbers, infinite ones positive. "
            f"Position {bad[0]} has {scores[bad[0]]}."
        )
    return np.asarray(np.where(scores < np.inf, scores - resolution, np.inf))


def _order(
    scores: FloatArray, lower: FloatArray, indices: IndexArray | None
) -> tuple[IndexArray, IndexArray]:
    """Return the order, and where in it each group of ties begins.

    After sorting by score, a place where all that follows is out of reach of the score before it
    cuts the order in two: nothing behind it can go before anything in front. Most pieces are single
    columns.
    """
    names = np.arange(len(scores)) if indices is None else indices
    order = np.lexsort((names, scores)).astype(np.int64, copy=False)
    if not len(order):
        return order, order
    reach = np.minimum.accumulate(lower[order][::-1])[::-1]  # the lowest from here on
    starts = np.append(0, np.flatnonzero(reach[1:] > scores[order][:-1]) + 1)
    stops = np.append(starts[1:], len(order))
    for i in np.flatnonzero(stops - starts > 1):
        piece = slice(starts[i], stops[i])
        order[piece] = _settle(order[piece], scores, lower, names)
    return order, starts


def _settle(
    piece: IndexArray, scores: FloatArray, lower: FloatArray, names: IndexArray
) -> IndexArray:
    """Order one group of ties, given by ascending score."""
    if lower[piece].max() <= scores[piece[0]]:  # all within reach from the beginning
        return np.asarray(piece[np.argsort(names[piece], kind="stable")])
    rising = iter(sorted((float(lower[i]), int(names[i]), int(i)) for i in piece))
    waiting = next(rising, None)
    within: list[tuple[int, int]] = []
    gone: set[int] = set()
    out = []
    for position in piece:  # the smallest score left is the next one of these not yet gone
        while position not in gone:
            while waiting is not None and waiting[0] <= scores[position]:
                heapq.heappush(within, waiting[1:])
                waiting = next(rising, None)
            taken = heapq.heappop(within)[1]
            gone.add(taken)
            out.append(taken)
    return np.array(out, dtype=np.int64)
