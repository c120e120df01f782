"""Sparing rules: which of the columns with the least scores stay all the same.

Columns that say the same share the weight of a machine between them: each looks worth little, and a
step that drops many may drop them all, though together they are worth a lot. A sparing rule looks
at the columns that a step is about to drop and keeps some of them for the next one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from svsieve.arrays import FloatArray, IndexArray, Table
from svsieve.elimination.checks import check_whole
from svsieve.kernels.gamma import ColumnMoments

# Correlations held at a time.
BLOCK_ENTRIES = 2**22


class Spare(Protocol):
    """A rule that keeps some of the columns that a step would drop."""

    def spared(self, X: Table, kept: IndexArray, going: IndexArray) -> npt.NDArray[np.bool_]:
        """Tell which of the columns about to go stay, never all of them.

        Parameters
        ----------
        X : ndarray or CSR array
            The whole table.
        kept : ndarray of int
            Columns left, ascending; those going are among them.
        going : ndarray of int
            Columns about to go, the one with the least score first.

        Returns
        -------
        ndarray of bool
            One entry for each of `going`.
        """


def going_after(spare: Spare | None, X: Table, kept: IndexArray, going: IndexArray) -> IndexArray:
    """Return the positions in `going` of the columns that go once a rule has spared some."""
    if spare is None or len(going) < 2:
        return np.arange(len(going))
    left = np.flatnonzero(~spare.spared(X, kept, going))
    if not len(left):
        raise ValueError(f"{spare!r} spares all {len(going)} columns of a step; one must go.")
    return left


@dataclass(frozen=True)
class CorrelatedGroups:
    """Keep the best of a group of correlated columns that a step would drop as a whole.

    The correlation bias reduction of Yan and Zhang (2015). From the best to the worst of the
    columns about to go, one is spared if it is correlated with another of them but with no column
    that stays, those spared before it included. A step then drops fewer columns than the schedule
    asks for, never none. Where columns go one at a time nothing is spared: the machine is trained
    again before the next one of a group goes.

    Parameters
    ----------
    threshold : float, default=0.9
        In (0, 1). Two columns are correlated if their absolute correlation over all rows is above.
    most : int, default=1
        Columns of a group that may go in one step though none of the group stays. A column is
        spared only if the number of columns about to go that are correlated with it, itself
        included, is larger.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.elimination import CorrelatedGroups
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(30, 4))
    >>> X[:, 2] = X[:, 1] + 0.1 * X[:, 2]
    >>> CorrelatedGroups().spared(X, kept=np.arange(4), going=np.array([2, 1, 3]))
    array([False,  True, False])
    """

    threshold: float = 0.9
    most: int = 1

    def __post_init__(self) -> None:
        number = isinstance(self.threshold, (int, float, np.integer, np.floating))
        if not number or not 0.0 < self.threshold < 1.0:
            raise ValueError(
                f"threshold of CorrelatedGroups must lie between 0 and 1. Got {self.threshold!r}."
            )
        check_whole(self.most, "most", "CorrelatedGroups", 1)

    def spared(self, X: Table, kept: IndexArray, going: IndexArray) -> npt.NDArray[np.bool_]:
        """Tell which of the columns about to go stay.

        Parameters
        ----------
        X : ndarray or CSR array
            The whole table.
        kept : ndarray of int
            Columns left, ascending; those going are among them.
        going : ndarray of int
            Columns about to go, the one with the least score first.

        Returns
        -------
        ndarray of bool
            One entry for each of `going`.
        """
        stays = np.zeros(len(going), dtype=np.bool_)
        if len(going) <= self.most:
            return stays
        others = np.setdiff1d(kept, going)
        best_first = going[::-1]
        correlations = _Correlations.of(X, np.concatenate([best_first, others]))
        width = max(1, BLOCK_ENTRIES // len(kept))
        for start in range(0, len(going), width):
            block = slice(start, min(start + width, len(going)))
            alike = np.abs(correlations.rows(block)) > self.threshold
            among, beside = alike[:, : len(going)], alike[:, len(going) :].any(axis=1)
            in_danger = ~beside & (among.sum(axis=1) > self.most)
            for i in np.flatnonzero(in_danger):
                stays[start + i] = not among[i, stays].any()
        return stays[::-1]


@dataclass(frozen=True, eq=False)
class _Correlations:
    """Correlations between columns of a table, computed some rows of the matrix at a time.

    Attributes
    ----------
    table : ndarray or CSC array
        The columns, less their means if dense.
    mean, norm : ndarray
        Of the columns of `table`; a norm is that of the column less its mean.
    """

    table: Table
    mean: FloatArray
    norm: FloatArray

    @classmethod
    def of(cls, X: Table, columns: IndexArray) -> _Correlations:
        picked = X[:, columns]
        if isinstance(picked, np.ndarray):
            centred = picked - picked[0]  # a constant column is zero, exactly
            centred -= centred.mean(axis=0)
            return cls(centred, np.zeros(len(columns)), np.sqrt((centred**2).sum(axis=0)))
        moments = ColumnMoments(picked)
        norm = np.sqrt(X.shape[0] * moments.variance)
        return cls(sp.csc_array(picked), moments.mean, norm)

    def rows(self, block: slice) -> FloatArray:
        """Correlations of a block of the columns with all; those with a constant one are 0."""
        some = self.table[:, block]
        if not isinstance(some, np.ndarray):
            some = some.toarray() - self.mean[block]
        # Columns that sum to zero have the same products with others whether those do or not.
        products = np.asarray(self.table.T @ some).T
        norms = np.outer(self.norm[block], self.norm)
        return np.asarray(np.divide(products, norms, out=np.zeros(norms.shape), where=norms > 0.0))
