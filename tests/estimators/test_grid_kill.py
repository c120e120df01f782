"""Grids that are killed, and grids that several processes work on."""

import os
import signal
import time
from pathlib import Path as FilePath

import numpy as np
import pytest

from svsieve import RunStore
from tests.forks import Server

KILLS = 10
SERVER = FilePath(__file__).with_name("grid_server.py")

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a POSIX system")


@pytest.fixture(scope="module")
def server():
    server = Server(SERVER)
    yield server
    server.close()


def done(file):
    if not file.exists():
        return set()
    with RunStore(file) as store:
        return set(store.done())


def lines(log):
    """The cells that were begun, in order, without the number of the process."""
    text = log.read_text() if log.exists() else ""
    return [line.split(" ", 1)[1] for line in text.splitlines()]


@pytest.mark.parametrize("case", ["plain", "seeded"])
def test_a_grid_killed_ten_times_ends_with_the_same_table(server, tmp_path, case):
    names = ("whole.json", "result.json", "whole.db", "grid.db", "whole.log", "grid.log")
    whole, result, unbroken, store, whole_log, log = (tmp_path / name for name in names)
    rng = np.random.default_rng(1)
    begun = time.perf_counter()
    run = server.ask(case, unbroken, whole, whole_log)
    assert server.ask("wait", run) == 0
    span = 1.2 * (time.perf_counter() - begun) / KILLS

    finished = [0]
    for _ in range(KILLS):
        run = server.ask(case, store, result, log)
        time.sleep(float(rng.uniform(0.0, 2.0 * span)))
        os.kill(run, signal.SIGKILL)
        assert server.ask("wait", run) in (0, -signal.SIGKILL)
        finished.append(len(done(store)))
    run = server.ask(case, store, result, log)
    assert server.ask("wait", run) == 0

    assert result.read_text() == whole.read_text()
    assert finished == sorted(finished)
    assert finished[-1] > 0, "no run lived long enough to finish a cell"
    # A cell is begun again only where it was not finished: at most one for each run killed.
    assert set(lines(log)) == set(lines(whole_log))
    assert len(lines(log)) <= len(lines(whole_log)) + KILLS
    assert len(lines(whole_log)) == len(done(store)) == 12


@pytest.mark.parametrize("case", ["plain", "seeded"])
def test_two_processes_do_each_cell_once(server, tmp_path, case):
    names = ("one.json", "two.json", "grid.db", "grid.log")
    first, second, store, log = (tmp_path / name for name in names)
    runs = [server.ask(case, store, result, log) for result in (first, second)]
    assert [server.ask("wait", run) for run in runs] == [0, 0]
    assert first.read_text() == second.read_text()
    assert len(lines(log)) == len(set(lines(log))) == 12
    workers = {line.split()[0] for line in log.read_text().splitlines()}
    assert workers <= {str(run) for run in runs}
    if case == "plain":  # it takes long enough for both to have had a share
        assert len(workers) == 2


def test_the_cell_of_a_process_that_was_killed_is_taken_over(server, tmp_path):
    first, second, store, log = (tmp_path / name for name in ("1.json", "2.json", "g.db", "g.log"))
    runs = [server.ask("plain", store, result, log) for result in (first, second)]
    while not done(store):
        time.sleep(0.005)
    os.kill(runs[0], signal.SIGKILL)
    # It is not waited for: to the other one it is a process that still has a number.
    assert server.ask("wait", runs[1]) == 0
    assert server.ask("wait", runs[0]) in (0, -signal.SIGKILL)
    assert len(done(store)) == 12
    assert len(lines(log)) in (12, 13)
