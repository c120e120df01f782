"""Runs side by side: one that fails ends them all with its own exception, and is named."""

import os
import pickle
import signal
import threading
import time
import traceback

import joblib
import numpy as np
import pytest

from svsieve.kernels import Linear
from svsieve.selection import runs
from svsieve.selection.runs import _Failure, finished, results

BACKENDS = ["sequential", "loky", "threading", "multiprocessing"]
FREE = threading.Event()


class OddError(Exception):
    """One that cannot be made again from its arguments, which pickle tries."""

    def __init__(self, code, place):
        super().__init__(f"code {code} at {place}")


def inverse(number):
    return 1 / number


def odd():
    raise OddError(7, "the end")


def fails_after(sign):
    while not sign.exists():
        time.sleep(0.01)
    inverse(0)


def waits(seconds):
    FREE.wait(seconds)


def named(*numbers):
    return [(f"job {k}", (inverse, (number,))) for k, number in enumerate(numbers)]


def run_at_a_time(backend):
    return 1 if backend == "sequential" else 2


@pytest.mark.parametrize("backend", BACKENDS)
def test_results_come_in_the_order_of_the_jobs(backend):
    with joblib.parallel_config(backend=backend):
        found = results(named(1, 2, 4, 5, 8), run_at_a_time(backend))
    assert found == [1.0, 0.5, 0.25, 0.2, 0.125]


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_exception_of_a_job_is_raised_and_says_which_it_was(backend):
    with (
        joblib.parallel_config(backend=backend),
        pytest.raises(ZeroDivisionError) as caught,
    ):
        results(named(1, 2, 0, 4, 5), run_at_a_time(backend))
    assert caught.value.__notes__ == ["This happened in job 2."]
    shown = "".join(traceback.format_exception(caught.value))
    assert "return 1 / number" in shown, "the line that raised is not shown"


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_exception_that_does_not_travel_is_told(backend):
    jobs = [("job 0", (inverse, (1,))), ("job 1", (odd, ()))]
    with joblib.parallel_config(backend=backend), pytest.raises(Exception, match="code 7") as one:
        results(jobs, run_at_a_time(backend))
    if backend in ("sequential", "threading"):
        assert type(one.value) is OddError
    else:  # where dask was imported, tblib teaches pickle to make any exception again
        assert type(one.value) in (OddError, RuntimeError)
    assert "OddError" in "".join(traceback.format_exception(one.value))
    assert one.value.__notes__ == ["This happened in job 1."]


def test_an_exception_with_an_attribute_that_does_not_travel():
    error = ValueError("No.")
    error.lock = threading.Lock()
    arrived = pickle.loads(pickle.dumps(_Failure(error))).error
    assert str(arrived) == "ValueError: No."


def test_without_a_name_there_is_no_note():
    with pytest.raises(ZeroDivisionError) as caught:
        results([("", (inverse, (0,)))], 1)
    assert not hasattr(caught.value, "__notes__")


@pytest.mark.parametrize("backend", ["sequential", "loky", "threading"])
def test_what_was_done_before_the_failure_has_been_told(backend, tmp_path):
    told, sign = [], tmp_path / "go"

    def consume():
        jobs = [*named(1, 2), ("the third", (fails_after, (sign,)))]
        for at, _, result in finished(jobs, run_at_a_time(backend), batch_size=1):
            told.append((at, result))
            if len(told) == 2:
                sign.touch()

    with joblib.parallel_config(backend=backend), pytest.raises(ZeroDivisionError):
        consume()
    assert sorted(told) == [(0, 1.0), (1, 0.5)]


def test_threads_have_ended_when_the_exception_is_raised():
    """Left alone they would go on beside what comes after, and be cut off where Python ends."""
    ended = []

    def slow():
        time.sleep(0.3)
        ended.append(True)

    jobs = [("slow", (slow, ())), ("the second", (inverse, (0,)))]
    with joblib.parallel_config(backend="threading"), pytest.raises(ZeroDivisionError):
        results(jobs, 2)
    assert ended == [True]


def computes(begun, left):
    """Calls the core for 30 seconds, or until it is cancelled."""
    begun.set()
    end = time.monotonic() + 30.0
    try:
        while time.monotonic() < end:
            Linear().gram(np.eye(3))
        left.append("after 30 seconds")
    except BaseException as error:
        left.append(type(error).__name__)
        raise


@pytest.mark.parametrize("inside", [False, True])
def test_threads_that_compute_have_ended_when_ctrl_c_is_raised(inside):
    begun, left = [threading.Event(), threading.Event()], []
    jobs = [("", (computes, (one, left))) for one in begun]
    if inside:  # one run in another: what cancels the outer one cancels both
        jobs = [("", (results, (jobs, 2))), ("", (abs, (1,)))]

    def press():
        for one in begun:
            one.wait()
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press).start()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with (
            joblib.parallel_config(backend="threading"),
            pytest.raises(KeyboardInterrupt),
        ):
            results(jobs, 2)
    finally:
        signal.signal(signal.SIGINT, before)
    assert left == ["Cancelled", "Cancelled"]
    assert not runs._working


def test_a_job_that_fails_cancels_those_that_compute():
    begun, left = threading.Event(), []

    def fails():
        begun.wait()
        inverse(0)

    jobs = [("", (computes, (begun, left))), ("the other", (fails, ()))]
    with joblib.parallel_config(backend="threading"), pytest.raises(ZeroDivisionError):
        results(jobs, 2)
    assert left == ["Cancelled"]


def test_a_job_that_comes_late_is_not_begun():
    called = []
    with joblib.parallel_config(backend="threading"):
        begun = finished([("", (abs, (1,)))] * 3, 2, batch_size=1)
        next(begun)
        begun.close()
    run = list(runs._cancellations)[-1]
    _, _, result = runs._timed(run, 7, "", (called.append, (1,)))
    assert not called
    assert isinstance(result, runs._Over)


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_whoever_ends_early_ends_the_others_without_a_warning(backend, monkeypatch):
    """Warnings are errors here; those of joblib on what it cancels would be raised."""
    monkeypatch.setattr(runs, "PATIENCE_SECONDS", 0.1)
    FREE.clear()
    jobs = [("quick", (inverse, (1,))), *[("slow", (waits, (60,)))] * 5]
    with joblib.parallel_config(backend=backend):
        begun = finished(jobs, 2, batch_size=1)
        assert next(begun)[2] == 1.0
        begun.close()
    FREE.set()


@pytest.mark.parametrize("backend", ["loky", "threading"])
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a POSIX system")
def test_ctrl_c_is_heard_while_others_work(backend, monkeypatch):
    """Jobs that do not call the core are not waited for much longer than they would need to."""
    monkeypatch.setattr(runs, "PATIENCE_SECONDS", 0.1)
    FREE.clear()
    told = []

    def consume():
        jobs = [("quick", (inverse, (1,))), *[("slow", (waits, (60,)))] * 5]
        for at, _, _ in finished(jobs, 2, batch_size=1):
            told.append(at)
            threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with joblib.parallel_config(backend=backend), pytest.raises(KeyboardInterrupt):
            consume()
    finally:
        signal.signal(signal.SIGINT, before)
        FREE.set()
    assert told == [0]


def test_rows_arrive_as_they_are():
    rows = np.arange(12.0).reshape(4, 3)
    jobs = [(f"row {k}", (np.sum, (rows[k],))) for k in range(4)]
    assert results(jobs, 2) == rows.sum(axis=1).tolist()


def test_nobody_is_started_for_nothing(monkeypatch):
    monkeypatch.setattr(runs, "Parallel", None)
    assert results([], 2) == []
