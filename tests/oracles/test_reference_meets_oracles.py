"""The naive references against the oracle numbers: the judge is judged first."""

from __future__ import annotations

import numpy as np
import pytest

from tests.oracles import numbers
from tests.oracles.numbers import assert_digits
from tests.reference import kernels, programs

GAUSSIAN = kernels.Leaf("rbf", gamma=numbers.GAMMA)
# The oracle's polynomial is (gamma <x, z> + coef0) ** degree with the same gamma.
POLYNOMIAL = kernels.Leaf(
    "polynomial", gamma=numbers.GAMMA, degree=numbers.DEGREE, coef0=numbers.COEF0
)
REFERENCE = {
    "linear": kernels.Leaf("linear"),
    "polynomial": POLYNOMIAL,
    "gaussian": GAUSSIAN,
    "weighted gaussian": kernels.Leaf("rbf", weights=numbers.WEIGHTED_GAMMAS),
    "normalised polynomial": kernels.Normalised(POLYNOMIAL),
    "0.7 gaussian + 0.3 polynomial": kernels.Sum((GAUSSIAN, POLYNOMIAL), (0.7, 0.3)),
    "gaussian * polynomial": kernels.Product((GAUSSIAN, POLYNOMIAL)),
}
EACH_KERNEL = pytest.mark.parametrize("column", range(3), ids=numbers.KERNELS)


def gram(column: int) -> np.ndarray:
    return kernels.gram(REFERENCE[numbers.KERNELS[column]], numbers.X)


@pytest.mark.parametrize("name", numbers.CONTRACTIONS)
def test_contractions(name: str) -> None:
    kernel, X = REFERENCE[name], numbers.X
    index = np.arange(1, 9)
    M = 1 / (index[:, None] + index[None, :] - 1)
    inner, slopes, without = numbers.CONTRACTIONS[name]
    assert_digits((M * kernels.gram(kernel, X)).sum(), inner)
    assert_digits(kernels.contract_slopes(kernel, X, M), slopes)
    assert_digits(kernels.contract_without(kernel, X, M), without)


def programs_and_solutions(column: int):
    K = gram(column)
    diagonal, bound = np.diag(K), numbers.ONE_CLASS_BOUND
    return {
        "c-svm": (programs.c_svm(numbers.Y, numbers.C), numbers.L1_SVM["alpha"]),
        "l2-svm": (programs.l2_svm(numbers.Y, numbers.RIDGE), numbers.L2_SVM["alpha"]),
        "sphere": (programs.sphere(diagonal), numbers.L1_SVM["beta"]),
        "ridged sphere": (programs.sphere(diagonal, numbers.RIDGE), numbers.L2_SVM["beta"]),
        "svdd": (programs.svdd(diagonal, bound), numbers.SOFT_SVDD["alpha"]),
        "one-class": (programs.one_class(len(K), bound), numbers.ONE_CLASS["alpha"]),
        "negative svdd": (
            programs.negative_svdd(diagonal, numbers.T, numbers.C_TARGET, numbers.C_OUTLIER),
            numbers.NEGATIVE_SVDD["alpha"],
        ),
    }


@pytest.mark.parametrize("machine", programs_and_solutions(0))
@EACH_KERNEL
def test_solutions(column: int, machine: str) -> None:
    K = gram(column)
    problem, printed = programs_and_solutions(column)[machine]
    b = programs.refine(K, problem)
    signs = numbers.Y if machine in ("c-svm", "l2-svm") else 1
    assert_digits(signs * b, printed[column])
    assert programs.certificate(K, problem, b).gap < 1e-12


@pytest.mark.parametrize("machine", programs_and_solutions(0))
def test_solutions_by_trying_every_active_set(machine: str) -> None:
    problem, printed = programs_and_solutions(2)[machine]
    signs = numbers.Y if machine in ("c-svm", "l2-svm") else 1
    assert_digits(signs * programs.enumerate_solution(gram(2), problem), printed[2])


def test_hard_margin() -> None:
    b = programs.refine(gram(2), programs.l2_svm(numbers.Y, 0.0))
    assert_digits(numbers.Y * b, numbers.HARD_MARGIN["alpha"])
