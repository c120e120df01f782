"""A run that is killed again and again ends with the ranking of one that is not."""

import os
import signal
import time
from pathlib import Path as FilePath

import numpy as np
import pytest

from svsieve.elimination import Path
from tests.forks import Server

KILLS = 20
SERVER = FilePath(__file__).with_name("killed_run.py")

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a POSIX system")


@pytest.fixture(scope="module")
def server():
    server = Server(SERVER)
    yield server
    server.close()


@pytest.mark.parametrize("case", ["kernel", "linear"])
def test_killed_runs_end_with_the_same_ranking(server, tmp_path, case):
    rng = np.random.default_rng(0)
    whole, result, file = (tmp_path / name for name in ("whole.npz", "result.npz", "run.npz"))
    begun = time.perf_counter()
    server.ask(case, tmp_path / "not_killed.npz", whole)
    assert server.ask("wait") == 0
    span = 0.5 * (time.perf_counter() - begun)  # of the moments: also after much has been done

    steps = []
    for _ in range(KILLS):
        run = server.ask(case, file, result)
        time.sleep(float(rng.uniform(0.0, span)))
        os.kill(run, signal.SIGKILL)
        ended = server.ask("wait")
        assert ended in (0, -signal.SIGKILL)
        if ended == 0:  # it was faster
            _same(whole, result)
            file.unlink()
        elif file.exists():
            steps.append(Path.load(file).n_steps)

    assert server.ask(case, file, result)
    assert server.ask("wait") == 0
    _same(whole, result)
    assert any(steps), "no run lived long enough to leave a step behind"
    assert not list(tmp_path.glob("*.tmp"))


def _same(whole, result):
    with np.load(whole) as expected, np.load(result) as found:
        np.testing.assert_array_equal(found["order"], expected["order"])
        np.testing.assert_array_equal(found["counts"], expected["counts"])
        np.testing.assert_allclose(found["scores"], expected["scores"], rtol=1e-3)
