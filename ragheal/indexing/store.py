"""The SQLite file of one generation: documents, chunks, and how many chunks each term occurs in.

    documents   a row per file that was looked at: what it was when it was read, and what came of it
    chunks      every field of a Chunk under its number, the id that FAISS and the word index use
    derived     per chunk: the key of its vector (embedder and embedded text) and its analysed terms
    terms       term -> number of chunks

A generation never changes, so readers open it immutable: no lock, and a read-only folder will do.
The writing side is `store_write.py`.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from ragheal.errors import IndexDamaged, RaghealError, StorageError
from ragheal.indexing.folder import REBUILD, unreadable
from ragheal.storage.sqlite import connect
from ragheal.types import Chunk, Value
from ragheal.types.places import unpack

#: Bound of SQLite's variables in one statement, with room to spare.
BATCH = 500


class DocumentRow(Value, frozen=True):
    """A file as the index knows it. `root` is as recorded (see `Folder.pack_root`), `path` relative to it."""

    source: str
    root: str
    path: str
    sha256: str = ""
    size: int = 0
    mtime_ns: int = 0
    ctime_ns: int = 0
    inode: int = 0
    status: Literal["ok", "skipped", "failed"] = "ok"
    reason: str = ""
    kind: str = ""
    title: str = ""
    encoding: str = ""
    metadata: dict[str, str] = msgspec.field(default_factory=dict)
    chunks: int = 0
    indexed_at: str = ""  # ISO 8601, UTC


#: A file changed this shortly before a build began may change again within the file system's clock tick,
#: without a trace in its times: such files are hashed.
RACY_NS = 2_000_000_000
#: SQLite's integers are signed; some file systems use all 64 bits for an inode.
INODE_BITS = (1 << 63) - 1


def same_stat(row: DocumentRow, size: int, mtime_ns: int, ctime_ns: int, inode: int) -> bool:
    """True when nothing the file system tells about the file has changed, as git judges it."""
    now = (size, mtime_ns, ctime_ns, inode & INODE_BITS)
    return (row.size, row.mtime_ns, row.ctime_ns, row.inode) == now


_T = TypeVar("_T", DocumentRow, Chunk)

DOCUMENT_FIELDS = DocumentRow.__struct_fields__
CHUNK_FIELDS = Chunk.__struct_fields__


def _columns(kind: type[msgspec.Struct]) -> str:
    named = {"int": "INTEGER", "bytes": "BLOB"}
    types = {name: named.get(kind.__annotations__[name], "TEXT") for name in kind.__struct_fields__}
    return ", ".join(f"{name} {column} NOT NULL" for name, column in types.items())


#: The tables follow the values; when a field is added there, `generation.FORMAT` goes up.
SCHEMA = f"""
CREATE TABLE documents ({_columns(DocumentRow)}, PRIMARY KEY (source));
CREATE TABLE chunks (number INTEGER PRIMARY KEY, {_columns(Chunk)});
CREATE INDEX chunks_id ON chunks (id);
CREATE INDEX chunks_place ON chunks (source, ordinal);
CREATE TABLE derived (number INTEGER PRIMARY KEY, key BLOB NOT NULL, words TEXT NOT NULL);
CREATE INDEX derived_key ON derived (key);
CREATE TABLE terms (term TEXT PRIMARY KEY, df INTEGER NOT NULL) WITHOUT ROWID;
"""

_DOCUMENT = f"SELECT {', '.join(DOCUMENT_FIELDS)} FROM documents"
_CHUNK = f"SELECT {', '.join(CHUNK_FIELDS)} FROM chunks"


class Store:
    """Reads one generation's database. May be used by several threads. Every method raises IndexDamaged."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._lock = threading.Lock()

    @classmethod
    def open(cls, path: Path) -> Store:
        """Open read-only. Raises IndexDamaged."""
        try:
            store = cls(path, connect(path, "immutable"))
        except sqlite3.Error as error:
            raise translate(error, path) from error
        try:
            store.run("SELECT max(number) FROM chunks")  # it is a database, and ours
        except RaghealError:
            store.close()
            raise
        return store

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def run(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        """All rows of a statement."""
        try:
            with self._lock:
                return self._connection.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise translate(error, self.path) from error

    def documents(self) -> list[DocumentRow]:
        """Every document, by source."""
        return [self._document(row) for row in self.run(f"{_DOCUMENT} ORDER BY source")]

    def document(self, source: str) -> DocumentRow | None:
        rows = self.run(f"{_DOCUMENT} WHERE source = ?", (source,))
        return self._document(rows[0]) if rows else None

    def chunks(self, numbers: Sequence[int]) -> list[Chunk]:
        """The chunks with these numbers, in the order asked for; each must exist."""
        found = {}
        for batch in _batches(list(dict.fromkeys(numbers))):
            marks = ",".join("?" * len(batch))
            sql = f"SELECT number, {', '.join(CHUNK_FIELDS)} FROM chunks WHERE number IN ({marks})"
            found.update({row[0]: self._chunk(row[1:]) for row in self.run(sql, batch)})
        try:
            return [found[number] for number in numbers]
        except KeyError as error:
            raise IndexDamaged(f"{self.path} lacks chunk {error}", hint=REBUILD) from None

    def chunks_of(self, source: str) -> list[Chunk]:
        """The chunks of a document, in order."""
        return [self._chunk(row) for row in self.run(f"{_CHUNK} WHERE source = ? ORDER BY ordinal", (source,))]

    def frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """In how many chunks each term occurs; 0 for a term that occurs in none."""
        counts = dict.fromkeys(terms, 0)
        for batch in _batches([term for term in counts if _storable(term)]):
            marks = ",".join("?" * len(batch))
            counts.update(self.run(f"SELECT term, df FROM terms WHERE term IN ({marks})", batch))
        return counts

    def numbers(self) -> list[int]:
        """The numbers of all chunks, ascending."""
        return [row[0] for row in self.run("SELECT number FROM derived ORDER BY number")]

    def words(self) -> Iterator[tuple[int, list[str]]]:
        """The analysed terms of every chunk, by number. The store must not be written to meanwhile."""
        try:
            for number, words in self._connection.execute("SELECT number, words FROM derived ORDER BY number"):
                yield number, words.split(" ") if words else []
        except sqlite3.Error as error:
            raise translate(error, self.path) from error

    def number_of_key(self, key: bytes) -> int | None:
        """The lowest chunk number whose vector has this key."""
        row = self.run("SELECT min(number) FROM derived WHERE key = ?", (key,))[0]
        return None if row[0] is None else int(row[0])

    def key_of(self, chunk_id: str) -> tuple[bytes, int]:
        """The key of a chunk's vector and its number, by its id; it must exist."""
        sql = "SELECT key, number FROM derived WHERE number = (SELECT min(number) FROM chunks WHERE id = ?)"
        rows = self.run(sql, (chunk_id,))
        if not rows:
            raise IndexDamaged(f"{self.path} lacks chunk {chunk_id}", hint=REBUILD)
        return bytes(rows[0][0]), int(rows[0][1])

    def _document(self, row: Sequence[Any]) -> DocumentRow:
        values = dict(zip(DOCUMENT_FIELDS, row, strict=True))
        values["metadata"] = self._json(values["metadata"], dict[str, str])
        return self._convert(values, DocumentRow)

    def _chunk(self, row: Sequence[Any]) -> Chunk:
        values = dict(zip(CHUNK_FIELDS, row, strict=True))
        values["headings"] = self._json(values["headings"], tuple[str, ...])
        chunk = self._convert(values, Chunk)
        try:
            unpack(chunk.places, len(chunk.text))
        except (ValueError, OverflowError) as error:
            raise IndexDamaged(f"{self.path} holds a row that is not readable: {error}", hint=REBUILD) from None
        return chunk

    def _json(self, text: Any, kind: Any) -> Any:
        try:
            return msgspec.json.decode(text, type=kind)
        except (msgspec.MsgspecError, TypeError):
            raise IndexDamaged(f"{self.path} holds a row that is not readable", hint=REBUILD) from None

    def _convert(self, values: dict[str, Any], kind: type[_T]) -> _T:
        try:
            return msgspec.convert(values, kind)
        except msgspec.ValidationError as error:
            raise IndexDamaged(f"{self.path} holds a row that is not readable: {error}", hint=REBUILD) from None


def translate(error: sqlite3.Error, path: Path, *, writing: bool = False) -> RaghealError:
    """What an error of SQLite means for the user."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if writing and code in _DISK:
        return StorageError(f"cannot write {path}: {_DISK[code]}", hint="free some space, or use --index FOLDER")
    if code == sqlite3.SQLITE_CANTOPEN and os.path.exists(path) and not os.access(path, os.R_OK):
        return unreadable(path, PermissionError())
    return IndexDamaged(f"{path} cannot be read: {error}", hint=REBUILD)


_DISK = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_IOERR: "the disk is full or failing",
    sqlite3.SQLITE_READONLY: "it is read-only",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened",
    sqlite3.SQLITE_PERM: "no permission",
}


def _batches(values: Sequence[Any]) -> Iterable[Sequence[Any]]:
    return (values[i : i + BATCH] for i in range(0, len(values), BATCH))


def _storable(text: str) -> bool:
    """False for lone surrogates, which SQLite cannot take."""
    return text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text)
