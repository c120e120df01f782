"""Ctrl-C while folds are worked on side by side ends everything, and Python as it always ends."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

# Prints a line when the fit is about to begin, and one when the interrupt has reached its caller.
SCRIPT = """
import signal, sys
import joblib, numpy as np
from svsieve import SVC, Grid, SVMRFECV, evaluate
signal.signal(signal.SIGINT, signal.default_int_handler)
backend, what = sys.argv[1:]
X, y = np.random.default_rng(0).normal(size=(80, 150)), np.arange(80) % 2
selectors = {
    "SVMRFECV": lambda: SVMRFECV(SVC(), cv=6, n_jobs=2).fit(X, y),
    "Grid": lambda: Grid(SVC(), {"C": [1.0, 2.0, 4.0, 8.0]}, cv=3, n_jobs=2).fit(X, y),
    "evaluate": lambda: evaluate(SVMRFECV(SVC(), cv=3), X, y, cv=4, n_jobs=2),
}
print("begun", flush=True)
try:
    with joblib.parallel_config(backend=backend):
        while True:
            selectors[what]()
except KeyboardInterrupt:
    print("caught", flush=True)
    sys.exit(130)
"""


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize(
    ("backend", "what", "seconds"),
    [
        ("threading", "SVMRFECV", 0.25),
        ("threading", "SVMRFECV", 0.6),
        ("threading", "Grid", 0.4),
        ("threading", "evaluate", 0.4),
        ("loky", "SVMRFECV", 1.2),
    ],
)
def test_ctrl_c_ends_everything(backend, what, seconds, tmp_path):
    run = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, backend, what],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=os.environ | {"TMPDIR": str(tmp_path), "JOBLIB_TEMP_FOLDER": str(tmp_path)},
    )
    assert run.stdout.readline() == "begun\n"
    time.sleep(seconds)
    os.killpg(run.pid, signal.SIGINT)
    out, err = run.communicate(timeout=60)
    assert (run.returncode, out) == (130, "caught\n"), err
    assert "terminate called" not in err
    end = time.monotonic() + 20.0
    while (left := [*processes_of(run.pid), *tmp_path.iterdir()]) and time.monotonic() < end:
        time.sleep(0.05)
    assert not left


def processes_of(session):
    """The processes of a session, without those that only wait to be reaped."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            state, _, _, own, *_ = (folder / "stat").read_text().rpartition(")")[2].split()
        except (OSError, ValueError):
            continue
        if own == str(session) and state != "Z":
            found.append(folder.name)
    return found
