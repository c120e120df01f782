"""Recursive elimination whose number of columns is chosen by cross-validation."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import check_cv
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter, MethodMapping
from sklearn.utils.validation import check_is_fitted

from svsieve.arrays import IndexArray
from svsieve.elimination import Path, Sampler
from svsieve.estimators.callbacks import Watch, watched
from svsieve.estimators.eliminations import Eliminations, Training
from svsieve.estimators.fold_curve import FoldResults, ranking_at
from svsieve.estimators.fold_run import Plan, folds_of
from svsieve.estimators.kept_runs import run_kept
from svsieve.estimators.specification import Chain, fitted_on, transformed
from svsieve.estimators.svmrfe import SVMRFE
from svsieve.estimators.validation import (
    class_codes,
    prediction_rows,
    rows_in_use,
    sample_weights,
    training_rows,
)
from svsieve.resolve import check_integer, refusal
from svsieve.selection import Choice, Curve, Rule, Stability, stability
from svsieve.selection.fold_scores import resolve_metrics
from svsieve.selection.folds import ScoredPath
from svsieve.selection.rules import resolve_rule
from svsieve.store import RunStore


class SVMRFECV(SVMRFE):
    """Rank columns by recursive elimination and choose how many to keep by cross-validation.

    Columns are eliminated once per fold, on its training rows, and once on all rows. Each step of a
    fold has a machine already: the rows held out are scored with it, and nothing is fitted twice. A
    rule chooses a size from the curve of scores; the columns are those the elimination on all rows
    had left at that size. A drop-in for scikit-learn's ``RFECV(SVC(...))`` that takes any kernel.

    Parameters
    ----------
    estimator : svsieve.SVC, sklearn.svm.SVC, sklearn.svm.LinearSVC or Pipeline, default=None
        What to rank with, and what `estimator_` will be: ``SVC(kernel="linear")`` by default. The
        transformers of a pipeline are fitted to the training rows of each fold.
    step : int, float, str, list of int or schedule, default=1
        Columns dropped per step, as in :class:`SVMRFE`.
    cv : int, splitter or iterable of splits, default=5
        Folds, as everywhere in scikit-learn; an int stratifies.
    scoring : str, callable, list or dict, default="accuracy"
        Metric of held-out rows, or several of them, of which the first chooses; see the notes.
    rule : {"best", "one-se", "tolerance", "knee", "scalarised"} or Rule, default="best"
        How a size is chosen from the curve, see :mod:`svsieve.rules`.
    min_features_to_select : int, default=1
        Columns at which eliminations end, and the least that are kept.
    criterion, sampler, stop, combine, keep, spare
        Parts of the elimination, as in :class:`SVMRFE`. Where steps are trained on drawn rows, the
        machines of those draws are scored, several by the mean of their decision values.
    random_state : int, RandomState instance or None, default=None
        Seed of the sampler; every fold has one of its own.
    checkpoint : str or path, default=None
        File of a :class:`RunStore` in which every elimination is kept when it is done: a fit with
        the same data and options goes on where a killed one ended, to the same result, also with
        another `rule`.
    n_jobs : int, default=None
        Eliminations that run side by side, by joblib.
    progress : bool, default=False
        Say on stderr how many eliminations are done and how long the others may take.

    Attributes
    ----------
    n_features_ : int
        Number of columns kept.
    choice_ : Choice
        That number, and one sentence why.
    support_ : ndarray of bool, shape (n_features_in_,)
        The columns kept.
    ranking_ : ndarray of int, shape (n_features_in_,)
        1 for the columns kept, 2 for those dropped in the step before, and so on.
    curve_ : Curve
        Scores of every fold, size and metric. They helped to choose the size, so the best of them
        is no estimate for new rows: that is what :func:`svsieve.evaluate` is for.
    cv_results_ : mapping of str to ndarray
        The same as in scikit-learn's RFECV: ``n_features``, ``mean_test_score``,
        ``std_test_score``, ``split0_test_score``, ... With several metrics their names stand in the
        place of ``score``. ``split0_support`` and ``split0_ranking``, which columns fold 0 had left
        at each size, are made when they are asked for: they are large where columns are many.
    path_ : Path
        The elimination on all rows.
    paths_ : list of Path
        Those of the folds.
    stability_ : Stability or None
        How much the columns agree that the folds have left at the size chosen; None with one fold.
    estimator_ : estimator
        The user's estimator, fitted on the columns kept.
    classes_ : ndarray
        Labels, from `estimator_`.
    n_features_in_ : int
        Columns seen in `fit`.
    feature_names_in_ : ndarray of str, shape (n_features_in_,)
        Their names, where X has column names that are all strings.

    Notes
    -----
    Metrics by name, and what `make_scorer` returns, that ask for classes or decision values are
    answered by the machines of the elimination. Any other scorer, a function
    ``scoring(estimator, X, y)`` or one that asks for probabilities, is given what RFECV gives it:
    at every size the estimator fitted anew on the columns left, and held-out rows with those
    columns alone, which a pipeline is yet to transform by what it learned from the training rows.
    That takes a fit per fold and size. Where the steps of an elimination draw rows, these fits have
    all training rows of the fold.

    A row of weight 2 counts as two equal rows throughout: where it is trained on, and where it is
    held out and the metric takes weights.

    With scikit-learn 1.9 or later ``set_callbacks`` takes its callbacks, such as
    ``sklearn.callback.ProgressBar``. They are told of every elimination when it is done, and cannot
    stop any.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from svsieve import SVC, SVMRFECV, rules
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> machine = make_pipeline(StandardScaler(), SVC(kernel="linear"))
    >>> selector = SVMRFECV(machine, rule=rules.Tolerance(0.01), cv=4).fit(X, y)
    >>> print(selector.choice_.reason)
    11 columns are the smallest size with a mean accuracy (0.9666) at most 0.01 below the best,
    0.9754 with 28.
    >>> selector.select(3).transform(X).shape
    (569, 3)
    """

    choice_: Choice
    curve_: Curve
    cv_results_: FoldResults
    paths_: list[Path]
    stability_: Stability | None

    # `groups` is for the splitter and nobody else.
    __metadata_request__fit: ClassVar[dict[str, Any]] = {"groups": UNUSED}

    # A parameter of SVMRFE that has no meaning here.
    n_features_to_select = None

    # Sizes are chosen by what held-out rows of two or more classes say.
    _takes_one_class: ClassVar[bool] = False

    def __init__(
        self,
        estimator: Any = None,
        *,
        step: Any = 1,
        cv: Any = 5,
        scoring: Any = "accuracy",
        rule: Any = "best",
        min_features_to_select: int = 1,
        criterion: Any = "weight",
        sampler: Any = None,
        stop: Any = None,
        combine: Any = "sum",
        keep: Sequence[str] | Sequence[int] | NDArray[Any] | None = None,
        spare: Any = None,
        random_state: int | np.random.RandomState | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> None:
        self.estimator = estimator
        self.step = step
        self.cv = cv
        self.scoring = scoring
        self.rule = rule
        self.min_features_to_select = min_features_to_select
        self.criterion = criterion
        self.sampler = sampler
        self.stop = stop
        self.combine = combine
        self.keep = keep
        self.spare = spare
        self.random_state = random_state
        self.checkpoint = checkpoint
        self.n_jobs = n_jobs
        self.progress = progress

    def fit(  # type: ignore[override]  # folds are scored by classes, so y is needed
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Eliminate columns in every fold and on all rows, choose a size, fit the estimator.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,), optional
            Non-negative factors of C per row; see the notes. Rows of weight 0 are left out.
        groups : array-like of shape (n_samples,), optional
            Groups of rows, for a splitter such as GroupKFold.

        Returns
        -------
        SVMRFECV
            The fitted estimator.
        """
        work = self._prepared(X, y, sample_weight, groups)
        return self._concluded(work, *self._eliminated(work))

    def select(
        self,
        choice: int | str | Rule,
        X: Any = None,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Choose another size; nothing but `estimator_` is fitted again.

        Parameters
        ----------
        choice : int, str or Rule
            The number of columns to keep, or a rule as in the parameter `rule`.
        X, y, sample_weight : optional
            The training rows again, as given to `fit`. Needed only where they were left behind: an
            estimator that was pickled does not carry them.

        Returns
        -------
        SVMRFECV
            The estimator with another `n_features_`, `support_`, `ranking_`, `stability_`,
            `choice_` and `estimator_`.
        """
        check_is_fitted(self, "support_")
        if isinstance(choice, str | Rule):
            chosen = resolve_rule(choice, owner=f"{type(self).__name__}.select")
            made = chosen.choose(self.curve_)
        else:
            made = Choice(self._checked_size(choice), "The number of columns was asked for.")
        if X is not None:
            training = self._again(X, y, sample_weight)
        elif getattr(self, "_training", None) is not None:
            training = cast(Training, self._training)
        else:
            raise ValueError(
                f"{type(self).__name__}.select needs the training rows to fit the estimator on "
                "the columns chosen, and this one was loaded without them. Give them again: "
                "select(choice, X, y)."
            )
        self._settle(made, training)
        return self

    def get_metadata_routing(self) -> Any:
        """Return what metadata `fit` takes: `sample_weight`, and `groups` for the splitter.

        Scorers that ask for `sample_weight` are given those of `fit`.

        Returns
        -------
        MetadataRouter
            The requests of this estimator and of the splitter.
        """
        router = MetadataRouter(owner=self)
        router.add_self_request(super().get_metadata_routing())
        router.add(
            splitter=check_cv(self.cv, classifier=True),
            method_mapping=MethodMapping().add(caller="fit", callee="split"),
        )
        return router

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())
        if "_training" in state:
            state["_training"] = None
        return state

    # ---- parameters

    def _least(self, n_columns: int, keep: IndexArray) -> int:
        asked = int(self.min_features_to_select)
        if asked > n_columns:
            warnings.warn(
                f"min_features_to_select={asked} > n_features={n_columns}: no column of X is "
                "dropped.",
                UserWarning,
                stacklevel=5,
            )
        return max(min(asked, n_columns), len(keep))

    def _check_parameters(self) -> tuple[Chain, dict[str, Any]]:
        least = self.min_features_to_select
        check_integer(type(self).__name__, "min_features_to_select", least, at_least=1)
        checked = super()._check_parameters()
        resolve_metrics(self.scoring, self._estimator(), owner=type(self).__name__)
        return checked

    def _names(self) -> tuple[str, ...] | None:
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else tuple(str(name) for name in names)

    # ---- running

    def _prepared(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None
    ) -> Eliminations:
        """Check everything and say what is to be run."""
        chain, options = self._check_parameters()
        metrics = resolve_metrics(self.scoring, self._estimator(), owner=type(self).__name__)
        resolve_rule(self.rule, owner=type(self).__name__)
        X, y = training_rows(self, X, y)
        classes, codes = class_codes(self, y)
        given = sample_weight
        if sample_weight is not None:
            given = sample_weights(sample_weight, classes, codes)
        parts = self._parts(chain, options, X.shape[1])
        splitter = check_cv(self.cv, y, classifier=True)
        splits = list(splitter.split(X, y, groups))
        if not splits:
            raise refusal(type(self).__name__, "cv", "a way to make at least one fold", self.cv)
        folds = folds_of(splits, parts)
        rows, labels, codes, factors = rows_in_use(given, classes, X, y, codes)
        plan = Plan(chain, parts, metrics, self._estimator())
        training = (rows, labels, factors)
        return Eliminations(plan, (X, y, given), training, classes, codes, folds)

    def _eliminated(self, work: Eliminations) -> tuple[Path, list[ScoredPath]]:
        """Run the elimination on all rows and those of the folds."""
        n_tasks = len(work.folds) + 1

        def run(watch: Watch | None) -> list[Any]:
            done = None if watch is None else watch.done
            what, shown = "eliminations", bool(self.progress)
            with self._store(work) or nullcontext() as store:
                found = run_kept(
                    work.named_jobs(), store, self.n_jobs, what=what, shown=shown, done=done
                )
            return list(found.values())

        path, *judged = watched(self, run, *work.table[:2], n_tasks=n_tasks, task="elimination")
        return path, judged

    def _concluded(self, work: Eliminations, path: Path, judged: list[ScoredPath]) -> Self:
        """Take what the eliminations have found, choose a size and fit the estimator there."""
        self.path_ = replace(path, column_names=self._names())
        self.paths_ = [replace(one.path, column_names=self._names()) for one in judged]
        chain, (X, y, _) = work.plan.chain, work.training
        for one in (self.path_, *self.paths_):
            self._judge(
                one, chain, work.plan.parts, lambda: transformed(chain.transformers, X, y, None)
            )
        self.curve_ = work.curve(path, judged, self.n_jobs)
        self.cv_results_ = FoldResults(self.curve_, self.paths_)
        self._training: Training | None = work.training
        rule = resolve_rule(self.rule, owner=type(self).__name__)
        self._settle(rule.choose(self.curve_), work.training)
        return self

    def _store(self, work: Eliminations) -> RunStore | None:
        """The store of the checkpoint, for the parameters that eliminations depend on."""
        if self.checkpoint is None:
            return None
        others = ("rule", "cv", "n_jobs", "progress", "checkpoint", "random_state")
        options = {k: v for k, v in self.get_params(deep=False).items() if k not in others}
        return RunStore(self.checkpoint, work.fingerprint(options, work.plan.parts.seed))

    def _seed(self, sampler: Sampler) -> int:
        if sampler.is_random and self.checkpoint is not None and self.random_state is None:
            raise refusal(
                type(self).__name__,
                "random_state",
                "an int where there is a checkpoint, so that the same rows are drawn again",
                None,
            )
        return super()._seed(sampler)

    # ---- choosing

    def _checked_size(self, size: Any) -> int:
        owner, n_columns = f"{type(self).__name__}.select", self.path_.n_columns
        least = int(self.path_.sizes[-1])
        if check_integer(owner, "choice", size, at_least=1) not in range(least, n_columns + 1):
            raise refusal(
                owner,
                "choice",
                f"a number of columns from {least}, at which the elimination ended, to {n_columns}",
                size,
            )
        return int(size)

    def _again(self, X: Any, y: Any, sample_weight: Any) -> Training:
        """Check training rows that are given once more."""
        if y is None:
            raise ValueError(f"{type(self).__name__}.select needs y where it is given X.")
        X, labels = prediction_rows(self, X), np.asarray(y).ravel()
        if len(labels) != X.shape[0]:
            raise ValueError(
                f"y must have one label for each of the {X.shape[0]} rows of X. Got {len(labels)}."
            )
        classes, codes = class_codes(self, labels)
        X, labels, _, weights = rows_in_use(sample_weight, classes, X, labels, codes)
        return X, labels, weights

    def _settle(self, choice: Choice, training: Training) -> None:
        """Cut the path at a size and fit the estimator there."""
        n_columns = self.path_.n_columns
        support = np.zeros(n_columns, dtype=bool)
        support[self.path_.top(choice.size)] = True
        masks = np.zeros((len(self.paths_), n_columns), dtype=bool)
        for mask, path in zip(masks, self.paths_, strict=True):
            mask[path.top(choice.size)] = True
        estimator = fitted_on(self._estimator(), np.flatnonzero(support), *training)
        self.estimator_ = estimator
        self.choice_, self.n_features_ = choice, choice.size
        self.support_, self.ranking_ = support, ranking_at(self.path_, choice.size)
        self.stability_ = stability(masks) if len(masks) > 1 else None
