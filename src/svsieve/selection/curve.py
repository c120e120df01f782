"""Scores against the number of columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from svsieve.arrays import FloatArray, IndexArray, index_vector


@dataclass(frozen=True, eq=False, repr=False)
class Curve:
    """Scores of some sizes, on held-out rows and on the rows trained on.

    Parameters
    ----------
    sizes : array-like of int
        Numbers of columns, ascending.
    held_out : dict of str to array-like of shape (n_folds, n_sizes)
        For each metric, the scores on rows that were not trained on. Greater is better, as in all
        scorers of scikit-learn: losses are negative.
    train : dict of str to array-like of shape (n_folds, n_sizes), optional
        The scores on the rows trained on, of the same metrics.
    n_columns : int, optional
        Columns of the table, of which a size is a share; the largest size by default.
    chance : float, optional
        Accuracy without any column: the share of the largest class.

    Examples
    --------
    >>> from svsieve.selection import Curve
    >>> curve = Curve([1, 2, 4], {"accuracy": [[0.7, 0.9, 0.9], [0.5, 0.7, 0.9]]}, n_columns=4)
    >>> curve.mean()
    array([0.6, 0.8, 0.9])
    >>> curve.standard_error().round(3)
    array([0.1, 0.1, 0. ])
    >>> curve
    Curve(sizes=3 from 1 to 4, folds=2, metrics=['accuracy'], n_columns=4)
    """

    sizes: IndexArray
    held_out: dict[str, FloatArray]
    train: dict[str, FloatArray] | None = None
    n_columns: int = 0
    chance: float | None = None

    def __post_init__(self) -> None:
        sizes = index_vector(self.sizes, "sizes", 2**62)
        n_columns = int(self.n_columns or sizes.max(initial=0))
        if not len(sizes) or (np.diff(sizes) <= 0).any() or sizes[0] < 1 or sizes[-1] > n_columns:
            raise ValueError(
                f"sizes must rise, from 1 or more to no more than the {n_columns} columns. "
                f"Got {sizes.tolist()}."
            )
        if not self.held_out:
            raise ValueError("held_out must hold the scores of at least one metric.")
        held_out = _tables(self.held_out, "held_out", len(sizes))
        train = None if self.train is None else _tables(self.train, "train", len(sizes))
        if train is not None and list(train) != list(held_out):
            raise ValueError(
                f"train must have the metrics of held_out, {list(held_out)}. Got {list(train)}."
            )
        folds = {len(table) for table in [*held_out.values(), *(train or {}).values()]}
        if len(folds) > 1:
            raise ValueError(f"all metrics must have the same folds. Got {sorted(folds)} of them.")
        for name, value in {"sizes": sizes, "held_out": held_out, "train": train}.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "n_columns", n_columns)

    def __repr__(self) -> str:
        return (
            f"Curve(sizes={len(self.sizes)} from {self.sizes[0]} to {self.sizes[-1]}, "
            f"folds={self.n_folds}, metrics={self.metrics}, n_columns={self.n_columns})"
        )

    @property
    def metrics(self) -> list[str]:
        """Names of the metrics; the first is the one meant where none is named."""
        return list(self.held_out)

    @property
    def n_folds(self) -> int:
        """Number of splits into rows to train on and rows held out."""
        return len(self.held_out[self.metrics[0]])

    def mean(self, metric: str | None = None) -> FloatArray:
        """Return the mean held-out score of each size, over the folds."""
        return np.asarray(self.scores(metric).mean(axis=0))

    def std(self, metric: str | None = None) -> FloatArray:
        """Return the standard deviation over the folds, that of scikit-learn's tables."""
        return np.asarray(self.scores(metric).std(axis=0))

    def standard_error(self, metric: str | None = None) -> FloatArray:
        """Return the standard error of the mean score of each size; nan with a single fold."""
        table = self.scores(metric)
        if len(table) < 2:
            return np.full(len(self.sizes), np.nan)
        return np.asarray(table.std(axis=0, ddof=1) / np.sqrt(len(table)))

    def scores(self, metric: str | None = None) -> FloatArray:
        """Return the held-out scores of a metric, of shape (n_folds, n_sizes)."""
        return self.held_out[self.metric(metric)]

    def metric(self, name: str | None = None) -> str:
        """Return the name of a metric of the curve, the first by default."""
        if name is None:
            return self.metrics[0]
        if name not in self.held_out:
            raise ValueError(f"metric must be one of {self.metrics}. Got {name!r}.")
        return name

    def up_to(self, size: int) -> Curve:
        """Return the part of the curve with at most `size` columns.

        Examples
        --------
        >>> from svsieve.selection import Curve
        >>> Curve([1, 2, 4], {"accuracy": [[0.7, 0.9, 0.9]]}, n_columns=4).up_to(3).sizes
        array([1, 2])
        """
        n = int(np.searchsorted(self.sizes, size, side="right"))
        if n == 0:
            raise ValueError(
                f"the curve has no size of {size} columns or less; its smallest is {self.sizes[0]}."
            )
        held_out = {name: table[:, :n] for name, table in self.held_out.items()}
        train = self.train
        if train is not None:
            train = {name: table[:, :n] for name, table in train.items()}
        return Curve(self.sizes[:n], held_out, train, self.n_columns, self.chance)

    def to_frame(self) -> Any:
        """Return a pandas data frame with one row per metric and size.

        Columns: metric, size, mean, std, standard_error (of the held-out scores), train_mean and
        train_std (missing where training rows were not scored).
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError("Curve.to_frame needs pandas: pip install pandas.") from error
        missing = np.full(len(self.sizes), np.nan)
        parts = []
        for name in self.metrics:
            train = None if self.train is None else self.train[name]
            parts.append(
                pd.DataFrame(
                    {
                        "metric": name,
                        "size": self.sizes,
                        "mean": self.mean(name),
                        "std": self.std(name),
                        "standard_error": self.standard_error(name),
                        "train_mean": missing if train is None else train.mean(axis=0),
                        "train_std": missing if train is None else train.std(axis=0),
                    }
                )
            )
        return pd.concat(parts, ignore_index=True)


def _tables(scores: Mapping[str, Any], name: str, n_sizes: int) -> dict[str, FloatArray]:
    """Return the tables of all metrics as float64, refusing other shapes."""
    tables = {}
    for metric, values in scores.items():
        table = np.asarray(values, dtype=np.float64)
        if table.ndim != 2 or not len(table) or table.shape[1] != n_sizes:
            raise ValueError(
                f"{name}[{metric!r}] must be a table with one row per fold and one column for each "
                f"of {n_sizes} sizes. Got shape {table.shape}."
            )
        tables[str(metric)] = table
    return tables
