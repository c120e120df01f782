"""One file in which the cells of a grid are kept, and shared by the processes that work on it."""

from __future__ import annotations

import io
import json
import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from svsieve.elimination.path import Path
from svsieve.store.checkpoint import checked_file
from svsieve.store.owners import is_gone, this_process
from svsieve.store.run_file import connected, lay_out, make, refuse_others
from svsieve.store.settings import settings_of

# A process that works on a cell says so this often, and one that was silent for so long is taken
# for dead: it stands still, or runs on a machine that is gone.
BEAT_SECONDS = 5.0
SILENT_SECONDS = 60.0


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

    Notes
    -----
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
        self, file: str | os.PathLike[str] | None, fingerprint: Mapping[str, str] | None = None
    ) -> None:
        self.file = None if file is None else checked_file(file, "run store")
        self._owner = f"{this_process()} {secrets.token_hex(4)}"
        self._lock = threading.RLock()
        self._closed = threading.Event()
        self._beating: threading.Thread | None = None
        if self.file is None:
            self._connection = connected(":memory:")
            lay_out(self._connection, fingerprint or {})
            return
        if not self.file.exists():
            if fingerprint is None:
                raise ValueError(f"There is no run store {str(self.file)!r}.")
            make(self.file, fingerprint)
        refuse_others(self.file, fingerprint)
        self._connection = connected(str(self.file))
        self._connection.execute("PRAGMA synchronous = FULL")

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
        with self._lock:
            if self._closed.is_set():
                return
            self._closed.set()
            try:
                self._connection.execute(
                    "UPDATE cells SET state = 'open', owner = NULL, heartbeat = NULL "
                    "WHERE state = 'claimed' AND owner = ?",
                    (self._owner,),
                )
            finally:
                self._connection.close()
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
        with self._transaction() as connection:
            found = {
                key: rest
                for key, *rest in connection.execute(
                    "SELECT key, state, owner, heartbeat FROM cells"
                )
            }
            now = time.time()
            for key in keys:
                state, owner, heartbeat = found.get(key, ("open", None, None))
                if state == "open" or (state == "claimed" and _left(owner, heartbeat, now)):
                    connection.execute(
                        "INSERT OR REPLACE INTO cells (key, state, owner, heartbeat) "
                        "VALUES (?, 'claimed', ?, ?)",
                        (key, self._owner, now),
                    )
                    break
            else:
                return None
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
        with self._transaction() as connection:
            # One that was taken for dead may come back with a result that is there already.
            if self._settled(key, "done", None):
                connection.execute("INSERT INTO results VALUES (?, ?, ?)", (key, *texts))
                connection.executemany(
                    "INSERT INTO paths VALUES (?, ?, ?)",
                    [(key, position, archive) for position, archive in enumerate(archives)],
                )

    def fail(self, key: str, sentence: str) -> None:
        """Keep that a cell cannot be computed, and why. It is not claimed again."""
        with self._transaction():
            self._settled(key, "failed", sentence)

    def reopen(self, keys: Iterable[str]) -> None:
        """Let failed cells be claimed again."""
        with self._transaction() as connection:
            connection.executemany(
                "UPDATE cells SET state = 'open', owner = NULL, heartbeat = NULL, sentence = NULL "
                "WHERE key = ? AND state = 'failed'",
                [(key,) for key in keys],
            )

    def _settled(self, key: str, state: str, sentence: str | None) -> bool:
        """Tell whether a cell, which was not done, now is what it is said to be."""
        cursor = self._connection.execute(
            "INSERT INTO cells (key, state, owner, heartbeat, sentence) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (key) DO UPDATE SET state = excluded.state, owner = excluded.owner, "
            "heartbeat = excluded.heartbeat, sentence = excluded.sentence WHERE state != 'done'",
            (key, state, self._owner, time.time(), sentence),
        )
        return cursor.rowcount == 1

    # ---- what is there

    def states(self) -> dict[str, str]:
        """Return "open", "claimed", "done" or "failed" for every cell the store knows."""
        return {key: str(state) for key, state in self._read("SELECT key, state FROM cells")}

    def done(self) -> list[str]:
        """Return the cells that are done, in the order of their keys."""
        return sorted(key for key, state in self.states().items() if state == "done")

    def failures(self) -> dict[str, str]:
        """Return the sentences of the cells that failed."""
        return dict(self._read("SELECT key, sentence FROM cells WHERE state = 'failed'"))

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
        rows = self._read("SELECT curve, facts FROM results WHERE key = ?", key)
        if not rows:
            raise KeyError(f"The run store has no result of the cell {key}.")
        archives = []
        if with_paths:
            archives = self._read("SELECT archive FROM paths WHERE key = ? ORDER BY position", key)
        curve, facts = rows[0]
        return Result(
            tuple(archive for (archive,) in archives), json.loads(curve), json.loads(facts)
        )

    def to_frame(self) -> Any:
        """Return a pandas data frame with one row per cell.

        Columns: one per setting, state, failure (a sentence, missing where there was none), and the
        facts kept with the results.
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError("RunStore.to_frame needs pandas: pip install pandas.") from error
        rows = self._read(
            "SELECT cells.key, state, sentence, facts FROM cells LEFT JOIN results "
            "ON cells.key = results.key ORDER BY cells.key"
        )
        return pd.DataFrame(
            [
                {
                    **settings_of(key),
                    "state": state,
                    "failure": sentence,
                    **({} if facts is None else json.loads(facts)),
                }
                for key, state, sentence, facts in rows
            ]
        )

    # ---- the file

    def _read(self, statement: str, *values: Any) -> list[Any]:
        with self._lock:
            return self._connection.execute(statement, values).fetchall()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """All of it happens, or nothing; no other process writes meanwhile."""
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def _beat_from_now_on(self) -> None:
        if self._beating is None and self.file is not None:
            self._beating = threading.Thread(target=self._beat, daemon=True)
            self._beating.start()

    def _beat(self) -> None:
        """Say again and again that the cells claimed here are being worked on."""
        while not self._closed.wait(BEAT_SECONDS):
            # If the file is busy for long, the next beat will do.
            with self._lock, suppress(sqlite3.OperationalError):
                if self._closed.is_set():
                    return
                self._connection.execute(
                    "UPDATE cells SET heartbeat = ? WHERE state = 'claimed' AND owner = ?",
                    (time.time(), self._owner),
                )


def _left(owner: str, heartbeat: float, now: float) -> bool:
    """Tell whether whoever claimed a cell will not finish it."""
    return is_gone(owner) or now - heartbeat > SILENT_SECONDS


def packed(path: Path) -> bytes:
    """Return a path as the bytes of the file that `Path.save` would write."""
    buffer = io.BytesIO()
    path.save(buffer)
    return buffer.getvalue()


def unpacked(archive: bytes) -> Path:
    """Return the path that `packed` made bytes of."""
    return Path.load(io.BytesIO(archive))
