"""scikit-learn's own checks of `Sieve`."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from svsieve import Sieve


# Many checks use labels that have nothing to do with the rows, and say nothing about warnings.
@pytest.mark.filterwarnings("ignore:Sieve")
@parametrize_with_checks([Sieve()])
def test_conventions_of_scikit_learn(estimator, check):
    check(estimator)
