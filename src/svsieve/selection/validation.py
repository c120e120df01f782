"""Scores of a ranking at any sizes, by any estimator: the phase after the ranking."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array

from svsieve.arrays import FloatArray, IndexArray, distinct_indices, float_vector, index_vector
from svsieve.elimination import Path
from svsieve.resolve.fitting import fit_weights
from svsieve.resolve.options import has_method
from svsieve.resolve.problems import two_class_problems
from svsieve.selection.curve import Curve
from svsieve.selection.fold_scores import FoldScores, Metric, needs_refit
from svsieve.selection.following import Plan
from svsieve.selection.refitting import Refit
from svsieve.selection.runs import results

Scores = dict[str, float]


def validate(
    path: Any,
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    cv: Any = 5,
    sizes: Iterable[int] | None = None,
    scoring: Any = "accuracy",
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = None,
    return_train_score: bool = True,
) -> Curve:
    """Score the best columns of a ranking at several sizes, on held-out rows.

    The ranking may come from anywhere, and the estimator need not be the one that made it. At each
    size k the estimator is trained on the best k columns of the training rows of each fold.

    Parameters
    ----------
    path : Path, array-like of int, or list of these, one per fold
        The ranking: a path, or columns in order, best first (not all need be named).
    estimator : estimator
        Anything that scikit-learn can score. Support vector machines, alone or after scalers, are
        not fitted anew for each size but followed from the largest size down.
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        Rows with all columns.
    y : array-like of shape (n_samples,)
        Their classes, or targets.
    cv : int, splitter or iterable of splits, default=5
        As in scikit-learn's `cross_validate`.
    sizes : iterable of int, optional
        Numbers of columns to try. By default those that the path visits, or all for an order.
    scoring : str, callable, list, tuple or dict, default="accuracy"
        One metric or several, as in scikit-learn's `cross_validate`.
    groups : array-like of shape (n_samples,), optional
        For the splitter.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows in training. Scores count every row once.
    n_jobs : int, optional
        Folds done at the same time, as in joblib.
    return_train_score : bool, default=True
        Whether to score the training rows too.

    Returns
    -------
    Curve

    Notes
    -----
    If the ranking was made with rows that are held out here, the scores are too good: the columns
    have been chosen to suit those rows. Give one path per fold, each made from the training rows of
    that fold, or use :func:`svsieve.evaluate`.

    A function ``scoring(estimator, X, y)`` of one's own may look at anything, so it is given an
    estimator fitted at that size, and rows with those columns alone. Names of metrics and what
    `make_scorer` returns ask for predictions only.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.preprocessing import scale
    >>> from svsieve import SVC, validate
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X, order = scale(X), [27, 20, 23, 7, 22]
    >>> validate(order, SVC(kernel="linear"), X, y, sizes=[1, 3, 5]).mean().round(2)
    array([0.91, 0.95, 0.95])
    >>> validate(order, KNeighborsClassifier(), X, y, sizes=[1, 3, 5]).mean().round(2)
    array([0.9 , 0.94, 0.94])
    """
    if not has_method(estimator, "fit"):
        shown = estimator.__name__ if isinstance(estimator, type) else repr(estimator)
        raise TypeError(
            "The 'estimator' parameter of validate must be an object that scikit-learn can fit and "
            f"score, such as svsieve.SVC(). Got {shown} instead."
        )
    X, y, groups = indexable(X if hasattr(X, "shape") else np.asarray(X), y, groups)
    labels = np.asarray(y)
    classifies = bool(is_classifier(estimator))
    if classifies:
        check_classification_targets(labels)
    splitter = check_cv(cv, labels, classifier=classifies)
    splits = [(np.asarray(a), np.asarray(b)) for a, b in splitter.split(X, labels, groups)]
    n_columns = int(X.shape[1])
    rankings = _rankings(path, len(splits), n_columns)
    tried = _sizes(sizes, rankings)
    weights = None
    if sample_weight is not None:
        weights = _weights(sample_weight, len(labels), estimator)
    fold = _Fold(
        X,
        labels,
        weights,
        estimator,
        Scoring.of(scoring, estimator),
        tried[::-1],
        return_train_score,
        None,
    )
    fold = fold.followed(max(len(train) for train, _ in splits))
    jobs = [
        (f"fold {k + 1}", (fold.scores, (ranking.order, *split)))
        for k, (ranking, split) in enumerate(zip(rankings, splits, strict=True))
    ]
    judged = results(jobs, n_jobs)
    _warn(max(gap for _, gap in judged), estimator)
    largest = np.unique(labels, return_counts=True)[1].max() if classifies else None
    return _curve(
        [scores for scores, _ in judged],
        tried,
        n_columns,
        None if largest is None else float(largest / len(labels)),
    )


@dataclass(frozen=True)
class Scoring:
    """The metrics asked for, and how a fitted estimator is scored by them.

    Attributes
    ----------
    scorer : callable
        Of estimator, rows and targets; it returns a number, or a dict of them.
    name : str
        Of the metric, if there is one.
    metrics : tuple of Metric
        One by one, if all of them look at nothing but classes or decision values; empty otherwise.
    """

    scorer: Callable[..., Any]
    name: str
    metrics: tuple[Metric, ...]

    @classmethod
    def of(cls, scoring: Any, estimator: Any) -> Scoring:
        """Return what a name, a scorer, a list of names or a dict of scorers stands for."""
        many = isinstance(scoring, Mapping | list | tuple | set)
        if many and not len(scoring):
            raise ValueError(f"scoring must name at least one metric. Got {scoring!r}.")
        name = scoring if isinstance(scoring, str) else getattr(scoring, "__name__", "score")
        scorer = check_scoring(estimator, scoring=scoring)
        named = dict(scoring) if isinstance(scoring, Mapping) else {name: scoring}
        if many and not isinstance(scoring, Mapping):
            named = {one: one for one in scoring}
        metrics = tuple(
            Metric(metric, check_scoring(estimator, scoring=one), False)
            for metric, one in named.items()
        )
        if any(
            one is not None and needs_refit(metric.scorer, estimator)
            for metric, one in zip(metrics, named.values(), strict=True)
        ):
            metrics = ()
        return cls(scorer, name, metrics)

    def __call__(self, estimator: Any, X: Any, y: NDArray[Any]) -> Scores:
        """Return the scores by the name of the metric."""
        found = self.scorer(estimator, X, y)
        if not isinstance(found, Mapping):
            found = {self.name: found}
        return {str(name): float(value) for name, value in found.items()}


# For each size, largest first: scores on held-out rows and on training rows, if these are wanted.
SizeScores = list[tuple[Scores, Scores | None]]


@dataclass(frozen=True, eq=False)
class _Fold:
    """What the folds have in common; `scores` does one of them.

    `sizes` fall; `plan` says how to follow the estimator, None that it is fitted anew.
    """

    X: Any
    y: NDArray[Any]
    weights: FloatArray | None
    estimator: Any
    scoring: Scoring
    sizes: list[int]
    with_train: bool
    plan: Plan | None

    def followed(self, n_rows: int) -> _Fold:
        """Return the fold with a plan to follow its estimator, where there is one."""
        weighed_out = self.weights is not None and bool((self.weights == 0).any())
        if not (self.scoring.metrics and is_classifier(self.estimator)) or weighed_out:
            return self
        plan = Plan.of(self.estimator, self.X, n_rows, self.sizes[0])
        if plan is None:
            return self
        table = check_array(self.X, accept_sparse="csr", dtype=np.float64, order="C")
        return replace(self, X=table, plan=plan)

    def scores(
        self, order: IndexArray, train: IndexArray, test: IndexArray
    ) -> tuple[SizeScores, float]:
        """Return the scores of all sizes, and the largest KKT gap that was not closed."""
        if self.plan is None:
            return self._refitted(order, train, test), 0.0
        return self._followed(self.plan, order, train, test)

    def _refitted(self, order: IndexArray, train: IndexArray, test: IndexArray) -> SizeScores:
        weights = None if self.weights is None else self.weights[train]
        X, Z = _safe_indexing(self.X, train), _safe_indexing(self.X, test)
        y = self.y[train]
        refit = Refit(self.estimator, (X, y, weights))
        judged = [(Z, self.y[test], None), (X, y, None)][: 2 if self.with_train else 1]

        def score(model: Any, rows: Any, labels: NDArray[Any], _: FloatArray | None) -> Scores:
            return self.scoring(model, rows, labels)

        scores = [refit.scores(order[:size], judged, score) for size in self.sizes]
        return [(held_out, trained[0] if trained else None) for held_out, *trained in scores]

    def _followed(
        self, plan: Plan, order: IndexArray, train: IndexArray, test: IndexArray
    ) -> tuple[SizeScores, float]:
        columns = np.sort(order[: self.sizes[0]])
        order = np.searchsorted(columns, order[: self.sizes[0]])
        plan = plan.on(columns)
        y, y_test = self.y[train], self.y[test]
        classes, codes = np.unique(y, return_inverse=True)
        if len(classes) < 2:
            raise ValueError(
                f"every fold needs training rows of two classes; one has only class "
                f"{classes.tolist()[0]!r}. Use fewer folds or a stratified splitter."
            )
        given = None if self.weights is None else self.weights[train]
        weights = np.ones(len(train)) if given is None else given
        specification = replace(
            plan.specification, class_weight=self._class_weight(plan.specification, classes)
        )
        tasks = two_class_problems(specification, plan.machine, classes, codes, weights)
        X, Z = plan.scaled(self.X[train][:, columns], self.X[test][:, columns], y, given)
        machines = plan.follow(X, Z, tasks, given if specification.weights_count else None)
        rules = (self.scoring.metrics, plan.machine, specification, classes)
        on_test, on_train = FoldScores(*rules, Z, y_test), FoldScores(*rules, X, y)
        found: SizeScores = []
        gap, kept = 0.0, self.sizes[0]
        for size in self.sizes:
            if size < kept:
                machines.drop(order[size:kept])
                kept = size
            decisions = machines.decisions()
            gap = max(gap, decisions.kkt_gap)
            held_out = self._named(on_test(decisions.held_out.T[None]))
            trained = self._named(on_train(decisions.train.T[None])) if self.with_train else None
            found.append((held_out, trained))
        return found, gap

    def _named(self, scores: FloatArray) -> Scores:
        names = [metric.name for metric in self.scoring.metrics]
        return dict(zip(names, scores[0].tolist(), strict=True))

    def _class_weight(self, specification: Any, classes: NDArray[Any]) -> Any:
        """The weights without those of classes that this fold has no training rows of."""
        weights = specification.class_weight
        if not isinstance(weights, dict):
            return weights
        absent = set(np.unique(self.y).tolist()) - set(classes.tolist())
        return {label: weight for label, weight in weights.items() if label not in absent}


@dataclass(frozen=True, eq=False)
class _Ranking:
    """Columns, best first; the sizes it visits; the least size at which its order is known."""

    order: IndexArray
    sizes: IndexArray
    least: int = 1

    @classmethod
    def of(cls, given: Any, n_columns: int) -> _Ranking:
        if isinstance(given, Path):
            if given.n_columns != n_columns:
                raise ValueError(
                    f"path ranks {given.n_columns} columns, X has {n_columns}; both must have the "
                    "same columns."
                )
            unordered = bool(np.isnan(given.survivor_scores).any())
            least = len(given.survivors) if unordered else 1
            return cls(given.order, given.sizes[given.sizes > 0], least)
        order = index_vector(given, "path", n_columns)
        if not len(order):
            raise ValueError("path must name at least one column.")
        distinct_indices(order, "path", n_columns)
        return cls(order, np.arange(1, len(order) + 1))


def _rankings(path: Any, n_folds: int, n_columns: int) -> list[_Ranking]:
    """Return the ranking of each fold."""
    several = isinstance(path, list | tuple) and any(not np.isscalar(one) for one in path)
    if not several:
        return [_Ranking.of(path, n_columns)] * n_folds
    if len(path) != n_folds:
        raise ValueError(
            f"path must be one ranking, or one for each of {n_folds} folds. Got {len(path)}."
        )
    return [_Ranking.of(one, n_columns) for one in path]


def _sizes(sizes: Iterable[int] | None, rankings: Sequence[_Ranking]) -> list[int]:
    """Return the sizes to try, ascending."""
    longest = min(len(ranking.order) for ranking in rankings)
    least = max(ranking.least for ranking in rankings)
    if sizes is None:
        visited = np.unique(np.concatenate([ranking.sizes for ranking in rankings]))
        return [int(size) for size in visited if least <= size <= longest]
    given = np.atleast_1d(np.asarray(list(sizes) if not np.isscalar(sizes) else sizes))
    found = np.unique(index_vector(given, "sizes", 2**62))
    if not len(found) or found[0] < 1 or found[-1] > longest:
        raise ValueError(
            f"sizes must be from 1 to {longest}, the columns ranked. Got {given.tolist()}."
        )
    if found[0] < least:
        raise ValueError(
            f"the path is not finished: the order of its last {least} columns is not known. "
            f"sizes must not be below {least}. Got {int(found[0])}."
        )
    return [int(size) for size in found]


def _weights(sample_weight: ArrayLike, n_rows: int, estimator: Any) -> FloatArray:
    weights = float_vector(sample_weight, "sample_weight", n_rows)
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(bad):
        raise ValueError(
            f"sample_weight must be finite and not negative. Row {bad[0]} has {weights[bad[0]]:g}."
        )
    if not fit_weights(estimator, weights):
        raise ValueError(f"{type(estimator).__name__} takes no sample_weight.")
    return weights


def _warn(gap: float, estimator: Any) -> None:
    if gap > 0.0:
        warnings.warn(
            f"validate: {type(estimator).__name__} did not converge at some sizes; the largest KKT "
            f"gap is {gap:.3g}. Raise tol or scale the columns.",
            ConvergenceWarning,
            stacklevel=3,
        )


def _curve(
    folds: Sequence[SizeScores], sizes: list[int], n_columns: int, chance: float | None
) -> Curve:
    """Return the scores of all folds, sizes ascending, metric by metric."""
    metrics = list(folds[0][0][0])

    def tables(part: int) -> dict[str, FloatArray]:
        return {
            metric: np.array([[scores[part][metric] for scores in fold[::-1]] for fold in folds])  # type: ignore[index]
            for metric in metrics
        }

    train = None if folds[0][0][1] is None else tables(1)
    return Curve(np.array(sizes), tables(0), train, n_columns, chance)
