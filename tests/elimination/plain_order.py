"""The order of elimination, one column at a time."""

from __future__ import annotations

import numpy as np


def plain_order(scores: np.ndarray, resolution: np.ndarray | float) -> tuple[list[int], list[bool]]:
    """The order, and for each place whether more than one column could have had it."""
    lower = scores - resolution
    left = list(range(len(scores)))
    order, contested = [], []
    while left:
        smallest = min(scores[i] for i in left)
        within = [i for i in left if lower[i] <= smallest]
        order.append(min(within))
        contested.append(len(within) > 1)
        left.remove(min(within))
    return order, contested
