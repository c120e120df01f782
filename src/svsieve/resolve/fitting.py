"""Fitting the user's own estimator on some columns of a table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import has_fit_parameter

from svsieve.arrays import FloatArray, IndexArray
from svsieve.kernels import Kernel, PairingKernel


def fitted_on(
    estimator: Any,
    columns: IndexArray,
    X: Any,
    y: NDArray[Any],
    sample_weight: FloatArray | None,
) -> Any:
    """Return a clone of the user's estimator, fitted on some columns of X, a table or a frame."""
    model = clone(estimator)
    machine = last_step(model)
    if isinstance(getattr(machine, "kernel", None), Kernel):
        machine.set_params(kernel=on_columns(machine.kernel, columns))
    weights = fit_weights(model, sample_weight)
    # Weights go to all steps that take them, whether or not they were set to request them.
    with config_context(enable_metadata_routing=False):
        return model.fit(_safe_indexing(X, columns, axis=1), y, **weights)


def last_step(model: Any) -> Any:
    """Return what stands at the end of a pipeline, or the model itself."""
    while isinstance(model, Pipeline):
        model = model.steps[-1][1]
    return model


def fit_weights(
    model: Any, sample_weight: FloatArray | None, prefix: str = ""
) -> dict[str, FloatArray]:
    """Return the weights as arguments of `fit`, for every step that takes them, if there are any.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from sklearn.svm import SVC
    >>> from svsieve.resolve.fitting import fit_weights
    >>> fit_weights(make_pipeline(MinMaxScaler(), SVC()), [1.0, 2.0])
    {'svc__sample_weight': [1.0, 2.0]}
    """
    if sample_weight is None:
        return {}
    if isinstance(model, Pipeline):
        named: dict[str, FloatArray] = {}
        for name, step in model.steps:
            named |= fit_weights(step, sample_weight, f"{prefix}{name}__")
        return named
    if not hasattr(model, "fit") or not has_fit_parameter(model, "sample_weight"):
        return {}
    return {f"{prefix}sample_weight": sample_weight}


def on_columns(kernel: Kernel, columns: IndexArray) -> Kernel:
    """Return the kernel for a table of some columns: weights of the others are left out."""
    if not isinstance(kernel, PairingKernel):
        return kernel.with_children([on_columns(child, columns) for child in kernel.children])
    if kernel.weights is None:
        return kernel
    weights = np.asarray(kernel.weights)[columns]
    return replace(kernel, weights=tuple(weights.tolist()))  # type: ignore[type-var]
