"""The native core, ready to use: SciPy's BLAS and LAPACK are handed to it here, once.

The core runs its own threads over blocks of rows and calls BLAS inside them, so BLAS itself has to
stay at one thread meanwhile: two pools on the same cores can be slower than one by a factor of ten.

Threads that are still computing when Python ends, as those of joblib may be after Ctrl-C, are asked
to stop and kept from coming back: Python would end them inside the core, which aborts the process.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from scipy.linalg import cython_blas, cython_lapack
from threadpoolctl import ThreadpoolController

from svsieve import _core as core

core.use_linalg(cython_blas.__pyx_capi__, cython_lapack.__pyx_capi__)


class _OneBlasThread:
    """Limits BLAS while anyone is inside; the limit is global, so the users are counted."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._before: list[tuple[Any, int]] = []

    def __enter__(self) -> None:
        with self._lock:
            if self._inside == 0:
                counts = [(pool, pool.get_num_threads()) for pool in _blas_pools()]
                self._before = [(pool, count) for pool, count in counts if count != 1]
                for pool, _ in self._before:
                    pool.set_num_threads(1)
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                for pool, count in self._before:
                    pool.set_num_threads(count)


@cache
def _blas_pools() -> list[Any]:
    return list(ThreadpoolController().select(user_api="blas").lib_controllers)


_one_blas_thread = _OneBlasThread()


def one_blas_thread() -> _OneBlasThread:
    """Return a context that holds BLAS at one thread; the core's own threads are not touched."""
    return _one_blas_thread


Cancellation = core.Cancellation
Cancelled = core.Cancelled
cancellation_of_thread = core.cancellation_of_thread


@contextmanager
def listening(cancellation: Cancellation) -> Iterator[None]:
    """Let what this thread computes inside raise `Cancelled` once the cancellation is asked for."""
    before = core.listen(cancellation)
    try:
        yield
    finally:
        core.listen(before)


def _end_threads() -> None:
    core.close(others=threading.active_count() > 1)
    while core.threads_inside() > 0:
        time.sleep(0.001)


atexit.register(_end_threads)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=core.open_in_child)

__all__ = [
    "Cancellation",
    "Cancelled",
    "cancellation_of_thread",
    "core",
    "listening",
    "one_blas_thread",
]
