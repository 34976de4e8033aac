"""Figures of a window, read from what the runs of each hour add up to; percentiles from the single runs."""

from __future__ import annotations

import math
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from ragheal.history.database import COLUMNS, MODES, reading
from ragheal.history.runs import hour_of
from ragheal.storage.clock import stamp
from ragheal.types import Value

_BLOCKS = 30  # of the window's course at most
_HOURS = 24
_MOST_RUNS = 50_000  # whose times are looked at for percentiles


class Quality(Value, frozen=True):
    """Of the runs of one mode: share that verification accepted, mean usefulness (1–5) of those it checked."""

    runs: int = 0
    accepted: float | None = None
    usefulness: float | None = None


class RouteUse(Value, frozen=True):
    runs: int
    share: float


class Latency(Value, frozen=True):
    """Seconds; of runs that the cache did not answer."""

    runs: int
    p50: float
    p95: float


class Block(Value, frozen=True):
    """A stretch of the window (a day, of long windows more), from `start` on: for seeing where things go."""

    start: str
    questions: int = 0
    heal_rate: float | None = None
    heal_success_rate: float | None = None
    abstention_rate: float | None = None
    seconds: float | None = None  # mean


class Figures(msgspec.Struct, frozen=True):
    """Every rate is a share (0–1), None where there was nothing to take it of.

    `retrieved` runs searched; cached answers and greetings did not. `healed` ones went past the first round
    and `recoveries` are their rounds beyond it. The pass rates are of what was judged or checked.
    """

    since: str
    until: str
    questions: int = 0
    retrieved: int = 0
    healed: int = 0
    heal_rate: float | None = None
    heal_success_rate: float | None = None
    mean_recoveries: float | None = None
    abstention_rate: float | None = None
    regenerated: int = 0
    quality: dict[str, Quality] = {}
    routes: dict[str, RouteUse] = {}
    statuses: dict[str, int] = {}
    relevance_pass_rate: float | None = None
    support_pass_rate: float | None = None
    usefulness_pass_rate: float | None = None
    mean_hops: float | None = None
    degraded: int = 0
    degraded_rate: float | None = None
    degradations: dict[str, int] = {}
    judge_errors: int = 0
    latency: dict[str, Latency] = {}
    cache_hit_rate: float | None = None
    memory_hits: int = 0
    memory_hit_rate: float | None = None
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    signals: dict[str, int] = {}
    course: tuple[Block, ...] = ()


Tally = Mapping[str, float]


def figures(folder: Path, *, days: float, now: datetime) -> Figures:
    """The figures of the last `days` (to the hour; 0: of all that is kept). Nothing yet: zeros and Nones.

    Raises TraceError when the history is damaged.
    """
    since = now - timedelta(days=days) if days else datetime.fromtimestamp(0, UTC)
    empty = Figures(stamp(since), stamp(now), cache_hit_rate=_cache_hit_rate(folder, since))
    with reading(folder) as db:
        first, last = hour_of(since), hour_of(now)
        rows = _hours(db, first, last)
        kinds = _degradations(db, first, last)
        latency = _latency(db, stamp(since), round(sum(tally["runs"] for _, _, tally in rows)))
        signals = _signals(db, stamp(since))
    return _figures(empty, rows, kinds, latency, signals)


class Totals(msgspec.Struct, frozen=True):
    """Everything that was ever added up: by route and column of `hours`, and runs by kind of degradation."""

    routes: dict[str, dict[str, float]] = {}
    degradations: dict[str, int] = {}


def totals(folder: Path) -> Totals:
    """Of all time, pruned runs included: these only grow. Raises TraceError when the history is damaged."""
    with reading(folder) as db:
        query = f"SELECT route, {_SUMS} FROM hours GROUP BY route"
        routes = {route: dict(zip(COLUMNS, sums, strict=True)) for route, *sums in db.execute(query)}
        return Totals(routes, _degradations(db, 0, 1 << 40))


_SUMS = ", ".join(f"sum({name})" for name in COLUMNS)


def _hours(db: sqlite3.Connection, first: int, last: int) -> list[tuple[int, str, Tally]]:
    """(start of a block as an hour, route, sums by column); the blocks are counted back from the last hour."""
    earliest = db.execute("SELECT min(hour) FROM hours WHERE hour >= ?", (first,)).fetchone()[0]
    if earliest is None:
        return []
    width = max(1, math.ceil((last - max(first, earliest) + 1) / _HOURS / _BLOCKS)) * _HOURS
    rows = db.execute(
        f"SELECT ?2 - (?2 - hour) / ?3 * ?3 - ?3 + 1 AS block, route, {_SUMS} FROM hours "
        "WHERE hour BETWEEN ?1 AND ?2 GROUP BY block, route",
        (first, last, width),
    )
    return [(block, route, dict(zip(COLUMNS, sums, strict=True))) for block, route, *sums in rows]


def _degradations(db: sqlite3.Connection, first: int, last: int) -> dict[str, int]:
    query = "SELECT kind, sum(runs) FROM degradations WHERE hour BETWEEN ? AND ? GROUP BY kind"
    return dict(_ranked(dict(db.execute(query, (first, last)).fetchall())))


def _figures(
    empty: Figures,
    rows: Iterable[tuple[int, str, Tally]],
    degradations: dict[str, int],
    latency: dict[str, Latency],
    signals: dict[str, int],
) -> Figures:
    whole: Counter[str] = Counter()
    routes: Counter[str] = Counter()
    blocks: dict[int, Counter[str]] = {}
    for start, route, tally in rows:
        whole.update(tally)
        blocks.setdefault(start, Counter()).update(tally)
        routes[route] += _of(tally, "runs")
    runs, fresh = _of(whole, "runs"), _of(whole, "runs") - _of(whole, "cached")
    rate, ratio = _rate, _ratio
    hits = empty.cache_hit_rate if empty.cache_hit_rate is not None else rate(whole, "cached", "runs")
    return Figures(
        since=empty.since,
        until=empty.until,
        questions=runs,
        retrieved=_of(whole, "retrieved"),
        healed=_of(whole, "healed"),
        heal_rate=rate(whole, "healed", "retrieved"),
        heal_success_rate=rate(whole, "heal_success", "healed"),
        mean_recoveries=rate(whole, "recoveries", "healed"),
        abstention_rate=rate(whole, "status_abstained", "runs"),
        regenerated=_of(whole, "regenerated"),
        quality={mode: _quality(whole, mode) for mode in MODES if whole[f"{mode}_runs"]},
        routes={name: RouteUse(n, round(n / runs, 4)) for name, n in _ranked(routes)},
        statuses=_statuses(whole),
        relevance_pass_rate=rate(whole, "relevant", "judged"),
        support_pass_rate=rate(whole, "supported", "checked"),
        usefulness_pass_rate=rate(whole, "useful", "checked"),
        mean_hops=rate(whole, "hops", "hop_runs"),
        degraded=_of(whole, "degraded"),
        degraded_rate=ratio(_of(whole, "degraded"), fresh),
        degradations=degradations,
        judge_errors=_of(whole, "judge_errors"),
        latency=latency,
        cache_hit_rate=hits,
        memory_hits=_of(whole, "recalled"),
        memory_hit_rate=rate(whole, "recalled", "retrieved"),
        calls=_of(whole, "calls"),
        prompt_tokens=_of(whole, "prompt_tokens"),
        completion_tokens=_of(whole, "completion_tokens"),
        cost=round(whole["cost"], 6),
        signals=signals,
        course=tuple(_block(start, tally) for start, tally in sorted(blocks.items())),
    )


def _block(start: int, tally: Tally) -> Block:
    return Block(
        start=stamp(datetime.fromtimestamp(start * 3600, UTC)),
        questions=_of(tally, "runs"),
        heal_rate=_rate(tally, "healed", "retrieved"),
        heal_success_rate=_rate(tally, "heal_success", "healed"),
        abstention_rate=_rate(tally, "status_abstained", "runs"),
        seconds=_ratio(tally.get("seconds", 0.0), _of(tally, "runs") - _of(tally, "cached")),
    )


def _quality(tally: Tally, mode: str) -> Quality:
    return Quality(
        runs=_of(tally, f"{mode}_runs"),
        accepted=_rate(tally, f"{mode}_accepted", f"{mode}_runs"),
        usefulness=_rate(tally, f"{mode}_usefulness", f"{mode}_checked"),
    )


def _latency(db: sqlite3.Connection, since: str, runs: int) -> dict[str, Latency]:
    """Percentiles by nearest rank; of very many runs, of every n-th."""
    step = max(1, math.ceil(runs / _MOST_RUNS))
    query = "SELECT route, seconds FROM runs WHERE cached = 0 AND created >= ? AND rowid % ? = 0"
    taken: dict[str, list[float]] = {}
    for route, seconds in db.execute(query, (since, step)):
        taken.setdefault(route, []).append(seconds)
    found = {}
    for route, _ in _ranked({route: len(times) for route, times in taken.items()}):
        times = sorted(taken[route])
        p50, p95 = (times[math.ceil(share * len(times)) - 1] for share in (0.5, 0.95))
        found[route] = Latency(len(times) * step, p50, p95)
    return found


def _signals(db: sqlite3.Connection, since: str) -> dict[str, int]:
    query = "SELECT signal, count(*) FROM signals WHERE created >= ? GROUP BY signal"
    return dict(_ranked(dict(db.execute(query, (since,)).fetchall())))


def _cache_hit_rate(folder: Path, since: datetime) -> float | None:
    from ragheal.caching.figures import cache_hit_rate

    found = cache_hit_rate(folder, since)
    return None if found is None else round(found, 4)


def _of(tally: Tally, name: str) -> int:
    return round(tally.get(name, 0.0))


def _rate(tally: Tally, part: str, whole: str) -> float | None:
    return _ratio(tally.get(part, 0.0), tally.get(whole, 0.0))


def _ratio(part: float, whole: float) -> float | None:
    return round(part / whole, 4) if whole else None


def _statuses(tally: Tally) -> dict[str, int]:
    counts = {n.removeprefix("status_"): round(v) for n, v in tally.items() if n.startswith("status_") and v}
    return dict(_ranked(counts))


def _ranked(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """The most frequent first."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
