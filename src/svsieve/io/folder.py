"""A folder of results that is there as a whole or not at all."""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path as FilePath

MANIFEST = "manifest.json"


@contextmanager
def whole_folder(folder: str | os.PathLike[str]) -> Iterator[FilePath]:
    """Write a folder beside its place and move it there when all of it is written.

    Results that were there are replaced then. Whatever goes wrong before leaves everything as it
    was.

    Parameters
    ----------
    folder : str or path
        As :func:`check_folder` allows it.

    Yields
    ------
    Path
        The folder to write to.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from svsieve.io import whole_folder
    >>> with TemporaryDirectory() as place:
    ...     with whole_folder(Path(place, "results")) as folder:
    ...         _ = Path(folder, "a.txt").write_text("a")
    ...     [file.name for file in Path(place, "results").iterdir()]
    ['a.txt']
    """
    target = check_folder(folder)
    half_done = _beside(target)
    half_done.mkdir()
    try:
        yield half_done
        for file in half_done.iterdir():
            _sync(file)
        _sync(half_done)
        _move(half_done, target)
    finally:
        shutil.rmtree(half_done, ignore_errors=True)


def check_folder(folder: str | os.PathLike[str]) -> FilePath:
    """Return the folder to be written, refusing one that holds what svsieve did not write."""
    target = FilePath(folder).absolute()
    if not target.parent.is_dir():
        raise ValueError(f"The folder {str(target.parent)!r}, for the results, does not exist.")
    if target.exists() and not target.is_dir():
        raise ValueError(f"{str(folder)!r} is a file; the results need a folder.")
    if target.is_dir():
        foreign = sorted({file.name for file in target.iterdir()} - _written(target))
        if foreign:
            raise ValueError(
                f"The folder {str(folder)!r} holds {foreign[0]!r}, which is no result of svsieve "
                "and would be lost; name another folder."
            )
    if not os.access(target.parent, os.W_OK):
        raise ValueError(f"The folder {str(target.parent)!r} cannot be written to.")
    return target


def _written(folder: FilePath) -> set[str]:
    """The files that the manifest of a folder of results names, and itself."""
    try:
        files = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["files"]
    except (OSError, ValueError, KeyError, TypeError):
        return set()
    return {MANIFEST, *files}


def _move(new: FilePath, target: FilePath) -> None:
    if not target.exists():
        new.rename(target)
        return
    old = _beside(target)
    target.rename(old)
    try:
        new.rename(target)
    except OSError:
        old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _beside(target: FilePath) -> FilePath:
    return target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")


def _sync(path: FilePath) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
