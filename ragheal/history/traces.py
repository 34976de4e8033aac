"""Traces kept and read back, and which of them was shown last."""

from __future__ import annotations

import sqlite3
import zlib
from pathlib import Path

import msgspec

from ragheal.errors import TraceError
from ragheal.history.database import HISTORY, reading, writing
from ragheal.storage.sqlite import storable
from ragheal.tracing.files import decode, encode
from ragheal.types import Route, Status, Trace

LAST = "last"

_LISTED = "id, created, question, status, route, rounds, seconds, generation"


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
        with writing(self.folder) as db:
            db.execute(f"INSERT INTO traces ({_LISTED}, body) VALUES (?,?,?,?,?,?,?,?,?)", row)
            _show(db, trace.id)

    def shown(self, trace_id: str) -> None:
        """From now on `last` is this trace, whose answer was shown again. Raises StorageError."""
        with writing(self.folder) as db:
            _show(db, trace_id)

    def load(self, reference: str) -> Trace:
        """The trace with this id, the only one whose id begins (or ends) with it, or the `last` that was shown.

        Raises TraceError when there is none, when there are several, or when it cannot be read.
        """
        if not HISTORY.begun(self.folder):
            raise TraceError(f"no traces are kept in {self.folder}", hint='make one: ragheal ask "…"')
        with reading(self.folder) as db:
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
        with reading(self.folder) as db:
            return tuple(TraceRow(*row) for row in db.execute(query, (*values, limit)))

    def _resolve(self, db: sqlite3.Connection, reference: str) -> str:
        ids: list[str]
        if reference == LAST:
            ids = [row[0] for row in db.execute("SELECT t.id FROM last l JOIN traces t ON t.id = l.shown")]
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


def _show(db: sqlite3.Connection, trace_id: str) -> None:
    db.execute("INSERT OR REPLACE INTO last VALUES (1, ?)", (trace_id,))
