"""How often the cache helped, by day, for `health` and `cache stats`."""

import sqlite3
from datetime import UTC, datetime, timedelta

import pytest

from ragheal.caching.answers import AnswerCache
from ragheal.caching.decisions import DecisionCache
from ragheal.caching.figures import cache_figures, cache_hit_rate, clear
from ragheal.errors import StorageError
from ragheal.settings import Settings
from ragheal.types import ChatReply


def test_hits_and_misses(samples, tmp_path):
    """Without the rate nobody knows whether the cache is worth its space."""
    now = datetime.now(UTC)
    assert cache_figures(tmp_path) == {}
    assert cache_hit_rate(tmp_path, now) is None
    cache = AnswerCache(tmp_path, Settings())
    for key in ("a", "b"):
        cache.get(key)
        cache.put(key, samples.healed())
    cache.put("c", samples.conflict())
    assert all(cache.get("a") for _ in range(4))
    decisions = DecisionCache(tmp_path, Settings())
    decisions.put("d", ChatReply("x"))
    decisions.get("d")
    figures = cache_figures(tmp_path)
    answers = figures["answers"]
    assert (answers.entries, answers.hits, answers.misses, answers.hit_rate) == (3, 4, 2, 4 / 6)
    assert answers.routes == {"multi_hop": 2, "standard": 1}
    assert answers.bytes > 500
    assert 0 <= answers.oldest < 60
    assert (figures["decisions"].entries, figures["decisions"].hit_rate) == (1, 1.0)
    assert cache_hit_rate(tmp_path, now) == 4 / 6
    assert cache_hit_rate(tmp_path, now + timedelta(days=1)) is None
    with sqlite3.connect(tmp_path / "cache.db") as db:
        db.execute("INSERT INTO counts VALUES ('2020-01-01', 'answers', 0, 94)")
    assert cache_hit_rate(tmp_path, now) == 4 / 6
    assert cache_hit_rate(tmp_path, datetime(2020, 1, 1, tzinfo=UTC)) == 0.04


def test_reading_figures_changes_nothing(tmp_path):
    """`health` on a damaged or an absent cache says nothing of it, and creates nothing."""
    assert cache_figures(tmp_path) == {}
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "cache.db").write_bytes(b"damaged" * 1000)
    assert cache_figures(tmp_path) == {}
    assert (tmp_path / "cache.db").read_bytes() == b"damaged" * 1000


def test_clear(samples, tmp_path):
    """Whoever clears the cache wants the questions off the disk."""
    assert clear(tmp_path) == {}
    AnswerCache(tmp_path, Settings()).put("a", samples.healed())
    assert clear(tmp_path) == {"answers": 1}
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "cache.db").mkdir()
    with pytest.raises(StorageError, match="cannot remove"):
        clear(tmp_path)
