"""SQLite: the only code that opens it. `Database` says of a file in the index folder all that opening it takes.

The journal is SQLite's plain one, so that a folder nobody may write can still be read. A transaction is whole or
undone, whatever kills the process; what a power cut may take is said by `durable`.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import msgspec

from ragheal.errors import StorageError

_DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR})
_TABLE = re.compile(r"\s*CREATE TABLE (?:IF NOT EXISTS )?(\w+)(.+)", re.DOTALL)
_TAILS = ("-journal", "-wal", "-shm")


class Damaged(StorageError):
    """The file is no database, has other tables, or is of another version."""


class Database(msgspec.Struct, frozen=True):
    """A database of the index folder, opened for one reading or one transaction at a time.

    `schema` makes the tables of a new file. `unnumbered`: files from before versions were written count as well,
    and its statements do no harm to the tables that these have. `durable` False: it is made again by use, so that
    it need not survive a power cut, and no write waits for the disk. `busy`: seconds to wait for other processes.
    """

    name: str
    schema: tuple[str, ...]
    version: int = 1
    unnumbered: bool = False
    durable: bool = True
    busy: float = 10.0
    vacuum: Literal["NONE", "FULL", "INCREMENTAL"] = "NONE"

    @contextmanager
    def reading(self, folder: Path, *, busy: float | None = None) -> Iterator[sqlite3.Connection]:
        """Opened so that nothing is created or changed. Raises Damaged, StorageError."""
        path = folder / self.name
        with _told(path, "read"), closing(connect(path, "ro", self.busy if busy is None else busy)) as db:
            if self._version(db, path) == 0:
                # The first write was killed, or it was not into every table: what is not there is empty.
                for made in filter(None, map(_TABLE.match, self.schema)):
                    if not has_table(db, made[1]):
                        db.execute(f"CREATE TEMP TABLE {made[1]}{made[2]}")
            yield db

    @contextmanager
    def writing(self, folder: Path) -> Iterator[sqlite3.Connection]:
        """One transaction: committed at the end of the block, undone when it raises. Raises as `reading` does."""
        path = folder / self.name
        with _told(path, "write"), closing(connect(path, "rwc", self.busy)) as db:
            if not self.durable:
                db.execute("PRAGMA synchronous = OFF")
            if self._version(db, path) == 0:
                db.execute(f"PRAGMA auto_vacuum = {self.vacuum}")  # of effect before the first table alone
            # From the first look on nobody else writes: of two that look and then write, the second waits.
            db.execute("BEGIN IMMEDIATE")
            try:
                if self._version(db, path) == 0:
                    for statement in (*self.schema, f"PRAGMA user_version = {self.version}"):
                        db.execute(statement)
                yield db
                if db.in_transaction:
                    db.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    db.execute("ROLLBACK")
                raise

    def in_memory(self) -> sqlite3.Connection:
        """The same tables where there is no file to use; for several threads."""
        db = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        for statement in self.schema:
            db.execute(statement)
        return db

    def begun(self, folder: Path) -> bool:
        """Whether anything was ever saved; a save that met a full disk leaves an empty file.

        One that may not be looked at counts as begun: opening it then tells why it cannot be read.
        """
        try:
            return os.stat(folder / self.name).st_size > 0
        except PermissionError:
            return True
        except OSError:
            return False

    def drop(self, folder: Path) -> bool:
        """Remove the file. False when that is not allowed; one that is not there is removed."""
        path = folder / self.name
        try:
            for name in (f"{path}{tail}" for tail in ("", *_TAILS)):
                with suppress(FileNotFoundError):
                    os.unlink(name)
        except OSError:
            return False
        return True

    def _version(self, db: sqlite3.Connection, path: Path) -> int:
        """0: new, or from before versions were written."""
        found = int(db.execute("PRAGMA user_version").fetchone()[0])
        foreign = found == 0 and not self.unnumbered and db.execute("SELECT 1 FROM sqlite_master").fetchone()
        if foreign or found not in (0, self.version):
            raise Damaged(f"{path} is of another version of ragheal")
        return found


def connect(path: Path, mode: Literal["ro", "rw", "rwc", "immutable"], busy: float = 10.0) -> sqlite3.Connection:
    """A connection without transactions of its own. `immutable`: nobody writes it, so that it takes no lock and
    several threads may read it. Raises sqlite3.Error."""
    if mode == "ro" and os.path.exists(f"{path}-journal") and not access(path):
        mode = "rw"  # of a process that was killed: who only reads cannot undo what it began
    query = "mode=ro&immutable=1" if mode == "immutable" else f"mode={mode}"
    uri = f"{path.absolute().as_uri()}?{query}"
    db = sqlite3.connect(uri, uri=True, timeout=busy, isolation_level=None, check_same_thread=mode != "immutable")
    db.execute("PRAGMA temp_store = MEMORY")
    return db


def connect_draft(path: Path) -> sqlite3.Connection:
    """A connection to a file that nobody reads before it is whole, and that is thrown away when its writer dies:
    no journal, and one transaction until `commit`. Raises sqlite3.Error."""
    db = sqlite3.connect(path, check_same_thread=False)
    db.execute("PRAGMA journal_mode = OFF")
    db.execute("PRAGMA synchronous = OFF")
    return db


def has_table(db: sqlite3.Connection, name: str) -> bool:
    """Whether the file has it; a temporary one does not count."""
    found = db.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (name,)).fetchone()
    return found is not None


def storable(text: str) -> str:
    """SQLite takes no lone surrogates, which an argument that is not UTF-8 carries."""
    return text.encode("utf-8", "replace").decode("utf-8")


def access(path: Path) -> str:
    """What to do about the rights to a database; "" when the user has them."""
    if not os.access(path, os.R_OK) and (os.path.lexists(path) or not os.access(path.parent, os.X_OK)):
        return f"{path.name} is not yours to read: ask its owner for the right, or give it to yourself"
    if not os.access(path.parent, os.W_OK):
        return f"is {path.parent} yours to write?"
    if os.path.lexists(path) and not os.access(path, os.W_OK):
        return f"is {path} yours to write?"
    return ""


def move_aside(path: Path) -> Path:
    """Rename a damaged database, and with it its journal, to a name that is free; gives that. Raises OSError."""
    made = f"{path.name}.damaged-{datetime.now(UTC):%Y%m%d%H%M%S}"
    target, count = path.with_name(made), 1
    while os.path.lexists(target):
        count += 1
        target = path.with_name(f"{made}-{count}")
    os.replace(path, target)
    for tail in _TAILS:
        # Left beside it, a journal would be played into its successor.
        with suppress(FileNotFoundError):
            os.replace(f"{path}{tail}", f"{target}{tail}")
    return target


@contextmanager
def _told(path: Path, doing: str) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        kind = Damaged if getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGE else StorageError
        hint = "free some space" if "disk is full" in str(error) else access(path)
        raise kind(f"cannot {doing} {path}: {error}", hint=hint) from error
