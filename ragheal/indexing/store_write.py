"""The writing side of `store.py`: the database of the generation that is being made."""

from __future__ import annotations

import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from ragheal.indexing.store import CHUNK_FIELDS, DOCUMENT_FIELDS, SCHEMA, DocumentRow, Store, translate
from ragheal.storage.sqlite import connect_draft
from ragheal.types import Chunk


class StoreWriter(Store):
    """Changes a database nobody else reads yet. Every method raises StorageError or IndexDamaged."""

    @classmethod
    def create(cls, path: Path, start_from: Path | None = None) -> StoreWriter:
        """A new database at `path`: empty, or a copy of another one. Raises OSError too."""
        if start_from is not None:
            shutil.copyfile(start_from, path)
        try:
            store = cls(path, connect_draft(path))  # one transaction, ended by `finish`
            if start_from is None:
                store._connection.executescript(SCHEMA)
        except sqlite3.Error as error:
            raise translate(error, path, writing=True) from error
        store._frequencies = Counter()
        row = store.run("SELECT coalesce(max(number), 0) FROM chunks")[0]
        store._last = int(row[0])
        return store

    _frequencies: Counter[str]  # changes to `terms`, written by `finish`
    _last: int  # highest chunk number given

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        try:
            yield self._connection
        except sqlite3.Error as error:
            raise translate(error, self.path, writing=True) from error

    def put_document(self, row: DocumentRow) -> None:
        """Insert the row of a document, or replace it; its chunks stay as they are."""
        values = msgspec.structs.asdict(row)
        values["metadata"] = msgspec.json.encode(row.metadata).decode()
        marks = ", ".join("?" * len(DOCUMENT_FIELDS))
        sql = f"INSERT OR REPLACE INTO documents ({', '.join(DOCUMENT_FIELDS)}) VALUES ({marks})"
        with self._writing() as connection:
            connection.execute(sql, [values[field] for field in DOCUMENT_FIELDS])

    def put_chunks(self, rows: Sequence[tuple[Chunk, bytes, Sequence[str]]]) -> list[int]:
        """Insert (chunk, key of its vector, analysed terms) rows. Returns their new numbers."""
        numbers = list(range(self._last + 1, self._last + 1 + len(rows)))
        self._last += len(rows)
        fields = ", ".join(CHUNK_FIELDS)
        marks = ", ".join("?" * len(CHUNK_FIELDS))
        with self._writing() as connection:
            connection.executemany(
                f"INSERT INTO chunks (number, {fields}) VALUES (?, {marks})",
                [(n, *_values(chunk)) for n, (chunk, _, _) in zip(numbers, rows, strict=True)],
            )
            connection.executemany(
                "INSERT INTO derived VALUES (?, ?, ?)",
                [(n, key, " ".join(terms)) for n, (_, key, terms) in zip(numbers, rows, strict=True)],
            )
        for _, _, terms in rows:
            self._frequencies.update(set(terms))
        return numbers

    def drop(self, source: str) -> None:
        """Remove a document and its chunks."""
        self.drop_chunks(source)
        with self._writing() as connection:
            connection.execute("DELETE FROM documents WHERE source = ?", (source,))

    def drop_chunks(self, source: str) -> None:
        """Remove the chunks of a document."""
        chosen = "SELECT number FROM chunks WHERE source = ?"
        for (words,) in self.run(f"SELECT words FROM derived WHERE number IN ({chosen})", (source,)):
            self._frequencies.subtract(set(words.split(" ") if words else ()))
        with self._writing() as connection:
            connection.execute(f"DELETE FROM derived WHERE number IN ({chosen})", (source,))
            connection.execute("DELETE FROM chunks WHERE source = ?", (source,))

    def rederive(
        self, key: Callable[[Chunk], bytes] | None, terms: Callable[[Chunk], Sequence[str]] | None
    ) -> None:
        """Compute the keys, the analysed terms, or both, of all chunks anew."""
        if terms is not None:
            self._frequencies.clear()
            with self._writing() as connection:
                connection.execute("DELETE FROM terms")
        for number in self.numbers():
            chunk = self.chunks([number])[0]
            with self._writing() as connection:
                if key is not None:
                    connection.execute("UPDATE derived SET key = ? WHERE number = ?", (key(chunk), number))
                if terms is not None:
                    found = terms(chunk)
                    self._frequencies.update(set(found))
                    connection.execute("UPDATE derived SET words = ? WHERE number = ?", (" ".join(found), number))

    def finish(self) -> None:
        """Write what is outstanding to disk."""
        changes = [(term, n) for term, n in self._frequencies.items() if n]
        self._frequencies.clear()
        with self._writing() as connection:
            connection.executemany(
                "INSERT INTO terms VALUES (?, ?) ON CONFLICT (term) DO UPDATE SET df = df + excluded.df", changes
            )
            connection.execute("DELETE FROM terms WHERE df <= 0")
            connection.commit()


def _values(chunk: Chunk) -> list[Any]:
    values = msgspec.structs.asdict(chunk)
    values["headings"] = msgspec.json.encode(chunk.headings).decode()
    return [values[field] for field in CHUNK_FIELDS]
