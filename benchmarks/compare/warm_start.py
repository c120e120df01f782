"""Solving from the last solution against solving from nothing, along two kinds of path."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from benchmarks.compare.data import DataSet, Floats, load
from benchmarks.compare.timing import RATIO_COLUMNS, Options, Report, Row, Seconds, compared, race
from svsieve.kernels import Kernel, KernelState, Linear, PerFeature, Polynomial, Rbf
from svsieve.machines import CSvm, DualProblem, DualSolution, feasible_start, solve

TOL, STEPS = 1e-8, 10
GRID = np.logspace(-1, 1, 9)

Step = tuple[DualProblem, Floats, Floats]  # the program, its Gram matrix, the start it inherits


def eliminating(data: DataSet, kernel: Kernel, C: float, columns: int) -> Iterator[Step]:
    """Yield the programs after each of ten removals of the columns that matter least."""
    state, machine = KernelState(kernel, data.X), CSvm(C)
    problem = machine.problem(state.diagonal(), data.y)
    solution = solve(problem, state.gram(), tol=TOL)
    for _ in range(STEPS):
        change = state.contract_without(machine.pair_weights(solution), change=True)
        state.drop(state.kept[np.argsort(np.abs(change), kind="stable")[:columns]])
        problem = machine.problem(state.diagonal(), data.y)
        start = feasible_start(problem, solution.coefficients)
        yield problem, state.gram(), start
        solution = solve(problem, state.gram(), start=start, tol=TOL)


def growing(data: DataSet, kernel: Kernel) -> Iterator[Step]:
    """Yield the programs of a growing C, each inheriting the solution of the one before."""
    state = KernelState(kernel, data.X)
    gram, diagonal = state.gram(), state.diagonal()
    previous: DualSolution | None = None
    for C in GRID:
        problem = CSvm(float(C)).problem(diagonal, data.y)
        if previous is None:
            previous = solve(problem, gram, tol=TOL)
            continue
        start = feasible_start(problem, previous.coefficients)
        yield problem, gram, start
        previous = solve(problem, gram, start=start, tol=TOL)


def along(what: str, steps: Iterator[Step], options: Options) -> Row:
    """Return the sums over a path of cold and warm times and iterations."""
    cold, warm = Seconds(0.0, 0.0), Seconds(0.0, 0.0)
    iterations = {"cold": 0, "warm": 0}
    for problem, gram, start in steps:
        from_nothing = partial(solve, problem, gram, tol=TOL)
        from_last = partial(solve, problem, gram, start=start, tol=TOL)
        iterations["cold"] += from_nothing().iterations
        iterations["warm"] += from_last().iterations
        seconds = race(
            {"cold": from_nothing, "warm": from_last}, options.repeat, seconds=1.5, least=0.0
        )
        cold, warm = cold + seconds["cold"], warm + seconds["warm"]
    row = compared(what, cold, warm, at_least=1.0)
    row["cold it."], row["warm it."] = iterations["cold"], iterations["warm"]
    # A start that is already the solution takes no iteration at all, and then there is no ratio.
    row["it. ratio"] = iterations["cold"] / iterations["warm"] if iterations["warm"] else None
    return row


def run(options: Options) -> Report:
    """Walk both kinds of path on dense, and the first on wide, data."""
    madelon, colon = load("madelon"), load("colon")
    rbf = Rbf(gamma=PerFeature(1.0))
    poly = Polynomial(degree=7, gamma=PerFeature(1.0), coef0=1.0)
    report = Report(
        f"warm against cold start, gap {TOL:g}, solver alone, {options.threads} thread(s); "
        "peer: the same solver started from nothing",
        columns=(*RATIO_COLUMNS, "cold it.", "warm it.", "it. ratio"),
        notes=[
            f"removals: {STEPS} steps, the columns of least effect go, sums over the steps",
            f"C grid: {len(GRID)} values from {GRID[0]:g} to {GRID[-1]:g}, growing; "
            "sums over all but the first",
        ],
    )
    report.rows = [
        along(f"{madelon.label}, RBF, 20 removed", eliminating(madelon, rbf, 1.0, 20), options),
        along(f"{madelon.label}, poly 7, 20 removed", eliminating(madelon, poly, 0.6, 20), options),
        along(
            f"{colon.label}, linear, 150 removed", eliminating(colon, Linear(), 1.0, 150), options
        ),
        along(f"{madelon.label}, RBF, C grid", growing(madelon, rbf), options),
        along(f"{madelon.label}, poly 7, C grid", growing(madelon, poly), options),
    ]
    return report
