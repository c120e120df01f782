"""Scores of an estimator that is fitted anew on the columns of a size.

Scorers that look at more than predictions, at the estimator or the rows, are given what
scikit-learn's RFECV gives them: the user's estimator, fitted on the columns left, and the rows held
out with those columns alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from svsieve.arrays import FloatArray, IndexArray
from svsieve.resolve.fitting import fitted_on

Found = TypeVar("Found")

# Rows with all columns, their labels, and their weights where they were given.
Rows = tuple[Any, NDArray[Any], FloatArray | None]


@dataclass(frozen=True, eq=False)
class Refit:
    """An estimator, and the rows that it is fitted to.

    Attributes
    ----------
    estimator : estimator
        The user's; clones of it are fitted.
    training : tuple
        Rows as the user gave them, their labels, and their weights or None.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.svm import SVC
    >>> from svsieve.selection.refitting import Refit
    >>> X, y = np.array([[-1.0, 5.0], [1.0, 3.0]]), np.array([0, 1])
    >>> def weights_and_width(model, X, y, weights):
    ...     return model.coef_.round(2).tolist(), X.shape[1]
    >>> Refit(SVC(kernel="linear"), (X, y, None)).scores([0], [(X, y, None)], weights_and_width)
    [([[1.0]], 1)]
    """

    estimator: Any
    training: Rows

    def scores(
        self,
        columns: IndexArray,
        judged: Sequence[Rows],
        score: Callable[[Any, Any, NDArray[Any], FloatArray | None], Found],
    ) -> list[Found]:
        """Fit the estimator on some columns and return what it scores on several sets of rows.

        Parameters
        ----------
        columns : ndarray of int
            In any order; they are used in that of the table.
        judged : sequence of Rows
            With all columns.
        score : callable
            Of the fitted estimator, rows with these columns, their labels and their weights.
        """
        X, y, weights = self.training
        columns = np.sort(columns)
        model = fitted_on(self.estimator, columns, X, y, weights)
        return [score(model, _safe_indexing(Z, columns, axis=1), z, own) for Z, z, own in judged]
