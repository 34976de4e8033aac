"""`models.db` in the index folder: what is remembered of model servers, shared by all processes.

Three small tables: what a model accepts, whether a server is being left alone, what was spent on each day.
No keys, no questions, no replies. A ledger that cannot be used is replaced by one in memory, and says so.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

import msgspec

from ragheal.errors import StorageError
from ragheal.models.chat.output import OUTPUTS, Abilities
from ragheal.storage.sqlite import Database

_SCHEMA = (
    """
    CREATE TABLE IF NOT EXISTS abilities (
        base_url TEXT, model TEXT, output TEXT NOT NULL, without TEXT NOT NULL, found REAL NOT NULL,
        PRIMARY KEY (base_url, model))
    """,
    """
    CREATE TABLE IF NOT EXISTS breakers (
        base_url TEXT PRIMARY KEY, failures INTEGER NOT NULL, level INTEGER NOT NULL, until REAL NOT NULL,
        probing REAL NOT NULL, reason TEXT NOT NULL)
    """,
    """
    CREATE TABLE IF NOT EXISTS spending (
        day TEXT, base_url TEXT, model TEXT, calls INTEGER NOT NULL, prompt INTEGER NOT NULL,
        completion INTEGER NOT NULL, cost REAL NOT NULL, PRIMARY KEY (day, base_url, model))
    """,
)
# A flush to disk would cost each call 60 ms; only a power cut can do harm without it.
MODELS = Database("models.db", _SCHEMA, unnumbered=True, durable=False, busy=5.0)
#: After a week a server that took no schema is asked again: it may have been updated.
_STALE = 7 * 86_400.0


class BreakerRow(msgspec.Struct, frozen=True):
    """A server's troubles. `level` 0: none, 1: only the final answer is asked for, 2: nothing is.

    `until` and `probing` are seconds since the epoch: when it may be tried again, and until when somebody does.
    """

    failures: int = 0
    level: int = 0
    until: float = 0.0
    probing: float = 0.0
    reason: str = ""


class Spent(msgspec.Struct, frozen=True):
    calls: int = 0
    tokens: int = 0
    cost: float = 0.0


class Ledger:
    """Opened per operation; may be used by several threads and processes. Never raises for the database."""

    def __init__(self, folder: Path | None) -> None:
        #: Why the ledger is only in memory; empty: it is a file, or nothing is to be kept.
        self.trouble = ""
        self._folder = folder
        self._memory: sqlite3.Connection | None = None
        self._lock = threading.Lock()

    def abilities(self, base_url: str, model: str) -> Abilities:
        query = "SELECT output, without, found FROM abilities WHERE base_url = ? AND model = ?"
        rows, _ = self._run((query, (base_url, model)))
        if not rows:
            return Abilities()
        output, without, found = rows[0]
        old = time.time() - found > _STALE and output != "schema"
        return Abilities(
            next((mode for mode in OUTPUTS if mode == output and not old), ""), tuple(without.split())
        )

    def learn(self, base_url: str, model: str, abilities: Abilities) -> None:
        row = (base_url, model, abilities.output, " ".join(abilities.without), time.time())
        self._run(("INSERT OR REPLACE INTO abilities VALUES (?,?,?,?,?)", row))

    def breaker(self, base_url: str) -> BreakerRow:
        query = "SELECT failures, level, until, probing, reason FROM breakers WHERE base_url = ?"
        rows, _ = self._run((query, (base_url,)))
        return BreakerRow(*rows[0]) if rows else BreakerRow()

    def fail(self, base_url: str, limit: int, until: float, reason: str) -> None:
        """Count a failed call; from `limit` in a row on the level rises and the server rests `until` then."""
        self._run(
            ("INSERT OR IGNORE INTO breakers VALUES (?,0,0,0,0,'')", (base_url,)),
            (
                "UPDATE breakers SET failures = failures + 1, probing = 0, reason = ?2,"
                " level = CASE WHEN failures + 1 >= ?3 THEN min(level + 1, 2) ELSE level END,"
                " until = CASE WHEN failures + 1 >= ?3 THEN ?4 ELSE until END WHERE base_url = ?1",
                (base_url, reason, limit, until),
            ),
        )

    def recover(self, base_url: str) -> None:
        self._run(("DELETE FROM breakers WHERE base_url = ?", (base_url,)))

    def claim(self, base_url: str, now: float, until: float) -> bool:
        """Be the one who tries a resting server again; False when somebody else does."""
        update = "UPDATE breakers SET probing = ?2 WHERE base_url = ?1 AND (probing <= ?3 OR probing > ?2)"
        _, changed = self._run((update, (base_url, until, now)))
        return changed == 1

    def release(self, base_url: str) -> None:
        """Give a claim back without a result."""
        self._run(("UPDATE breakers SET probing = 0 WHERE base_url = ?", (base_url,)))

    def spend(self, day: str, base_url: str, model: str, prompt: int, completion: int, cost: float) -> None:
        insert = (
            "INSERT INTO spending VALUES (?,?,?,1,?,?,?) ON CONFLICT DO UPDATE SET calls = calls + 1,"
            " prompt = prompt + excluded.prompt, completion = completion + excluded.completion,"
            " cost = cost + excluded.cost"
        )
        self._run((insert, (day, base_url, model, prompt, completion, cost)))

    def spent(self, day: str) -> Spent:
        """What all models together took on a day."""
        query = (
            "SELECT coalesce(sum(calls), 0), coalesce(sum(prompt + completion), 0), coalesce(sum(cost), 0.0)"
            " FROM spending WHERE day = ?"
        )
        rows, _ = self._run((query, (day,)))
        return Spent(*rows[0])

    def _run(self, *statements: tuple[str, tuple[Any, ...]]) -> tuple[list[Any], int]:
        """Run statements in one transaction; the rows and the count of the last. In memory after any trouble."""
        with self._lock:
            if self._folder is not None and self._memory is None:
                try:
                    with MODELS.writing(self._folder) as db:
                        return _execute(db, statements)
                except StorageError as error:
                    self.trouble = (
                        f"{MODELS.name} cannot be used ({error.__cause__ or error}); "
                        "nothing is remembered of the model server"
                    )
            if self._memory is None:
                self._memory = MODELS.in_memory()
            return _execute(self._memory, statements)


def _execute(db: sqlite3.Connection, statements: tuple[tuple[str, tuple[Any, ...]], ...]) -> tuple[list[Any], int]:
    rows: list[Any] = []
    changed = 0
    for statement, values in statements:
        cursor = db.execute(statement, values)
        rows, changed = cursor.fetchall(), cursor.rowcount
    return rows, changed
