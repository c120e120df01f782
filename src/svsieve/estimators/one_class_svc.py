"""The half-space around one class, as far from the origin as can be."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from svsieve.arrays import FloatArray
from svsieve.estimators.one_class_base import ROUNDING, DescribesOneClass, Solved
from svsieve.kernels import Kernel, Linear, PerFeature
from svsieve.machines import Machine, OneClass
from svsieve.resolve import check_flag, check_share


class OneClassSVC(DescribesOneClass):
    """Separate the rows of one class from the origin of feature space by the widest margin.

    Minimises ``|w|^2 / 2 - rho + sum(xi) / (nu * n)`` with ``<w, phi(x)> >= rho - xi``. Attributes
    and decision values are those of scikit-learn's ``OneClassSVM``, to solver tolerance.

    Parameters
    ----------
    kernel : {"rbf", "linear", "poly", "laplace"} or Kernel, default="rbf"
        A short name, or an object of :mod:`svsieve.kernels`, which carries its own parameters.
    nu : float, default=0.5
        In (0, 1]. At most this share of the training rows is left outside, and at least this share
        are support vectors.
    gamma : float, "scale", "auto" or PerFeature, default="scale"
        Factor of the kernel, as in :class:`svsieve.SVC`.
    degree : int, default=3
        Degree of "poly".
    coef0 : float, default=0.0
        Constant term of "poly".
    tol : float, default=1e-3
        KKT gap at which training stops, in scikit-learn's unit. Up to 200 rows are always solved to
        the last digits.
    max_iter : int, default=-1
        Limit on solver iterations; -1 for none.
    cache_size : float, default=1000
        Memory in MB for kernel values in training.
    shrinking, verbose : bool, default=True and False
        Of no effect, there for scikit-learn's sake.

    Attributes
    ----------
    support_ : ndarray of int, shape (n_SV,)
        Training rows that are support vectors.
    support_vectors_ : ndarray or sparse matrix of shape (n_SV, n_features)
        Those rows.
    n_support_ : ndarray of int, shape (1,)
        How many they are.
    dual_coef_ : ndarray of shape (1, n_SV)
        Their coefficients, at most their weights.
    offset_ : float
        ``decision_function`` is ``score_samples`` less this.
    intercept_ : ndarray of shape (1,)
        Minus `offset_`.
    coef_ : ndarray of shape (1, n_features)
        Weights of the columns, linear kernel only; dense and read-only.
    kernel_ : Kernel
        The kernel used, its gamma a number.
    kkt_gap_ : float
        KKT gap reached.
    n_iter_ : int
        Solver iterations.
    fit_status_ : int
        0 where the machine reached `tol`, 1 where a warning said that it did not.
    shape_fit_ : tuple of int
        Shape of the table in `fit`.
    n_features_in_ : int
        Columns seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X has column names that are all strings.

    See Also
    --------
    SVDD : A sphere in the place of the half-space. Where ``k(x, x)`` is the same for all rows, as
        with "rbf" or :class:`svsieve.kernels.Normalised`, both draw the same boundary.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve import OneClassSVC
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> model = OneClassSVC(nu=0.1, gamma=0.1).fit(X)
    >>> model.predict([[0.0, 0.0], [5.0, 5.0]])
    array([ 1, -1])
    """

    def __init__(
        self,
        kernel: str | Kernel = "rbf",
        nu: float = 0.5,
        *,
        gamma: float | str | PerFeature = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        tol: float = 1e-3,
        max_iter: int = -1,
        cache_size: float = 1000,
        shrinking: bool = True,
        verbose: bool = False,
    ) -> None:
        super().__init__(kernel, nu, gamma, degree, coef0, tol, max_iter, cache_size)
        self.shrinking = shrinking
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Find the half-space.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows of the class.
        y : array-like of shape (n_samples,), optional
            Not looked at: all rows are rows of the class. Where -1 marks some as known negatives,
            a warning says that they are not told apart; :class:`SVDD` does.
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight k counts as k rows, one of weight 0 not at all.

        Returns
        -------
        OneClassSVC
            The fitted estimator.
        """
        return self._trained(X, y, sample_weight)

    @property
    def coef_(self) -> FloatArray:
        """Weights of the columns; linear kernel only."""
        kernel = getattr(self, "kernel_", None)
        if not isinstance(kernel, Linear):
            raise AttributeError("coef_ is only available after fit with a linear kernel.")
        coef = np.asarray(self.dual_coef_ @ self.support_vectors_)
        coef = coef if kernel.weights is None else coef * np.asarray(kernel.weights)
        coef.flags.writeable = False  # it is computed: what is written there would be lost
        return coef

    @property
    def intercept_(self) -> FloatArray:
        """Minus the offset."""
        return np.array([-self.offset_])

    def _machines(self) -> tuple[Machine, Machine | None]:
        for name in ("shrinking", "verbose"):
            check_flag(type(self).__name__, name, getattr(self, name))
        return OneClass(check_share(type(self).__name__, "nu", self.nu)), None

    def _store(self, solved: Solved) -> None:
        """Turn coefficients that sum to one into scikit-learn's, each at most its weight."""
        unit = float(self.nu) * float(solved.weights.sum())
        self.dual_coef_ = self.dual_coef_ * unit
        largest = float(self.kernel_.diagonal_of(self.support_vectors_).max())
        self.offset_ = -unit * (solved.offset() + ROUNDING * largest)

    def _typicality(self, X: Any, first_row: int = 0) -> FloatArray:
        return self._kernel_sums(X, first_row)
