"""`ragheal cache`, `ragheal traces prune` and the listing by time: what is kept, how well it works, letting go of it."""

from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from ragheal.caching.answers import AnswerCache
from ragheal.history.database import writing
from ragheal.history.traces import TraceStore
from ragheal.settings import Settings


@pytest.fixture
def kept(samples, history):
    """An index folder with two kept answers, asked for three times."""
    cache = AnswerCache(history, Settings())
    for key, make in (("a", samples.healed), ("b", samples.conflict)):
        cache.get(key)
        cache.put(key, make())
    cache.get("a")
    return history


def test_stats(run, kept):
    """One line each for answers and decisions; everything with --json."""
    result = run("cache", "stats")
    assert (result.code, result.err) == (0, "")
    answers, decisions = result.out.splitlines()
    assert answers.startswith("answers    2 kept (1 multi_hop, 1 standard) · ")
    assert answers.endswith("1 of 3 lookups served (33%)")
    assert decisions == "decisions  0 kept"
    found = run("cache", "stats", "--json").json
    assert found["command"] == "cache stats"
    assert found["bytes"] > 1000
    answers = found["answers"]
    assert (answers["entries"], answers["hits"], answers["misses"]) == (2, 1, 2)
    assert answers["routes"] == {"multi_hop": 1, "standard": 1}
    assert 0 <= answers["oldest"] < 60
    assert found["decisions"]["hit_rate"] is None


def test_clear(run, kept):
    """What was kept is gone from the disk, and the counts begin anew."""
    assert run("cache", "clear").out == "removed 2 answers\n"
    assert not (kept / "cache.db").exists()
    assert run("cache", "clear").out == "the cache was empty\n"
    assert run("cache", "clear", "--json").json["removed"] == {}
    assert run("cache", "stats").out.splitlines()[0] == "answers    0 kept"


def test_a_damaged_cache_is_shown_and_cleared(run, kept):
    """Nobody needs to know which file to delete."""
    (kept / "cache.db").write_bytes(b"damaged" * 1000)
    assert run("cache", "stats").code == 0
    assert run("cache", "clear").code == 0
    assert not (kept / "cache.db").exists()


def test_usage_below_a_group(run, place):
    """A misspelt command below `cache` names the right one, not `cache` itself."""
    result = run("cache", "stat")
    assert result.code == 2
    assert "unknown command `stat`" in result.err
    assert "did you mean `ragheal cache stats`?" in result.err
    assert "`--keep-mb`" in run("traces", "prune", "--keep-mbs", "3").err
    assert "is not a whole number" in run("traces", "prune", "--keep-days", "x").err
    assert "traces prune" in run("traces", "--help").out
    assert "--dry-run" in run("traces", "prune", "--help").out


@pytest.fixture
def aged(samples, history):
    """The sample traces of March, and one of today with a signal about an old one."""
    today = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    TraceStore(history).save(msgspec.structs.replace(samples.healed(), id="today", created=today))
    with writing(history) as db:
        row = (samples.healed().id, "thumbs_up", "", samples.healed().created, 1.0, "")
        db.execute("INSERT INTO signals VALUES (?,?,?,?,?,?)", row)
    return history


def test_prune(run, samples, aged):
    """What would go is said first; then it goes, with what belongs to it."""
    count = len(samples.ALL)
    old = str((datetime.now(UTC) - datetime(2026, 3, 5, tzinfo=UTC)).days)
    assert int(old) > 0
    result = run("traces", "prune", "--keep-days", old, "--dry-run")
    assert result.out.startswith(f"would remove {count} traces, 1 signal; 1 trace kept since ")
    assert len(run("traces").out.splitlines()) == count + 1
    found = run("traces", "prune", "--keep-days", old, "--json").json
    assert (found["command"], found["dry_run"], found["keep_days"]) == ("traces prune", False, float(old))
    assert (found["traces"], found["rows"], found["kept"]) == (count, {"signals": 1}, 1)
    assert [line.split("\t")[0] for line in run("traces").out.splitlines()] == ["today"]
    assert run("traces", "prune").out.startswith("nothing to remove: 1 trace (")
    assert run("traces", "prune", "--keep-days", "0", "--keep-mb", "0").out.endswith("no limit is set\n")


def test_prune_takes_the_limits_of_the_settings(run, samples, aged, place):
    """A limit in `ragheal.yaml` holds for the command, too; a flag goes before it."""
    (place / "ragheal.yaml").write_text("history:\n  keep_days: 1\n", encoding="utf-8")
    assert run("traces", "prune", "--keep-days", "0", "--dry-run").out.startswith("nothing to remove")
    assert run("traces", "prune", "--json").json["traces"] == len(samples.ALL)
    assert run("traces", "prune", "--keep-days", "-1").code == 2


def test_listing_by_day(run, samples, aged):
    """Since a day, until a day, and a day that is none."""
    day = str((datetime.now(UTC) - timedelta(days=1)).date())
    assert len(run("traces", "--since", day).out.splitlines()) == 1
    assert len(run("traces", "--until", day).out.splitlines()) == len(samples.ALL)
    assert "not a day" in run("traces", "--since", "yesterday").err
