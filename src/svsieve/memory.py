"""How much memory there is, asked before a large table is made.

Linux promises memory it does not have and ends the process that uses it. What cannot fit is refused
before it is begun.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

# Below, nobody asks.
SMALL_BYTES = 64 << 20
# Pages of files count as used by a control group, and can be had back at once.
_KINDS = ("inactive", "active")
_UNITS = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


def check_fits(size: float, what: str, instead: str) -> None:
    """Raise MemoryError, in a sentence, unless so many bytes are available.

    Parameters
    ----------
    size : float
        Bytes at the peak.
    what : str
        What needs them: "The Gram matrix of 5 rows".
    instead : str
        What to do: "Use fewer rows."

    Examples
    --------
    >>> from svsieve.memory import check_fits
    >>> check_fits(1e18, "The Gram matrix of 400,000,000 rows", "Use fewer rows.")
    Traceback (most recent call last):
        ...
    MemoryError: The Gram matrix of 400,000,000 rows needs 1000000 TB of memory, ...
    """
    if size <= SMALL_BYTES:
        return
    left = available_bytes()
    if size > left:
        raise MemoryError(
            f"{what} needs {in_words(size)} of memory, {in_words(left)} are available. {instead}"
        )


def fits(size: float) -> bool:
    """Tell whether so many bytes are available."""
    return size <= SMALL_BYTES or size <= available_bytes()


def available_bytes() -> float:
    """Return how many more bytes this process can use: the least of what all limits leave.

    They are the memory of the machine, swap included, the limits of its control groups (as of a
    container) and those of the process (``ulimit``). Infinite where none is known.

    Examples
    --------
    >>> from svsieve.memory import available_bytes
    >>> available_bytes() > 0
    True
    """
    return max(0.0, min([_of_machine(), *_of_process(), *_of_groups()]))


def in_words(size: float) -> str:
    """Return a number of bytes in decimal units.

    Examples
    --------
    >>> from svsieve.memory import in_words
    >>> in_words(3.2e11), in_words(800)
    ('320 GB', '800 bytes')
    """
    for unit, name in _UNITS:
        if size >= unit:
            digits = 0 if size >= 100 * unit else 1
            return f"{size / unit:.{digits}f} {name}"
    return f"{size:.0f} bytes"


def _of_machine() -> float:
    numbers = dict(_numbers(Path("/proc/meminfo")))
    if "MemAvailable:" in numbers:
        return 1024.0 * (numbers["MemAvailable:"] + numbers.get("SwapFree:", 0.0))
    with suppress(AttributeError, ValueError, OSError):  # not Linux: at least what there is in all
        return float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
    return math.inf


def _of_process() -> Iterator[float]:
    """What the limits of the process on its address space and its data leave."""
    try:
        import resource
    except ImportError:
        return
    used = dict(_numbers(Path("/proc/self/status")))
    for limit, name in ((resource.RLIMIT_AS, "VmSize:"), (resource.RLIMIT_DATA, "VmData:")):
        most = resource.getrlimit(limit)[0]
        if most != resource.RLIM_INFINITY:
            yield float(most) - 1024.0 * used.get(name, 0.0)


def _of_groups(
    own: Path = Path("/proc/self/cgroup"), root: Path = Path("/sys/fs/cgroup")
) -> Iterator[float]:
    """What the control groups of the process leave, of the second version and of the first."""
    try:
        groups = [line.split(":", 2) for line in own.read_text().splitlines()]
    except OSError:
        return
    for _, controllers, inside in groups:
        if not controllers:
            top, limit, usage = root, "memory.max", "memory.current"
        elif "memory" in controllers.split(","):
            top, limit, usage = root / "memory", "memory.limit_in_bytes", "memory.usage_in_bytes"
        else:
            continue
        # Within a container the path may be the one outside, which is not there.
        for part in [inside, *(str(parent) for parent in Path(inside).parents)]:
            folder = top / part.lstrip("/")
            with suppress(OSError, ValueError):
                most = float((folder / limit).read_text())  # "max" is no number
                used = float((folder / usage).read_text())
                pages = dict(_numbers(folder / "memory.stat"))
                prefix = "total_" if "total_inactive_file" in pages else ""
                files = sum(pages.get(f"{prefix}{kind}_file", 0.0) for kind in _KINDS)
                yield most - used + files


def _numbers(file: Path) -> Iterator[tuple[str, float]]:
    """The first word of each line with the number that follows it."""
    try:
        lines = file.read_text().splitlines()
    except OSError:
        return
    for line in lines:
        words = line.split()
        if len(words) > 1 and words[1].isdigit():
            yield words[0], float(words[1])
