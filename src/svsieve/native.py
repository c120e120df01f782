"""The native core, ready to use: SciPy's BLAS and LAPACK are handed to it here, once.

The core runs its own threads over blocks of rows and calls BLAS inside them, so BLAS itself has to
stay at one thread meanwhile: two pools on the same cores can be slower than one by a factor of ten.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from scipy.linalg import cython_blas, cython_lapack
from threadpoolctl import ThreadpoolController

from svsieve import _core as core

core.use_linalg(cython_blas.__pyx_capi__, cython_lapack.__pyx_capi__)


@cache
def _blas_pools() -> Any:
    return ThreadpoolController().select(user_api="blas")


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold BLAS at one thread; the core's own threads are not touched."""
    with _blas_pools().limit(limits=1):
        yield


__all__ = ["core", "one_blas_thread"]
