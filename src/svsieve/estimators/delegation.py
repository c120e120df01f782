"""Prediction by the estimator that was fitted on the columns kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from svsieve.arrays import FloatArray, Table
from svsieve.estimators.validation import prediction_rows
from svsieve.resolve.fitting import last_step

Method = TypeVar("Method", bound=Callable[..., Any])


def _where_estimator_has(name: str) -> Callable[[Method], Method]:
    """Return a decorator that hides a method where the estimator, fitted or given, has none."""

    def check(selector: PredictsOnSelection) -> bool:
        getattr(getattr(selector, "estimator_", selector._estimator()), name)
        return True

    decorate: Callable[[Method], Method] = available_if(check)
    return decorate


def asked_inside(requests: Any, estimator: Any) -> Any:
    """Return metadata requests with `sample_weight` asked for where the estimator inside does.

    Parameters
    ----------
    requests : MetadataRequest
        Of the estimator around it, which come first.
    estimator : estimator
        The one inside; of a pipeline the last step.
    """
    inner = last_step(estimator)
    if not hasattr(inner, "get_metadata_routing"):  # `fit` will say so
        return requests
    asked = inner.get_metadata_routing()
    for method in ("fit", "score"):
        own, theirs = getattr(requests, method), getattr(asked, method)
        if own.requests.get("sample_weight") is None:
            request = theirs.requests.get("sample_weight")
            own.add_request(param="sample_weight", alias=request)
    return requests


class PredictsOnSelection:
    """What a fitted selector can do as a classifier; it needs `support_` and `estimator_`."""

    support_: NDArray[np.bool_]
    estimator_: Any

    def _estimator(self) -> Any:
        """Return the estimator that is to be fitted."""
        raise NotImplementedError

    @property
    def classes_(self) -> NDArray[Any]:
        """Labels of the classes, sorted."""
        labels: NDArray[Any] = self.estimator_.classes_
        return labels

    @property
    def offset_(self) -> float:
        """What `score_samples` has at the boundary of one class."""
        return float(self.estimator_.offset_)

    @_where_estimator_has("predict")
    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row, by `estimator_` on the columns kept.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with all columns.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        return self._by_estimator("predict", X)

    @_where_estimator_has("decision_function")
    def decision_function(self, X: Any) -> FloatArray:
        """Return the decision values of rows, by `estimator_` on the columns kept.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with all columns.

        Returns
        -------
        ndarray
            As `estimator_` gives them.
        """
        return self._by_estimator("decision_function", X)

    @_where_estimator_has("score_samples")
    def score_samples(self, X: Any) -> FloatArray:
        """Return how typical rows are of the one class described, by `estimator_`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with all columns.

        Returns
        -------
        ndarray of shape (n_samples,)
            The larger the more typical.
        """
        return self._by_estimator("score_samples", X)

    @_where_estimator_has("predict_proba")
    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probabilities of the classes, where the estimator gives them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with all columns.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            One column per class, in the order of `classes_`.
        """
        return self._by_estimator("predict_proba", X)

    @_where_estimator_has("predict_log_proba")
    def predict_log_proba(self, X: Any) -> FloatArray:
        """Return the logarithms of the probabilities, where the estimator gives them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with all columns.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            One column per class, in the order of `classes_`.
        """
        return self._by_estimator("predict_log_proba", X)

    @_where_estimator_has("score")
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the share of rows that `estimator_` classifies right.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with all columns.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.

        Returns
        -------
        float
            Accuracy.
        """
        rows = self._kept(X)
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return float(self.estimator_.score(rows, y, **weights))

    def _by_estimator(self, method: str, X: Any) -> NDArray[Any]:
        rows = self._kept(X)
        values: NDArray[Any] = getattr(self.estimator_, method)(rows)
        return values

    def _kept(self, X: Any) -> Table:
        check_is_fitted(self, "support_")
        return prediction_rows(self, X)[:, np.flatnonzero(self.support_)]
