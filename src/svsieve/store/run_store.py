"""One file in which the cells of a grid are kept, and shared by the processes that work on it."""

from __future__ import annotations

import io
import json
import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path as FilePath
from types import TracebackType
from typing import Any, Self

from svsieve.elimination.path import Path
from svsieve.store.checkpoint import checked_file
from svsieve.store.digests import digest
from svsieve.store.owners import is_gone, this_process
from svsieve.store.run_file import damaged, naming
from svsieve.store.run_rows import RunRows
from svsieve.store.settings import settings_of

# A process that works on a cell says so this often, and one that was silent for so long is taken
# for dead: it stands still, or runs on a machine that is gone.
BEAT_SECONDS = 5.0
SILENT_SECONDS = 60.0

STATES = ("open", "claimed", "done", "failed")


@dataclass(frozen=True, eq=False)
class Result:
    """What a finished cell leaves behind.

    Attributes
    ----------
    archives : tuple of bytes
        Paths, as :func:`packed` makes them.
    curve : dict
        Scores against size, of plain values.
    facts : dict
        More that JSON can hold.
    """

    archives: tuple[bytes, ...]
    curve: dict[str, Any]
    facts: dict[str, Any]

    @property
    def paths(self) -> list[Path]:
        """The paths, unpacked."""
        return [unpacked(archive) for archive in self.archives]


class RunStore:
    """The cells of a grid in one SQLite file: what is done, what came of it, who does the rest.

    Several processes may have the same store open. Each claims a cell, computes it and finishes it;
    no cell is claimed by two. A claim ends with its process: when that is gone, or silent for a
    minute, the cell can be claimed again.

    Parameters
    ----------
    file : str, path or None
        The file, which is made if need be; its folder must exist, on a disk of this machine. None:
        nothing is kept beyond this object.
    fingerprint : dict of str to str, optional
        What the results depend on besides the settings, named as a message would name it, with a
        digest or a version each. A file made with another one is refused. None opens a store that
        is there, whatever it was made with.
    check : bool, default=True
        Read through the file for damage before anything else. Results are checked in any case when
        they are read.

    Notes
    -----
    Where the disk is full, read-only or broken, a warning is given and everything goes on with a
    copy in memory; `file` is None then.

    The file has a write-ahead log, so that processes read while one writes, and is written with
    ``synchronous=FULL``: when `finish` returns, the cell is on the disk. (With NORMAL, the choice
    usual for logs of this kind, a power cut may undo the last cells. A cell takes seconds or hours
    and the wait for the disk milliseconds, so there is nothing to gain.)

    Examples
    --------
    >>> from svsieve.elimination import Path
    >>> from svsieve.store import RunStore
    >>> with RunStore(None, {"the data": "73ab"}) as store:
    ...     key = store.claim(['{"C": 1.0}', '{"C": 10.0}'])
    ...     curve = {"sizes": [1, 2], "held_out": {"accuracy": [[0.8, 0.9]]}}
    ...     store.finish(key, [Path.from_scores([0.3, 0.1])], curve, {"seconds": 0.2})
    ...     store.done(), store.result(key).paths[0].order
    (['{"C": 1.0}'], array([0, 1]))
    """

    def __init__(
        self,
        file: str | os.PathLike[str] | None,
        fingerprint: Mapping[str, str] | None = None,
        *,
        check: bool = True,
    ) -> None:
        self._owner = f"{this_process()} {secrets.token_hex(4)}"
        self._rows = RunRows(
            None if file is None else checked_file(file, "run store"),
            fingerprint,
            self._owner,
            check=check,
        )
        self._closed = threading.Event()
        self._beating: threading.Thread | None = None

    @property
    def file(self) -> FilePath | None:
        """The file; None where everything is in memory."""
        return self._rows.file

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give back what is claimed and not finished, and let go of the file."""
        with self._rows.lock:
            if self._closed.is_set():
                return
            self._closed.set()
            self._rows.close()
        if self._beating is not None:
            self._beating.join()

    # ---- working on cells

    def claim(self, keys: Iterable[str]) -> str | None:
        """Return the first of some cells that nobody has done or is doing; it is then claimed.

        Parameters
        ----------
        keys : iterable of str
            Cells, as :func:`svsieve.store.settings_key` names them. The store need not know them.

        Returns
        -------
        str or None
            None if all are done, failed or claimed.
        """
        wanted = list(keys)

        def claimed(connection: sqlite3.Connection) -> str | None:
            found = {
                key: rest
                for key, *rest in connection.execute(
                    "SELECT key, state, owner, heartbeat FROM cells"
                )
            }
            now = time.time()
            for key in wanted:
                state, owner, heartbeat = found.get(key, ("open", None, None))
                if state == "open" or (state == "claimed" and _left(owner, heartbeat, now)):
                    connection.execute(
                        "INSERT OR REPLACE INTO cells (key, state, owner, heartbeat) "
                        "VALUES (?, 'claimed', ?, ?)",
                        (key, self._owner, now),
                    )
                    return key
            return None

        key = self._rows.changed(claimed)
        if key is not None:
            self._beat_from_now_on()
        return key

    def finish(
        self,
        key: str,
        paths: Sequence[Path | bytes],
        curve: Mapping[str, Any],
        facts: Mapping[str, Any],
    ) -> None:
        """Keep the result of a cell. When this returns it is on the disk.

        Parameters
        ----------
        key : str
        paths : sequence of Path, or of what `packed` made of them
        curve : dict
            Scores against size, of values that JSON can hold.
        facts : dict
            More of those.
        """
        archives = [packed(path) if isinstance(path, Path) else path for path in paths]
        texts = json.dumps(dict(curve)), json.dumps(dict(facts))
        digests = _digests(archives)

        def kept(connection: sqlite3.Connection) -> None:
            # One that was taken for dead may come back with a result that is there already.
            if self._settled(connection, key, "done", None, digests, *texts):
                connection.execute("INSERT INTO results VALUES (?, ?, ?)", (key, *texts))
                connection.executemany(
                    "INSERT INTO paths VALUES (?, ?, ?)",
                    [(key, position, archive) for position, archive in enumerate(archives)],
                )

        self._rows.changed(kept)

    def fail(self, key: str, sentence: str) -> None:
        """Keep that a cell cannot be computed, and why. It is not claimed again."""
        self._rows.changed(lambda one: self._settled(one, key, "failed", sentence, "[]", sentence))

    def reopen(self, keys: Iterable[str]) -> None:
        """Let failed cells be claimed again."""
        failed = [(key,) for key in keys]
        self._rows.changed(
            lambda connection: connection.executemany(
                "UPDATE cells SET state = 'open', owner = NULL, heartbeat = NULL, sentence = NULL "
                "WHERE key = ? AND state = 'failed'",
                failed,
            )
        )

    def _settled(
        self,
        connection: sqlite3.Connection,
        key: str,
        state: str,
        sentence: str | None,
        archives: str,
        *texts: str,
    ) -> bool:
        """Tell whether a cell, which was not done, now is what it is said to be."""
        cursor = connection.execute(
            "INSERT INTO cells (key, state, owner, heartbeat, sentence) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (key) DO UPDATE SET state = excluded.state, owner = excluded.owner, "
            "heartbeat = excluded.heartbeat, sentence = excluded.sentence WHERE state != 'done'",
            (key, state, self._owner, time.time(), sentence),
        )
        if cursor.rowcount != 1:
            return False
        whole = _whole(key, archives, *texts)
        connection.execute(
            "INSERT OR REPLACE INTO digests VALUES (?, ?, ?)", (key, archives, whole)
        )
        return True

    # ---- what is there

    def states(self) -> dict[str, str]:
        """Return "open", "claimed", "done" or "failed" for every cell the store knows."""
        found = dict(self._rows.read("SELECT key, state FROM cells"))
        for key, state in found.items():
            if state not in STATES:
                raise damaged(self._rows.name, f"the cell {key} is {state!r}")
        return found

    def done(self) -> list[str]:
        """Return the cells that are done, in the order of their keys."""
        return sorted(key for key, state in self.states().items() if state == "done")

    def failures(self) -> dict[str, str]:
        """Return the sentences of the cells that failed."""
        rows = self._rows.read(
            "SELECT cells.key, sentence, archives, whole FROM cells LEFT JOIN digests "
            "ON cells.key = digests.key WHERE state = 'failed'"
        )
        for key, sentence, archives, whole in rows:
            self._refuse_changed(key, archives, whole, sentence)
        return {key: sentence for key, sentence, *_ in rows}

    def result(self, key: str, *, with_paths: bool = True) -> Result:
        """Return what a cell that is done has left behind.

        Parameters
        ----------
        key : str
        with_paths : bool, default=True
            False leaves the archives of the paths out.

        Returns
        -------
        Result
        """
        rows = self._rows.read(
            "SELECT curve, facts, archives, whole FROM results LEFT JOIN digests "
            "ON results.key = digests.key WHERE results.key = ?",
            key,
        )
        if not rows:
            if self.states().get(key) == "done":
                raise damaged(self._rows.name, f"the result of the cell {key} is missing")
            raise KeyError(f"The run store has no result of the cell {key}.")
        curve, facts, digests, whole = rows[0]
        self._refuse_changed(key, digests, whole, curve, facts)
        archives = []
        if with_paths:
            found = self._rows.read(
                "SELECT archive FROM paths WHERE key = ? ORDER BY position", key
            )
            archives = [archive for (archive,) in found]
            if whole is not None and _digests(archives) != digests:
                raise damaged(self._rows.name, f"the paths of the cell {key} are not what was kept")
        with self.reading():
            return Result(tuple(archives), dict(json.loads(curve)), dict(json.loads(facts)))

    def reading(self) -> AbstractContextManager[None]:
        """Return a block in which a result that makes no sense is refused by the name of the file.

        What a cell leaves behind is understood by whoever made it: what that fails at in the block
        comes of a damaged or foreign store, and the error says so.
        """
        return naming(self._rows.name)

    def _refuse_changed(self, key: str, archives: Any, whole: Any, *texts: Any) -> None:
        with self.reading():
            if whole is not None and _whole(key, archives, *texts) != whole:
                raise damaged(self._rows.name, f"the result of the cell {key} is not what was kept")

    def to_frame(self) -> Any:
        """Return a pandas data frame with one row per cell.

        Columns: one per setting, state, failure (a sentence, missing where there was none), and the
        facts kept with the results.
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError("RunStore.to_frame needs pandas: pip install pandas.") from error
        states, failures = self.states(), self.failures()
        rows = []
        for key, state in sorted(states.items()):
            with self.reading():
                row = {**settings_of(key), "state": state, "failure": failures.get(key)}
            rows.append(row | (self.result(key, with_paths=False).facts if state == "done" else {}))
        return pd.DataFrame(rows)

    # ---- the file

    def _beat_from_now_on(self) -> None:
        if self._beating is None and self.file is not None:
            self._beating = threading.Thread(target=self._beat, daemon=True)
            self._beating.start()

    def _beat(self) -> None:
        """Say again and again that the cells claimed here are being worked on."""
        while not self._closed.wait(BEAT_SECONDS):
            with self._rows.lock:
                if self._closed.is_set():
                    return
                self._rows.beat()


def _left(owner: str, heartbeat: float, now: float) -> bool:
    """Tell whether whoever claimed a cell will not finish it."""
    return is_gone(owner) or abs(now - heartbeat) > SILENT_SECONDS


def _digests(archives: Iterable[bytes]) -> str:
    return json.dumps([digest([archive]) for archive in archives])


def _whole(*texts: str) -> str:
    """The digest of all that is kept of a cell, its archives by their own."""
    return digest(f"{len(text)} {text}".encode() for text in texts)


def packed(path: Path) -> bytes:
    """Return a path as the bytes of the file that `Path.save` would write."""
    buffer = io.BytesIO()
    path.save(buffer)
    return buffer.getvalue()


def unpacked(archive: bytes) -> Path:
    """Return the path that `packed` made bytes of."""
    return Path.load(io.BytesIO(archive))
