"""Times of what reads and prunes the history, on one that holds as many traces as a busy year.

    python bench/history.py [--rows 1000000] [--body 400] [--folder DIR] [--runs 5]

The rows are made up; `--body` is the size of each kept run in bytes (a real one takes 5,000 to 20,000, and no
listing reads it). With --folder the database stays there and is used again.
"""

from __future__ import annotations

import argparse
import os
import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from ragheal.caching.answers import ANSWERS
from ragheal.caching.database import Entries
from ragheal.history.database import HISTORY, reading, writing
from ragheal.history.retention import prune, prune_if_due
from ragheal.history.traces import TraceStore
from ragheal.settings import Settings
from ragheal.settings.sections import HistorySettings

STATUSES = ("answered",) * 16 + ("partial", "disclaimed", "abstained", "abstained")
ROUTES = ("standard",) * 7 + ("multi_hop", "self_rag", "combined")
WORDS = "leave budget gateway invoice team key limit release 年假 发票 网关 预算 密钥 报销 发布 团队".split()
NOW = datetime.now(UTC)


def rows(count: int, body: int) -> Iterator[tuple[object, ...]]:
    """A year of traces, oldest first; one in ten thousand has the word `zebra` in its question."""
    chance = random.Random(7)
    step = timedelta(days=365) / count
    for number in range(count):
        made = (NOW - step * (count - number)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        words = [chance.choice(WORDS) for _ in range(8)] + (["zebra"] if number % 10_000 == 9_999 else [])
        yield (
            f"{number:011d}", made, " ".join(words) + "?", chance.choice(STATUSES), chance.choice(ROUTES),
            chance.randrange(1, 4), chance.random(), 3, chance.randbytes(body),
        )  # fmt: skip


def fill(folder: Path, count: int, body: int) -> None:
    if (folder / HISTORY.name).exists():
        return
    with writing(folder) as db:
        db.executemany("INSERT INTO traces VALUES (?,?,?,?,?,?,?,?,?)", rows(count, body))


def readings(folder: Path, count: int) -> dict[str, Callable[[], object]]:
    """What is timed: by name, something that reads and changes nothing."""
    store = TraceStore(folder)
    month = (NOW - timedelta(days=200)).date().isoformat()
    return {
        "traces": lambda: store.list(),
        "traces --status disclaimed": lambda: store.list(status="disclaimed"),
        "traces --route combined": lambda: store.list(route="combined"),
        "traces --status conflict (there is none)": lambda: store.list(status="conflict"),
        "traces --contains zebra (1 in 10,000)": lambda: store.list(contains="zebra"),
        "traces --contains 年假": lambda: store.list(contains="年假"),
        "traces --contains quokka (there is none)": lambda: store.list(contains="quokka"),
        "traces --until (200 days ago)": lambda: store.list(until=month),
        "traces, an id": lambda: _found(store, f"{count // 2:011d}"),
        "prune_if_due, not due": lambda: prune_if_due(folder, UNLIMITED),
        "traces prune --keep-days 330 --dry-run": lambda: prune(
            folder, HistorySettings(keep_days=330, keep_mb=0), now=NOW, dry_run=True
        ),
    }


UNLIMITED = Settings(history=HistorySettings(keep_days=100_000, keep_mb=0))


def _found(store: TraceStore, reference: str) -> str:
    with reading(store.folder) as db:
        return store._resolve(db, reference)


def cache_times(folder: Path) -> dict[str, float]:
    """Median seconds of a lookup and a save in a full answer cache."""
    entries = Entries(folder, ANSWERS, 10_000)
    body = os.urandom(8_000)
    saves = [timed(partial(entries.put, f"key {number}", "standard", body)) for number in range(10_500)]
    hits = [timed(partial(entries.get, f"key {number}", lambda _: 3600.0)) for number in range(9_000, 9_500)]
    return {
        "cache, a save when it is full": statistics.median(saves[-400:]),
        "cache, a hit": statistics.median(hits),
    }


def timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--body", type=int, default=400)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        print(f"filled in {timed(lambda: fill(folder, arguments.rows, arguments.body)):.1f} s")
        prune_if_due(folder, UNLIMITED)
        size = (folder / HISTORY.name).stat().st_size
        with sqlite3.connect(folder / HISTORY.name) as db:
            (count,) = db.execute("SELECT count(*) FROM traces").fetchone()
        print(f"{count:,} traces, {size / 1e6:,.0f} MB\n\n| reading | median ms | max ms |\n|---|---|---|")
        for name, work in readings(folder, count).items():
            taken = [timed(work) for _ in range(arguments.runs)]
            print(f"| {name} | {statistics.median(taken) * 1e3:,.2f} | {max(taken) * 1e3:,.2f} |")
        for name, seconds in cache_times(Path(temporary)).items():
            print(f"| {name} | {seconds * 1e3:,.2f} | |")
        if not arguments.folder:
            limits = HistorySettings(keep_days=330, keep_mb=0)
            seconds = timed(lambda: prune(folder, limits, now=NOW))
            left = (folder / HISTORY.name).stat().st_size
            print(
                f"| traces prune --keep-days 330 ({(size - left) / 1e6:,.0f} MB less) | {seconds * 1e3:,.0f} | |"
            )


if __name__ == "__main__":
    main()
