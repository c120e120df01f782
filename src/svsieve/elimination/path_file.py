"""Paths as files: arrays and one JSON text in an npz archive, nothing that runs when read."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path as FilePath
from typing import IO, Any, TypeVar

import numpy as np
import numpy.typing as npt

from svsieve.elimination.stretch import EngineState, Solution
from svsieve.half_done import beside

FORMAT = 1
STEP_ARRAYS = ("counts", "following", "kkt_gap", "accuracy", "seconds", "tied", "resolution")
COLUMN_ARRAYS = ("dropped", "scores", "survivors", "survivor_scores")
FACTS = (
    "n_columns",
    "column_names",
    "engine",
    "stopped",
    "final_accuracy",
    "final_kkt_gap",
    "notes",
)
# Entries that files of version 0.1.0 do not have.
LATER = frozenset({"resolution", "final_kkt_gap"})

# Kinds of numpy's dtypes: whole numbers, truth values; all other arrays hold floats.
KINDS = {"counts": "i", "dropped": "i", "survivors": "i", "tied": "b"}
FACT_TYPES: dict[str, tuple[type, ...]] = {
    "n_columns": (int,),
    "column_names": (list, type(None)),
    "engine": (str,),
    "stopped": (str,),
    "final_accuracy": (float, int),
    "final_kkt_gap": (float, int),
    "notes": (dict,),
}

STATE = "state "  # begins the names of arrays that an engine goes on from

# An archive beyond this size is not compressed: numbers of full precision hardly shrink.
MOST_COMPRESSED = 1 << 22

Solutions = tuple[tuple[Solution, ...], ...]
Arrays = Mapping[str, npt.NDArray[Any]]
T = TypeVar("T")

# A file by its name, or one that is open for bytes.
File = str | os.PathLike[str] | IO[bytes]


def write_path(file: File, path: Any, state: EngineState | None = None) -> None:
    """Write a path, and what its engine goes on from where that is given."""
    facts = {name: getattr(path, name) for name in FACTS}
    arrays = {name: getattr(path, name) for name in STEP_ARRAYS + COLUMN_ARRAYS}
    if path.solutions is not None:
        arrays |= pack_solutions(path.solutions)
    if path.final_solutions is not None:
        arrays |= pack_solutions((path.final_solutions,), "final_")
    write_archive(file, facts, arrays | {STATE + key: v for key, v in (state or {}).items()})


def read_path(file: File, make: Callable[..., T]) -> tuple[T, EngineState | None]:
    """Return a path, made from its fields, and the state of its engine if there is one.

    Raises
    ------
    ValueError
        With the name of the file, if it is not one of `write_path` or is damaged.
    """
    facts, arrays = read_archive(file)
    try:
        fields: dict[str, Any] = {
            name: _checked(name, arrays[name])
            for name in STEP_ARRAYS + COLUMN_ARRAYS
            if name in arrays or name not in LATER
        }
        for name in FACTS:
            if name in facts or name not in LATER:
                fields[name] = facts[name]
                if not isinstance(facts[name], FACT_TYPES[name]):
                    raise ValueError(f"{name} is {facts[name]!r}")
        fields["solutions"] = unpack_solutions(arrays)
        final = unpack_solutions(arrays, "final_")
        fields["final_solutions"] = None if final is None else final[0]
        path = make(**fields)
    except MemoryError:
        raise
    except Exception as error:  # key, dtype, length: whatever a damaged file leads to
        raise _damaged(file, error) from error
    state = {key[len(STATE) :]: v for key, v in arrays.items() if key.startswith(STATE)}
    return path, state or None


def _checked(name: str, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if array.ndim != 1 or array.dtype.kind != KINDS.get(name, "f"):
        raise ValueError(f"{name} is an array of {array.ndim} dimensions and dtype {array.dtype}")
    return array


def write_archive(file: File, facts: Mapping[str, Any], arrays: Arrays) -> None:
    """Write facts and arrays; a file given by name is the old or the new one at any moment."""
    for name, array in arrays.items():
        if array.dtype.hasobject:  # numpy would pickle it
            raise ValueError(f"{name} must hold numbers. Got dtype {array.dtype}.")
    text = json.dumps({"format": FORMAT, **facts}, default=_plain)
    packed = np.frombuffer(text.encode(), dtype=np.uint8)
    small = sum(array.nbytes for array in arrays.values()) <= MOST_COMPRESSED
    save: Any = np.savez_compressed if small else np.savez
    if not isinstance(file, str | os.PathLike):
        save(file, facts=packed, **arrays)
        return
    target = FilePath(file)
    with beside(target) as half_done:
        with half_done.open("wb") as handle:
            save(handle, facts=packed, **arrays)
            handle.flush()
            os.fsync(handle.fileno())
        half_done.replace(target)


def read_archive(file: File) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Read what `write_archive` wrote, refusing anything else by the name of the file."""
    with _opened(file) as handle:
        try:
            with np.load(handle, allow_pickle=False) as archive:
                arrays = {name: archive[name] for name in archive.files}
            facts = json.loads(arrays.pop("facts").tobytes())
            version = facts.pop("format")
        except MemoryError:
            raise
        except Exception as error:  # zip, JSON, dtype, key: whatever a damaged file leads to
            if isinstance(error, OSError) and error.errno is not None:  # of the disk, not the file
                raise
            raise _damaged(file, error) from error
    if version != FORMAT:
        raise ValueError(f"{name_of(file)} has format {version!r}; this version reads {FORMAT}.")
    return facts, arrays


def _damaged(file: File, error: Exception) -> ValueError:
    said = str(error) or type(error).__name__
    return ValueError(f"{name_of(file)} is damaged or is no path of svsieve ({said}).")


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


def pack_solutions(solutions: Solutions, prefix: str = "") -> dict[str, npt.NDArray[Any]]:
    """Lay the solutions of all steps end to end."""
    flat = [solution for step in solutions for solution in step]
    packed = {
        "problems": np.array([len(step) for step in solutions], dtype=np.int64),
        "sizes": np.array([len(solution.rows) for solution in flat], dtype=np.int64),
        "offsets": np.array([solution.offset for solution in flat], dtype=np.float64),
        "rows": np.concatenate(
            [np.empty(0, dtype=np.int64), *(solution.rows for solution in flat)]
        ),
        "values": np.concatenate([np.empty(0), *(solution.values for solution in flat)]),
    }
    return {f"{prefix}solution_{name}": array for name, array in packed.items()}


def unpack_solutions(arrays: Arrays, prefix: str = "") -> Solutions | None:
    """Take apart what `pack_solutions` laid end to end; None where there is nothing."""
    begin = f"{prefix}solution_"
    if begin + "problems" not in arrays:
        return None
    problems, sizes, rows = (arrays[begin + name] for name in ("problems", "sizes", "rows"))
    offsets, values = arrays[begin + "offsets"], arrays[begin + "values"]
    for array, kind in ((problems, "i"), (sizes, "i"), (rows, "i"), (offsets, "f"), (values, "f")):
        if array.ndim != 1 or array.dtype.kind != kind:
            raise ValueError(f"solutions hold an array of dtype {array.dtype}")
    if (sizes < 0).any() or not (sizes.sum() == len(rows) == len(values)):
        raise ValueError("solutions have other lengths than they say")
    if len(sizes) != len(offsets) or (problems < 0).any() or problems.sum() != len(sizes):
        raise ValueError("solutions are not as many as they say")
    ends = np.cumsum(sizes)[:-1]
    flat = iter(
        Solution(*one)
        for one in zip(np.split(rows, ends), np.split(values, ends), offsets.tolist(), strict=False)
    )
    return tuple(tuple(next(flat) for _ in range(count)) for count in problems.tolist())
