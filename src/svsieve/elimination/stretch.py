"""What eliminations leave behind: steps, and stretches of steps made by one call of an engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from svsieve.arrays import FloatArray, IndexArray

NAN = float("nan")

# Arrays by name, all that an engine needs to go on as if it had never stopped.
EngineState: TypeAlias = Mapping[str, npt.NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Solution:
    """The solution of one problem, without its zeros.

    Attributes
    ----------
    rows : ndarray of int
        Rows of the table with a coefficient that is not zero.
    values : ndarray of float
        Their signed coefficients.
    offset : float
    """

    rows: IndexArray
    values: FloatArray
    offset: float


@dataclass(frozen=True, eq=False)
class Step:
    """One elimination.

    Attributes
    ----------
    iteration : int
        From 1.
    size : int
        Columns before it.
    dropped : ndarray of int
        The columns dropped, the first to go first.
    scores : ndarray of float
        Their scores.
    following : float
        The least score among columns that stay though they might be dropped; nan if there are none.
    kkt_gap : float
        The largest of its problems.
    accuracy : float
        Of the machines on the rows they were trained on.
    seconds : float
    tied : bool
        Whether equal scores were told apart by the index of the column.
    solutions : tuple of Solution
        One per problem, where they were asked for.
    total : float or None
        Sum of the scores of all columns, where the engine had them all.
    resolution : float
        The difference below which scores of this step count as equal; nan where it is not known.
    """

    iteration: int
    size: int
    dropped: IndexArray
    scores: FloatArray
    following: float
    kkt_gap: float
    accuracy: float
    seconds: float
    tied: bool
    solutions: tuple[Solution, ...] = ()
    total: float | None = None
    resolution: float = NAN

    @property
    def margin(self) -> float:
        """The score of the first column that stays less that of the last dropped."""
        return float(self.following - self.scores[-1])


@dataclass(frozen=True, eq=False)
class Stretch(Sequence[Step]):
    """Consecutive eliminations: usually one, on the fastest path hundreds. A sequence of steps.

    Attributes
    ----------
    first : int
        The iteration of the first step, from 1.
    size : int
        Columns before the first step.
    counts : ndarray of int, one per step
        How many columns each drops.
    dropped, scores : ndarray, sum(counts) entries
        The columns, the first to go first, and their scores.
    following, kkt_gap, accuracy, seconds, tied : ndarray, one per step
        As in `Step`.
    solutions : sequence of tuples of Solution
        One tuple per step, or only that of the last step, or none.
    totals : ndarray, one per step, or None
        Sums of the scores of all columns, where the engine had them all.
    resolution : ndarray, one per step, or None
        As in `Step`, where the engine says it.
    state : mapping of str to ndarray, or None
        What the engine held after the last step, where it was asked for: a run taken up again from
        there goes on in the same bits.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.elimination import Stretch
    >>> zeros = np.zeros(2)
    >>> stretch = Stretch(
    ...     first=1, size=5, counts=np.array([2, 1]), dropped=np.array([3, 0, 4]),
    ...     scores=np.array([0.1, 0.2, 0.5]), following=np.array([0.3, 0.9]), kkt_gap=zeros,
    ...     accuracy=np.ones(2), seconds=zeros, tied=np.array([False, False]))
    >>> [(step.size, step.dropped.tolist()) for step in stretch]
    [(5, [3, 0]), (3, [4])]
    >>> stretch[-1].margin
    0.4
    """

    first: int
    size: int
    counts: IndexArray
    dropped: IndexArray
    scores: FloatArray
    following: FloatArray
    kkt_gap: FloatArray
    accuracy: FloatArray
    seconds: FloatArray
    tied: npt.NDArray[np.bool_]
    solutions: Sequence[tuple[Solution, ...]] = ()
    totals: FloatArray | None = None
    resolution: FloatArray | None = None
    state: EngineState | None = None

    def __post_init__(self) -> None:
        steps, columns = len(self.counts), int(self.counts.sum())
        for name in ("following", "kkt_gap", "accuracy", "seconds", "tied"):
            if len(getattr(self, name)) != steps:
                raise ValueError(
                    f"{name} must have one entry for each of {steps} steps. "
                    f"Got {len(getattr(self, name))}."
                )
        for name in ("dropped", "scores"):
            if len(getattr(self, name)) != columns:
                raise ValueError(
                    f"{name} must have one entry for each of {columns} columns dropped. "
                    f"Got {len(getattr(self, name))}."
                )
        if len(self.solutions) not in {0, 1, steps}:
            raise ValueError(
                f"solutions must be given for none, the last or all of {steps} steps. "
                f"Got {len(self.solutions)}."
            )

    @property
    def size_after(self) -> int:
        """Columns after the last step."""
        return self.size - len(self.dropped)

    def __len__(self) -> int:
        return len(self.counts)

    @overload
    def __getitem__(self, index: int) -> Step: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Step]: ...

    def __getitem__(self, index: int | slice) -> Step | Sequence[Step]:
        if isinstance(index, slice):
            return [self._step(i) for i in range(*index.indices(len(self)))]
        i = index + len(self) if index < 0 else index
        if not 0 <= i < len(self):
            raise IndexError(f"the stretch has {len(self)} steps. Got {index}.")
        return self._step(i)

    def __iter__(self) -> Iterator[Step]:
        return (self._step(i) for i in range(len(self)))

    def _step(self, i: int) -> Step:
        start = int(self.counts[:i].sum())
        columns = slice(start, start + int(self.counts[i]))
        return Step(
            iteration=self.first + i,
            size=self.size - start,
            dropped=self.dropped[columns],
            scores=self.scores[columns],
            following=float(self.following[i]),
            kkt_gap=float(self.kkt_gap[i]),
            accuracy=float(self.accuracy[i]),
            seconds=float(self.seconds[i]),
            tied=bool(self.tied[i]),
            solutions=self._solutions_of(i),
            total=None if self.totals is None else float(self.totals[i]),
            resolution=NAN if self.resolution is None else float(self.resolution[i]),
        )

    def _solutions_of(self, i: int) -> tuple[Solution, ...]:
        if len(self.solutions) == len(self):
            return self.solutions[i]
        return self.solutions[-1] if self.solutions and i == len(self) - 1 else ()

    def truncated(self, steps: int, last_count: int | None = None) -> Stretch:
        """Return the first steps only, of the last of them only the first `last_count` columns.

        Columns of that step that now stay are those that follow.
        """
        if not 0 <= steps <= len(self):
            raise ValueError(f"steps must lie in [0, {len(self)}]. Got {steps!r}.")
        counts, following = self.counts[:steps].copy(), self.following[:steps].copy()
        if last_count is not None:
            if not (steps and 1 <= last_count <= counts[-1]):
                raise ValueError(
                    "last_count must be at least 1 and no more than the last step drops. "
                    f"Got {last_count!r}."
                )
            stop = int(counts.sum())
            spared = self.scores[stop - int(counts[-1]) + last_count : stop]
            if len(spared):
                following[-1] = np.fmin(spared.min(), following[-1])
            counts[-1] = last_count
        columns = int(counts.sum())
        every = len(self.solutions) == len(self)
        carried = self.solutions if steps == len(self) else ()
        return replace(
            self,
            counts=counts,
            dropped=self.dropped[:columns],
            scores=self.scores[:columns],
            following=following,
            kkt_gap=self.kkt_gap[:steps],
            accuracy=self.accuracy[:steps],
            seconds=self.seconds[:steps],
            tied=self.tied[:steps],
            solutions=self.solutions[:steps] if every else carried,
            totals=None if self.totals is None else self.totals[:steps],
            resolution=None if self.resolution is None else self.resolution[:steps],
            state=self.state if columns == len(self.dropped) else None,
        )
