"""Rankings on a share of the rows: drawn once for everything, or anew in every iteration."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from svsieve import SVMRFE, samplers
from svsieve.arrays import FloatArray, IndexArray
from svsieve.reproduce.planas.protocol import Ranking, eliminating, linear

NONE, ONCE, AGAIN = "none", "preprocessed", "internal"


def resampling(C: float, step: int, share: float) -> Ranking:
    """Return the ranking that draws a share of the rows anew in every iteration."""
    return eliminating(linear(C), step, sampler=samplers.Subsample(share, stratified=False))


def resampling_and_scaling(C: float, step: int, share: float) -> Ranking:
    """Return the same ranking with every draw standardised, as the code of the thesis does it.

    Scaling is no part of an elimination here, so this one is put together from single steps.
    """
    machine = make_pipeline(StandardScaler(), linear(C))

    def ranking(X: FloatArray, y: NDArray[Any], seed: int) -> IndexArray:
        rng = np.random.default_rng(seed)
        kept, gone = np.arange(X.shape[1]), list[int]()
        while len(kept) > 1:
            rows = rng.choice(len(X), int(share * len(X)), replace=False)
            left = max(len(kept) - step, 1)
            one = SVMRFE(machine, n_features_to_select=left, step=step)
            path = one.fit(X[np.ix_(rows, kept)], y[rows]).path_
            gone += kept[path.dropped].tolist()
            kept = kept[np.sort(path.survivors)]
        return np.array([*kept.tolist(), *gone[::-1]])

    return ranking
