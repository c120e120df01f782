"""A file that a killed elimination is resumed from.

A checkpoint is a saved `Path` whose notes hold a fingerprint of the run: what data, which labels,
which options, which seed. Beside it stands what the engine held, so that the run goes on in the
same bits. The file is replaced as a whole, never written into, so that at any moment the file on
disk is a complete one.
"""

from __future__ import annotations

import dataclasses
import os
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

from svsieve.elimination.parts import Data, Parts
from svsieve.elimination.path import Path
from svsieve.elimination.path_file import read_path, write_path
from svsieve.elimination.stretch import EngineState
from svsieve.half_done import sweep
from svsieve.store.digests import described, digest, table_bytes

FORMAT = 1
NOTE = "checkpoint"
WRITE_SECONDS = 1.0
# Writing may take this share of the time at most.
WRITE_SHARE = 0.05

_NAMES = {
    "data": "the data (X)",
    "labels": "the labels or weights of the rows (y, sample_weight)",
    "options": "the options",
    "seed": "the seed (random_state)",
}


@dataclass(frozen=True)
class Fingerprint:
    """What must be the same for a run to be continued: SHA-256 of its parts, and the seed.

    Examples
    --------
    >>> import numpy as np
    >>> from svsieve.elimination.parts import Data, Parts, Task
    >>> from svsieve.kernels import Linear
    >>> from svsieve.machines import CSvm
    >>> from svsieve.store import Fingerprint
    >>> y = np.array([1.0, -1.0])
    >>> data = Data(np.eye(2), (Task(None, y, None),), np.array([1, 0]))
    >>> one = Fingerprint.of(data, Parts(kernel=Linear(), machine=CSvm(1.0)))
    >>> other = Fingerprint.of(data, Parts(kernel=Linear(), machine=CSvm(2.0)))
    >>> one.differences(other)
    ['options']
    """

    data: str
    labels: str
    options: str
    seed: int

    @classmethod
    def of(cls, data: Data, parts: Parts) -> Fingerprint:
        """Return the fingerprint of an elimination."""
        return cls(
            data=digest(table_bytes(data.X)),
            labels=digest(described((data.tasks, data.groups, data.row_weights))),
            options=digest(described(dataclasses.replace(parts, seed=0))),
            seed=int(parts.seed),
        )

    def differences(self, other: Fingerprint) -> list[str]:
        """Return the names of the entries that are not the same."""
        return [name for name in _NAMES if getattr(self, name) != getattr(other, name)]


class Checkpoint:
    """The checkpoint file of one run.

    Parameters
    ----------
    file : str or path
        Its folder must exist.
    fingerprint : Fingerprint
        Of the run that is to be kept or continued.

    Examples
    --------
    >>> from svsieve.store import Checkpoint, Fingerprint
    >>> Checkpoint("absent.npz", Fingerprint("a", "b", "c", 0)).read() is None
    True
    """

    def __init__(self, file: str | os.PathLike[str], fingerprint: Fingerprint) -> None:
        self.file = checked_file(file)
        self.fingerprint = fingerprint
        self.state: EngineState | None = None
        self._next = time.monotonic() + WRITE_SECONDS

    def read(self) -> Path | None:
        """Return the path so far; None where there is no file. `state` is what the engine held.

        Raises
        ------
        ValueError
            If the file is damaged, or was written by a run that was not the same. It is left as
            it is.
        """
        path, self.state = _load(self.file)
        if path is None:
            sweep(self.file)
            return None
        found = _fingerprint(path.notes, self.file)
        differing = self.fingerprint.differences(found)
        if differing:
            listed = " and ".join(_NAMES[name] for name in differing)
            raise ValueError(
                f"Checkpoint {str(self.file)!r} belongs to another run: {listed} differ. It is "
                "left as it is; name another file, or delete this one to start over."
            )
        sweep(self.file)
        return dataclasses.replace(
            path, notes={key: value for key, value in path.notes.items() if key != NOTE}
        )

    def write(
        self,
        make_path: Callable[[], Path],
        state: EngineState | None = None,
        *,
        last: bool = False,
    ) -> None:
        """Replace the file by the path that `make_path` returns, if it is time to.

        That is about once a second, less often where writing takes long, and at the end. `state` is
        what the engine held after the last step of that path.
        """
        begun = time.monotonic()
        if begun < self._next and not last:
            return
        path = make_path()
        notes = {**path.notes, NOTE: {"format": FORMAT, **dataclasses.asdict(self.fingerprint)}}
        try:
            write_path(self.file, dataclasses.replace(path, notes=notes), state)
        except OSError as error:
            # A full disk must not cost the run itself.
            warnings.warn(
                f"Checkpoint {str(self.file)!r} could not be written ({error}); the run goes on.",
                UserWarning,
                stacklevel=2,
            )
        ended = time.monotonic()
        self._next = ended + max(WRITE_SECONDS, (ended - begun) / WRITE_SHARE)


def checked_file(file: Any, what: str = "checkpoint") -> FilePath:
    """Return `file` as a path in a folder that exists, refusing anything else."""
    if not isinstance(file, str | os.PathLike) or not str(file):
        raise TypeError(f"{what} must be the name of a file. Got {file!r} instead.")
    path = FilePath(file)
    if not path.absolute().parent.is_dir():
        raise ValueError(f"The folder of {what} {str(path)!r} does not exist.")
    if path.is_dir():
        raise ValueError(f"{what.capitalize()} {str(path)!r} is a folder; it must be a file.")
    return path


def stored_seed(file: str | os.PathLike[str]) -> int | None:
    """Return the seed of the run that wrote a checkpoint; None where there is no file.

    A run without a seed of its own continues with that one.
    """
    path, _ = _load(checked_file(file))
    return None if path is None else _fingerprint(path.notes, FilePath(file)).seed


def _load(file: FilePath) -> tuple[Path | None, EngineState | None]:
    if not file.exists():
        return None, None
    try:
        return read_path(file, Path)
    except ValueError as error:
        raise _damaged(file, error.__cause__ or error) from error


def _fingerprint(notes: Mapping[str, Any], file: FilePath) -> Fingerprint:
    try:
        entries = dict(notes[NOTE])
        version = entries.pop("format")
        found = Fingerprint(**entries)
    except (KeyError, TypeError, ValueError) as error:
        raise _damaged(file, "it holds no fingerprint of a run") from error
    if version != FORMAT:
        raise ValueError(
            f"Checkpoint {str(file)!r} has format {version!r}, this version reads {FORMAT}. It is "
            "left as it is; name another file."
        )
    return found


def _damaged(file: FilePath, reason: object) -> ValueError:
    return ValueError(
        f"Checkpoint {str(file)!r} is damaged or is none of svsieve's ({reason}). It is left in "
        "place; name another file, or delete this one to start over."
    )
