"""Selection of columns by their scale."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils import check_random_state

from svsieve.arrays import FloatArray, Table
from svsieve.elimination import Data, Parts, Path, PathRecorder
from svsieve.elimination.loop import notes_of, record, walk
from svsieve.estimators.delegation import asked_inside, tagged_as
from svsieve.estimators.progress import Progress
from svsieve.estimators.scaled_columns import ColumnWeights, PrincipalComponents
from svsieve.estimators.selection_space import SelectsInSpace, component_names
from svsieve.estimators.specification import (
    Chain,
    data_of,
    fitted_on,
    refuse_penalised_bias,
    set_tuned,
    take_apart,
)
from svsieve.estimators.svc import SVC
from svsieve.estimators.validation import class_codes, rows_in_use, training_rows
from svsieve.kernels import Kernel
from svsieve.resolve import (
    check_flag,
    check_integer,
    check_option,
    check_real,
    refusal,
    resolve_schedule,
    resolve_size,
)
from svsieve.selection.objectives import Objective, resolve_objective
from svsieve.selection.scaling import Scaling, ScalingEngine
from svsieve.selection.scaling_shares import ShareEngine

SPACES = ("columns", "components")
METHODS = ("descent", "lp")


class FeatureScaling(SelectsInSpace, MetaEstimatorMixin, BaseEstimator):
    """Select columns by factors that make an estimate of the error small.

    Every column is multiplied by a factor; the factors, and C, descend a bound on the leave-one-out
    error. Columns whose factor becomes small, measured by what is left of their spread, are
    dropped, and the descent goes on with the others. The factors are part of the result: the
    machine in `estimator_` sees the columns scaled by them.

    Parameters
    ----------
    estimator : svsieve.SVC, sklearn.svm.SVC or Pipeline, default=None
        The machine: ``SVC(kernel="rbf", slack="l2")`` by default. Squared slack is the better
        choice for bounds. The transformers of a pipeline are fitted once, on all columns of the
        training rows; each must leave every column a column, as scalers do.
    n_features_to_select : int, float or None, default=None
        Columns to keep, or their share of all columns. None: drop columns until the objective
        rises.
    objective : {"radius-margin", "span", "validation", "posterior"} or object, \
            default="radius-margin"
        What descends: an object of :mod:`svsieve.selection.objectives` that has slopes.
    step : int, float, str, list of int or schedule, default=1
        Columns dropped after a descent that makes none small: those of least size, as many as in
        :class:`SVMRFE`.
    threshold : float, default=0.01
        After a descent all columns go whose size, factor times standard deviation, is below this
        share of the largest.
    rise : float, default=0.05
        With ``n_features_to_select=None``: how far, as a share, the objective may rise above the
        smallest value found.
    space : {"columns", "components"}, default="columns"
        Whether the columns are scaled, or the principal components of the rows.
    method : {"descent", "lp"}, default="descent"
        "lp": factors of a fixed sum, in one go. What makes all but `n_features_to_select` of them
        vanish is a penalty on the sum of their p-th powers while p goes to zero.
    penalty : float, default=0.3
        Weight of the penalty of "lp".
    reach : float, default=1.0
        How far one descent may take the logarithm of a factor.
    max_evaluations : int, default=50
        Of the objective, in one descent.
    starts : int, default=1
        How often the columns are dropped from all to the last; what ends with the smallest
        objective counts. All but the first begin at random factors. Of few rows and many columns
        the objective has many minima: there more starts find better ones, and cost little.
    random_state : int, RandomState instance or None, default=None
        Seed of these factors.
    progress : bool, default=False
        Show columns left and time left on stderr, of each start.

    Attributes
    ----------
    support_ : ndarray of bool, shape (n_features_in_,) or (n_components,)
        What is kept: columns, or components with ``space="components"``.
    ranking_ : ndarray of int, shape as `support_`
        1 for what is kept, 2 for what went in the last step, and so on.
    weights_ : ndarray of float, shape as `support_`
        The factors; zero for what was dropped.
    n_features_ : int
        Number of columns or components kept.
    path_ : Path
        The whole elimination. Scores are sizes, the largest of a step being 1;
        ``path_.notes["objective_values"]`` are the minima before each step and at the end.
    value_ : float
        The objective at the end.
    n_trainings_ : int
        Machines trained on the way, by all starts.
    estimator_ : Pipeline
        Transformers, factors and machine, the C of the machine being the one found, fitted on the
        columns kept (on all columns with ``space="components"``).
    classes_ : ndarray
        Labels, from `estimator_`.
    n_features_in_ : int
        Columns seen in `fit`.
    feature_names_in_ : ndarray of str, shape (n_features_in_,)
        Their names, where X has column names that are all strings.

    Notes
    -----
    Gamma rules such as "scale" are evaluated once, on all columns; later the factors do their work.
    C is found with the factors, but stays where it only repeats them (kernels that are linear, or
    polynomial with ``coef0=0``) and with the radius/margin bound of linear slack.

    References
    ----------
    J. Weston et al., "Feature selection for SVMs", Advances in Neural Information Processing
    Systems 13, 2001. O. Chapelle et al., "Choosing multiple parameters for support vector
    machines", Machine Learning 46, 2002.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from svsieve import SVC, FeatureScaling
    >>> from svsieve.datasets import make_weston_nonlinear
    >>> X, y = make_weston_nonlinear(100, 20, rng=0)
    >>> machine = make_pipeline(StandardScaler(), SVC(C=10, slack="l2"))
    >>> selector = FeatureScaling(machine, n_features_to_select=2).fit(X, y)
    >>> selector.get_support(indices=True)
    array([0, 1])
    >>> selector.score(X, y) > 0.9
    True
    """

    support_: NDArray[np.bool_]
    ranking_: NDArray[np.int64]
    weights_: FloatArray
    n_features_: int
    path_: Path
    value_: float
    n_trainings_: int
    estimator_: Any
    n_features_in_: int

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_features_to_select: int | float | None = None,
        objective: Any = "radius-margin",
        step: Any = 1,
        threshold: float = 0.01,
        rise: float = 0.05,
        space: str = "columns",
        method: str = "descent",
        penalty: float = 0.3,
        reach: float = 1.0,
        max_evaluations: int = 50,
        starts: int = 1,
        random_state: int | np.random.RandomState | None = None,
        progress: bool = False,
    ) -> None:
        self.estimator = estimator
        self.n_features_to_select = n_features_to_select
        self.objective = objective
        self.step = step
        self.threshold = threshold
        self.rise = rise
        self.space = space
        self.method = method
        self.penalty = penalty
        self.reach = reach
        self.max_evaluations = max_evaluations
        self.starts = starts
        self.random_state = random_state
        self.progress = progress

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Scale and drop columns, then fit the estimator on those left.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; not sparse with ``space="components"``.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,), optional
            Non-negative factors of C per row. Rows of weight 0 are left out.

        Returns
        -------
        FeatureScaling
            The fitted estimator.
        """
        chain, objective, parts = self._check_parameters()
        X, y = training_rows(self, X, y)
        if self.space == "components" and sparse.issparse(X):
            raise TypeError(  # as scikit-learn does where rows must be dense
                "space='components' centres the rows, which a sparse X does not survive. Give "
                "X.toarray(), or space='columns'."
            )
        classes, codes = class_codes(self, y)
        X, y, codes, given = rows_in_use(sample_weight, classes, X, y, codes)
        data = data_of(chain, classes, codes, X, y, given)
        data = replace(data, X=self._table(data.X, given))
        parts = replace(parts, least=self._least(data.n_columns))
        starts = self._starts(data.n_columns)
        engines = [self._engine(data, chain, objective, start) for start in starts]
        paths = [self._walked(data, parts, engine) for engine in engines]
        ends = [e.minimum(np.sort(p.survivors)) for e, p in zip(engines, paths, strict=True)]
        best = min(range(len(ends)), key=lambda k: (ends[k].value, len(ends[k].kept)))
        found = ends[best]
        self._store(paths[best], found)
        self.n_trainings_ = sum(engine.n_trainings for engine in engines)
        model = self._scaled_estimator(chain, engines[best].kernel, found)
        columns = found.kept if self.space == "columns" else np.arange(X.shape[1])
        self.estimator_ = fitted_on(model, columns, X, y, given)
        self._judge(X, classes)
        return self

    def get_metadata_routing(self) -> Any:
        """Return what metadata `fit` and `score` take: `sample_weight`, where it is asked for.

        Returns
        -------
        MetadataRequest
            The requests.
        """
        return asked_inside(super().get_metadata_routing(), self._estimator())

    def __sklearn_tags__(self) -> Any:
        tags = tagged_as(self._estimator(), super().__sklearn_tags__())
        tags.input_tags.sparse = tags.input_tags.sparse and self.space == "columns"
        return tags

    def _estimator(self) -> Any:
        return SVC(slack="l2") if self.estimator is None else self.estimator

    # ---- parameters

    def _check_parameters(self) -> tuple[Chain, Objective, Parts]:
        """Refuse bad options, all of them, before the data is looked at."""
        owner = type(self).__name__
        chain = take_apart(self._estimator(), owner)
        specification = chain.specification
        refuse_penalised_bias(chain, owner)
        objective = resolve_objective(self.objective, owner=owner)
        if not objective.has_slopes:
            raise refusal(
                owner, "objective", "one with slopes, such as 'radius-margin'", self.objective
            )
        check_real(owner, "threshold", self.threshold, at_least=0.0)
        check_real(owner, "rise", self.rise, at_least=0.0)
        check_real(owner, "penalty", self.penalty, at_least=0.0)
        check_real(owner, "reach", self.reach, above=0.0, infinite=True)
        check_integer(owner, "max_evaluations", self.max_evaluations, at_least=1)
        check_integer(owner, "starts", self.starts, at_least=1)
        check_random_state(self.random_state)
        check_flag(owner, "progress", self.progress)
        resolve_size(self.n_features_to_select, 2, owner=owner)
        direct = check_option(owner, "method", self.method, METHODS) == "lp"
        if direct and self.n_features_to_select is None:
            raise ValueError(
                f"method='lp' of {owner} fixes the sum of the factors by the number of columns to "
                "keep; n_features_to_select must not be None."
            )
        if check_option(owner, "space", self.space, SPACES) == "components":
            self._refuse_weights(specification.kernel)
        schedule = resolve_schedule(self.step, owner=owner)
        return (
            chain,
            objective,
            Parts(specification.kernel, specification.machine, schedule=schedule),
        )

    def _refuse_weights(self, kernel: Kernel) -> None:
        if any(leaf.weights is not None for leaf in kernel.leaves()):
            raise ValueError(
                f"The kernel of a {type(self).__name__} with space='components' must have no "
                f"weights: they belong to columns. Got {kernel!r} instead."
            )

    def _least(self, n_columns: int) -> int:
        size = self.n_features_to_select
        return 1 if size is None else resolve_size(size, n_columns)

    def _table(self, X: Table, weights: FloatArray | None) -> Table:
        """Return what is scaled: the columns, or the components."""
        if self.space == "columns":
            return X
        return PrincipalComponents().fit(X, sample_weight=weights).transform(X)

    def _starts(self, n_columns: int) -> list[FloatArray]:
        """Return the logarithms of the factors that each start begins at."""
        rng = check_random_state(self.random_state)
        drawn = [rng.normal(size=n_columns) for _ in range(1, int(self.starts))]
        return [np.zeros(n_columns), *drawn]

    def _engine(
        self, data: Data, chain: Chain, objective: Objective, start: FloatArray
    ) -> ScalingEngine:
        specification = chain.specification
        arguments = (data, specification.kernel, specification.machine, objective)
        options: dict[str, Any] = {
            "reach": float(self.reach),
            "max_evaluations": int(self.max_evaluations),
            "start": start,
        }
        if self.method == "lp":
            return ShareEngine(*arguments, penalty=float(self.penalty), **options)
        options["rise"] = float(self.rise) if self.n_features_to_select is None else None
        return ScalingEngine(*arguments, threshold=float(self.threshold), **options)

    # ---- the walk and its result

    def _walked(self, data: Data, parts: Parts, engine: ScalingEngine) -> Path:
        names: Sequence[str] | None = getattr(self, "feature_names_in_", None)
        if self.space == "components":
            names = component_names(data.n_columns)
        recorder = PathRecorder(data.n_columns, column_names=names, notes=notes_of(data, parts))
        with Progress(data.n_columns, parts.least, shown=self.progress) as progress:
            progress.update(recorder.size)
            for _ in record(recorder, walk(data, parts, engine=engine)):
                progress.update(recorder.size)
        recorder.notes |= {
            "criterion": f"{type(self).__name__}({self.method})",
            "space": self.space,
            "objective_values": [float(value) for value in engine.values],
        }
        return recorder.path()

    def _store(self, path: Path, found: Scaling) -> None:
        self.path_ = path
        self.support_ = np.zeros(path.n_columns, dtype=bool)
        self.support_[found.kept] = True
        self.weights_ = np.zeros(path.n_columns)
        self.weights_[found.kept] = found.factors
        self.ranking_ = path.ranking()
        self.n_features_ = len(found.kept)
        self.value_ = found.value

    def _scaled_estimator(self, chain: Chain, kernel: Kernel, found: Scaling) -> Pipeline:
        """Return the user's transformers and machine, with the factors between them."""
        machine = clone(chain.machine)
        set_tuned(machine, found.machine, kernel)
        steps = [clone(step) for _, step in chain.transformers]
        if self.space == "components":
            steps.append(PrincipalComponents(keep=found.kept))
        return make_pipeline(*steps, ColumnWeights(found.factors), machine)

    def _judge(self, X: Table, classes: NDArray[Any]) -> None:
        """Warn where the end of the descent tells no classes apart."""
        rows = X if self.space == "components" else X[:, np.flatnonzero(self.support_)]
        predicted = np.unique(self.estimator_.predict(rows)).tolist()
        if len(predicted) == 1:
            warnings.warn(
                f"{type(self).__name__} found its objective smallest, {self.value_:.3g}, for a "
                f"machine that takes all training rows for class {predicted[0]!r}, of "
                f"{classes.tolist()}. Use slack='l2', another objective, or another start for C.",
                UserWarning,
                stacklevel=3,
            )
