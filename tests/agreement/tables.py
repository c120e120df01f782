"""The data sets of the comparison and where they come from.

Sets that are not part of scikit-learn are read from the folder named by the environment variable
SVSIEVE_DATA (default: ``../shared/data`` beside the repository).
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.preprocessing import StandardScaler

ROOT = Path(__file__).resolve().parents[2]
FILES = {
    "banana": "ida_banana.npz",
    "german": "ida_german.npz",
    "heart": "ida_heart.npz",
    "colon": "colon.npz",
}
# scikit-learn needs minutes for C = 100 on all 5,300 rows of banana and stops far from the
# solution; the first 1,500 rows keep the comparison short and fair.
FIRST_ROWS = {"banana": 1500}
NAMES = ("banana", "german", "heart", "breast cancer", "digits", "colon")


class MissingDataError(Exception):
    """A data set is not on this machine."""


def folder() -> Path:
    return Path(os.environ.get("SVSIEVE_DATA", ROOT.parent / "shared" / "data"))


def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Columns on a common scale, and labels."""
    if name == "breast cancer":
        X, y = load_breast_cancer(return_X_y=True)
        return StandardScaler().fit_transform(X), y
    if name == "digits":
        X, y = load_digits(return_X_y=True)
        return X / 16, y
    path = folder() / FILES[name]
    if not path.exists():
        raise MissingDataError(
            f"the {name} data ({path.name}) is not in {folder()}; "
            "set SVSIEVE_DATA to the folder that holds it"
        )
    with np.load(path) as stored:
        rows = slice(FIRST_ROWS.get(name))
        X, y = stored["X"][rows].astype(float), stored["y"][rows]
    if name == "colon":
        X = StandardScaler().fit_transform(np.log(X))
    return X, y
