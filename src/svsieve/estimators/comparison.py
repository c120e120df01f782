"""Several ways to select columns, judged on the same outer folds."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import FitFailedWarning
from sklearn.feature_selection import RFECV, SelectFromModel, SelectKBest
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC as SklearnSVC
from sklearn.svm import LinearSVC

from svsieve.arrays import IndexArray
from svsieve.criteria import fisher_score
from svsieve.estimators.analysing.settings import Settings
from svsieve.estimators.analysing.units import Watch, counter
from svsieve.estimators.feature_scaling import FeatureScaling
from svsieve.estimators.kept_runs import run_kept
from svsieve.estimators.side_by_side import Job
from svsieve.estimators.svc import SVC
from svsieve.estimators.svmrfecv import SVMRFECV
from svsieve.reports.sentences import SHARES
from svsieve.selection.evaluation import (
    Evaluation,
    Outcome,
    chance_of,
    evaluate,
    evaluation_of,
    metric_name,
)
from svsieve.store import RunStore, settings_key
from svsieve.store.digests import described, digest, table_bytes

# Numbers of columns that a filter tries, and penalties of a machine with few weights.
MOST_SIZES = 12
PENALTIES = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
# Steps that scikit-learn's elimination makes: each costs it a fit per inner fold.
RFECV_STEPS = 50

Split = tuple[IndexArray, IndexArray]


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """What :func:`compare` has found.

    Attributes
    ----------
    evaluations : dict of str to Evaluation
        By the names of the selectors.
    seconds : dict of str to float
        What all folds of a selector took, one after another.
    """

    evaluations: dict[str, Evaluation]
    seconds: dict[str, float]

    def __repr__(self) -> str:
        means = ", ".join(f"{name}: {one.mean:.4g}" for name, one in self.evaluations.items())
        return f"Comparison({means})"

    @property
    def metric(self) -> str:
        """Name of the metric."""
        return next(iter(self.evaluations.values())).metric

    def rows(self) -> list[dict[str, Any]]:
        """Return a line per selector, that of the best mean score first."""
        lines = [
            {
                "selector": name,
                "score": one.mean,
                "low": _within(one)[0],
                "high": _within(one)[1],
                "columns": float(np.median(one.n_features)),
                "stability": float("nan") if one.stability is None else one.stability.nogueira,
                "seconds": self.seconds[name],
            }
            for name, one in self.evaluations.items()
        ]
        return sorted(lines, key=lambda line: (-line["score"], line["columns"]))


def compare(
    selectors: Mapping[str, Any],
    X: Any,
    y: ArrayLike,
    *,
    folds: int = 5,
    scoring: Any = "accuracy",
    seed: int = 0,
    n_jobs: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    watch: Watch | None = None,
) -> Comparison:
    """Judge several selectors by nested cross-validation on the same outer folds.

    Parameters
    ----------
    selectors : mapping of str to estimator
        Whatever :func:`svsieve.evaluate` takes and that predicts.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,)
        Their classes.
    folds : int, default=5
        Outer folds, stratified.
    scoring : str or callable, default="accuracy"
        Metric of the outer folds, as in :func:`svsieve.evaluate`.
    seed : int, default=0
        Of the folds.
    n_jobs : int, optional
        Folds that run side by side, by joblib.
    checkpoint : str or path, optional
        File of a :class:`RunStore`; a comparison that was killed goes on from it.
    watch : callable, optional
        Called with the number of folds done and the number of all.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from svsieve import SVC, SVMRFECV
    >>> from svsieve.estimators.comparison import compare
    >>> machines = {kernel: SVMRFECV(SVC(kernel=kernel)) for kernel in ("linear", "rbf")}
    >>> found = compare(machines, *load_iris(return_X_y=True), folds=3)
    >>> sorted(found.evaluations)
    ['linear', 'rbf']
    """
    labels = np.asarray(y)
    splitter = StratifiedKFold(folds, shuffle=True, random_state=seed)
    splits = list(splitter.split(np.zeros((len(labels), 1)), labels))
    places = {
        settings_key({"selector": name, "outer fold": k + 1}): (name, k)
        for name in selectors
        for k in range(len(splits))
    }
    jobs: dict[str, Job] = {
        key: (judged_on_fold, (selectors[name], X, labels, splits[k], scoring))
        for key, (name, k) in places.items()
    }
    opened = (
        nullcontext()
        if checkpoint is None
        else RunStore(checkpoint, _fingerprint(selectors, X, labels, splits, scoring))
    )
    with opened as store:
        found = run_kept(jobs, store, n_jobs, done=counter(len(jobs), watch))
    outcomes: dict[str, list[Outcome]] = {name: [] for name in selectors}
    seconds = dict.fromkeys(selectors, 0.0)
    for key, (name, _) in places.items():
        one, support = found[key], np.zeros(X.shape[1], dtype=bool)
        support[one["selected"]] = True
        outcomes[name].append(Outcome(one["score"], support, one["claimed"]))
        seconds[name] += one["seconds"]
    metric = metric_name(scoring)
    chance = chance_of(metric, labels)
    evaluations = {
        name: evaluation_of(mine, splits, metric, chance) for name, mine in outcomes.items()
    }
    return Comparison(evaluations, seconds)


def judged_on_fold(
    selector: Any, X: Any, y: NDArray[Any], split: Split, scoring: Any
) -> dict[str, Any]:
    """Return score, columns and time of a selector on one outer fold, as plain values."""
    begun = time.perf_counter()
    with warnings.catch_warnings():
        # Penalties that leave no column are tried too, and count as failures.
        warnings.filterwarnings("ignore", message="No features were selected")
        warnings.simplefilter("ignore", FitFailedWarning)
        one = evaluate(selector, X, y, cv=[split], scoring=scoring)
    return {
        "score": float(one.scores[0]),
        "selected": np.flatnonzero(one.supports[0]).tolist(),
        "claimed": float(one.selection_scores[0]),
        "seconds": time.perf_counter() - begun,
    }


def standard_selectors(
    n_columns: int,
    *,
    inner_folds: int = 5,
    scoring: str = "accuracy",
    seed: int = 0,
    sparse: bool = False,
) -> dict[str, Any]:
    """Return the selectors that ``svsieve compare`` compares; all choose their size inside.

    Parameters
    ----------
    n_columns : int
        Columns of the table.
    inner_folds : int, default=5
    scoring : str, default="accuracy"
        Metric of the inner folds.
    seed : int, default=0
        Of the inner folds.
    sparse : bool, default=False
        Columns are then scaled and not centred.

    Returns
    -------
    dict of str to estimator
    """
    inner = StratifiedKFold(inner_folds, shuffle=True, random_state=seed)
    settings = Settings(rule="best", scoring=scoring, inner_folds=inner_folds, seed=seed)

    def elimination(kernel: str) -> SVMRFECV:
        return settings.selector(kernel, n_columns, cv=inner, sparse=sparse)

    def chain(*steps: tuple[str, Any]) -> Pipeline:
        return Pipeline([("scale", StandardScaler(with_mean=not sparse)), *steps])

    def searched(selection: Any, **grid: Sequence[Any]) -> GridSearchCV:
        model = chain(("select", selection), ("machine", SklearnSVC(kernel="linear")))
        named = {f"select__{name}": list(values) for name, values in grid.items()}
        return GridSearchCV(model, named, cv=inner, scoring=scoring, error_score=0.0)

    step = max(1, n_columns // RFECV_STEPS)
    linear = SklearnSVC(kernel="linear")
    few_weights = LinearSVC(penalty="l1", dual=False, max_iter=100_000, random_state=seed)
    return {
        "SVM-RFE, linear": elimination("linear"),
        "SVM-RFE, Gaussian": elimination("rbf"),
        "feature scaling": FeatureScaling(
            chain(("machine", SVC(kernel="rbf", slack="l2"))), step=settings.steps("rbf", n_columns)
        ),
        "Fisher score": searched(SelectKBest(fisher_score), k=tried_sizes(n_columns)),
        "L1 machine": searched(SelectFromModel(few_weights), estimator__C=PENALTIES),
        "scikit-learn RFECV": chain(
            ("select", RFECV(linear, step=step, cv=inner, scoring=scoring))
        ),
    }


def tried_sizes(n_columns: int) -> list[int]:
    """Return about a dozen sizes, each a fixed multiple of the last.

    Examples
    --------
    >>> from svsieve.estimators.comparison import tried_sizes
    >>> tried_sizes(100)
    [1, 2, 4, 5, 8, 12, 19, 28, 43, 66, 100]
    """
    sizes = np.geomspace(1, n_columns, min(MOST_SIZES, n_columns)).round().astype(int)
    return sorted(set(sizes.tolist()))


def _within(one: Evaluation) -> tuple[float, float]:
    """The interval of the mean, which knows no limits, within those of a share."""
    low, high = one.interval
    return (max(low, 0.0), min(high, 1.0)) if one.metric in SHARES else (low, high)


def _fingerprint(
    selectors: Mapping[str, Any], X: Any, y: NDArray[Any], splits: Sequence[Split], scoring: Any
) -> dict[str, str]:
    from svsieve import __version__

    return {
        "the table": digest(table_bytes(sp.csr_array(X) if sp.issparse(X) else np.asarray(X))),
        "the target": digest(described([str(label) for label in y.tolist()])),
        "the folds": digest(described(splits)),
        "the options": digest(described([dict(selectors), scoring])),
        "the version of svsieve": __version__,
    }
