"""What a kernel is: `Kernel` for all of them, `PairingKernel` for those that are not composed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from svsieve.arrays import FloatArray, IndexArray, Table, float_table
from svsieve.kernels import pairings
from svsieve.kernels.gamma import ColumnMoments, PerFeature, check_gamma, gamma_value
from svsieve.memory import check_fits
from svsieve.native import core


@dataclass
class Pairs:
    """Kernel values of row pairs, with k(x, x) of the rows on either side."""

    values: FloatArray
    left: FloatArray
    right: FloatArray


class Kernel(ABC):
    """A symmetric positive semi-definite function of two rows.

    Kernels are values: they hold parameters and no data. `+`, `*` and a number in front compose
    them.
    """

    # ---- structure: leaves hold pairings, inner nodes join the values of their children

    @property
    @abstractmethod
    def children(self) -> tuple[Kernel, ...]:
        """The kernels this one is made of; empty for a leaf."""

    @abstractmethod
    def with_children(self, children: Sequence[Kernel]) -> Kernel:
        """The same kernel made of other parts."""

    @abstractmethod
    def join(self, parts: Sequence[Pairs]) -> Pairs:
        """Values of this kernel from the values of its children."""

    @abstractmethod
    def pull_back(self, M: FloatArray, parts: Sequence[Pairs]) -> list[FloatArray]:
        """Pair weights M_t with d<M, K> = sum_t <M_t, dK_t> over the children's K_t."""

    def leaves(self) -> Iterator[PairingKernel]:
        """The pairing kernels below, left to right."""
        for child in self.children:
            yield from child.leaves()

    # ---- parameters

    def bind(self, X: Table, row_weights: FloatArray | None = None) -> Kernel:
        """Return the kernel with every gamma rule replaced by its number on the columns of `X`.

        A row of weight k counts as k rows, one of weight 0 not at all.
        """
        if all(leaf.has_numeric_gamma() for leaf in self.leaves()):
            return self
        table = float_table(X)
        return self.bind_to(ColumnMoments(table, row_weights), np.arange(table.shape[1]))

    def bind_to(self, moments: ColumnMoments, kept: IndexArray) -> Kernel:
        """Return the kernel with gammas as numbers for the kept columns."""
        return self.with_children([child.bind_to(moments, kept) for child in self.children])

    # ---- values

    def gram(self, X: Table) -> FloatArray:
        """Return k(x_i, x_k) for all pairs of rows."""
        return self.gram_of(float_table(X))

    def gram_of(self, table: Table) -> FloatArray:
        """`gram` of a table that has been checked."""
        check_matrices(table.shape[0], table.shape[0], matrices_of(self))
        with letting_overflow():
            return self._evaluate([leaf.pairs(table, None) for leaf in self.leaves()]).values

    def cross(self, Z: Table, X: Table, *, first_row: int = 0) -> FloatArray:
        """Return k(z_i, x_k) for the rows of two tables.

        A row with a value that is not finite is refused, and counted from `first_row`.
        """
        rows, columns = float_table(Z, "Z"), float_table(X)
        if rows.shape[1] != columns.shape[1]:
            raise ValueError(f"Z has {rows.shape[1]} columns, X has {columns.shape[1]}.")
        check_matrices(rows.shape[0], columns.shape[0], matrices_of(self))
        with letting_overflow():
            values = self._evaluate([leaf.pairs(rows, columns) for leaf in self.leaves()]).values
        return self.refuse_overflow(values, first_row)

    def refuse_overflow(self, values: FloatArray, first_row: int = 0) -> FloatArray:
        """Return kernel values of rows, refusing the first row that has one that is not finite."""
        # The extremes are not finite where an entry is not, and need no further table.
        if not values.size or (np.isfinite(values.max()) and np.isfinite(values.min())):
            return values
        row = first_row + int(np.argmax(~np.isfinite(values).all(axis=1)))
        raise ValueError(
            f"The kernel values of row {row} are not finite under {self!r}. "
            "Scale the columns, or lower gamma or the degree."
        )

    def diagonal(self, X: Table) -> FloatArray:
        """Return k(x_i, x_i) for all rows."""
        return self.diagonal_of(float_table(X))

    def diagonal_of(self, table: Table) -> FloatArray:
        """`diagonal` of a table that has been checked."""
        with letting_overflow():
            own = [leaf.own_values(table) for leaf in self.leaves()]
        return self.diagonal_from(own)

    def diagonal_from(self, own: Sequence[FloatArray]) -> FloatArray:
        """Return k(x_i, x_i) from those of the leaves, given left to right."""
        nothing = np.empty((0, 0))
        with letting_overflow():
            return self._evaluate([Pairs(nothing, values, values) for values in own]).left

    def _evaluate(self, leaf_pairs: Sequence[Pairs]) -> Pairs:
        """Join the values of the leaves, given left to right."""
        return self._join_leaves(iter(leaf_pairs))

    def _join_leaves(self, queue: Iterator[Pairs]) -> Pairs:
        # A method, not a nested function: one that calls itself is a reference cycle, and would
        # keep n x n arrays alive until the garbage collector comes by.
        if not self.children:
            return next(queue)
        return self.join([child._join_leaves(queue) for child in self.children])

    # ---- composition

    def __add__(self, other: Kernel) -> Kernel:
        from svsieve.kernels.composite import Sum

        return Sum((self, other))

    def __mul__(self, other: Kernel | float) -> Kernel:
        from svsieve.kernels.composite import Product, Sum

        if isinstance(other, Kernel):
            return Product((self, other))
        return Sum((self,), (float(other),))

    def __rmul__(self, other: float) -> Kernel:
        return self * other


def letting_overflow() -> np.errstate:
    """Let numbers overflow without a warning: whoever uses them refuses what is not finite."""
    return np.errstate(over="ignore", invalid="ignore")


def matrices_of(kernel: Kernel) -> int:
    """Return how many tables of all pairs are in memory while the values of a kernel are made."""
    leaves = list(kernel.leaves())
    by_numpy = any(type(leaf).native is PairingKernel.native for leaf in leaves)
    own = 3 if by_numpy else 1
    return own if not kernel.children else len(leaves) + 1 + own


def check_matrices(n_rows: int, n_columns: int, count: float, what: str = "") -> None:
    """Refuse kernel values of so many pairs of rows, `count` tables at a time, where none fit."""
    pairs = f"{n_rows:,} rows" if n_rows == n_columns else f"{n_rows:,} x {n_columns:,} rows"
    check_fits(
        8.0 * n_rows * n_columns * count,
        what or f"The kernel matrix of {pairs}",
        "Use fewer rows, or a part that needs no matrix of all pairs: samplers.Subsample draws "
        "rows anew in each step of an elimination, SVC(kernel='linear') with the criterion "
        "WeightNorm ranks without one.",
    )


class PairingKernel(Kernel):
    """A kernel phi(s) over a pairing; subclass it to add one.

    A subclass is a frozen dataclass with the class attribute `pairing` ("product",
    "squared-difference" or "absolute-difference") and three elementwise numpy methods: `value`
    (phi), `slope` (d phi / d s) and `param_slopes` (derivatives in its parameters). That is all
    that any part of the library needs of it; `native` may name a profile of the core for speed.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import numpy as np
    >>> from svsieve.kernels import PairingKernel
    >>> @dataclass(frozen=True)
    ... class Cauchy(PairingKernel):
    ...     pairing = "squared-difference"
    ...     scale: float = 1.0
    ...
    ...     def value(self, s):
    ...         return 1.0 / (1.0 + self.scale * s)
    ...
    ...     def slope(self, s):
    ...         return -self.scale / (1.0 + self.scale * s) ** 2
    ...
    ...     def param_slopes(self, s):
    ...         return {"scale": -s / (1.0 + self.scale * s) ** 2}
    >>> Cauchy(scale=0.5).gram(np.array([[0.0], [2.0]]))
    array([[1.        , 0.33333333],
           [0.33333333, 1.        ]])
    """

    pairing: ClassVar[str]
    # One non-negative number per original column; a subclass may make it a field.
    weights: Any = None

    def __post_init__(self) -> None:
        if self.weights is not None:
            weights = tuple(float(w) for w in np.atleast_1d(np.asarray(self.weights, dtype=float)))
            bad = [j for j, w in enumerate(weights) if not (np.isfinite(w) and w >= 0)]
            if bad:
                raise ValueError(
                    f"weights of {type(self).__name__} must be finite and non-negative. "
                    f"Column {bad[0]} has {weights[bad[0]]}."
                )
            object.__setattr__(self, "weights", weights)
        if hasattr(self, "gamma"):
            check_gamma(self.gamma, type(self).__name__)

    # ---- what a subclass says

    @abstractmethod
    def value(self, s: FloatArray) -> FloatArray:
        """Return phi(s), elementwise."""

    @abstractmethod
    def slope(self, s: FloatArray) -> FloatArray:
        """Return d phi / d s, elementwise."""

    @abstractmethod
    def param_slopes(self, s: FloatArray) -> dict[str, FloatArray]:
        """Return the derivatives of phi(s) in the kernel's own parameters, elementwise."""

    def native(self) -> core.Profile | None:
        """Return the core's profile of the same phi, or None: numpy does it then."""
        return None

    # ---- what all of them share

    @property
    def children(self) -> tuple[Kernel, ...]:
        """None: a pairing kernel is a leaf."""
        return ()

    def with_children(self, children: Sequence[Kernel]) -> Kernel:
        """Return the kernel itself."""
        return self

    def join(self, parts: Sequence[Pairs]) -> Pairs:
        """Return the leaf's own values."""
        return parts[0]

    def pull_back(self, M: FloatArray, parts: Sequence[Pairs]) -> list[FloatArray]:
        """Return nothing: there are no children."""
        return []

    def leaves(self) -> Iterator[PairingKernel]:
        """Yield the kernel itself."""
        yield self

    def bind_to(self, moments: ColumnMoments, kept: IndexArray) -> Self:
        """Return the kernel with gamma as a number for the kept columns."""
        if self.has_numeric_gamma():
            return self
        number = gamma_value(self.gamma, moments, kept)  # type: ignore[attr-defined]
        return replace(self, gamma=number)  # type: ignore[type-var]

    def has_numeric_gamma(self) -> bool:
        """Tell whether gamma, if there is one, is a number already."""
        return not isinstance(getattr(self, "gamma", 1.0), (str, PerFeature))

    def gamma_number(self) -> float:
        """Return gamma (1 where there is none), refusing one that is still a rule."""
        gamma: Any = getattr(self, "gamma", 1.0)
        if isinstance(gamma, (str, PerFeature)):
            raise ValueError(
                f"gamma of {type(self).__name__} is a rule, not a number: call bind(X) first."
            )
        return float(gamma)

    def column_factors(self, n_columns: int) -> FloatArray:
        """Return what to multiply each column by so that the pairing carries the weights."""
        if self.weights is None:
            return np.ones(n_columns)
        if len(self.weights) != n_columns:
            raise ValueError(
                f"{type(self).__name__} has weights for {len(self.weights)} columns, "
                f"the table has {n_columns}."
            )
        weights = np.asarray(self.weights)
        return weights if self.pairing == "absolute-difference" else np.sqrt(weights)

    def scaled(self, X: Table) -> Table:
        """Return `X` with the column weights multiplied in."""
        factors = self.column_factors(X.shape[1])
        return X if self.weights is None else pairings.scale_columns(X, factors)

    def own_values(self, X: Table) -> FloatArray:
        """Return k(x_i, x_i)."""
        self.gamma_number()
        return self.value(pairings.self_pairing(self.pairing, self.scaled(X)))

    def pairs(self, Z: Table, X: Table | None) -> Pairs:
        """Return the values between the rows of `Z` and `X` (of `Z` and itself where X is None)."""
        self.gamma_number()
        left = self.scaled(Z)
        right = None if X is None else self.scaled(X)
        profile = self.native()
        s = pairings.pairing_matrix(self.pairing, left, right, profile)
        values = s if profile is not None else self.value(s)
        if right is None:
            own = values.diagonal().copy()
            return Pairs(values, own, own)
        own_left, own_right = (
            self.value(pairings.self_pairing(self.pairing, table)) for table in (left, right)
        )
        return Pairs(values, own_left, own_right)
