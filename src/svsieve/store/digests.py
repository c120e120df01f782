"""What tells the data and the options of one run from those of another."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

from svsieve.arrays import Table


def digest(chunks: Iterable[Any]) -> str:
    """Return the SHA-256 of bytes that come in chunks.

    Examples
    --------
    >>> from svsieve.store.digests import described, digest
    >>> digest(described({"C": 1.0})) == digest(described({"C": 2.0}))
    False
    """
    total = hashlib.sha256()
    for chunk in chunks:
        total.update(chunk)
    return total.hexdigest()


def table_bytes(X: Table) -> Iterator[Any]:
    """Yield the bytes of a table, dense or CSR."""
    if sp.issparse(X):
        yield f"csr {X.shape}".encode()
        for vector in (X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)):
            yield from array_bytes(vector)
    else:
        yield from array_bytes(X)


def array_bytes(values: np.ndarray[Any, Any]) -> Iterator[Any]:
    """Yield the type, the shape and the bytes of an array."""
    yield f"{values.dtype.str} {values.shape} ".encode()
    yield np.ascontiguousarray(values).reshape(-1).view(np.uint8).data


def described(value: Any) -> Iterator[Any]:
    """Yield bytes that are the same for equal parts, also in another process.

    `repr` shortens long arrays and may show addresses, so objects are told by their fields.
    """
    if isinstance(value, np.ndarray):
        yield from array_bytes(value)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        yield from described((type(value).__qualname__, fields))
    elif isinstance(value, Mapping):
        yield b"{"
        for key, entry in value.items():
            yield from described((key, entry))
        yield b"}"
    elif isinstance(value, list | tuple):
        yield b"("
        for entry in value:
            yield from described(entry)
            yield b","
        yield b")"
    elif isinstance(value, type) or (callable(value) and hasattr(value, "__qualname__")):
        yield f"{value.__module__}.{value.__qualname__}".encode()
    elif hasattr(value, "__dict__"):
        yield from described((type(value).__qualname__, vars(value)))
    else:
        yield f"{type(value).__name__} {value!r}".encode()
