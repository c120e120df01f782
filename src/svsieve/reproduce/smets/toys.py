"""Toy problems with 50 columns: three rankings, and how good machines on the best columns are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import StandardScaler

from svsieve import SVC, SVMRFE, FeatureScaling, fisher_score
from svsieve.arrays import FloatArray
from svsieve.datasets import make_weston_linear, make_weston_nonlinear
from svsieve.elimination import Path

N_COLUMNS, N_TEST = 50, 500
FISHER, RFE, SCALING = "Fisher score", "SVM-RFE", "scaling"
# Who draws the problem, and how many of its first columns matter.
PROBLEMS = {
    "linear": (make_weston_linear, 6),
    "polynomial": (make_weston_nonlinear, 2),
    "Gaussian": (make_weston_nonlinear, 2),
}
# C and the widths are not published.
MACHINES = {
    "linear": SVC(C=0.1, kernel="linear", slack="l2"),
    "polynomial": SVC(C=10.0, kernel="poly", degree=2, gamma="auto", coef0=1.0, slack="l2"),
    "Gaussian": SVC(C=10.0, kernel="rbf", gamma="auto", slack="l2"),
}

Table = tuple[FloatArray, NDArray[Any]]


def drawn(kernel: str, n: int, repeat: int) -> tuple[Table, Table]:
    """Return training and test rows, standardised by the training rows."""
    make, _ = PROBLEMS[kernel]
    rng = np.random.default_rng(np.random.SeedSequence((2006, n, repeat)))
    X, y = make(n, N_COLUMNS, rng)
    while min((y > 0).sum(), (y < 0).sum()) < 2:  # variances need two rows of each class
        X, y = make(n, N_COLUMNS, rng)
    X_test, y_test = make(N_TEST, N_COLUMNS, rng)
    scaler = StandardScaler().fit(X)
    return (scaler.transform(X), y), (scaler.transform(X_test), y_test)


def accuracies(
    method: str,
    machine: SVC,
    train: Table,
    test: Table,
    sizes: Iterable[int],
    *,
    starts: Mapping[int, int] | None = None,
) -> Iterable[tuple[int, NDArray[Any], float]]:
    """Rank by a method; yield sizes, the columns kept and the accuracy of the machine on them.

    The machine of a method that scales columns sees them scaled; `starts` are those of scaling, by
    size.
    """
    if method == SCALING:
        for size in sizes:
            selector = FeatureScaling(
                machine,
                n_features_to_select=size,
                starts=1 if starts is None else starts.get(size, 1),
                random_state=0,
            ).fit(*train)
            yield size, np.flatnonzero(selector.support_), float(selector.score(*test))
        return
    X, y = train
    if method == FISHER:
        order = Path.from_scores(fisher_score(X, y)).order
    else:
        order = SVMRFE(machine, n_features_to_select=1).fit(X, y).path_.order
    for size in sizes:
        kept = order[:size]
        yield size, kept, float(machine.fit(X[:, kept], y).score(test[0][:, kept], test[1]))
