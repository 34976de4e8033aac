"""`memory.db` in the index folder: remembered plans with the vectors of their questions.

Its journal is SQLite's plain one, so that a folder nobody may write can still be read. Nothing but the plans is
in it, and the plans are in the traces: a damaged file is set aside and begun anew.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import msgspec

from ragheal.errors import StorageError
from ragheal.tracing.store import begun as begun
from ragheal.tracing.store import move_aside, remedy
from ragheal.types import Lang, Plan, Route, Value

MEMORY = "memory.db"
_FORMAT = 1
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
    "UPDATE meta SET writes = writes + 1",
)
_BUSY_SECONDS = 10.0
_DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR})


class Damaged(StorageError):
    """The file is no memory, or of another version."""


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
def opened(path: Path, *, write: bool) -> Iterator[sqlite3.Connection]:
    """The database for one reading or one transaction, which is undone when the block raises.

    To read, it has to be there and nothing is created. Raises Damaged, StorageError.
    """
    try:
        if write:
            with closing(sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)) as db:
                # From the first look on nobody else writes, or two would add the same question.
                db.execute("BEGIN IMMEDIATE")
                try:
                    for statement in _SCHEMA:
                        db.execute(statement)
                    _require_format(db, path, begin=True)
                    yield db
                    db.execute("COMMIT")
                except BaseException:
                    with contextlib.suppress(sqlite3.Error):
                        db.execute("ROLLBACK")
                    raise
        else:
            uri = f"{path.absolute().as_uri()}?mode=ro"
            with closing(sqlite3.connect(uri, uri=True, timeout=_BUSY_SECONDS)) as db:
                _require_format(db, path, begin=False)
                yield db
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        kind = Damaged if code in _DAMAGE else StorageError
        hint = remedy(error, path)
        raise kind(f"cannot {'write' if write else 'read'} {path}: {error}", hint=hint) from None


def _require_format(db: sqlite3.Connection, path: Path, *, begin: bool) -> None:
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version == 0 and begin:
        db.execute(f"PRAGMA user_version = {_FORMAT}")
    elif version != _FORMAT:
        raise Damaged(f"{path} is of another version of ragheal")


def stamp(db: sqlite3.Connection, path: Path) -> tuple[int, int] | None:
    """Differs after every write of any process; None when the file is gone.

    The file is not opened for it: closing any handle of it would drop the locks that SQLite holds in this process.
    """
    try:
        inode = os.stat(path).st_ino
    except OSError:
        return None
    return inode, int(db.execute("SELECT writes FROM meta").fetchone()[0])


def set_aside(path: Path) -> str | None:
    """Move a damaged file out of the way; gives its new name, "" when another process was quicker.

    None when the folder forbids it.
    """
    try:
        return move_aside(path).name
    except OSError:
        return None if os.path.lexists(path) else ""
