"""The support vector classifier."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from svsieve.arrays import FloatArray, Table
from svsieve.estimators.pair_solving import judge_pairs, solve_pairs
from svsieve.estimators.pairs import (
    class_slices,
    count_votes,
    dual_table,
    join_pairs,
    one_vs_rest_values,
)
from svsieve.estimators.probabilities import GivesProbabilities
from svsieve.estimators.validation import (
    class_codes,
    class_weights,
    prediction_rows,
    sample_weights,
    training_rows,
)
from svsieve.kernels import Kernel, Linear, PerFeature
from svsieve.machines import BinaryTask, CSvm, DualSolution, L2Svm, Sigmoid, one_vs_one
from svsieve.resolve import (
    Specification,
    check_flag,
    check_iterations,
    check_option,
    check_real,
    resolve_kernel,
    resolve_machine,
)
from svsieve.selection.judged import refuse_ties_of_pairs

PREDICTION_BLOCK_BYTES = 64 * 2**20


class SVC(GivesProbabilities, ClassifierMixin, BaseEstimator):
    """Support vector classifier, two classes or one-vs-one.

    Minimises ``|w|^2 / 2 + C * sum(xi)`` (``slack="l1"``) or ``|w|^2 / 2 + C / 2 * sum(xi ** 2)``
    (``slack="l2"``) with an unpenalised intercept. Attributes are laid out as in scikit-learn's
    ``SVC`` and agree with it to solver tolerance.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of the slacks. ``C=inf`` is the hard margin, for classes that the kernel can
        separate.
    kernel : {"linear", "poly", "rbf", "laplace"} or Kernel, default="rbf"
        Short name, or an object of :mod:`svsieve.kernels`. An object carries its own parameters;
        `gamma`, `degree` and `coef0` are then not used.
    gamma : float, PerFeature, "scale" or "auto", default="scale"
        Width of "rbf" and "laplace", factor of "poly". "scale" is one over the number of columns
        times the variance of all entries; "auto" is one over the number of columns.
    degree : int, default=3
        Degree of "poly".
    coef0 : float, default=0.0
        Constant term of "poly", not negative.
    slack : {"l1", "l2"}, default="l1"
        How slacks are penalised.
    tol : float, default=1e-3
        Largest KKT gap of a solution, in units of the decision function. Small problems are
        solved further than asked.
    class_weight : dict, "balanced" or None, default=None
        Factors of C per class; classes a dict leaves out have 1. "balanced" weighs classes
        inversely to their number of rows.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        With more than two classes: one column per class, or one per pair of classes.
    break_ties : bool, default=False
        With "ovr" and more than two classes: predict the largest decision value, not the first
        of the classes with most votes.
    max_iter : int, default=-1
        Limit of solver iterations per pair of classes; -1 is none.
    cache_size : float, default=1000
        Memory in MB for kernel values in training: the whole Gram matrix if it fits and is worth
        it, the rows last used otherwise.
    probability : bool, default=False
        Fit what `predict_proba` needs, at the price of five more trainings: a sigmoid for each pair
        of classes, on the decision values of rows held out in turn.
    random_state : int, RandomState instance or None, default=None
        Which rows are held out together; of no effect without `probability`.
    shrinking, verbose : bool, default=True and False
        Of no effect, there for scikit-learn's sake: the solver always leaves rows at their bounds
        aside while it may, and says nothing.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    class_weight_ : ndarray of shape (n_classes,)
        Factor of C of each class.
    support_ : ndarray of shape (n_SV,)
        Rows that are support vectors, grouped by class.
    support_vectors_ : ndarray or CSR of shape (n_SV, n_features)
        Those rows.
    n_support_ : ndarray of shape (n_classes,)
        Support vectors of each class.
    dual_coef_ : ndarray of shape (n_classes - 1, n_SV)
        Label times multiplier of each support vector, one row per other class.
    intercept_ : ndarray of shape (n_pairs,)
        Constant of each decision function.
    coef_ : ndarray of shape (n_pairs, n_features)
        Weights of the columns, linear kernel only; dense, also after a fit to sparse rows, and
        read-only.
    kernel_ : Kernel
        The kernel used, its gamma a number.
    fit_status_ : int
        0 where the machines reached `tol`, 1 where a warning said that they did not.
    shape_fit_ : tuple of int
        Shape of the table in `fit`.
    probA_, probB_ : ndarray of shape (n_pairs,)
        `sigmoids_` in scikit-learn's form; empty without ``probability=True``.
    kkt_gap_ : float
        Largest KKT gap over the pairs of classes, in units of the margin; where decision values
        span less than its width, as with a small C, in units of half their range.
    n_iter_ : ndarray of shape (n_pairs,)
        Solver iterations of each pair.
    sigmoids_ : tuple of Sigmoid
        How decision values of each pair become probabilities; with ``probability=True`` only.
    n_features_in_ : int
        Columns seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X has column names that are all strings.

    Notes
    -----
    A row of weight 2 counts as two equal rows throughout: in its share of the penalty, in
    ``gamma="scale"``, in ``class_weight="balanced"`` and in probabilities. A row of weight 0 is
    left out.

    Probabilities are those of Platt, fitted as Lin, Lin and Weng (2007) do, to decision values of
    stratified folds, five or as many as the rarest class allows; equal rows share a fold, and the
    only row of a class is not held out. They never fall where the decision value rises. Those of
    more than two classes are coupled as Wu, Lin and Weng (2004) propose. The likeliest class need
    not be the one that `predict` names, which the decision values decide.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from svsieve import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SVC(kernel="linear", C=10).fit(X, y)
    >>> model.score(X, y)
    0.98
    >>> model.coef_.shape
    (3, 4)
    """

    classes_: NDArray[Any]
    class_weight_: FloatArray
    support_: NDArray[np.signedinteger[Any]]
    support_vectors_: Any
    n_support_: NDArray[np.int32]
    dual_coef_: FloatArray
    intercept_: FloatArray
    kernel_: Kernel
    kkt_gap_: float
    n_iter_: NDArray[np.int64]
    sigmoids_: tuple[Sigmoid, ...]
    fit_status_: int
    shape_fit_: tuple[int, int]

    def __init__(
        self,
        C: float = 1.0,
        kernel: str | Kernel = "rbf",
        *,
        gamma: float | str | PerFeature = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        slack: str = "l1",
        tol: float = 1e-3,
        class_weight: dict[Any, float] | str | None = None,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        max_iter: int = -1,
        cache_size: float = 1000,
        probability: bool = False,
        random_state: int | np.random.RandomState | None = None,
        shrinking: bool = True,
        verbose: bool = False,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.slack = slack
        self.tol = tol
        self.class_weight = class_weight
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.probability = probability
        self.random_state = random_state
        self.shrinking = shrinking
        self.verbose = verbose

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train one machine per pair of classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,), optional
            Non-negative factors of C per row.

        Returns
        -------
        SVC
            The fitted estimator.
        """
        kernel, machine = self._check_parameters()
        X, y = training_rows(self, X, y)
        classes, codes = class_codes(self, y)
        weights = sample_weights(sample_weight, classes, codes)
        factors = class_weights(self, self.class_weight, classes, codes, weights)

        self.shape_fit_ = (len(codes), X.shape[1])
        used = np.flatnonzero(weights)
        if len(used) < len(codes):
            X, codes, weights = X[used], codes[used], weights[used]
        kernel = kernel.bind(X, row_weights=weights)
        tasks = one_vs_one(codes, len(classes))
        solutions = solve_pairs(
            tasks,
            machine,
            kernel,
            X,
            weights * factors[codes],
            tol=self.tol,
            max_iter=self.max_iter,
            cache_bytes=int(self.cache_size * 2**20),
        )
        owner = type(self).__name__
        reached = judge_pairs(tasks, solutions, classes, owner=owner, C=self.C, tol=self.tol)

        self.classes_, self.class_weight_, self.kernel_ = classes, factors, kernel
        self.fit_status_ = 0 if reached else 1
        self._store(tasks, solutions, X, codes)
        self.support_ = used[self.support_].astype(np.int32)
        if self.probability:
            self.sigmoids_ = self._fit_sigmoids(X, codes, weights)
        elif hasattr(self, "sigmoids_"):  # of an earlier fit
            del self.sigmoids_
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Return the decision values of rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows to judge.

        Returns
        -------
        ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_pairs)
            Two classes: positive means ``classes_[1]``. More classes: votes plus confidence of
            each class ("ovr"), or one column per pair (i, j), i < j, positive for class i ("ovo").
        """
        rows = self._rows_to_judge(X)
        n_classes = len(self.classes_)
        if n_classes == 2:
            return self._by_blocks(rows, np.ravel)
        if self.decision_function_shape == "ovo":
            return self._by_blocks(rows, np.asarray)
        return self._by_blocks(rows, lambda pairs: one_vs_rest_values(pairs, n_classes))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows to classify.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        refuse_ties_of_pairs(self.decision_function_shape, self.break_ties)
        rows = self._rows_to_judge(X)
        n_classes = len(self.classes_)
        if n_classes == 2:
            winners = self._by_blocks(rows, lambda pairs: pairs.ravel() >= 0)
        elif self.break_ties:
            winners = self._by_blocks(
                rows, lambda pairs: one_vs_rest_values(pairs, n_classes).argmax(axis=1)
            )
        else:
            winners = self._by_blocks(
                rows, lambda pairs: count_votes(pairs > 0, n_classes).argmax(axis=1)
            )
        return self.classes_.take(winners.astype(np.intp))

    @property
    def coef_(self) -> FloatArray:
        """Weights of the columns, one row per pair of classes; linear kernel only."""
        kernel = getattr(self, "kernel_", None)
        if not isinstance(kernel, Linear):
            raise AttributeError("coef_ is only available after fit with a linear kernel.")
        shares = [
            np.asarray(self.dual_coef_[:, group] @ self.support_vectors_[group])
            for group in class_slices(self.n_support_)
        ]
        coef = join_pairs(shares)
        if kernel.weights is not None:
            coef *= np.asarray(kernel.weights)
        coef.flags.writeable = False  # it is computed: what is written there would be lost
        return coef

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _specification(self) -> Specification:
        """What an elimination or a validation solves in the place of this estimator."""
        kernel, machine = self._check_parameters()
        return Specification(
            kernel=kernel,
            machine=machine,
            tol=float(self.tol),
            max_iter=int(self.max_iter),
            class_weight=self.class_weight,
        )

    def _check_parameters(self) -> tuple[Kernel, CSvm | L2Svm]:
        """Refuse bad options, all of them, before the data is looked at."""
        owner = type(self).__name__
        machine = resolve_machine(self.slack, self.C, owner=owner)
        kernel = resolve_kernel(
            self.kernel, gamma=self.gamma, degree=self.degree, coef0=self.coef0, owner=owner
        )
        check_real(owner, "tol", self.tol, above=0.0)
        check_real(owner, "cache_size", self.cache_size, above=0.0)
        check_iterations(owner, self.max_iter)
        for name in ("probability", "shrinking", "verbose"):
            check_flag(owner, name, getattr(self, name))
        check_random_state(self.random_state)
        self._check_shape()
        return kernel, machine

    def _check_shape(self) -> None:
        owner = type(self).__name__
        shape = self.decision_function_shape
        check_option(owner, "decision_function_shape", shape, ("ovr", "ovo"))
        check_flag(owner, "break_ties", self.break_ties)

    def _store(
        self,
        tasks: Sequence[BinaryTask],
        solutions: Sequence[DualSolution],
        X: Any,
        codes: NDArray[np.intp],
    ) -> None:
        """Keep the support vectors, grouped by class, with their coefficients."""
        dual = dual_table(tasks, solutions, codes, len(self.classes_))
        support = np.flatnonzero(dual.any(axis=0))
        support = support[np.argsort(codes[support], kind="stable")]
        # The first class of a pair is its positive one; with two classes users expect the second.
        sign = -1.0 if len(self.classes_) == 2 else 1.0
        self.support_ = support
        self.support_vectors_ = X[support]
        self.n_support_ = np.bincount(codes[support], minlength=len(self.classes_)).astype(np.int32)
        self.dual_coef_ = sign * dual[:, support]
        self.intercept_ = sign * np.array([solution.offset for solution in solutions])
        self.kkt_gap_ = float(max(solution.kkt_gap for solution in solutions))
        self.n_iter_ = np.array([solution.iterations for solution in solutions])

    def _pair_decisions(self, X: Any) -> FloatArray:
        return self._by_blocks(self._rows_to_judge(X), np.asarray)

    def _rows_to_judge(self, X: Any) -> Any:
        check_is_fitted(self, "support_vectors_")
        self._check_shape()
        return prediction_rows(self, X)

    def _by_blocks(self, X: Any, finish: Callable[[FloatArray], NDArray[Any]]) -> NDArray[Any]:
        """Decision values of all pairs of classes, `finish`ed, in blocks of bounded memory."""
        groups = class_slices(self.n_support_)
        width = len(self.support_) + 2 * len(self.intercept_)
        step = max(1, PREDICTION_BLOCK_BYTES // (8 * width))
        finished = []
        for start in range(0, X.shape[0], step):
            block = in_form_of(self.support_vectors_, X[start : start + step])
            values = self.kernel_.cross(block, self.support_vectors_, first_row=start)
            shares = [self.dual_coef_[:, group] @ values[:, group].T for group in groups]
            finished.append(finish(join_pairs(shares).T + self.intercept_))
        return np.concatenate(finished)


def in_form_of(model: Table, X: Table) -> Table:
    """Return X sparse if `model` is, dense if `model` is."""
    if sparse.issparse(model):
        return sparse.csr_array(X)
    return X.toarray() if sparse.issparse(X) else X
