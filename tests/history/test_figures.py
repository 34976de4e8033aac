"""The figures of a window, each checked against runs that were counted by hand."""

import sqlite3
from datetime import timedelta

import msgspec
import pytest
from made_runs import NOW, keep, made

from ragheal.errors import TraceError
from ragheal.history import runs
from ragheal.history.database import HISTORY, writing
from ragheal.history.figures import figures, totals
from ragheal.history.traces import TraceStore
from ragheal.types import Cached, FaultStep, Hop, Plan, Recalled, Tokens


def test_nothing_yet(tmp_path):
    """A fresh index has no rate of anything, which is not a rate of 0."""
    found = figures(tmp_path, days=7, now=NOW)
    assert (found.questions, found.heal_rate, found.cache_hit_rate, found.routes) == (0, None, None, {})
    TraceStore(tmp_path).save(made())
    assert figures(tmp_path, days=7, now=NOW).questions == 0
    assert totals(tmp_path).routes == {}


def test_damaged(tmp_path):
    """A damaged history must not look like one without alerts."""
    (tmp_path / HISTORY.name).write_bytes(b"no database" * 500)
    with pytest.raises(TraceError):
        figures(tmp_path, days=7, now=NOW)
    with pytest.raises(TraceError):
        totals(tmp_path)


def test_healing(tmp_path):
    """Heal rate, success and recoveries: what greetings, parts and the cache do must not water them down."""
    keep(
        tmp_path,
        *(made() for _ in range(5)),
        made(rounds=2),
        made(rounds=3),
        made(rounds=3, status="abstained"),
        made(rounds=2, status="conflict"),
        made("hello", "direct", route="direct"),
        made(rounds=2, cache=Cached("x", 1.0)),
        made(route="multi_hop", rounds=2, hops=(Hop(1, "a", "b"), Hop(2, "c", "d"))),
    )
    found = figures(tmp_path, days=7, now=NOW)
    assert (found.questions, found.retrieved, found.healed) == (12, 10, 4)
    assert found.heal_rate == 0.4
    assert found.heal_success_rate == 0.75
    assert found.mean_recoveries == 1.5
    assert found.abstention_rate == pytest.approx(1 / 12, abs=1e-4)
    assert found.mean_hops == 2.0
    assert found.routes["standard"].runs == 10
    assert found.routes["standard"].share == pytest.approx(10 / 12, abs=1e-4)
    assert found.statuses == {"answered": 9, "abstained": 1, "conflict": 1, "direct": 1}
    assert found.cache_hit_rate == pytest.approx(1 / 12, abs=1e-4)


def test_quality_with_and_without_healing(tmp_path):
    """Whether healing is worth its rounds is seen only side by side."""
    keep(
        tmp_path,
        made(useful=5),
        made(status="disclaimed", useful=3),
        made(rounds=2, useful=4),
        made(rounds=2, status="abstained"),
        made(healed=False, useful=2),
    )
    quality = figures(tmp_path, days=7, now=NOW).quality
    assert (quality["one_round"].accepted, quality["one_round"].usefulness) == (0.5, 4.0)
    assert (quality["healed"].accepted, quality["healed"].usefulness) == (0.5, 4.0)
    assert (quality["off"].runs, quality["off"].usefulness) == (1, 2.0)


def test_passes_faults_and_cost(tmp_path):
    """Each stage of the loop has its own figure, or nobody knows which one to mend."""
    prices = {"budget": {"price_prompt": 2.0, "price_completion": 10.0}}
    keep(
        tmp_path,
        made(relevance=20, status="partial", useful=2),
        made(tokens=Tokens(1_000_000, 100_000), calls=4, settings=prices),
        made(attempts=2, memory=Recalled("m", 0.95, "Who?", Plan(()))),
        made(degraded=("server down: connection refused (12)", "server down: timeout")),
        made(steps=(FaultStep("judge", "malformed", "no JSON"), FaultStep("planner", "timeout", ""))),
    )
    found = figures(tmp_path, days=7, now=NOW)
    assert (found.relevance_pass_rate, found.support_pass_rate, found.usefulness_pass_rate) == (0.8, 0.8, 0.8)
    assert (found.judge_errors, found.regenerated, found.memory_hits, found.memory_hit_rate) == (1, 1, 1, 0.2)
    assert (found.degraded, found.degraded_rate, found.degradations) == (1, 0.2, {"server down": 1})
    assert (found.calls, found.prompt_tokens, found.completion_tokens, found.cost) == (4, 1_000_000, 100_000, 3.0)


def test_latency_by_route(tmp_path):
    """A mean hides the one question in twenty that everybody complains of, and the cache hides all."""
    keep(tmp_path, *(made(seconds=n / 10) for n in range(1, 21)))
    keep(tmp_path, made(route="self_rag", seconds=9.0), made(seconds=0.001, cache=Cached("x", 1.0)))
    latency = figures(tmp_path, days=7, now=NOW).latency
    assert (latency["standard"].runs, latency["standard"].p50, latency["standard"].p95) == (20, 1.0, 1.9)
    assert (latency["self_rag"].p50, latency["self_rag"].p95) == (9.0, 9.0)


def test_window_and_course(tmp_path):
    """Old troubles must not hide that things are better, nor good times that they are worse."""
    for days in (0, 1, 6.9, 8, 100):
        keep(tmp_path, made(created=NOW - timedelta(days=days), rounds=2 if days == 1 else 1))
    week = figures(tmp_path, days=7, now=NOW)
    assert week.questions == 3
    assert [(block.questions, block.heal_rate) for block in week.course if block.heal_rate] == [(1, 1.0)]
    assert [block.questions for block in week.course] == [1, 1, 1]
    assert week.course[-1].start == "2026-06-14T13:00:00.000Z"
    assert week.latency["standard"].runs == 3
    everything = figures(tmp_path, days=0, now=NOW)
    assert everything.questions == 5
    assert sum(block.questions for block in everything.course) == 5
    assert len(everything.course) <= 30


def test_a_cached_answer_counts_when_it_is_given(tmp_path):
    """The cache hands out the trace of before; it is another question all the same, asked now."""
    first = made(created=NOW - timedelta(days=3), tokens=Tokens(10, 10), calls=1)
    keep(tmp_path, first)
    again = msgspec.structs.replace(first, cache=Cached(first.id, timedelta(days=3).total_seconds()))
    keep(tmp_path, again, again)
    found = figures(tmp_path, days=1, now=NOW)
    assert (found.questions, found.cache_hit_rate, found.calls) == (2, 1.0, 0)


def test_signals(tmp_path):
    """What users did with their answers belongs to the picture."""
    keep(tmp_path, made())
    with writing(tmp_path) as db:
        for trace, day in (("x", "2026-06-14"), ("y", "2026-01-14")):
            db.execute("INSERT INTO signals VALUES (?, 'thumbs_up', '', ?, 1.0, '')", (trace, day))
    assert figures(tmp_path, days=7, now=NOW).signals == {"thumbs_up": 1}


def test_counters_outlive_their_runs(tmp_path):
    """A counter that falls when the history is pruned reads as a restart, and `rate()` counts everything again."""
    keep(tmp_path, made(), made(status="abstained"))
    with sqlite3.connect(tmp_path / HISTORY.name) as db:
        db.execute("DELETE FROM runs")
    assert totals(tmp_path).routes["standard"]["runs"] == 2
    assert figures(tmp_path, days=7, now=NOW).latency == {}
    assert figures(tmp_path, days=7, now=NOW).questions == 2


def test_every_second_has_its_bucket(tmp_path):
    """The histogram must hold every run, also those that took no time or forever."""
    keep(tmp_path, *(made(seconds=seconds) for seconds in (0.0, 0.1, 0.11, 1e6)))
    tally = totals(tmp_path).routes["standard"]
    assert [tally[f"bucket_{n}"] for n in range(len(runs.BUCKETS) + 1)] == [2, 1, *[0] * 8, 1]
    assert sorted(runs.BUCKETS) == [*runs.BUCKETS]
