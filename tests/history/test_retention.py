"""The history stays within its limits: the oldest goes first, and all that belongs to it, and the file shrinks."""

import os
import sqlite3
import time
from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from made_runs import keep, made

from ragheal.errors import StorageError, TraceError
from ragheal.history import log
from ragheal.history.database import HISTORY, reading, writing
from ragheal.history.figures import figures
from ragheal.history.retention import Pruned, prune, prune_if_due
from ragheal.history.traces import TraceStore
from ragheal.settings import Settings
from ragheal.settings.sections import HistorySettings

NOW = datetime(2026, 3, 31, 12, tzinfo=UTC)


def aged(samples, number, days, size=0):
    """A trace made `days` before NOW, its body at least `size` bytes that do not compress."""
    made = (NOW - timedelta(days=days)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return msgspec.structs.replace(
        samples.healed(), id=f"t{number:04}", created=made, models={"x": os.urandom(size).hex()}
    )


def filled(folder, samples, days, size=0):
    store = TraceStore(folder)
    for number, age in enumerate(days):
        store.save(aged(samples, number, age, size))
    return store


def ids(store):
    return sorted(row.id for row in store.list(limit=1000))


def test_by_age(samples, tmp_path):
    """Ninety days of questions about other people's salaries are enough; the limit itself is still kept."""
    store = filled(tmp_path, samples, (200, 91, 90, 89, 0))
    pruned = prune(tmp_path, HistorySettings(keep_days=90, keep_mb=0), now=NOW)
    assert ids(store) == ["t0002", "t0003", "t0004"]
    assert (pruned.traces, pruned.kept, pruned.oldest) == (2, 3, "2025-12-31T12:00:00.000Z")
    assert store.load("last").id == "t0004"


def test_by_size_and_the_file_shrinks(samples, tmp_path):
    """A limit in megabytes is one of the disk, not of the rows."""
    store = filled(tmp_path, samples, range(40, 0, -1), size=100_000)
    before = (store.folder / "history.db").stat().st_size
    assert before > 2_000_000
    pruned = prune(tmp_path, HistorySettings(keep_days=0, keep_mb=1), now=NOW)
    after = (store.folder / "history.db").stat().st_size
    assert 800_000 < after <= 1_000_000
    assert (pruned.before, pruned.after) == (before, after)
    kept = ids(store)
    assert kept == [f"t{number:04}" for number in range(40 - len(kept), 40)]
    assert pruned.traces + len(kept) == 40
    again = prune(tmp_path, HistorySettings(keep_days=0, keep_mb=1), now=NOW)
    assert again.traces == 0


def test_no_limits_and_nothing_kept(samples, tmp_path):
    """0 is no limit, not none kept; and an empty folder stays empty."""
    assert prune(tmp_path, HistorySettings(), now=NOW) == Pruned()
    assert prune_if_due(tmp_path, Settings(), now=NOW) is None
    assert list(tmp_path.iterdir()) == []
    store = filled(tmp_path, samples, (4000, 0))
    assert prune(tmp_path, HistorySettings(keep_days=0, keep_mb=0), now=NOW).traces == 0
    assert len(ids(store)) == 2


def test_what_belongs_to_a_trace_goes_with_it(samples, tmp_path):
    """A failure whose trace is gone can be neither shown nor explained; a table of other things is left alone."""
    filled(tmp_path, samples, (200, 10))
    with writing(tmp_path) as db:
        db.execute("CREATE TABLE repairs (number INTEGER, created TEXT)")
        db.execute("INSERT INTO repairs VALUES (1, '2020-01-01')")
        for trace, signal in (("t0000", "thumbs_down"), ("t0000", "no_engagement"), ("t0001", "thumbs_up")):
            row = (trace, signal, "", "2026-03-20", -1.0, "")
            db.execute("INSERT INTO signals VALUES (?,?,?,?,?,?)", row)
    for id_, year in {"t0000": 2025, "t0001": 2026, "never kept": 2025, "new": 2026}.items():
        keep(tmp_path, msgspec.structs.replace(made("?", "abstained", created=NOW.replace(year=year)), id=id_))
    limits = HistorySettings(keep_days=90, keep_mb=0)
    foretold = prune(tmp_path, limits, now=NOW, dry_run=True)
    assert (foretold.traces, foretold.rows, foretold.kept) == (1, {"signals": 2, "failures": 2, "runs": 2}, 1)
    pruned = prune(tmp_path, limits, now=NOW)
    assert (pruned.traces, pruned.rows, pruned.kept) == (1, {"signals": 2, "failures": 2, "runs": 2}, 1)
    with reading(tmp_path) as db:
        assert {row[0] for row in db.execute("SELECT trace_id FROM failures")} == {"t0001", "new"}
        assert db.execute("SELECT count(*) FROM repairs").fetchone() == (1,)


def test_a_dry_run_changes_nothing(samples, tmp_path):
    """What is only looked at must not be gone."""
    store = filled(tmp_path, samples, range(30, 0, -1), size=100_000)
    data = (store.folder / "history.db").read_bytes()
    limits = HistorySettings(keep_days=25, keep_mb=1)
    foretold = prune(tmp_path, limits, now=NOW, dry_run=True)
    assert (store.folder / "history.db").read_bytes() == data
    done = prune(tmp_path, limits, now=NOW)
    assert abs(foretold.traces - done.traces) <= 1
    assert abs(foretold.after - done.after) < 100_000


def old_database(folder, samples):
    """A history as the first release made it: no index, no vacuum, and a trace in it."""
    with sqlite3.connect(folder / HISTORY.name) as db:
        db.execute(
            "CREATE TABLE traces (id TEXT PRIMARY KEY, created TEXT NOT NULL, question TEXT NOT NULL, status TEXT NOT "
            "NULL, route TEXT NOT NULL, rounds INTEGER NOT NULL, seconds REAL NOT NULL, generation INTEGER NOT NULL, "
            "body BLOB NOT NULL)"
        )
        for number in range(300):
            row = (f"o{number}", "2026-01-01T00:00:00.000Z", "old?", "answered", "standard", 1, 0.5, 1)
            db.execute("INSERT INTO traces VALUES (?,?,?,?,?,?,?,?,?)", (*row, os.urandom(3000)))
    db.close()


def test_a_history_of_before(samples, tmp_path):
    """An update must neither lose the old traces nor fail to prune them."""
    old_database(tmp_path, samples)
    store = TraceStore(tmp_path)
    assert len(store.list(limit=1000)) == 300
    assert log.list(tmp_path) == ()
    assert figures(tmp_path, days=7, now=NOW).questions == 0
    assert prune(tmp_path, HistorySettings(keep_days=30, keep_mb=0), now=NOW, dry_run=True).traces == 300
    store.save(aged(samples, 0, 0))
    assert store.list(limit=1)[0].id == "t0000"
    before = (store.folder / "history.db").stat().st_size
    assert prune(tmp_path, HistorySettings(keep_days=30, keep_mb=0), now=NOW).traces == 300
    assert (store.folder / "history.db").stat().st_size < before / 10
    assert ids(store) == ["t0000"]


def test_only_when_it_is_due(samples, tmp_path):
    """After every question it is asked whether it is time; the answer must cost nothing."""
    store = filled(tmp_path, samples, (200, 1))
    settings = Settings(history=HistorySettings(keep_days=90, keep_mb=500))
    assert prune_if_due(tmp_path, settings, now=NOW).traces == 1
    store.save(aged(samples, 7, 300))
    assert prune_if_due(tmp_path, settings, now=NOW + timedelta(hours=23)) is None
    started = time.perf_counter()
    for _ in range(50):
        prune_if_due(tmp_path, settings, now=NOW)
    assert time.perf_counter() - started < 1
    assert prune_if_due(tmp_path, settings, now=NOW + timedelta(hours=25)).traces == 1
    assert prune_if_due(tmp_path, settings, now=NOW) is not None  # the clock was set back
    off = Settings(history=HistorySettings(keep_days=0, keep_mb=0))
    assert prune_if_due(tmp_path, off, now=NOW + timedelta(days=9)) is None


def test_due_when_it_has_outgrown_its_limit(samples, tmp_path):
    """A busy day must not fill the disk before midnight; a limit that cannot be met is not tried for ever."""
    store = filled(tmp_path, samples, (0,))
    settings = Settings(history=HistorySettings(keep_days=0, keep_mb=0.5))
    assert prune_if_due(tmp_path, settings, now=NOW) is not None
    assert prune_if_due(tmp_path, settings, now=NOW) is None
    for number in range(1, 10):
        store.save(aged(samples, number, 0, size=100_000))
    assert prune_if_due(tmp_path, settings, now=NOW).traces > 0
    assert (store.folder / "history.db").stat().st_size <= 500_000
    with writing(tmp_path) as db:
        db.execute("CREATE TABLE other AS SELECT randomblob(900000) AS x")
    assert prune_if_due(tmp_path, settings, now=NOW) is not None
    assert prune_if_due(tmp_path, settings, now=NOW) is None


def test_others_at_work_and_damage(samples, tmp_path):
    """A replay that is reading puts pruning off; a damaged history is an error with a name."""
    store = filled(tmp_path, samples, (200, 1))
    settings = Settings()
    with sqlite3.connect(store.folder / "history.db", isolation_level=None) as db:
        db.execute("BEGIN EXCLUSIVE")
        assert prune_if_due(tmp_path, settings, now=NOW) is None
        db.execute("ROLLBACK")
    db.close()
    (store.folder / "history.db").write_bytes(b"damaged" * 1000)
    with pytest.raises(StorageError):
        prune_if_due(tmp_path, settings, now=NOW)
    with pytest.raises(TraceError):
        prune(tmp_path, settings.history, now=NOW, dry_run=True)


def test_a_transaction_and_a_reading(samples, tmp_path):
    """What is written about a trace is kept beside it, whole or not at all, and reading creates nothing."""
    with reading(tmp_path) as db:
        assert db.execute("SELECT * FROM asked").fetchall() == []
    assert list(tmp_path.iterdir()) == []
    with writing(tmp_path) as db:
        db.execute("INSERT INTO asked VALUES ('a', '', '')")

    def write(second):
        with writing(tmp_path) as db:
            db.execute("INSERT INTO asked VALUES ('b', '', '')")
            second(db)

    with pytest.raises(StorageError, match="no such table: none"):
        write(lambda db: db.execute("INSERT INTO none VALUES ('b')"))
    with pytest.raises(KeyError):
        write(lambda db: {}["b"])
    with reading(tmp_path) as db:
        assert db.execute("SELECT trace_id FROM asked").fetchall() == [("a",)]
    with pytest.raises(TraceError, match="readonly"), reading(tmp_path) as db:
        db.execute("DELETE FROM asked")
    assert TraceStore(tmp_path).list() == ()


def test_listing_by_time(samples, tmp_path):
    """Last week's questions are found without paging through a year."""
    store = filled(tmp_path, samples, (40, 30, 20, 10))
    assert [row.id for row in store.list(since="2026-03-01")] == ["t0003", "t0002", "t0001"]
    assert [row.id for row in store.list(until="2026-03-01T12:00:00.000Z")] == ["t0000"]
    assert [row.id for row in store.list(since="2026-03-01", until="2026-03-20", limit=1)] == ["t0002"]
    assert [row.id for row in store.list(since="2026-03", status="abstained")] == []
