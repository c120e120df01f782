"""The elimination loop: the only one there is.

Train on the columns left, score them, drop the worst, until enough are
gone; then order those left by the scores of a last fit. An engine does the work of one or more
steps; the loop keeps count, applies the stops, and hands every stretch of steps to the caller, who
may record it, show progress, write a checkpoint, or stop asking.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np

from svsieve.arrays import FloatArray, IndexArray
from svsieve.elimination.engines import Engine, Turn
from svsieve.elimination.ordering import ascending
from svsieve.elimination.parts import Data, Parts
from svsieve.elimination.path import Path
from svsieve.elimination.recorder import PathRecorder
from svsieve.elimination.retuning import EngineRoom
from svsieve.elimination.stopping import Stop
from svsieve.elimination.stretch import EngineState, Solution, Stretch
from svsieve.native import one_blas_thread


@dataclass(frozen=True, eq=False)
class Survivors:
    """How an elimination ended.

    Attributes
    ----------
    columns : ndarray of int
        Those left, best first.
    scores : ndarray of float
        Theirs, from a fit on them.
    stopped : {"size", "score", "time"}
    engine : str
    accuracy, kkt_gap : float
    solutions : tuple of Solution
        Of that fit.
    """

    columns: IndexArray
    scores: FloatArray
    stopped: str
    engine: str
    accuracy: float
    kkt_gap: float
    solutions: tuple[Solution, ...]


def walk(
    data: Data,
    parts: Parts,
    *,
    resume: Path | None = None,
    state: EngineState | None = None,
    solutions: bool = False,
    states: bool = False,
    engine: Engine | None = None,
) -> Generator[Stretch, None, Survivors]:
    """Eliminate columns, stretch by stretch.

    Parameters
    ----------
    data : Data
    parts : Parts
    resume : Path, optional
        An unfinished path of the same data and parts to go on from.
    state : mapping, optional
        What the last stretch of that path carried: the walk then goes on in the same bits.
    solutions : bool, default=False
        Let every step carry its solutions, also where an engine makes many steps at once.
    states : bool, default=False
        Let every stretch carry what the engine holds after it.
    engine : Engine, optional
        What does the work of the steps, in place of the one that the parts ask for. It may end the
        walk by a stretch without a step.

    Yields
    ------
    Stretch
        One or more steps.

    Returns
    -------
    Survivors
        The value of the generator: the columns left.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.elimination import Data, Parts, Task, walk
    >>> from svsieve.kernels import Rbf
    >>> from svsieve.machines import CSvm
    >>> X = np.random.default_rng(0).normal(size=(40, 3))
    >>> y = np.where(X[:, 1] > 0, 1.0, -1.0)
    >>> data = Data(X, (Task(labels=y),), (y > 0).astype(np.int64))
    >>> for stretch in walk(data, Parts(Rbf(gamma=0.3), CSvm())):
    ...     print([step.dropped.tolist() for step in stretch])
    [[2]]
    [[0]]
    """
    began = perf_counter()
    least = _least_size(data, parts)
    kept = np.ones(data.n_columns, dtype=bool)
    iteration = 1
    if resume is not None:
        kept[resume.dropped] = False
        iteration += resume.n_steps
    columns = np.flatnonzero(kept)
    turn = Turn(iteration, columns, least, parts, data.n_columns)
    room = EngineRoom(data, parts, resume, state, solutions=solutions)
    stopped, behind = "size", False
    while len(turn.kept) > least:
        if any(stop.out_of_time(perf_counter() - began) for stop in parts.stops):
            stopped = "time"
            break
        with one_blas_thread():  # once for all the small calls of a step
            stretch = (engine or room.engine(turn)).advance(turn)
        if not len(stretch):
            stopped = "score"
            break
        if states:
            stretch = replace(stretch, state=room.state(turn.iteration - 1 + len(stretch)))
        allowed = _curtailed(stretch, parts)
        if len(allowed):
            kept[allowed.dropped] = False
            turn = replace(turn, iteration=turn.iteration + len(allowed), kept=np.flatnonzero(kept))
            yield allowed
        if len(allowed.dropped) < len(stretch.dropped):
            stopped, behind = "score", True
            break
    # Where a stop has spared columns, the engine of the last step has dropped them already.
    last = engine or room.engine(turn, fresh=behind)
    fit = last.fit(turn)
    order = ascending(fit.scores, fit.resolution)[::-1]  # as if the walk went on
    columns, scores = turn.kept[order], fit.scores[order]
    end = (stopped, last.name, fit.accuracy, fit.kkt_gap, fit.solutions)
    return Survivors(columns, scores, *end)


def trace(data: Data, parts: Parts, *, resume: Path | None = None, solutions: bool = False) -> Path:
    """Walk to the end and return the path.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.elimination import Data, Parts, Task, trace
    >>> from svsieve.kernels import Linear
    >>> from svsieve.machines import CSvm
    >>> X = np.random.default_rng(0).normal(size=(40, 3))
    >>> y = np.where(X[:, 1] > 0, 1.0, -1.0)
    >>> data = Data(X, (Task(labels=y),), (y > 0).astype(np.int64))
    >>> trace(data, Parts(Linear(), CSvm())).order
    array([1, 0, 2])
    """
    recorder = PathRecorder(
        data.n_columns, notes=notes_of(data, parts), solutions=solutions, start=resume
    )
    for _ in record(recorder, walk(data, parts, resume=resume, solutions=solutions)):
        pass
    return recorder.path()


def record(recorder: PathRecorder, steps: Generator[Stretch, None, Survivors]) -> Iterator[Stretch]:
    """Hand on the stretches of a walk, each of them recorded before, and record how it ended."""
    while True:
        try:
            stretch = next(steps)
        except StopIteration as end:
            left: Survivors = end.value
            recorder.finish(
                left.columns,
                left.scores,
                left.stopped,
                accuracy=left.accuracy,
                kkt_gap=left.kkt_gap,
                solutions=left.solutions,
                engine=left.engine,
            )
            return
        recorder.add(stretch)
        yield stretch


def notes_of(data: Data, parts: Parts) -> dict[str, Any]:
    """Facts about a run for its path: the parts, and the accuracy of always saying one class.

    That is 0 where there is one class only: to accept every row describes nothing.
    """
    counts = np.bincount(data.groups)
    return {
        "kernel": repr(parts.kernel),
        "machine": repr(parts.machine),
        "criterion": repr(parts.criterion),
        "schedule": repr(parts.schedule),
        "sampler": repr(parts.sampler),
        "combine": repr(parts.combine),
        "stops": [repr(stop) for stop in parts.stops],
        "spare": None if parts.spare is None else repr(parts.spare),
        "retune": None if parts.retune is None else repr(parts.retune),
        "bias": parts.bias,
        "seed": int(parts.seed),
        "tol": float(parts.tol),
        "n_rows": data.n_rows,
        "chance": float(counts.max() / counts.sum()) if np.count_nonzero(counts) > 1 else 0.0,
    }


def _least_size(data: Data, parts: Parts) -> int:
    """Columns that stay whatever happens."""
    d = data.n_columns
    if len(parts.keep) and parts.keep[-1] >= d:
        raise ValueError(f"keep names column {parts.keep[-1]}, the table has {d} columns.")
    asked = [parts.least, len(parts.keep), *(stop.least_size(d) for stop in parts.stops)]
    return min(max(asked), d)


def _curtailed(stretch: Stretch, parts: Parts) -> Stretch:
    """What the stops allow of a stretch, from its beginning."""
    stops = [stop for stop in parts.stops if type(stop).allowed is not Stop.allowed]
    if not stops:
        return stretch
    for i, step in enumerate(stretch):
        allowed = min(stop.allowed(step.scores, step.total) for stop in stops)
        if allowed < len(step.dropped):
            return stretch.truncated(i + 1, allowed) if allowed else stretch.truncated(i)
    return stretch
