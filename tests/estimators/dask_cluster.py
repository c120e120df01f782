"""A dask cluster of two processes, of which one is killed when the first result is kept."""

import os
import signal
import threading
import time
from contextlib import contextmanager

import joblib
import pytest

from svsieve import RunStore


@contextmanager
def cluster_that_loses_a_worker(file):
    """Let joblib use the cluster; kill a worker once the store has a result.

    Yields a list that says, afterwards, how many results there were when the worker was killed.
    """
    distributed = pytest.importorskip("dask.distributed")
    killed = []

    def kill(process):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if file.exists():
                with RunStore(file) as store:
                    n_done = len(store.done())
                if n_done:
                    os.kill(process, signal.SIGKILL)
                    killed.append(n_done)
                    return
            time.sleep(0.01)

    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        numbers = client.run(os.getpid)
        assert len(set(numbers.values()) | {os.getpid()}) == 3
        killer = threading.Thread(target=kill, args=(next(iter(numbers.values())),))
        killer.start()
        with joblib.parallel_backend("dask"):
            yield killed
        killer.join()
