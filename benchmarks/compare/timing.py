"""Interleaved timing, tables of ratios and their JSON form."""

from __future__ import annotations

import datetime
import importlib.metadata
import json
import math
import os
import platform
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from threadpoolctl import threadpool_info

RESULTS = Path(__file__).resolve().parents[1] / "results"
PACKAGES = ("svsieve", "numpy", "scipy", "scikit-learn", "numba", "threadpoolctl")

Cell = str | int | float | None
Row = dict[str, Cell]
Result = TypeVar("Result")


@dataclass(frozen=True)
class Options:
    """What the command line asked for."""

    repeat: int = 5
    threads: int = 1
    quick: bool = False  # small tables, to try a ranking benchmark out
    full: bool = False  # also the peers that take many minutes
    only: tuple[str, ...] = ()  # words of which the wanted shapes have one in their description

    def pick(self, usual: Result, quick: Result) -> Result:
        """Return the usual size or the one for trying out."""
        return quick if self.quick else usual

    def wants(self, what: str) -> bool:
        """Tell whether a shape of this description was asked for."""
        return not self.only or any(word in what for word in self.only)


@dataclass(frozen=True)
class Seconds:
    """Best wall-clock and best CPU seconds over some rounds."""

    wall: float
    cpu: float
    rounds: int = 1

    def scaled(self, factor: float) -> Seconds:
        """Return the same measurement times a factor (a part timed for the whole)."""
        return Seconds(self.wall * factor, self.cpu * factor, self.rounds)

    def __add__(self, other: Seconds) -> Seconds:
        rounds = min(self.rounds, other.rounds)
        return Seconds(self.wall + other.wall, self.cpu + other.cpu, rounds)


def race(
    sides: Mapping[str, Callable[[], object]],
    repeat: int,
    *,
    seconds: float = 12.0,
    least: float = 0.5,
) -> dict[str, Seconds]:
    """Time every side in turn, round after round, and keep each side's best.

    Taking turns lets a noisy stretch of the machine hit all sides; the order is reversed every
    other round so that no side always runs on the caches left by the same neighbour.

    Parameters
    ----------
    sides : mapping of str to callable
        What to time.
    repeat : int
        Rounds to run. Fewer (but at least two, if two were asked for) when the whole race would
        last longer than `seconds`; more, up to ten times as many, while it has lasted less than
        `least` seconds.
    seconds, least : float
        See `repeat`.

    Returns
    -------
    dict of str to Seconds
        Best wall and CPU time of each side.
    """
    wall = dict.fromkeys(sides, math.inf)
    cpu = dict.fromkeys(sides, math.inf)
    started = time.perf_counter()
    rounds = 0
    while True:
        order = list(sides) if rounds % 2 == 0 else list(sides)[::-1]
        for name in order:
            wall_start, cpu_start = time.perf_counter(), time.process_time()
            sides[name]()
            cpu[name] = min(cpu[name], time.process_time() - cpu_start)
            wall[name] = min(wall[name], time.perf_counter() - wall_start)
        rounds += 1
        spent = time.perf_counter() - started
        too_long = rounds >= min(2, repeat) and spent * (rounds + 1) / rounds > seconds
        enough = rounds >= repeat and (spent > least or rounds >= 10 * repeat)
        if too_long or enough:
            break
    return {name: Seconds(wall[name], cpu[name], rounds) for name in sides}


def once(call: Callable[[], Result]) -> tuple[Seconds, Result]:
    """Time one call and return its result too."""
    wall_start, cpu_start = time.perf_counter(), time.process_time()
    result = call()
    cpu, wall = time.process_time() - cpu_start, time.perf_counter() - wall_start
    return Seconds(wall, cpu), result


def race_once(
    peer: Callable[[], Result], ours: Callable[[], object], repeat: int
) -> tuple[Seconds, Seconds, Result]:
    """Time a slow peer once, and ours before and after it, of which the best counts.

    Returns
    -------
    tuple
        Seconds of the peer, seconds of ours, what the peer returned.
    """
    before = race({"ours": ours}, repeat, least=0.0)["ours"]
    slow, result = once(peer)
    after = race({"ours": ours}, repeat, least=0.0)["ours"]
    best = Seconds(
        min(before.wall, after.wall), min(before.cpu, after.cpu), before.rounds + after.rounds
    )
    return slow, best, result


def say(text: str) -> None:
    """Tell on stderr what is being done, for whoever waits."""
    print(f"  ... {text}", file=sys.stderr, flush=True)


def compared(what: str, peer: Seconds, ours: Seconds, *, at_least: float | None) -> Row:
    """Return the row of a comparison in which a larger ratio peer / ours is better."""
    ratio = peer.wall / ours.wall
    return {
        "what": what,
        "peer s": peer.wall,
        "ours s": ours.wall,
        "ratio": ratio,
        "cpu ratio": peer.cpu / ours.cpu,
        "target": None if at_least is None else f">= {at_least:g}",
        "reached": None if at_least is None else verdict(ratio >= at_least),
        "peer cpu s": peer.cpu,
        "ours cpu s": ours.cpu,
        "rounds": min(peer.rounds, ours.rounds),
    }


def alone(what: str, ours: Seconds) -> Row:
    """Return the row of a measurement without a peer."""
    return {"what": what, "ours s": ours.wall, "ours cpu s": ours.cpu, "rounds": ours.rounds}


def verdict(reached: bool) -> str:
    """Return the word of the column "reached"."""
    return "yes" if reached else "no"


RATIO_COLUMNS = ("what", "peer s", "ours s", "ratio", "cpu ratio", "target", "reached")


@dataclass
class Report:
    """One benchmark's table: rows hold everything, `columns` names what is printed."""

    title: str
    columns: tuple[str, ...] = RATIO_COLUMNS
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def show(self) -> None:
        """Print the table, first column to the left and numbers to the right."""
        lines = [list(self.columns)]
        lines += [[_cell(row.get(column)) for column in self.columns] for row in self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        print(self.title)
        for number, line in enumerate(lines):
            rest = (text.rjust(width) for text, width in zip(line[1:], widths[1:], strict=True))
            print("  " + "  ".join([line[0].ljust(widths[0]), *rest]))
            if number == 0:
                print("  " + "  ".join("-" * width for width in widths))
        for note in self.notes:
            print(f"  note: {note}")

    def save(self, name: str, options: Options) -> Path:
        """Write the report as ``benchmarks/results/<name>.json`` and return the path.

        What was only tried out goes into a file of its own.
        """
        RESULTS.mkdir(parents=True, exist_ok=True)
        path = RESULTS / f"{name}{options.pick('', '.quick')}.json"
        content = {
            "benchmark": name,
            "title": self.title,
            "finished": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "threads": options.threads,
            "repeat": options.repeat,
            "quick": options.quick,
            "full": options.full,
            "machine": machine_facts(),
            "notes": self.notes,
            "rows": self.rows,
        }
        path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
        return path


def _cell(value: Cell) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 100 else f"{value:.0f}"
    return str(value)


def machine_facts() -> dict[str, object]:
    """Return what a reader needs to compare two results: processor, threads, versions."""
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            versions[package] = "not installed"
    pools = [
        {key: pool[key] for key in ("internal_api", "version", "num_threads") if key in pool}
        for pool in threadpool_info()
    ]
    return {
        "processor": _processor(),
        "cpu count": os.cpu_count(),
        "usable cpus": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None,
        "load": os.getloadavg() if hasattr(os, "getloadavg") else None,
        "system": platform.platform(),
        "python": platform.python_version(),
        "versions": versions,
        "thread pools": pools,
    }


def _processor() -> str:
    """Return the processor's model name, from /proc/cpuinfo where there is one."""
    facts = Path("/proc/cpuinfo")
    if facts.exists():
        for line in facts.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()
