"""One leaf of a kernel on a table: its pairing matrix, down-dated as columns are dropped."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from svsieve.arrays import FloatArray, IndexArray, Table
from svsieve.kernels import pairings, screening
from svsieve.kernels.kernel import PairingKernel, Pairs
from svsieve.kernels.pair_weights import PairWeights
from svsieve.native import core, one_blas_thread

# S is built anew when the kept columns have so little of what it was built from: the rest is
# rounding of columns that are gone.
LEAST_REMAINDER = 1e-3

# Contractions for which screening is not tried again after it left too many columns.
PAUSE = 8


class LeafState:
    """The pairing matrix S of one leaf over the kept columns, and contractions with it."""

    def __init__(self, kernel: PairingKernel, X: Table, kept: IndexArray) -> None:
        self.kernel = kernel
        self._pairing = pairings.NATIVE[kernel.pairing]
        # phi(S) of all pairs where somebody keeps it anyway; it saves computing it again.
        self.values: FloatArray | None = None
        scaled = kernel.scaled(X)
        if isinstance(scaled, np.ndarray):
            if kernel.pairing != "product":
                scaled = scaled - scaled.mean(axis=0)
            self._table: Table = scaled
        else:
            self._table = sp.csc_array(scaled)
        self._columns = np.arange(X.shape[1])  # original index of each column of the table
        self._sizes = _column_sizes(self._table, kernel.pairing)
        self.pause = 0
        self._build(kept)

    def _build(self, kept: IndexArray) -> None:
        """Compute S from the kept columns, and forget the others."""
        at = np.searchsorted(self._columns, kept)
        if len(at) < len(self._columns):
            picked = self._table[:, at]
            self._table = np.ascontiguousarray(picked) if self._is_dense else picked
            self._sizes = self._sizes[at]
        self._columns = kept
        self._positions = np.arange(len(kept))
        self._built_size = float(self._sizes.sum())
        self._entries = self._count_entries()
        self._s = pairings.pairing_matrix(self.kernel.pairing, self._table, centred=True)
        self._is_whole = True

    @property
    def s(self) -> FloatArray:
        """S, both triangles. The core keeps and needs the lower one only."""
        if not self._is_whole:
            core.fill_upper(self._s)
            self._is_whole = True
        return self._s

    @property
    def _is_dense(self) -> bool:
        return isinstance(self._table, np.ndarray)

    def drop(
        self, kernel: PairingKernel, dropped: IndexArray, kept: IndexArray, *, with_gram: bool
    ) -> FloatArray | None:
        """Leave out columns; return the new values of all pairs where they came in the same pass.

        `kernel` is the leaf with the gamma of the kept columns.
        """
        self.kernel = kernel
        self.values = None
        self._positions = np.searchsorted(self._columns, kept)
        shrunk = float(self._sizes[self._positions].sum()) < LEAST_REMAINDER * self._built_size
        if shrunk or 2 * len(kept) <= len(self._columns):
            self._build(kept)
            return None
        removed = pairings.dense_columns(self._table, np.searchsorted(self._columns, dropped))
        profile = kernel.native()
        emptied = self._forget_entries(removed)
        self._is_whole = False
        with one_blas_thread():
            if not with_gram or profile is None or len(emptied):
                core.drop_columns(self._pairing, removed, self._s)
                self._s[emptied] = self._s[:, emptied] = 0.0
                return None
            gram = core.empty_table(*self._s.shape)
            core.drop_columns_into(self._pairing, removed, self._s, profile, gram)
        return gram

    # ---- values

    def own_values(self) -> FloatArray:
        """Return k(x_i, x_i) of all rows."""
        return self.kernel.value(np.diagonal(self._s).copy())

    def pairs(self, rows: IndexArray | None = None, without: int | None = None) -> Pairs:
        """Return the values over some rows, if asked without the kept column at a position."""
        s = self.s if rows is None or len(rows) == len(self.s) else self.s[np.ix_(rows, rows)]
        if without is not None:
            s = self._without(s, rows, without)
        profile = self.kernel.native()
        if profile is None:
            values = np.array(self.kernel.value(s))
        else:
            values = core.empty_table(*s.shape)
            core.apply_profile(profile, np.ascontiguousarray(s), values)
        own = np.diagonal(values).copy()
        return Pairs(values, own, own)

    def columns(self, rows: IndexArray) -> FloatArray:
        """Return the kept columns over some rows, as the pairing sees them."""
        return pairings.dense_columns(self._table[rows], self._positions)

    def _without(self, s: FloatArray, rows: IndexArray | None, position: int) -> FloatArray:
        """S over some rows less what one kept column contributes."""
        column = pairings.dense_columns(self._table, self._positions[[position]])[:, 0]
        x = column if rows is None else column[rows]
        if self.kernel.pairing == "product":
            left = s - np.multiply.outer(x, x)
            entries = self._entries if rows is None else self._entries[rows]
            emptied = entries == (x != 0)
            left[emptied] = left[:, emptied] = 0.0
            return left
        difference = np.subtract.outer(x, x)
        absolute = self.kernel.pairing == "absolute-difference"
        return np.maximum(s - (np.abs(difference) if absolute else difference**2), 0.0)

    # ---- rows that have nothing left: a product with them is zero, and must not be rounding

    def _count_entries(self) -> IndexArray:
        table = self._table
        if self.kernel.pairing != "product":
            return np.zeros(table.shape[0], dtype=np.int64)
        return np.asarray((table != 0).sum(axis=1), dtype=np.int64).ravel()

    def _forget_entries(self, removed: FloatArray) -> IndexArray:
        """Count the entries of removed columns out; return the rows that have none left."""
        if self.kernel.pairing != "product":
            return np.empty(0, dtype=np.int64)
        gone = (removed != 0).sum(axis=1)
        self._entries = self._entries - gone
        return np.flatnonzero((self._entries == 0) & (gone > 0))

    # ---- contractions over the kept columns

    def contract_slopes(self, M: PairWeights) -> FloatArray:
        """Return d<M, K> / d ln v_j."""
        degree = pairings.HOMOGENEITY[self.kernel.pairing]
        profile = self.kernel.native()
        if (
            profile is not None
            and profile.kind == core.ProfileKind.IDENTITY
            and M.vector is not None
        ):
            with one_blas_thread():
                w = np.asarray(M.vector @ self._table[M.rows])[self._positions]
            return np.asarray(degree * M.scale * w**2)
        if profile is None:
            # numpy supplies the slope; the sum over pairs is that of the identity profile
            s = self.s[np.ix_(M.rows, M.rows)]
            M = PairWeights(M.rows, None, M.matrix() * self.kernel.slope(s))
            profile = core.Profile(core.ProfileKind.IDENTITY)
        return degree * self._contract(core.contract_slopes, profile, M)

    def contract_change(self, M: PairWeights) -> FloatArray | None:
        """Return <M, K without column j> - <M, K>; None where the core has no tiles for it."""
        profile = self.kernel.native()
        if profile is None or not core.has_native_removal(self._pairing, profile.kind):
            return None
        if profile.kind == core.ProfileKind.IDENTITY:
            return -0.5 * self.contract_slopes(M)
        return self._contract(core.contract_without, profile, M)

    def least_slopes(self, M: PairWeights, count: int) -> screening.Least | None:
        """Return the least of `contract_slopes`; None where all are as cheap."""
        found = self._least(core.Screen.SLOPES, core.contract_slopes, M, count)
        if found is None:
            return None
        degree = pairings.HOMOGENEITY[self.kernel.pairing]
        return screening.Least(found.positions, degree * found.values)

    def least_change(self, M: PairWeights, count: int) -> screening.Least | None:
        """Return the least of `contract_change`; None where all are as cheap."""
        return self._least(core.Screen.REMOVAL, core.contract_without, M, count)

    def _least(
        self, what: core.Screen, contraction: Callable[..., FloatArray], M: PairWeights, count: int
    ) -> screening.Least | None:
        profile, columns = self.kernel.native(), len(self._positions)
        if profile is None or not self._is_dense:
            return None
        if not screening.pays(what, profile.kind, len(M.rows), columns, count):
            return None
        if self.pause or not core.can_screen(what, self._pairing, profile):
            self.pause = max(self.pause - 1, 0)
            return None
        approximation, bound = core.screen(
            what,
            self._pairing,
            profile,
            self._table,
            M.rows,
            self._positions,
            np.ones(columns),
            self._s,
            self.values,
            *_native_weight(M),
            count,
        )
        positions = screening.candidates(approximation, bound, count)
        if 2 * len(positions) > columns:
            self.pause = PAUSE
            return None
        values = self._contract(contraction, profile, M, self._positions[positions])
        return screening.Least(positions, values)

    def contract_params(self, M: PairWeights) -> dict[str, float]:
        """Return the derivatives of <M, K> in the leaf's own parameters."""
        profile = self.kernel.native()
        if profile is None:
            slopes = self.kernel.param_slopes(self.s[np.ix_(M.rows, M.rows)])
            return {name: float((M.matrix() * slope).sum()) for name, slope in slopes.items()}
        log_gamma, coef0 = core.contract_params(profile, M.rows, self._s, *_native_weight(M))
        return {
            name: value
            for name, value in {"log_gamma": log_gamma, "coef0": coef0}.items()
            if name in self.kernel.param_slopes(np.zeros(1))
        }

    def _contract(
        self,
        contraction: Callable[..., FloatArray],
        profile: core.Profile,
        M: PairWeights,
        positions: IndexArray | None = None,
    ) -> FloatArray:
        """Run a native contraction; a sparse table is written out a range of columns at a time."""
        weight = _native_weight(M)
        # Values at hand are those of the kernel; where numpy has applied its slope, of no use.
        values = self.values if profile.kind == core.ProfileKind.EXPONENTIAL else None
        chosen = self._positions if positions is None else positions

        def run(table: FloatArray, columns: IndexArray) -> FloatArray:
            factors = np.ones(len(columns))
            return contraction(
                self._pairing, profile, table, M.rows, columns, factors, self._s, values, *weight
            )

        if self._is_dense:
            return run(self._table, chosen)
        kept = self._table[:, chosen]
        blocks = [pairings.dense_columns(kept, block) for block in pairings.column_ranges(kept)]
        return np.concatenate([run(block, np.arange(block.shape[1])) for block in blocks])


def _column_sizes(table: Table, pairing: str) -> FloatArray:
    """What each column contributes to S, roughly."""
    if pairing == "absolute-difference":
        return np.asarray(np.abs(table).sum(axis=0)).ravel()
    if isinstance(table, np.ndarray):
        return np.asarray(np.einsum("ij,ij->j", table, table))
    return np.asarray(table.multiply(table).sum(axis=0)).ravel()


def _native_weight(M: PairWeights) -> tuple[Any, Any, float]:
    """M as the core takes it: (dense, outer, scale)."""
    if M.vector is not None:
        return None, M.vector, M.scale
    return M.matrix(), None, 1.0
