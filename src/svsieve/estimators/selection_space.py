"""What a selector hands on: columns as they are, or principal components."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from svsieve.arrays import Table
from svsieve.estimators.delegation import PredictsOnSelection
from svsieve.estimators.validation import prediction_rows


def component_names(count: int) -> list[str]:
    """Return "component0", "component1" and so on."""
    return [f"component{j}" for j in range(count)]


class SelectsInSpace(PredictsOnSelection, SelectorMixin):
    """Transformer and classifier of a selector that has `space`, `support_` and `estimator_`.

    With ``space="columns"`` the estimator was fitted on the columns kept. With
    ``space="components"`` it was fitted on all columns; the steps before its last make components
    of them.
    """

    space: str

    def transform(self, X: Any) -> Any:
        """Return the columns kept, as they are; of components, those kept, scaled.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows with all columns.

        Returns
        -------
        array of shape (n_samples, n_features_)
            The columns kept, or the components kept times their factors.
        """
        if self.space == "columns":
            return super().transform(X)
        check_is_fitted(self, "support_")
        return self.estimator_[:-1].transform(prediction_rows(self, X))

    def inverse_transform(self, X: Any) -> Any:
        """Return rows with all columns: zeros for those dropped; of components, their mean.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features_)
            What `transform` returned.

        Returns
        -------
        array of shape (n_samples, n_features_in_)
            The rows as far as they are known.
        """
        if self.space == "columns":
            return super().inverse_transform(X)
        check_is_fitted(self, "support_")
        return self.estimator_[:-1].inverse_transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the columns kept, or "component0" and so on.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the columns, where `fit` saw none.

        Returns
        -------
        ndarray of str
            One name per column of what `transform` returns.
        """
        if self.space == "columns":
            names: NDArray[Any] = super().get_feature_names_out(input_features)
            return names
        check_is_fitted(self, "support_")
        return np.array(component_names(len(self.support_)), dtype=object)[self.support_]

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self, "support_")
        return self.support_

    def _rows(self, X: Any) -> Table:
        return super()._rows(X) if self.space == "columns" else prediction_rows(self, X)
