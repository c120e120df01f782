"""A small table, and proof that a refusal comes before any computing."""

import numpy as np
import pytest

from svsieve import SVC, kernels
from svsieve.estimators import pair_solving as module


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(12, 3))


@pytest.fixture
def y():
    return np.array([0, 1] * 6)


def computed(*args, **kwargs):
    raise AssertionError("something was computed before the refusal")


@pytest.fixture
def no_solving(monkeypatch):
    """Make any solver step a failure of the test."""
    monkeypatch.setattr(module, "solve", computed)


@pytest.fixture
def no_computing(monkeypatch, no_solving):
    """Make any kernel value and any solver step a failure of the test."""
    for kernel in (kernels.Rbf, kernels.Linear, kernels.Polynomial, kernels.Laplace):
        for method in ("gram", "cross", "diagonal"):
            monkeypatch.setattr(kernel, method, computed)


@pytest.fixture
def refused():
    """Return a function that fits and expects an error with the given message."""

    def check(message, X, y, *, error=ValueError, sample_weight=None, **parameters):
        with pytest.raises(error, match=message):
            SVC(**parameters).fit(X, y, sample_weight=sample_weight)

    return check
