"""Train svsieve's SVC beside scikit-learn's on the breast-cancer data and compare the solutions."""

from time import perf_counter

import numpy as np
import sklearn.svm
from sklearn.datasets import load_breast_cancer
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

import svsieve

C = 1.0
REPEATS = 5


def kkt_gap(model, K, y):
    """How far the solution is from optimal: the largest violation among pairs of rows.

    The dual program minimises 1/2 b'Kb - y'b with sum(b) = 0 and each b_i between 0 and y_i C.
    At the optimum no coefficient that may fall has a larger gradient than one that may rise.
    """
    b = np.zeros(len(y))
    b[model.support_] = model.dual_coef_[0]
    gradient = K @ b - y
    may_fall = b > np.minimum(0.0, C * y)
    may_rise = b < np.maximum(0.0, C * y)
    return max(0.0, gradient[may_fall].max() - gradient[may_rise].min())


def best_fit_time(model, X, y):
    """Seconds of the fastest of a few fits."""
    times = []
    for _ in range(REPEATS):
        start = perf_counter()
        model.fit(X, y)
        times.append(perf_counter() - start)
    return min(times)


def main():
    """Fit both classifiers on the same training rows and print one line for each."""
    X, labels = load_breast_cancer(return_X_y=True)
    y = np.where(labels == 1, 1.0, -1.0)
    X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
    scaler = StandardScaler().fit(X_train)
    X_train, X_test = scaler.transform(X_train), scaler.transform(X_test)

    gamma = 1.0 / (X_train.shape[1] * X_train.var())
    K = rbf_kernel(X_train, gamma=gamma)
    models = {
        "svsieve.SVC": svsieve.SVC(C=C, kernel="rbf", gamma=gamma),
        "sklearn.svm.SVC": sklearn.svm.SVC(C=C, kernel="rbf", gamma=gamma),
    }

    print(
        f"Breast-cancer data: {len(X_train)} training rows, {len(X_test)} test rows, "
        f"{X_train.shape[1]} columns. Gaussian kernel, C = {C:g}.\n"
    )
    print(f"{'':<16}{'accuracy':>10}{'support vectors':>17}{'KKT gap':>10}{'fit time':>12}")
    for name, model in models.items():
        seconds = best_fit_time(model, X_train, y_train)
        print(
            f"{name:<16}{model.score(X_test, y_test):>10.4f}{len(model.support_):>17}"
            f"{kkt_gap(model, K, y_train):>10.1e}{1e3 * seconds:>9.2f} ms"
        )
    print(f"\nAccuracy is on the test rows; the fit time is the best of {REPEATS}.")


if __name__ == "__main__":
    main()
