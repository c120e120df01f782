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

from svsieve.arrays import FloatArray, IndexArray, Table, float_table
from svsieve.elimination import Data
from svsieve.estimators.validation import class_codes, described_rows, training_rows
from svsieve.kernels import Kernel
from svsieve.machines import Machine
from svsieve.resolve import OneClassSpecification, Specification, refusal, resolve_estimator
from svsieve.resolve.fitting import fit_weights, last_step
from svsieve.resolve.fitting import fitted_on as fitted_on
from svsieve.resolve.problems import two_class_problems as two_class_problems


@dataclass(frozen=True)
class Chain:
    """An estimator taken apart: transformers by name, the machine at the end, what it specifies."""

    transformers: tuple[tuple[str, Any], ...]
    machine: Any
    specification: Specification


def take_apart(estimator: Any, owner: str, *, one_class: bool = False) -> Chain:
    """Return the parts of the user's estimator, refusing one that cannot rank columns.

    Machines of one class are taken where `one_class` says so.
    """
    if isinstance(estimator, Pipeline):
        return _take_pipeline_apart(estimator, owner, one_class)
    return Chain((), estimator, resolve_estimator(estimator, owner=owner, one_class=one_class))


def _take_pipeline_apart(pipeline: Pipeline, owner: str, one_class: bool) -> Chain:
    *steps, (_, last) = pipeline.steps
    for name, step in steps:
        if not (step is None or _passes(step) or hasattr(step, "transform")):
            raise ValueError(
                f"Step {name!r} of the pipeline, {type(step).__name__}, has no transform; the "
                "steps before the last must be transformers."
            )
    chain = take_apart(last, owner, one_class=one_class)
    before = tuple((name, step) for name, step in steps if step is not None and not _passes(step))
    return replace(chain, transformers=before + chain.transformers)


def _passes(step: Any) -> bool:
    return isinstance(step, str) and step == "passthrough"


def refuse_penalised_bias(chain: Chain, owner: str) -> None:
    """Refuse machines whose bias is penalised, as that of LinearSVC: their program is another."""
    if chain.specification.bias is not None:
        raise refusal(
            owner,
            "estimator",
            "a machine whose bias is not penalised: svsieve.SVC or scikit-learn's SVC, or a "
            "Pipeline that ends in one",
            chain.machine,
        )


def labelled(
    selector: Any, chain: Chain, X: Any, y: Any
) -> tuple[Chain, Any, NDArray[Any], NDArray[Any], NDArray[np.intp]]:
    """Return the chain for these labels, the checked table, labels, classes and class codes.

    Of one class the labels are 1, and -1 for known negatives, which ask for a machine of their own;
    where the estimator has none, they are targets like the others, with a warning.
    """
    specification = chain.specification
    if not isinstance(specification, OneClassSpecification):
        X, y = training_rows(selector, X, y)
        classes, codes = class_codes(selector, y)
        return chain, X, y, classes, codes
    negative = specification.negative_machine
    machine = type(chain.machine).__name__ if negative is None else ""
    X, marks = described_rows(selector, X, y, without_negatives=machine)
    classes, codes = np.unique(marks, return_inverse=True)
    if negative is not None and len(classes) == 2:
        chain = replace(chain, specification=replace(specification, machine=negative))
    return chain, X, marks, classes, codes.astype(np.intp, copy=False)


def transformed(
    transformers: Sequence[tuple[str, Any]],
    X: Table,
    y: NDArray[Any],
    sample_weight: FloatArray | None,
    *,
    same_columns: bool = True,
) -> Table:
    """Return X after the transformers, clones of which are fitted to it.

    With `same_columns` a column must stay the column it was: the ranking of what comes out is read
    as one of X.
    """
    for name, transformer in transformers:
        fitted = clone(transformer)
        with config_context(transform_output="default"):
            result = fitted.fit(X, y, **fit_weights(fitted, sample_weight)).transform(X)
        result = result if sparse.issparse(result) else np.asarray(result)
        kept = result.shape == X.shape and _keeps_names(fitted, X.shape[1])
        if same_columns and not kept:
            raise ValueError(
                f"Step {name!r} of the pipeline, {type(transformer).__name__}, makes other columns "
                f"(shape {X.shape} becomes {result.shape}). Only steps that change the values of "
                "each column, such as a StandardScaler, leave columns that can be ranked."
            )
        X = float_table(result, f"The output of step {name!r} of the pipeline")
    return X


def data_of(
    chain: Chain,
    classes: NDArray[Any],
    codes: IndexArray,
    X: Table,
    y: NDArray[Any],
    given: FloatArray | None,
) -> Data:
    """Return rows after the transformers, which are fitted to them, with their problems."""
    weights = np.ones(len(y)) if given is None else given
    tasks = two_class_problems(chain.specification, chain.machine, classes, codes, weights)
    counts = weights if chain.specification.weights_count else None
    return Data(transformed(chain.transformers, X, y, given), tasks, codes, counts)


def _keeps_names(fitted: Any, n_columns: int) -> bool:
    """Tell whether the columns that come out bear the names of those that went in, if any."""
    names = [f"x{column}" for column in range(n_columns)]
    outgoing = getattr(fitted, "get_feature_names_out", None)
    return outgoing is None or list(outgoing(names)) == names


def set_tuned(model: Any, machine: Machine, kernel: Kernel) -> None:
    """Give the machine at the end of a model the C and the kernel that were found for it."""
    last = last_step(model)
    last.set_params(C=machine.C)  # type: ignore[attr-defined]
    if isinstance(last.kernel, Kernel):
        last.set_params(kernel=kernel)
        return
    names = ("gamma", "coef0")
    last.set_params(**{name: getattr(kernel, name) for name in names if hasattr(kernel, name)})
