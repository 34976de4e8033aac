"""How well the caches work: what is in them, and how often it was what somebody asked for."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import msgspec

from ragheal.caching.answers import ANSWERS
from ragheal.caching.database import CACHE
from ragheal.errors import StorageError
from ragheal.storage.sqlite import Damaged

T = TypeVar("T")


class KindFigures(msgspec.Struct, frozen=True):
    """Of answers or of decisions. `bytes` of the bodies as they are kept; `oldest` in seconds of age."""

    entries: int = 0
    bytes: int = 0
    hits: int = 0
    misses: int = 0
    oldest: float | None = None
    routes: dict[str, int] = {}  # entries by route; of answers alone

    @property
    def hit_rate(self) -> float | None:
        """Share of the lookups that were served; None without any."""
        return _rate(self.hits, self.misses)


def cache_figures(folder: Path) -> dict[str, KindFigures]:
    """What is kept, by kind; nothing for a cache that was never used or is damaged. Changes nothing.

    Raises StorageError when it is there and cannot be read: nobody knows what is kept.
    """
    return _read(folder, _figures) or {}


def cache_hit_rate(folder: Path, since: datetime) -> float | None:
    """Share of the questions since that day (UTC, its whole) answered from the cache.

    None without any asked, or when the cache cannot be read.
    """
    query = "SELECT coalesce(sum(hits), 0), coalesce(sum(misses), 0) FROM counts WHERE kind = ? AND day >= ?"
    values = (ANSWERS, since.date().isoformat())
    with suppress(StorageError):
        return _rate(*(_read(folder, lambda db: db.execute(query, values).fetchone()) or (0, 0)))
    return None


def clear(folder: Path) -> dict[str, int]:
    """Forget everything, the counts too; gives the entries removed by kind. Raises StorageError."""
    removed: dict[str, int] = {}
    with suppress(StorageError):  # what may not be read may still be removed
        removed = {kind: figures.entries for kind, figures in cache_figures(folder).items() if figures.entries}
    if not CACHE.drop(folder):
        raise StorageError(f"cannot remove {folder / CACHE.name}", hint=f"is {folder} yours to write?")
    return removed


def _figures(db: sqlite3.Connection) -> dict[str, KindFigures]:
    now = time.time()
    found: dict[str, KindFigures] = {}
    counted = {kind: (hits, misses) for kind, hits, misses in db.execute(
        "SELECT kind, sum(hits), sum(misses) FROM counts GROUP BY kind"
    )}  # fmt: skip
    kept = db.execute(
        "SELECT kind, label, count(*), sum(length(body)), min(made) FROM entries GROUP BY kind, label"
    )
    for kind, label, count, size, made in kept.fetchall():
        before = found.get(kind, KindFigures())
        found[kind] = KindFigures(
            entries=before.entries + count,
            bytes=before.bytes + size,
            oldest=max(before.oldest or 0.0, now - made),
            routes=before.routes | ({label: count} if label else {}),
        )
    for kind, (hits, misses) in counted.items():
        found[kind] = msgspec.structs.replace(found.get(kind, KindFigures()), hits=hits, misses=misses)
    return found


def _read(folder: Path, work: Callable[[sqlite3.Connection], T]) -> T | None:
    if not CACHE.begun(folder) or os.path.isdir(folder / CACHE.name):
        return None
    try:
        with CACHE.reading(folder) as db:
            return work(db)
    except Damaged:
        return None


def _rate(hits: int, misses: int) -> float | None:
    return hits / (hits + misses) if hits + misses else None
