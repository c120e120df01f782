"""Transformers that stand before a machine whose columns are scaled."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from svsieve.arrays import FloatArray, Table
from svsieve.kernels.pairings import scale_columns


class ColumnWeights(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Multiply each column by a number of its own.

    Parameters
    ----------
    weights : array-like of shape (n_features,)
        Positive.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.estimators.scaled_columns import ColumnWeights
    >>> ColumnWeights([1.0, 0.5]).fit_transform(np.array([[3.0, 4.0]]))
    array([[3., 2.]])
    """

    def __init__(self, weights: ArrayLike) -> None:
        self.weights = weights

    def fit(self, X: Any, y: Any = None) -> Self:
        """Count the columns of X; nothing else is learned from it."""
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64)
        if np.shape(self.weights) != (X.shape[1],):
            raise ValueError(
                f"The 'weights' parameter of {type(self).__name__} must hold a number for each of "
                f"{X.shape[1]} columns. Got shape {np.shape(self.weights)} instead."
            )
        return self

    def transform(self, X: Any) -> Table:
        """Return X with its columns multiplied."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        return scale_columns(X, np.asarray(self.weights, dtype=np.float64))

    def inverse_transform(self, X: Any) -> Table:
        """Return X with its columns divided."""
        X = check_array(X, accept_sparse="csr", dtype=np.float64)
        return scale_columns(X, 1.0 / np.asarray(self.weights, dtype=np.float64))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class PrincipalComponents(TransformerMixin, BaseEstimator):
    """Rows in the coordinates of their principal axes, z = V'(x - mean).

    Unlike scikit-learn's ``PCA`` it takes weights of rows and picks any of the components, and it
    leaves out those along which the rows do not differ.

    Parameters
    ----------
    keep : array-like of int or None, default=None
        Components to return, that of largest variance being 0; all by default.

    Attributes
    ----------
    mean_ : ndarray of shape (n_features,)
        Of the rows, each as often as it weighs.
    axes_ : ndarray of shape (n_features, n_components)
        V: orthonormal columns, those of larger variance first.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.estimators.scaled_columns import PrincipalComponents
    >>> X = np.array([[1.0, 1.0], [3.0, 3.0], [2.0, 2.0]])
    >>> PrincipalComponents().fit_transform(X).round(6)
    array([[-1.414214],
           [ 1.414214],
           [ 0.      ]])
    """

    mean_: FloatArray
    axes_: FloatArray

    def __init__(self, keep: ArrayLike | None = None) -> None:
        self.keep = keep

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Find the axes of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : None
            Not used.
        sample_weight : array-like of shape (n_samples,), optional
            How often each row counts.

        Returns
        -------
        PrincipalComponents
            The fitted transformer.
        """
        X = validate_data(self, X, dtype=np.float64)
        weights = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight, float)
        from_first = X - X[0]  # a constant column is exactly zero
        mean = (weights @ from_first) / weights.sum()
        centred = np.sqrt(weights)[:, None] * (from_first - mean)
        _, sizes, axes = linalg.svd(centred, full_matrices=False, lapack_driver="gesvd")
        used = sizes > max(X.shape) * np.finfo(np.float64).eps * sizes[0]
        if not used.any():
            raise ValueError("The rows have no principal components: they are all alike.")
        axes = axes[used]
        largest = np.abs(axes).argmax(axis=1)
        axes *= np.sign(axes[np.arange(len(axes)), largest])[:, None]
        self.mean_, self.axes_ = X[0] + mean, np.ascontiguousarray(axes.T)
        return self

    def transform(self, X: Any) -> FloatArray:
        """Return the components of rows."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return np.asarray((X - self.mean_) @ self._kept_axes())

    def inverse_transform(self, X: Any) -> FloatArray:
        """Return the rows that have some components, and none of those not kept."""
        return np.asarray(check_array(X, dtype=np.float64) @ self._kept_axes().T + self.mean_)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return "component0" and so on, for those kept."""
        check_is_fitted(self)
        names = np.array([f"component{j}" for j in range(self.axes_.shape[1])], dtype=object)
        return names if self.keep is None else names[np.asarray(self.keep)]

    def _kept_axes(self) -> FloatArray:
        return self.axes_ if self.keep is None else self.axes_[:, np.asarray(self.keep)]
