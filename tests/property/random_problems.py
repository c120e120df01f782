"""Random problems of every kind, hard ones included."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from svsieve import kernels, machines


@dataclass(frozen=True)
class TableRecipe:
    """What a random table is made from: short to print, enough to rebuild it."""

    rows: int
    columns: int
    seed: int
    spread: str
    repeated: float  # share of rows that are copies of others
    constant: int  # number of constant columns
    noise: float  # of the labels

    def build(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows and labels that follow a plane with noise; both classes are present."""
        rng = np.random.default_rng(self.seed)
        X = rng.normal(size=(self.rows, self.columns))
        match self.spread:
            case "grid":
                X = np.round(X)
            case "uneven":
                X *= 10.0 ** rng.uniform(-2, 1, self.columns)
            case "far":
                X += 10 * rng.normal(size=self.columns)
        copies = rng.uniform(size=self.rows) < self.repeated
        X[copies] = X[rng.integers(0, max(1, self.rows // 3), copies.sum())]
        X[:, : self.constant] = rng.choice([0.0, 1.0, -3.0])
        scores = X @ rng.normal(size=self.columns) + self.noise * rng.normal(size=self.rows)
        labels = np.where(scores > np.median(scores), 1, -1)
        labels[0], labels[-1] = 1, -1
        return X, labels


@dataclass(frozen=True)
class RandomProblem:
    """A machine with a kernel on a table."""

    machine: object
    kernel: kernels.Kernel
    table: TableRecipe

    def __str__(self) -> str:
        return f"{self.machine} {type(self.kernel).__name__} {self.table.rows} rows"

    def build(self) -> tuple[np.ndarray, machines.DualProblem]:
        """The Gram matrix and the program."""
        X, labels = self.table.build()
        uses_labels = isinstance(
            self.machine, machines.CSvm | machines.L2Svm | machines.NegativeSvdd
        )
        problem = self.machine.problem(self.kernel.diagonal(X), labels if uses_labels else None)
        return self.kernel.gram(X), problem


def powers_of_ten(low: int, high: int):
    """Numbers spread evenly over the decades, three per decade."""
    return st.integers(3 * low, 3 * high).map(lambda e: float(10.0 ** (e / 3)))


@st.composite
def tables(draw, max_rows: int = 200) -> TableRecipe:
    columns = draw(st.integers(1, 8))
    return TableRecipe(
        rows=draw(st.one_of(st.integers(2, 12), st.integers(2, max_rows))),
        columns=columns,
        seed=draw(st.integers(0, 2**32 - 1)),
        spread=draw(st.sampled_from(["smooth", "grid", "uneven", "far"])),
        repeated=draw(st.sampled_from([0.0, 0.0, 0.1, 0.5, 1.0])),
        constant=draw(st.one_of(st.just(0), st.integers(1, columns))),
        noise=draw(st.sampled_from([0.0, 0.5, 5.0])),
    )


def simple_kernels():
    gammas = powers_of_ten(-2, 1)
    return st.one_of(
        st.just(kernels.Linear()),
        st.builds(
            kernels.Polynomial,
            degree=st.integers(2, 4),
            gamma=powers_of_ten(-2, 0),
            coef0=st.sampled_from([0.0, 1.0]),
        ),
        st.builds(kernels.Rbf, gamma=gammas),
        st.builds(kernels.Laplace, gamma=gammas),
    )


MACHINES = ("CSvm", "L2Svm", "OneClass", "Svdd", "EnclosingSphere", "NegativeSvdd")


@st.composite
def random_problems(draw, machine: str, max_rows: int = 200) -> RandomProblem:
    table = draw(tables(max_rows))
    targets = int((table.build()[1] > 0).sum())
    share = st.floats(0.0, 1.0)

    def between(low: float, high: float) -> float:
        return high if high <= low else float(low * (high / low) ** draw(share))

    match machine:
        case "CSvm":
            made = machines.CSvm(C=draw(powers_of_ten(-4, 6)))
        case "L2Svm":
            made = machines.L2Svm(C=draw(powers_of_ten(-4, 6)))
        case "OneClass":
            made = machines.OneClass(nu=between(1e-3, 1.0))
        case "Svdd":
            made = machines.Svdd(C=between(1.001 / table.rows, 1.0))
        case "EnclosingSphere":
            made = machines.EnclosingSphere(ridge=draw(st.sampled_from([0.0, 1e-3, 1.0])))
        case "NegativeSvdd":
            made = machines.NegativeSvdd(
                C_target=between(1.001 / targets, 1.0), C_outlier=between(1e-4, 1.0)
            )
    return RandomProblem(made, draw(simple_kernels()), table)


@st.composite
def planes(draw) -> tuple[np.ndarray, np.ndarray]:
    """Whole numbers with labels: separable by a plane or exactly not."""
    d = draw(st.integers(1, 3))
    row = st.tuples(*[st.integers(-3, 3)] * d, st.sampled_from([1, -1]))
    rows = draw(st.lists(row, min_size=2, max_size=25))
    table = np.array(rows, dtype=float)
    X, y = table[:, :-1], table[:, -1].astype(int)
    y[0], y[-1] = 1, -1
    return X, y


HARD_MARGIN = machines.L2Svm(C=math.inf)


def _hard(machine, kernel, rows: int, columns: int, seed: int, spread: str, **more):
    options = {"repeated": 0.0, "constant": 0, "noise": 0.0, **more}
    return RandomProblem(machine, kernel, TableRecipe(rows, columns, seed, spread, **options))


#: Ill-conditioned without looking it: nearly singular matrices, entries over many decades.
HARD_PROBLEMS = [
    _hard(machines.OneClass(nu=0.001), kernels.Rbf(gamma=4.64), 27, 4, 0, "smooth", constant=3),
    _hard(machines.OneClass(nu=0.215), kernels.Linear(), 8, 2, 168539069, "uneven", noise=5.0),
    _hard(
        machines.OneClass(nu=0.0346),
        kernels.Polynomial(degree=3, gamma=0.0129),
        *(160, 3, 368439248, "uneven"),
        constant=1,
    ),
    _hard(machines.OneClass(nu=0.00238), kernels.Rbf(gamma=0.0162), 196, 4, 2919482050, "uneven"),
    _hard(
        machines.L2Svm(C=198615.0),
        kernels.Linear(),
        *(142, 6, 1592677440, "smooth"),
        constant=5,
        noise=0.5,
    ),
    _hard(
        machines.CSvm(C=127869.44208040081),
        kernels.Polynomial(degree=3, gamma=0.20732701658916525),
        *(83, 5, 3891412034, "uneven"),
        repeated=0.5,
        constant=1,
        noise=0.5,
    ),
    _hard(machines.L2Svm(C=1.0), kernels.Polynomial(degree=4), 26, 1, 13, "uneven"),
    _hard(machines.L2Svm(C=1.0), kernels.Polynomial(degree=4), 26, 2, 13, "uneven"),
]
