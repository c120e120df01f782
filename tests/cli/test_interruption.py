"""The clock of a run that has a time limit: set inside, off afterwards, and what is said."""

import signal
import time

import pytest

pytest.importorskip("typer")

from svsieve.cli.interruption import RunInterruptedError, resumable


@pytest.fixture(autouse=True)
def no_alarm_left():
    before = signal.getsignal(signal.SIGALRM)
    yield
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) == before


def test_the_alarm_is_set_inside_and_off_afterwards():
    with resumable(None, 60.0):
        left, again = signal.getitimer(signal.ITIMER_REAL)
        assert 0.0 < left <= 60.0
        assert again > 0.0  # where the first was lost


def test_without_a_limit_there_is_no_alarm():
    before = signal.getsignal(signal.SIGALRM)
    with resumable(None):
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
        assert signal.getsignal(signal.SIGALRM) == before


def test_the_alarm_is_off_after_an_error_too():
    with pytest.raises(ZeroDivisionError), resumable(None, 60.0):
        raise ZeroDivisionError


@pytest.mark.parametrize(
    ("checkpoint", "kept"),
    [
        (None, "nothing is kept; with --checkpoint FILE it could go on where it was."),
        ("run.db", "what is done is kept in 'run.db', and the same command goes on from there."),
    ],
)
def test_the_end_is_told_with_what_is_kept(checkpoint, kept):
    with pytest.raises(RunInterruptedError) as said, resumable(checkpoint, 0.01):
        time.sleep(60.0)
    assert str(said.value) == f"the time limit of 0.01 s is over; {kept}"
    with pytest.raises(RunInterruptedError) as said, resumable(checkpoint, 60.0):
        raise KeyboardInterrupt
    assert str(said.value) == f"interrupted; {kept}"
