"""Class probabilities of a classifier, from decision values of rows that were held out."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.metaestimators import available_if

from svsieve.arrays import FloatArray, IndexArray, Table
from svsieve.machines import Sigmoid, coupled_probabilities, fit_sigmoid

FOLDS = 5

Method = TypeVar("Method", bound=Callable[..., Any])


def _asks_for_probabilities(estimator: Any) -> bool:
    if not estimator.probability:
        raise AttributeError(
            f"{type(estimator).__name__} gives probabilities only if it is fitted with "
            "probability=True."
        )
    return True


_where_asked_for: Callable[[Method], Method] = available_if(_asks_for_probabilities)


class GivesProbabilities:
    """`predict_proba` and `predict_log_proba` of a classifier with one machine per pair of classes.

    It needs `probability`, `random_state`, `classes_` and, after `fit`, `sigmoids_`.
    """

    probability: bool
    random_state: Any
    classes_: NDArray[Any]
    sigmoids_: tuple[Sigmoid, ...]

    def _pair_decisions(self, X: Any) -> FloatArray:
        """Return the decision values of all pairs of classes, shape (n_samples, n_pairs)."""
        raise NotImplementedError

    @_where_asked_for
    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probabilities of the classes; needs ``probability=True`` in `fit`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows to judge.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            One column per class, in the order of `classes_`; each row sums to one.
        """
        return self._probabilities(self._pair_decisions(X))

    @_where_asked_for
    def predict_log_proba(self, X: Any) -> FloatArray:
        """Return the logarithms of the probabilities; needs ``probability=True`` in `fit`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows to judge.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            One column per class, in the order of `classes_`.
        """
        values = self._pair_decisions(X)
        if len(self.classes_) > 2:
            return np.asarray(np.log(self._probabilities(values)))
        (sigmoid,) = self._sigmoids()
        z = sigmoid.slope * values[:, 0] + sigmoid.offset
        return -np.column_stack([np.logaddexp(0.0, -z), np.logaddexp(0.0, z)])

    @property
    def probA_(self) -> FloatArray:  # noqa: N802 - scikit-learn's name
        """Factor of each pair in scikit-learn's form, empty without ``probability=True``.

        The first class of a pair has probability ``1 / (1 + exp(f * probA_ + probB_))``, where f is
        the decision value in its favour: with two classes minus `decision_function`.
        """
        return np.array([one.slope for one in self._sigmoids_if_any()])

    @property
    def probB_(self) -> FloatArray:  # noqa: N802 - scikit-learn's name
        """Constant of each pair in scikit-learn's form, empty without ``probability=True``."""
        sign = -1.0 if len(self.classes_) == 2 else 1.0
        return np.array([sign * one.offset for one in self._sigmoids_if_any()])

    def _sigmoids_if_any(self) -> tuple[Sigmoid, ...]:
        self.classes_  # noqa: B018 - an AttributeError before `fit`
        return getattr(self, "sigmoids_", ())

    def _probabilities(self, values: FloatArray) -> FloatArray:
        columns = zip(self._sigmoids(), values.T, strict=True)
        first = np.column_stack([sigmoid.probability(column) for sigmoid, column in columns])
        if len(self.classes_) == 2:
            return np.column_stack([1.0 - first, first])
        return coupled_probabilities(first, len(self.classes_))

    def _sigmoids(self) -> tuple[Sigmoid, ...]:
        sigmoids: tuple[Sigmoid, ...] | None = getattr(self, "sigmoids_", None)
        if sigmoids is None:
            raise NotFittedError(
                "predict_proba is not available when fitted with probability=False; fit this "
                f"{type(self).__name__} again to have it."
            )
        return sigmoids

    def _fit_sigmoids(
        self, X: Table, codes: NDArray[np.intp], weights: FloatArray
    ) -> tuple[Sigmoid, ...]:
        """Return one sigmoid per pair of classes, fitted to values of rows that were held out."""
        distinct, representatives = distinct_rows(X, codes)
        rows, labels = X[representatives], codes[representatives]
        merged = np.bincount(distinct, weights=weights)
        values = self._pair_decisions(rows)
        machine = clone(self).set_params(
            probability=False, decision_function_shape="ovo", break_ties=False
        )
        for train, test in self._held_out(labels):
            machine.fit(rows[train], self.classes_[labels[train]], sample_weight=merged[train])
            values[test] = machine._pair_decisions(rows[test])
        n_classes = len(self.classes_)
        sigmoids = []
        for pair, (i, j) in enumerate(combinations(range(n_classes), 2)):
            mine = (labels == i) | (labels == j)
            # Two classes: positive values speak for the second. More: for the first of the pair.
            positive = labels[mine] == (j if n_classes == 2 else i)
            signs = np.where(positive, 1.0, -1.0)
            sigmoids.append(fit_sigmoid(values[mine, pair], signs, merged[mine], rising=True))
        return tuple(sigmoids)

    def _held_out(self, labels: NDArray[np.intp]) -> Iterator[tuple[IndexArray, IndexArray]]:
        """Yield rows to train on and rows to judge; the only row of a class is never judged."""
        counts = np.bincount(labels)
        alone = counts[labels] == 1
        if alone.any():
            rare = self.classes_[labels[alone]].tolist()[0]
            warnings.warn(
                f"Class {rare!r} has one row, apart from copies of it. It cannot be held out: the "
                "probabilities of this class rest on the machine that was trained on that row.",
                UserWarning,
                stacklevel=4,
            )
        if alone.all():
            return
        n_folds = min(FOLDS, int(counts[counts > 1].min()))
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=self.random_state)
        others, always = np.flatnonzero(~alone), np.flatnonzero(alone)
        for train, test in folds.split(others, labels[others]):
            yield np.append(others[train], always), others[test]


def distinct_rows(X: Table, codes: NDArray[np.intp]) -> tuple[IndexArray, IndexArray]:
    """Return, for each row, which of the distinct rows it is, and where each of those is found.

    Rows are the same where class and entries are. Distinct rows are counted in an order that is a
    matter of their entries alone: neither the order of the table nor how often a row stands in it
    changes the folds, and a row is never held out from itself.
    """
    keys = [_key(X, row, int(code)) for row, code in enumerate(codes)]
    places = {key: place for place, key in enumerate(sorted(set(keys)))}
    which = np.array([places[key] for key in keys], dtype=np.int64)
    first = np.unique(which, return_index=True)[1]
    return which, first.astype(np.int64)


def _key(X: Table, row: int, code: int) -> tuple[int, bytes, bytes]:
    """Return class, columns and values of the entries that are not zero, dense or sparse alike."""
    if sparse.issparse(X):
        span = slice(X.indptr[row], X.indptr[row + 1])
        columns, values = X.indices[span], X.data[span]
        columns, values = columns[values != 0], values[values != 0]
    else:
        columns = np.flatnonzero(X[row])
        values = X[row][columns]
    return code, columns.astype(np.int64).tobytes(), values.tobytes()
