"""The data sets of the comparisons: real ones from a folder, otherwise stand-ins of their shape."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_classification

Floats = NDArray[np.float64]

FILES = {
    "banana": "ida_banana.npz",
    "german": "ida_german.npz",
    "colon": "colon.npz",
    "arcene": "arcene.npz",
    "madelon": "madelon.npz",
}
MADELON_ROWS = 1714  # six sevenths of the 2,000 training rows
TRAINING_ROWS = {"arcene": 100, "madelon": MADELON_ROWS}  # the first ones
STANDARDISED = ("colon", "arcene", "madelon")


@dataclass(frozen=True)
class DataSet:
    """Rows, labels -1 / +1, and whether they are the real ones."""

    name: str
    X: Floats
    y: Floats
    real: bool

    @property
    def label(self) -> str:
        """Name and shape, as printed in the tables."""
        rows, columns = self.X.shape
        kind = "" if self.real else ", synthetic"
        return f"{self.name} {rows} x {columns}{kind}"


def folder() -> Path:
    """Return the folder of the data: ``SVSIEVE_DATA``, or ``shared/data`` beside the clone."""
    root = Path(__file__).resolve().parents[2]
    return Path(os.environ.get("SVSIEVE_DATA", root.parent / "shared" / "data"))


def load(name: str, rows: int | None = None) -> DataSet:
    """Return the set `name`, or a synthetic one of the same shape and a warning that says so.

    Of ARCENE and MADELON the first `rows` are taken, by default those used for training.
    """
    if name not in FILES:
        raise ValueError(f"no data set is called {name!r}; there are {', '.join(FILES)}")
    path = folder() / FILES[name]
    if not path.exists():
        warnings.warn(
            f"{FILES[name]} is not in the folder {path.parent}: set SVSIEVE_DATA to the folder "
            f"that holds it. Using synthetic rows of the same shape instead.",
            stacklevel=2,
        )
        return _stand_in(name)
    with np.load(path, allow_pickle=False) as stored:
        X = np.asarray(stored["X"], dtype=np.float64)
        y = stored["y"]
    if name == "colon":
        X = np.log(X)
    rows = TRAINING_ROWS.get(name) if rows is None else rows
    X, y = X[:rows], y[:rows]
    if name in STANDARDISED:
        X = standardised(X)
    return DataSet(name, np.ascontiguousarray(X), signs(y), real=True)


def wide(rows: int = 100, columns: int = 10_000) -> DataSet:
    """Return many columns for few rows, twenty of them shifted by the class."""
    rng = np.random.default_rng(0)
    y = np.where(np.arange(rows) % 2 == 0, 1.0, -1.0)
    X = rng.standard_normal((rows, columns))
    X[:, :20] += 0.5 * y[:, None]
    return DataSet("wide", X, y, real=False)


def tall(rows: int = 50_000, columns: int = 100) -> DataSet:
    """Return many rows, a fifth of the columns informative and a fifth made from those."""
    X, labels = make_classification(
        rows,
        columns,
        n_informative=columns // 5,
        n_redundant=columns // 5,
        flip_y=0.05,
        random_state=0,
    )
    return DataSet("tall", standardised(X), signs(labels), real=False)


def blobs(rows: int, columns: int) -> DataSet:
    """Return two overlapping Gaussian clouds; few rows end up as support vectors."""
    rng = np.random.default_rng(0)
    y = np.where(rng.random(rows) < 0.5, 1.0, -1.0)
    X = rng.standard_normal((rows, columns))
    X += (1.5 / np.sqrt(columns) * 1.4) * y[:, None]
    return DataSet("blobs", X, y, real=False)


def first_part(data: DataSet, rows: int, columns: int) -> DataSet:
    """Return the first rows and columns of a set."""
    return replace(data, X=np.ascontiguousarray(data.X[:rows, :columns]), y=data.y[:rows])


def standardised(X: Floats) -> Floats:
    """Return the columns with mean 0 and standard deviation 1 (constant ones stay 0)."""
    centred: Floats = X - X.mean(axis=0)
    spread = centred.std(axis=0)
    spread[spread == 0.0] = 1.0
    scaled: Floats = centred / spread
    return scaled


def signs(y: NDArray[np.generic]) -> Floats:
    """Return two-class labels as -1.0 (the lower label) and +1.0."""
    lower = np.unique(y)[0]
    return np.where(y == lower, -1.0, 1.0)


def _stand_in(name: str) -> DataSet:
    rng = np.random.default_rng(0)
    if name == "banana":
        y = np.where(rng.random(5300) < 0.45, 1.0, -1.0)
        angle = rng.uniform(0.0, np.pi, 5300)
        X = np.column_stack([y * np.cos(angle) + 0.5 * (y > 0), y * np.sin(angle) - 0.25 * y])
        X = standardised(X + 0.35 * rng.standard_normal(X.shape))
        return DataSet(name, X, y, real=False)
    rows, columns, informative, separation = {
        "german": (1000, 20, 8, 0.6),
        "colon": (62, 2000, 30, 1.0),
        "arcene": (100, 10_000, 30, 1.0),
        "madelon": (MADELON_ROWS, 500, 5, 1.0),
    }[name]
    X, labels = make_classification(
        rows,
        columns,
        n_informative=informative,
        n_redundant=informative,
        class_sep=separation,
        flip_y=0.05,
        random_state=0,
    )
    return DataSet(name, standardised(X), signs(labels), real=False)
