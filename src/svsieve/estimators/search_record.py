"""What a search leaves behind: all evaluations, laid out as columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from svsieve.kernels import Polynomial
from svsieve.selection.optimise import Descent
from svsieve.selection.search_space import SCALE, SearchSpace


@dataclass(frozen=True, eq=False)
class Search:
    """One descent: where it took place, how it went, what each evaluation cost."""

    space: SearchSpace
    descent: Descent
    n_trainings: tuple[int, ...]


def parameter_prefix(estimator: Any) -> str:
    """Return what the names of the last step's parameters begin with."""
    prefix = ""
    while isinstance(estimator, Pipeline):
        name, estimator = estimator.steps[-1]
        prefix += f"{name}__"
    return prefix


def trace_of(searches: Sequence[Search], unit: Callable[[float], float]) -> dict[str, NDArray[Any]]:
    """Lay the evaluations of all searches out as columns."""
    lines: list[dict[str, Any]] = []
    descents = 0
    for search in searches:
        for one, trained in zip(search.descent.evaluations, search.n_trainings, strict=True):
            line: dict[str, Any] = dict(search.space.values(one.point))
            if search.space.n_scales:
                line[SCALE] = search.space.scales(one.point)
            if isinstance(search.space.kernel, Polynomial):
                line["degree"] = search.space.kernel.degree
            line["value"] = unit(one.value) if math.isfinite(one.value) else math.inf
            line["gradient_norm"] = one.slope_norm
            line["start"] = descents + one.start
            line["n_trainings"] = trained
            lines.append(line)
        descents += 1 + search.descent.evaluations[-1].start
    names = list(lines[0])
    return {name: _column([line[name] for line in lines]) for name in names}


def _column(values: Sequence[Any]) -> NDArray[Any]:
    if isinstance(values[0], np.ndarray):  # one array in each place, not a table
        column = np.empty(len(values), dtype=object)
        column[:] = values
        return column
    return np.array(values)
