"""The paths of all folds become one curve of scores against size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svsieve.arrays import FloatArray, IndexArray
from svsieve.elimination import Path
from svsieve.selection import Curve
from svsieve.selection.folds import ScoredPath


def missing_sizes(path: Path, judged: Sequence[ScoredPath]) -> dict[int, IndexArray]:
    """Return, for each fold that did not visit all sizes of a path, those it did not visit."""
    absent = [np.setdiff1d(path.sizes, one.path.sizes) for one in judged]
    return {k: sizes for k, sizes in enumerate(absent) if len(sizes)}


def curve_of(
    path: Path,
    metrics: Sequence[str],
    judged: Sequence[ScoredPath],
    missing: dict[int, IndexArray],
    found: dict[int, FloatArray],
    *,
    with_accuracy: bool,
) -> Curve:
    """Return the scores of all folds at the sizes of a path.

    Parameters
    ----------
    path : Path
        The elimination on all rows.
    metrics : sequence of str
    judged : sequence of ScoredPath
        One per fold.
    missing, found : dict of int to ndarray
        Sizes that some folds did not visit, and the scores there, of shape (sizes, metrics).
    with_accuracy : bool
        Whether the accuracies of the paths on their training rows are those of the one metric.
    """
    sizes = np.unique(path.sizes)
    tables = []
    for k, one in enumerate(judged):
        visited, scores = one.path.sizes, one.scores
        if k in missing:
            visited = np.append(visited, missing[k])
            scores = np.append(scores, found[k], axis=0)
        tables.append(_at(sizes, visited, scores))
    table = np.array(tables)  # (folds, sizes, metrics)
    train = None
    if with_accuracy and not missing:
        known = [
            (one.path, np.append(one.path.accuracy, one.path.final_accuracy)) for one in judged
        ]
        train = {metrics[0]: np.array([_at(sizes, mine.sizes, values) for mine, values in known])}
    held_out = {name: table[:, :, m] for m, name in enumerate(metrics)}
    return Curve(sizes, held_out, train, path.n_columns, float(path.notes["chance"]))


def _at(sizes: IndexArray, visited: IndexArray, values: FloatArray) -> FloatArray:
    """Pick the values of some sizes out of those of all sizes visited."""
    order = np.argsort(visited)
    return values[order[np.searchsorted(visited, sizes, sorter=order)]]


class FoldResults(Mapping[str, NDArray[Any]]):
    """A curve and the paths of its folds in the form of the `cv_results_` of scikit-learn's RFECV.

    The columns left at every size and their ranks, ``split0_support`` and ``split0_ranking``, are
    tables of sizes times columns; they are made when they are asked for.

    Parameters
    ----------
    curve : Curve
    paths : sequence of Path
        One per fold.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from svsieve import SVMRFECV
    >>> found = SVMRFECV(cv=3).fit(*load_iris(return_X_y=True)).cv_results_
    >>> found["split0_support"].astype(int)
    array([[0, 0, 1, 0],
           [0, 0, 1, 1],
           [0, 1, 1, 1],
           [1, 1, 1, 1]])
    """

    def __init__(self, curve: Curve, paths: Sequence[Path]) -> None:
        self._scores, self._paths = _score_table(curve), tuple(paths)
        folds = range(len(self._paths))
        of_fold = (f"split{k}_{part}" for part in ("ranking", "support") for k in folds)
        self._names = (*self._scores, *of_fold)

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name in self._scores or name not in self._names:
            return self._scores[name]
        fold, part = name.removeprefix("split").split("_")
        path = self._paths[int(fold)]
        ranks = [ranking_at(path, size) for size in self._scores["n_features"].tolist()]
        return np.array(ranks) if part == "ranking" else np.array(ranks) == 1

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self._names)})"


def _score_table(curve: Curve) -> dict[str, NDArray[Any]]:
    """Return sizes, and scores of all folds there, by the names that scikit-learn has for them."""
    results: dict[str, NDArray[Any]] = {"n_features": curve.sizes}
    for metric in curve.metrics:
        name = "score" if len(curve.metrics) == 1 else metric
        results[f"mean_test_{name}"] = curve.mean(metric)
        results[f"std_test_{name}"] = curve.std(metric)
        for k, scores in enumerate(curve.scores(metric)):
            results[f"split{k}_test_{name}"] = scores
    return results


def ranking_at(path: Path, size: int) -> IndexArray:
    """Return the ranks as in scikit-learn's RFE had it stopped at a size.

    Examples
    --------
    >>> from svsieve.elimination import Path
    >>> from svsieve.estimators.fold_curve import ranking_at
    >>> ranking_at(Path.from_scores([5.0, 9.0, 2.0, 7.0]), 2)
    array([2, 1, 3, 1])
    """
    gone = path.n_columns - size
    steps = np.repeat(np.arange(path.n_steps), path.counts)[:gone]
    ranks = np.ones(path.n_columns, dtype=np.int64)
    if gone > 0:
        ranks[path.dropped[:gone]] = steps[-1] - steps + 2
    return ranks
