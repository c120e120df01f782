"""What to say where machines were not solved to the gap that was asked for."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from svsieve.arrays import FloatArray, IndexArray, Table, column_name
from svsieve.elimination.path import Path
from svsieve.kernels.gamma import ColumnMoments
from svsieve.machines.linear_primal import WIDE


def warn_of_unsolved(
    path: Path, allowed: float, tol: float, table: Callable[[], Table], owner: str
) -> None:
    """Warn where a fit of an elimination stayed short of a gap.

    Parameters
    ----------
    path : Path
    allowed : float
        The largest gap that is none to speak of.
    tol : float
        What was asked for.
    table : callable
        The rows that were trained on, with their columns as the machines saw them.
    owner : str
        Who speaks.
    """
    if not path.largest_gap > allowed:
        return
    gaps = np.append(path.kkt_gap, path.final_kkt_gap)  # the last one orders the columns kept
    worst = int(np.nanargmax(gaps))
    inside = worst < path.n_steps
    where = f"step {worst + 1}" if inside else "the last, on the columns kept"
    size = int(path.sizes[worst]) if inside else len(path.survivors)
    warnings.warn(
        f"{owner}: {int((gaps > allowed).sum())} of {len(gaps)} fits did not converge; the largest "
        f"KKT gap is {gaps[worst]:.3g} ({where}, tol={tol:g}). The ranking may depend on the "
        f"solver. {remedy(table(), np.sort(path.top(size)), path.column_names)}",
        ConvergenceWarning,
        stacklevel=4,
    )


def remedy(X: Table, columns: IndexArray, names: Sequence[Any] | None) -> str:
    """Return what would help: scaling a column beside which the others vanish, or more iterations.

    Parameters
    ----------
    X : table
        Rows that were trained on.
    columns : ndarray of int
        Those that the worst fit had.
    names : sequence or None
        Of all columns.
    """
    spread = _spread(X)[columns]
    varying = spread[spread > 0.0]
    if len(varying):
        middle, widest = float(np.median(varying)), int(spread.argmax())
        if spread[widest] > WIDE * middle:
            name = column_name(int(columns[widest]), names)
            return (
                f"{name} varies {spread[widest] / middle:.0e} times as much as the median column, "
                "which leaves the others few digits: scale the columns."
            )
    return "Raise max_iter or scale the columns."


def _spread(X: Table) -> FloatArray:
    return np.sqrt(ColumnMoments(X).variance)
