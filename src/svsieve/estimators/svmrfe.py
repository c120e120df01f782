"""Recursive elimination of columns with support vector machines."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from svsieve.arrays import IndexArray, Table
from svsieve.elimination.parts import Parts
from svsieve.elimination.path import Path
from svsieve.elimination.samplers import Sampler
from svsieve.estimators.callbacks import TakesCallbacks, watched
from svsieve.estimators.convergence import warn_of_unsolved
from svsieve.estimators.delegation import PredictsOnSelection, asked_inside, tagged_as
from svsieve.estimators.run import Run
from svsieve.estimators.specification import (
    Chain,
    data_of,
    fitted_on,
    labelled,
    set_tuned,
    take_apart,
)
from svsieve.estimators.svc import SVC
from svsieve.estimators.validation import rows_in_use
from svsieve.resolve import (
    check_flag,
    resolve_columns,
    resolve_combination,
    resolve_criterion,
    resolve_sampler,
    resolve_schedule,
    resolve_size,
    resolve_spare,
    resolve_stops,
)
from svsieve.selection.retuning import resolve_retune
from svsieve.store.checkpoint import checked_file, stored_seed

# Rankings are solved at least this far, whatever the estimator asks for: at the usual 1e-3 the
# order of elimination is that of the solver, not that of the data.
RANKING_TOL = 1e-8


class SVMRFE(PredictsOnSelection, SelectorMixin, MetaEstimatorMixin, TakesCallbacks, BaseEstimator):
    """Rank columns by recursive elimination with a support vector machine of any kernel.

    The machine is solved on all columns, the columns of least worth to it are dropped, and so on
    until `n_features_to_select` are left. A drop-in for scikit-learn's ``RFE(SVC(...))`` and
    ``RFE(LinearSVC(...))`` that also takes kernels without ``coef_``, solves every step to
    convergence, and keeps the whole path.

    Parameters
    ----------
    estimator : svsieve.SVC, sklearn.svm.SVC, sklearn.svm.LinearSVC or Pipeline, default=None
        What to rank with, and what `estimator_` will be: ``SVC(kernel="linear")`` by default. For
        one class: svsieve.SVDD, svsieve.OneClassSVC or sklearn.svm.OneClassSVM.
        scikit-learn's machines are taken as specifications and solved by svsieve. The transformers
        of a pipeline are fitted once, on all columns of the training rows; each must leave every
        column a column, as scalers do.
    n_features_to_select : int, float or None, default=None
        Columns to keep, or their share of all columns. None: half of them, as in scikit-learn;
        with a `stop`, as few as that leaves. 1 ranks everything.
    step : int, float, str, list of int or schedule, default=1
        Columns dropped per step. A float in (0, 1) is a share of the *remaining* columns (in
        scikit-learn's RFE, of the original ones: ``svsieve.schedules.FractionOfOriginal``). Names:
        "sqrt", "entropy", "annealing", "halving". A list gives the sizes to visit.
    criterion : {"weight", "weight-first-order"} or object, default="weight"
        What a column is worth: how much ``|w|^2`` changes without it, or its derivative in the
        scale of the column. Or any object with ``scores(context)``, see :mod:`svsieve.criteria`.
    sampler : None, float or sampler, default=None
        Rows that each step is solved on: all, a stratified share drawn anew at each step, or an
        object of :mod:`svsieve.samplers`.
    stop : stopping rule or list of them, default=None
        When to stop early, see :mod:`svsieve.stopping`.
    combine : {"sum", "max", "cv", "mean-rank"} or Combine, default="sum"
        How the scores of several two-class problems become one.
    keep : list of str, list of int or boolean mask, default=None
        Columns never dropped, by name, index or mask.
    spare : None, float or object, default=None
        Which of the columns that a step would drop stay all the same. A float in (0, 1): of a group
        of columns whose absolute correlation is above it, the best stays for the next step where
        all of them would go (Yan and Zhang's correlation bias reduction, with 0.9). Of no effect
        where columns go one at a time. Or an object of :mod:`svsieve.sparing`.
    retune : None, int or object, default=None
        Tune C and the parameters of the kernel again, on the columns left, every so many steps, by
        the span estimate; `estimator_` has those found for the columns kept. Or a :class:`Retune`.
    random_state : int, RandomState instance or None, default=None
        Seed of the sampler.
    checkpoint : str or path, default=None
        File that makes a killed run resumable: a fit with the same data and options goes on where
        the last one ended, to the same result. Written about once a second and at the end.
    progress : bool, default=False
        Show columns left and time left on stderr.

    Attributes
    ----------
    support_ : ndarray of bool, shape (n_features_in_,)
        The columns kept.
    ranking_ : ndarray of int, shape (n_features_in_,)
        1 for the columns kept, 2 for those dropped in the last step, and so on as in scikit-learn's
        RFE. The strict order is ``path_.order``.
    n_features_ : int
        Number of columns kept.
    path_ : Path
        The whole elimination: order, scores at removal, margins, KKT gaps, ties, times.
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
    Every step is solved to a KKT gap of ``min(estimator.tol, 1e-8)``, so that the ranking depends
    on the data and not on the solver. Columns of equal score go in the order of their index; where
    that decided, ``path_.tied`` says so. ``gamma="scale"``, ``"auto"`` and ``PerFeature`` are
    evaluated again on the columns of each step.

    Pressing Ctrl-C ends the elimination with a warning; the columns left are then those selected.

    With scikit-learn 1.9 or later ``set_callbacks`` takes its callbacks, such as
    ``sklearn.callback.ProgressBar``. They are told of one or several steps at a time, and one that
    asks to stop does what Ctrl-C does.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from svsieve import SVC, SVMRFE
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> machine = make_pipeline(StandardScaler(), SVC(kernel="rbf", C=10))
    >>> selector = SVMRFE(machine, n_features_to_select=5, step=2).fit(X, y)
    >>> selector.transform(X).shape
    (569, 5)
    >>> selector.score(X, y) > 0.95
    True
    """

    support_: NDArray[np.bool_]
    ranking_: NDArray[np.int64]
    n_features_: int
    path_: Path
    estimator_: Any
    n_features_in_: int
    # An elimination that serves the choice of a size by folds keeps its machine.
    retune: Any = None
    _takes_one_class: ClassVar[bool] = True

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_features_to_select: int | float | None = None,
        step: Any = 1,
        criterion: Any = "weight",
        sampler: Any = None,
        stop: Any = None,
        combine: Any = "sum",
        keep: Sequence[str] | Sequence[int] | NDArray[Any] | None = None,
        spare: Any = None,
        retune: Any = None,
        random_state: int | np.random.RandomState | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        progress: bool = False,
    ) -> None:
        self.estimator = estimator
        self.n_features_to_select = n_features_to_select
        self.step = step
        self.criterion = criterion
        self.sampler = sampler
        self.stop = stop
        self.combine = combine
        self.keep = keep
        self.spare = spare
        self.retune = retune
        self.random_state = random_state
        self.checkpoint = checkpoint
        self.progress = progress

    def fit(
        self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Eliminate columns, then fit the estimator on those left.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Their classes. An estimator of one class needs none; -1 marks known negatives.
        sample_weight : array-like of shape (n_samples,), optional
            Non-negative factors of C per row, in the ranking and in `estimator_`. Steps of a
            pipeline that take weights, such as a StandardScaler, are given them too. Rows of weight
            0 are left out.

        Returns
        -------
        SVMRFE
            The fitted estimator.
        """
        chain, options = self._check_parameters()
        chain, X, y, classes, codes = labelled(self, chain, X, y)
        X, y, codes, given = rows_in_use(sample_weight, classes, X, y, codes)
        parts = self._parts(chain, options, X.shape[1])
        data = data_of(chain, classes, codes, X, y, given)
        run = Run(
            data,
            parts,
            names=getattr(self, "feature_names_in_", None),
            checkpoint=self.checkpoint,
            progress=self.progress,
            owner=type(self).__name__,
        )
        path = watched(self, run.path, X, y, task="eliminate")
        run.tell(path)
        self._judge(path, chain, parts, lambda: data.X)

        self.path_ = path
        self.support_ = np.zeros(X.shape[1], dtype=bool)
        self.support_[path.survivors] = True
        self.ranking_ = path.ranking()
        self.n_features_ = int(self.support_.sum())
        kept = np.flatnonzero(self.support_)
        model = clone(self._estimator())
        if parts.retune is not None:
            set_tuned(model, *parts.retune.tune(data, parts, kept))
        self.estimator_ = fitted_on(model, kept, X, y, given)
        return self

    def get_metadata_routing(self) -> Any:
        """Return what metadata `fit` and `score` take: `sample_weight`, where it is asked for.

        It is asked for by ``set_fit_request(sample_weight=True)``, here or, as for scikit-learn's
        RFE, on the estimator inside.

        Returns
        -------
        MetadataRequest
            The requests.
        """
        return asked_inside(super().get_metadata_routing(), self._estimator())

    def __sklearn_tags__(self) -> Any:
        return tagged_as(self._estimator(), super().__sklearn_tags__())

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self, "support_")
        return self.support_

    def _estimator(self) -> Any:
        return SVC(kernel="linear") if self.estimator is None else self.estimator

    def _check_parameters(self) -> tuple[Chain, dict[str, Any]]:
        """Refuse bad options, all of them, before the data is looked at."""
        owner = type(self).__name__
        chain = take_apart(self._estimator(), owner, one_class=self._takes_one_class)
        options = {
            "schedule": resolve_schedule(self.step, owner=owner),
            "criterion": resolve_criterion(self.criterion, owner=owner),
            "sampler": resolve_sampler(self.sampler, owner=owner),
            "stops": resolve_stops(self.stop, owner=owner),
            "combine": resolve_combination(self.combine, owner=owner),
            "spare": resolve_spare(self.spare, owner=owner),
            "retune": resolve_retune(self.retune, owner=owner),
        }
        resolve_size(self.n_features_to_select, 2, owner=owner)
        check_flag(owner, "progress", self.progress)
        check_random_state(self.random_state)
        if self.checkpoint is not None:
            checked_file(self.checkpoint)
        return chain, options

    def _parts(self, chain: Chain, options: dict[str, Any], n_columns: int) -> Parts:
        keep = resolve_columns(
            self.keep,
            n_columns,
            getattr(self, "feature_names_in_", None),
            owner=type(self).__name__,
        )
        specification = chain.specification
        return Parts(
            kernel=specification.kernel,
            machine=specification.machine,
            bias=specification.bias,
            tol=min(specification.tol, RANKING_TOL),
            max_iter=specification.max_iter,
            least=self._least(n_columns, keep),
            keep=keep,
            seed=self._seed(options["sampler"]),
            **options,
        )

    def _least(self, n_columns: int, keep: IndexArray) -> int:
        """Return the number of columns at which the elimination ends."""
        size = self.n_features_to_select
        if size is None:
            half = 1 if self.stop is not None else resolve_size(None, n_columns)
            return max(half, len(keep))
        least = resolve_size(size, n_columns)
        if len(keep) > least:
            raise ValueError(
                f"The 'keep' parameter of {type(self).__name__} holds {len(keep)} columns, more "
                f"than the {least} of n_features_to_select={size!r}."
            )
        if size > n_columns:
            warnings.warn(
                f"n_features_to_select={size} > n_features={n_columns}: no column of X is dropped.",
                UserWarning,
                stacklevel=4,
            )
        return least

    def _seed(self, sampler: Sampler) -> int:
        """Return the seed of the draws; a run without one takes that of its checkpoint."""
        if not sampler.is_random:
            return 0
        if self.random_state is None and self.checkpoint is not None:
            seed = stored_seed(self.checkpoint)
            if seed is not None:
                return seed
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def _judge(self, path: Path, chain: Chain, parts: Parts, table: Callable[[], Table]) -> None:
        """Warn where a fit stayed short of the gap that was asked for.

        Gaps below the estimator's own tolerance mean that rounding allows no more, unless the
        iterations were limited.
        """
        own = chain.specification.tol if parts.max_iter == -1 else RANKING_TOL
        warn_of_unsolved(path, max(own, RANKING_TOL), parts.tol, table, type(self).__name__)
