"""Prediction by the estimator that a search found best."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from svsieve.arrays import FloatArray
from svsieve.estimators.validation import prediction_rows

Method = TypeVar("Method", bound=Callable[..., Any])


def _where_estimator_has(name: str) -> Callable[[Method], Method]:
    """Return a decorator that hides a method where the estimator, fitted or given, has none."""

    def check(search: PredictsByBest) -> bool:
        getattr(getattr(search, "best_estimator_", search._estimator()), name)
        return True

    decorate: Callable[[Method], Method] = available_if(check)
    return decorate


class PredictsByBest:
    """What a fitted search can do as a classifier; it needs `best_estimator_`."""

    best_estimator_: Any

    def _estimator(self) -> Any:
        """Return the estimator whose parameters are searched."""
        raise NotImplementedError

    @property
    def classes_(self) -> NDArray[Any]:
        """Labels of the classes, sorted."""
        labels: NDArray[Any] = self.best_estimator_.classes_
        return labels

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row, by `best_estimator_`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows to classify.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        return self._by_best("predict", X)

    def decision_function(self, X: Any) -> FloatArray:
        """Return the decision values of rows, by `best_estimator_`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows to judge.

        Returns
        -------
        ndarray
            As `best_estimator_` gives them.
        """
        return self._by_best("decision_function", X)

    @_where_estimator_has("predict_proba")
    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probabilities of the classes, where the estimator gives them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows to judge.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            One column per class, in the order of `classes_`.
        """
        return self._by_best("predict_proba", X)

    @_where_estimator_has("predict_log_proba")
    def predict_log_proba(self, X: Any) -> FloatArray:
        """Return the logarithms of the probabilities, where the estimator gives them.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows to judge.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            One column per class, in the order of `classes_`.
        """
        return self._by_best("predict_log_proba", X)

    def _by_best(self, method: str, X: Any) -> NDArray[Any]:
        check_is_fitted(self, "best_estimator_")
        values: NDArray[Any] = getattr(self.best_estimator_, method)(prediction_rows(self, X))
        return values
