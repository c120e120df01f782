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

from svsieve.arrays import FloatArray, Table, float_table
from svsieve.resolve import Specification, resolve_estimator
from svsieve.resolve.fitting import fit_weights
from svsieve.resolve.fitting import fitted_on as fitted_on
from svsieve.resolve.problems import two_class_problems as two_class_problems


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
    return Chain((), estimator, resolve_estimator(estimator, owner=owner))


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
            result = fitted.fit(X, y, **fit_weights(fitted, sample_weight)).transform(X)
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
