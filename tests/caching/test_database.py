"""Whatever is wrong with `cache.db`, a question is answered: from the cache, or without it."""

import os
import sqlite3
import subprocess
import sys

import pytest

from ragheal.caching.answers import AnswerCache
from ragheal.caching.figures import cache_figures
from ragheal.settings import Settings


@pytest.fixture
def kept(samples, tmp_path):
    """A folder with one kept answer, `k`."""
    AnswerCache(tmp_path, Settings()).put("k", samples.healed())
    return tmp_path


def cut(path):
    os.truncate(path, path.stat().st_size // 2)


def overwrite(path):
    path.write_bytes(b"this is no database at all" * 200)


def scribble(path):
    """Keeps the header, loses the pages."""
    data = path.read_bytes()
    path.write_bytes(data[:200] + b"\xa5" * (len(data) - 200))


def other_tables(path):
    path.unlink()
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE entries (x)")


def from_the_future(path):
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")


def lost_table(path):
    with sqlite3.connect(path) as db:
        db.execute("DROP TABLE counts")


@pytest.mark.parametrize("damage", [cut, overwrite, scribble, other_tables, from_the_future, lost_table])
def test_a_damaged_file_is_begun_anew(samples, kept, damage):
    """Nobody should have to delete a file by hand to get an answer; but it is said."""
    damage(kept / "cache.db")
    cache = AnswerCache(kept, Settings())
    assert cache.get("k") is None
    assert cache.notes == ("cache begun anew: cache.db was damaged",)
    assert cache.put("k", samples.healed())
    assert cache.get("k")[0] == samples.healed()
    assert AnswerCache(kept, Settings()).get("k")


@pytest.mark.parametrize("body", [b"", b"no zlib", b"x\x9c+\x04\x00\x00r\x00r"])
def test_a_damaged_entry_is_a_miss(samples, kept, body):
    """One bad entry costs one answer, and goes."""
    with sqlite3.connect(kept / "cache.db") as db:
        db.execute("UPDATE entries SET body = ?", (body,))
    cache = AnswerCache(kept, Settings())
    assert cache.get("k") is None
    assert "answers" not in {kind for kind, found in cache_figures(kept).items() if found.entries}
    assert cache.notes == ()


def test_no_folder_and_a_folder_in_the_way(samples, tmp_path):
    """No place for a cache is no reason not to answer, and none is made."""
    gone = AnswerCache(tmp_path / "gone", Settings())
    assert gone.get("k") is None
    assert not gone.put("k", samples.healed())
    assert not (tmp_path / "gone").exists()
    (tmp_path / "cache.db").mkdir()
    blocked = AnswerCache(tmp_path, Settings())
    assert blocked.get("k") is None
    assert not blocked.put("k", samples.healed())
    assert cache_figures(tmp_path) == {}


@pytest.mark.skipif(os.name != "posix" or not os.getuid(), reason="root may write anywhere")
def test_a_folder_that_may_only_be_read(samples, kept):
    """An index on a read-only share is searched without a cache."""
    os.chmod(kept / "cache.db", 0o400)
    os.chmod(kept, 0o500)
    try:
        cache = AnswerCache(kept, Settings())
        assert cache.get("k") is None
        assert not cache.put("k", samples.healed())
        assert cache.notes == ()
    finally:
        os.chmod(kept, 0o700)


WRITER = """
import importlib.util, sys
from pathlib import Path
from ragheal.caching.answers import AnswerCache
from ragheal.settings import Settings
spec = importlib.util.spec_from_file_location("samples", sys.argv[1])
samples = importlib.util.module_from_spec(spec)
spec.loader.exec_module(samples)
cache = AnswerCache(Path(sys.argv[2]), Settings())
for number in range(40):
    assert cache.put(f"{sys.argv[3]} {number}", samples.healed())
    assert cache.get("shared") is not None or cache.put("shared", samples.conflict())
    assert cache.get(f"{sys.argv[3]} {number}")[0] == samples.healed()
assert cache.notes == ()
"""


def test_two_processes_at_once(repository, tmp_path):
    """A batch in one window and a question in another share a cache; neither may lose what it wrote."""
    command = [sys.executable, "-c", WRITER, str(repository / "tests/samples.py"), str(tmp_path)]
    writers = [subprocess.Popen([*command, name], stderr=subprocess.PIPE) for name in ("one", "two")]
    for writer in writers:
        _, err = writer.communicate(timeout=60)
        assert writer.returncode == 0, err.decode()
    found = cache_figures(tmp_path)["answers"]
    assert found.entries == 81
    assert found.hits + found.misses == 160
