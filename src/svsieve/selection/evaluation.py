"""How good a selection is on rows that took no part in it: nested cross-validation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import t as student
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils.validation import check_array, has_fit_parameter

from svsieve.arrays import FloatArray, IndexArray
from svsieve.resolve import check_integer
from svsieve.resolve.fitting import last_step
from svsieve.selection.fold_scores import MADE_SCORER
from svsieve.selection.runs import results
from svsieve.selection.stability import Stability, stability

LEVEL = 0.95


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """What nested cross-validation says about a selector.

    Attributes
    ----------
    scores : ndarray of float, one per outer fold
        On rows that neither the selection nor the choice of its settings has seen.
    n_features : ndarray of int, one per outer fold
        Columns selected.
    supports : ndarray of bool, shape (n_folds, n_columns)
        Which ones.
    stability : Stability or None
        How much those sets agree; None with one fold.
    selection_scores : ndarray of float, one per outer fold
        What the selector itself says of its choice, from its own cross-validation; nan where it has
        none. The best of many scores, it is too good on average: `optimism` says by how much.
    interval : tuple of two floats
        95% confidence interval of the mean score. Folds share training rows, so their spread alone
        would make it too narrow; it has Nadeau and Bengio's correction.
    permuted : ndarray of float, shape (n_permutations, n_folds), or None
        Scores of the same procedure where labels were permuted and there is nothing to be found.
        They should lie around `chance`; a leak from held-out rows into the selection lifts them.
    chance : float or None
        The score of always saying the largest class, where the metric is known to have one.
    metric : str
    """

    scores: FloatArray
    n_features: IndexArray
    supports: NDArray[np.bool_]
    stability: Stability | None
    selection_scores: FloatArray
    interval: tuple[float, float]
    permuted: FloatArray | None = None
    chance: float | None = None
    metric: str = "score"

    @property
    def mean(self) -> float:
        """Mean score over the outer folds."""
        return float(self.scores.mean())

    @property
    def optimism(self) -> float:
        """How much better the selector thinks of its choice than held-out rows do, on average."""
        return float(self.selection_scores.mean() - self.scores.mean())

    def __repr__(self) -> str:
        low, high = self.interval
        return (
            f"Evaluation({self.metric}={self.mean:.4g} ({low:.4g} to {high:.4g}), "
            f"folds={len(self.scores)}, n_features={self.n_features.tolist()})"
        )

    def summary(self) -> str:
        """Return a few lines for people."""
        low, high = self.interval
        lines = [
            f"{self.metric} {self.mean:.4g} on held-out rows (95% interval {low:.4g} to "
            f"{high:.4g}, {len(self.scores)} folds)",
            f"{np.median(self.n_features):g} columns selected in the median, from "
            f"{self.n_features.min()} to {self.n_features.max()}",
        ]
        if np.isfinite(self.optimism):
            lines.append(
                f"the selection's own estimate is {self.selection_scores.mean():.4g}, "
                f"{abs(self.optimism):.2g} too {'high' if self.optimism >= 0 else 'low'}"
            )
        if self.stability is not None:
            lines.append(str(self.stability))
        if self.permuted is not None:
            chance = "" if self.chance is None else f"; chance is {self.chance:.4g}"
            lines.append(f"with permuted labels {self.permuted.mean():.4g}{chance}")
        return "\n".join(lines)


def evaluate(
    selector: Any,
    X: Any,
    y: ArrayLike,
    *,
    estimator: Any = None,
    cv: Any = 5,
    inner_cv: Any = None,
    scoring: Any = None,
    n_jobs: int | None = None,
    groups: ArrayLike | None = None,
    permute: bool | int = False,
    random_state: int | None = 0,
) -> Evaluation:
    """Estimate how well a selection of columns does on new rows, by nested cross-validation.

    The whole selection is done anew on the training rows of every outer fold, with its own
    cross-validation inside where it has one, and judged on rows it has not seen. Scores of rows
    that took part in a selection are too good: on pure noise with many columns they come close to
    perfection.

    Parameters
    ----------
    selector : estimator
        Anything that follows scikit-learn and says what it selected by `get_support` or `support_`:
        `SVMRFECV`, `SVMRFE`, scikit-learn's RFECV, a Pipeline with a SelectKBest in it, a
        GridSearchCV around one of them (then C and gamma are chosen inside, too).
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,)
        Their targets.
    estimator : estimator, optional
        What is fitted on the columns selected and scored. By default the selector itself, which
        must then have `predict`.
    cv : int, splitter or iterable of splits, default=5
        Outer folds.
    inner_cv : int or splitter, optional
        Inner folds: the parameter `cv` of the selector, and of what it is made of.
    scoring : str or callable, optional
        Metric of the outer folds; by default the `score` method of what is scored. A function
        ``scoring(estimator, X, y)`` of one's own is given what was fitted on the columns selected,
        `estimator` or the `estimator_` of the selector, and rows with those columns alone; of a
        pipeline or a search it is given the whole and all columns, as in `cross_val_score`.
    n_jobs : int, optional
        Outer folds that run side by side, by joblib.
    groups : array-like of shape (n_samples,), optional
        Groups of rows for the outer splitter, and for the selector where its `fit` takes them.
    permute : bool or int, default=False
        How many times to do it all again with permuted labels, as a check of the procedure; True is
        once.
    random_state : int, optional
        Seed of the permutations.

    Returns
    -------
    Evaluation

    References
    ----------
    C. Ambroise, G. J. McLachlan (2002). Selection bias in gene extraction on the basis of
    microarray gene-expression data. PNAS 99.
    C. Nadeau, Y. Bengio (2003). Inference for the generalization error. Machine Learning 52.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve import SVMRFECV, evaluate
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(60, 200)), np.arange(60) % 2
    >>> evaluate(SVMRFECV(step=0.5, cv=4), X, y, cv=4).mean < 0.65
    True
    >>> X[:, 3] += 3 * y
    >>> found = evaluate(SVMRFECV(step=0.5, cv=4), X, y, cv=4)
    >>> found.mean > 0.8, found.supports[:, 3]
    (True, array([ True,  True,  True,  True]))
    """
    if isinstance(selector, type) or not hasattr(selector, "fit"):
        raise ValueError(
            f"selector must be an estimator that selects columns, with fit. Got {selector!r}."
        )
    if estimator is None and not hasattr(selector, "predict"):
        raise ValueError(
            f"{type(selector).__name__} selects columns but does not predict: give the estimator "
            "to be fitted on them, evaluate(..., estimator=...)."
        )
    repeats = _permutations(permute)
    X, y, groups = indexable(X if hasattr(X, "shape") else np.asarray(X), y, groups)
    labels = np.asarray(y)
    scored = selector if estimator is None else estimator
    scorer = check_scoring(scored, scoring=scoring)
    looks_inside = scoring is not None and not isinstance(scorer, MADE_SCORER)
    procedure = _Procedure(_with_inner(selector, inner_cv), estimator, scorer, looks_inside)
    rng = np.random.default_rng(random_state)
    targets = [labels, *(rng.permutation(labels) for _ in range(repeats))]
    classifies = bool(is_classifier(scored))
    splits = [
        list(check_cv(cv, target, classifier=classifies).split(X, target, groups))
        for target in targets
    ]
    jobs = [
        (_fold_name(k, len(folds), repeat), (procedure.outcome, (X, target, groups, *split)))
        for repeat, (target, folds) in enumerate(zip(targets, splits, strict=True))
        for k, split in enumerate(folds)
    ]
    found = results(jobs, n_jobs)
    n = len(splits[0])
    honest, rest = found[:n], found[n:]
    found_permuted = np.array([one.score for one in rest]).reshape(repeats, -1) if repeats else None
    metric = metric_name(scoring, scored)
    chance = chance_of(metric, labels) if classifies else None
    return evaluation_of(honest, splits[0], metric, chance, found_permuted)


def _fold_name(fold: int, n_folds: int, repeat: int) -> str:
    """An outer fold, of several, for an exception; the first time labels are not permuted."""
    permuted = f" with labels permuted, time {repeat}" if repeat else ""
    return f"outer fold {fold + 1}{permuted}" if n_folds > 1 else ""


@dataclass(frozen=True, eq=False)
class Outcome:
    """One outer fold: its score, the columns selected, what the selector said of them."""

    score: float
    support: NDArray[np.bool_]
    claimed: float


@dataclass(frozen=True, eq=False)
class _Procedure:
    """What is done on every outer fold."""

    selector: Any
    estimator: Any
    scorer: Any
    looks_inside: bool

    def outcome(
        self, X: Any, y: NDArray[Any], groups: Any, train: IndexArray, test: IndexArray
    ) -> Outcome:
        rows, held_out = _safe_indexing(X, train), _safe_indexing(X, test)
        inner = {}
        if groups is not None and has_fit_parameter(self.selector, "groups"):
            inner = {"groups": _safe_indexing(groups, train)}
        model = clone(self.selector).fit(rows, y[train], **inner)
        support = support_of(model, X.shape[1])
        columns = np.flatnonzero(support)
        if self.estimator is None:
            score = self._of_itself(model, columns, held_out, y[test])
        else:
            if not len(columns):
                raise ValueError(
                    f"{type(model).__name__} selected none of the {len(support)} columns on the "
                    "training rows of a fold: there is nothing to fit the estimator on."
                )
            kept, left = (_safe_indexing(table, columns, axis=1) for table in (rows, held_out))
            score = self.scorer(clone(self.estimator).fit(kept, y[train]), left, y[test])
        return Outcome(float(score), support, _claimed(model))

    def _of_itself(self, model: Any, columns: IndexArray, X: Any, y: NDArray[Any]) -> Any:
        """The score of a selector that predicts by an estimator fitted on the columns selected.

        For scorers that ask for predictions only it is the same whether they see the selector and
        all columns or that estimator and those columns; others should see what is used.
        """
        inner = getattr(model, "estimator_", None)
        itself = getattr(inner, "n_features_in_", None) == len(columns)
        if not (self.looks_inside and itself):
            return self.scorer(model, X, y)
        kept = _safe_indexing(X, columns, axis=1)
        if not hasattr(inner, "feature_names_in_"):
            kept = check_array(kept, accept_sparse=True, dtype=None, ensure_all_finite=False)
        return self.scorer(inner, kept, y)


def support_of(model: Any, n_columns: int) -> NDArray[np.bool_]:
    """Return the columns that a fitted selector, pipeline or search has selected, as a mask.

    Parameters
    ----------
    model : fitted estimator
    n_columns : int
        Columns it was given.

    Returns
    -------
    ndarray of bool, shape (n_columns,)
    """
    columns = _selected(model, np.arange(n_columns))
    if columns is None:
        raise ValueError(
            f"{type(model).__name__} does not say which columns it selected: it needs get_support "
            "or support_, and steps before it in a pipeline must leave every column a column."
        )
    mask = np.zeros(n_columns, dtype=bool)
    mask[columns] = True
    return mask


def _selected(model: Any, columns: IndexArray) -> IndexArray | None:
    """Columns left after a model, of those given to it; None where it selects none."""
    if hasattr(model, "best_estimator_"):
        return _selected(model.best_estimator_, columns)
    if isinstance(model, Pipeline):
        found = None
        for _, step in model.steps:
            after = None if isinstance(step, str) or step is None else _selected(step, columns)
            if after is not None:
                found = columns = after
            elif getattr(step, "n_features_in_", len(columns)) != len(columns):
                return None
        return found
    if hasattr(model, "get_support"):
        mask = model.get_support()
    else:
        mask = getattr(model, "support_", None)
    mask = np.asarray(mask)
    # The `support_` of a support vector machine names rows.
    return columns[mask] if mask.dtype == np.bool_ and mask.shape == columns.shape else None


def _claimed(model: Any) -> float:
    """The score that a selector's own cross-validation gives its choice; nan if it has none."""
    if isinstance(model, Pipeline):
        claims = [_claimed(step) for _, step in model.steps]
        known = [claim for claim in claims if np.isfinite(claim)]
        return known[-1] if known else float("nan")
    if hasattr(model, "best_score_"):
        return float(model.best_score_)
    results, size = getattr(model, "cv_results_", None), getattr(model, "n_features_", None)
    if results is None or size is None or "n_features" not in results:
        return float("nan")
    means = [results[name] for name in results if name.startswith("mean_test_")]
    at = np.flatnonzero(np.asarray(results["n_features"]) == size)
    return float(means[0][at[0]]) if means and len(at) else float("nan")


def _with_inner(selector: Any, inner_cv: Any) -> Any:
    """Return the selector with other folds of its own."""
    if inner_cv is None:
        return selector
    names = [name for name in selector.get_params() if name == "cv" or name.endswith("__cv")]
    if not names:
        raise ValueError(
            f"inner_cv has nothing to act on: neither {type(selector).__name__} nor what it is "
            "made of has a parameter 'cv'."
        )
    return clone(selector).set_params(**dict.fromkeys(names, inner_cv))


def evaluation_of(
    outcomes: Sequence[Outcome],
    splits: Sequence[tuple[IndexArray, IndexArray]],
    metric: str,
    chance: float | None = None,
    permuted: FloatArray | None = None,
) -> Evaluation:
    """Return what the outcomes of all outer folds say together.

    Parameters
    ----------
    outcomes : sequence of Outcome
    splits : sequence of (train, test)
        The rows of the folds.
    metric : str
    chance, permuted
        As in :class:`Evaluation`.
    """
    supports = np.array([outcome.support for outcome in outcomes])
    scores = np.array([outcome.score for outcome in outcomes])
    shares = [len(test) / len(train) for train, test in splits]
    return Evaluation(
        scores=scores,
        n_features=supports.sum(axis=1),
        supports=supports,
        stability=stability(supports) if len(outcomes) > 1 else None,
        selection_scores=np.array([outcome.claimed for outcome in outcomes]),
        interval=_interval(scores, float(np.mean(shares))),
        permuted=permuted,
        chance=chance,
        metric=metric,
    )


def _permutations(permute: Any) -> int:
    if isinstance(permute, bool | np.bool_):
        return int(permute)
    return check_integer("evaluate", "permute", permute, at_least=0)


def metric_name(scoring: Any, estimator: Any = None) -> str:
    """Return the name of a metric; without one, of that by which an estimator scores itself.

    Parameters
    ----------
    scoring : str, callable or None
    estimator : estimator, optional
    """
    if scoring is None:
        scoring = getattr(last_step(estimator), "scoring", None)
        if scoring is None:
            return "accuracy" if is_classifier(estimator) else "score"
        if isinstance(scoring, Mapping | list | tuple):
            first = next(iter(scoring))
            refit = getattr(estimator, "refit", None)  # of a search with several metrics
            return str(refit if isinstance(refit, str) else first)
    return scoring if isinstance(scoring, str) else str(getattr(scoring, "__name__", "score"))


def chance_of(metric: str, labels: NDArray[Any]) -> float | None:
    """Return the score of always saying the largest class, for metrics that are known."""
    counts = np.unique(labels, return_counts=True)[1]
    known = {
        "accuracy": float(counts.max() / counts.sum()),
        "balanced_accuracy": 1.0 / len(counts),
        "roc_auc": 0.5,
    }
    return known.get(metric)


def _interval(scores: FloatArray, test_share: float) -> tuple[float, float]:
    """Interval of the mean, its variance that of the scores times (1 / folds + test / training)."""
    n = len(scores)
    if n < 2:
        return float("nan"), float("nan")
    deviation = float(scores.std(ddof=1)) * np.sqrt(1.0 / n + test_share)
    reach = float(student.ppf(0.5 + LEVEL / 2.0, n - 1)) * deviation
    mean = float(scores.mean())
    return mean - reach, mean + reach
