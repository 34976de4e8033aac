"""Answers kept by route, for as long as the route allows, and never those that could be better tomorrow."""

import time

import msgspec
import pytest

from ragheal.caching import database
from ragheal.caching.answers import AnswerCache, seconds_kept
from ragheal.caching.figures import cache_figures
from ragheal.settings import Settings
from ragheal.settings.sections import CacheSettings
from ragheal.types import Cached, FaultStep


@pytest.fixture
def clock(monkeypatch):
    """Moves the time that the cache sees."""

    class Clock:
        now = 1_800_000_000.0

        def time(self):
            return self.now

    clock = Clock()
    monkeypatch.setattr(database, "time", clock)
    return clock


def answered(samples, **changes):
    """A run with other values in its answer."""
    trace = samples.healed()
    return msgspec.structs.replace(trace, answer=msgspec.structs.replace(trace.answer, **changes))


def opened(folder, **values):
    return AnswerCache(folder, Settings(cache=CacheSettings(**values)))


def test_the_same_run_comes_back(samples, tmp_path):
    """Refusals, conflicts and Chinese included: what is shown must be what was answered."""
    cache = opened(tmp_path)
    for make in samples.ALL.values():
        trace = make()
        kept = trace.answer.status != "direct"
        assert cache.get(trace.id) is None
        assert cache.put(trace.id, trace) is kept
        found = cache.get(trace.id)
        assert (found is not None) is kept
        if found:
            assert found[0] == msgspec.structs.replace(
                trace, answer=msgspec.structs.replace(trace.answer, degraded=())
            )
            assert 0 <= found[1] < 5
    assert cache.notes == ()


@pytest.mark.parametrize(
    ("route", "seconds"),
    [
        ("standard", 86_400), ("multi_hop", 14_400), ("self_rag", 3600), ("combined", 3600),
        ("generative", 0), ("direct", 0),
    ],
)  # fmt: skip
def test_time_to_live_by_route(samples, tmp_path, clock, route, seconds):
    """What was put together of many parts goes stale first; what rests on no document is never kept."""
    cache = opened(tmp_path)
    assert seconds_kept(CacheSettings(), route) == seconds
    assert cache.put("k", answered(samples, route=route)) is (seconds > 0)
    if seconds:
        clock.now += seconds - 1
        assert cache.get("k")[1] == seconds - 1
        clock.now += 1
    assert cache.get("k") is None


def test_a_shorter_life_is_obeyed_at_once(samples, tmp_path, clock):
    """Whoever lowers the setting means the answers that are there, too."""
    opened(tmp_path).put("k", answered(samples, route="standard"))
    clock.now += 100
    assert opened(tmp_path, standard=101).get("k")
    assert opened(tmp_path, standard=100).get("k") is None
    assert opened(tmp_path, standard=101).get("k") is None  # gone for good


def test_a_clock_set_back(samples, tmp_path, clock):
    """An answer from the future has no age, so nobody knows whether it is too old."""
    cache = opened(tmp_path)
    cache.put("k", answered(samples))
    clock.now -= 10
    assert cache.get("k") is None


def test_switched_off(samples, tmp_path):
    """Off is off: nothing is read, nothing is written, no file appears."""
    for cache in (opened(tmp_path, enabled=False), opened(tmp_path, entries=0)):
        assert not cache.put("k", answered(samples))
        assert cache.get("k") is None
    assert not opened(tmp_path, multi_hop=0).put("k", answered(samples))
    assert list(tmp_path.iterdir()) == []


def test_what_is_never_kept(samples, tmp_path):
    """What an outage or a tired model server gave away must not be repeated for a day."""
    cache = opened(tmp_path)
    trace = samples.healed()
    fault = FaultStep("judge", "timeout", "no reply in 60 s")
    for other in (
        answered(samples, degraded=("judge by rules: the model server does not answer",)),
        msgspec.structs.replace(trace, steps=(*trace.steps, fault)),
        msgspec.structs.replace(trace, cache=Cached("x", 10.0)),
        msgspec.structs.replace(trace, settings={"model": {"backend": "scripted"}}),
    ):
        assert not cache.put("k", other)
    assert cache.get("k") is None


def test_what_tells_of_the_disk_is_left_out(samples, tmp_path):
    """A full disk on Monday is no news on Tuesday, and no reason to answer anew."""
    cache = opened(tmp_path)
    notes = ("trace not saved: the disk is full", "cache begun anew: cache.db was damaged")
    assert cache.put("k", answered(samples, degraded=notes))
    assert cache.get("k")[0] == samples.healed()


def test_least_recently_used_goes_first(samples, tmp_path):
    """The questions that everybody asks are the ones to keep."""
    cache = opened(tmp_path, entries=3)
    trace = samples.healed()
    for name in "abc":
        cache.put(name, trace)
    assert cache.get("a")
    cache.put("d", trace)
    assert [name for name in "abcd" if cache.get(name)] == ["a", "c", "d"]
    assert cache_figures(tmp_path)["answers"].entries == 3
    smaller = opened(tmp_path, entries=1)
    smaller.put("e", trace)
    assert [name for name in "abcde" if smaller.get(name)] == ["e"]


def test_many_entries(samples, tmp_path):
    """A full cache must answer as fast as an empty one, or it costs what it saves."""
    cache = opened(tmp_path, entries=1000)
    body = msgspec.json.encode(samples.healed())
    for number in range(1050):
        cache._entries.put(f"key {number}", "standard", body)
    started = time.perf_counter()
    assert cache.get("key 1049")
    assert cache.get("key 0") is None
    assert time.perf_counter() - started < 1
    assert cache_figures(tmp_path)["answers"].entries == 1000
