"""Where traces are kept: `history.db` in the index folder.

The database outlives generations of the index. Its journal is SQLite's plain one, so that a folder
nobody may write can still be read. Other modules keep tables of their own in it, through `open_history`.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import time
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from ragheal.errors import StorageError, TraceError
from ragheal.tracing.files import decode, encode
from ragheal.types import Route, Status, Trace

HISTORY = "history.db"
LAST = "last"

_LISTED = "id, created, question, status, route, rounds, seconds, generation"
_SCHEMA = (
    """
    CREATE TABLE IF NOT EXISTS traces (
        id TEXT PRIMARY KEY, created TEXT NOT NULL, question TEXT NOT NULL, status TEXT NOT NULL,
        route TEXT NOT NULL, rounds INTEGER NOT NULL, seconds REAL NOT NULL, generation INTEGER NOT NULL,
        body BLOB NOT NULL  -- zlib of the trace's JSON
    )
    """,
    # Holds everything that is listed or filtered by, so that no listing touches the bodies.
    """
    CREATE INDEX IF NOT EXISTS traces_listed
    ON traces (created, status, route, question, id, rounds, seconds, generation)
    """,
    # One row: the trace whose answer was shown last. No column `trace_id`: the row outlives that trace.
    "CREATE TABLE IF NOT EXISTS last (one INTEGER PRIMARY KEY CHECK (one = 1), shown TEXT NOT NULL)",
)
_BUSY_SECONDS = 10.0
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32: no i, l, o, u
_EPOCH = 1_735_689_600  # 2025-01-01, so that seven digits last until 2059


class TraceRow(msgspec.Struct, frozen=True):
    """A trace as it is listed. `created` is ISO 8601 in UTC, `generation` the index's."""

    id: str
    created: str
    question: str
    status: Status
    route: Route
    rounds: int
    seconds: float
    generation: int


def new_id() -> str:
    """A fresh trace id: 7 digits of time (1/32 s), so that ids sort by age, and 4 of chance; base 32."""
    ticks = int((time.time() - _EPOCH) * 32)
    return _digits(ticks, 7) + _digits(secrets.randbits(20), 4)


def now() -> str:
    """The time of a trace: ISO 8601, UTC, milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class TraceStore:
    """The traces of one index folder. Nothing is created before the first save."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / HISTORY

    def save(self, trace: Trace) -> None:
        """Raises StorageError when the folder cannot be written or the database is damaged."""
        answer = trace.answer
        row = (
            trace.id, trace.created, storable(trace.question), answer.status, answer.route, answer.rounds,
            trace.seconds, trace.index_generation, zlib.compress(encode(trace), 6),
        )  # fmt: skip
        with open_history(self.path.parent, write=True) as db:
            db.execute(f"INSERT INTO traces ({_LISTED}, body) VALUES (?,?,?,?,?,?,?,?,?)", row)
            _show(db, trace.id)

    def shown(self, trace_id: str) -> None:
        """From now on `last` is this trace, whose answer was shown again. Raises StorageError."""
        with open_history(self.path.parent, write=True) as db:
            _show(db, trace_id)

    def load(self, reference: str) -> Trace:
        """The trace with this id, the only one whose id begins (or ends) with it, or the `last` that was shown.

        Raises TraceError when there is none, when there are several, or when it cannot be read.
        """
        with open_history(self.path.parent, write=False) as db:
            found = self._resolve(db, reference)
            body = db.execute("SELECT body FROM traces WHERE id = ?", (found,)).fetchone()[0]
        try:
            data = zlib.decompress(body)
        except zlib.error:
            raise TraceError(f"trace {found} in {self.path} is damaged") from None
        return decode(data, f"trace {found}")

    def list(
        self,
        *,
        limit: int = 20,
        status: str | None = None,
        route: str | None = None,
        contains: str | None = None,
        since: str | None = None,
        until: str | None = None,
    ) -> tuple[TraceRow, ...]:
        """The newest traces first; none yet: an empty tuple.

        `contains` is looked for in the question, whatever the case of its letters. `since` (itself within) and
        `until` (itself without) bound `created` and are written alike; a beginning such as 2026-03 will do.
        """
        if not begun(self.path):
            return ()
        where, values = ["1"], list[object]()
        for condition, value in (
            ("status = ?", status),
            ("route = ?", route),
            ("instr(lower(question), lower(?)) > 0", contains or None),
            ("created >= ?", since),
            ("created < ?", until),
        ):
            if value is not None:
                where.append(condition)
                values.append(value)
        query = (
            f"SELECT {_LISTED} FROM traces WHERE {' AND '.join(where)} ORDER BY created DESC, rowid DESC LIMIT ?"
        )
        with open_history(self.path.parent, write=False) as db:
            return tuple(TraceRow(*row) for row in db.execute(query, (*values, limit)))

    def _resolve(self, db: sqlite3.Connection, reference: str) -> str:
        ids: list[str]
        if reference == LAST:
            shown = "SELECT t.id FROM last l JOIN traces t ON t.id = l.shown"
            ids = [row[0] for row in db.execute(shown)] if has_table(db, "last") else []
            ids = ids or [row[0] for row in db.execute("SELECT id FROM traces ORDER BY rowid DESC LIMIT 1")]
            if not ids:
                raise TraceError("no trace is kept here yet", hint='make one: ragheal ask "…"')
            return ids[0]
        wanted = reference.lower()
        ids = [
            row[0]
            for row in db.execute(
                "SELECT id FROM traces WHERE substr(id, 1, ?1) = ?2 OR substr(id, -?1) = ?2 ORDER BY rowid DESC",
                (len(wanted), wanted),
            )
        ]
        if wanted in ids or len(ids) == 1:
            return wanted if wanted in ids else ids[0]
        if ids:
            shown = ", ".join(ids[:5]) + (" …" if len(ids) > 5 else "")
            raise TraceError(f"{len(ids)} traces match `{reference}`", hint=f"give more of the id: {shown}")
        raise TraceError(f"no trace `{reference}`", hint="`ragheal traces` lists them; a file needs its path")


@contextmanager
def open_history(folder: Path, *, write: bool) -> Iterator[sqlite3.Connection]:
    """`history.db` of an index folder, for one reading or one transaction.

    To read, it is opened so that nothing is created or changed. To write, it is created with the table of
    traces; a table of one's own comes by CREATE TABLE IF NOT EXISTS. What the block did is committed at its
    end, or undone when it raises. A row about a trace names it in a column `trace_id`: then it goes when the
    trace goes (`retention.py`).

    Raises, reading: TraceError when nothing is kept yet, or it cannot be read. Raises, writing: StorageError.
    """
    path = folder / HISTORY
    if not write and not begun(path):
        raise TraceError(f"no traces are kept in {path.parent}", hint='make one: ragheal ask "…"')
    try:
        if write:
            # IMMEDIATE: a transaction that reads first must not find out at its end that another one wrote.
            opened = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level="IMMEDIATE")
            with closing(opened) as db, db:
                _prepare(db)
                yield db
        else:
            uri = f"{path.absolute().as_uri()}?mode=ro"
            with closing(sqlite3.connect(uri, uri=True, timeout=_BUSY_SECONDS)) as db:
                yield db
    except sqlite3.Error as error:
        if write:
            raise StorageError(f"cannot write {path}: {error}", hint=_hint(error, path)) from None
        raise TraceError(f"cannot read {path}: {error}", hint=_hint(error, path)) from None


def has_table(db: sqlite3.Connection, name: str) -> bool:
    """Whether anything was ever kept in a table; a history of before it has none."""
    found = db.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (name,)).fetchone()
    return found is not None


def begun(path: Path) -> bool:
    """Whether anything was ever saved in a database; a save that met a full disk leaves an empty file.

    One that may not be looked at counts as begun: opening it then tells why it cannot be read.
    """
    try:
        return os.stat(path).st_size > 0
    except PermissionError:
        return True
    except OSError:
        return False


def remedy(error: sqlite3.Error, path: Path) -> str:
    """What to do about a database that wants space or a right of the user; "" for any other reason."""
    if "disk is full" in str(error):
        return "free some space"
    return access(path)


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
    for tail in ("-journal", "-wal", "-shm"):
        # Left beside it, a journal would be played into its successor.
        with suppress(FileNotFoundError):
            os.replace(f"{path}{tail}", f"{target}{tail}")
    return target


def _show(db: sqlite3.Connection, trace_id: str) -> None:
    db.execute("INSERT OR REPLACE INTO last VALUES (1, ?)", (trace_id,))


def _prepare(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA auto_vacuum = INCREMENTAL")  # of effect before the first table alone
    for statement in _SCHEMA:
        db.execute(statement)


def _hint(error: sqlite3.Error, path: Path) -> str:
    if isinstance(error, sqlite3.OperationalError):
        return remedy(error, path)
    return f"move {path.name} away (`ragheal doctor --fix` does it); a new one is begun with the next question"


def storable(text: str) -> str:
    """SQLite takes no lone surrogates, which an argument that is not UTF-8 carries."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _digits(value: int, count: int) -> str:
    return "".join(_ALPHABET[(value >> (5 * i)) & 31] for i in reversed(range(count)))
