"""The time that a search may take."""

from __future__ import annotations

from itertools import count

import pytest

from svsieve.estimators.sieving import clock as module
from svsieve.estimators.sieving.clock import Clock, OutOfTimeError


@pytest.fixture
def seconds(monkeypatch):
    """A clock that goes on by a second each time it is looked at."""
    ticks = count()
    monkeypatch.setattr(module.time, "monotonic", lambda: float(next(ticks)))


@pytest.mark.usefixtures("seconds")
def test_a_part_ends_before_the_whole_and_gives_the_rest_back():
    clock = Clock(100.0)
    with clock.part(0.1):  # of 98: two seconds have passed when it is reckoned
        assert clock.left() < 10.0
        for _ in range(10):
            clock.spent()
        with pytest.raises(OutOfTimeError):
            clock.check()
    assert 80.0 < clock.left() < 90.0


@pytest.mark.usefixtures("seconds")
def test_the_rest_is_given_back_where_a_part_fails():
    clock = Clock(100.0)
    with pytest.raises(ValueError, match="broken"), clock.part(0.01):
        raise ValueError("broken")
    assert clock.left() > 90.0


def test_without_a_limit_a_part_has_none():
    clock = Clock()
    with clock.part(0.01):
        clock.check()
    assert not clock.limited
