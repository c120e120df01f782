"""Kernels made of kernels.

Each says how values are joined and how a pair weight M on the whole is pulled back to its parts:
d<M, K> = sum_t <M_t, dK_t>. Contractions of composed kernels need nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import mul

import numpy as np

from svsieve.arrays import FloatArray
from svsieve.kernels.kernel import Kernel, Pairs


def _check_parts(owner: str, kernels: Sequence[Kernel]) -> tuple[Kernel, ...]:
    parts = tuple(kernels)
    if not parts:
        raise ValueError(f"{owner} needs at least one kernel.")
    for part in parts:
        if not isinstance(part, Kernel):
            raise TypeError(f"{owner} is made of kernels. Got {part!r}.")
    return parts


def _joined(parts: Sequence[Pairs], join: Callable[[list[FloatArray]], FloatArray]) -> Pairs:
    """Join values and both diagonals; a table with itself keeps one diagonal for both sides."""
    left = join([p.left for p in parts])
    same = all(p.left is p.right for p in parts)
    return Pairs(
        join([p.values for p in parts]), left, left if same else join([p.right for p in parts])
    )


@dataclass(frozen=True)
class Sum(Kernel):
    """k = sum_t c_t k_t with non-negative coefficients.

    Parameters
    ----------
    kernels : sequence of Kernel
    coefficients : sequence of float, optional
        Ones by default.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.kernels import Linear, Rbf
    >>> kernel = 0.5 * Rbf(gamma=1.0) + Linear()
    >>> kernel.diagonal(np.array([[2.0], [0.0]]))
    array([4.5, 0.5])
    """

    kernels: tuple[Kernel, ...]
    coefficients: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        parts = _check_parts("Sum", self.kernels)
        given = self.coefficients
        numbers = (1.0,) * len(parts) if given is None else tuple(float(c) for c in given)
        if len(numbers) != len(parts):
            raise ValueError(f"Sum has {len(parts)} kernels and {len(numbers)} coefficients.")
        for c in numbers:
            if not (np.isfinite(c) and c >= 0):
                raise ValueError(f"coefficients of Sum must be finite and not negative. Got {c}.")
        object.__setattr__(self, "kernels", parts)
        object.__setattr__(self, "coefficients", numbers)

    @property
    def factors(self) -> tuple[float, ...]:
        """The coefficients, never None."""
        return self.coefficients or ()

    @property
    def children(self) -> tuple[Kernel, ...]:
        """The terms."""
        return self.kernels

    def with_children(self, children: Sequence[Kernel]) -> Kernel:
        """Return the sum of other terms with the same coefficients."""
        return Sum(tuple(children), self.coefficients)

    def join(self, parts: Sequence[Pairs]) -> Pairs:
        """Add up."""

        def add(values: list[FloatArray]) -> FloatArray:
            return sum((c * v for c, v in zip(self.factors, values, strict=True)), np.zeros(()))

        return _joined(parts, add)

    def pull_back(self, M: FloatArray, parts: Sequence[Pairs]) -> list[FloatArray]:
        """M_t = c_t M."""
        return [c * M for c in self.factors]


@dataclass(frozen=True)
class Product(Kernel):
    """k = prod_t k_t.

    Parameters
    ----------
    kernels : sequence of Kernel

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.kernels import Linear, Rbf
    >>> (Rbf(gamma=1.0) * Linear()).diagonal(np.array([[2.0], [3.0]]))
    array([4., 9.])
    """

    kernels: tuple[Kernel, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "kernels", _check_parts("Product", self.kernels))

    @property
    def children(self) -> tuple[Kernel, ...]:
        """The factors."""
        return self.kernels

    def with_children(self, children: Sequence[Kernel]) -> Kernel:
        """Return the product of other factors."""
        return Product(tuple(children))

    def join(self, parts: Sequence[Pairs]) -> Pairs:
        """Multiply."""
        return _joined(parts, lambda values: reduce(mul, values))

    def pull_back(self, M: FloatArray, parts: Sequence[Pairs]) -> list[FloatArray]:
        """M_t = M o prod of the other factors."""
        return [
            reduce(mul, (p.values for q, p in enumerate(parts) if q != t), M)
            for t in range(len(parts))
        ]


@dataclass(frozen=True)
class Normalised(Kernel):
    """k(x, z) / sqrt(k(x, x) k(z, z)), and 0 where a row has k(x, x) = 0.

    Parameters
    ----------
    kernel : Kernel

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.kernels import Linear, Normalised
    >>> Normalised(Linear()).gram(np.array([[3.0, 4.0], [4.0, 3.0]]))
    array([[1.  , 0.96],
           [0.96, 1.  ]])
    """

    kernel: Kernel

    def __post_init__(self) -> None:
        _check_parts("Normalised", (self.kernel,))

    @property
    def children(self) -> tuple[Kernel, ...]:
        """The kernel inside."""
        return (self.kernel,)

    def with_children(self, children: Sequence[Kernel]) -> Kernel:
        """Return another kernel normalised."""
        return Normalised(children[0])

    def join(self, parts: Sequence[Pairs]) -> Pairs:
        """Divide by the norms of both rows."""
        (part,) = parts
        left, right = _inverse_root(part.left), _inverse_root(part.right)
        own_left, own_right = (_own_value(side) for side in (left, right))
        values = part.values
        if values.size:
            values = np.clip(values * np.multiply.outer(left, right), -1.0, 1.0)
            if part.left is part.right:  # a table with itself: exact where it can be
                np.fill_diagonal(values, own_left)
                own_right = own_left
        return Pairs(values, own_left, own_right)

    def pull_back(self, M: FloatArray, parts: Sequence[Pairs]) -> list[FloatArray]:
        """M' = M o dd' - Diag(d^2 o (M o K^) 1), d the inverse norms, K^ the normalised values."""
        (part,) = parts
        d = _inverse_root(part.left)
        pulled = M * d[:, None] * d[None, :]
        through_norms = (pulled * part.values).sum(axis=1) * d**2
        pulled[np.diag_indices_from(pulled)] -= through_norms
        return [pulled]


def _own_value(inverse_root: FloatArray) -> FloatArray:
    return np.where(inverse_root > 0, 1.0, 0.0 * inverse_root)


def _inverse_root(diagonal: FloatArray) -> FloatArray:
    """1 / sqrt(k(x, x)); no number where that has overflown, lest values look like numbers."""
    root = np.sqrt(np.maximum(diagonal, 0.0))
    root[np.isinf(root)] = np.nan
    return np.divide(1.0, root, out=np.zeros_like(root), where=root != 0)
