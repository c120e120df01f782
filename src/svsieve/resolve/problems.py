"""From a specification and labelled rows to the two-class problems that are solved."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from svsieve.arrays import FloatArray, IndexArray
from svsieve.elimination.parts import Task
from svsieve.machines import one_vs_one, one_vs_rest
from svsieve.resolve.estimators import OneClassSpecification, Specification
from svsieve.resolve.options import check_real


def class_weights(
    estimator: Any,
    class_weight: Any,
    classes: NDArray[Any],
    codes: NDArray[np.intp],
    weights: FloatArray,
) -> FloatArray:
    """Return one positive weight per class; "balanced" counts each row with its weight."""
    owner = type(estimator).__name__
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, str) and class_weight == "balanced":
        counts = np.bincount(codes, weights=weights)
        return np.asarray(counts.sum() / (len(classes) * counts), dtype=np.float64)
    if not isinstance(class_weight, dict):
        raise ValueError(
            f"The 'class_weight' parameter of {owner} must be None, 'balanced' or a dict from "
            f"classes to weights. Got {class_weight!r} instead."
        )
    known = classes.tolist()
    for label in class_weight:
        if label not in known:
            raise ValueError(
                f"The 'class_weight' parameter of {owner} names the class {label!r}, which y "
                f"does not have; the classes are {known}."
            )
    return np.array(
        [
            check_real(owner, f"class_weight[{label!r}]", class_weight.get(label, 1.0), above=0.0)
            for label in known
        ]
    )


def two_class_problems(
    specification: Specification,
    estimator: Any,
    classes: NDArray[Any],
    codes: IndexArray,
    weights: FloatArray,
) -> tuple[Task, ...]:
    """Return the problems the machine consists of, with the factors of C of their rows.

    A machine of one class is one problem; of two classes the first are known negatives.
    """
    if isinstance(specification, OneClassSpecification):
        sides = np.where(codes == 1, 1.0, -1.0) if len(classes) == 2 else None
        return (Task(None, sides, None if (weights == 1.0).all() else weights),)
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
