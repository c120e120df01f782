"""Probabilities of several classes from those of their pairs."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from svsieve.arrays import FloatArray

# Pairs that are certain are taken to be a little less so: certain pairs may contradict each other.
LEAST_PROBABILITY = 1e-7


def coupled_probabilities(pairs: FloatArray, n_classes: int) -> FloatArray:
    """Return the probabilities of the classes that fit those of all pairs best.

    With r_ij the probability of class i among i and j, they solve

        min_p  sum_{i < j} (r_ji p_i - r_ij p_j)^2     s.t.  sum_i p_i = 1.

    The optimum is never negative (Wu, Lin and Weng 2004, second approach), so it is found from the
    linear equations Q p = -lambda, sum(p) = 1, with Q_ii = sum_j r_ji^2 and Q_ij = -r_ji r_ij.

    Parameters
    ----------
    pairs : ndarray of shape (n_rows, n_pairs)
        Probability of the first class of each pair (i, j), i < j, in the order (0,1), (0,2), ...
    n_classes : int

    Returns
    -------
    ndarray of shape (n_rows, n_classes)
        Each row sums to one.

    References
    ----------
    T.-F. Wu, C.-J. Lin and R. C. Weng, "Probability estimates for multi-class classification by
    pairwise coupling", Journal of Machine Learning Research 5, 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.machines import coupled_probabilities
    >>> p = np.array([0.5, 0.3, 0.2])
    >>> pairs = np.array([[0.5 / 0.8, 0.5 / 0.7, 0.3 / 0.5]])  # p_i / (p_i + p_j)
    >>> coupled_probabilities(pairs, 3).round(6)
    array([[0.5, 0.3, 0.2]])
    """
    n_rows = len(pairs)
    first = np.clip(pairs, LEAST_PROBABILITY, 1.0 - LEAST_PROBABILITY)
    system = np.zeros((n_rows, n_classes + 1, n_classes + 1))
    system[:, :n_classes, n_classes] = system[:, n_classes, :n_classes] = 1.0
    for pair, (i, j) in enumerate(combinations(range(n_classes), 2)):
        r_ij, r_ji = first[:, pair], 1.0 - first[:, pair]
        system[:, i, i] += r_ji**2
        system[:, j, j] += r_ij**2
        system[:, i, j] = system[:, j, i] = -r_ji * r_ij
    right = np.zeros((n_classes + 1, 1))
    right[-1] = 1.0
    p = np.linalg.solve(system, np.broadcast_to(right, (n_rows, n_classes + 1, 1)))[:, :-1, 0]
    p = np.maximum(p, 0.0)  # rounding
    return np.asarray(p / p.sum(axis=1, keepdims=True))
