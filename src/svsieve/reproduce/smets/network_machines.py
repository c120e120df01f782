"""The networks of the experiment, and the machines that tell them apart."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from svsieve import SVC
from svsieve.arrays import FloatArray
from svsieve.datasets import make_random_networks
from svsieve.reproduce.smets.toys import MACHINES, Table

TUNED = "Gaussian, tuned"
GRID = {"C": np.logspace(-1, 3, 5), "gamma": np.logspace(-4, 1, 6)}
KERNELS = {
    "linear": MACHINES["linear"],
    "polynomial": MACHINES["polynomial"],
    "Gaussian": SVC(C=0.5, kernel="rbf", gamma=0.5, slack="l2"),
}


@cache
def networks(
    features: str, scale_free: int, small: int
) -> tuple[FloatArray, NDArray[Any], NDArray[np.str_]]:
    """Return statistics, kinds and names; drawn once, since that takes seconds."""
    return make_random_networks(scale_free, small, features=features, rng=2006)


def machine_of(kernel: str, train: Table) -> SVC:
    """Return a machine; its parameters are found in a grid where the kernel is to be tuned."""
    if kernel != TUNED:
        return KERNELS[kernel]
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    found: SVC = GridSearchCV(KERNELS["Gaussian"], GRID, cv=folds).fit(*train).best_estimator_
    return found
