"""One elimination on behalf of an estimator: progress, checkpoint and Ctrl-C around `walk`."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from dataclasses import replace

from svsieve.elimination import Data, Parts, Path, PathRecorder, Stretch
from svsieve.elimination.loop import Survivors, notes_of, walk
from svsieve.estimators.progress import Progress
from svsieve.store import Checkpoint, Fingerprint

UNFINISHED = ("running", "interrupted")


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

    def path(self) -> Path:
        """Eliminate to the end, or to the first Ctrl-C, and return the path."""
        begun = None if self._checkpoint is None else self._checkpoint.read()
        if begun is not None and begun.stopped not in UNFINISHED:
            return replace(begun, column_names=self._names)
        done: list[Stretch] = []
        try:
            path = self._walked(begun, done)
        except KeyboardInterrupt:
            # The recorder may have been caught in the middle of an entry, the list was not.
            recorder = self._recorder(begun)
            for stretch in done:
                recorder.add(stretch)
            path = replace(recorder.path(), stopped="interrupted")
            self._tell(path)
        if self._checkpoint is not None:
            self._checkpoint.write(lambda: path, last=True)
        return path

    def _walked(self, begun: Path | None, done: list[Stretch]) -> Path:
        recorder = self._recorder(begun)
        steps = walk(self._data, self._parts, resume=begun)
        n_columns = self._data.n_columns
        ends = [stop.least_size(n_columns) for stop in self._parts.stops]
        least = max(self._parts.least, *ends, 0)
        with Progress(n_columns, least, shown=self._progress) as progress:
            progress.update(recorder.size)
            while True:
                try:
                    stretch = next(steps)
                except StopIteration as end:
                    survivors: Survivors = end.value
                    break
                done.append(stretch)
                recorder.add(stretch)
                progress.update(recorder.size)
                if self._checkpoint is not None:
                    self._checkpoint.write(recorder.path)
        recorder.finish(
            survivors.columns,
            survivors.scores,
            survivors.stopped,
            accuracy=survivors.accuracy,
            engine=survivors.engine,
        )
        return recorder.path()

    def _recorder(self, begun: Path | None) -> PathRecorder:
        return PathRecorder(
            self._data.n_columns,
            column_names=self._names,
            notes=notes_of(self._data, self._parts),
            start=begun,
        )

    def _tell(self, path: Path) -> None:
        kept = "" if self._checkpoint is None else " The checkpoint resumes it."
        warnings.warn(
            f"{self._owner} was interrupted after {path.n_steps} steps; the {len(path.survivors)} "
            f"of {path.n_columns} columns left then are the ones selected.{kept}",
            UserWarning,
            stacklevel=4,
        )
