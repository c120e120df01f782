"""The file of a run store: making it, reading it, and refusing one that is damaged or another's."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path as FilePath
from urllib.parse import quote

from svsieve.half_done import beside, one_at_a_time, sync

FORMAT = 1
# How long to wait while another process writes.
BUSY_SECONDS = 60.0
# Entries of a fingerprint up to this length are shown: versions, not digests.
SHOWN = 20

SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE cells (
    key TEXT PRIMARY KEY,
    state TEXT NOT NULL CHECK (state IN ('open', 'claimed', 'done', 'failed')),
    owner TEXT,
    heartbeat REAL,
    sentence TEXT
);
CREATE TABLE results (
    key TEXT PRIMARY KEY REFERENCES cells (key),
    curve TEXT NOT NULL,
    facts TEXT NOT NULL
);
CREATE TABLE paths (
    key TEXT NOT NULL REFERENCES cells (key),
    position INTEGER NOT NULL,
    archive BLOB NOT NULL,
    PRIMARY KEY (key, position)
);
"""
# What says of a result whether it is still what was kept. Stores of version 0.1.0 have no digests;
# that version reads stores that have some.
DIGESTS = """
CREATE TABLE IF NOT EXISTS digests (
    key TEXT PRIMARY KEY REFERENCES cells (key),
    archives TEXT NOT NULL,
    whole TEXT NOT NULL
);
"""
# What SQLite says where nothing is wrong with the file but with the disk or with who else is there.
DISK = (
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_NOLFS,
)


class RefusedStoreError(ValueError):
    """A run store that is not read, in one sentence that names the file."""


def connected(name: str, *, uri: bool = False) -> sqlite3.Connection:
    """Return a connection whose transactions begin and end where the code says so."""
    return sqlite3.connect(
        name, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, uri=uri
    )


def in_memory(fingerprint: Mapping[str, str]) -> sqlite3.Connection:
    """Return an empty store that is kept nowhere."""
    connection = connected(":memory:")
    lay_out(connection, fingerprint)
    return connection


def lay_out(connection: sqlite3.Connection, fingerprint: Mapping[str, str]) -> None:
    """Make the tables of an empty store."""
    connection.executescript(SCHEMA + DIGESTS)
    connection.executemany(
        "INSERT INTO meta VALUES (?, ?)",
        [("format", str(FORMAT)), ("fingerprint", json.dumps(dict(fingerprint)))],
    )


def make(file: FilePath, fingerprint: Mapping[str, str]) -> None:
    """Make an empty store, unless another process has made one meanwhile.

    It is made beside the file and moved into place, so that whoever finds it finds it complete.
    """
    with beside(file) as half_done:
        with closing(connected(str(half_done))) as connection:
            lay_out(connection, fingerprint)
            connection.execute("PRAGMA journal_mode = WAL")
        _put(half_done, file)
    with suppress(OSError):  # not every file system knows how
        sync(file.absolute().parent)  # the name of the file is on the disk, not only what is in it


def _put(new: FilePath, file: FilePath) -> None:
    """Give a file its name, unless there is one of that name."""
    try:
        os.link(new, file)
    except FileExistsError:
        return
    except OSError:  # a file system without hard links
        with one_at_a_time(file.absolute().parent):
            if not file.exists():
                new.rename(file)


@contextmanager
def naming(file: FilePath | None) -> Iterator[None]:
    """Turn whatever a damaged store leads to into one sentence that names the file."""
    try:
        yield
    except (MemoryError, RefusedStoreError, sqlite3.ProgrammingError, sqlite3.InterfaceError):
        raise  # what was damaged is not the file
    except Exception as error:  # SQLite, JSON, zip, a missing name, a number that is a text
        if is_of_the_disk(error):
            raise
        raise damaged(file, error) from error


def is_of_the_disk(error: BaseException) -> bool:
    """Tell whether an error of SQLite is of the disk or of others, not of what is in the file."""
    code = getattr(error, "sqlite_errorcode", None)
    return isinstance(error, sqlite3.OperationalError) and code is not None and code & 255 in DISK


def damaged(file: FilePath | None, reason: object) -> RefusedStoreError:
    """Return the error for a store that is not what was kept."""
    name = "in memory" if file is None else repr(str(file))
    said = f"no entry {reason}" if isinstance(reason, KeyError) else " ".join(str(reason).split())
    return RefusedStoreError(
        f"Run store {name} is damaged or is none of svsieve's ({said}). It is left as it is; name "
        "another file."
    )


def refuse_damaged(connection: sqlite3.Connection, file: FilePath) -> None:
    """Read through a store and refuse it where its pages and tables do not fit together."""
    with naming(file):
        found = [str(line) for (line,) in connection.execute("PRAGMA integrity_check(1)")]
        if found != ["ok"]:
            raise damaged(file, "; ".join(found))


def refuse_others(file: FilePath, fingerprint: Mapping[str, str] | None) -> None:
    """Refuse a file that is no run store, or one of another version or of another run."""
    try:
        with closing(read_only(file)) as connection:
            meta = dict(connection.execute("SELECT name, value FROM meta"))
        version, found = meta["format"], dict(json.loads(meta["fingerprint"]))
    except (sqlite3.Error, KeyError, ValueError, TypeError) as error:
        raise damaged(file, error) from error
    if version != str(FORMAT):
        raise RefusedStoreError(
            f"Run store {str(file)!r} has format {version}, this version of svsieve reads "
            f"{FORMAT}. It is left as it is; name another file."
        )
    if fingerprint is None:
        return
    names = [*fingerprint, *(name for name in found if name not in fingerprint)]
    differing = [name for name in names if found.get(name) != fingerprint.get(name)]
    if differing:
        listed = " and ".join(
            _named(name, found.get(name), fingerprint.get(name)) for name in differing
        )
        raise RefusedStoreError(
            f"Run store {str(file)!r} belongs to another run: {listed} differ. It is left as it "
            "is; name another file, or delete this one to start over."
        )


def _named(name: str, there: object, here: str | None) -> str:
    if not isinstance(there, str) or here is None or max(len(there), len(here)) > SHOWN:
        return name
    return f"{name} ({there} there, {here} here)"


def read_only(file: FilePath) -> sqlite3.Connection:
    """Return a connection that reads a store and writes nothing at all."""
    # A log that is not empty must be read too. Without one the file is read as it is, or SQLite
    # would make a log.
    log = file.with_name(f"{file.name}-wal")
    logged = log.exists() and log.stat().st_size > 0
    name = f"file:{quote(str(file.absolute()))}?{'mode=ro' if logged else 'immutable=1'}"
    return connected(name, uri=True)


def copied(connection: sqlite3.Connection | None, file: FilePath) -> sqlite3.Connection:
    """Return a store in memory that holds what a file does, read in whatever way it can be."""
    copy = connected(":memory:")
    try:
        if connection is None:
            raise sqlite3.OperationalError("it cannot be opened")
        connection.backup(copy)
    except sqlite3.Error:
        try:
            with closing(read_only(file)) as source:
                source.backup(copy)
        except sqlite3.Error as error:
            raise damaged(file, error) from error
    return copy
