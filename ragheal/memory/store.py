"""`memory.db` in the index folder: remembered plans with the vectors of their questions.

Nothing but the plans is in it, and the plans are in the traces: a damaged file is set aside and an empty one made.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from ragheal.storage.sqlite import Database, move_aside
from ragheal.types import Lang, Plan, Route, Value

_SCHEMA = (
    """
    CREATE TABLE IF NOT EXISTS plans (
        id TEXT PRIMARY KEY, question TEXT NOT NULL, normal TEXT NOT NULL, lang TEXT NOT NULL, route TEXT NOT NULL,
        plan TEXT NOT NULL,       -- a Plan as JSON
        documents TEXT NOT NULL,  -- source -> sha256 of its content, as JSON
        embedder TEXT NOT NULL, vector BLOB NOT NULL,  -- float32, unit length
        strength REAL NOT NULL, uses INTEGER NOT NULL, successes INTEGER NOT NULL, failures INTEGER NOT NULL,
        created TEXT NOT NULL, last_used TEXT NOT NULL, trace_id TEXT NOT NULL
    )
    """,
    "CREATE TABLE IF NOT EXISTS meta (writes INTEGER NOT NULL)",
    "INSERT INTO meta SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM meta)",
)
MEMORY = Database("memory.db", _SCHEMA)


class Remembered(Value, frozen=True):
    """A plan that ended in a verified answer. Times are ISO 8601 in UTC; `last_used` is empty before a use.

    `documents` holds the SHA-256 of each document that the answer cited; `strength` grows with each success,
    is halved by each failure, and weighs the plan against others.
    """

    id: str
    question: str
    lang: Lang
    route: Route
    plan: Plan
    documents: dict[str, str]
    embedder: str
    strength: float
    uses: int
    successes: int
    failures: int
    created: str
    last_used: str
    trace_id: str


FIELDS = Remembered.__struct_fields__
SELECT = f"SELECT {', '.join(FIELDS)} FROM plans"


def decoded(row: tuple[Any, ...]) -> Remembered | None:
    """A row of SELECT as a value; None when it cannot be read."""
    values = dict(zip(FIELDS, row, strict=True))
    try:
        values["plan"] = msgspec.json.decode(values["plan"], type=Plan)
        values["documents"] = msgspec.json.decode(values["documents"], type=dict[str, str])
        return msgspec.convert(values, Remembered)
    except (msgspec.MsgspecError, TypeError, UnicodeDecodeError):
        return None


@contextmanager
def changing(folder: Path) -> Iterator[sqlite3.Connection]:
    """One transaction, counted, so that whoever keeps the vectors knows of it. Raises Damaged, StorageError."""
    with MEMORY.writing(folder) as db:
        db.execute("UPDATE meta SET writes = writes + 1")
        yield db


def stamp(db: sqlite3.Connection, folder: Path) -> tuple[int, int] | None:
    """Differs after every write of any process; None when the file is gone.

    The file is not opened for it: closing any handle of it would drop the locks that SQLite holds in this process.
    """
    try:
        inode = os.stat(folder / MEMORY.name).st_ino
    except OSError:
        return None
    return inode, int(db.execute("SELECT coalesce(max(writes), 0) FROM meta").fetchone()[0])


def set_aside(folder: Path) -> str | None:
    """Move a damaged file out of the way; gives its new name, "" when another process was quicker.

    None when the folder forbids it.
    """
    path = folder / MEMORY.name
    try:
        return move_aside(path).name
    except OSError:
        return None if os.path.lexists(path) else ""
