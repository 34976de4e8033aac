"""The failure log: one row for every run that failed or had to heal, with what it missed and tried."""

from __future__ import annotations

import builtins
import json
import sqlite3
from pathlib import Path
from typing import Any

import msgspec

from ragheal.errors import TraceError
from ragheal.history import facts
from ragheal.history.database import reading
from ragheal.history.facts import FAILED, OUTCOMES, Involved, Outcome
from ragheal.storage.sqlite import storable
from ragheal.text.script import lang
from ragheal.types import Lang, Missing, Route, Trace, Value

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


def write(db: sqlite3.Connection, trace: Trace) -> bool:
    """Keep a run that failed or healed; gives whether it was one."""
    values = row(trace)
    if values is None:
        return False
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
    with reading(folder) as db:
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


__all__ = ["FAILED", "OUTCOMES", "Failure", "Involved", "Outcome", "list", "write"]
