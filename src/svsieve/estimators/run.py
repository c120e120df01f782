"""One elimination on behalf of an estimator: progress, checkpoint and Ctrl-C around `walk`."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from dataclasses import replace

from svsieve.elimination import Data, Parts, Path, PathRecorder, Stretch
from svsieve.elimination.engines import engine_name
from svsieve.elimination.loop import notes_of, record, walk
from svsieve.elimination.stretch import EngineState
from svsieve.estimators.callbacks import Watch
from svsieve.estimators.progress import Progress
from svsieve.store import Checkpoint, Fingerprint

# Ends that the same call goes on from: with a limit on time, for as long again.
UNFINISHED = ("running", "interrupted", "time")


class Run:
    """An elimination that can be watched, interrupted and resumed.

    Parameters
    ----------
    data : Data
    parts : Parts
    names : sequence of str or None
        Names of the columns.
    checkpoint : file name or None
    progress : bool, default=False
    owner : str, default="SVMRFE"
        Who runs it, for the messages.
    """

    def __init__(
        self,
        data: Data,
        parts: Parts,
        *,
        names: Sequence[str] | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        progress: bool = False,
        owner: str = "SVMRFE",
    ) -> None:
        self._data = data
        self._parts = parts
        self._names = None if names is None else tuple(str(name) for name in names)
        self._progress = progress
        self._owner = owner
        self._checkpoint: Checkpoint | None = None
        if checkpoint is not None:
            self._checkpoint = Checkpoint(checkpoint, Fingerprint.of(data, parts))

    def path(self, watch: Watch | None = None) -> Path:
        """Eliminate to the end, or to the first Ctrl-C, and return the path.

        Parameters
        ----------
        watch : Watch, optional
            Told after every call of the engine; it may end the elimination as Ctrl-C does.
        """
        begun = None if self._checkpoint is None else self._checkpoint.read()
        if begun is not None and begun.stopped not in UNFINISHED:
            return replace(begun, column_names=self._names)
        done: list[Stretch] = []
        try:
            path = self._walked(begun, done, watch)
        except KeyboardInterrupt:
            # The recorder may have been caught in the middle of an entry, the list was not.
            recorder = self._recorder(begun)
            for stretch in done:
                recorder.add(stretch)
            path = replace(recorder.path(), stopped="interrupted")
        if self._checkpoint is not None:
            state = self._state_after(done) if path.stopped in UNFINISHED else None
            self._checkpoint.write(lambda: path, state, last=True)
        return path

    def tell(self, path: Path) -> None:
        """Warn, on behalf of the `fit` that calls it, that a path is not finished."""
        if path.stopped != "interrupted":
            return
        kept = "" if self._checkpoint is None else " The checkpoint resumes it."
        warnings.warn(
            f"{self._owner} was interrupted after {path.n_steps} steps; the {len(path.survivors)} "
            f"of {path.n_columns} columns left then are the ones selected.{kept}",
            UserWarning,
            stacklevel=3,
        )

    def _walked(self, begun: Path | None, done: list[Stretch], watch: Watch | None) -> Path:
        recorder = self._recorder(begun)
        kept = self._checkpoint is not None
        state = self._state_after(done)
        steps = walk(self._data, self._parts, resume=begun, state=state, states=kept)
        n_columns = self._data.n_columns
        ends = [stop.least_size(n_columns) for stop in self._parts.stops]
        least = max(self._parts.least, *ends, 0)
        with Progress(n_columns, least, shown=self._progress) as progress:
            progress.update(recorder.size)
            for stretch in record(recorder, steps):
                done.append(stretch)  # Ctrl-C may come at any moment: with its state or not at all
                if len(done) > 1:
                    done[-2] = replace(done[-2], state=None)
                progress.update(recorder.size)
                if self._checkpoint is not None:
                    self._checkpoint.write(recorder.path, stretch.state)
                if watch is not None and watch.done():
                    return replace(recorder.path(), stopped="interrupted")
        return recorder.path()

    def _state_after(self, done: Sequence[Stretch]) -> EngineState | None:
        """What the engine held after these stretches, or when the checkpoint was read."""
        if done:
            return done[-1].state
        return None if self._checkpoint is None else self._checkpoint.state

    def _recorder(self, begun: Path | None) -> PathRecorder:
        return PathRecorder(
            self._data.n_columns,
            column_names=self._names,
            engine=engine_name(self._data, self._parts),
            notes=notes_of(self._data, self._parts),
            start=begun,
        )
