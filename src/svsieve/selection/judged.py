"""Decision values in the shape of a fitted classifier, so that scorers can be asked about them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from svsieve.arrays import FloatArray
from svsieve.machines.multiclass import count_votes, one_vs_rest_values


def refuse_ties_of_pairs(shape: str, break_ties: bool) -> None:
    """Refuse to break ties among the votes of pairs: it is the values per class that break them.

    Parameters
    ----------
    shape, break_ties
        `decision_function_shape` and `break_ties` of an SVC.
    """
    if break_ties and shape == "ovo":
        raise ValueError(
            "break_ties must be False when decision_function_shape is 'ovo': ties are broken "
            "by the values of 'ovr'."
        )


class Judged(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that has judged some rows already, and answers for those rows only.

    Parameters
    ----------
    classes : ndarray
        Sorted labels.
    decisions : ndarray of shape (n_rows, n_problems)
        One column with two classes, positive for the second. With more: one per pair (i, j), i < j,
        positive for class i, or with `one_vs_rest` one per class.
    one_vs_rest : bool, default=False
        As LinearSVC does it, rather than SVC.
    shape : {"ovr", "ovo"}, default="ovr"
        `decision_function_shape` of an SVC.
    break_ties : bool, default=False
        That of an SVC.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.metrics import get_scorer
    >>> from svsieve.selection.judged import Judged
    >>> judged = Judged(np.array(["no", "yes"]), np.array([[0.3], [-2.0], [1.0]]))
    >>> float(get_scorer("roc_auc")(judged, judged.rows, ["yes", "no", "yes"]))
    1.0
    """

    def __init__(
        self,
        classes: NDArray[Any],
        decisions: FloatArray,
        *,
        one_vs_rest: bool = False,
        shape: str = "ovr",
        break_ties: bool = False,
    ) -> None:
        self.classes = classes
        self.decisions = decisions
        self.one_vs_rest = one_vs_rest
        self.shape = shape
        self.break_ties = break_ties

    @property
    def classes_(self) -> NDArray[Any]:
        """Sorted labels."""
        return self.classes

    @property
    def rows(self) -> FloatArray:
        """A stand-in for the rows that were judged, to be handed to scorers."""
        return np.empty((len(self.decisions), 0))

    def decision_function(self, X: Any) -> FloatArray:
        """Return the decision values of the rows that were judged, as SVC or LinearSVC gives them.

        Parameters
        ----------
        X : ndarray
            `rows`.
        """
        self._check(X)
        if len(self.classes) == 2:
            return self.decisions[:, 0]
        if self.one_vs_rest or self.shape == "ovo":
            return self.decisions
        return one_vs_rest_values(self.decisions, len(self.classes))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the classes of the rows that were judged.

        Parameters
        ----------
        X : ndarray
            `rows`.
        """
        self._check(X)
        refuse_ties_of_pairs(self.shape, self.break_ties)
        values, n_classes = self.decisions, len(self.classes)
        if n_classes == 2:
            # liblinear gives the first class where the value is zero, libsvm the second.
            winners = values[:, 0] > 0 if self.one_vs_rest else values[:, 0] >= 0
        elif self.one_vs_rest:
            winners = values.argmax(axis=1)
        elif self.break_ties:
            winners = one_vs_rest_values(values, n_classes).argmax(axis=1)
        else:
            winners = count_votes(values > 0, n_classes).argmax(axis=1)
        return self.classes.take(winners.astype(np.intp))

    def _check(self, X: Any) -> None:
        if X.shape[0] != len(self.decisions):
            raise ValueError(
                f"only the {len(self.decisions)} rows that were judged can be asked about. "
                f"Got {X.shape[0]} rows."
            )
