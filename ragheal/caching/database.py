"""`cache.db`: opened for one lookup at a time, begun anew when damaged, done without when it cannot be written.

It is a copy of what could be made again, so it need not survive a power cut (`synchronous = OFF`); what a cut
leaves of it is found out by SQLite or by the checksum of the entry, and dropped.
"""

from __future__ import annotations

import os
import sqlite3
import time
import zlib
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import TypeVar

CACHE = "cache.db"
#: Begins the entry of `Answer.degraded` that tells of a cache begun anew. It tells of the disk, not of the run.
NOTE = "cache begun anew"

T = TypeVar("T")
_VERSION = 1  # of the tables; a file with other ones is begun anew
_BUSY_SECONDS = 2.0  # a question waits no longer for other processes
_SCHEMA = (
    """
    CREATE TABLE entries (
        kind TEXT NOT NULL, key TEXT NOT NULL, label TEXT NOT NULL,
        made REAL NOT NULL, used INTEGER NOT NULL,  -- seconds since 1970; the number of the last use
        body BLOB NOT NULL,  -- zlib of JSON
        PRIMARY KEY (kind, key)
    )
    """,
    "CREATE INDEX entries_used ON entries (kind, used)",
    "CREATE TABLE counts (day TEXT, kind TEXT, hits INTEGER, misses INTEGER, PRIMARY KEY (day, kind))",
)
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR})
_NEXT = "(SELECT coalesce(max(used), 0) + 1 FROM entries WHERE kind = ?)"


class Entries:
    """Entries of one kind: bytes by key, each with a label. Nothing is created before the first lookup.

    `notes` says what was given up, for the user.
    """

    def __init__(self, folder: Path, kind: str, limit: int) -> None:
        self._path = folder / CACHE
        self._kind = kind
        self._limit = limit
        self.notes: tuple[str, ...] = ()

    def get(self, key: str, ttl: Callable[[str], float]) -> tuple[bytes, float] | None:
        """The body and its age in seconds; None when there is none younger than `ttl(label)`. Counted."""

        def look(db: sqlite3.Connection) -> tuple[bytes, float] | None:
            query = "SELECT label, made, body FROM entries WHERE kind = ? AND key = ?"
            row = db.execute(query, (self._kind, key)).fetchone()
            found = None
            if row:
                label, made, packed = row
                age = time.time() - made
                with suppress(zlib.error):
                    # An age below 0: the clock was set back, and nobody knows how old the entry is.
                    found = (zlib.decompress(packed), age) if 0 <= age < ttl(label) else None
            if found:
                db.execute(
                    f"UPDATE entries SET used = {_NEXT} WHERE kind = ? AND key = ?", (self._kind,) * 2 + (key,)
                )
            elif row:
                db.execute("DELETE FROM entries WHERE kind = ? AND key = ?", (self._kind, key))
            _count(db, self._kind, hit=found is not None)
            return found

        return self._with(look)

    def put(self, key: str, label: str, body: bytes) -> bool:
        """Keep it, and let go of the least recently used beyond the limit. False: it could not be kept."""
        packed = zlib.compress(body, 6)

        def keep(db: sqlite3.Connection) -> bool:
            db.execute(
                f"INSERT OR REPLACE INTO entries VALUES (?,?,?,?,{_NEXT},?)",
                (self._kind, key, label, time.time(), self._kind, packed),
            )
            (count,) = db.execute("SELECT count(*) FROM entries WHERE kind = ?", (self._kind,)).fetchone()
            if count > self._limit:
                db.execute(
                    "DELETE FROM entries WHERE kind = ?1 AND key IN "
                    "(SELECT key FROM entries WHERE kind = ?1 ORDER BY used LIMIT ?2)",
                    (self._kind, count - self._limit),
                )
            return True

        return self._with(keep) or False

    def remove(self, key: str) -> None:
        self._with(lambda db: db.execute("DELETE FROM entries WHERE kind = ? AND key = ?", (self._kind, key)))

    def _with(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        """Do something with the database; None when it cannot be used."""
        try:
            return _worked(self._path, work)
        except sqlite3.Error as error:
            if not is_damage(error) or not drop(self._path):
                return None  # nobody may write here, the disk is full, or others are at it for long
        self.notes = (f"{NOTE}: {CACHE} was damaged",)
        with suppress(sqlite3.Error):
            return _worked(self._path, work)
        return None


def drop(path: Path) -> bool:
    """Remove the file. False when that is not allowed; one that is not there is removed."""
    try:
        for name in (path, path.with_name(path.name + "-journal")):
            with suppress(FileNotFoundError):
                os.unlink(name)
    except OSError:
        return False
    return True


def _worked(path: Path, work: Callable[[sqlite3.Connection], T]) -> T:
    # IMMEDIATE: of two processes that look and then write, the second waits instead of failing.
    with closing(sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)) as db:
        db.execute("PRAGMA synchronous = OFF")
        if _version(db) == 0:
            db.execute("PRAGMA auto_vacuum = FULL")
        db.execute("BEGIN IMMEDIATE")
        if _version(db) != _VERSION:
            for statement in (*_SCHEMA, f"PRAGMA user_version = {_VERSION}"):
                db.execute(statement)
        result = work(db)
        db.execute("COMMIT")
        return result


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def _count(db: sqlite3.Connection, kind: str, *, hit: bool) -> None:
    db.execute(
        "INSERT INTO counts VALUES (date('now'), ?, ?, ?) "
        "ON CONFLICT (day, kind) DO UPDATE SET hits = hits + excluded.hits, misses = misses + excluded.misses",
        (kind, int(hit), int(not hit)),
    )


def is_damage(error: sqlite3.Error) -> bool:
    """Whether the file is none of ours: it is begun anew at its next use."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in _DAMAGED
