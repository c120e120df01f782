"""Several classes as several two-class problems, and how their decisions are combined."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from svsieve.arrays import FloatArray, IndexArray, index_vector


@dataclass(frozen=True, eq=False)
class BinaryTask:
    """One two-class problem: which rows take part and which class is +1.

    Attributes
    ----------
    rows : ndarray of int
    labels : ndarray of +1.0 and -1.0, one per entry of `rows`
    positive, negative : int
        Class codes; `negative` is -1 where it stands for all other classes.
    """

    rows: IndexArray
    labels: FloatArray
    positive: int
    negative: int


def one_vs_one(codes: npt.ArrayLike, n_classes: int) -> list[BinaryTask]:
    """Return one task per pair of classes i < j, class i as +1, in the order (0,1), (0,2), ...

    Examples
    --------
    >>> from svsieve.machines import one_vs_one
    >>> [(task.positive, task.negative) for task in one_vs_one([0, 1, 2, 1], 3)]
    [(0, 1), (0, 2), (1, 2)]
    """
    classes = index_vector(codes, "codes", n_classes)
    members = [classes == code for code in range(n_classes)]
    tasks = []
    for first, second in combinations(range(n_classes), 2):
        rows = (members[first] | members[second]).nonzero()[0]
        labels = np.where(members[first][rows], 1.0, -1.0)
        tasks.append(BinaryTask(rows, labels, first, second))
    return tasks


def one_vs_rest(codes: npt.ArrayLike, n_classes: int) -> list[BinaryTask]:
    """Return one task per class, that class as +1 and all others as -1.

    Examples
    --------
    >>> from svsieve.machines import one_vs_rest
    >>> one_vs_rest([0, 1, 2, 1], 3)[1].labels
    array([-1.,  1., -1.,  1.])
    """
    classes = index_vector(codes, "codes", n_classes)
    rows = np.arange(len(classes))
    return [
        BinaryTask(rows, np.where(classes == code, 1.0, -1.0), code, -1)
        for code in range(n_classes)
    ]


def count_votes(first_wins: npt.NDArray[np.bool_], n_classes: int) -> FloatArray:
    """Count, for each row and class, the pairs that the class wins."""
    votes = np.zeros((len(first_wins), n_classes))
    for pair, (i, j) in enumerate(combinations(range(n_classes), 2)):
        votes[:, i] += first_wins[:, pair]
        votes[:, j] += ~first_wins[:, pair]
    return votes


def one_vs_rest_values(decisions: FloatArray, n_classes: int) -> FloatArray:
    """Return votes plus the summed decision values of each class, squeezed into (-1/3, 1/3).

    The summand orders classes of equal votes and cannot outweigh a vote.
    """
    confidence = np.zeros((len(decisions), n_classes))
    for pair, (i, j) in enumerate(combinations(range(n_classes), 2)):
        confidence[:, i] += decisions[:, pair]
        confidence[:, j] -= decisions[:, pair]
    confidence /= 3 * (np.abs(confidence) + 1)
    return confidence + count_votes(decisions >= 0, n_classes)
