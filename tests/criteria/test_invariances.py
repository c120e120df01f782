"""What must not matter to a criterion: the order of rows and columns, and which class is which."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from svsieve import kernels
from svsieve.criteria import RadiusMargin, Span, WeightNorm
from svsieve.resolve import resolve_criterion
from tests.criteria.contexts import MACHINES, cloud, solved

CRITERIA = [
    WeightNorm(retrain=True),
    RadiusMargin(),
    RadiusMargin(order=1),
    RadiusMargin(retrain=True),
    RadiusMargin(radius="variance"),
    Span(),
    Span(absolute=True),
    Span(order=1),
    Span(retrain=True),
]
EVERY = pytest.mark.parametrize("criterion", CRITERIA, ids=str)
KERNELS = [kernels.Linear(), kernels.Rbf(gamma=0.2), kernels.Polynomial(2, gamma=0.3, coef0=1.0)]


@EVERY
@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 1000),
    kernel=st.sampled_from(KERNELS),
    slack=st.sampled_from(sorted(MACHINES)),
)
def test_order_of_rows_and_columns_and_names_of_classes(criterion, seed, kernel, slack) -> None:
    X, y = cloud(18, 4, seed)
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(18), rng.permutation(4)
    scores = criterion.scores(solved(kernel, X, y, MACHINES[slack]))
    moved = solved(kernel, X[np.ix_(rows, columns)], -y[rows], MACHINES[slack])
    # Scores may be nothing but rounding.
    tolerance = max(1e-6 * np.abs(scores[np.isfinite(scores)]).max(initial=0.0), 1e-14)
    np.testing.assert_allclose(criterion.scores(moved), scores[columns], rtol=1e-6, atol=tolerance)


@EVERY
@pytest.mark.parametrize("slack", MACHINES)
def test_a_constant_column_is_worth_nothing(criterion, slack: str) -> None:
    X, y = cloud(24, 5)
    X[:, 3] = 2.0
    context = solved(kernels.Rbf(gamma=0.2), X, y, MACHINES[slack])
    scores = criterion.scores(context)
    if criterion == Span():  # what is left without it is what there is
        assert scores[3] == pytest.approx(criterion.value(context), rel=1e-13)
    elif criterion.retrain:
        expected = MACHINES[slack].value(context.solution, context.problem)
        if not isinstance(criterion, WeightNorm):
            expected = criterion.value(context)
        assert scores[3] == pytest.approx(expected, rel=1e-8)
    else:
        assert abs(scores[3]) <= 1e-13 * np.abs(scores).max()


@pytest.mark.parametrize(
    ("name", "criterion"),
    [
        ("weight", WeightNorm()),
        ("weight-first-order", WeightNorm(order=1)),
        ("radius-margin", RadiusMargin()),
        ("radius-margin-first-order", RadiusMargin(order=1)),
        ("span", Span()),
        ("span-first-order", Span(order=1)),
    ],
)
def test_short_names(name: str, criterion) -> None:
    assert resolve_criterion(name) == criterion
