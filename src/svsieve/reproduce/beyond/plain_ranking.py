"""A ranking with a Gaussian kernel as one would write it with scikit-learn and numpy."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from svsieve.arrays import FloatArray
from svsieve.elimination import Path

TIMED = 10  # columns of a step whose scores are computed; the others take as long


def plain_seconds(X: FloatArray, y: FloatArray, path: Path, C: float) -> FloatArray:
    """Return the processor seconds of each step of an elimination, done plainly.

    In each step a kernel matrix with gamma = 1 / columns left is computed, a machine trained from
    nothing, and the slope of its weight norm in the scale of each column computed in turn:
    sum_ik b_i b_k K_ik (x_ij - x_kj)^2 over the support vectors.

    Parameters
    ----------
    X, y : ndarray
        Training rows.
    path : Path
        Which columns are left in each step.
    C : float
    """
    seconds = []
    for size in path.sizes[:-1].tolist():
        kept = X[:, np.sort(path.top(size))]
        began = time.process_time()
        K = rbf_kernel(kept, gamma=1.0 / size)
        machine = SVC(kernel="precomputed", C=C).fit(K, y)
        rows, b = machine.support_, machine.dual_coef_[0]
        weights = b[:, None] * K[np.ix_(rows, rows)] * b
        trained = time.process_time()
        slopes(weights, kept[rows, :TIMED])
        columns = time.process_time() - trained
        seconds.append(trained - began + columns * size / min(size, TIMED))
    return np.array(seconds)


def slopes(weights: FloatArray, columns: FloatArray) -> FloatArray:
    """Return the sum of weights times squared differences, for one column after the other."""
    scores: Sequence[float] = [
        float((weights * (column[:, None] - column[None, :]) ** 2).sum()) for column in columns.T
    ]
    return np.array(scores)
