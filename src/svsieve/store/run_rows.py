"""The rows of a run store: those of its file, or of a copy in memory once the disk fails."""

from __future__ import annotations

import sqlite3
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path as FilePath
from typing import Any, TypeVar

from svsieve.half_done import sweep
from svsieve.store.run_file import (
    DIGESTS,
    connected,
    copied,
    in_memory,
    is_of_the_disk,
    make,
    naming,
    refuse_damaged,
    refuse_others,
)

Answer = TypeVar("Answer")


class RunRows:
    """The rows of a run store. What fails for want of a working disk goes on in memory.

    Parameters
    ----------
    file : Path or None
        Made if need be. None: in memory from the beginning.
    fingerprint : dict of str to str or None
        As :class:`RunStore` takes it.
    owner : str
        Whose claims are kept when the file is left.
    check : bool
        Whether to read through the file for damage.

    Attributes
    ----------
    name : Path or None
        The file that was asked for.
    file : Path or None
        The file; None once everything is in memory.
    lock : RLock
        Held by whoever reads or writes.
    """

    def __init__(
        self,
        file: FilePath | None,
        fingerprint: Mapping[str, str] | None,
        owner: str,
        *,
        check: bool,
    ) -> None:
        self.name = self.file = file
        self.lock = threading.RLock()
        self._owner = owner
        self._connection = self._opened(fingerprint)
        try:
            self._survived(lambda: self._make_ready(check))
        except BaseException:
            self._connection.close()
            raise

    def _opened(self, fingerprint: Mapping[str, str] | None) -> sqlite3.Connection:
        if self.file is None:
            return in_memory(fingerprint or {})
        if fingerprint is not None:
            sweep(self.file)
        if not self.file.exists():
            if fingerprint is None:
                raise ValueError(f"There is no run store {str(self.file)!r}.")
            try:
                make(self.file, fingerprint)
            except (OSError, sqlite3.OperationalError) as error:
                if not self.file.exists():  # nor has another process made it
                    return self._instead(in_memory(fingerprint), error)
        refuse_others(self.file, fingerprint)
        try:
            return connected(str(self.file))
        except sqlite3.OperationalError as error:
            return self._instead(copied(None, self.file), error)

    def _make_ready(self, check: bool) -> None:
        self._connection.execute("PRAGMA synchronous = FULL")
        if check and self.name is not None:
            refuse_damaged(self._connection, self.name)
        tables = self._connection.execute("SELECT name FROM sqlite_master WHERE name = 'digests'")
        if not tables.fetchall():
            self._connection.execute(DIGESTS)

    def read(self, statement: str, *values: Any) -> list[Any]:
        """Return the rows that a statement finds."""
        return self._survived(lambda: self._connection.execute(statement, values).fetchall())

    def changed(self, change: Callable[[sqlite3.Connection], Answer]) -> Answer:
        """Return what a change answers.

        All of it happens, or nothing; no other process writes meanwhile.
        """

        def whole() -> Answer:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                answer = change(self._connection)
                self._connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # SQLite may have done so
                    self._connection.execute("ROLLBACK")
                raise
            return answer

        return self._survived(whole)

    def beat(self) -> None:
        """Say that the cells claimed here are worked on; if that fails the next beat will do."""
        with suppress(sqlite3.Error):
            self._connection.execute(
                "UPDATE cells SET heartbeat = ? WHERE state = 'claimed' AND owner = ?",
                (time.time(), self._owner),
            )

    def close(self) -> None:
        """Give back what is claimed and not finished, and let go of the file."""
        try:
            with suppress(sqlite3.Error):  # or claims end with the process
                self._connection.execute(
                    "UPDATE cells SET state = 'open', owner = NULL, heartbeat = NULL "
                    "WHERE state = 'claimed' AND owner = ?",
                    (self._owner,),
                )
        finally:
            self._connection.close()

    def _survived(self, action: Callable[[], Answer]) -> Answer:
        """Return what an action answers; where the disk fails, on a copy of the store in memory."""
        with self.lock, naming(self.name):
            try:
                return action()
            except sqlite3.OperationalError as error:
                if self.file is None or not is_of_the_disk(error):
                    raise
                copy = copied(self._connection, self.file)
                with suppress(sqlite3.Error):
                    self._connection.close()
                self._connection = self._instead(copy, error)
            return action()

    def _instead(self, copy: sqlite3.Connection, error: Exception) -> sqlite3.Connection:
        """Leave the file: what a run finds is not lost for want of a place to keep it."""
        self.file = None
        with naming(self.name):
            # What other processes do is not heard of any more.
            copy.execute(
                "UPDATE cells SET state = 'open', owner = NULL, heartbeat = NULL "
                "WHERE state = 'claimed' AND owner != ?",
                (self._owner,),
            )
        reason = getattr(error, "strerror", None) or error
        warnings.warn(
            f"Run store {str(self.name)!r} could not be written ({reason}); the run goes on with "
            "its results in memory. What is done from here on is not in the file: a run that is "
            "ended has to do it again.",
            UserWarning,
            stacklevel=2,
        )
        return copy
