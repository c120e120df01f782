"""Which process has claimed something, and whether it is still there."""

from __future__ import annotations

import os
import socket
from pathlib import Path as FilePath


def this_process() -> str:
    """Return the machine, the number and the time of birth of this process, as text."""
    return f"{socket.gethostname()} {os.getpid()} {_birth(os.getpid())}"


def is_gone(owner: str) -> bool:
    """Tell whether the process that `this_process` names, first in a text, is known to be gone.

    That of another machine cannot be known.

    Examples
    --------
    >>> from svsieve.store.owners import is_gone, this_process
    >>> is_gone(this_process())
    False
    """
    host, number, birth, *_ = owner.split(" ")
    return host == socket.gethostname() and _birth(int(number)) != birth


def _birth(number: int) -> str | None:
    """When a process was born, in ticks of the clock; None if there is no such process.

    Numbers of processes are given out again, so the number alone does not say who it is. Where the
    system does not tell, it has to.
    """
    status = FilePath(f"/proc/{number}/stat")
    if FilePath("/proc/self/stat").exists():
        try:
            # The name of the program, in parentheses, may hold anything.
            fields = status.read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            return None
        dead = fields[0] in ("Z", "X")  # waiting to be buried
        return None if dead else fields[19]
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        pass
    return "-"
