"""The numbers that are searched: which, from where, how far, and what they stand for."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svsieve.kernels import Linear, Polynomial, Rbf, Sum
from svsieve.machines import CSvm, L2Svm
from svsieve.selection.objectives import Judge, Judgement, RadiusMargin
from svsieve.selection.search_space import SearchSpace
from tests.criteria.contexts import cloud
from tests.criteria.plain import derivative

X, LABELS = cloud(20, 3)
MIXED = Sum((Rbf(gamma=0.4), Polynomial(degree=2, gamma=0.5, coef0=1.0)), (0.6, 0.2))


@pytest.mark.parametrize(
    ("machine", "kernel", "scales", "names"),
    [
        (CSvm(2.0), Rbf(0.5), False, ("log_C", "log_gamma")),
        (CSvm(2.0), Rbf(0.5), True, ("log_C",)),
        (L2Svm(math.inf), Rbf(0.5), False, ("log_gamma",)),
        (L2Svm(1.0), Linear(), False, ("log_C",)),
        (L2Svm(1.0), Polynomial(2, 0.5, 1.0), False, ("log_C", "log_gamma", "coef0")),
        (
            L2Svm(1.0),
            MIXED,
            False,
            ("log_C", "0.log_gamma", "1.log_coefficient", "1.log_gamma", "1.coef0"),
        ),
        (L2Svm(1.0), Sum((Linear(), Linear()), (1.0, 0.0)), False, ("log_C",)),
    ],
)
def test_what_is_varied(machine, kernel, scales: bool, names: tuple[str, ...]) -> None:
    space = SearchSpace.around(machine, kernel, 3, scales=scales)
    assert space.names == names
    assert len(space.start) == len(names) + 3 * scales
    assert (space.lower <= space.start).all()
    assert (space.start <= space.upper).all()
    found, same = space.parts(space.start)
    assert pytest.approx(machine.C) == found.C
    np.testing.assert_allclose(same.gram(X), kernel.gram(X), rtol=1e-12)


@pytest.mark.parametrize("scales", [False, True])
@pytest.mark.parametrize("kernel", [Rbf(0.5), Polynomial(2, 0.5, 1.0), MIXED], ids=str)
def test_slopes_are_those_of_the_point(kernel, scales: bool) -> None:
    space = SearchSpace.around(L2Svm(1.5), kernel, 3, scales=scales)
    judge = Judge(RadiusMargin(), X, LABELS, tol=1e-12)
    point = space.start + 0.1 * np.arange(len(space.start))
    found = space.slopes(judge(*space.parts(point), slopes=scales))
    unit = np.eye(len(point))
    expected = [
        derivative(lambda t, i=i: judge(*space.parts(point + t * unit[i])).value)
        for i in range(len(point))
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-8)


@given(st.integers(0, 100), st.integers(1, 6))
def test_starts_lie_within_the_bounds(seed: int, count: int) -> None:
    bounds = {"C": (0.5, 4.0), "gamma": (0.4, 0.5)}
    space = SearchSpace.around(L2Svm(1.0), Rbf(0.45), 3, bounds=bounds)
    starts = space.spread_starts(count, np.random.RandomState(seed))
    assert len(starts) == count
    np.testing.assert_array_equal(starts[0], space.start)
    for start in starts:
        assert (space.lower <= start).all()
        assert (start <= space.upper).all()


def test_no_slopes() -> None:
    space = SearchSpace.around(L2Svm(1.0), Rbf(0.5), 3)
    assert space.slopes(Judgement(math.inf)) is None
    scaled = SearchSpace.around(L2Svm(1.0), Rbf(0.5), 3, scales=True)
    assert scaled.slopes(Judgement(1.0, 0.1)) is None


def test_values_bear_public_names() -> None:
    space = SearchSpace.around(L2Svm(2.0), MIXED, 3)
    assert space.values(space.start) == pytest.approx(
        {"C": 2.0, "0.gamma": 0.4, "1.coefficient": 0.2, "1.gamma": 0.5, "1.coef0": 1.0}
    )


def test_bounds_of_what_is_not_varied_are_refused() -> None:
    with pytest.raises(ValueError, match=r"bounds name 'scale', which is not varied. .*C, gamma"):
        SearchSpace.around(L2Svm(1.0), Rbf(0.5), 3, bounds={"scale": (0.1, 1.0)})
