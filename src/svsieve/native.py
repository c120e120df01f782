"""The native core, ready to use: SciPy's BLAS and LAPACK are handed to it here, once.

The core runs its own threads over blocks of rows and calls BLAS inside them, so BLAS itself has to
stay at one thread meanwhile: two pools on the same cores can be slower than one by a factor of ten.
"""

from __future__ import annotations

from functools import cache
from threading import Lock
from typing import Any

from scipy.linalg import cython_blas, cython_lapack
from threadpoolctl import ThreadpoolController

from svsieve import _core as core

core.use_linalg(cython_blas.__pyx_capi__, cython_lapack.__pyx_capi__)


class _OneBlasThread:
    """Limits BLAS while anyone is inside; the limit is global, so the users are counted."""

    def __init__(self) -> None:
        self._lock = Lock()
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


__all__ = ["core", "one_blas_thread"]
