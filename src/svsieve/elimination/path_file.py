"""Paths as files: arrays and one JSON text in an npz archive, nothing that runs when read."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path as FilePath
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from svsieve.elimination.stretch import Solution

FORMAT = 1
STEP_ARRAYS = ("counts", "following", "kkt_gap", "accuracy", "seconds", "tied")
COLUMN_ARRAYS = ("dropped", "scores", "survivors", "survivor_scores")
FACTS = ("n_columns", "column_names", "engine", "stopped", "final_accuracy", "notes")

Solutions = tuple[tuple[Solution, ...], ...]

# A file by its name, or one that is open for bytes.
File = str | os.PathLike[str] | IO[bytes]


def write_archive(
    file: File, facts: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]
) -> None:
    """Write facts and arrays; a file given by name is the old or the new one at any moment."""
    for name, array in arrays.items():
        if array.dtype.hasobject:  # numpy would pickle it
            raise ValueError(f"{name} must hold numbers. Got dtype {array.dtype}.")
    text = json.dumps({"format": FORMAT, **facts}, default=_plain)
    packed = np.frombuffer(text.encode(), dtype=np.uint8)
    if not isinstance(file, str | os.PathLike):
        np.savez_compressed(file, facts=packed, **arrays)  # type: ignore[arg-type]
        return
    target = FilePath(file)
    half_done = target.with_name(f"{target.name}.{secrets.token_hex(4)}.tmp")
    try:
        with half_done.open("xb") as handle:
            np.savez_compressed(handle, facts=packed, **arrays)  # type: ignore[arg-type]
            handle.flush()
            os.fsync(handle.fileno())
        half_done.replace(target)
    finally:
        half_done.unlink(missing_ok=True)


def read_archive(file: File) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Read what `write_archive` wrote, refusing anything else by the name of the file."""
    with _opened(file) as handle:
        try:
            with np.load(handle, allow_pickle=False) as archive:
                arrays = {name: archive[name] for name in archive.files}
            facts = json.loads(arrays.pop("facts").tobytes())
            version = facts.pop("format")
        except Exception as error:  # zip, JSON, dtype, key: whatever a damaged file leads to
            raise ValueError(
                f"{name_of(file)} is damaged or is no path of svsieve ({error})."
            ) from error
    if version != FORMAT:
        raise ValueError(f"{name_of(file)} has format {version!r}; this version reads {FORMAT}.")
    return facts, arrays


def _opened(file: File) -> AbstractContextManager[IO[bytes]]:
    return FilePath(file).open("rb") if isinstance(file, str | os.PathLike) else nullcontext(file)


def name_of(file: File) -> str:
    """Return what a file is called in a message."""
    return repr(os.fspath(file)) if isinstance(file, str | os.PathLike) else "The open file"


def _plain(value: Any) -> Any:
    """Numbers and arrays of numpy as JSON knows them."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise TypeError(f"notes must hold plain values. Got {value!r}.")


def pack_solutions(solutions: Solutions) -> dict[str, npt.NDArray[Any]]:
    """Lay the solutions of all steps end to end."""
    flat = [solution for step in solutions for solution in step]
    return {
        "solution_problems": np.array([len(step) for step in solutions], dtype=np.int64),
        "solution_sizes": np.array([len(solution.rows) for solution in flat], dtype=np.int64),
        "solution_offsets": np.array([solution.offset for solution in flat], dtype=np.float64),
        "solution_rows": np.concatenate(
            [np.empty(0, dtype=np.int64), *(solution.rows for solution in flat)]
        ),
        "solution_values": np.concatenate([np.empty(0), *(solution.values for solution in flat)]),
    }


def unpack_solutions(arrays: Mapping[str, npt.NDArray[Any]]) -> Solutions | None:
    """Take apart what `pack_solutions` laid end to end; None where there is nothing."""
    if "solution_problems" not in arrays:
        return None
    ends = np.cumsum(arrays["solution_sizes"])[:-1]
    parts = zip(
        np.split(arrays["solution_rows"], ends),
        np.split(arrays["solution_values"], ends),
        arrays["solution_offsets"].tolist(),
        strict=False,
    )
    flat = iter([Solution(rows, values, offset) for rows, values, offset in parts])
    return tuple(
        tuple(next(flat) for _ in range(count)) for count in arrays["solution_problems"].tolist()
    )
