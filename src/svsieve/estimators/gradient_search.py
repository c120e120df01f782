"""Parameters of a support vector classifier, chosen by descending an estimate of its error."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state, get_tags

from svsieve.arrays import FloatArray, Table
from svsieve.elimination.parts import Task
from svsieve.estimators.delegation import PredictsByBest, asked_inside
from svsieve.estimators.pair_solving import FEW_ROWS, FINAL_TOL
from svsieve.estimators.search_options import check_bounds, check_degrees
from svsieve.estimators.search_record import Search, chosen, parameter_prefix, trace_of
from svsieve.estimators.specification import (
    Chain,
    fitted_on,
    refuse_penalised_bias,
    take_apart,
    transformed,
    two_class_problems,
)
from svsieve.estimators.svc import SVC
from svsieve.estimators.validation import class_codes, rows_in_use, training_rows
from svsieve.kernels import Kernel
from svsieve.resolve import check_flag, check_integer, check_real
from svsieve.resolve.estimators import Specifies
from svsieve.selection.left_out import merged
from svsieve.selection.objectives import Judge, Objective, resolve_objective
from svsieve.selection.optimise import Evaluation, descend
from svsieve.selection.search_function import SearchFunction
from svsieve.selection.search_space import SearchSpace

# Slopes are those of the data, not of the solver, if machines are solved at least this far.
JUDGED_TOL = 1e-8
# With more, the span of the support vectors would take far longer than training them.
CONFIRMED_ROWS = 3000


class GradientSearch(PredictsByBest, ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Choose C, the parameters of the kernel and the scales of columns by gradient descent.

    An estimate of the error, such as a bound on the leave-one-out error, is minimised over the
    logarithms of the parameters by L-BFGS-B. Ten machines or so are trained where a grid with
    cross-validation takes hundreds, and there may be as many parameters as columns. Works on the
    training rows alone: to know how good the result is, use other rows.

    Parameters
    ----------
    estimator : svsieve.SVC, sklearn.svm.SVC or Pipeline, default=None
        What to tune, ``SVC(slack="l2")`` by default. The search begins at its own parameters.
        scikit-learn's machine is taken as a specification and solved by svsieve. The transformers
        of a pipeline that ends in a machine are fitted once, on the training rows.
    objective : str or Objective, default="radius-margin"
        What to minimise. "radius-margin": the radius/margin bound, smooth and cheap, best with
        ``slack="l2"``. "span": the span estimate of the leave-one-out error, closer but less
        smooth, best with ``slack="l1"``. "validation": the error on a quarter of the rows,
        smoothed. "posterior": the error that Platt's probabilities predict there.
        "support-vectors": their share. "cv": the error in 5-fold cross-validation. The last two
        have no gradient; Nelder and Mead's simplex serves instead. Objects, with settings such as
        ``ValidationError(slope="fitted")`` and ``RadiusMargin(delta=0.5)``, are in
        :mod:`svsieve.objectives`.
    weights : bool, default=False
        Give every column a scale of its own, in the place of one gamma for all: a weighted kernel.
        Needs svsieve.SVC, whose kernels have weights.
    shrink : float, default=150
        With ``weights=True``: what scales that differ cost. Minimised is the objective times
        exp(shrink / n * Var(ln scales)), n the number of rows, in which a row of sample weight k
        counts k times. Few rows leave the scales alike; 0 lets them go wherever the objective is
        smallest.
    confirm : bool, default=True
        Whether the smallest value must be borne out by the rows left out one by one, of which the
        span of the support vectors tells without training: another point that was visited is taken
        if its log-loss is smaller by more than half a standard error. Concerns "radius-margin", and
        pairs of classes of up to 3,000 rows. Of a row of sample weight k, one of k rows is left
        out.
    degrees : sequence of int, default=None
        Degrees of a polynomial kernel to search, each by a descent of its own. None: that of the
        estimator.
    starts : int, default=1
        Descents, of which the best counts. All but the first begin at random around it.
    bounds : dict of str to (float, float), default=None
        Lowest and highest value by name: "C", "gamma", "coef0", "scale" (of the columns); of
        composed kernels "0.gamma", "1.coefficient" and so on. Equal ones hold a parameter fixed.
        By default C lies in [exp(-12), exp(12)], and the others within exp(9) times their start.
    max_trainings : int, default=200
        Limit on machines trained in the search.
    tol : float, default=1e-3
        A descent ends where a step lowers the objective by no more than this share.
    random_state : int, RandomState instance or None, default=None
        Seed of the starts and, where `objective` is a string, of the rows held out.

    Attributes
    ----------
    best_params_ : dict
        What ``estimator.set_params`` takes: C and gamma, coef0, degree, or the kernel as an object
        where it was given as one or has weights.
    best_value_ : float
        The objective there; with several classes, the sum over all pairs.
    best_index_ : int
        The evaluation in `trace_` that was taken.
    best_estimator_ : estimator
        The estimator with these parameters, fitted on all rows.
    scales_ : ndarray of shape (n_columns,)
        Factor of each column that the machine sees; with ``weights=True`` only.
    n_trainings_ : int
        Machines trained in the search; smallest spheres and `best_estimator_` are not counted.
    trace_ : dict of str to array
        All evaluations in order, a column for each parameter (NaN where a descent has none), for
        the value ("value", without what scales cost), the length of the gradient ("gradient_norm",
        with it), the share of rows on the wrong side when left out ("left_out_error", NaN
        without `confirm`), the number of the descent ("start") and the machines trained so far
        ("n_trainings").
    classes_ : ndarray
        Labels, from `best_estimator_`.
    n_features_in_ : int
        Columns seen in `fit`.
    feature_names_in_ : ndarray of str, shape (n_features_in_,)
        Their names, where X has column names that are all strings.

    Notes
    -----
    Several classes are one problem per pair of classes; the objectives of all pairs are added, and
    all share the parameters. Of a sum of kernels the coefficients of all terms but the first are
    varied: C is the scale of the whole.

    Objectives with rows held out see transformers that were fitted on all rows.

    The bound of linear slack is often smallest for a machine that takes all rows for one class;
    `confirm` keeps most searches from ending there, and a warning says where one does.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from svsieve import SVC, GradientSearch
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> search = GradientSearch(make_pipeline(StandardScaler(), SVC(slack="l2")))
    >>> search.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.95
    True
    >>> sorted(search.best_params_), search.n_trainings_ < 20
    (['svc__C', 'svc__gamma'], True)
    """

    best_params_: dict[str, Any]
    best_value_: float
    best_index_: int
    best_estimator_: Any
    n_trainings_: int
    trace_: dict[str, NDArray[Any]]
    n_features_in_: int

    def __init__(
        self,
        estimator: Any = None,
        objective: Any = "radius-margin",
        *,
        weights: bool = False,
        shrink: float = 150.0,
        confirm: bool = True,
        degrees: Sequence[int] | None = None,
        starts: int = 1,
        bounds: Mapping[str, tuple[float, float]] | None = None,
        max_trainings: int = 200,
        tol: float = 1e-3,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.estimator = estimator
        self.objective = objective
        self.weights = weights
        self.shrink = shrink
        self.confirm = confirm
        self.degrees = degrees
        self.starts = starts
        self.bounds = bounds
        self.max_trainings = max_trainings
        self.tol = tol
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Search the parameters, then fit the estimator with the best.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,), optional
            Non-negative factors of C per row, in the search and in `best_estimator_`. A row of
            weight 0 is left out.

        Returns
        -------
        GradientSearch
            The fitted estimator.
        """
        chain, objective = self._check_parameters()
        rng = check_random_state(self.random_state)
        if isinstance(self.objective, str) and hasattr(objective, "seed"):
            seed = int(rng.randint(np.iinfo(np.int32).max))
            objective = replace(objective, seed=seed)  # type: ignore[type-var]
        X, y = training_rows(self, X, y)
        classes, codes = class_codes(self, y)
        X, y, codes, given = rows_in_use(sample_weight, classes, X, y, codes)
        weights = np.ones(len(y)) if given is None else given
        tasks = two_class_problems(chain.specification, chain.machine, classes, codes, weights)
        table = transformed(chain.transformers, X, y, given, same_columns=False)
        counted = weights if chain.specification.weights_count else None
        kernel = chain.specification.kernel.bind(table, row_weights=counted)
        searches = self._searches(chain, objective, kernel, table, tasks, weights, rng)
        self.best_index_, best, taken = chosen(searches)
        self._store(searches, best, taken, chain)
        model = clone(self._estimator()).set_params(**self.best_params_)
        self.best_estimator_ = fitted_on(model, np.arange(X.shape[1]), X, y, given)
        self._judge(searches, X, classes)
        return self

    def get_metadata_routing(self) -> Any:
        """Return what metadata `fit` and `score` take: `sample_weight`, where it is asked for.

        It is asked for by ``set_fit_request(sample_weight=True)``, here or on the estimator inside.

        Returns
        -------
        MetadataRequest
            The requests.
        """
        return asked_inside(super().get_metadata_routing(), self._estimator())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = get_tags(self._estimator()).input_tags.sparse
        return tags

    def _estimator(self) -> Any:
        return SVC(slack="l2") if self.estimator is None else self.estimator

    # ---- parameters

    def _check_parameters(self) -> tuple[Chain, Objective]:
        """Refuse bad options, all of them, before the data is looked at."""
        owner = type(self).__name__
        chain = take_apart(self._estimator(), owner)
        objective = resolve_objective(self.objective, owner=owner)
        refuse_penalised_bias(chain, owner)
        if check_flag(owner, "weights", self.weights):
            if not isinstance(chain.machine, Specifies):
                raise ValueError(
                    f"weights=True of {owner} needs svsieve.SVC: the kernels of "
                    f"{type(chain.machine).__module__} have no weights. Got {chain.machine!r} "
                    "instead."
                )
            if not objective.has_slopes:
                raise ValueError(
                    f"weights=True of {owner} needs an objective with slopes, such as "
                    f"'radius-margin'. Got {self.objective!r} instead."
                )
        check_real(owner, "shrink", self.shrink, at_least=0.0)
        check_flag(owner, "confirm", self.confirm)
        check_integer(owner, "starts", self.starts, at_least=1)
        check_integer(owner, "max_trainings", self.max_trainings, at_least=1)
        check_real(owner, "tol", self.tol, above=0.0)
        check_random_state(self.random_state)
        check_bounds(owner, self.bounds)
        check_degrees(owner, self.degrees, chain.specification.kernel)
        return chain, objective

    # ---- the search

    def _searches(
        self,
        chain: Chain,
        objective: Objective,
        kernel: Kernel,
        table: Table,
        tasks: Sequence[Task],
        counts: FloatArray,
        rng: np.random.RandomState,
    ) -> list[Search]:
        """Search each degree, or the kernel as it is."""
        kernels = [kernel]
        if self.degrees is not None:
            kernels = [replace(kernel, degree=int(d)) for d in self.degrees]  # type: ignore[type-var]
        most = max(len(task.labels) for task in tasks if task.labels is not None)
        tells = getattr(objective, "tells_left_out", False) and most <= CONFIRMED_ROWS
        told = counts if self.confirm and tells else None
        judges = [_judge(objective, table, task, told, chain.specification.tol) for task in tasks]
        each = len(judges) * int(getattr(objective, "folds", 1))
        limit = max(1, int(self.max_trainings) // (each * len(kernels)))
        price = float(self.shrink) / float(counts.sum())
        searches = []
        for one in kernels:
            space = SearchSpace.around(
                chain.specification.machine,
                one,
                table.shape[1],
                scales=bool(self.weights),
                bounds=self.bounds,
            )
            searches.append(self._descended(space, judges, objective, price, limit, rng))
        return searches

    def _descended(
        self,
        space: SearchSpace,
        judges: Sequence[Judge],
        objective: Objective,
        price: float,
        limit: int,
        rng: np.random.RandomState,
    ) -> Search:
        """Descend in one space, on the logarithm of a bound."""
        function = SearchFunction(space, judges, objective, price)
        descent = descend(
            function,
            space.spread_starts(int(self.starts), rng),
            space.lower,
            space.upper,
            slopes=objective.has_slopes,
            tol=float(self.tol),
            max_evaluations=limit,
        )
        weights = np.concatenate([judge.weights for judge in judges])
        told = [judge.weights if judge.counts is None else judge.counts for judge in judges]
        counts = np.concatenate(told)
        return Search(space, descent, function, weights, counts)

    # ---- the result

    def _store(
        self,
        searches: Sequence[Search],
        best: Search,
        taken: Evaluation,
        chain: Chain,
    ) -> None:
        point = taken.point
        self.n_trainings_ = max(search.n_trainings for search in searches)
        self.trace_ = trace_of(searches)
        self.best_value_ = float(self.trace_["value"][self.best_index_])
        if self.weights:
            self.scales_ = best.space.scales(point)
        machine, kernel = best.space.parts(point)
        found: dict[str, Any] = {"C": machine.C} if "log_C" in best.space.names else {}
        if self.weights or isinstance(chain.machine.kernel, Kernel):
            found["kernel"] = kernel
        else:
            found |= {
                name: value for name, value in best.space.values(point).items() if name != "C"
            }
            if self.degrees is not None:
                found["degree"] = kernel.degree  # type: ignore[attr-defined]
        prefix = parameter_prefix(self._estimator())
        self.best_params_ = {prefix + name: value for name, value in found.items()}

    def _judge(self, searches: Sequence[Search], X: Table, classes: NDArray[Any]) -> None:
        """Warn where a descent was cut short, and where its end tells no classes apart."""
        owner = type(self).__name__
        if not all(search.descent.converged for search in searches):
            warnings.warn(
                f"{owner} stopped after {self.n_trainings_} trainings before the objective was "
                f"lowest. Raise max_trainings={self.max_trainings} or tol={self.tol:g}.",
                ConvergenceWarning,
                stacklevel=3,
            )
        predicted = np.unique(self.best_estimator_.predict(X)).tolist()
        if len(predicted) == 1:
            warnings.warn(
                f"{owner} ended, its objective being {self.best_value_:.3g}, with a machine that "
                f"takes all training rows for class {predicted[0]!r}, of {classes.tolist()}. Use "
                "slack='l2', another objective, or bounds that keep C larger.",
                UserWarning,
                stacklevel=3,
            )


def _judge(
    objective: Objective, table: Table, task: Task, counts: FloatArray | None, tol: float
) -> Judge:
    """Return the judge of one problem; few rows are solved to the last digits, as in SVC.

    `counts` say how many rows each row of the table stands for; None: nobody asks.
    """
    assert task.labels is not None
    rows = table if task.rows is None else table[task.rows]
    labels, weights = task.labels, task.weights
    if counts is not None:
        own = counts if task.rows is None else counts[task.rows]
        every = np.ones(len(labels)) if weights is None else weights
        rows, labels, weights, counts = merged(rows, labels, every, own)
    tol = min(tol, FINAL_TOL if rows.shape[0] <= FEW_ROWS else JUDGED_TOL)
    return Judge(objective, rows, labels, weights=weights, counts=counts, tol=tol)
