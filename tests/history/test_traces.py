"""Traces kept, found, exported; and what is no trace says so."""

import errno
import json
import os
import sqlite3
import time

import msgspec
import pytest

from ragheal.errors import StorageError, TraceError
from ragheal.history.traces import TraceStore
from ragheal.settings import KEYS
from ragheal.storage.clock import new_id
from ragheal.storage.sqlite import move_aside
from ragheal.tracing import files
from ragheal.types import Exchange


def test_what_is_saved_comes_back(samples, tmp_path):
    """A trace that changes by being kept is no record."""
    store = TraceStore(tmp_path)
    for make in samples.ALL.values():
        store.save(make())
    for make in samples.ALL.values():
        assert store.load(make().id) == make()
    assert store.load("last").id == samples.many_hits().id


def test_last_is_the_one_last_shown(samples, tmp_path):
    """After a cached answer, `feedback last` must not mark the answer to another question."""
    store = TraceStore(tmp_path)
    first, second = samples.healed(), samples.conflict()
    store.save(first)
    store.save(second)
    assert store.load("last") == second
    store.shown(first.id)
    assert store.load("last") == first
    store.shown(second.id)
    assert store.load("last") == second
    store.shown(first.id)
    store.save(samples.direct())
    assert store.load("last") == samples.direct()
    store.shown(first.id)
    with sqlite3.connect(store.folder / "history.db") as db:
        db.execute("DELETE FROM traces WHERE id = ?", (first.id,))
    assert store.load("last") == samples.direct()  # the one shown is gone
    with sqlite3.connect(store.folder / "history.db") as db:
        db.execute("DROP TABLE last")
        db.execute("PRAGMA user_version = 0")
    assert store.load("last") == samples.direct()  # a history of before
    store.shown(second.id)
    assert store.load("last") == second


def test_ids_by_part(samples, tmp_path):
    """Nobody types eleven characters; ids of one day begin alike, so the end of one will do as well."""
    store = TraceStore(tmp_path)
    store.save(samples.healed())
    store.save(samples.conflict())
    store.save(msgspec.structs.replace(samples.conflict(), id="2b3c4d5e6f8"))
    assert store.load("1a2b").id == "1a2b3c4d5e6"
    assert store.load("6F7").id == "2b3c4d5e6f7"
    with pytest.raises(TraceError, match="2 traces match `2b3`") as error:
        store.load("2b3")
    assert "2b3c4d5e6f8, 2b3c4d5e6f7" in error.value.hint
    with pytest.raises(TraceError, match="no trace `9z`"):
        store.load("9z")
    with pytest.raises(TraceError, match="no trace `%`"):
        store.load("%")


def test_list_filters(samples, tmp_path):
    """Newest first; by status, route and text of the question, Chinese too."""
    store = TraceStore(tmp_path)
    assert store.list() == ()
    for make in samples.ALL.values():
        store.save(make())
    assert [row.id for row in store.list(limit=2)] == [samples.many_hits().id, samples.direct().id]
    assert [row.id for row in store.list(status="abstained")] == [samples.abstained().id]
    assert [row.id for row in store.list(route="multi_hop")] == [samples.healed().id]
    assert [row.question for row in store.list(contains="年假")] == [samples.conflict().question]


def test_reading_needs_no_right_to_write(samples, tmp_path):
    """An index on a read-only share can be replayed; saving there is a clear error."""
    store = TraceStore(tmp_path)
    store.save(samples.healed())
    os.chmod(store.folder / "history.db", 0o400)
    os.chmod(tmp_path, 0o500)
    try:
        assert store.load("last") == samples.healed()
        if os.getuid():  # root may write anywhere
            with pytest.raises(StorageError, match="cannot write"):
                store.save(samples.direct())
    finally:
        os.chmod(tmp_path, 0o700)


def test_damaged_history(samples, tmp_path):
    """A damaged history must not look like an empty one, and must say which file to move."""
    store = TraceStore(tmp_path)
    (store.folder / "history.db").write_bytes(b"this is no database at all" * 100)
    with pytest.raises(StorageError) as error:
        store.save(samples.healed())
    assert "history.db" in error.value.hint
    with pytest.raises(TraceError, match="not a database"):
        store.load("last")
    (store.folder / "history.db").unlink()
    store.save(samples.healed())
    with sqlite3.connect(store.folder / "history.db") as db:
        db.execute("UPDATE traces SET body = x'00'")
    with pytest.raises(TraceError, match="is damaged"):
        store.load("last")


@pytest.mark.skipif(os.name == "nt" or os.getuid() == 0, reason="root may read anything")
@pytest.mark.parametrize("what", ["file", "folder"])
def test_unreadable_history(samples, tmp_path, what):
    """What may not be read must not look like nothing kept; whose right is missing is told."""
    folder = tmp_path / "index"
    folder.mkdir()
    store = TraceStore(folder)
    store.save(samples.healed())
    closed = store.folder / "history.db" if what == "file" else folder
    closed.chmod(0)
    try:
        for look in (store.list, lambda: store.load("last"), lambda: store.save(samples.direct())):
            with pytest.raises((TraceError, StorageError), match="unable to open") as error:
                look()
            assert "history.db is not yours to read" in error.value.hint
    finally:
        closed.chmod(0o700)


def test_moved_aside(tmp_path):
    """Two damages within a second: neither file overwrites the other, and each keeps its journal."""
    path = tmp_path / "x.db"
    moved = []
    for content in (b"one", b"two", b"three"):
        path.write_bytes(content)
        (tmp_path / "x.db-journal").write_bytes(content)
        moved.append(move_aside(path))
    assert [name.read_bytes() for name in moved] == [b"one", b"two", b"three"]
    assert all((tmp_path / f"{name.name}-journal").exists() for name in moved)
    assert len(list(tmp_path.iterdir())) == 6


def test_nothing_here(tmp_path):
    """No traces yet is told apart from a wrong id, and reading creates nothing."""
    with pytest.raises(TraceError, match="no traces are kept"):
        TraceStore(tmp_path).load("last")
    assert list(tmp_path.iterdir()) == []


def test_ids_are_short_unique_and_sort_by_age():
    """Ids are typed by people and listed in order."""
    first = [new_id() for _ in range(200)]
    time.sleep(0.07)
    second = new_id()
    assert len(set(first)) == 200
    assert all(len(id_) == 11 for id_ in first)
    assert max(first) < second


def test_file_round_trip(samples, tmp_path):
    """A trace handed to a colleague is the same trace, replies included."""
    path = tmp_path / "t.json"
    reply = msgspec.Raw(b'[{"a":1.0,"b":[1,2]},null]')
    for make in samples.ALL.values():
        trace = msgspec.structs.replace(make(), exchanges=(Exchange("search", "{}", reply, 0.25),))
        files.write(trace, path)
        loaded = files.read(path)
        assert loaded.intact
        assert loaded.trace == trace
    assert path.read_text(encoding="utf-8").count("\n") > 20  # for people and diffs


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.pop("version"), "names no version"),
        (lambda t: t.update(version=99), "has trace version 99; this ragheal reads version 1"),
        (lambda t: t.update(version=0), "has trace version 0"),
        (lambda t: t.update(version="1"), "names no version"),
        (lambda t: t["steps"][2].update(round="one"), r"Expected int, got str - at \$.steps\[2\].round"),
        (lambda t: t["steps"][0].update(type="teleport"), r"Invalid value 'teleport' - at \$.steps\[0\].type"),
        (lambda t: t.pop("answer"), "missing required field answer"),
    ],
)
def test_what_is_wrong_with_a_file(samples, tmp_path, change, message):
    """Each way a trace can be unreadable has its own reason, with the place in the file."""
    path = tmp_path / "t.json"
    files.write(samples.healed(), path)
    tree = json.loads(path.read_text(encoding="utf-8"))
    change(tree)
    path.write_text(json.dumps(tree), encoding="utf-8")
    with pytest.raises(TraceError, match=message):
        files.read(path)


def test_an_edit_by_hand_is_seen(samples, tmp_path):
    """An edited answer must not pass for what was answered."""
    path = tmp_path / "t.json"
    files.write(samples.healed(), path)
    path.write_text(path.read_text(encoding="utf-8").replace("900 ms", "100 ms"), encoding="utf-8")
    assert not files.read(path).intact


@pytest.mark.parametrize("data", [b"", b"{", b"[1]", b"\xff\xfe\x00", b'"text"', b'{"version": 1'])
def test_no_trace_at_all(tmp_path, data):
    """Any other file is a clear error, never a traceback."""
    path = tmp_path / "t.json"
    path.write_bytes(data)
    with pytest.raises(TraceError):
        files.read(path)


def test_missing_and_unwritable_files(samples, tmp_path):
    """The operating system's reason is passed on."""
    with pytest.raises(TraceError, match="No such file"):
        files.read(tmp_path / "none.json")
    with pytest.raises(StorageError, match="cannot write the trace"):
        files.write(samples.direct(), tmp_path / "no" / "t.json")


class FullDisk:
    """A file that takes a few bytes and then no more."""

    def __init__(self, file):
        self.file = file

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()

    def write(self, data):
        self.file.write(data[:10])
        self.file.flush()
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("before", [None, b"an older trace"])
def test_a_full_disk_leaves_no_cut_file(samples, tmp_path, monkeypatch, before):
    """A cut trace would pass for one until it is read, and the older one would be lost for it."""
    path = tmp_path / "t.json"
    if before:
        path.write_bytes(before)
    opened = os.fdopen
    monkeypatch.setattr(os, "fdopen", lambda *a, **k: FullDisk(opened(*a, **k)))
    with pytest.raises(StorageError, match="No space left") as error:
        files.write(samples.direct(), path)
    monkeypatch.undo()
    assert error.value.hint
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == ({"t.json": before} if before else {})


def test_a_link_and_a_pipe_stay_what_they_are(samples, tmp_path):
    """`--trace` onto a link or `/dev/null` must not put a file in its place."""
    (tmp_path / "there").mkdir()
    link = tmp_path / "t.json"
    link.symlink_to(tmp_path / "there" / "t.json")
    files.write(samples.direct(), link)
    assert link.is_symlink()
    assert files.read(tmp_path / "there" / "t.json").intact
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    end = os.open(pipe, os.O_RDWR)
    try:
        files.write(samples.direct(), pipe)
        assert pipe.is_fifo()
        assert os.read(end, 1_000_000).startswith(b"{")
    finally:
        os.close(end)


def test_no_setting_is_a_secret():
    """A trace keeps the settings; a key among them would end in a file."""
    names = {key.rpartition(".")[2] for key in KEYS}
    assert not {name for name in names if name.endswith(("key", "secret", "password"))}
