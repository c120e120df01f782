"""Weights along which the best compromise between score and size moves over its whole range."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from svsieve.arrays import FloatArray, IndexArray
from svsieve.selection import Curve, pareto_front
from svsieve.selection.rules import Scalarised

# How far beyond the last turning point the weights go, as a factor of the price of a column.
BEYOND = 4.0
DIGITS = 4


def weights_along_front(
    curve: Curve, metric: str | None = None, count: int = 120
) -> list[Scalarised]:
    """Return rules whose choices go from the smallest size to the best score.

    With weights a and b a size of least ``a (1 - score) + b size / n_columns`` is chosen, so only
    the price ``p = b / a`` matters: what a share of the columns must bring in score. A size on the
    convex hull of the Pareto front is chosen while p lies between the slopes of the hull at either
    side of it. Every such range gets as many prices as any other, evenly spaced in their logarithm.
    That matters for wide tables: among 60,000 columns, all that is of interest happens at weights
    of size above 0.98.

    Parameters
    ----------
    curve : Curve
    metric : str, optional
        The first of the curve by default.
    count : int, default=120
        About how many.

    Returns
    -------
    list of Scalarised
        Their weights add up to 1 and have few digits.

    Examples
    --------
    >>> from svsieve.reports.tradeoff import weights_along_front
    >>> from svsieve.selection import Curve
    >>> curve = Curve([1, 2, 4], {"accuracy": [[0.5, 0.85, 0.9]]}, n_columns=4)
    >>> [rule.choose(curve).size for rule in weights_along_front(curve, count=6)]
    [1, 1, 2, 2, 4, 4]
    """
    _, shares, scores = front_points(curve, metric)
    slopes = hull_slopes(shares, scores)
    if not len(slopes):
        return [Scalarised(0.5, 0.5)]
    turning = np.concatenate([[slopes[0] * BEYOND], slopes, [slopes[-1] / BEYOND]])
    each = max(1, round(count / (len(turning) - 1)))
    inside = (np.arange(each) + 0.5) / each
    logs = np.log(turning)
    prices = np.exp(logs[:-1, None] + inside * np.diff(logs)[:, None]).ravel()
    return [_rule(price) for price in prices.tolist()]


def front_points(
    curve: Curve, metric: str | None = None
) -> tuple[IndexArray, FloatArray, FloatArray]:
    """Return the sizes on the Pareto front, their shares of the columns, their mean scores."""
    sizes = pareto_front(curve, metric)
    return sizes, sizes / curve.n_columns, curve.mean(metric)[np.isin(curve.sizes, sizes)]


def hull_slopes(shares: FloatArray, scores: FloatArray) -> FloatArray:
    """Return the slopes of the upper hull of a front, falling: one fewer than it has corners."""
    corners: list[int] = []
    for at in range(len(shares)):
        while len(corners) > 1 and _slope(shares, scores, corners[-2], corners[-1]) <= _slope(
            shares, scores, corners[-1], at
        ):
            corners.pop()
        corners.append(at)
    return np.array([_slope(shares, scores, *pair) for pair in pairwise(corners)])


def _slope(shares: FloatArray, scores: FloatArray, first: int, second: int) -> float:
    return float((scores[second] - scores[first]) / (shares[second] - shares[first]))


def _rule(price: float) -> Scalarised:
    """Return the rule with a price; the smaller weight has few digits, the other is the rest."""
    if price < 1.0:
        size = float(f"{price / (1.0 + price):.{DIGITS}g}")
        return Scalarised(round(1.0 - size, 15), size)
    accuracy = float(f"{1.0 / (1.0 + price):.{DIGITS}g}")
    return Scalarised(accuracy, round(1.0 - accuracy, 15))
