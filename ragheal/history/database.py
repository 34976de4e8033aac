"""`history.db` in the index folder: its tables, and the two ways in. It outlives generations of the index.

No other package knows its tables. A row about a trace names it in a column `trace_id`, and goes with it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import get_args

from ragheal.errors import StorageError, TraceError
from ragheal.storage.sqlite import Damaged, Database
from ragheal.types import Status

#: Upper bounds of the latency classes, in seconds; a last one has no bound.
BUCKETS = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)
#: How a run was answered: in one round, after healing, or with healing off.
MODES = ("one_round", "healed", "off")
#: What is added up by hour and route; `ragheal.history.figures` says what is made of it.
COLUMNS = (
    "runs", "cached", "seconds", "recalled", "degraded", "judge_errors", "calls", "prompt_tokens",
    "completion_tokens", "cost", "retrieved", "healed", "recoveries", "heal_success", "regenerated", "judged",
    "relevant", "hop_runs", "hops", "checked", "supported", "useful",
    *(f"status_{status}" for status in get_args(Status)),
    *(f"bucket_{n}" for n in range(len(BUCKETS) + 1)),
    *(f"{mode}_{what}" for mode in MODES for what in ("runs", "accepted", "checked", "usefulness")),
)  # fmt: skip
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
    """
    CREATE TABLE IF NOT EXISTS runs (
        trace_id TEXT PRIMARY KEY, created TEXT NOT NULL, route TEXT NOT NULL, status TEXT NOT NULL,
        rounds INTEGER NOT NULL, healing INTEGER NOT NULL,  -- whether it was on
        recoveries INTEGER NOT NULL, failed INTEGER NOT NULL, succeeded INTEGER NOT NULL,
        regenerated INTEGER NOT NULL, support TEXT NOT NULL, useful INTEGER NOT NULL,  -- '' and 0: not checked
        relevant INTEGER, hops INTEGER NOT NULL, degraded TEXT NOT NULL, judge_errors INTEGER NOT NULL,
        calls INTEGER NOT NULL, prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL,
        cost REAL NOT NULL, seconds REAL NOT NULL, cached INTEGER NOT NULL, recalled INTEGER NOT NULL,
        overlay INTEGER NOT NULL, canary INTEGER NOT NULL
    )
    """,
    # Holds all that percentiles need, so that they touch no row.
    "CREATE INDEX IF NOT EXISTS runs_seconds ON runs (created, cached, route, seconds)",
    f"""
    CREATE TABLE IF NOT EXISTS hours (
        hour INTEGER NOT NULL, route TEXT NOT NULL, {", ".join(f"{name} REAL NOT NULL" for name in COLUMNS)},
        PRIMARY KEY (hour, route)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE IF NOT EXISTS degradations (
        hour INTEGER NOT NULL, kind TEXT NOT NULL, runs INTEGER NOT NULL, PRIMARY KEY (hour, kind)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE IF NOT EXISTS traits (
        day INTEGER NOT NULL, what TEXT NOT NULL, name TEXT NOT NULL, runs INTEGER NOT NULL,
        failed INTEGER NOT NULL, answered INTEGER NOT NULL, cited INTEGER NOT NULL,
        PRIMARY KEY (day, what, name)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE IF NOT EXISTS failures (
        trace_id TEXT PRIMARY KEY, created TEXT NOT NULL, question TEXT NOT NULL, lang TEXT NOT NULL,
        route TEXT NOT NULL, query TEXT NOT NULL, missing TEXT NOT NULL, rewrites TEXT NOT NULL,
        outcome TEXT NOT NULL, rounds INTEGER NOT NULL, documents TEXT NOT NULL, overlay INTEGER NOT NULL,
        embedder TEXT NOT NULL DEFAULT '', vector BLOB  -- filled when failures are clustered
    )
    """,
    "CREATE INDEX IF NOT EXISTS failures_created ON failures (created, outcome)",
    """
    CREATE TABLE IF NOT EXISTS signals (
        trace_id TEXT NOT NULL, signal TEXT NOT NULL, note TEXT NOT NULL, created TEXT NOT NULL,
        weight REAL NOT NULL,  -- at `created`
        session TEXT NOT NULL, UNIQUE (trace_id, signal)
    )
    """,
    "CREATE INDEX IF NOT EXISTS signals_weight ON signals (weight, created)",
    "CREATE TABLE IF NOT EXISTS asked (trace_id TEXT PRIMARY KEY, session TEXT NOT NULL, created TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS upkeep (name TEXT PRIMARY KEY, at REAL NOT NULL, bytes INTEGER NOT NULL)",
)
HISTORY = Database("history.db", _SCHEMA, unnumbered=True, vacuum="INCREMENTAL")
#: The tables of rows about a trace.
ABOUT_TRACES = ("asked", "failures", "runs", "signals")
_DAMAGED = "move history.db away (`ragheal doctor --fix` does it); a new one is begun with the next question"


@contextmanager
def reading(folder: Path) -> Iterator[sqlite3.Connection]:
    """The history, for one reading; nothing kept yet: empty tables. Raises TraceError when it cannot be read."""
    if not HISTORY.begun(folder):
        with closing(HISTORY.in_memory()) as db:
            yield db
        return
    try:
        with HISTORY.reading(folder) as db:
            yield db
    except StorageError as error:
        raise TraceError(error.message, hint=_DAMAGED if isinstance(error, Damaged) else error.hint) from None


@contextmanager
def writing(folder: Path) -> Iterator[sqlite3.Connection]:
    """The history, for one transaction, which is undone when the block raises. Raises StorageError."""
    try:
        with HISTORY.writing(folder) as db:
            yield db
    except Damaged as error:
        error.hint = _DAMAGED
        raise
