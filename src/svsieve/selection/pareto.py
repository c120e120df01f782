"""The sizes that no other size beats."""

from __future__ import annotations

import numpy as np

from svsieve.arrays import IndexArray
from svsieve.selection.curve import Curve
from svsieve.selection.rules import TIE


def pareto_front(curve: Curve, metric: str | None = None) -> IndexArray:
    """Return the sizes for which no smaller size has a mean score as good.

    It may hold sizes that no weighing of score against size would choose (see
    :class:`svsieve.rules.Scalarised`).

    Parameters
    ----------
    curve : Curve
    metric : str, optional
        The first of the curve by default.

    Returns
    -------
    ndarray of int
        Sizes, ascending, with rising scores.

    Examples
    --------
    >>> from svsieve.selection import Curve, pareto_front
    >>> curve = Curve([1, 2, 3, 4], {"accuracy": [[0.5, 0.8, 0.7, 0.9]]}, n_columns=4)
    >>> pareto_front(curve)
    array([1, 2, 4])
    """
    mean = curve.mean(metric)
    known = np.flatnonzero(np.isfinite(mean))
    rounding = TIE * float(np.abs(mean[known]).max(initial=0.0))
    front: list[int] = []
    for at in known.tolist():
        if not front or mean[at] > mean[front[-1]] + rounding:
            front.append(at)
    return curve.sizes[front]
