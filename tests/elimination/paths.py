"""A short elimination written down."""

from __future__ import annotations

import numpy as np

from svsieve.elimination import Path, PathRecorder, Solution, Stretch

COLUMNS = 9


def stretches(solutions: bool = False) -> list[Stretch]:
    """Nine columns to two, in three stretches of one, two and one steps."""
    size, first, out = COLUMNS, 1, []
    rng = np.random.default_rng(0)
    for dropped, counts in (([4, 8], [2]), ([0, 1, 6], [2, 1]), ([3, 7], [2])):
        steps = len(counts)
        carried = [
            (Solution(np.array([first, 50]), rng.normal(size=2), 0.5), solved_empty())
            for _ in counts
        ]
        out.append(
            Stretch(
                first=first,
                size=size,
                counts=np.array(counts),
                dropped=np.array(dropped),
                scores=np.sort(rng.random(len(dropped))) + first,
                following=np.arange(steps) + first + 1.5,
                kkt_gap=1e-9 * rng.random(steps),
                accuracy=rng.random(steps),
                seconds=rng.random(steps),
                tied=np.arange(steps) % 2 == 1,
                solutions=carried if solutions else (),
            )
        )
        size, first = size - len(dropped), first + steps
    return out


def solved_empty() -> Solution:
    return Solution(np.empty(0, dtype=np.int64), np.empty(0), -1.0)


def finished(**options) -> Path:
    """The path of these stretches."""
    recorder = PathRecorder(COLUMNS, **options)
    for stretch in stretches(options.get("solutions", False)):
        recorder.add(stretch)
    recorder.finish(np.array([5, 2]), np.array([9.0, 8.0]), "size", accuracy=0.75)
    return recorder.path()
