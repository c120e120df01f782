"""Collecting the steps of an elimination into a path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from svsieve.arrays import FloatArray, IndexArray
from svsieve.elimination.path import Path
from svsieve.elimination.path_file import STEP_ARRAYS
from svsieve.elimination.stretch import NAN, Solution, Stretch

_RECORDED = (*STEP_ARRAYS, "dropped", "scores")


class PathRecorder:
    """Collects stretches into a path, which can be had at any time.

    Parameters
    ----------
    n_columns : int
    column_names : sequence of str, optional
    engine : str, default=""
    notes : mapping, optional
    solutions : bool, default=False
        Keep the solutions that stretches carry.
    start : Path, optional
        An unfinished path to go on from; its facts hold where no others are given.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.elimination import PathRecorder, Stretch
    >>> recorder = PathRecorder(3)
    >>> zero = np.zeros(1)
    >>> recorder.add(Stretch(1, 3, np.array([1]), np.array([2]), zero, zero, zero, zero, zero,
    ...                      np.array([False])))
    >>> recorder.path()
    Path(n_columns=3, steps=1, kept=2, stopped='running', engine='')
    >>> recorder.finish(np.array([1, 0]), np.array([2.0, 1.0]), "size")
    >>> recorder.path().order
    array([1, 0, 2])
    """

    def __init__(
        self,
        n_columns: int,
        *,
        column_names: Sequence[str] | None = None,
        engine: str = "",
        notes: Mapping[str, Any] | None = None,
        solutions: bool = False,
        start: Path | None = None,
    ) -> None:
        begin = _untouched(n_columns) if start is None else start
        if begin.n_columns != n_columns:
            raise ValueError(f"start has {begin.n_columns} columns, the table {n_columns}.")
        self.n_columns = n_columns
        self.engine = engine or begin.engine
        self.notes = dict(begin.notes if notes is None else notes)
        self.iteration = begin.n_steps  # steps recorded
        self.size = n_columns - len(begin.dropped)  # columns left
        self._names = begin.column_names if column_names is None else tuple(column_names)
        self._pieces: dict[str, list[Any]] = {name: [getattr(begin, name)] for name in _RECORDED}
        self._solutions: list[tuple[Solution, ...]] | None = None
        if solutions:
            self._solutions = list(begin.solutions or [()] * begin.n_steps)
        self._end: dict[str, Any] = {}

    def add(self, stretch: Stretch) -> None:
        """Append the next stretch."""
        if stretch.size != self.size or stretch.first != self.iteration + 1:
            raise ValueError(
                f"the next stretch must begin with iteration {self.iteration + 1} and {self.size} "
                f"columns. Got iteration {stretch.first} and {stretch.size} columns."
            )
        for name, pieces in self._pieces.items():
            entries = getattr(stretch, name)
            pieces.append(np.full(len(stretch), NAN) if entries is None else entries)
        if self._solutions is not None:
            self._solutions.extend(step.solutions for step in stretch)
        self.iteration += len(stretch)
        self.size = stretch.size_after

    def finish(
        self,
        survivors: IndexArray,
        scores: FloatArray,
        stopped: str,
        *,
        accuracy: float = NAN,
        kkt_gap: float = NAN,
        solutions: tuple[Solution, ...] | None = None,
        engine: str | None = None,
    ) -> None:
        """Say which columns are left, best first, with their scores, and why it ended.

        The other arguments tell of the fit that the scores are from.
        """
        self.engine = self.engine if engine is None else engine
        self._end = {
            "survivors": survivors,
            "survivor_scores": scores,
            "stopped": stopped,
            "final_accuracy": accuracy,
            "final_kkt_gap": kkt_gap,
            "final_solutions": solutions or None,
        }

    def path(self) -> Path:
        """Return the path so far."""
        arrays: dict[str, Any] = {
            name: np.concatenate(pieces) for name, pieces in self._pieces.items()
        }
        self._pieces = {name: [array] for name, array in arrays.items()}
        stays = np.ones(self.n_columns, dtype=np.bool_)
        stays[arrays["dropped"]] = False
        left = np.flatnonzero(stays)
        open_end = {"survivors": left, "survivor_scores": np.full(len(left), np.nan)}
        return Path(
            n_columns=self.n_columns,
            column_names=self._names,
            engine=self.engine,
            notes=dict(self.notes),
            solutions=None if self._solutions is None else tuple(self._solutions),
            **arrays,
            **(self._end or open_end),
        )


def _untouched(n_columns: int) -> Path:
    """A path without a step."""
    none, nothing = np.empty(0), np.empty(0, dtype=np.int64)
    return Path(
        n_columns=n_columns,
        counts=nothing,
        following=none,
        kkt_gap=none,
        accuracy=none,
        seconds=none,
        tied=np.empty(0, dtype=np.bool_),
        resolution=none,
        dropped=nothing,
        scores=none,
        survivors=np.arange(n_columns),
        survivor_scores=np.full(n_columns, np.nan),
    )
