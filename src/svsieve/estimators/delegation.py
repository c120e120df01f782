"""Prediction by an estimator inside: that of a selection, or the best of a search."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from svsieve.arrays import FloatArray, Table
from svsieve.estimators.validation import prediction_rows
from svsieve.resolve.fitting import last_step
from svsieve.selection.fold_scores import accepts_weights, resolve_metrics

Method = TypeVar("Method", bound=Callable[..., Any])


def _where_estimator_has(name: str) -> Callable[[Method], Method]:
    """Return a decorator that hides a method where the estimator, fitted or given, has none."""

    def check(outer: PredictsByEstimator) -> bool:
        getattr(getattr(outer, outer._fitted_name, outer._estimator()), name)
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


def tagged_as(estimator: Any, tags: Any) -> Any:
    """Return the tags of a selector, changed to what the estimator inside makes of it.

    Parameters
    ----------
    estimator : estimator
    tags : Tags
        Of the selector as such.
    """
    inner = get_tags(estimator)
    tags.estimator_type = inner.estimator_type
    tags.classifier_tags = deepcopy(inner.classifier_tags)
    if tags.classifier_tags is not None:
        tags.classifier_tags.poor_score = True  # the columns left may not be enough
    tags.target_tags.required = inner.estimator_type != "outlier_detector"
    tags.input_tags.sparse = inner.input_tags.sparse
    return tags


class PredictsByEstimator:
    """Predictions by an estimator inside; a method that it does not have is not there."""

    # The attribute that holds the fitted estimator.
    _fitted_name: ClassVar[str]

    def _estimator(self) -> Any:
        """Return the estimator that is to be fitted."""
        raise NotImplementedError

    def _rows(self, X: Any) -> Table:
        """Return checked rows as the fitted estimator wants them."""
        raise NotImplementedError

    @property
    def classes_(self) -> NDArray[Any]:
        """Labels of the classes, sorted."""
        labels: NDArray[Any] = getattr(self, self._fitted_name).classes_
        return labels

    @_where_estimator_has("predict")
    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row, by the estimator inside.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows to judge.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        return self._predicted("predict", X)

    @_where_estimator_has("decision_function")
    def decision_function(self, X: Any) -> FloatArray:
        """Return the decision values of rows, by the estimator inside.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows to judge.

        Returns
        -------
        ndarray
            As the estimator gives them.
        """
        return self._predicted("decision_function", X)

    @_where_estimator_has("score_samples")
    def score_samples(self, X: Any) -> FloatArray:
        """Return how typical rows are of the one class described.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows to judge.

        Returns
        -------
        ndarray of shape (n_samples,)
            The larger the more typical.
        """
        return self._predicted("score_samples", X)

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
        return self._predicted("predict_proba", X)

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
        return self._predicted("predict_log_proba", X)

    def _predicted(self, method: str, X: Any) -> NDArray[Any]:
        check_is_fitted(self, self._fitted_name)
        values: NDArray[Any] = getattr(getattr(self, self._fitted_name), method)(self._rows(X))
        return values


class PredictsOnSelection(PredictsByEstimator):
    """What a fitted selector can do as a classifier; it needs `support_` and `estimator_`."""

    _fitted_name = "estimator_"

    support_: NDArray[np.bool_]
    estimator_: Any

    @property
    def offset_(self) -> float:
        """What `score_samples` has at the boundary of one class."""
        return float(np.ravel(self.estimator_.offset_)[0])  # scikit-learn's has shape (1,)

    @_where_estimator_has("score")
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return how good `estimator_` is on rows.

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
            The score by `scoring`, the first of several, or the accuracy where there is no such
            parameter. A callable is given `estimator_` and rows with the columns kept.
        """
        check_is_fitted(self, self._fitted_name)
        rows, scoring = self._rows(X), getattr(self, "scoring", None)
        if scoring is not None:
            owner = type(self).__name__
            metric, *_ = resolve_metrics(scoring, self.estimator_, owner=owner)
            if sample_weight is not None and not accepts_weights(metric.scorer):
                raise ValueError(
                    f"sample_weight of {owner}.score needs a metric that takes weights; "
                    f"{metric.name!r} does not. Leave the weights out, or give another 'scoring'."
                )
            metric = replace(metric, weighted=True)
            return metric.score(self.estimator_, rows, y, sample_weight)
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return float(self.estimator_.score(rows, y, **weights))

    def _rows(self, X: Any) -> Table:
        return prediction_rows(self, X)[:, np.flatnonzero(self.support_)]


class PredictsByBest(PredictsByEstimator):
    """What a fitted search can do as a classifier; it needs `best_estimator_`."""

    _fitted_name = "best_estimator_"

    best_estimator_: Any

    def _rows(self, X: Any) -> Table:
        return prediction_rows(self, X)
