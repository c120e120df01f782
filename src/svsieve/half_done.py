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
from contextlib import contextmanager, suppress
from pathlib import Path

# SQLite may have had files of its own beside a store.
_ENDING = r"\.[0-9a-f]{8}\.tmp(-journal|-wal|-shm)?"


def beside(target: Path, *, hidden: bool = False) -> Path:
    """Return a new name in the folder of a target, for what is to take its place."""
    return target.with_name(f"{'.' * hidden}{target.name}.{secrets.token_hex(4)}.tmp")


@contextmanager
def locked(path: Path) -> Iterator[bool]:
    """Hold the lock of a file or folder, which ends with the process; tells whether it was free.

    Where there are no such locks it is taken for free.
    """
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:
        yield True
        return
    try:
        yield _taken(handle, wait=False)
    finally:
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
    ours = re.compile(r"\.?" + re.escape(target.name) + _ENDING)
    with suppress(OSError):
        for sibling in list(target.absolute().parent.iterdir()):
            if ours.fullmatch(sibling.name):
                with locked(sibling) as free:
                    if free:
                        remove(sibling)


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
    """See to it that a file, or the names in a folder, are on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
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
