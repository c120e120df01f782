"""Threads that compute while Python ends, and computations that are asked to end early."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

from svsieve.kernels import Linear, Rbf
from svsieve.machines import CSvm, solve
from svsieve.native import Cancellation, Cancelled, cancellation_of_thread, core, listening

X = np.random.default_rng(0).normal(size=(60, 5))

# Two threads that nobody joins are between Python and the core all the time.
ABANDONED = """
import threading
import time
import numpy as np
from svsieve.kernels import Rbf
X = np.random.default_rng(0).normal(size=(700, 30))
begun = threading.Barrier(3)
def work():
    begun.wait()
    while True:
        Rbf(0.1).gram(X)
for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
begun.wait()
time.sleep(0.05)
"""


def test_threads_that_still_compute_do_not_abort_the_process():
    ended = subprocess.run([sys.executable, "-c", ABANDONED], capture_output=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_the_core_still_works_while_python_ends():
    script = (
        "import atexit, numpy as np\n"
        "atexit.register(lambda: print(Rbf(0.1).gram(np.eye(2)).shape))\n"
        "from svsieve.kernels import Rbf\n"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=60)
    assert (ended.returncode, ended.stdout.split()) == (0, [b"(2,", b"2)"])


def test_what_listens_is_cancelled_and_nothing_else():
    own = Cancellation()
    with listening(own):
        Linear().gram(X)
        own.cancel()
        with pytest.raises(Cancelled):
            Linear().gram(X)
    assert Linear().gram(X).shape == (60, 60)


def test_what_is_inside_is_cancelled_with_it():
    outer = Cancellation()
    inner = Cancellation(outer)
    inmost = Cancellation(inner)
    del inner  # kept alive by the one inside
    outer.cancel()
    assert inmost.asked()
    with listening(inmost), pytest.raises(Cancelled):
        Linear().gram(X)


def test_another_thread_is_not_cancelled():
    own, found = Cancellation(), []
    own.cancel()
    with listening(own):
        thread = threading.Thread(target=lambda: found.append(Linear().gram(X).shape))
        thread.start()
        thread.join()
    assert found == [(60, 60)]


def test_what_was_listened_to_before_is_listened_to_again():
    outer, inner = Cancellation(), Cancellation()
    with listening(outer):
        with listening(inner):
            assert cancellation_of_thread() is inner
        assert cancellation_of_thread() is outer


def test_a_computation_under_way_is_left():
    """A program that pair steps alone would take minutes for."""
    rows = np.random.default_rng(0).normal(size=(2000, 3))
    gram = Rbf(1.0).gram(rows)
    problem = CSvm(C=1e8).problem(np.ones(2000), labels=np.where(np.arange(2000) % 2, 1.0, -1.0))
    own = Cancellation()
    timer = threading.Timer(0.2, own.cancel)
    timer.start()
    with listening(own), pytest.raises(Cancelled):
        solve(problem, gram, tol=1e-12, polish=False, max_iter=10**9)
    timer.join()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a POSIX system")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_child_has_no_threads_of_its_parent():
    ended = threading.Event()

    def work():
        while not ended.is_set():
            Rbf(0.1).gram(np.resize(X, (600, 5)))

    thread = threading.Thread(target=work)
    thread.start()
    seen = set()
    while 1 not in seen:  # until it is caught inside
        seen.add(core.threads_inside())
        child = os.fork()
        if child == 0:
            os._exit(core.threads_inside())
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    ended.set()
    thread.join()
