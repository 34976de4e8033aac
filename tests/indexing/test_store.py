"""The database of a generation: what is put in comes out, and nothing else does."""

from __future__ import annotations

import sqlite3

import pytest

from ragheal.errors import IndexDamaged
from ragheal.indexing.store import CHUNK_FIELDS, DOCUMENT_FIELDS, DocumentRow, Store
from ragheal.indexing.store_write import StoreWriter
from ragheal.types import Chunk


def chunk(source: str, ordinal: int, text: str) -> Chunk:
    return Chunk(
        f"{source}#{ordinal}", source, ordinal, text, ("标题", 'a "b" \\c'), "paragraph",
        ordinal + 1, ordinal + 2, 10 * ordinal, 10 * ordinal + len(text), page=3,
    )  # fmt: skip


@pytest.fixture
def path(tmp_path):
    """A database with two documents of three chunks each."""
    path = tmp_path / "数据.db"
    writer = StoreWriter.create(path)
    for source in ("a.md", "目录/乙.md"):
        chunks = [chunk(source, i, f"text {i} 文本 😀 \x07") for i in range(3)]
        writer.put_chunks([(c, f"{c.id}".encode(), ["text", str(c.ordinal), "text"]) for c in chunks])
        writer.put_document(DocumentRow(source, ".", source, metadata={"date": "2026-03-01"}, chunks=3))
    writer.finish()
    writer.close()
    return path


def test_rows_come_back_as_they_were(path):
    """An offset or a heading that changes on the way makes a citation wrong."""
    store = Store.open(path)
    assert store.numbers() == [1, 2, 3, 4, 5, 6]
    assert store.chunks([5, 1]) == [
        chunk("目录/乙.md", 1, "text 1 文本 😀 \x07"),
        chunk("a.md", 0, "text 0 文本 😀 \x07"),
    ]
    assert store.document("a.md") == DocumentRow("a.md", ".", "a.md", metadata={"date": "2026-03-01"}, chunks=3)
    assert store.document("none") is None
    assert [row.source for row in store.documents()] == ["a.md", "目录/乙.md"]
    assert list(store.words())[3] == (4, ["text", "0", "text"])
    assert store.key_of("a.md#2") == (b"a.md#2", 3)
    assert store.number_of_key(b"a.md#2") == 3
    assert store.number_of_key(b"none") is None


def test_frequencies_count_chunks_through_every_change(path, tmp_path):
    """A rewrite would be built from words that no longer occur."""
    assert Store.open(path).frequencies(["text", "0", "absent", "\ud800"]) == {
        "text": 6, "0": 2, "absent": 0, "\ud800": 0,
    }  # fmt: skip
    changed = StoreWriter.create(tmp_path / "new.db", path)
    changed.drop("a.md")
    changed.put_chunks([(chunk("c.md", 0, "more"), b"k", ["more", "0"])])
    changed.finish()
    assert changed.frequencies(["text", "0", "1", "more"]) == {"text": 3, "0": 2, "1": 1, "more": 1}
    assert changed.numbers() == [4, 5, 6, 7]
    changed.drop("目录/乙.md")
    changed.finish()
    assert changed.frequencies(["text"]) == {"text": 0}
    assert Store.open(path).frequencies(["text"]) == {"text": 6}


def test_many_numbers_and_terms_at_once(path):
    """SQLite bounds the values of one statement; a long question must not hit that."""
    store = Store.open(path)
    assert len(store.chunks([1, 2, 3] * 4000)) == 12000
    assert len(store.frequencies([f"t{i}" for i in range(40_000)])) == 40_000


def test_what_is_not_there_is_damage(path):
    """A vector without its chunk cannot be cited."""
    with pytest.raises(IndexDamaged):
        Store.open(path).chunks([1, 99])


def test_readers_cannot_write_and_leave_no_files(path):
    """Asking a question must not change the index."""
    store = Store.open(path)
    store.documents()
    with pytest.raises(sqlite3.OperationalError):
        store._connection.execute("DELETE FROM chunks")
    assert [file.name for file in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("damage", [b"", b"SQLite format 3\0 and then nothing", b"\x89PNG" * 3000])
def test_another_file_is_refused(path, damage):
    """A traceback from SQLite tells nobody what to do."""
    path.write_bytes(damage)
    with pytest.raises(IndexDamaged) as caught:
        Store.open(path)
    assert "rebuild" in caught.value.hint


def test_new_fields_need_a_new_format():
    """An index of today's version would be read with tomorrow's columns. Changed a field? Raise FORMAT too."""
    from ragheal.indexing.generation import FORMAT

    assert (FORMAT, CHUNK_FIELDS, DOCUMENT_FIELDS) == (
        2,
        ("id", "source", "ordinal", "text", "headings", "kind", "start_line", "end_line", "start_char", "end_char",
         "page", "date", "raw", "places"),
        ("source", "root", "path", "sha256", "size", "mtime_ns", "ctime_ns", "inode", "status", "reason", "kind",
         "title", "encoding", "metadata", "chunks", "indexed_at"),
    )  # fmt: skip
