"""Checks at the edge: what a user hands to an estimator, refused before anything is computed.

scikit-learn's own validation comes first (shapes, lengths, feature names, conversions); the
functions here add what it leaves open: the column, the row or the class at fault.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn import config_context
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, column_or_1d, validate_data

from svsieve.arrays import FloatArray, Table, column_name, column_peaks, refuse_extremes
from svsieve.resolve.problems import class_weights as class_weights


def training_rows(
    estimator: Any, X: Any, y: Any, names: Sequence[str] | None = None
) -> tuple[Any, NDArray[Any]]:
    """Return X as C-ordered float64 (dense) or canonical CSR, and y as a flat array of labels.

    Sets `n_features_in_` and, where X has column names or they are given beside it,
    `feature_names_in_` on `estimator`.
    """
    _refuse_missing_labels(y)
    X, y = _validated(estimator, X, y=y)
    if names is not None:
        estimator.feature_names_in_ = np.array(names, dtype=object)
    X = _canonical(X)
    _refuse_unusable(X, estimator, training=True)
    return X, y


def described_rows(
    estimator: Any, X: Any, y: Any, *, without_negatives: str = ""
) -> tuple[Any, NDArray[Any]]:
    """Return X as :func:`training_rows` would, and 1 for targets, -1 for known negatives.

    Only -1 marks a negative; every other label is a target's, and so is every row without `y`. A
    machine named in `without_negatives` has none: all its rows are targets, which is said where -1
    marks some. It is not refused, because searches and cross-validation hand over the truth that
    they score with.
    """
    X = _canonical(_validated(estimator, X))
    _refuse_unusable(X, estimator, training=True)
    n_rows = X.shape[0]
    if y is None:
        return X, np.ones(n_rows, dtype=np.int64)
    labels = column_or_1d(y)
    if len(labels) != n_rows:
        raise ValueError(
            f"y must have one label for each of the {n_rows} rows of X, -1 for known negatives. "
            f"Got {len(labels)} labels instead."
        )
    marks = np.where(labels == -1, -1, 1)
    if without_negatives and (marks < 0).any():
        warnings.warn(
            f"{without_negatives} knows no negatives: the {np.sum(marks < 0)} rows with -1 in y "
            "are trained on like the others. Use SVDD, which keeps them out, or leave them out.",
            UserWarning,
            stacklevel=4,
        )
        return X, np.ones(n_rows, dtype=np.int64)
    if (marks < 0).all():
        raise ValueError(
            f"{type(estimator).__name__} needs rows of the class to describe; y marks every row as "
            "a known negative (-1)."
        )
    return X, marks


def prediction_rows(estimator: Any, X: Any) -> Any:
    """Return X as :func:`training_rows` would, held against the columns seen in training."""
    X = _canonical(_validated(estimator, X, reset=False))
    _refuse_unusable(X, estimator, training=False)
    return X


def class_codes(estimator: Any, y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the sorted classes and, for each row, the position of its class among them."""
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"{type(estimator).__name__} needs at least two classes to tell apart; "
            f"y has only one class: {classes.tolist()[0]!r}."
        )
    return classes, codes.astype(np.intp, copy=False)


def sample_weights(
    sample_weight: ArrayLike | None, classes: NDArray[Any], codes: NDArray[np.intp]
) -> FloatArray:
    """Return one non-negative weight per row, every class having a row of positive weight."""
    if sample_weight is None:
        return np.ones(len(codes))
    try:
        # Weights of another array library are taken over: what is computed with them is numpy's.
        with config_context(array_api_dispatch=False):
            weights: FloatArray = check_array(sample_weight, dtype=np.float64, ensure_2d=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"sample_weight must hold one finite number per row: {error}") from error
    if weights.shape != codes.shape:
        raise ValueError(
            f"sample_weight must have one number per row of X, shape {codes.shape}. "
            f"Got shape {weights.shape} instead."
        )
    if (weights < 0).any():
        row = int(np.argmax(weights < 0))
        raise ValueError(
            f"sample_weight must not be negative. Got {weights[row]:g} in row {row} instead."
        )
    empty = np.bincount(codes, weights=weights) == 0
    if empty.all():
        raise ValueError("sample_weight is zero in every row; some row must have a weight.")
    if empty.any():
        raise ValueError(
            "Every class needs a row of positive weight; sample_weight is zero in every row "
            f"of class {classes[empty].tolist()[0]!r}."
        )
    return weights


def rows_in_use(
    sample_weight: ArrayLike | None,
    classes: NDArray[Any],
    X: Table,
    y: NDArray[Any],
    codes: NDArray[np.intp],
) -> tuple[Table, NDArray[Any], NDArray[np.intp], FloatArray | None]:
    """Return rows, labels and codes without those of weight 0, and weights where they were given.

    Parameters
    ----------
    sample_weight : array-like of shape (n_samples,) or None
        As the user gave them; checked here.
    classes : ndarray
    X : table
    y : ndarray
    codes : ndarray of int
        For each row, the position of its class.
    """
    if sample_weight is None:
        return X, y, codes, None
    weights = sample_weights(sample_weight, classes, codes)
    used = np.flatnonzero(weights)
    if len(used) == len(codes):
        return X, y, codes, weights
    return X[used], y[used], codes[used], weights[used]


def _validated(estimator: Any, X: Any, **options: Any) -> Any:
    """Run scikit-learn's validation; where it stumbles over text, say in which column."""
    _refuse_repeated_names(getattr(X, "columns", ()))
    try:
        return validate_data(
            estimator,
            X,
            dtype=np.float64,
            order="C",
            accept_sparse="csr",
            ensure_all_finite=False,
            **options,
        )
    except ValueError as error:
        found = _first_text(X)
        if found is None:
            raise
        row, column, text = found
        raise ValueError(
            f"{column_name(column, getattr(X, 'columns', None))} of X holds text, {text!r} in row "
            f"{row}; every column must be numeric, so encode it or leave it out."
        ) from error


def _refuse_repeated_names(names: Iterable[Any]) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            raise ValueError(
                f"Column names must be unique; {count} columns of X are named {name!r}."
            )


def _first_text(X: Any) -> tuple[int, int, Any] | None:
    """Row, column and value of the first cell of a dense table that is text and no number."""
    if sparse.issparse(X):
        return None
    cells = np.asarray(X, dtype=object)
    if cells.ndim != 2:
        return None
    for column in range(cells.shape[1]):
        for row, value in enumerate(cells[:, column]):
            if isinstance(value, str | bytes):
                try:
                    float(value)
                except ValueError:
                    return row, column, value
    return None


def _refuse_non_finite(X: Any, estimator: Any) -> NoReturn:
    """Name the first entry that is not finite."""
    values = X.data if sparse.issparse(X) else X
    wrong = ~np.isfinite(values)
    if sparse.issparse(X):
        entry = int(np.argmax(wrong))
        row = int(np.searchsorted(X.indptr, entry, side="right")) - 1
        column = int(X.indices[entry])
        value = X.data[entry]
    else:
        row, column = (int(place) for place in np.argwhere(wrong)[0])
        value = X[row, column]
    what = "NaN" if np.isnan(value) else "infinity"
    place = column_name(column, _names(estimator), capital=False)
    raise ValueError(
        f"Input X contains {what}: {place}, row {row}. "
        f"{type(estimator).__name__} takes finite numbers only; impute or drop missing values."
    )


def _refuse_unusable(X: Table, estimator: Any, *, training: bool) -> None:
    """Refuse NaN, infinities, and columns whose squares leave the range of double precision."""
    peaks = column_peaks(X)
    if not np.isfinite(peaks).all():
        _refuse_non_finite(X, estimator)
    refuse_extremes(peaks, X.shape[0], names=_names(estimator), vanishing=training)


def _refuse_missing_labels(y: Any) -> None:
    """Refuse None, NaN and infinite labels, naming the first row that has one."""
    if y is None or sparse.issparse(y):
        return  # scikit-learn's validation answers these
    try:
        labels = np.asarray(y)
    except ValueError:
        return
    if labels.ndim == 0:
        return
    if labels.dtype.kind == "f":
        missing = ~np.isfinite(labels)
    elif labels.dtype.kind == "O":
        missing = np.array([_is_missing(label) for label in labels.ravel()], dtype=bool)
    else:
        return
    if missing.any():
        row = int(np.argmax(missing.ravel()))
        raise ValueError(
            f"Input y contains missing or infinite labels (NaN): row {row} has "
            f"{labels.ravel().tolist()[row]!r}. Every row needs the label of its class."
        )


def _is_missing(label: Any) -> bool:
    if label is None:
        return True
    try:
        return bool(label != label)
    except (TypeError, ValueError):  # the truth of pandas' NA is not defined
        return True


def _canonical(X: Any) -> Any:
    """Sorted CSR without duplicates (a copy where the user's matrix is not); dense as it is."""
    if sparse.issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def _names(estimator: Any) -> Sequence[str] | None:
    return getattr(estimator, "feature_names_in_", None)
