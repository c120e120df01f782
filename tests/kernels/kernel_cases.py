"""Every kind of kernel twice: the library's and the naive one, for any number of columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import sparse

from svsieve import kernels as library
from tests.reference import kernels as naive


@dataclass(frozen=True)
class Cauchy(library.PairingKernel):
    """A kernel a user might write: 1 / (1 + gamma * squared distance)."""

    gamma: float = 1.0

    pairing: ClassVar[str] = "squared-difference"

    def value(self, s: np.ndarray) -> np.ndarray:
        return 1 / (1 + self.gamma * s)

    def slope(self, s: np.ndarray) -> np.ndarray:
        return -self.gamma / (1 + self.gamma * s) ** 2

    def param_slopes(self, s: np.ndarray) -> dict[str, np.ndarray]:
        return {"log_gamma": -self.gamma * s / (1 + self.gamma * s) ** 2}


def weights_for(columns: int) -> tuple[float, ...]:
    """Uneven weights, the second one zero: a column may be switched off."""
    weights = 0.2 + np.arange(columns) % 5 / 2
    weights[1:2] = 0.0
    return tuple(weights.tolist())


@dataclass(frozen=True)
class Case:
    name: str
    library: Callable[[int], library.Kernel]
    naive: Callable[[int], naive.Kernel]

    def __str__(self) -> str:
        return self.name


def _leaf(name: str, shape: str, make, weighted: bool = False, **options) -> Case:
    def extra(d: int) -> dict:
        return {"weights": weights_for(d)} if weighted else {}

    return Case(
        name,
        lambda d: make(**options, **extra(d)),
        lambda d: naive.Leaf(shape, **options, **extra(d)),
    )


POLY = {"degree": 3, "gamma": 0.3, "coef0": 0.7}
LINEAR = _leaf("linear", "linear", library.Linear)
POLYNOMIAL = _leaf("polynomial", "polynomial", library.Polynomial, **POLY)
RBF = _leaf("rbf", "rbf", library.Rbf, gamma=0.2)
LAPLACE = _leaf("laplace", "laplace", library.Laplace, gamma=0.15)
CAUCHY = _leaf("cauchy (user's own)", "cauchy", Cauchy, gamma=0.4)
LEAVES = [LINEAR, POLYNOMIAL, RBF, LAPLACE, CAUCHY]
MORE_LEAVES = [
    _leaf("polynomial degree 1", "polynomial", library.Polynomial, degree=1, gamma=0.5, coef0=0.1),
    _leaf("polynomial degree 2 without coef0", "polynomial", library.Polynomial, degree=2),
    _leaf("polynomial degree 7", "polynomial", library.Polynomial, degree=7, gamma=0.05, coef0=1.0),
    _leaf("polynomial with negative coef0", "polynomial", library.Polynomial, degree=4, coef0=-0.3),
]
WEIGHTED = [
    _leaf("weighted linear", "linear", library.Linear, weighted=True),
    _leaf("weighted polynomial", "polynomial", library.Polynomial, weighted=True, **POLY),
    _leaf("weighted rbf", "rbf", library.Rbf, weighted=True, gamma=0.2),
    _leaf("weighted laplace", "laplace", library.Laplace, weighted=True, gamma=0.15),
]


def _sum(*cases: Case, coefficients: tuple[float, ...]) -> Case:
    return Case(
        "sum(" + ", ".join(map(str, cases)) + ")",
        lambda d: library.Sum([c.library(d) for c in cases], coefficients),
        lambda d: naive.Sum(tuple(c.naive(d) for c in cases), coefficients),
    )


def _product(*cases: Case) -> Case:
    return Case(
        "product(" + ", ".join(map(str, cases)) + ")",
        lambda d: library.Product([c.library(d) for c in cases]),
        lambda d: naive.Product(tuple(c.naive(d) for c in cases)),
    )


def _normalised(case: Case) -> Case:
    return Case(
        f"normalised({case})",
        lambda d: library.Normalised(case.library(d)),
        lambda d: naive.Normalised(case.naive(d)),
    )


MIXED = _sum(RBF, POLYNOMIAL, coefficients=(0.7, 0.3))
COMPOSITES = [
    MIXED,
    _sum(LINEAR, LAPLACE, WEIGHTED[2], coefficients=(1.0, 2.0, 0.5)),
    _product(RBF, POLYNOMIAL),
    _product(LINEAR, WEIGHTED[3], RBF),
    _normalised(LINEAR),
    _normalised(POLYNOMIAL),
    _normalised(WEIGHTED[1]),
    _normalised(MIXED),
    _product(MIXED, LAPLACE),
    _sum(_normalised(POLYNOMIAL), _product(RBF, LINEAR), coefficients=(0.4, 1.5)),
    _normalised(_product(POLYNOMIAL, _sum(RBF, LINEAR, coefficients=(1.0, 0.2)))),
    _sum(CAUCHY, _normalised(LINEAR), coefficients=(1.0, 1.0)),
]
EVERY_KERNEL = LEAVES + MORE_LEAVES + WEIGHTED + COMPOSITES


def table(rows: int, columns: int, seed: int = 0, *, density: float = 1.0) -> np.ndarray:
    """Rows with columns of uneven scale and position; zeros where density is below one."""
    rng = np.random.default_rng([rows, columns, seed])
    X = rng.normal(size=(rows, columns)) * rng.uniform(0.3, 1.5, columns)
    if density < 1:
        return X * (rng.uniform(size=X.shape) < density)
    return X + rng.normal(size=columns) * 0.3


def symmetric(rows: int, seed: int = 0) -> np.ndarray:
    M = np.random.default_rng([rows, seed, 7]).normal(size=(rows, rows))
    return (M + M.T) / 2


def as_given(X: np.ndarray, form: str):
    return sparse.csr_array(X) if form == "csr" else X


def relative_error(actual: np.ndarray, expected: np.ndarray, least: float = 0.0) -> float:
    """Largest difference over the largest expected number, or over ``least`` if that is larger."""
    scale = max(np.abs(expected).max(initial=0), least) or 1.0
    return float(np.abs(np.asarray(actual) - expected).max(initial=0) / scale)
