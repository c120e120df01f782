"""Kernel values between two tables, carried along while columns are dropped."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from svsieve.arrays import FloatArray, IndexArray, Table, distinct_indices, float_table
from svsieve.kernels import pairings
from svsieve.kernels.kernel import Kernel, PairingKernel, Pairs, letting_overflow
from svsieve.kernels.leaf_state import LEAST_REMAINDER
from svsieve.native import core, one_blas_thread


class CrossState:
    """A kernel between held-out rows and training rows, from which columns can be dropped cheaply.

    The companion of `KernelState`: that one is trained on, this one says what the machine makes of
    rows it has not seen.

    Parameters
    ----------
    kernel : Kernel
        Its gamma may be a rule. Such a rule is not evaluated here: it belongs to the training rows,
        and `values` is given the kernel with its number.
    Z : array-like or sparse matrix of shape (n_held_out, n_columns)
    X : array-like or sparse matrix of shape (n_rows, n_columns)
    kept : array-like of int, optional
        Columns in use at the start; all by default.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.kernels import KernelState, Rbf
    >>> from svsieve.kernels.cross_state import CrossState
    >>> X, Z = np.array([[0.0, 1.0], [2.0, 1.0]]), np.array([[0.0, 9.0]])
    >>> state = KernelState(Rbf(gamma="scale"), X)
    >>> cross = CrossState(Rbf(gamma="scale"), Z, X)
    >>> state.drop([1]), cross.drop([1])
    (None, None)
    >>> cross.values(state.kernel)
    array([[1.        , 0.01831564]])
    """

    def __init__(
        self, kernel: Kernel, Z: Table, X: Table, *, kept: npt.ArrayLike | None = None
    ) -> None:
        held_out, rows = float_table(Z, "Z"), float_table(X)
        n_columns = rows.shape[1]
        if held_out.shape[1] != n_columns:
            raise ValueError(f"Z has {held_out.shape[1]} columns, X has {n_columns}.")
        self.kept: IndexArray = (
            np.arange(n_columns) if kept is None else distinct_indices(kept, "kept", n_columns)
        )
        if not len(self.kept):
            raise ValueError("kept must name at least one column.")
        self._n_columns = n_columns
        self._rule = kernel
        if sp.issparse(rows) != sp.issparse(held_out):
            held_out, rows = (sp.csr_array(table) for table in (held_out, rows))
        self._leaves = [_CrossLeaf(leaf, held_out, rows, self.kept) for leaf in kernel.leaves()]

    def drop(self, columns: npt.ArrayLike) -> None:
        """Leave out columns, named by their original indices."""
        dropped = distinct_indices(columns, "columns", self._n_columns)
        known = np.isin(dropped, self.kept, assume_unique=True)
        if not known.all():
            raise ValueError(f"column {dropped[~known][0]} cannot be dropped: it is not kept.")
        if len(dropped) == len(self.kept):
            raise ValueError("the last columns cannot be dropped: at least one must be kept.")
        if not len(dropped):
            return
        self.kept = self.kept[~np.isin(self.kept, dropped, assume_unique=True)]
        for leaf in self._leaves:
            leaf.drop(dropped, self.kept)

    def values(self, kernel: Kernel | None = None, rows: IndexArray | None = None) -> FloatArray:
        """Return k(z, x) for the held-out rows and all or some training rows.

        Parameters
        ----------
        kernel : Kernel, optional
            The kernel with its gammas as numbers, such as `KernelState.kernel` of the training
            rows. Not needed where they are numbers from the beginning.
        rows : ndarray of int, optional
            Training rows to do it for.
        """
        bound = self._rule if kernel is None else kernel
        leaves = list(bound.leaves())
        if [leaf.pairing for leaf in leaves] != [leaf.pairing for leaf in self._leaves]:
            raise ValueError(f"the state was made for {self._rule!r}. Got {bound!r}.")
        composed = bool(bound.children)
        with letting_overflow():
            pairs = [
                state.pairs(leaf, rows, with_own=composed)
                for state, leaf in zip(self._leaves, leaves, strict=True)
            ]
            return bound.refuse_overflow(bound._evaluate(pairs).values)

    def droppable(self, columns: IndexArray) -> int:
        """Return how many leading `columns` can go before a pairing matrix is built anew.

        What they contribute may until then be subtracted by the caller.
        """
        return min(leaf.droppable(columns) for leaf in self._leaves)


class _CrossLeaf:
    """The pairing matrix of one leaf between two tables, over the kept columns."""

    def __init__(self, leaf: PairingKernel, Z: Table, X: Table, kept: IndexArray) -> None:
        self.pairing = leaf.pairing
        left, right = leaf.scaled(Z), leaf.scaled(X)
        if isinstance(right, np.ndarray):
            if self.pairing != "product":
                shift = right.mean(axis=0)
                left, right = left - shift, right - shift
        else:
            left, right = sp.csc_array(left), sp.csc_array(right)
        self._left, self._right = left, right
        self._columns = np.arange(X.shape[1])  # original index of each column of the tables
        self._sizes = _sizes(left, right, self.pairing)
        self._build(kept)

    def _build(self, kept: IndexArray) -> None:
        """Compute S from the kept columns, and forget the others."""
        at = np.searchsorted(self._columns, kept)
        if len(at) < len(self._columns):
            self._left, self._right = _picked(self._left, at), _picked(self._right, at)
            self._sizes = self._sizes[at]
        self._columns = kept
        self._size = self._built_size = float(self._sizes.sum())
        self._n_left = len(kept)
        self._s = pairings.pairing_matrix(self.pairing, self._left, self._right, centred=True)
        self._own = [pairings.self_pairing(self.pairing, t) for t in (self._left, self._right)]
        self._entries = [_entries(table) for table in (self._left, self._right)]

    def droppable(self, columns: IndexArray) -> int:
        sizes = self._size - np.cumsum(self._sizes[np.searchsorted(self._columns, columns)])
        left = self._n_left - np.arange(1, len(columns) + 1)
        fine = (2 * left > len(self._columns)) & (sizes >= LEAST_REMAINDER * self._built_size)
        return len(columns) if fine.all() else int(np.argmin(fine))

    def drop(self, dropped: IndexArray, kept: IndexArray) -> None:
        if self.droppable(dropped) < len(dropped):
            self._build(kept)
            return
        at = np.searchsorted(self._columns, dropped)
        self._size -= float(self._sizes[at].sum())
        self._n_left = len(kept)
        gone_left, gone_right = (pairings.dense_columns(t, at) for t in (self._left, self._right))
        part = core.empty_table(*self._s.shape)
        with one_blas_thread():
            core.cross_pairing(pairings.NATIVE[self.pairing], gone_left, gone_right, part, None)
        self._s -= part
        if self.pairing != "product":
            np.maximum(self._s, 0.0, out=self._s)
            return
        # A product with a row that has nothing left is zero, and must not be rounding.
        for side, removed in enumerate((gone_left, gone_right)):
            self._entries[side] = self._entries[side] - (removed != 0).sum(axis=1)
            empty = self._entries[side] == 0
            own = self._own[side] - np.einsum("ij,ij->i", removed, removed)
            self._own[side] = np.where(empty, 0.0, np.maximum(own, 0.0))
            self._s[(empty, slice(None)) if side == 0 else (slice(None), empty)] = 0.0

    def pairs(self, leaf: PairingKernel, rows: IndexArray | None, *, with_own: bool) -> Pairs:
        """Return the values, and k(z, z) and k(x, x) where a composed kernel may ask for them."""
        s = np.ascontiguousarray(self._s if rows is None else self._s[:, rows])
        leaf.gamma_number()
        profile = leaf.native()
        if profile is None:
            values = np.array(leaf.value(s))
        else:
            values = core.empty_table(*s.shape)
            core.apply_profile(profile, s, values)
        if not with_own:
            nothing = np.empty(0)
            return Pairs(values, nothing, nothing)
        left, right = self._own
        return Pairs(values, leaf.value(left), leaf.value(right if rows is None else right[rows]))


def _picked(table: Table, columns: IndexArray) -> Table:
    picked = table[:, columns]
    return np.ascontiguousarray(picked) if isinstance(picked, np.ndarray) else picked


def _entries(table: Table) -> IndexArray:
    return np.asarray((table != 0).sum(axis=1), dtype=np.int64).ravel()


def _sizes(left: Table, right: Table, pairing: str) -> FloatArray:
    """What each column contributes to S, roughly."""
    if pairing == "absolute-difference":
        first, second = (np.asarray(abs(table).sum(axis=0)).ravel() for table in (left, right))
        return np.asarray(first + second)
    first, second = (
        np.einsum("ij,ij->j", table, table)
        if isinstance(table, np.ndarray)
        else np.asarray(table.multiply(table).sum(axis=0)).ravel()
        for table in (left, right)
    )
    return np.asarray(first + second)
