"""How long the history is kept: by age and by size, the oldest first.

With a trace go the rows about it in the other tables, and the space is given back to the disk.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from ragheal.errors import StorageError
from ragheal.history.database import ABOUT_TRACES, HISTORY, reading, writing
from ragheal.settings import Settings
from ragheal.settings.sections import HistorySettings
from ragheal.storage.clock import stamp
from ragheal.storage.sqlite import Damaged

MEGABYTE = 1_000_000
_DAY = 86_400.0
#: How far the file may outgrow its limit, or what was left the last time, before it is looked at again.
_SLACK = 1.02


class Pruned(msgspec.Struct, frozen=True):
    """What was removed (or would be): traces, and rows of other tables by table. Sizes in bytes of the file."""

    traces: int = 0
    rows: dict[str, int] = {}
    before: int = 0
    after: int = 0  # of a dry run: estimated
    kept: int = 0  # traces left
    oldest: str | None = None  # of the traces left: when it was made


def prune(folder: Path, history: HistorySettings, *, now: datetime, dry_run: bool = False) -> Pruned:
    """Remove what is older than `keep_days`, then the oldest until the file is within `keep_mb`. 0: no limit.

    Raises StorageError when the database cannot be written. Nothing kept yet: nothing removed, none created.
    """
    if not HISTORY.begun(folder):
        return Pruned()
    with reading(folder) if dry_run else writing(folder) as db:
        before = _size(db)
        db.execute("CREATE TEMP TABLE doomed (id TEXT PRIMARY KEY)")
        freed = _too_old(db, history, now)
        rows: dict[str, int] = {}
        if dry_run:
            freed += _too_much(db, history, freed)
            _remove(db, history, now, rows, dry_run=True)
        else:
            _remove(db, history, now, rows)
            # The bytes a row takes are an estimate: look again.
            while _too_much(db, history, 0):
                _remove(db, history, now, rows)
            db.commit()
            if rows:
                _shrink(db)
            note = ("pruned", now.timestamp(), _size(db))
            db.execute("INSERT OR REPLACE INTO upkeep VALUES (?,?,?)", note)
        left = "FROM traces WHERE id NOT IN (SELECT id FROM doomed)"
        kept, oldest = db.execute(f"SELECT count(*), min(created) {left}").fetchone()
        after = max(0, before - freed) if dry_run else _size(db)
    traces = rows.pop("traces", 0)
    return Pruned(traces, rows, before, after, kept, oldest)


def prune_if_due(folder: Path, settings: Settings, *, now: datetime | None = None) -> Pruned | None:
    """`prune` when a day has passed since the last time, or the file has outgrown its limit; else None.

    For after every save: finding out that it is not due takes well under a millisecond. Raises StorageError.
    """
    history = settings.history
    if not HISTORY.begun(folder) or not (history.keep_days or history.keep_mb):
        return None
    now = now or datetime.now(UTC)
    try:
        at, left = _last(folder)
        size = os.stat(folder / HISTORY.name).st_size
    except Damaged:
        raise
    except StorageError:
        return None  # somebody is writing: the next save looks again
    limit = history.keep_mb * MEGABYTE
    outgrown = limit > 0 and size > _SLACK * max(limit, left)
    # A clock that was set back must not put the next time off for long.
    rested = 0 <= now.timestamp() - at < _DAY
    return None if rested and not outgrown else prune(folder, history, now=now)


def _last(folder: Path) -> tuple[float, int]:
    """When the history was last pruned (seconds since 1970) and the bytes left; 0 and 0 for never."""
    with HISTORY.reading(folder, busy=0.1) as db:
        row = db.execute("SELECT at, bytes FROM upkeep WHERE name = 'pruned'").fetchone()
    return (float(row[0]), int(row[1])) if row else (0.0, 0)


def _too_old(db: sqlite3.Connection, history: HistorySettings, now: datetime) -> int:
    """Put the traces that are too old into `doomed`; gives the bytes that they take, about."""
    if not history.keep_days:
        return 0
    old, before = "FROM traces WHERE created < ?", (stamp(now - timedelta(days=history.keep_days)),)
    db.execute(f"INSERT INTO doomed SELECT id {old}", before)
    return _count(db, f"SELECT coalesce(sum(length(body)), 0) {old}", before)


def _too_much(db: sqlite3.Connection, history: HistorySettings, freed: int) -> int:
    """Put the oldest traces into `doomed` until the rest is within the limit; gives their bytes, about.

    `freed` bytes are spoken for.
    """
    excess = _used(db) - freed - int(history.keep_mb * MEGABYTE)
    if not history.keep_mb or excess <= 0:
        return 0
    query = (
        "SELECT id, length(body) + 3 * length(CAST(question AS BLOB)) FROM traces "
        "WHERE id NOT IN (SELECT id FROM doomed) ORDER BY created, rowid"
    )
    going: list[tuple[str]] = []
    size = 0
    for id_, row_bytes in db.execute(query):
        going.append((id_,))
        size += row_bytes
        if size >= excess:
            break
    db.executemany("INSERT INTO doomed VALUES (?)", going)
    return size


def _remove(
    db: sqlite3.Connection, history: HistorySettings, now: datetime, rows: dict[str, int], *, dry_run: bool = False
) -> None:
    """Delete the doomed and every row about them, or only count; adds to `rows` how many, by table."""

    def gone(table: str, where: str, values: tuple[object, ...] = ()) -> None:
        if dry_run:
            count = _count(db, f"SELECT count(*) FROM {table} WHERE {where}", values)
        else:
            count = db.execute(f"DELETE FROM {table} WHERE {where}", values).rowcount
        if count:
            rows[table] = rows.get(table, 0) + count

    for table in ABOUT_TRACES:
        gone(table, "trace_id IN (SELECT id FROM doomed)")
        if history.keep_days:
            # About a trace that was never kept: it ages on its own.
            before = stamp(now - timedelta(days=history.keep_days))
            gone(table, "created < ? AND trace_id NOT IN (SELECT id FROM traces)", (before,))
    gone("traces", "id IN (SELECT id FROM doomed)")


def _shrink(db: sqlite3.Connection) -> None:
    """Give the free pages back to the disk. Another reader, or no room for a copy: they are used again later."""
    with suppress(sqlite3.OperationalError):
        if _count(db, "PRAGMA auto_vacuum") == 0:  # a database of before: made anew once
            db.execute("PRAGMA auto_vacuum = INCREMENTAL")
            db.execute("VACUUM")
        else:
            db.executescript("PRAGMA incremental_vacuum")  # `execute` would free one page and stop


def _size(db: sqlite3.Connection) -> int:
    return _count(db, "PRAGMA page_count") * _count(db, "PRAGMA page_size")


def _used(db: sqlite3.Connection) -> int:
    return _size(db) - _count(db, "PRAGMA freelist_count") * _count(db, "PRAGMA page_size")


def _count(db: sqlite3.Connection, query: str, values: tuple[object, ...] = ()) -> int:
    return int(db.execute(query, values).fetchone()[0])
