"""Our SVC against the exact solution and scikit-learn's, on real data."""

from __future__ import annotations

import pytest

from tests.agreement import tables
from tests.agreement.compare_with_sklearn import KERNELS, PENALTIES, Comparison, compare


@pytest.fixture(
    scope="module",
    params=[(n, k, C) for n in tables.NAMES for k in KERNELS for C in PENALTIES],
    ids=lambda p: f"{p[0]}-{p[1]}-C={p[2]:g}",
)
def comparison(request) -> Comparison:
    try:
        return compare(*request.param)
    except tables.MissingDataError as missing:
        pytest.skip(str(missing))


def test_agreement(comparison: Comparison) -> None:
    assert comparison.reference_gap < 1e-11  # else the reference cannot judge
    assert comparison.from_reference < 1e-8
    assert comparison.from_peer < 10
    assert comparison.objective_excess < 1e-12
