"""What is carried along while columns are dropped: pairing matrices and the kept columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from svsieve.arrays import FloatArray, IndexArray, Table, distinct_indices, float_table
from svsieve.kernels.contraction import Branch
from svsieve.kernels.gamma import ColumnMoments
from svsieve.kernels.kernel import Kernel, check_matrices, letting_overflow, matrices_of
from svsieve.kernels.leaf_state import LeafState
from svsieve.kernels.leaves import Linear
from svsieve.kernels.pair_weights import PairWeights
from svsieve.kernels.screening import Least


def state_matrices(kernel: Kernel) -> int:
    """Return how many tables of all pairs of rows a state has at a time, its Gram matrix made."""
    return len(list(kernel.leaves())) + matrices_of(kernel)


class KernelState:
    """A kernel on a table of rows, from which columns can be dropped cheaply.

    Parameters
    ----------
    kernel : Kernel
        Gamma rules are evaluated on the kept columns, again after every drop.
    X : array-like or sparse matrix of shape (n_rows, n_columns)
    kept : array-like of int, optional
        Columns in use at the start; all by default.
    row_weights : ndarray of shape (n_rows,), optional
        A row of weight k counts as k rows when a gamma rule is evaluated.

    Notes
    -----
    Dropping columns subtracts their part from each pairing matrix. Cancellation is kept in check by
    building the matrices anew whenever the number of kept columns has halved, or the columns left
    are a thousandth of what the matrix was built from.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.kernels import KernelState, PairWeights, Rbf
    >>> X = np.array([[0.0, 1.0], [2.0, 1.0]])
    >>> state = KernelState(Rbf(gamma=0.5), X)
    >>> M = PairWeights.outer([1.0, -1.0])
    >>> state.contract_without(M).round(6)
    array([0.      , 1.729329])
    >>> state.drop([1])
    >>> state.kept
    array([0])
    """

    def __init__(
        self,
        kernel: Kernel,
        X: Table,
        *,
        kept: npt.ArrayLike | None = None,
        row_weights: FloatArray | None = None,
    ) -> None:
        table = float_table(X)
        self._moments = ColumnMoments(table, row_weights)
        self._rule = kernel
        self._n_columns = int(table.shape[1])
        self.kept: IndexArray = (
            np.arange(self._n_columns)
            if kept is None
            else distinct_indices(kept, "kept", self._n_columns)
        )
        if not len(self.kept):
            raise ValueError("kept must name at least one column.")
        self.n_rows = int(table.shape[0])
        check_matrices(self.n_rows, self.n_rows, state_matrices(kernel))
        self.kernel = kernel.bind_to(self._moments, self.kept)
        self._leaves = [LeafState(leaf, table, self.kept) for leaf in self.kernel.leaves()]
        self._gram: FloatArray | None = None

    @property
    def n_kept(self) -> int:
        """Number of columns in use."""
        return len(self.kept)

    def column_variances(self) -> FloatArray:
        """Return the variance of every column, kept or not."""
        return self._moments.variance

    def gram(self) -> FloatArray:
        """Return the Gram matrix on the kept columns. The state keeps it: do not write to it."""
        if self._gram is None:
            with letting_overflow():
                self._gram = self._tree().values(None).values
            self._share_gram()
        return self._gram

    def _share_gram(self) -> None:
        """Let the only leaf of a kernel use what is kept here."""
        if not self.kernel.children:
            self._leaves[0].values = self._gram

    def gram_without(self, position: int | None, rows: IndexArray | None = None) -> FloatArray:
        """Return the Gram matrix over some rows without the kept column at `position`.

        Gamma is unchanged. With ``position=None`` nothing is left out, and entries that a column
        does not touch are equal to the last bit with and without it.
        """
        if rows is None:
            return self._tree().values(None, position).values
        order = np.argsort(rows)
        picked = self._tree().values(rows[order], position).values
        if (np.diff(order) > 0).all():
            return picked
        back = np.argsort(order)
        return picked[np.ix_(back, back)]

    def linear_columns(self, rows: IndexArray) -> FloatArray:
        """Return the kept columns whose outer products add up to the Gram matrix of `Linear`."""
        if not isinstance(self.kernel, Linear):
            raise ValueError(f"linear_columns needs the kernel Linear. Got {self.kernel!r}.")
        return self._leaves[0].columns(rows)

    def kept_columns(self, rows: IndexArray) -> FloatArray:
        """Return the kept columns over some rows, each up to a shift and a positive factor.

        A column to which the kernel gives no weight is zero.
        """
        columns = np.array(self._leaves[0].columns(rows))
        for leaf in self._leaves[1:]:
            unseen = ~columns.any(axis=0)
            columns[:, unseen] = leaf.columns(rows)[:, unseen]
        return columns

    def diagonal(self) -> FloatArray:
        """Return k(x_i, x_i) on the kept columns."""
        with letting_overflow():
            own = [leaf.own_values() for leaf in self._leaves]
        return self.kernel.diagonal_from(own)

    def drop(self, columns: npt.ArrayLike) -> None:
        """Leave out columns, named by their original indices."""
        dropped = distinct_indices(columns, "columns", self._n_columns)
        at = np.minimum(np.searchsorted(self.kept, dropped), self.n_kept - 1)
        unknown = self.kept[at] != dropped
        if unknown.any():
            raise ValueError(f"column {dropped[unknown][0]} cannot be dropped: it is not kept.")
        if len(dropped) == self.n_kept:
            raise ValueError("the last columns cannot be dropped: at least one must be kept.")
        if not len(dropped):
            return
        self.kept = np.delete(self.kept, at)
        self.kernel = self._rule.bind_to(self._moments, self.kept)
        with_gram = self._gram is not None and not self.kernel.children
        self._gram = None
        for leaf, kernel in zip(self._leaves, self.kernel.leaves(), strict=True):
            self._gram = leaf.drop(kernel, dropped, self.kept, with_gram=with_gram)
        self._share_gram()

    # ---- for a run that is taken up again

    def screening_pauses(self) -> list[int]:
        """Return for how many contractions each leaf will not try to screen columns."""
        return [leaf.pause for leaf in self._leaves]

    def pause_screening(self, pauses: Sequence[int]) -> None:
        """Set what `screening_pauses` returned."""
        for leaf, pause in zip(self._leaves, pauses, strict=True):
            leaf.pause = pause

    # ---- the three contractions

    def contract_slopes(self, M: PairWeights) -> FloatArray:
        """Return d<M, K> / d ln v_j for each kept column j, where v_j multiplies the column."""
        self._check(M)
        return self._tree().slopes(M)

    def contract_params(self, M: PairWeights) -> dict[str, float]:
        """Return the derivatives of <M, K> in the kernel's parameters.

        Names are "log_gamma" and "coef0"; in a composed kernel they carry the position of the part,
        "0.log_gamma", and a sum adds "0.log_coefficient".
        """
        self._check(M)
        return self._tree().params(M)

    def contract_without(self, M: PairWeights, *, change: bool = False) -> FloatArray:
        """Return <M, K without column j> for each kept column j, gamma unchanged.

        With ``change=True`` return the difference from <M, K>, summed up pair by pair. Linear,
        Gaussian and Laplace kernels form each term without cancellation.
        """
        self._check(M)
        difference = self._tree().change_without(M, self.n_kept)
        if change:
            return difference
        return difference + M.inner(self.gram())

    # ---- the least of them, where they can be found without computing all

    def least_without(self, M: PairWeights, count: int) -> Least | None:
        """Return the `count` + 1 columns of least ``|change|`` in `contract_without`, and more.

        The numbers are those of ``contract_without(M, change=True)``. None where computing them all
        is as cheap or the only way: few rows or columns, a sparse table, a composed kernel, columns
        too much alike.
        """
        self._check(M)
        self._check_count(count)
        return None if self.kernel.children else self._leaves[0].least_change(M, count)

    def least_slopes(self, M: PairWeights, count: int) -> Least | None:
        """Return the `count` + 1 columns of least magnitude in `contract_slopes`, and more.

        The numbers are those of ``contract_slopes(M)`` up to rounding. None as in `least_without`.
        """
        self._check(M)
        self._check_count(count)
        return None if self.kernel.children else self._leaves[0].least_slopes(M, count)

    def _check_count(self, count: int) -> None:
        if not 1 <= count <= self.n_kept:
            raise ValueError(
                f"count must be from 1 to {self.n_kept}, the columns kept. Got {count}."
            )

    def _tree(self) -> Branch:
        return Branch.of(self.kernel, self._leaves)

    def _check(self, M: PairWeights) -> None:
        if len(M.rows) and M.rows.max() >= self.n_rows:
            raise ValueError(f"M weighs row {M.rows.max()}, the table has {self.n_rows} rows.")
