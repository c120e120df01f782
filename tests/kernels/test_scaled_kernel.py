"""Kernels on scaled columns."""

import numpy as np
import pytest

from svsieve.kernels import Laplace, Linear, Normalised, Polynomial, Rbf, scaled_kernel
from tests.kernels.kernel_cases import Cauchy

X = np.random.default_rng(0).normal(size=(6, 4))
FACTORS = np.array([1.0, 0.3, 0.0, 2.5])
KERNELS = [
    Linear(),
    Linear(weights=(1.0, 2.0, 3.0, 0.5)),
    Polynomial(degree=3, gamma=0.5, coef0=1.0),
    Rbf(gamma=0.3),
    Rbf(gamma=0.3, weights=(1.0, 0.0, 3.0, 0.5)),
    Laplace(gamma=0.3),
    0.7 * Rbf(gamma=0.2) + 0.3 * Linear(),
    Rbf(gamma=0.2) * Laplace(gamma=0.1),
    Normalised(Polynomial(degree=2, gamma=0.5, coef0=1.0)),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_it_is_the_kernel_of_the_scaled_table(kernel):
    expected = kernel.gram(X * FACTORS)
    np.testing.assert_allclose(scaled_kernel(kernel, FACTORS).gram(X), expected, atol=1e-12)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_factors_multiply(kernel):
    twice = scaled_kernel(scaled_kernel(kernel, FACTORS), FACTORS)
    once = scaled_kernel(kernel, FACTORS**2)
    np.testing.assert_allclose(twice.gram(X), once.gram(X), atol=1e-12)


def test_a_kernel_without_weights_is_named():
    with pytest.raises(ValueError, match="Cauchy cannot scale columns"):
        scaled_kernel(0.5 * Cauchy() + Linear(), FACTORS)


def test_factors_must_fit_the_weights_there_are():
    with pytest.raises(ValueError, match=r"weights must have 3 entries\. Got 4"):
        scaled_kernel(KERNELS[1], FACTORS[:3])
