"""Files and folders on their way to being there: named beside their place, and swept after a crash.

What is written bears the name of what it will be, eight hexadecimal digits and ``.tmp``. Whoever is
killed leaves it behind; the next one to write to the same place removes it.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

# SQLite may have had files of its own beside a store.
_ENDINGS = ("", "-journal", "-wal", "-shm")


@contextmanager
def beside(target: Path, *, hidden: bool = False, is_folder: bool = False) -> Iterator[Path]:
    """Make a file or folder beside a target, which is to take its place and is else removed.

    As long as the block lasts no other process sweeps it.
    """
    path, handle = _begun(target, hidden, is_folder)
    try:
        yield path
    finally:
        _remove_all(path)
        os.close(handle)


def _begun(target: Path, hidden: bool, is_folder: bool) -> tuple[Path, int]:
    while True:
        name = f"{'.' * hidden}{target.name}.{secrets.token_hex(4)}.tmp"
        path = target.with_name(name)
        if is_folder:
            path.mkdir()
        else:
            path.touch(exist_ok=False)
        try:
            handle = os.open(path, os.O_RDONLY)
        except FileNotFoundError:
            continue  # it was swept before it could be locked
        _taken(handle, wait=True)
        if path.exists():
            return path, handle
        os.close(handle)


@contextmanager
def one_at_a_time(folder: Path) -> Iterator[None]:
    """Wait until no other process is in such a block with the same folder."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        _taken(handle, wait=True)
        yield
    finally:
        os.close(handle)


def sweep(target: Path) -> None:
    """Remove what killed processes left half done of a target; what is being written stays."""
    ours = re.compile(rf"(\.?{re.escape(target.name)}\.[0-9a-f]{{8}}\.tmp)({'|'.join(_ENDINGS)})")
    with suppress(OSError):
        for sibling in list(target.absolute().parent.iterdir()):
            found = ours.fullmatch(sibling.name)
            if found is not None:
                _remove_if_free(sibling.with_name(found[1]), found[2])


def _remove_if_free(path: Path, ending: str) -> None:
    """Remove what nobody holds; files of SQLite's go with theirs, or when that has gone."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except FileNotFoundError:
        remove(path.with_name(path.name + ending))
        return
    except OSError:  # a link, or what may not be read: none of ours
        return
    try:
        if _taken(handle, wait=False):
            _remove_all(path)
    finally:
        os.close(handle)


def _remove_all(path: Path) -> None:
    for ending in _ENDINGS:
        remove(path.with_name(path.name + ending))


def remove(path: Path) -> None:
    """Remove a file, or a folder with the files in it; folders inside one stay, and so does it."""
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            for file in list(path.iterdir()):
                with suppress(OSError):
                    file.unlink()
            path.rmdir()
        else:
            path.unlink()


def sync(path: Path) -> None:
    """See to it that a file, or the names in a folder, are on the disk.

    Not every file system knows how to do that for a folder.
    """
    handle = os.open(path, os.O_RDONLY)
    try:
        with suppress(OSError) if path.is_dir() else nullcontext():
            os.fsync(handle)
    finally:
        os.close(handle)


def _taken(handle: int, *, wait: bool) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True
