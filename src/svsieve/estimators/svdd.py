"""Support vector data description: the smallest sphere around one class."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from svsieve.arrays import FloatArray
from svsieve.elimination.engines.engine import centred_columns
from svsieve.estimators.one_class_base import ROUNDING, DescribesOneClass, Solved
from svsieve.kernels import Kernel, Linear, PerFeature
from svsieve.machines import Machine, NegativeSvdd, SquaredSvdd, Svdd
from svsieve.resolve import check_option, check_real, check_share


class SVDD(DescribesOneClass):
    """Support vector data description: a small sphere in feature space around one class.

    Minimises ``R^2 + C * sum(xi)`` (``slack="l1"``) or ``R^2 + C * sum(xi ** 2)`` (``slack="l2"``)
    over centres and radii, where row x may lie outside by ``xi``: its squared distance from the
    centre is at most ``R^2 + xi``. Rows marked -1 in `y` are known negatives, whose squared
    distance is to be at least ``R^2 - xi``.

    Parameters
    ----------
    kernel : {"rbf", "linear", "poly", "laplace"} or Kernel, default="rbf"
        A short name, or an object of :mod:`svsieve.kernels`, which carries its own parameters.
    nu : float, default=0.1
        In (0, 1]: ``C = 1 / (nu * n)`` for n targets. Without known negatives at most this share
        of the training rows lies outside, and at least this share are support vectors. Of no effect
        where `C` is given.
    C : float, optional
        Penalty of targets outside, in the place of `nu`. With linear slack at least 1 / n; from 1
        on the sphere is rigid: no row lies outside. ``slack="l2"`` needs it.
    slack : {"l1", "l2"}, default="l1"
        Penalty of the slacks themselves or of their squares.
    C_outlier : float, optional
        Penalty of known negatives inside; that of targets by default.
    gamma : float, "scale", "auto" or PerFeature, default="scale"
        Factor of the kernel, as in :class:`svsieve.SVC`. :mod:`svsieve.one_class` has ways to
        choose it.
    degree : int, default=3
        Degree of "poly".
    coef0 : float, default=0.0
        Constant term of "poly".
    tol : float, default=1e-3
        KKT gap at which training stops. Up to 200 rows are always solved to the last digits.
    max_iter : int, default=-1
        Limit on solver iterations; -1 for none.
    cache_size : float, default=1000
        Memory in MB for kernel values in training.

    Attributes
    ----------
    radius_ : float
        Radius of the sphere in feature space.
    center_ : ndarray of shape (n_features,)
        Its centre, linear kernel only.
    support_ : ndarray of int, shape (n_SV,)
        Training rows that are support vectors.
    support_vectors_ : ndarray or sparse matrix of shape (n_SV, n_features)
        Those rows.
    n_support_ : ndarray of int, shape (1,)
        How many they are.
    dual_coef_ : ndarray of shape (1, n_SV)
        Their shares in the centre, which sum to one; negative for known negatives.
    offset_ : float
        ``decision_function`` is ``score_samples`` less this: minus the squared radius.
    kernel_ : Kernel
        The kernel used, its gamma a number.
    kkt_gap_ : float
        KKT gap reached.
    n_iter_ : int
        Solver iterations.
    n_features_in_ : int
        Columns seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X has column names that are all strings.

    See Also
    --------
    OneClassSVC : A half-space in the place of the sphere.

    Notes
    -----
    ``score_samples`` is minus the squared distance from the centre. Rows on the sphere count as
    inside, also a known negative that it evades by just as much as it must. A row of weight k
    counts as k rows, one of weight 0 not at all.

    Known negatives change what `nu` promises: the share of targets at their bound is then at most
    ``nu * (1 + s)``, where s is the sum of the absolute coefficients of the negatives, and at most
    ``s / C_outlier`` negatives lie inside.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve import SVDD
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> model = SVDD(nu=0.1, gamma=0.1).fit(X)
    >>> model.predict([[0.0, 0.0], [5.0, 5.0]])
    array([ 1, -1])

    A rigid sphere around three points, which then has to evade a fourth, known as a negative:

    >>> X, y = [[0.0, 0.0], [1.0, 0.0], [4.0, 0.0], [2.0, -1.0]], [1, 1, 1, -1]
    >>> sphere = SVDD("linear", C=1.0).fit(X[:3])
    >>> sphere.center_, sphere.radius_
    (array([2., 0.]), 2.0)
    >>> sphere = SVDD("linear", C=10.0).fit(X, y)
    >>> sphere.center_, sphere.radius_
    (array([2. , 1.5]), 2.5)
    """

    radius_: float

    def __init__(
        self,
        kernel: str | Kernel = "rbf",
        nu: float = 0.1,
        *,
        C: float | None = None,
        slack: str = "l1",
        C_outlier: float | None = None,
        gamma: float | str | PerFeature = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        tol: float = 1e-3,
        max_iter: int = -1,
        cache_size: float = 1000,
    ) -> None:
        super().__init__(kernel, nu, gamma, degree, coef0, tol, max_iter, cache_size)
        self.C = C
        self.slack = slack
        self.C_outlier = C_outlier

    def fit(
        self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Find the sphere.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows of the class, and known negatives if there are any.
        y : array-like of shape (n_samples,), optional
            -1 marks a known negative; every other label is a target's.
        sample_weight : array-like of shape (n_samples,), optional
            Non-negative weights of the rows.

        Returns
        -------
        SVDD
            The fitted estimator.
        """
        return self._trained(X, y, sample_weight)

    def fit_predict(
        self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> NDArray[np.int64]:
        """Find the sphere and say which of the rows lie inside.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows of the class, and known negatives if there are any.
        y : array-like of shape (n_samples,), optional
            -1 marks a known negative.
        sample_weight : array-like of shape (n_samples,), optional
            Non-negative weights of the rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            1 for rows on or inside the sphere, -1 for those outside.
        """
        return self.fit(X, y, sample_weight).predict(X)

    @property
    def center_(self) -> FloatArray:
        """The centre of the sphere; linear kernel only."""
        if not isinstance(getattr(self, "kernel_", None), Linear):
            raise AttributeError("center_ is only available after fit with a linear kernel.")
        return self._center

    def _machines(self) -> tuple[Machine, Machine | None]:
        owner = type(self).__name__
        nu = check_share(owner, "nu", self.nu)
        squared = check_option(owner, "slack", self.slack, ("l1", "l2")) == "l2"
        C = None if self.C is None else check_real(owner, "C", self.C, above=0.0)
        own = self.C_outlier
        C_outlier = None if own is None else check_real(owner, "C_outlier", own, above=0.0)
        if squared:
            if C is None:
                raise ValueError(
                    f"The 'C' parameter of {owner} must be a float in (0, inf) with slack='l2': nu "
                    "is a share of rows under linear slack only. Got None instead."
                )
            return SquaredSvdd(C), SquaredSvdd(C, C_outlier)
        if C is None:
            return Svdd(nu=nu), NegativeSvdd(C_outlier=C_outlier, nu=nu)
        return Svdd(C=C), NegativeSvdd(C, C_outlier)

    def _check_rows(self, weights: FloatArray) -> None:
        total = float(weights.sum())
        if self.C is not None and self.slack == "l1" and self.C * total < 1.0 - 1e-9:
            raise ValueError(
                f"The 'C' parameter of {type(self).__name__} must be at least 1 / {total:g} = "
                f"{1.0 / total:.6g}, one over the targets with their weights (n_samples = "
                f"{len(weights)}). Got {self.C!r} instead."
            )

    def _table(self, kernel: Kernel, X: Any) -> Any:
        """Return rows less their mean for the linear kernel: the same sphere, with more digits."""
        shifted = isinstance(kernel, Linear) and not sparse.issparse(X)
        return centred_columns(X)[0] if shifted else X

    def _store(self, solved: Solved) -> None:
        solution, problem = solved.solution, solved.problem
        inner = solution.gradient - problem.linear - problem.ridge * solution.coefficients
        self._center_norm = float(solution.coefficients @ inner)
        if isinstance(self.kernel_, Linear):
            self._center = np.asarray(self.dual_coef_[0] @ self.support_vectors_)
            factors = self.kernel_.column_factors(len(self._center))
            self._center_norm = float(((self._center * factors) ** 2).sum())
        rounding = -2.0 * ROUNDING * float(problem.linear.min())
        squared_radius = float(solved.machine.squared_radius(solution, problem)) + rounding
        squared_radius += 2.0 * (solved.offset() - solution.offset)
        if squared_radius < 0 and self._typicality(self.support_vectors_).min() >= -rounding:
            squared_radius = rounding  # all rows are one point
        if squared_radius < 0:
            raise ValueError(
                f"The 'C' parameter of {type(self).__name__} is too small for these rows: the best "
                f"sphere has no inside. Raise it. Got {self.C!r} instead."
            )
        self.offset_ = -squared_radius
        self.radius_ = math.sqrt(squared_radius)

    def _typicality(self, X: Any, first_row: int = 0) -> FloatArray:
        """Minus the squared distance from the centre, k(z, z) - 2 sum_k b_k k(x_k, z) + b'Kb."""
        if isinstance(self.kernel_, Linear) and not sparse.issparse(X):
            factors = self.kernel_.column_factors(X.shape[1])
            return np.asarray(-(((X - self._center) * factors) ** 2).sum(axis=1))
        own = self.kernel_.diagonal_of(X)
        return np.asarray(2.0 * self._kernel_sums(X, first_row) - own - self._center_norm)
