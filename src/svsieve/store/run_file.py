"""The file of a run store: making it, and refusing one that is another's."""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path as FilePath
from urllib.parse import quote

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


def connected(name: str, *, uri: bool = False) -> sqlite3.Connection:
    """Return a connection whose transactions begin and end where the code says so."""
    return sqlite3.connect(
        name, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, uri=uri
    )


def lay_out(connection: sqlite3.Connection, fingerprint: Mapping[str, str]) -> None:
    """Make the tables of an empty store."""
    connection.executescript(SCHEMA)
    connection.executemany(
        "INSERT INTO meta VALUES (?, ?)",
        [("format", str(FORMAT)), ("fingerprint", json.dumps(dict(fingerprint)))],
    )


def make(file: FilePath, fingerprint: Mapping[str, str]) -> None:
    """Make an empty store, unless another process has made one meanwhile.

    It is made beside the file and linked into place, so that whoever finds it finds it complete.
    """
    half_done = file.with_name(f"{file.name}.{secrets.token_hex(4)}.tmp")
    try:
        with closing(connected(str(half_done))) as connection:
            lay_out(connection, fingerprint)
            connection.execute("PRAGMA journal_mode = WAL")
        with suppress(FileExistsError):
            os.link(half_done, file)
    finally:
        half_done.unlink(missing_ok=True)
    folder = os.open(file.absolute().parent, os.O_RDONLY)
    try:
        os.fsync(folder)  # the name of the file is on the disk, not only what is in it
    finally:
        os.close(folder)


def refuse_others(file: FilePath, fingerprint: Mapping[str, str] | None) -> None:
    """Refuse a file that is no run store, or one of another version or of another run."""
    try:
        meta = _meta(file)
        version, found = meta["format"], json.loads(meta["fingerprint"])
    except (sqlite3.Error, KeyError, ValueError) as error:
        reason = f"no entry {error}" if isinstance(error, KeyError) else error
        raise ValueError(
            f"Run store {str(file)!r} is damaged or is none of svsieve's ({reason}). It is left as "
            "it is; name another file."
        ) from error
    if version != str(FORMAT):
        raise ValueError(
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
        raise ValueError(
            f"Run store {str(file)!r} belongs to another run: {listed} differ. It is left as it "
            "is; name another file, or delete this one to start over."
        )


def _named(name: str, there: str | None, here: str | None) -> str:
    if there is None or here is None or max(len(there), len(here)) > SHOWN:
        return name
    return f"{name} ({there} there, {here} here)"


def _meta(file: FilePath) -> dict[str, str]:
    """Read the facts about a store without writing anything."""
    # A log that is not empty must be read too. Without one the file is read as it is, or SQLite
    # would make a log.
    log = file.with_name(f"{file.name}-wal")
    logged = log.exists() and log.stat().st_size > 0
    name = f"file:{quote(str(file.absolute()))}?{'mode=ro' if logged else 'immutable=1'}"
    with closing(connected(name, uri=True)) as connection:
        return dict(connection.execute("SELECT name, value FROM meta"))
