"""`cache.db`: opened for one lookup at a time, reset when damaged, done without when it cannot be written.

It is a copy of what could be made again, so it need not survive a power cut (`synchronous = OFF`); what a cut
leaves of it is found out by SQLite or by the checksum of the entry, and dropped.
"""

from __future__ import annotations

import sqlite3
import time
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from ragheal.errors import StorageError
from ragheal.storage.sqlite import Damaged, Database

#: Begins the entry of `Answer.degraded` that tells of a cache that was reset. It tells of the disk, not the run.
NOTE = "cache begun anew"

T = TypeVar("T")
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
CACHE = Database("cache.db", _SCHEMA, durable=False, busy=2.0, vacuum="FULL")
_NEXT = "(SELECT coalesce(max(used), 0) + 1 FROM entries WHERE kind = ?)"


class Entries:
    """Entries of one kind: bytes by key, each with a label. Nothing is created before the first lookup.

    `notes` says what was given up, for the user.
    """

    def __init__(self, folder: Path, kind: str, limit: int) -> None:
        self._folder = folder
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
        for again in (False, True):
            try:
                with CACHE.writing(self._folder) as db:
                    return work(db)
            except Damaged:
                if again or not CACHE.drop(self._folder):
                    return None
                self.notes = (f"{NOTE}: {CACHE.name} was damaged",)
            except StorageError:
                return None  # nobody may write here, the disk is full, or others are at it for long
        return None


def _count(db: sqlite3.Connection, kind: str, *, hit: bool) -> None:
    db.execute(
        "INSERT INTO counts VALUES (date('now'), ?, ?, ?) "
        "ON CONFLICT (day, kind) DO UPDATE SET hits = hits + excluded.hits, misses = misses + excluded.misses",
        (kind, int(hit), int(not hit)),
    )
