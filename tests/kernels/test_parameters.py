"""Parameters of kernels by name, and the slopes that go by the same names."""

from __future__ import annotations

import math

import numpy as np
import pytest

from svsieve.kernels import (
    KernelState,
    Linear,
    Normalised,
    PairWeights,
    Polynomial,
    Product,
    Rbf,
    Sum,
)
from svsieve.kernels.parameters import parameters_of, with_parameters
from tests.criteria.plain import derivative

RNG = np.random.default_rng(0)
X = RNG.normal(size=(9, 3))
HALF = RNG.normal(size=(9, 9))
M = PairWeights.dense(HALF + HALF.T)
KERNELS = [
    Linear(),
    Rbf(gamma=0.4),
    Polynomial(degree=3, gamma=0.5, coef0=0.3),
    Sum((Rbf(gamma=0.4), Polynomial(degree=2, gamma=0.5, coef0=1.0)), (0.6, 0.2)),
    Rbf(gamma=0.4) * (0.5 * Linear() + Rbf(gamma=2.0)),
    Normalised(Polynomial(degree=2, gamma=0.5, coef0=1.0)),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_every_parameter_has_the_slope_of_its_name(kernel) -> None:
    values, slopes = parameters_of(kernel), KernelState(kernel, X).contract_params(M)
    assert values.keys() == slopes.keys()
    for name, value in values.items():
        expected = derivative(
            lambda t, name=name, value=value: M.inner(
                with_parameters(kernel, {name: value + t}).gram(X)
            )
        )
        assert slopes[name] == pytest.approx(expected, rel=1e-7, abs=1e-9), name


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_its_own_parameters_leave_a_kernel_as_it_is(kernel) -> None:
    again = with_parameters(kernel, parameters_of(kernel))
    np.testing.assert_allclose(again.gram(X), kernel.gram(X), rtol=1e-13)
    assert with_parameters(kernel, {}).gram(X) == pytest.approx(kernel.gram(X))


def test_a_term_of_no_weight_has_no_logarithm() -> None:
    found = parameters_of(Sum((Linear(), Linear()), (1.0, 0.0)))
    assert found == {"0.log_coefficient": 0.0, "1.log_coefficient": -math.inf}


def test_rules_are_refused() -> None:
    with pytest.raises(ValueError, match="gamma of Rbf is a rule"):
        parameters_of(Rbf(gamma="scale"))


@pytest.mark.parametrize("made", [Sum, Product])
def test_a_list_of_kernels_is_kept_as_a_tuple(made) -> None:
    """So that composed kernels can be keys, and what is appended later changes nothing."""
    parts = [Linear(), Rbf(gamma=0.5)]
    kernel = made(parts)
    parts.append(Linear())
    assert kernel == made((Linear(), Rbf(gamma=0.5)))
    assert hash(kernel) == hash(made((Linear(), Rbf(gamma=0.5))))
    assert kernel.children == (Linear(), Rbf(gamma=0.5))
    assert Sum([Linear()], [2]).coefficients == (2.0,)
