"""Stops: what ends an elimination before one column is left."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from svsieve.arrays import FloatArray
from svsieve.elimination.checks import check_not_negative, check_whole


class Stop:
    """A rule that ends an elimination. This one never does; a subclass overrides what it needs."""

    needs_total: bool = False

    def least_size(self, n_columns: int) -> int:
        """Return the number of columns below which nothing is dropped."""
        return 0

    def allowed(self, scores: FloatArray, total: float | None = None) -> int:
        """Return how many of the columns about to go may go, counted from the first.

        Parameters
        ----------
        scores : ndarray
            Their scores, the first to go first.
        total : float, optional
            Sum of all scores of the iteration; given where `needs_total`.
        """
        return len(scores)

    def out_of_time(self, elapsed: float) -> bool:
        """Tell whether to stop after so many seconds."""
        return False


@dataclass(frozen=True)
class AtSize(Stop):
    """Stop at a number of columns.

    Parameters
    ----------
    columns : int

    Examples
    --------
    >>> from svsieve.elimination import AtSize
    >>> AtSize(10).least_size(200)
    10
    """

    columns: int

    def __post_init__(self) -> None:
        check_whole(self.columns, "columns", "AtSize", 1)

    def least_size(self, n_columns: int) -> int:
        """Return the number, or all columns if there are fewer."""
        return min(int(self.columns), n_columns)


@dataclass(frozen=True)
class WhenScoreAbove(Stop):
    """Drop only columns that score no more than a threshold; stop when there are none.

    Parameters
    ----------
    threshold : float
        Not negative.
    relative : bool, default=False
        Compare the share of all scores of the iteration instead. The scale of scores changes from
        one iteration to the next; shares can be compared.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.elimination import WhenScoreAbove
    >>> WhenScoreAbove(0.5).allowed(np.array([0.1, 0.5, 0.7]))
    2
    """

    threshold: float
    relative: bool = False

    def __post_init__(self) -> None:
        check_not_negative(self.threshold, "threshold", "WhenScoreAbove")

    @property
    def needs_total(self) -> bool:  # type: ignore[override]
        """Tell whether `allowed` asks for the sum of all scores."""
        return self.relative

    def allowed(self, scores: FloatArray, total: float | None = None) -> int:
        """Return how many of the first scores are at or below the threshold."""
        limit = self.threshold
        if self.relative:
            if total is None:
                raise ValueError("WhenScoreAbove(relative=True) needs the sum of all scores.")
            limit *= total
        above = np.flatnonzero(~(scores <= limit))
        return int(above[0]) if len(above) else len(scores)


@dataclass(frozen=True)
class AfterSeconds(Stop):
    """Stop after a time; the step under way is finished.

    Parameters
    ----------
    seconds : float

    Examples
    --------
    >>> from svsieve.elimination import AfterSeconds
    >>> AfterSeconds(60).out_of_time(61.0)
    True
    """

    seconds: float

    def __post_init__(self) -> None:
        check_not_negative(self.seconds, "seconds", "AfterSeconds")

    def out_of_time(self, elapsed: float) -> bool:
        """Tell whether the time has passed."""
        return elapsed >= self.seconds
