"""The best small set of columns, without settings."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from svsieve.arrays import IndexArray
from svsieve.elimination import Path, trace
from svsieve.estimators.delegation import PredictsOnSelection
from svsieve.estimators.fold_curve import ranking_at
from svsieve.estimators.fold_run import data_of
from svsieve.estimators.sieving.candidates import Candidate, candidates
from svsieve.estimators.sieving.choosing import Chosen, choose, unjudged
from svsieve.estimators.sieving.clock import Clock
from svsieve.estimators.sieving.consensus import agreed
from svsieve.estimators.sieving.nested import Estimate, Nested, nested
from svsieve.estimators.sieving.planning import folds, rows_to_rank_on, sizes_to_visit
from svsieve.estimators.sieving.trials import Problem, Trials, View, kept_last
from svsieve.estimators.sieving.words import SieveChoice, choice_in_words, doubts, report_of
from svsieve.estimators.specification import fitted_on
from svsieve.estimators.svc import SVC
from svsieve.estimators.validation import class_codes, training_rows
from svsieve.reports import Report
from svsieve.resolve import check_flag, check_real, refusal, resolve_columns
from svsieve.selection.data_warnings import data_warnings
from svsieve.selection.evaluation import Evaluation
from svsieve.selection.fold_scores import Metric, resolve_metrics

# Shares of the time allowed, where it is, at which parts of the work end.
CHOICE_ENDS, RANKING_ENDS, ESTIMATE_ENDS = 0.55, 0.65, 0.9
# Where they do not allow the estimate to repeat the race, it takes the way of ranking as given.
ONE_WAY_JUDGED = "other ways of ranking in the nested estimate"
RANKING_OF_ALL = "a ranking on all rows"


class Sieve(PredictsOnSelection, SelectorMixin, ClassifierMixin, BaseEstimator):
    """Find the best small set of columns that the data support, and say how good it is.

    Nothing has to be set. Kernel, C, gamma, criterion and the number of columns are chosen inside
    the training rows, by a race of candidates on folds; columns are standardised in each fold. The
    whole choice is then repeated without each fold and judged there, which gives an estimate that
    no choice has seen.

    Parameters
    ----------
    budget : float, default=None
        Seconds that `fit` may take. It then returns the best answer found so far and says what was
        not tried. None: until more candidates could not change the choice by more than noise.
    tradeoff : float, default=0.8
        What accuracy is worth against fewer columns, from 0 to 1. 1: as many as are about as
        good as the best; 0.8: the fewest columns with which it is likely that 0.005 is lost at
        most; 0.6: 0.01 at most.
    scoring : str or callable, default="accuracy"
        What to choose by, and to estimate: a scorer of scikit-learn, or a function
        ``scoring(estimator, X, y)`` of one's own. That is given a pipeline of scaler and machine
        fitted at every size, and rows with those columns alone, which takes longer.
    class_weight : dict, "balanced" or None, default=None
        Factors of C per class.
    keep : list of str, list of int or boolean mask, default=None
        Columns never dropped.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds. None is 0: the same data give the same answer.
    n_jobs : int, default=None
        Rankings that run at a time, as everywhere in scikit-learn.
    progress : bool, default=False
        Say on stderr what is being tried.

    Attributes
    ----------
    support_ : ndarray of bool, shape (n_features_in_,)
        The columns kept.
    n_features_ : int
        Their number.
    ranking_ : ndarray of int, shape (n_features_in_,)
        1 for the columns kept, then the others in the order of `path_`.
    score_ : Estimate
        What to expect on new rows: nested estimate, interval, chance. ``float(score_)`` works.
    choice_ : SieveChoice
        Kernel, C, gamma, criterion, schedule, size, and one sentence why each.
    report_ : Report
        All of it, to be read: ``report_.save_html("report.html")``.
    path_ : Path
        The ranking: on all rows or, by linear machines and filters, median ranks there and without
        each fold.
    full_path_ : Path
        The elimination on all rows; where a budget ends before it, that without the first fold.
    estimator_ : Pipeline
        StandardScaler and SVC, fitted on the columns kept.
    nested_ : Evaluation or None
        The nested cross-validation, fold by fold.
    classes_ : ndarray
        Sorted labels.
    n_features_in_ : int
        Columns seen in `fit`.
    feature_names_in_ : ndarray of str, shape (n_features_in_,)
        Their names, where X has column names that are all strings.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from svsieve import Sieve
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> sieve = Sieve().fit(X, y)
    >>> list(sieve.get_feature_names_out())
    ['sepal width (cm)', 'petal length (cm)', 'petal width (cm)']
    >>> sieve.score_.value > 0.9
    True
    """

    support_: NDArray[np.bool_]
    n_features_: int
    ranking_: IndexArray
    score_: Estimate
    choice_: SieveChoice
    path_: Path
    full_path_: Path
    nested_: Evaluation | None
    report_: Report | None

    def __init__(
        self,
        *,
        budget: float | None = None,
        tradeoff: float = 0.8,
        scoring: Any = "accuracy",
        class_weight: Any = None,
        keep: Sequence[str] | Sequence[int] | NDArray[Any] | None = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> None:
        self.budget = budget
        self.tradeoff = tradeoff
        self.scoring = scoring
        self.class_weight = class_weight
        self.keep = keep
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Choose columns and machine, estimate what they are worth, train the machine.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Their classes, each with two rows at least.

        Returns
        -------
        Sieve
            The fitted estimator.
        """
        return self._fit(X, y)

    def _fit(self, X: Any, y: ArrayLike, names: Sequence[str] | None = None) -> Self:
        """Fit rows whose columns have names, given beside them where X cannot hold any."""
        metric = self._check_parameters()
        clock = Clock(self.budget)
        X, y = training_rows(self, X, y, names)
        classes, codes = class_codes(self, y)
        self._check_classes(classes, codes)
        keep = self._keep(X.shape[1])
        least = max(1, len(keep))
        fold_of, n_folds = folds(codes, X.shape[1], self._seed())
        problem = Problem(
            X,
            y,
            fold_of,
            metric,
            self.class_weight,
            sizes_to_visit(X.shape[1], least),
            keep,
            self._seed(),
            rows_to_rank_on(X.shape[1], clock.seconds),
        )
        trials = Trials(problem, self.n_jobs, clock, shown=bool(self.progress))
        tried = candidates(*X.shape, hurried=clock.limited)
        view = View(tuple(np.unique(fold_of).tolist()))

        clock.allow(CHOICE_ENDS)
        begun = clock.share()
        chosen = choose(trials, tried, view, self.tradeoff) or unjudged(problem, tried)
        took = clock.share() - begun
        clock.allow(RANKING_ENDS)
        whole = self._ranked(trials, chosen.candidate, classes, codes)
        parts = [trials.ranking(chosen.candidate, view, fold) for fold in chosen.folds]
        if whole is None:
            chosen = replace(chosen, untried=(*chosen.untried, RANKING_OF_ALL))
        self.path_ = self._named(agreed(chosen.candidate, whole, parts, n_folds))
        self.full_path_ = self._named(parts[0] if whole is None else whole)
        if clock.share() + n_folds * took > ESTIMATE_ENDS:
            tried = (chosen.candidate,)
            chosen = replace(chosen, untried=(*chosen.untried, ONE_WAY_JUDGED))
        estimated = nested(trials, tried, self.tradeoff, n_folds, ESTIMATE_ENDS)
        if estimated.estimate.is_noise:
            chosen = replace(chosen, size=least)
        self._settle(problem, chosen, estimated)
        found = data_warnings(X, codes, self._names(), [str(one) for one in classes.tolist()])
        self._tell(estimated, codes, found)
        clock.allow(np.inf)
        self.report_ = report_of(
            trials,
            view,
            chosen,
            estimated,
            self.path_,
            self.full_path_,
            self.choice_,
            names=self._names(),
            classes=[str(one) for one in classes.tolist()],
            counts=np.bincount(codes).tolist(),
            found=found,
        )
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self, "support_")
        return self.support_

    def _estimator(self) -> Any:
        return SVC()

    # ---- parameters

    def _check_parameters(self) -> Metric:
        """Refuse bad options, all of them, before the data is looked at."""
        owner = type(self).__name__
        if self.budget is not None:
            check_real(owner, "budget", self.budget, above=0.0)
        if check_real(owner, "tradeoff", self.tradeoff, at_least=0.0) > 1.0:
            raise refusal(owner, "tradeoff", "a number from 0 to 1", self.tradeoff)
        check_flag(owner, "progress", self.progress)
        check_random_state(self.random_state)
        metrics = resolve_metrics(self.scoring, self._estimator(), owner=owner)
        if len(metrics) > 1:
            raise refusal(owner, "scoring", "one metric to choose by", self.scoring)
        return metrics[0]

    def _check_classes(self, classes: NDArray[Any], codes: IndexArray) -> None:
        counts = np.bincount(codes, minlength=len(classes))
        least = int(counts.argmin())
        if counts[least] < 2:
            raise ValueError(
                f"Sieve needs at least two rows of every class, to learn from one and be judged on "
                f"the other. Class {classes.tolist()[least]!r} has {counts[least]}."
            )

    def _keep(self, n_columns: int) -> IndexArray:
        names = getattr(self, "feature_names_in_", None)
        return resolve_columns(self.keep, n_columns, names, owner=type(self).__name__)

    def _seed(self) -> int:
        if self.random_state is None or isinstance(self.random_state, int | np.integer):
            return int(self.random_state or 0)
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def _names(self) -> tuple[str, ...]:
        names = getattr(self, "feature_names_in_", None)
        given = range(self.n_features_in_) if names is None else names
        return tuple(str(name) for name in given)

    # ---- the answer

    def _ranked(
        self,
        trials: Trials,
        candidate: Candidate,
        classes: NDArray[Any],
        codes: IndexArray,
    ) -> Path | None:
        """Rank the columns on all rows; None where time ends before."""
        problem = trials.problem
        chain = problem.chain(candidate.ranking)
        data = data_of(chain, classes, codes, problem.X, problem.y, None)
        if candidate.filter is not None:
            scores = candidate.filter(data.X, problem.y)
            return Path.from_scores(kept_last(scores, problem.keep))
        path = trace(data, problem.parts(candidate, data.n_rows, trials.clock.left()))
        return None if path.stopped == "time" else path

    def _named(self, path: Path) -> Path:
        """Return a path that knows the names of columns, where they have any."""
        named = hasattr(self, "feature_names_in_")
        return replace(path, column_names=self._names() if named else None)

    def _settle(self, problem: Problem, chosen: Chosen, estimated: Nested) -> None:
        """Cut the ranking at the size chosen and train the machine there."""
        support = np.zeros(problem.X.shape[1], dtype=bool)
        support[self.path_.top(chosen.size)] = True
        kept = np.flatnonzero(support)
        pipeline = problem.pipeline(chosen.setting)
        self.estimator_ = fitted_on(pipeline, kept, problem.X, problem.y, None)
        self.support_, self.n_features_ = support, chosen.size
        self.ranking_ = ranking_at(self.path_, chosen.size)
        self.score_, self.nested_ = estimated.estimate, estimated.evaluation
        folds = f"{len(np.unique(problem.fold_of))} folds"
        self.choice_ = choice_in_words(chosen, estimated, len(support), folds)

    def _tell(self, estimated: Nested, codes: IndexArray, found: Sequence[str]) -> None:
        """Warn of what a user must know before believing the answer."""
        if not estimated.estimate.found:
            warnings.warn(f"Sieve {doubts(estimated.estimate)}", UserWarning, stacklevel=4)
        for sentence in found:
            if "alone" in sentence:
                warnings.warn(f"Sieve: {sentence}", UserWarning, stacklevel=4)
