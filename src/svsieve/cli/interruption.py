"""Runs that end before they are done: by Ctrl-C, or because their time is over."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from joblib import Parallel, delayed, effective_n_jobs

from svsieve import interrupts

REMINDER_SECONDS = 2.0


@contextmanager
def raised() -> Iterator[None]:
    """Let Ctrl-C raise KeyboardInterrupt in a block of the command, and end it afterwards."""
    ours = signal.getsignal(signal.SIGINT) is interrupts.end
    if ours:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        if ours:
            signal.signal(signal.SIGINT, interrupts.end_when_closed)


class RunInterruptedError(Exception):
    """A run that was ended, with a sentence on how it can be taken up again."""


@contextmanager
def resumable(checkpoint: Any, seconds: float | None = None) -> Iterator[None]:
    """End the block when its time is over as Ctrl-C would, and say what is kept then.

    Parameters
    ----------
    checkpoint : path or None
        Where finished parts are kept.
    seconds : float or None
        The time there is; None is no limit.
    """
    kept = (
        f"what is done is kept in {str(checkpoint)!r}, and the same command goes on from there."
        if checkpoint is not None
        else "nothing is kept; with --checkpoint FILE it could go on where it was."
    )
    before: Any = None
    if seconds is not None:
        before = signal.signal(signal.SIGALRM, _time_is_over)
        # Again and again: where Python clears up after objects, the first would not be heard.
        signal.setitimer(signal.ITIMER_REAL, seconds, REMINDER_SECONDS)
    try:
        yield
    except _TimeIsOver:
        raise RunInterruptedError(f"the time limit of {seconds:g} s is over; {kept}") from None
    except KeyboardInterrupt:
        raise RunInterruptedError(f"interrupted; {kept}") from None
    finally:
        if seconds is not None:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            signal.signal(signal.SIGALRM, before)


def start_workers(jobs: int) -> None:
    """Start the processes that joblib will use, deaf to Ctrl-C: this one answers it for all."""
    if effective_n_jobs(jobs) == 1:
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # which children inherit
    try:
        Parallel(n_jobs=jobs)(delayed(abs)(number) for number in range(effective_n_jobs(jobs)))
    finally:
        signal.signal(signal.SIGINT, before)


class _TimeIsOver(KeyboardInterrupt):
    """The clock has rung."""


def _time_is_over(*_: Any) -> None:
    raise _TimeIsOver
