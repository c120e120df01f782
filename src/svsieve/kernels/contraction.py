"""Contractions through composed kernels.

A pair weight on the whole kernel is pulled back, node by node, to the leaves, where the core
contracts it. Removing a column is not linear in the leaves: only sums pass it on; products and
normalised kernels are evaluated anew without each column in turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce

import numpy as np

from svsieve.arrays import FloatArray, IndexArray
from svsieve.kernels.composite import Sum
from svsieve.kernels.kernel import Kernel, Pairs
from svsieve.kernels.leaf_state import LeafState
from svsieve.kernels.pair_weights import PairWeights


def sum_arrays(arrays: Iterable[FloatArray]) -> FloatArray:
    """Add up arrays of one shape."""
    return reduce(np.add, arrays)


@dataclass
class Branch:
    """A node of a kernel with the states of the leaves below it."""

    kernel: Kernel
    leaf: LeafState | None = None
    branches: list[Branch] = field(default_factory=list)

    @classmethod
    def of(cls, kernel: Kernel, leaves: Sequence[LeafState]) -> Branch:
        """Hang the leaf states, given left to right, into the tree of the kernel."""
        return cls._hang(kernel, iter(leaves))

    @classmethod
    def _hang(cls, kernel: Kernel, queue: Iterator[LeafState]) -> Branch:
        if not kernel.children:
            return cls(kernel, next(queue))
        return cls(kernel, None, [cls._hang(child, queue) for child in kernel.children])

    def values(self, rows: IndexArray | None, without: int | None = None) -> Pairs:
        """Return the kernel's values over some rows, if asked without one kept column."""
        if self.leaf is not None:
            return self.leaf.pairs(rows, without)
        return self.kernel.join([branch.values(rows, without) for branch in self.branches])

    def pulled_back(self, M: PairWeights) -> Iterator[tuple[Branch, Pairs, PairWeights]]:
        """Yield each part with its values and its pair weight."""
        parts = [branch.values(M.rows) for branch in self.branches]
        weights = self.kernel.pull_back(M.matrix(), parts)
        for branch, part, weight in zip(self.branches, parts, weights, strict=True):
            yield branch, part, PairWeights(M.rows, None, np.ascontiguousarray(weight))

    def slopes(self, M: PairWeights) -> FloatArray:
        """Return d<M, K> / d ln v_j."""
        if self.leaf is not None:
            return self.leaf.contract_slopes(M)
        return sum_arrays(branch.slopes(m) for branch, _, m in self.pulled_back(M))

    def params(self, M: PairWeights, prefix: str = "") -> dict[str, float]:
        """Return the derivatives of <M, K> in the parameters, named by the path to their kernel."""
        if self.leaf is not None:
            found = self.leaf.contract_params(M)
            return {prefix + name: value for name, value in found.items()}
        out: dict[str, float] = {}
        for position, (branch, part, m) in enumerate(self.pulled_back(M)):
            name = f"{prefix}{position}."
            if isinstance(self.kernel, Sum):
                out[name + "log_coefficient"] = float((m.matrix() * part.values).sum())
            out |= branch.params(m, name)
        return out

    def change_without(self, M: PairWeights, n_columns: int) -> FloatArray:
        """Return <M, K without column j> - <M, K> for each kept column."""
        native = None if self.leaf is None else self.leaf.contract_change(M)
        if native is not None:
            return native
        if isinstance(self.kernel, Sum):
            terms = zip(self.kernel.factors, self.branches, strict=True)
            return sum_arrays(c * b.change_without(M, n_columns) for c, b in terms)
        weight = M.matrix()
        whole = self.values(M.rows).values
        return np.array(
            [
                (weight * (self.values(M.rows, without=j).values - whole)).sum()
                for j in range(n_columns)
            ]
        )
