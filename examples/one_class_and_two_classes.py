"""One class is two classes seen in a mirror: the plane that supports X separates X from -X.

Schölkopf and others (2001) show it for the plane through which one class is told from the origin.

1. If <w, x> = rho supports the rows X, as far from the origin as can be, then <w, x> = 0 is the
   best boundary between the rows X, labelled 1, and their mirror images -X, labelled -1.
2. If <w, x> = 0 is the best boundary through the origin between labelled rows, and rho / |w| its
   margin, then <w, x> = rho supports the rows y_i x_i, whose labels have been multiplied in.

Both are shown on rows in the plane, where they can be checked with the eye, and the first in the
space of a Gaussian kernel.
"""

import math

import numpy as np

from svsieve import SVC, OneClassSVC
from svsieve.kernels import Rbf
from svsieve.machines import FreeSum, L2Svm, OneClass, solve

EXACT = {"tol": 1e-12}


def unit(w):
    """The direction of a vector."""
    return np.ravel(w) / np.linalg.norm(w)


def supporting_plane(X):
    """The plane that leaves no row behind, as unit normal and distance from the origin.

    With nu = 1 / n a coefficient may be as large as all of them together: no slack is ever used.
    """
    model = OneClassSVC("linear", nu=1.0 / len(X), **EXACT).fit(X)
    length = float(np.linalg.norm(model.coef_))
    return unit(model.coef_), float(model.offset_) / length


def mirrored(X):
    """From one class to two: the rows, and their images behind the origin."""
    normal, distance = supporting_plane(X)
    both, y = np.vstack([X, -X]), np.repeat([1, -1], len(X))
    classifier = SVC(kernel="linear", slack="l2", C=math.inf, **EXACT).fit(both, y)
    margin = 1.0 / float(np.linalg.norm(classifier.coef_))
    return {
        "direction": float(np.abs(unit(classifier.coef_) - normal).max()),
        "margin": abs(margin - distance),
        "constant": abs(float(classifier.intercept_[0])),
    }


def labels_multiplied_in(X, y):
    """From two classes to one: the boundary through the origin, and rows turned to one side.

    A hard margin whose constant is fixed at zero has no constraint on the sum of coefficients.
    """
    K = np.vstack([X, np.zeros(X.shape[1])]) @ np.vstack([X, np.zeros(X.shape[1])]).T
    machine = FreeSum(L2Svm(C=math.inf))
    problem = machine.problem(np.diag(K), np.append(y, 0.0))
    w = X.T @ solve(problem, K, **EXACT).coefficients[: len(X)]
    normal, distance = supporting_plane(y[:, None] * X)
    return {
        "direction": float(np.abs(unit(w) - normal).max()),
        "margin": abs(1.0 / float(np.linalg.norm(w)) - distance),
    }


def in_feature_space(X, gamma=0.5):
    """The first statement for a kernel: between phi(x) and -phi(z) it is -k(x, z)."""
    K = Rbf(gamma=gamma).gram(X)
    one = OneClass(nu=1.0 / len(X))
    b = solve(one.problem(np.diag(K)), K, **EXACT).coefficients
    both = np.block([[K, -K], [-K, K]])
    two = L2Svm(C=math.inf)
    y = np.repeat([1.0, -1.0], len(X))
    u = solve(two.problem(np.diag(both), y), both, **EXACT).coefficients
    folded = u[: len(X)] - u[len(X) :]  # what a row and its image give to w
    return {"coefficients": float(np.abs(folded / folded.sum() - b).max())}


def main():
    """Show how far the two sides of each statement are apart."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2)) * [1.0, 0.5] + [3.0, 2.0]
    y = np.where(rng.random(40) < 0.5, 1.0, -1.0)
    print("1. a class and its mirror image, linear kernel")
    print("  ", mirrored(X))
    print("2. labels multiplied in, linear kernel")
    print("  ", labels_multiplied_in(y[:, None] * X, y))
    print("1. in the space of a Gaussian kernel")
    print("  ", in_feature_space(X))


if __name__ == "__main__":
    main()
