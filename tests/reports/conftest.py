"""Reports that take a second to make, made once."""

import pytest

from tests.reports import made


@pytest.fixture(scope="session")
def breast_cancer():
    return made.breast_cancer()


@pytest.fixture(scope="session")
def hostile():
    return made.hostile()


@pytest.fixture(scope="session")
def wide():
    return made.wide()
