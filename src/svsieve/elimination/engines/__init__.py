"""Engines: ways to train, score and drop. The choice between them changes the time, not the order.

``kernel``
    Any kernel, machine, criterion, schedule and sampler, on a Gram matrix.
``wide-linear``
    The linear kernel with more columns than about a tenth of the rows, up to a few thousand rows.
``tall-linear``
    The linear kernel with more rows than that; with the squared slack also with as many columns as
    rows, or somewhat more, where rows are a thousand and several columns go in a step; and with
    columns far wider than the others, which would drown them in a Gram matrix.
``sparse-linear``
    The linear kernel on sparse rows, which are never written out.

On dense tables with more than two classes what counts are the rows of the largest problem, one
class against another, say: machines on few rows are quick, however many of them there are. Sparse
tables get the engine of the lower cost (`costs`): few rows and many steps are sooner done written
out.
"""

from __future__ import annotations

import numpy as np

from svsieve.arrays import IndexArray
from svsieve.criteria import PowerSum, WeightNorm
from svsieve.elimination.engines.costs import Work, sparse_seconds, wide_seconds
from svsieve.elimination.engines.engine import Engine, Fit, ResumableEngine, Turn
from svsieve.elimination.engines.kernel import KernelEngine
from svsieve.elimination.engines.room import check_room
from svsieve.elimination.engines.sparse_linear import SparseLinearEngine
from svsieve.elimination.engines.tall_linear import TallLinearEngine
from svsieve.elimination.engines.wide_linear import WideLinearEngine
from svsieve.elimination.parts import Data, Parts
from svsieve.elimination.samplers import AllRows
from svsieve.errors import IncompatiblePartsError
from svsieve.kernels import Linear
from svsieve.machines import CSvm, L2Svm
from svsieve.machines.linear_newton import MOST_COLUMNS
from svsieve.machines.linear_primal import has_wide_columns
from svsieve.memory import check_fits, fits

# Beyond, the Gram matrix of the wide engine no longer fits into a cache, let alone 8 n^2 bytes.
MOST_WIDE_ROWS = 4500
# Sparse tables are written out for the wide engine up to this size.
MOST_WRITTEN_OUT = 2**31
# With fewer rows weights that drown in a Gram matrix are cheaply refined in twice the precision.
FEW_ROWS = 400
# How often the wide engine has the table in memory, the one that it writes out included.
COPIES = 2
# Milliseconds of a step with the squared slack, on one core. The wide engine mends or rebuilds an
# inverse over the rows: so many per row cubed and column dropped, and at most so many. The tall one
# makes Newton steps over the columns: so many per column to the power of 1.5, over a whole ranking.
WIDE_COLUMN, WIDE_STEP = 1.7e-9, 10.5e-9
TALL_STEP = 4.5e-4
# Newton steps over the rows, beyond as many columns, have been timed up to here.
MOST_COLUMNS_PER_ROW = 1.5


def choose_engine(
    data: Data, parts: Parts, kept: IndexArray, *, solutions: bool = False
) -> ResumableEngine:
    """Return the engine asked for, or the fastest one that can do the work."""
    name = engine_name(data, parts)
    if parts.engine != "auto" and name != "kernel":
        reason = _not_linear(parts) or _not_for(name, data, parts)
        if reason:
            raise IncompatiblePartsError(f"The engine {name!r} cannot be used: {reason}.")
    if name == "wide-linear":
        written_out = 8 * data.n_rows * data.n_columns
        check_fits(
            written_out * (COPIES - isinstance(data.X, np.ndarray)),
            f"An elimination of {data.n_columns:,} columns on {data.n_rows:,} rows",
            "Use fewer columns: a filter such as svsieve.fisher_score finds candidates.",
        )
        return WideLinearEngine(data, parts, kept, solutions=solutions)
    if name == "tall-linear":
        return TallLinearEngine(data, parts, kept)
    if name == "sparse-linear":
        return SparseLinearEngine(data, parts, kept, solutions=solutions)
    check_room(data, parts)
    return KernelEngine(data, parts, kept)


def engine_name(data: Data, parts: Parts) -> str:
    """Return the name of the engine that an elimination will use, or asks for."""
    if parts.engine != "auto":
        return parts.engine
    if _not_linear(parts):
        return "kernel"
    n, d = data.n_rows, data.n_columns
    most = max(n if task.rows is None else len(task.rows) for task in data.tasks)
    if n > FEW_ROWS and d <= min(most, MOST_COLUMNS) and has_wide_columns(data.X):
        return "tall-linear"
    if not isinstance(data.X, np.ndarray):
        work = Work.of(data, parts)
        written_out = not _not_wide(data, parts) and wide_seconds(work) < sparse_seconds(work)
        return "wide-linear" if written_out else "sparse-linear"
    tall = n > MOST_WIDE_ROWS or (most >= 500 and (d <= most / 10 or _quick_tall(parts, most, d)))
    if not tall and not _not_wide(data, parts):
        return "wide-linear"
    return "tall-linear" if tall or most > 1000 else "kernel"


def _quick_tall(parts: Parts, n: int, d: int) -> bool:
    """Whether the tall engine is the quicker one though columns are not few."""
    if not isinstance(parts.machine, L2Svm) or d > MOST_COLUMNS_PER_ROW * n:
        return False
    if parts.schedule.needs_scores:
        return False  # the wide one is out of the question
    in_a_step = d / len(parts.schedule.sizes(d))
    of_wide: float = min(WIDE_COLUMN * in_a_step, WIDE_STEP) * n**3
    of_tall: float = TALL_STEP * d**1.5
    return of_tall < of_wide


def _not_linear(parts: Parts) -> str:
    """Why neither linear engine can be used; empty if one can."""
    if type(parts.kernel) is not Linear:
        return f"it needs the kernel Linear, not {parts.kernel!r}"
    if type(parts.criterion) is not WeightNorm or parts.criterion.retrain:
        return f"it needs the criterion WeightNorm, not {parts.criterion!r}"
    machine = parts.machine
    if not isinstance(machine, CSvm | L2Svm) or not np.isfinite(machine.C):
        return f"it needs the machine CSvm or L2Svm with finite C, not {machine!r}"
    if parts.retune is not None:
        return f"it makes many steps with one machine, {parts.retune!r} changes it on the way"
    if type(parts.sampler) is not AllRows:
        return f"it needs the sampler AllRows, not {parts.sampler!r}"
    return ""


def _not_for(name: str, data: Data, parts: Parts) -> str:
    """Why the linear engine of this name cannot be used though the parts are linear."""
    if name == "wide-linear":
        return _not_wide(data, parts)
    if name == "sparse-linear" and isinstance(data.X, np.ndarray):
        return "it needs a sparse table"
    return ""


def _not_wide(data: Data, parts: Parts) -> str:
    """Why the wide engine cannot be used though the parts are linear."""
    if parts.schedule.needs_scores:
        return f"it does not have the scores of all columns that {parts.schedule!r} needs"
    needy = [stop for stop in parts.stops if stop.needs_total]
    if needy:
        return f"it does not have the scores of all columns that {needy[0]!r} needs"
    if parts.spare is not None:
        return f"it drops columns before {parts.spare!r} has seen them"
    if len(data.tasks) > 1 and parts.combine != PowerSum():
        return f"it combines several problems by PowerSum(), not by {parts.combine!r}"
    dense = isinstance(data.X, np.ndarray)
    written_out = 8 * data.n_rows * data.n_columns
    if not dense and (written_out > MOST_WRITTEN_OUT or not fits(COPIES * written_out)):
        return "the sparse table would be too large when written out"
    return ""


__all__ = ["Engine", "Fit", "ResumableEngine", "Turn", "choose_engine", "engine_name"]
