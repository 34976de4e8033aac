"""Where traces are kept: `history.db` in the index folder.

The database outlives generations of the index. Other modules keep tables of their own in it, through
`open_history`.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from ragheal.errors import StorageError, TraceError
from ragheal.storage.sqlite import Damaged, Database, has_table, storable
from ragheal.tracing.files import decode, encode
from ragheal.types import Route, Status, Trace

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
_DAMAGED = "move history.db away (`ragheal doctor --fix` does it); a new one is begun with the next question"
HISTORY = Database("history.db", _SCHEMA, version=0, unnumbered=True, vacuum="INCREMENTAL")


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


class TraceStore:
    """The traces of one index folder. Nothing is created before the first save."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def save(self, trace: Trace) -> None:
        """Raises StorageError when the folder cannot be written or the database is damaged."""
        answer = trace.answer
        row = (
            trace.id, trace.created, storable(trace.question), answer.status, answer.route, answer.rounds,
            trace.seconds, trace.index_generation, zlib.compress(encode(trace), 6),
        )  # fmt: skip
        with open_history(self.folder, write=True) as db:
            db.execute(f"INSERT INTO traces ({_LISTED}, body) VALUES (?,?,?,?,?,?,?,?,?)", row)
            _show(db, trace.id)

    def shown(self, trace_id: str) -> None:
        """From now on `last` is this trace, whose answer was shown again. Raises StorageError."""
        with open_history(self.folder, write=True) as db:
            _show(db, trace_id)

    def load(self, reference: str) -> Trace:
        """The trace with this id, the only one whose id begins (or ends) with it, or the `last` that was shown.

        Raises TraceError when there is none, when there are several, or when it cannot be read.
        """
        with open_history(self.folder, write=False) as db:
            found = self._resolve(db, reference)
            body = db.execute("SELECT body FROM traces WHERE id = ?", (found,)).fetchone()[0]
        try:
            data = zlib.decompress(body)
        except zlib.error:
            raise TraceError(f"trace {found} in {self.folder / HISTORY.name} is damaged") from None
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
        if not HISTORY.begun(self.folder):
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
        with open_history(self.folder, write=False) as db:
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

    A row about a trace names it in a column `trace_id`: then it goes when the trace goes (`retention.py`).

    Raises, reading: TraceError when nothing is kept yet, or it cannot be read. Raises, writing: StorageError.
    """
    if not write and not HISTORY.begun(folder):
        raise TraceError(f"no traces are kept in {folder}", hint='make one: ragheal ask "…"')
    try:
        with HISTORY.writing(folder) if write else HISTORY.reading(folder) as db:
            yield db
    except StorageError as error:
        if isinstance(error, Damaged):
            error.hint = _DAMAGED
        if write:
            raise
        raise TraceError(error.message, hint=error.hint) from None


def _show(db: sqlite3.Connection, trace_id: str) -> None:
    db.execute("INSERT OR REPLACE INTO last VALUES (1, ?)", (trace_id,))
