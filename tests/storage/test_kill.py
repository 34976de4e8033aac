"""Processes that are really killed in the middle of writing: what docs/storage.md promises of each kind of file."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from ragheal.storage.files import append, leftovers, write_whole
from ragheal.storage.lock import exclusive, is_held
from ragheal.storage.sqlite import Database

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows knows no SIGKILL")

PAIRS = Database("pairs.db", ("CREATE TABLE pairs (n INTEGER, body BLOB)",))
COPY = Database("copy.db", PAIRS.schema, durable=False)
CHANCE = random.Random(7)
BEGIN = """
import pathlib, sys
from ragheal.storage.files import append, write_whole
from ragheal.storage.lock import exclusive
from ragheal.storage.sqlite import Database
folder = pathlib.Path(sys.argv[1])
base = Database("pairs.db", ("CREATE TABLE pairs (n INTEGER, body BLOB)",))
print("ready", flush=True)
"""


def killed(folder: Path, work: str, after: float) -> None:
    """Run `work` in a process of its own and kill it so many seconds after it began."""
    command = [sys.executable, "-c", BEGIN + work, str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    time.sleep(after)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()


REPLACING = """
for n in range(10**6):
    write_whole(folder / "t.json", bytes([97 + n % 26]) * 200_000)
"""


@pytest.mark.parametrize("attempt", range(3))
def test_a_file_is_the_old_one_or_the_new_one(tmp_path: Path, attempt: int) -> None:
    """CURRENT, a pointer, a trace: half of one would be the loss of an index, of all repairs, of a record."""
    write_whole(tmp_path / "t.json", b"a" * 200_000)
    killed(tmp_path, REPLACING, CHANCE.uniform(0.0, 0.1))
    found = (tmp_path / "t.json").read_bytes()
    assert (len(found), len(set(found))) == (200_000, 1)
    for path in leftovers(tmp_path):
        path.unlink()
    assert [path.name for path in tmp_path.iterdir()] == ["t.json"]


def test_a_line_that_was_cut_off_spoils_no_other(tmp_path: Path) -> None:
    """The log of repairs is read line by line: what is written after a kill must not hang on its half line."""
    (tmp_path / "log.jsonl").write_bytes(b'{"n":1}\n{"n":')
    append(tmp_path / "log.jsonl", b'{"n":3}')
    append(tmp_path / "log.jsonl", b'{"n":4}')
    assert (tmp_path / "log.jsonl").read_bytes() == b'{"n":1}\n{"n":\n{"n":3}\n{"n":4}\n'


TRANSACTIONS = """
for n in range(10**6):
    with base.writing(folder) as db:
        db.execute("INSERT INTO pairs VALUES (?, zeroblob(20000))", (n,))
        db.execute("INSERT INTO pairs VALUES (?, zeroblob(20000))", (n,))
"""


@pytest.mark.parametrize("attempt", range(3))
def test_a_transaction_is_whole_or_undone(tmp_path: Path, attempt: int) -> None:
    """A question whose trace is kept and whose row is not would be counted wrong for good."""
    killed(tmp_path, TRANSACTIONS, CHANCE.uniform(0.05, 0.2))
    if PAIRS.begun(tmp_path):
        with PAIRS.reading(tmp_path) as db:
            assert db.execute("SELECT count(*) FROM pairs GROUP BY n HAVING count(*) != 2").fetchall() == []
            assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)


LARGE = """
with base.writing(folder) as db:
    db.execute("PRAGMA cache_size = 1")
    db.executemany("INSERT INTO pairs VALUES (?, zeroblob(5000))", [(2,)] * 200)  # more than the cache: it spills
    print("in", flush=True)
    input()
"""


def test_who_only_reads_sees_what_was_there_before(tmp_path: Path) -> None:
    """After a kill `ragheal traces` must list, not ask for a command that writes first."""
    with PAIRS.writing(tmp_path) as db:
        db.execute("INSERT INTO pairs VALUES (1, x'')")
    command = [sys.executable, "-c", BEGIN + LARGE, str(tmp_path)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert [process.stdout.readline() for _ in range(2)] == [b"ready\n", b"in\n"]
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert (tmp_path / "pairs.db-journal").stat().st_size > 0
    with PAIRS.reading(tmp_path) as db:
        assert db.execute("SELECT n FROM pairs").fetchall() == [(1,)]


def test_the_dead_hold_no_lock(tmp_path: Path) -> None:
    """A lock file that outlives its process makes people delete files by hand."""
    work = 'with exclusive(folder / "lock", lambda: "held"):\n    print("held", flush=True)\n    input()\n'
    command = [sys.executable, "-c", BEGIN + work, str(tmp_path)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert [process.stdout.readline() for _ in range(2)] == [b"ready\n", b"held\n"]
    assert is_held(tmp_path / "lock")
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert not is_held(tmp_path / "lock")
    with exclusive(tmp_path / "lock", lambda: "held"):
        pass


@pytest.mark.parametrize(("base", "flushes"), [(PAIRS, 2), (COPY, 0)])
def test_what_waits_for_the_disk(tmp_path: Path, base: Database, flushes: int) -> None:
    """A power cut takes nothing of a durable database; what is made again by use makes no question wait."""
    with base.writing(tmp_path) as db:
        assert db.execute("PRAGMA synchronous").fetchone() == (flushes,)


def test_the_databases_keep_what_the_page_promises(repository: Path) -> None:
    """docs/storage.md says of each file what a power cut may take: it must be what the code asks of SQLite."""
    from ragheal.caching.database import CACHE
    from ragheal.history.database import HISTORY
    from ragheal.indexing.pending import PENDING
    from ragheal.memory.store import MEMORY
    from ragheal.models.chat.ledger import MODELS

    page = (repository / "docs" / "storage.md").read_text(encoding="utf-8")
    (promised,) = [line for line in page.splitlines() if line.startswith("| databases that last")]
    (disposable,) = [line for line in page.splitlines() if line.startswith("| databases made again")]
    for base in (HISTORY, MEMORY, PENDING, CACHE, MODELS):
        assert f"`{base.name}`" in (promised if base.durable else disposable)


def test_another_version_is_not_touched(tmp_path: Path) -> None:
    """A newer program's file must not be filled with an older one's rows."""
    from ragheal.storage.sqlite import Damaged

    with closing(sqlite3.connect(tmp_path / "pairs.db")) as db:
        db.execute("PRAGMA user_version = 9")
    before = (tmp_path / "pairs.db").read_bytes()
    for opened in (PAIRS.reading, PAIRS.writing):
        with pytest.raises(Damaged, match="another version"), opened(tmp_path):
            pass
    assert (tmp_path / "pairs.db").read_bytes() == before
