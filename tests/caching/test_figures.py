"""How often the cache helped, by day, for `health` and `cache stats`."""

import os
import sqlite3
from contextlib import closing
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


def test_a_cache_that_cannot_be_read(tmp_path):
    """ "0 kept" would be false; `health`, which shows more than that, goes on without; it can still be cleared."""
    path = tmp_path / "cache.db"
    AnswerCache(tmp_path, Settings()).get("a")
    with closing(sqlite3.connect(path)) as db:
        db.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StorageError, match="cannot read"):
            cache_figures(tmp_path)
        assert cache_hit_rate(tmp_path, datetime.now(UTC)) is None
    if os.name == "nt" or os.geteuid() == 0:
        return
    path.chmod(0)
    with pytest.raises(StorageError, match="unable to open") as error:
        cache_figures(tmp_path)
    assert "cache.db is not yours to read" in error.value.hint
    assert cache_hit_rate(tmp_path, datetime.now(UTC)) is None
    assert clear(tmp_path) == {}
    assert not path.exists()


def test_clear(samples, tmp_path):
    """Whoever clears the cache wants the questions off the disk."""
    assert clear(tmp_path) == {}
    AnswerCache(tmp_path, Settings()).put("a", samples.healed())
    assert clear(tmp_path) == {"answers": 1}
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "cache.db").mkdir()
    with pytest.raises(StorageError, match="cannot remove"):
        clear(tmp_path)
