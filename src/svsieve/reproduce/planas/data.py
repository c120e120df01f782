"""The tables of the thesis, as its text prints the calls and as its code made them.

The code draws more rows than the text says and keeps the first ones. That gives other tables, since
the generator draws all rows before it goes on.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits, make_classification

from svsieve.arrays import FloatArray
from svsieve.datasets import load_public

Labelled = tuple[FloatArray, NDArray[Any]]

AS_CODED, AS_PRINTED = "as coded", "as printed"


@dataclass(frozen=True)
class Generated:
    """A call of scikit-learn's `make_classification`.

    Parameters
    ----------
    rows : int
        Those that are used, the first ones.
    drawn : int
        Those that the code draws.
    options : tuple of pairs
        The other arguments.
    """

    rows: int
    drawn: int
    options: tuple[tuple[str, Any], ...]

    def table(self, made: str = AS_CODED) -> Labelled:
        """Return rows and labels 0 and 1, or 0 to 9."""
        n = self.drawn if made == AS_CODED else self.rows
        X, y = make_classification(n_samples=n, **dict(self.options))
        return np.ascontiguousarray(X[: self.rows]), y[: self.rows]


def _generated(rows: int, drawn: int, **options: Any) -> Generated:
    return Generated(rows, drawn, tuple(options.items()))


STEPS = _generated(
    1000, 2000, n_features=300, n_informative=100, n_redundant=100, n_repeated=20,
    n_clusters_per_class=3, flip_y=0.05, class_sep=2, random_state=2,
)  # fmt: skip
SAMPLING = _generated(
    8000, 9000, n_features=300, n_informative=100, n_redundant=2, n_repeated=0,
    n_clusters_per_class=2, flip_y=0.01, class_sep=1.0, random_state=8,
)  # fmt: skip
TEN_CLASSES = _generated(
    1000, 4000, n_classes=10, n_features=100, n_informative=20, n_clusters_per_class=1,
    flip_y=0.01, random_state=8,
)  # fmt: skip
IMPLEMENTATIONS = _generated(
    4000, 4000, n_features=100, n_informative=20, n_clusters_per_class=6, flip_y=0.01,
    random_state=8,
)  # fmt: skip
KERNELS = _generated(
    500, 2000, n_features=300, n_informative=100, n_redundant=100, n_repeated=0,
    n_clusters_per_class=10, flip_y=0.01, class_sep=3, random_state=2,
)  # fmt: skip
FIGURE_4_7 = _generated(1000, 8000, n_features=300, n_informative=30, random_state=8)


def digits() -> Labelled:
    """Return the first 1700 of the digits that scikit-learn ships; pixels from 0 to 16."""
    X, y = load_digits(return_X_y=True)
    return X[:1700], y[:1700]


@cache
def madelon(rows: int = 2000) -> Labelled:
    """Return the first training rows of MADELON, standardised with all 2000 of them."""
    found = load_public("madelon")
    X, y = found.X[:2000], found.y[:2000]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return np.ascontiguousarray(X[:rows]), y[:rows]
