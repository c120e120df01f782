"""The record of an elimination: which column went when, at what score, and how well it is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from svsieve.arrays import FloatArray, IndexArray, float_vector
from svsieve.elimination import path_file
from svsieve.elimination.path_file import STEP_ARRAYS, File, Solutions
from svsieve.elimination.stop_point import accuracy_between, accuracy_through, cheapest_size
from svsieve.elimination.stretch import NAN, Solution

UNKNOWN = np.empty(0)  # stands for as many nan as there are steps


@dataclass(frozen=True, eq=False, repr=False)
class Path:
    """The record of an elimination.

    Attributes
    ----------
    n_columns : int
    counts : ndarray of int, one per step
        Columns dropped.
    following : ndarray of float, one per step
        The least score among columns that stayed though they might have been dropped.
    kkt_gap, accuracy, seconds : ndarray of float, one per step
        The largest KKT gap of the machines; their accuracy on the rows they were trained on; time.
    tied : ndarray of bool, one per step
        Whether equal scores were told apart by the index of the column.
    dropped, scores : ndarray, one per column dropped
        In the order of leaving, with the score at that moment.
    survivors, survivor_scores : ndarray, one per column kept
        Best first. While the run is not finished: in order of index, their scores nan.
    column_names : tuple of str or None
    engine : str
        What computed it.
    stopped : str
        "size", "score", "time", "interrupted", or "running" if it is not finished.
    final_accuracy, final_kkt_gap : float
        Training accuracy and KKT gap of the fit that orders the columns kept; nan where it is not
        known.
    notes : dict
        Facts about the run that JSON can hold: its parts, seed, versions. ``notes["chance"]`` is
        the accuracy without any column.
    solutions : tuple of tuples of Solution, one per step, or None
    final_solutions : tuple of Solution, or None
        Those of the fit that orders the columns kept.
    resolution : ndarray of float, one per step
        The difference below which scores of a step count as equal; nan where it is not known.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.elimination import Path
    >>> zeros = np.zeros(2)
    >>> path = Path(
    ...     n_columns=4, counts=np.array([2, 1]), following=np.array([3.0, 9.0]), kkt_gap=zeros,
    ...     accuracy=zeros, seconds=zeros, tied=np.array([False, False]),
    ...     dropped=np.array([1, 3, 0]), scores=np.array([0.5, 1.0, 4.0]),
    ...     survivors=np.array([2]), survivor_scores=np.array([10.0]), stopped="size")
    >>> path.order
    array([2, 0, 3, 1])
    >>> path.sizes
    array([4, 2, 1])
    >>> path.ranking()
    array([2, 3, 1, 3])
    >>> path.margins
    array([2., 5.])
    """

    n_columns: int
    counts: IndexArray
    following: FloatArray
    kkt_gap: FloatArray
    accuracy: FloatArray
    seconds: FloatArray
    tied: npt.NDArray[np.bool_]
    dropped: IndexArray
    scores: FloatArray
    survivors: IndexArray
    survivor_scores: FloatArray
    column_names: tuple[str, ...] | None = None
    engine: str = ""
    stopped: str = "running"
    final_accuracy: float = NAN
    notes: dict[str, Any] = field(default_factory=dict)
    solutions: Solutions | None = None
    final_kkt_gap: float = NAN
    final_solutions: tuple[Solution, ...] | None = None
    resolution: FloatArray = field(default_factory=lambda: UNKNOWN)

    def __post_init__(self) -> None:
        if self.resolution is UNKNOWN:
            object.__setattr__(self, "resolution", np.full(len(self.counts), NAN))
        if self.column_names is not None:
            names = tuple(str(name) for name in self.column_names)
            object.__setattr__(self, "column_names", names)
        lengths = {name: len(self.counts) for name in STEP_ARRAYS}
        lengths |= {"scores": len(self.dropped), "survivor_scores": len(self.survivors)}
        if self.column_names is not None:
            lengths["column_names"] = self.n_columns
        if self.solutions is not None:
            lengths["solutions"] = len(self.counts)
        for name, length in lengths.items():
            if len(getattr(self, name)) != length:
                raise ValueError(
                    f"{name} must have {length} entries. Got {len(getattr(self, name))}."
                )
        if int(self.counts.sum()) != len(self.dropped):
            raise ValueError(
                f"counts must add up to the {len(self.dropped)} columns dropped. "
                f"Got {int(self.counts.sum())}."
            )
        if not (self.counts > 0).all():
            raise ValueError(f"counts must be positive. Got {self.counts.min()}.")
        columns = np.sort(np.concatenate([self.dropped, self.survivors]))
        in_number = len(columns) == self.n_columns
        if not in_number or not np.array_equal(columns, np.arange(self.n_columns)):
            raise ValueError(
                f"dropped and survivors must name each of {self.n_columns} columns once."
            )

    def __repr__(self) -> str:
        return (
            f"Path(n_columns={self.n_columns}, steps={self.n_steps}, kept={len(self.survivors)}, "
            f"stopped={self.stopped!r}, engine={self.engine!r})"
        )

    @classmethod
    def from_scores(
        cls,
        scores: npt.ArrayLike,
        names: Sequence[str] | None = None,
        *,
        larger_is_better: bool = True,
    ) -> Path:
        """Return the path that drops columns one by one by scores that do not change.

        It makes a filter comparable with an elimination: whatever reads paths reads this one.

        Parameters
        ----------
        scores : array-like of shape (n_columns,)
            No NaN among them. Of columns with equal scores the one of lower index goes first, as in
            every elimination.
        names : sequence of str, optional
            Names of the columns.
        larger_is_better : bool, default=True
            False: small numbers are good, as p-values are. The path then holds their negatives, so
            that the smallest goes first as everywhere.

        Returns
        -------
        Path
            Finished, with one column kept.

        Examples
        --------
        >>> from svsieve import fisher_score
        >>> from svsieve.elimination import Path
        >>> X = [[0.0, 5.0, 1.0], [1.0, 4.0, 3.0], [9.0, 5.0, 2.0], [8.0, 3.0, 5.0]]
        >>> Path.from_scores(fisher_score(X, [0, 0, 1, 1])).order
        array([0, 2, 1])
        """
        given = float_vector(scores, "scores")
        if not len(given):
            raise ValueError("scores must have an entry for at least one column.")
        missing = np.flatnonzero(np.isnan(given))
        if len(missing):
            raise ValueError(f"scores must not be missing. Column {missing[0]} has nan.")
        values = given if larger_is_better else -given
        order = np.argsort(values, kind="stable")
        gone, rising = order[:-1], values[order]
        none = np.zeros(len(gone))
        return cls(
            n_columns=len(values),
            counts=np.ones(len(gone), dtype=np.int64),
            following=rising[1:],
            kkt_gap=none,
            accuracy=np.full(len(gone), NAN),
            seconds=none,
            tied=rising[1:] == rising[:-1],
            dropped=gone,
            scores=rising[:-1],
            survivors=order[-1:],
            survivor_scores=rising[-1:],
            column_names=None if names is None else tuple(names),
            engine="scores",
            stopped="size",
            notes={"larger_is_better": bool(larger_is_better)},
        )

    # ---- the order of columns

    @property
    def n_steps(self) -> int:
        """Number of eliminations."""
        return len(self.counts)

    @property
    def sizes(self) -> IndexArray:
        """Columns before each step, and after the last."""
        return np.asarray(self.n_columns - np.append(0, np.cumsum(self.counts)))

    @property
    def order(self) -> IndexArray:
        """All columns, best first: those kept, then those dropped, the last to go first."""
        return np.concatenate([self.survivors, self.dropped[::-1]])

    def top(self, k: int) -> IndexArray:
        """Return the best k columns, best first."""
        if not 0 <= k <= self.n_columns:
            raise ValueError(f"k must lie in [0, {self.n_columns}]. Got {k!r}.")
        return self.order[:k]

    def ranking(self) -> IndexArray:
        """Return the rank of each column as in scikit-learn's RFE.

        Columns kept have rank 1, those dropped in the last step 2, in the step before 3, and so on.
        `order` tells them all apart.
        """
        ranks = np.ones(self.n_columns, dtype=np.int64)
        ranks[self.dropped] = np.repeat(np.arange(self.n_steps + 1, 1, -1), self.counts)
        return ranks

    def same_ranking(self, other: Path, *, rtol: float = 1e-6) -> bool:
        """Tell whether another path visits the same sizes with the same order and scores.

        Parameters
        ----------
        other : Path
        rtol : float, default=1e-6
            By how much scores may differ, as a share of the largest one. 0: equal to the last bit,
            as those of a run that was killed and taken up again are; infinity: only the order
            counts.
        """
        mine, others = self.importances, other.importances
        same = np.array_equal(self.counts, other.counts) and np.array_equal(self.order, other.order)
        if not same or rtol == np.inf:
            return same
        largest = np.abs(others[np.isfinite(others)]).max(initial=0.0)
        return np.allclose(mine, others, rtol=0.0, atol=rtol * largest, equal_nan=True)

    # ---- numbers

    @property
    def importances(self) -> FloatArray:
        """Scores of all columns at the time they were last seen, the first to go first."""
        return np.concatenate([self.scores, self.survivor_scores[::-1]])

    @property
    def largest_gap(self) -> float:
        """The largest KKT gap of all fits; nan where none is known."""
        return float(np.fmax.reduce(np.append(self.kkt_gap, self.final_kkt_gap)))

    @property
    def margins(self) -> FloatArray:
        """Score of the first column that stayed less that of the last dropped, for each step."""
        return np.asarray(self.following - self.scores[np.cumsum(self.counts) - 1])

    def estimated_size(
        self,
        tradeoff: tuple[float, float] = (0.8, 0.2),
        bounds: tuple[float, float] | Literal["accuracy"] | None = None,
        chance: float | None = None,
    ) -> int:
        """Return how many columns to keep, judged by the importances alone.

        The accuracy with k columns is estimated by the share of the importance that they hold, and
        the size with the least ``tradeoff[0] * error + tradeoff[1] * k / n_columns`` is taken.
        Scores below zero hold none. Nothing is fitted, and no row is held out: this is a cheap
        first guess.

        Parameters
        ----------
        tradeoff : tuple of two floats, default=(0.8, 0.2)
            Weights of error and of size.
        bounds : tuple of two floats or "accuracy", optional
            Accuracy with no column and with all; ``(chance, 1.0)`` by default. "accuracy": go
            through the training accuracy of each iteration instead.
        chance : float, optional
            Accuracy without any column: the share of the largest class. By default what the notes
            say, or one half.

        Examples
        --------
        >>> import numpy as np
        >>> from svsieve.elimination import Path
        >>> path = Path(
        ...     n_columns=5, counts=np.array([2, 2]), following=np.zeros(2), kkt_gap=np.zeros(2),
        ...     accuracy=np.array([0.95, 0.92]), seconds=np.zeros(2), tied=np.zeros(2, dtype=bool),
        ...     dropped=np.arange(4), scores=np.array([1.0, 2.0, 3.0, 10.0]),
        ...     survivors=np.array([4]), survivor_scores=np.array([40.0]), final_accuracy=0.70)
        >>> path.estimated_size(), path.estimated_size(bounds="accuracy")
        (2, 3)
        """
        importances = np.maximum(self.importances, 0.0)  # less than nothing is nothing
        if np.isnan(importances).any():
            raise ValueError("the path is not finished: the columns left have no scores yet.")
        if np.isinf(importances).any() or not self.notes.get("larger_is_better", True):
            raise ValueError(
                "the importance of columns cannot be added up: some scores are infinite, or small "
                "ones are the good ones."
            )
        floor = float(self.notes.get("chance", 0.5)) if chance is None else float(chance)
        if bounds is None:
            bounds = (floor, 1.0)
        if not isinstance(bounds, str):
            return cheapest_size(accuracy_between(importances, *_pair(bounds)), tradeoff)
        if bounds != "accuracy":
            raise ValueError(f"bounds must be two accuracies or 'accuracy'. Got {bounds!r}.")
        known = np.append(self.accuracy, self.final_accuracy)
        found = np.isfinite(known)
        if not found[0]:
            raise ValueError("bounds='accuracy' needs training accuracies; the path has none.")
        sizes = np.append(self.sizes[found], 0)
        table = accuracy_through(importances, sizes, np.append(known[found], floor))
        return cheapest_size(table, tradeoff)

    # ---- for people

    def names(self, columns: IndexArray) -> list[str]:
        """Return the names of columns, their indices as text where there are none."""
        if self.column_names is None:
            return [str(j) for j in columns.tolist()]
        return [self.column_names[j] for j in columns.tolist()]

    def summary(self) -> str:
        """Return a few lines about the path."""
        best = self.names(self.order[:5])
        rest = ", ..." if self.n_columns > len(best) else ""
        lines = [
            f"{self.n_columns} columns, {self.n_steps} steps, {len(self.survivors)} kept "
            f"(stopped: {self.stopped})",
            f"best first: {', '.join(best)}{rest}",
        ]
        if self.n_steps:
            lines.append(
                f"engine {self.engine or 'unknown'}, {self.seconds.sum():.3g} s, largest KKT gap "
                f"{self.largest_gap:.2g}, ties at {int(self.tied.sum())} steps"
            )
        return "\n".join(lines)

    def to_frame(self) -> Any:
        """Return a pandas data frame with one row per column, best first.

        Columns: column, name, rank (from 1, no two alike), score, size_before (columns at the time
        of the score), iteration (missing for columns kept), kkt_gap, tied.
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError("Path.to_frame needs pandas: pip install pandas.") from error
        kept, steps = len(self.survivors), np.repeat(np.arange(self.n_steps), self.counts)[::-1]
        missing = np.full(kept, np.nan)
        iteration = pd.array([None] * kept + (steps + 1).tolist(), dtype="Int64")
        return pd.DataFrame(
            {
                "column": self.order,
                "name": self.names(self.order),
                "rank": np.arange(1, self.n_columns + 1),
                "score": self.importances[::-1],
                "size_before": np.append(np.full(kept, self.sizes[-1]), self.sizes[steps]),
                "iteration": iteration,
                "kkt_gap": np.append(missing, self.kkt_gap[steps]),
                "tied": np.append(np.zeros(kept, dtype=bool), self.tied[steps]),
            }
        )

    # ---- files

    def save(self, file: File) -> None:
        """Write the path to an npz file; an old file is replaced as a whole.

        The name is taken as it is: nothing is appended to it. A file that is open for bytes, such
        as an `io.BytesIO`, is written into.
        """
        path_file.write_path(file, self)

    @classmethod
    def load(cls, file: File) -> Path:
        """Read a path that `save` wrote, also one of an earlier version. Nothing in it is run."""
        return path_file.read_path(file, cls)[0]


def _pair(bounds: Sequence[float]) -> tuple[float, float]:
    values = tuple(float(bound) for bound in bounds)
    if len(values) != 2 or not values[0] <= values[1]:
        raise ValueError(
            "bounds must be the accuracy with no column and, not below it, that with all. "
            f"Got {bounds!r}."
        )
    return values[0], values[1]
