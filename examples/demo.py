"""Rank the columns of two tables: thirty with a Gaussian kernel, then thousands one at a time."""

from time import perf_counter

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from svsieve import SVC, SVMRFE

TOP = 10


def fitted(selector, X, y):
    """Fit a selector and return it with the seconds that took."""
    start = perf_counter()
    selector.fit(X, y)
    return selector, perf_counter() - start


def facts(path, seconds):
    """One line: how long it took, and how well every step was solved."""
    return (
        f"{path.n_steps} steps in {seconds:.2f} s (engine: {path.engine}), "
        f"largest KKT gap {path.kkt_gap.max():.1e}"
    )


def breast_cancer():
    """Rank named columns with a kernel that has no weight vector to look at."""
    data = load_breast_cancer(as_frame=True)
    machine = make_pipeline(StandardScaler(), SVC(kernel="rbf", C=10.0))
    selector, seconds = fitted(
        SVMRFE(machine, n_features_to_select=1, step=1), data.data, data.target
    )
    path = selector.path_
    best, scores = path.top(TOP), path.importances[::-1]

    print(f"Breast-cancer data: {data.data.shape[0]} rows, {path.n_columns} columns")
    print("Gaussian kernel, C = 10, one column dropped at a time\n")
    print(f"{'rank':>6}  {'column':<26}{'score at removal':>18}")
    for place, name in enumerate(path.names(best)):
        print(f"{place + 1:>6}  {name:<26}{scores[place]:>18.2f}")
    print(f"\n{facts(path, seconds)}")
    size = path.estimated_size()
    print(f"Suggested size, from the scores alone: {size} of {path.n_columns} columns")


def wide_table(rows=100, columns=5000, informative=10):
    """Rank a table of mostly noise, and count how many columns with a signal come first."""
    rng = np.random.default_rng(0)
    y = np.where(np.arange(rows) % 2 == 0, 1, -1)
    X = rng.standard_normal((rows, columns))
    X[:, :informative] += y[:, None]
    selector, seconds = fitted(SVMRFE(SVC(kernel="linear"), n_features_to_select=1), X, y)
    path = selector.path_
    found = int(np.sum(path.top(informative) < informative))

    print(f"Generated table: {rows} rows, {columns} columns, {informative} of them with a signal")
    print("linear kernel, C = 1, one column dropped at a time\n")
    print(facts(path, seconds))
    print(f"Among the first {informative} columns of the ranking: {found} of the {informative}")


def main():
    """Run both."""
    breast_cancer()
    print()
    wide_table()


if __name__ == "__main__":
    main()
