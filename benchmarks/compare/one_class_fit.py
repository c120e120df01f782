"""One description of one class against scikit-learn's, and against a dense quadratic program."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.svm import OneClassSVM

from benchmarks.compare.data import Floats
from benchmarks.compare.timing import (
    RATIO_COLUMNS,
    Options,
    Report,
    Row,
    compared,
    race,
    race_once,
    say,
)
from svsieve import SVDD, OneClassSVC
from svsieve.kernels import Rbf
from svsieve.machines import Svdd, solve

TOL = 1e-3
CACHE_MB = 1000
SHARES = (0.05, 0.1, 0.5)
DENSE_GAP = 1e-7


def run(options: Options) -> Report:
    """Time fits at several shares of outliers, then the dense program."""
    rows, columns = options.pick((10_000, 50), (1000, 20))
    X = np.random.default_rng(0).standard_normal((rows, columns))
    gamma = 1.0 / columns
    report = Report(
        f"one class, {rows} x {columns} normal, RBF, gamma 1 / columns, gap {TOL:g}, peer "
        f"sklearn.svm.OneClassSVM; {options.threads} thread(s)",
        columns=(*RATIO_COLUMNS, "peer SVs", "our SVs", "differ by"),
        notes=[
            "differ by: largest difference of decision values on the rows, in units of rho; "
            "against cvxopt, relative difference of the objectives",
        ],
    )
    for nu in SHARES:
        peer = OneClassSVM(nu=nu, gamma=gamma, tol=TOL, cache_size=CACHE_MB)
        half_space = OneClassSVC(nu=nu, gamma=gamma, tol=TOL, cache_size=CACHE_MB)
        sphere = SVDD(nu=nu, gamma=gamma, tol=TOL, cache_size=CACHE_MB)
        say(f"nu={nu:g}: OneClassSVM, OneClassSVC, SVDD")
        sides = {"peer": peer, "OneClassSVC": half_space, "SVDD": sphere}
        seconds = race(
            {name: partial(model.fit, X) for name, model in sides.items()},
            options.repeat,
            seconds=60.0,
        )
        theirs = peer.decision_function(X[:1000]) / peer.offset_
        for name, model in (("OneClassSVC", half_space), ("SVDD", sphere)):
            row = compared(f"{name}, nu={nu:g}", seconds["peer"], seconds[name], at_least=3.0)
            row |= {"peer SVs": len(peer.support_), "our SVs": len(model.support_)}
            if name == "OneClassSVC":
                ours = half_space.decision_function(X[:1000]) / half_space.offset_
                row["differ by"] = float(np.abs(ours - theirs).max())
            report.rows.append(row)
    report.rows.append(_dense(options))
    return report


def _dense(options: Options) -> Row:
    """The same sphere by cvxopt's interior-point method, which keeps the whole program."""
    n, columns = options.pick(2000, 300), 50
    X = np.random.default_rng(1).standard_normal((n, columns))
    K = Rbf(gamma=1.0 / columns).gram(X)
    machine = Svdd(nu=0.1)
    problem = machine.problem(np.diagonal(K))
    say(f"cvxopt, {n} rows")
    peer, ours, found = race_once(
        partial(_cvxopt, K, problem), partial(solve, problem, K, tol=DENSE_GAP), options.repeat
    )
    row = compared(f"Svdd by cvxopt, {n} rows, gap {DENSE_GAP:g}", peer, ours, at_least=50.0)
    solution = solve(problem, K, tol=DENSE_GAP)
    theirs = float(0.5 * found @ K @ found + problem.linear @ found)
    row["our SVs"] = int((solution.coefficients > 0).sum())
    row["differ by"] = abs(theirs - solution.objective) / abs(solution.objective)
    return row


def _cvxopt(K: Floats, problem: Any) -> Floats:
    from cvxopt import matrix, solvers

    n = len(K)
    bounds = np.vstack([-np.eye(n), np.eye(n)])
    sides = np.concatenate([-problem.lower, problem.upper])
    answer = solvers.qp(
        matrix(K),
        matrix(problem.linear),
        matrix(bounds),
        matrix(sides),
        matrix(np.ones((1, n))),
        matrix([problem.total]),
        options={"show_progress": False},
    )
    return np.ravel(answer["x"])
