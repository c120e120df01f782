"""The accuracy of sizes that no machine was trained on, as the code of the thesis estimates it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from svsieve import SVMRFE
from svsieve.arrays import FloatArray
from svsieve.reproduce.planas.protocol import linear


def estimated_accuracies(X: FloatArray, y: NDArray[Any], C: float, step: int) -> FloatArray:
    """Return the accuracy that the thesis's code estimates for the sizes from 1 to all but two.

    With r columns left, training accuracy A and e_i the share of the i + 1 least importances in
    their sum, size r - i has 1/2 + (1 - e_i)(A - 1/2). Later iterations overwrite earlier ones.
    """
    kept = np.arange(X.shape[1])
    estimates = np.empty(X.shape[1] + 1)
    while len(kept):
        r = len(kept)
        path = SVMRFE(linear(C), n_features_to_select=r).fit(X[:, kept], y).path_
        gone = np.cumsum(path.survivor_scores[::-1]) / path.survivor_scores.sum()
        sizes = r - np.arange(r)
        overwritten = sizes < max(r - 1, 2)
        accuracy = 0.5 + (1.0 - gone) * (path.final_accuracy - 0.5)
        estimates[sizes[overwritten]] = accuracy[overwritten]
        kept = kept[np.sort(path.survivors[: max(r - step, 0)])]
    return estimates[1 : X.shape[1] - 1]
