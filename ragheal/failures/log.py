"""The failure log: one row for every run that failed or had to heal, with what it missed and tried."""

from __future__ import annotations

import builtins
import json
import sqlite3
from pathlib import Path
from typing import Any

import msgspec

from ragheal.errors import TraceError
from ragheal.failures import facts
from ragheal.failures.facts import FAILED, OUTCOMES, Involved, Outcome
from ragheal.storage.sqlite import has_table, storable
from ragheal.text.script import lang
from ragheal.tracing.store import HISTORY, open_history
from ragheal.types import Lang, Missing, Route, Trace, Value

SCHEMA = (
    """
    CREATE TABLE IF NOT EXISTS failures (
        trace_id TEXT PRIMARY KEY, created TEXT NOT NULL, question TEXT NOT NULL, lang TEXT NOT NULL,
        route TEXT NOT NULL, query TEXT NOT NULL, missing TEXT NOT NULL, rewrites TEXT NOT NULL,
        outcome TEXT NOT NULL, rounds INTEGER NOT NULL, documents TEXT NOT NULL, overlay INTEGER NOT NULL,
        embedder TEXT NOT NULL DEFAULT '', vector BLOB  -- filled when failures are clustered
    )
    """,
    "CREATE INDEX IF NOT EXISTS failures_created ON failures (created, outcome)",
)
_COLUMNS = (
    "trace_id, created, question, lang, route, query, missing, rewrites, outcome, rounds, documents, overlay"
)


class Failure(Value, frozen=True):
    """A run that failed or healed.

    `query` was searched first, `rewrites` after it, in order. `missing` is what the last verdict that missed
    anything missed. `documents` are those of the final evidence, best first. `created` is ISO 8601, UTC.
    """

    trace_id: str
    created: str
    question: str
    lang: Lang
    route: Route
    query: str
    missing: tuple[Missing, ...]
    rewrites: tuple[str, ...]
    outcome: Outcome
    rounds: int
    documents: tuple[Involved, ...]
    overlay: int = 0

    @property
    def failed(self) -> bool:
        return self.outcome in FAILED


def note(folder: Path, trace: Trace) -> bool:
    """Keep a run that failed or healed; gives whether it was one. Raises StorageError."""
    if facts.outcome(trace) is None:
        return False
    with open_history(folder, write=True) as db:
        return write(db, trace)


def write(db: sqlite3.Connection, trace: Trace) -> bool:
    """The same within a transaction of the caller's."""
    values = row(trace)
    if values is None:
        return False
    for statement in SCHEMA:
        db.execute(statement)
    insert(db, values)
    return True


def row(trace: Trace) -> tuple[object, ...] | None:
    """What is kept of a run, column by column; None when it neither failed nor healed."""
    outcome = facts.outcome(trace)
    if outcome is None:
        return None
    asked = facts.queries(trace)
    return (
        trace.id, trace.created, storable(trace.question), lang(trace.question), trace.answer.route,
        storable(asked[0] if asked else ""), _json(facts.missing(trace)), _json(asked[1:]), outcome,
        trace.answer.rounds, _json(facts.involved(trace)), trace.overlay,
    )  # fmt: skip


def insert(db: sqlite3.Connection, values: tuple[object, ...]) -> None:
    marks = ",".join("?" * len(values))
    db.execute(f"INSERT OR REPLACE INTO failures ({_COLUMNS}) VALUES ({marks})", values)


def list(
    folder: Path,
    *,
    limit: int = 20,
    since: str | None = None,
    outcome: str | None = None,
    contains: str | None = None,
) -> tuple[Failure, ...]:
    """The newest first; nothing kept yet: an empty tuple. Raises TraceError when the history is damaged.

    `since` bounds `created` and is written alike; `outcome` is one of `OUTCOMES`, or `failed` for all but
    `healed`; `contains` is looked for in the question and in what was missing.
    """
    where = ["1"]
    values: builtins.list[object] = []
    if since is not None:
        where.append("created >= ?")
        values.append(since)
    if outcome is not None:
        names = FAILED if outcome == "failed" else (outcome,)
        where.append(f"outcome IN ({','.join('?' * len(names))})")
        values += names
    if contains:
        where.append("(instr(lower(question), lower(?)) > 0 OR instr(lower(missing), lower(?)) > 0)")
        values += [storable(contains)] * 2
    query = (
        f"SELECT {_COLUMNS} FROM failures WHERE {' AND '.join(where)} ORDER BY created DESC, rowid DESC LIMIT ?"
    )
    if not HISTORY.begun(folder):
        return ()
    with open_history(folder, write=False) as db:
        if not has_table(db, "failures"):
            return ()
        return tuple(_failure(row) for row in db.execute(query, (*values, limit)))


def _failure(row: tuple[Any, ...]) -> Failure:
    fields = dict(zip(Failure.__struct_fields__, row, strict=True))
    try:
        for name in ("missing", "rewrites", "documents"):
            fields[name] = msgspec.json.decode(fields[name])
        return msgspec.convert(fields, Failure)
    except (msgspec.DecodeError, TypeError) as error:
        raise TraceError(f"the failure of trace {row[0]} cannot be read: {error}") from None


def _json(value: Any) -> str:
    # The faster encoder refuses lone surrogates, and escapes would hide Chinese from a search.
    return storable(json.dumps(msgspec.to_builtins(value), ensure_ascii=False))


__all__ = ["FAILED", "OUTCOMES", "SCHEMA", "Failure", "Involved", "Outcome", "list", "note", "write"]
