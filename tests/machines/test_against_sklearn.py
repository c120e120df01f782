"""Binary programs on a given matrix beside scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import SVC, OneClassSVM

from svsieve import machines
from tests.machines.machine_cases import cloud, gaussian
from tests.reference import programs

# Where the iteration limit stops scikit-learn, its warning is of no concern: its gap is measured.
pytestmark = pytest.mark.filterwarnings("ignore:Solver terminated early")

X, Y = cloud(120, 5, seed=3)
MATRICES = pytest.mark.parametrize(
    "K", [gaussian(X, 0.1), X @ X.T, (0.2 * X @ X.T + 1) ** 2], ids=["gaussian", "linear", "square"]
)


@MATRICES
@pytest.mark.parametrize("C", [0.01, 1.0, 30.0])
def test_c_svm(K: np.ndarray, C: float) -> None:
    problem = machines.CSvm(C=C).problem(np.diag(K), Y)
    ours = machines.solve(problem, K, tol=1e-10)
    theirs = SVC(C=C, kernel="precomputed", tol=1e-10, max_iter=200_000).fit(K, Y)
    b = np.zeros(len(Y))
    b[theirs.support_] = theirs.dual_coef_[0]
    exact = programs.certificate(K, problem, b)
    # scikit-learn keeps its matrix in single precision: allow what its own gap admits
    f = K @ ours.coefficients + ours.offset
    allowed = max(1e-6, 10 * exact.gap) * max(1, np.abs(f).max())
    np.testing.assert_allclose(f, theirs.decision_function(K), rtol=0, atol=allowed)
    assert ours.objective <= exact.objective + 1e-12 * abs(exact.objective)


@MATRICES
@pytest.mark.parametrize("nu", [0.05, 0.5, 0.9])
def test_one_class(K: np.ndarray, nu: float) -> None:
    K = K + 1.0  # keeps the origin out of the hull of the rows, else the solution is w = 0
    machine = machines.OneClass(nu=nu)
    problem = machine.problem(np.diag(K))
    ours = machines.solve(problem, K, tol=1e-10)
    theirs = OneClassSVM(nu=nu, kernel="precomputed", tol=1e-10, max_iter=200_000).fit(K)
    b = np.zeros(len(K))
    b[theirs.support_] = theirs.dual_coef_[0] / (nu * len(K))
    exact = programs.certificate(K, problem, b)
    assert ours.objective <= exact.objective + 1e-9 * abs(exact.objective)
    unit = nu * len(K)
    f = unit * (K @ ours.coefficients + ours.offset)
    allowed = max(1e-6, 10 * exact.gap * unit) * max(1, np.abs(f).max())
    shift = f - theirs.decision_function(K)
    free = (ours.coefficients > problem.lower) & (ours.coefficients < problem.upper)
    if not free.any():  # an interval of offsets is optimal, and we take its middle
        fall, rise = ours.coefficients > problem.lower, ours.coefficients < problem.upper
        half = 0.5 * unit * (ours.gradient[rise].min() - ours.gradient[fall].max())
        assert np.abs(shift).max() <= half + allowed
        shift = shift - shift.mean()
    np.testing.assert_allclose(shift, 0.0, rtol=0, atol=allowed)


@pytest.mark.parametrize("C", [0.3, 10.0])
def test_l2_svm_is_scikit_learns_with_a_ridge(C: float) -> None:
    K = gaussian(X, 0.1)
    machine = machines.L2Svm(C=C)
    ours = machines.solve(machine.problem(np.diag(K), Y), K, tol=1e-10)
    ridged = K + np.eye(len(K)) / C
    theirs = SVC(C=1e6, kernel="precomputed", tol=1e-10, max_iter=200_000).fit(ridged, Y)
    b = np.zeros(len(Y))
    b[theirs.support_] = theirs.dual_coef_[0]
    np.testing.assert_allclose(ours.coefficients, b, atol=2e-5)
