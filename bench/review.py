"""Times of `ragheal health` and `ragheal failures` on a history of a million runs.

    python bench/review.py [--rows 1000000] [--folder DIR] [--runs 5]

The rows are made up; one run in five failed or healed and is in the failure log. With --folder the database
stays there and is used again. Clusters are timed without the embedder, whose vectors are kept.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from ragheal.history import clusters, log, patterns, runs
from ragheal.history.database import COLUMNS, HISTORY, writing
from ragheal.history.figures import figures, totals
from ragheal.storage.clock import stamp
from ragheal.types import ROUTES, Answer, Check, Evidence, Status, Trace

STATUSES: tuple[Status, ...] = ("answered",) * 16 + ("partial", "disclaimed", "abstained", "abstained")
WORDS = "leave budget gateway invoice team key limit release 年假 发票 网关 预算 密钥 报销 发布 团队".split()
ASKED = ("Who approves the {} of the {}?", "How many {} has the {}?", "{}的{}由谁负责？", "{}和{}有什么区别？")
NOW = datetime.now(UTC)
DAYS = 90
SHAPES = 2_000  # different runs, each of which happens many times


def shapes(chance: random.Random) -> list[Trace]:
    return [_shape(chance) for _ in range(SHAPES)]


def _shape(chance: random.Random) -> Trace:
    status, route = chance.choice(STATUSES), chance.choice(ROUTES[1:])
    question = chance.choice(ASKED).format(chance.choice(WORDS), chance.choice(WORDS))
    check = None if status == "abstained" else Check("accept", "supported", True, chance.randint(3, 5))
    answer = Answer(
        question, status, "…", "en", route, check=check, rounds=chance.choices((1, 2, 3), (80, 15, 5))[0],
        evidence=tuple(Evidence(f"docs/{chance.randrange(500)}.md", "", 0.5) for _ in range(5)),
        missing=(chance.choice(WORDS),), degraded=("reader off",) * (chance.random() < 0.01),
    )  # fmt: skip
    return Trace(1, "", "", "", question, 1, {}, {}, (), (), answer, chance.lognormvariate(-1, 0.8))


def fill(folder: Path, count: int) -> None:
    """A million runs, written as `runs.write` and `log.write` write one, without going through it each time."""
    if (folder / HISTORY.name).exists():
        return
    chance = random.Random(7)
    made = shapes(chance)
    rows = [(runs._row(t), runs.tallied(t), tuple(runs.traits(t)), log.row(t)) for t in made]
    hours: dict[tuple[int, str], Counter[str]] = {}
    traits: dict[tuple[int, str, str], list[int]] = {}
    step = timedelta(days=DAYS) / count
    with writing(folder) as db:
        for number in range(count):
            at = NOW - step * (count - number)
            trace_id, created, which = f"{number:011d}", stamp(at), chance.randrange(SHAPES)
            row, tally, named, failure = rows[which]
            marks = ",".join("?" * len(row))
            db.execute(f"INSERT INTO runs VALUES ({marks})", (trace_id, created, *row[2:]))
            hours.setdefault((runs.hour_of(at), made[which].answer.route), Counter()).update(tally)
            for what, name, *counts in named:
                key = (int(at.timestamp()) // 86_400, what, name)
                traits[key] = [a + b for a, b in zip(traits.get(key, (0,) * 4), (1, *counts), strict=True)]
            if failure is not None:
                log.insert(db, (trace_id, created, *failure[2:]))
        for key, tally in hours.items():
            db.execute(runs._ADD, (*key, *(tally[name] for name in COLUMNS)))
        db.executemany("INSERT INTO traits VALUES (?,?,?,?,?,?,?)", [(*key, *c) for key, c in traits.items()])


def readings(folder: Path) -> dict[str, Callable[[], object]]:
    newest = log.list(folder, limit=clusters.MOST)
    rows = np.random.default_rng(1).normal(size=(len(newest), 384)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return {
        "health, 7 days": lambda: figures(folder, days=7, now=NOW),
        "health, 90 days": lambda: figures(folder, days=DAYS, now=NOW),
        "health, everything": lambda: figures(folder, days=0, now=NOW),
        "counters for Prometheus": lambda: totals(folder),
        "failures": lambda: log.list(folder),
        "failures --outcome failed --since 30": lambda: log.list(
            folder, outcome="failed", since=stamp(NOW - timedelta(days=30))
        ),
        "failures --contains quokka (there is none)": lambda: log.list(folder, contains="quokka"),
        "patterns, 7 days": lambda: patterns.find(folder, since=NOW - timedelta(days=7)),
        "patterns, everything": lambda: patterns.find(folder),
        f"clusters of {len(newest):,} vectors": lambda: clusters.agglomerate(rows, clusters.SIMILAR),
    }


def noting(folder: Path) -> float:
    """Median seconds of writing down one run, both tables, each in a transaction of its own."""
    trace = shapes(random.Random(1))[0]
    taken = []
    for number in range(50):
        one = replace(trace, id=f"{time.time_ns():x}{number}", created=stamp(datetime.now(UTC)))
        started = time.perf_counter()
        with writing(folder) as db:
            runs.write(db, one)
            log.write(db, one)
        taken.append(time.perf_counter() - started)
    return statistics.median(taken)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        fill(folder, arguments.rows)
        print(f"{arguments.rows:,} runs, {(folder / HISTORY.name).stat().st_size / 1e6:,.0f} MB\n")
        print("| reading | median ms | median ms of processor time |\n|---|---|---|")
        for name, work in readings(folder).items():
            taken, worked = [], []
            for _ in range(arguments.runs):
                started, before = time.perf_counter(), time.process_time()
                work()
                taken.append(time.perf_counter() - started)
                worked.append(time.process_time() - before)
            print(f"| {name} | {statistics.median(taken) * 1e3:,.1f} | {statistics.median(worked) * 1e3:,.1f} |")
        print(f"| writing down one run | {noting(folder) * 1e3:,.1f} | |")


if __name__ == "__main__":
    main()
