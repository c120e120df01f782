"""From the user's estimator to the problems of an elimination, and back to a fitted estimator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from svsieve.arrays import FloatArray, IndexArray, Table, float_table
from svsieve.elimination.parts import Task
from svsieve.estimators.svc import SVC
from svsieve.estimators.validation import class_weights
from svsieve.kernels import Kernel, PairingKernel
from svsieve.machines import one_vs_one, one_vs_rest
from svsieve.resolve import Specification, resolve_estimator


@dataclass(frozen=True)
class Chain:
    """An estimator taken apart: transformers by name, the machine at the end, what it specifies."""

    transformers: tuple[tuple[str, Any], ...]
    machine: Any
    specification: Specification


def take_apart(estimator: Any, owner: str) -> Chain:
    """Return the parts of the user's estimator, refusing one that cannot rank columns."""
    if isinstance(estimator, Pipeline):
        return _take_pipeline_apart(estimator, owner)
    if isinstance(estimator, SVC):
        kernel, machine = estimator._check_parameters()
        specification = Specification(
            kernel=kernel,
            machine=machine,
            tol=float(estimator.tol),
            max_iter=int(estimator.max_iter),
            class_weight=estimator.class_weight,
        )
    else:
        specification = resolve_estimator(estimator, owner=owner)
    return Chain((), estimator, specification)


def _take_pipeline_apart(pipeline: Pipeline, owner: str) -> Chain:
    *steps, (_, last) = pipeline.steps
    for name, step in steps:
        if not (step is None or _passes(step) or hasattr(step, "transform")):
            raise ValueError(
                f"Step {name!r} of the pipeline, {type(step).__name__}, has no transform; the "
                "steps before the last must be transformers."
            )
    chain = take_apart(last, owner)
    before = tuple((name, step) for name, step in steps if step is not None and not _passes(step))
    return replace(chain, transformers=before + chain.transformers)


def _passes(step: Any) -> bool:
    return isinstance(step, str) and step == "passthrough"


def transformed(
    transformers: Sequence[tuple[str, Any]],
    X: Table,
    y: NDArray[Any],
    sample_weight: FloatArray | None,
) -> Table:
    """Return X after the transformers, clones of which are fitted to it.

    A column must stay the column it was: the ranking of what comes out is read as one of X.
    """
    for name, transformer in transformers:
        fitted = clone(transformer)
        with config_context(transform_output="default"):
            result = fitted.fit(X, y, **_weights_of(fitted, sample_weight)).transform(X)
        result = result if sparse.issparse(result) else np.asarray(result)
        if result.shape != X.shape or not _keeps_names(fitted, X.shape[1]):
            raise ValueError(
                f"Step {name!r} of the pipeline, {type(transformer).__name__}, makes other columns "
                f"(shape {X.shape} becomes {result.shape}). Only steps that change the values of "
                "each column, such as a StandardScaler, leave columns that can be ranked."
            )
        X = float_table(result, f"The output of step {name!r} of the pipeline")
    return X


def _keeps_names(fitted: Any, n_columns: int) -> bool:
    """Tell whether the columns that come out bear the names of those that went in, if any."""
    names = [f"x{column}" for column in range(n_columns)]
    outgoing = getattr(fitted, "get_feature_names_out", None)
    return outgoing is None or list(outgoing(names)) == names


def two_class_problems(
    specification: Specification,
    estimator: Any,
    classes: NDArray[Any],
    codes: IndexArray,
    weights: FloatArray,
) -> tuple[Task, ...]:
    """Return the problems the machine consists of, with the factors of C of their rows."""
    counted = weights if specification.weights_count else np.ones(len(weights))
    factors = class_weights(estimator, specification.class_weight, classes, codes, counted)
    plain = bool((weights == 1.0).all() and (factors == 1.0).all())
    if len(classes) == 2:
        labels = np.where(codes == 1, 1.0, -1.0)
        return (Task(None, labels, None if plain else weights * factors[codes]),)
    if not specification.one_vs_rest:
        C = weights * factors[codes]
        return tuple(
            Task(task.rows, task.labels, None if plain else C[task.rows])
            for task in one_vs_one(codes, len(classes))
        )
    # liblinear gives a class its weight where it is the positive one, and the others none.
    return tuple(
        Task(
            None,
            task.labels,
            None if plain else weights * np.where(task.labels > 0, factors[task.positive], 1.0),
        )
        for task in one_vs_rest(codes, len(classes))
    )


def fitted_on(
    estimator: Any,
    columns: IndexArray,
    X: Table,
    y: NDArray[Any],
    sample_weight: FloatArray | None,
) -> Any:
    """Return a clone of the user's estimator, fitted on some columns of X."""
    model = clone(estimator)
    weights: dict[str, FloatArray] = {}
    machine = _weigh(model, sample_weight, "", weights)
    if isinstance(machine, SVC) and isinstance(machine.kernel, Kernel):
        machine.set_params(kernel=on_columns(machine.kernel, columns))
    # Weights go to all steps that take them, whether or not they were set to request them.
    with config_context(enable_metadata_routing=False):
        return model.fit(X[:, columns], y, **weights)


def _weigh(
    model: Any, sample_weight: FloatArray | None, prefix: str, weights: dict[str, FloatArray]
) -> Any:
    """Add the weights to the arguments of `fit` for each step; return the machine at the end."""
    if not isinstance(model, Pipeline):
        named = _weights_of(model, sample_weight)
        weights.update({prefix + name: values for name, values in named.items()})
        return model
    machine = None
    for name, step in model.steps:
        machine = _weigh(step, sample_weight, f"{prefix}{name}__", weights)
    return machine


def _weights_of(step: Any, sample_weight: FloatArray | None) -> dict[str, FloatArray]:
    """Return the weights as an argument of `fit`, if there are any and it takes them."""
    if sample_weight is None or not hasattr(step, "fit"):
        return {}
    return {"sample_weight": sample_weight} if has_fit_parameter(step, "sample_weight") else {}


def on_columns(kernel: Kernel, columns: IndexArray) -> Kernel:
    """Return the kernel for a table of some columns: weights of the others are left out."""
    if not isinstance(kernel, PairingKernel):
        return kernel.with_children([on_columns(child, columns) for child in kernel.children])
    if kernel.weights is None:
        return kernel
    weights = np.asarray(kernel.weights)[columns]
    return replace(kernel, weights=tuple(weights.tolist()))  # type: ignore[type-var]
