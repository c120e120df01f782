"""What a search leaves behind: all evaluations, laid out as columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from svsieve.arrays import FloatArray
from svsieve.kernels import Polynomial
from svsieve.selection.left_out import confirmed
from svsieve.selection.optimise import Descent, Evaluation
from svsieve.selection.search_function import SearchFunction
from svsieve.selection.search_space import SCALE, SearchSpace


@dataclass(frozen=True, eq=False)
class Search:
    """One descent: where it took place, how it went, what each evaluation cost.

    Attributes
    ----------
    space : SearchSpace
    descent : Descent
    function : SearchFunction
        Knows what each evaluation found.
    weights, counts : ndarray of shape (n_rows,)
        How much each of these rows counts, and how many rows it stands for.
    """

    space: SearchSpace
    descent: Descent
    function: SearchFunction
    weights: FloatArray
    counts: FloatArray

    @property
    def n_trainings(self) -> int:
        """Machines trained until its end, by all searches that share its judges."""
        return self.function.trainings[-1]


def chosen(searches: Sequence[Search]) -> tuple[int, Search, Evaluation]:
    """Return the evaluation to take, with its number among those of all searches."""
    pairs = [(search, one) for search in searches for one in search.descent.evaluations]
    margins = [each for search in searches for each in search.function.left_out]
    values = [one.value if np.isfinite(one.value) else math.inf for _, one in pairs]
    index = confirmed(values, margins, searches[0].weights, searches[0].counts)
    return index, *pairs[index]


def parameter_prefix(estimator: Any) -> str:
    """Return what the names of the last step's parameters begin with."""
    prefix = ""
    while isinstance(estimator, Pipeline):
        name, estimator = estimator.steps[-1]
        prefix += f"{name}__"
    return prefix


def trace_of(searches: Sequence[Search]) -> dict[str, NDArray[Any]]:
    """Lay the evaluations of all searches out as columns."""
    lines: list[dict[str, Any]] = []
    descents = 0
    for search in searches:
        told = search.function
        records = zip(
            search.descent.evaluations, told.values, told.trainings, told.left_out, strict=True
        )
        for one, value, trained, left_out in records:
            line: dict[str, Any] = dict(search.space.values(one.point))
            if search.space.n_scales:
                line[SCALE] = search.space.scales(one.point)
            if isinstance(search.space.kernel, Polynomial):
                line["degree"] = search.space.kernel.degree
            line["value"] = value
            line["gradient_norm"] = one.slope_norm
            line["left_out_error"] = math.nan
            if left_out is not None:
                line["left_out_error"] = float(np.average(left_out <= 0.0, weights=search.counts))
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
