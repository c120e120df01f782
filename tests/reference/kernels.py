"""Kernels written plainly from their formulas, in whatever precision the data has.

Nothing here knows the library: every matrix is formed column by column, every derivative is a
dense matrix per column, and a column is removed by deleting it. Give ``np.longdouble`` data to
get long double results.

A kernel is ``k(x, z) = phi(s)`` with ``s = sum_j w_j t_j(x_j, z_j)``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

#: t_j(x, z) of each shape and the exponent with which it grows when a column is multiplied by v
PAIRINGS = {
    "linear": ("product", 2),
    "polynomial": ("product", 2),
    "rbf": ("squared", 2),
    "cauchy": ("squared", 2),
    "laplace": ("absolute", 1),
}


def pair(kind: str, x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """t_j for one column: x of the left rows, z of the right rows."""
    if kind == "product":
        return x[:, None] * z[None, :]
    if kind == "squared":
        return (x[:, None] - z[None, :]) ** 2
    return abs(x[:, None] - z[None, :])


@dataclass(frozen=True)
class Leaf:
    """One of the shapes of PAIRINGS with its numbers."""

    shape: str
    gamma: float = 1.0
    degree: int = 3
    coef0: float = 0.0
    weights: tuple[float, ...] | None = None

    def _weight(self, j: int) -> float:
        return 1.0 if self.weights is None else self.weights[j]

    def sums(self, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        kind, _ = PAIRINGS[self.shape]
        s = np.zeros((len(X), len(Z)), dtype=X.dtype)
        for j in range(X.shape[1]):
            s += self._weight(j) * pair(kind, X[:, j], Z[:, j])
        return s

    def phi(self, s: np.ndarray) -> np.ndarray:
        match self.shape:
            case "linear":
                return s
            case "polynomial":
                return (self.gamma * s + self.coef0) ** self.degree
            case "cauchy":
                return 1 / (1 + self.gamma * s)
        return np.exp(-self.gamma * s)

    def phi_slope(self, s: np.ndarray) -> np.ndarray:
        match self.shape:
            case "linear":
                return np.ones_like(s)
            case "polynomial":
                inner = self.gamma * s + self.coef0
                return self.degree * self.gamma * inner ** (self.degree - 1)
            case "cauchy":
                return -self.gamma / (1 + self.gamma * s) ** 2
        return -self.gamma * np.exp(-self.gamma * s)

    def cross(self, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        return self.phi(self.sums(X, Z))

    def log_scale_slope(self, X: np.ndarray, j: int) -> np.ndarray:
        """dK / d ln v_j where column j is multiplied by v_j, at v = 1."""
        kind, power = PAIRINGS[self.shape]
        t = self._weight(j) * pair(kind, X[:, j], X[:, j])
        return power * self.phi_slope(self.sums(X, X)) * t

    def param_slopes(self, X: np.ndarray) -> dict[str, np.ndarray]:
        s = self.sums(X, X)
        if self.shape == "linear":
            return {}
        slopes = {"log_gamma": self.phi_slope(s) * s}  # phi depends on gamma * s only
        if self.shape == "polynomial":
            slopes["coef0"] = self.degree * (self.gamma * s + self.coef0) ** (self.degree - 1)
        return slopes

    def without(self, j: int) -> Leaf:
        if self.weights is None:
            return self
        return replace(self, weights=self.weights[:j] + self.weights[j + 1 :])

    def shifted(self, name: str, step: float) -> Leaf:
        """The kernel with one parameter moved: ln gamma or coef0 by ``step``."""
        if name == "log_gamma":
            return replace(self, gamma=np.longdouble(self.gamma) * np.exp(np.longdouble(step)))
        return replace(self, coef0=np.longdouble(self.coef0) + np.longdouble(step))


@dataclass(frozen=True)
class Sum:
    parts: tuple
    coefficients: tuple[float, ...]

    def cross(self, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        return sum(c * k.cross(X, Z) for c, k in zip(self.coefficients, self.parts, strict=True))

    def log_scale_slope(self, X: np.ndarray, j: int) -> np.ndarray:
        return sum(
            c * k.log_scale_slope(X, j) for c, k in zip(self.coefficients, self.parts, strict=True)
        )

    def param_slopes(self, X: np.ndarray) -> dict[str, np.ndarray]:
        slopes = {}
        for t, (c, k) in enumerate(zip(self.coefficients, self.parts, strict=True)):
            slopes[f"{t}.log_coefficient"] = c * k.cross(X, X)
            slopes |= {f"{t}.{name}": c * dK for name, dK in k.param_slopes(X).items()}
        return slopes

    def without(self, j: int) -> Sum:
        return replace(self, parts=tuple(k.without(j) for k in self.parts))

    def shifted(self, name: str, step: float) -> Sum:
        position, rest = name.split(".", 1)
        if rest == "log_coefficient":
            moved = list(self.coefficients)
            moved[int(position)] *= np.exp(np.longdouble(step))
            return replace(self, coefficients=tuple(moved))
        return replace(self, parts=_shifted_parts(self.parts, int(position), rest, step))


@dataclass(frozen=True)
class Product:
    parts: tuple

    def cross(self, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        return _product(k.cross(X, Z) for k in self.parts)

    def _others(self, X: np.ndarray, t: int) -> np.ndarray:
        ones = np.ones((len(X), len(X)), dtype=X.dtype)
        return _product([ones] + [k.cross(X, X) for q, k in enumerate(self.parts) if q != t])

    def log_scale_slope(self, X: np.ndarray, j: int) -> np.ndarray:
        return sum(k.log_scale_slope(X, j) * self._others(X, t) for t, k in enumerate(self.parts))

    def param_slopes(self, X: np.ndarray) -> dict[str, np.ndarray]:
        return {
            f"{t}.{name}": dK * self._others(X, t)
            for t, k in enumerate(self.parts)
            for name, dK in k.param_slopes(X).items()
        }

    def without(self, j: int) -> Product:
        return replace(self, parts=tuple(k.without(j) for k in self.parts))

    def shifted(self, name: str, step: float) -> Product:
        position, rest = name.split(".", 1)
        return replace(self, parts=_shifted_parts(self.parts, int(position), rest, step))


@dataclass(frozen=True)
class Normalised:
    """k(x, z) / sqrt(k(x, x) k(z, z)), with 0 / 0 taken as 0."""

    part: Leaf | Sum | Product | Normalised

    def cross(self, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        left, right = (_inverse_root(diagonal(self.part, A)) for A in (X, Z))
        return self.part.cross(X, Z) * left[:, None] * right[None, :]

    def _quotient_rule(self, X: np.ndarray, dK: np.ndarray) -> np.ndarray:
        d = _inverse_root(diagonal(self.part, X))
        relative = np.diag(dK) * d**2
        half_sums = (relative[:, None] + relative[None, :]) / 2
        return dK * d[:, None] * d[None, :] - self.cross(X, X) * half_sums

    def log_scale_slope(self, X: np.ndarray, j: int) -> np.ndarray:
        return self._quotient_rule(X, self.part.log_scale_slope(X, j))

    def param_slopes(self, X: np.ndarray) -> dict[str, np.ndarray]:
        return {
            f"0.{name}": self._quotient_rule(X, dK)
            for name, dK in self.part.param_slopes(X).items()
        }

    def without(self, j: int) -> Normalised:
        return Normalised(self.part.without(j))

    def shifted(self, name: str, step: float) -> Normalised:
        return Normalised(self.part.shifted(name.split(".", 1)[1], step))


Kernel = Leaf | Sum | Product | Normalised


def _product(factors) -> np.ndarray:
    result = None
    for factor in factors:
        result = factor if result is None else result * factor
    return result


def _shifted_parts(parts: tuple, position: int, name: str, step: float) -> tuple:
    moved = list(parts)
    moved[position] = parts[position].shifted(name, step)
    return tuple(moved)


def _inverse_root(values: np.ndarray) -> np.ndarray:
    positive = values > 0
    return np.where(positive, 1 / np.sqrt(np.where(positive, values, 1)), 0)


def gram(kernel: Kernel, X: np.ndarray) -> np.ndarray:
    return kernel.cross(X, X)


def diagonal(kernel: Kernel, X: np.ndarray) -> np.ndarray:
    """k(x, x) row by row."""
    return np.array([kernel.cross(x[None, :], x[None, :])[0, 0] for x in X])


def gram_without(kernel: Kernel, X: np.ndarray, j: int) -> np.ndarray:
    """The Gram matrix after deleting column j, its weight going with it."""
    return gram(kernel.without(j), np.delete(X, j, axis=1))


def contract_slopes(kernel: Kernel, X: np.ndarray, M: np.ndarray) -> np.ndarray:
    """<M, dK / d ln v_j> for every column, one dense matrix each."""
    return np.array([(M * kernel.log_scale_slope(X, j)).sum() for j in range(X.shape[1])])


def contract_without(kernel: Kernel, X: np.ndarray, M: np.ndarray) -> np.ndarray:
    """<M, K without column j> for every column."""
    return np.array([(M * gram_without(kernel, X, j)).sum() for j in range(X.shape[1])])


def contract_change(kernel: Kernel, X: np.ndarray, M: np.ndarray) -> np.ndarray:
    """<M, K without column j> - <M, K>, each pair subtracted before summing."""
    K = gram(kernel, X)
    return np.array([(M * (gram_without(kernel, X, j) - K)).sum() for j in range(X.shape[1])])


def contract_params(kernel: Kernel, X: np.ndarray, M: np.ndarray) -> dict[str, float]:
    return {name: (M * dK).sum() for name, dK in kernel.param_slopes(X).items()}


def _central_difference(value: Callable[[float], float], step: float = 1e-5) -> float:
    """Fourth-order central difference at 0, evaluated in long double by ``value``."""
    near = value(step) - value(-step)
    far = value(2 * step) - value(-2 * step)
    return (8 * near - far) / (12 * np.longdouble(step))


def difference_slopes(kernel: Kernel, X: np.ndarray, M: np.ndarray) -> np.ndarray:
    """contract_slopes by differences in ln v_j of the Gram matrix of the scaled data."""
    X = np.asarray(X, dtype=np.longdouble)

    def value(j: int, step: float) -> float:
        scaled = X.copy()
        scaled[:, j] *= np.exp(np.longdouble(step))
        return (M * gram(kernel, scaled)).sum()

    columns = range(X.shape[1])
    return np.array([_central_difference(lambda h, j=j: value(j, h)) for j in columns], float)


def difference_params(kernel: Kernel, X: np.ndarray, M: np.ndarray) -> dict[str, float]:
    """contract_params by differences in ln gamma, coef0 and ln coefficient."""
    X = np.asarray(X, dtype=np.longdouble)

    def value(name: str, step: float) -> float:
        return (M * gram(kernel.shifted(name, step), X)).sum()

    names = kernel.param_slopes(X[:1])
    return {n: float(_central_difference(lambda h, n=n: value(n, h))) for n in names}
