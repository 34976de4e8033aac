"""One compact row a run, and what the runs of each hour add up to.

`runs` has a row for every question and goes with its trace. `hours` holds counts and sums by hour and route,
so that figures over a million runs take milliseconds; they name no question and are never pruned, so that
counters made of them only rise. `traits` counts by day how often a document was in the final evidence, was
cited, or was there when the run failed, and how often each kind of question failed.
"""

from __future__ import annotations

import sqlite3
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from datetime import datetime

from ragheal.history import facts
from ragheal.history.database import BUCKETS, COLUMNS
from ragheal.storage.clock import moment
from ragheal.storage.sqlite import storable
from ragheal.text.questions import analyze
from ragheal.types import Trace

_TRAIT_DAYS = 400  # how long traits are kept: documents have names
_HOUR, _DAY = 3600, 86_400
_ADD = f"INSERT INTO hours VALUES ({','.join('?' * (len(COLUMNS) + 2))}) ON CONFLICT DO UPDATE SET " + ", ".join(
    f"{name} = {name} + excluded.{name}" for name in COLUMNS
)
_ADD_TRAIT = (
    "INSERT INTO traits VALUES (?,?,?,1,?,?,?) ON CONFLICT DO UPDATE SET runs = runs + 1, "
    "failed = failed + excluded.failed, answered = answered + excluded.answered, cited = cited + excluded.cited"
)


def write(db: sqlite3.Connection, trace: Trace) -> None:
    """Count a run. A trace that is already counted is not counted again."""
    at = int(moment(trace.created).timestamp())
    if trace.cache is not None and trace.cache.trace_id == trace.id:
        at += int(trace.cache.age)  # the run of before, shown again: it has its row
    else:
        row = _row(trace)
        marks = ",".join("?" * len(row))
        if not db.execute(f"INSERT OR IGNORE INTO runs VALUES ({marks})", row).rowcount:
            return
    tally = tallied(trace)
    db.execute(_ADD, (at // _HOUR, trace.answer.route, *(tally[name] for name in COLUMNS)))
    if trace.cache is not None:
        return
    db.executemany(
        "INSERT INTO degradations VALUES (?,?,1) ON CONFLICT DO UPDATE SET runs = runs + 1",
        [(at // _HOUR, storable(kind)) for kind in facts.degradations(trace)],
    )
    db.executemany(_ADD_TRAIT, [(at // _DAY, *trait) for trait in traits(trace)])
    db.execute("DELETE FROM traits WHERE day < ?", (at // _DAY - _TRAIT_DAYS,))


def hour_of(when: datetime) -> int:
    """The number of an hour, as `hours` counts them from 1970 on."""
    return int(when.timestamp()) // _HOUR


def tallied(trace: Trace) -> Counter[str]:
    """What a run adds to its hour and route, by the names of `COLUMNS`."""
    return Counter({name: value for name, value in _tallied(trace) if value})


def _tallied(trace: Trace) -> Iterator[tuple[str, float]]:
    answer, check = trace.answer, trace.answer.check
    yield "runs", 1
    yield f"status_{answer.status}", 1
    yield "cached", trace.cache is not None
    if trace.cache is not None:
        return
    yield "seconds", trace.seconds
    yield f"bucket_{bisect_left(BUCKETS, trace.seconds)}", 1
    yield "recalled", trace.memory is not None
    yield "degraded", bool(answer.degraded)
    yield "judge_errors", facts.judge_errors(trace)
    yield "calls", answer.calls
    yield "prompt_tokens", answer.tokens.prompt
    yield "completion_tokens", answer.tokens.completion
    yield "cost", _cost(trace)
    if not facts.retrieved(trace):
        return
    again = facts.recoveries(trace)
    yield "retrieved", 1
    yield "healed", again > 0
    yield "recoveries", again
    yield "heal_success", again > 0 and facts.succeeded(trace)
    yield "regenerated", facts.regenerated(trace)
    relevant = facts.relevant(trace)
    yield "judged", relevant is not None
    yield "relevant", bool(relevant)
    yield "hop_runs", bool(answer.hops)
    yield "hops", len(answer.hops)
    mode = "healed" if again else "one_round" if trace.healed else "off"
    yield f"{mode}_runs", 1
    if check is not None:
        yield "checked", 1
        yield "supported", check.grounded == "supported"
        yield "useful", check.useful >= facts.USEFUL
        yield f"{mode}_accepted", check.outcome == "accept"
        yield f"{mode}_checked", 1
        yield f"{mode}_usefulness", check.useful


def traits(trace: Trace) -> Iterator[tuple[str, str, bool, bool, bool]]:
    """What a searching run is told apart by: (what, name, failed, answered, cited); see `patterns.py`."""
    if not facts.retrieved(trace):
        return
    failed, answered = facts.failed(trace), bool(trace.answer.citations)
    asked = analyze(trace.question)
    named = {
        "route": trace.answer.route,
        "language": asked.lang,
        "asks for": asked.kind,
        "begins with": facts.opening(trace.question),
    }
    yield "all", "", failed, answered, False
    for what, name in named.items():
        if name and name != "any":
            yield what, storable(name), failed, answered, False
    for document in facts.involved(trace):
        yield "document", storable(document.source), failed, answered, document.cited


def _row(trace: Trace) -> tuple[object, ...]:
    answer, check, fresh = trace.answer, trace.answer.check, trace.cache is None
    return (
        trace.id, trace.created, answer.route, answer.status, answer.rounds, trace.healed,
        facts.recoveries(trace), facts.failed(trace), facts.succeeded(trace), facts.regenerated(trace),
        check.grounded if check else "", check.useful if check else 0, facts.relevant(trace), len(answer.hops),
        storable("; ".join(facts.degradations(trace))), facts.judge_errors(trace), answer.calls * fresh,
        answer.tokens.prompt * fresh, answer.tokens.completion * fresh, _cost(trace) * fresh, trace.seconds,
        not fresh, trace.memory is not None, trace.overlay, trace.canary,
    )  # fmt: skip


def _cost(trace: Trace) -> float:
    """In the currency of the prices that were set at the time."""
    prices = trace.settings.get("budget")
    if not isinstance(prices, dict):
        return 0.0
    tokens = trace.answer.tokens
    pairs = ((tokens.prompt, "price_prompt"), (tokens.completion, "price_completion"))
    return sum(count * float(prices.get(name) or 0.0) for count, name in pairs) / 1e6
