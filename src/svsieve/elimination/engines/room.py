"""What the kernel engine needs of memory, asked before it begins."""

from __future__ import annotations

from typing import Any

import numpy as np

from svsieve.criteria import Criterion, Span, WeightNorm
from svsieve.elimination.parts import Data, Parts
from svsieve.elimination.samplers import AllRows
from svsieve.kernels import Linear
from svsieve.kernels.state import state_matrices
from svsieve.memory import check_fits

# In tables of all pairs of rows of a problem, as measured: what the solver copies when it leaves
# rows out, what machines trained again take, and the distances of span without each column.
SOLVER, RETRAINED, SPAN = 0.5, 2.5, 5.5


def check_room(data: Data, parts: Parts) -> None:
    """Refuse an elimination whose tables of all pairs of rows do not fit.

    Rows drawn anew in each step are asked for when they are drawn.
    """
    if type(parts.sampler) is not AllRows:
        return
    n = data.n_rows
    of_problem = SOLVER + _matrices_of(parts.criterion)
    # The Gram matrix of a problem on some of the rows is a copy.
    pairs = max(
        n**2 * of_problem if task.rows is None else len(task.rows) ** 2 * (1.0 + of_problem)
        for task in data.tasks
    )
    size = 8.0 * (n**2 * state_matrices(parts.kernel) + pairs)
    if isinstance(data.X, np.ndarray):
        size += 2.0 * data.X.nbytes  # centred, and scaled
    check_fits(size, f"An elimination with the kernel matrix of {n:,} rows", _instead(parts))


def _matrices_of(criterion: Criterion) -> float:
    inside: Any = getattr(criterion, "criterion", criterion)  # of one made of another
    if getattr(inside, "retrain", False):
        return RETRAINED
    return SPAN if isinstance(inside, Span) and inside.order == 0 else 0.0


def _instead(parts: Parts) -> str:
    ways = ["fewer rows", "a sampler that draws some for each step, such as Subsample(0.1)"]
    inside: Any = getattr(parts.criterion, "criterion", parts.criterion)
    if _matrices_of(parts.criterion):
        ways.append(f"the criterion {type(inside).__name__}(order=1)")
    if type(parts.kernel) is not Linear or type(parts.criterion) is not WeightNorm:
        ways.append("a linear kernel with the criterion WeightNorm, which need no such tables")
    return f"Use {', '.join(ways[:-1])}, or {ways[-1]}."
