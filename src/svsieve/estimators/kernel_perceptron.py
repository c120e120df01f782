"""Rosenblatt's perceptron, in the space of the columns or in that of a kernel."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from svsieve.arrays import FloatArray
from svsieve.estimators.pair_solving import refuse_overflow
from svsieve.estimators.svc import in_form_of
from svsieve.estimators.validation import class_codes, prediction_rows, training_rows
from svsieve.kernels import Kernel, Linear, PerFeature
from svsieve.kernels.rows import values_of
from svsieve.resolve import check_flag, check_integer, check_option, check_real, resolve_kernel

# Kernel values in training: the whole Gram matrix, or the rows last used.
CACHE_BYTES = 1 << 30


class KernelPerceptron(ClassifierMixin, BaseEstimator):
    """The perceptron, which corrects itself at every row that it gets wrong until there is none.

    In its primal form it keeps weights w of the columns, and a row x_i of label y_i (1 or -1) with
    ``y_i <w, x_i> <= 0`` is corrected by ``w += eta y_i x_i``. So w is a sum of rows,
    ``w = sum_i alpha_i y_i x_i``, and the dual form keeps ``alpha_i``, which grows by ``eta`` at
    every mistake with row i. There rows meet in scalar products only, and a kernel may take their
    place. Something to learn and to teach with: it is content with the first boundary that
    separates the rows, where :class:`svsieve.SVC` looks for the best.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "laplace"} or Kernel, default="linear"
        A short name, or an object of :mod:`svsieve.kernels`, which carries its own parameters.
    form : {"dual", "primal"}, default="dual"
        What is kept: coefficients of the rows, or, with the linear kernel, weights of the columns.
        Both make the same mistakes.
    eta : float, default=1.0
        Size of a correction. It scales the decision function and changes nothing else.
    fit_intercept : bool, default=True
        Give every row a constant component 1, whose weight is the intercept.
    gamma : float, "scale", "auto" or PerFeature, default="scale"
        Factor of the kernel, as in :class:`svsieve.SVC`.
    degree : int, default=3
        Degree of "poly".
    coef0 : float, default=0.0
        Constant term of "poly".
    max_epochs : int, default=1000
        Passes over the rows after which a search without end is given up.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        Labels, sorted; decision values are positive for the second.
    converged_ : bool
        Whether the last pass was without a mistake.
    n_epochs_ : int
        Passes over the rows.
    n_updates_ : int
        Corrections in all of them.
    mistakes_ : ndarray of int, shape (n_epochs_,)
        Corrections in each.
    alpha_ : ndarray of shape (n_samples,)
        eta times the mistakes made with each training row: how hard it was.
    support_ : ndarray of int, shape (n_SV,)
        Rows with a mistake.
    support_vectors_ : ndarray or sparse matrix of shape (n_SV, n_features)
        Those rows.
    dual_coef_ : ndarray of shape (1, n_SV)
        Label times alpha of those rows.
    intercept_ : ndarray of shape (1,)
        The constant of the decision function.
    coef_ : ndarray of shape (1, n_features)
        Weights of the columns, linear kernel only.
    kernel_ : Kernel
        The kernel used, its gamma a number.
    n_features_in_ : int
        Columns seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X has column names that are all strings.

    Notes
    -----
    Where a boundary through the origin separates the rows by a margin m, and r is the largest norm
    of a row, both in the space of the kernel and with the constant component, there are at most
    ``(r / m) ** 2`` corrections (Novikoff). Otherwise the search would never end.

    Examples
    --------
    A circle in the plane is a plane in the space of squares:

    >>> import numpy as np
    >>> from svsieve import KernelPerceptron
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> X = X[abs((X**2).sum(axis=1) - 1.5) > 0.2]
    >>> y = (X**2).sum(axis=1) > 1.5
    >>> model = KernelPerceptron("poly", degree=2, coef0=1.0).fit(X, y)
    >>> model.converged_, model.score(X, y)
    (True, 1.0)
    """

    classes_: NDArray[Any]
    converged_: bool
    n_epochs_: int
    n_updates_: int
    mistakes_: NDArray[np.int64]
    alpha_: FloatArray
    support_: NDArray[np.int32]
    support_vectors_: Any
    dual_coef_: FloatArray
    intercept_: FloatArray
    kernel_: Kernel

    def __init__(
        self,
        kernel: str | Kernel = "linear",
        *,
        form: str = "dual",
        eta: float = 1.0,
        fit_intercept: bool = True,
        gamma: float | str | PerFeature = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        max_epochs: int = 1000,
    ) -> None:
        self.kernel = kernel
        self.form = form
        self.eta = eta
        self.fit_intercept = fit_intercept
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.max_epochs = max_epochs

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Pass over the rows until none is wrong.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Their classes, two of them.

        Returns
        -------
        KernelPerceptron
            The fitted estimator.
        """
        kernel = self._check_parameters()
        X, y = training_rows(self, X, y)
        classes, codes = class_codes(self, y)
        if len(classes) > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass: "
                f"y has {len(classes)} classes."
            )
        signs = np.where(codes == 1, 1.0, -1.0)
        self.classes_, self.kernel_ = classes, kernel.bind(X)
        with np.errstate(over="ignore", invalid="ignore"):
            refuse_overflow(self.kernel_.diagonal_of(X), self.kernel_)
        correct = self._primal(X, signs) if self.form == "primal" else self._dual(X, signs)
        self._learn(signs, correct)
        self._keep(X, signs)
        if not self.converged_:
            warnings.warn(
                f"{type(self).__name__} still made {self.mistakes_[-1]} mistakes in pass "
                f"{self.n_epochs_}, the last of max_epochs={self.max_epochs}: the kernel may not "
                "separate the classes.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Return the decision values of rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows to judge.

        Returns
        -------
        ndarray of shape (n_samples,)
            Positive for ``classes_[1]``.
        """
        check_is_fitted(self, "dual_coef_")
        rows = prediction_rows(self, X)
        values = self.kernel_.cross(in_form_of(self.support_vectors_, rows), self.support_vectors_)
        return np.asarray(values @ self.dual_coef_[0] + self.intercept_)

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
        positive = self.decision_function(X) >= 0
        return self.classes_.take(positive.astype(np.intp))

    @property
    def coef_(self) -> FloatArray:
        """Weights of the columns; linear kernel only."""
        kernel = getattr(self, "kernel_", None)
        if not isinstance(kernel, Linear):
            raise AttributeError("coef_ is only available after fit with a linear kernel.")
        coef = np.asarray(self.dual_coef_ @ self.support_vectors_)
        return coef if kernel.weights is None else coef * np.asarray(kernel.weights)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        return tags

    def _check_parameters(self) -> Kernel:
        owner = type(self).__name__
        kernel = resolve_kernel(
            self.kernel, gamma=self.gamma, degree=self.degree, coef0=self.coef0, owner=owner
        )
        form = check_option(owner, "form", self.form, ("dual", "primal"))
        if form == "primal" and not isinstance(kernel, Linear):
            raise ValueError(
                f"The 'form' parameter of {owner} must be 'dual' with the kernel {self.kernel!r}: "
                "only the linear kernel has weights of columns. Got 'primal' instead."
            )
        check_real(owner, "eta", self.eta, above=0.0)
        check_flag(owner, "fit_intercept", self.fit_intercept)
        check_integer(owner, "max_epochs", self.max_epochs, at_least=1)
        return kernel

    def _learn(self, signs: FloatArray, correct: Callable[[int], FloatArray]) -> None:
        """Pass over the rows; `correct` a row returns the decision values of all of them.

        The first row that is wrong from where the pass has come to is found at once.
        """
        values, counts = np.zeros(len(signs)), np.zeros(len(signs))
        mistakes: list[int] = []
        while len(mistakes) < self.max_epochs:
            errors, begin = 0, 0
            while (wrong := signs[begin:] * values[begin:] <= 0).any():
                row = begin + int(wrong.argmax())
                values = correct(row)
                counts[row] += 1
                errors, begin = errors + 1, row + 1
            mistakes.append(errors)
            if errors == 0:
                break
        self.mistakes_ = np.array(mistakes, dtype=np.int64)
        self.n_epochs_, self.n_updates_ = len(mistakes), int(self.mistakes_.sum())
        self.converged_ = mistakes[-1] == 0
        self.alpha_ = self.eta * counts

    def _dual(self, X: Any, signs: FloatArray) -> Callable[[int], FloatArray]:
        """Keep the coefficients: alpha_i += eta changes decision values by eta y_i k(x_i, .)."""
        rows = values_of(self.kernel_, X, CACHE_BYTES)
        constant = float(self.fit_intercept)
        values = np.zeros(len(signs))

        def correct(i: int) -> FloatArray:
            nonlocal values
            row = rows[i] if isinstance(rows, np.ndarray) else rows.row(i)
            values = values + float(self.eta * signs[i]) * (np.asarray(row) + constant)
            return values

        return correct

    def _primal(self, X: Any, signs: FloatArray) -> Callable[[int], FloatArray]:
        """Keep the weights: w += eta y_i x_i."""
        table = self.kernel_.scaled(X) if isinstance(self.kernel_, Linear) else X
        constant = float(self.fit_intercept)
        weights, bias = np.zeros(X.shape[1]), 0.0

        def correct(i: int) -> FloatArray:
            nonlocal weights, bias
            row = table[[i]].toarray()[0] if sparse.issparse(table) else table[i]
            weights = weights + self.eta * signs[i] * row
            bias += self.eta * signs[i] * constant
            return np.asarray(table @ weights + bias)

        return correct

    def _keep(self, X: Any, signs: FloatArray) -> None:
        support = np.flatnonzero(self.alpha_)
        self.support_ = support.astype(np.int32)
        self.support_vectors_ = X[support]
        self.dual_coef_ = (signs * self.alpha_)[support][None, :]
        self.intercept_ = np.array([float(self.fit_intercept) * self.dual_coef_.sum()])
