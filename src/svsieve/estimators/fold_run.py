"""One fold of a cross-validated elimination: everything is learned from its training rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator

from svsieve.arrays import FloatArray, IndexArray, Table
from svsieve.elimination import Data, Parts, Path
from svsieve.estimators.specification import Chain, transformed, two_class_problems
from svsieve.estimators.specification import data_of as data_of
from svsieve.resolve import Specification
from svsieve.resolve.fitting import fit_weights
from svsieve.selection.fold_scores import FoldScores, Metric
from svsieve.selection.folds import ScoredPath, follow, scores_at
from svsieve.selection.refitting import Refit


@dataclass(frozen=True, eq=False)
class Plan:
    """What all folds have in common.

    Attributes
    ----------
    chain : Chain
        The user's estimator, taken apart.
    parts : Parts
    metrics : tuple of Metric
    estimator : estimator
        The same before it was taken apart, for metrics that need it fitted at every size.
    """

    chain: Chain
    parts: Parts
    metrics: tuple[Metric, ...]
    estimator: Any


@dataclass(frozen=True, eq=False)
class Fold:
    """Rows to train on and rows to hold out.

    Attributes
    ----------
    number : int
        From 1.
    train, test : ndarray of int
    seed : int
        Of the sampler.
    """

    number: int
    train: IndexArray
    test: IndexArray
    seed: int = 0


def run_fold(
    plan: Plan, X: Table, y: NDArray[Any], weights: FloatArray | None, fold: Fold
) -> ScoredPath:
    """Eliminate columns on the training rows of a fold and score the rows held out."""
    data, parts, held_out, scores = prepared(plan, X, y, weights, fold)
    found = follow(data, parts, held_out, scores)
    return replace(found, scores=scores.completed(found.scores, found.path, found.path.sizes))


def run_sizes(
    plan: Plan,
    X: Table,
    y: NDArray[Any],
    weights: FloatArray | None,
    fold: Fold,
    path: Path,
    sizes: IndexArray,
) -> FloatArray:
    """Score the rows held out at sizes that the path of the fold did not visit."""
    data, parts, held_out, scores = prepared(plan, X, y, weights, fold)
    found = scores_at(data, parts, held_out, scores, path, sizes)
    return scores.completed(found, path, sizes)


def prepared(
    plan: Plan, X: Table, y: NDArray[Any], weights: FloatArray | None, fold: Fold
) -> tuple[Data, Parts, Table, FoldScores]:
    """Data to train on, parts, held-out rows, and how those are scored."""
    train, test = fold.train, fold.test
    if weights is not None:
        train, test = train[weights[train] > 0.0], test[weights[test] > 0.0]
    classes, codes = np.unique(y[train], return_inverse=True)
    if len(test) == 0 or len(classes) < 2:
        found = (
            "holds out no rows"
            if len(test) == 0
            else f"is trained on one class only, {classes.tolist()[0]!r}"
            if len(classes)
            else "is trained on no rows"
        )
        raise ValueError(
            f"Fold {fold.number} of the cross-validation {found} (rows of weight 0 do not count). "
            "Every fold needs two classes to train on and a row to hold out: use a stratified "
            "splitter or other folds."
        )
    chain = plan.chain
    given = None if weights is None else weights[train]
    specification = _known_classes(chain.specification, classes)
    own = np.ones(len(train)) if given is None else given
    tasks = two_class_problems(specification, chain.machine, classes, codes, own)
    counts = own if specification.weights_count else None
    rows, held_out = _scaled_alike(chain.transformers, X[train], y[train], given, X[test])
    refit = None
    if any(metric.refits for metric in plan.metrics):  # else the rows need not be kept
        refit = Refit(plan.estimator, (X[train], y[train], given))
    data = Data(rows, tasks, codes.astype(np.int64, copy=False), counts)
    scores = FoldScores(
        plan.metrics,
        chain.machine,
        specification,
        classes,
        X[test],
        y[test],
        None if weights is None else weights[test],
        refit,
    )
    return data, replace(plan.parts, seed=fold.seed), held_out, scores


def folds_of(splits: Sequence[tuple[Any, Any]], parts: Parts) -> list[Fold]:
    """Return the folds of a splitter; where rows are drawn, each has a seed of its own."""
    seeds = np.random.SeedSequence(parts.seed).generate_state(len(splits)).tolist()
    return [
        Fold(k + 1, rows_of(train), rows_of(test), seeds[k] if parts.sampler.is_random else 0)
        for k, (train, test) in enumerate(splits)
    ]


def rows_of(split: Any) -> IndexArray:
    """Return the rows of a split, given by numbers or by a mask."""
    rows = np.asarray(split)
    return np.flatnonzero(rows) if rows.dtype == np.bool_ else rows.astype(np.int64)


def _known_classes(specification: Specification, classes: NDArray[Any]) -> Specification:
    """Leave out the weights of classes that the training rows of a fold do not have."""
    weights = specification.class_weight
    if not isinstance(weights, dict):
        return specification
    known = classes.tolist()
    return replace(
        specification, class_weight={key: w for key, w in weights.items() if key in known}
    )


def _scaled_alike(
    transformers: Sequence[tuple[str, Any]],
    X: Table,
    y: NDArray[Any],
    weights: FloatArray | None,
    Z: Table,
) -> tuple[Table, Table]:
    """Training rows after transformers fitted to them, and held-out rows after the same ones."""
    for name, transformer in transformers:
        with config_context(transform_output="default"):
            fitted = clone(transformer).fit(X, y, **fit_weights(transformer, weights))
        step = [(name, FrozenEstimator(fitted))]
        X, Z = (transformed(step, table, y, None) for table in (X, Z))
    return X, Z
