"""The next generation while it is being made: a copy of the old database with changes, then vectors and words."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from ragheal.errors import IndexDamaged, IndexMissing, ModelError
from ragheal.indexing import dense, generation, lexical
from ragheal.indexing.chunk import embed_text, lexical_text
from ragheal.indexing.folder import REBUILD, Folder
from ragheal.indexing.generation import DATABASE, VECTORS, WORDS, Manifest, NewGeneration
from ragheal.indexing.pending import Pending
from ragheal.indexing.report import OnProgress, Progress
from ragheal.indexing.store import DocumentRow, Store
from ragheal.indexing.store_write import StoreWriter
from ragheal.models.base import Embedder
from ragheal.text.analyze import terms
from ragheal.types import Chunk

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Texts embedded between two writes to `pending.db`: what an interruption can cost, a few seconds' work.
EMBED_BATCH = 256


class Old:
    """The generation in force when a build begins."""

    def __init__(self, folder: Folder) -> None:
        """Raises IndexMissing, IndexDamaged, IndexMismatch."""
        self.path = generation.current(folder)
        try:
            self.manifest = generation.read_manifest(folder, self.path)
        except FileNotFoundError:
            raise IndexDamaged(f"{folder.current} names a generation that is not there", hint=REBUILD) from None
        self.store = Store.open(self.path / DATABASE)
        self.rows = self.store.documents()

    def vectors(self) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Chunk numbers, ascending, and vectors. Raises IndexDamaged."""
        data = (self.path / VECTORS).read_bytes()
        return dense.read(data, dim=self.manifest.dim, count=self.manifest.chunks).rows()

    def close(self) -> None:
        self.store.close()


def load_old(folder: Folder) -> Old | None:
    """The index as it is, None when there is none yet. Raises IndexDamaged, IndexMismatch."""
    try:
        return Old(folder)
    except IndexMissing:
        return None


class Draft:
    """Changes on the way to a new generation. `close` throws away what was not committed."""

    def __init__(
        self, folder: Folder, old: Old | None, embedder: Embedder, *, again: bool, words_again: bool
    ) -> None:
        """Start from `old`, or from nothing when `again`. Raises IndexDamaged, StorageError, OSError."""
        self._folder = folder
        self._embedder = embedder
        self._fingerprint = embedder.fingerprint
        self._copies: dict[int, int] = {}  # new chunk number -> old one with the same vector
        self._wanted: dict[bytes, tuple[str, list[int]]] = {}  # key -> text to embed, chunk numbers
        self.reused = 0
        self.embedded = 0
        same_vectors = old is not None and old.manifest.embedder_fingerprint == self._fingerprint
        self._usable = old if same_vectors else None
        if old is not None:
            # A damaged file must not be copied into the next generation.
            generation.verify(old.path, old.manifest, (DATABASE, VECTORS) if same_vectors else (DATABASE,))
        self._new = NewGeneration(folder)
        self._store: StoreWriter | None = None
        try:
            start = old.path / DATABASE if old is not None and not again else None
            self._store = StoreWriter.create(self._new.path / DATABASE, start)
            if start is not None and (words_again or not same_vectors):
                self._store.rederive(None if same_vectors else self._key, _terms if words_again else None)
        except BaseException:
            self.close()
            raise

    @property
    def store(self) -> StoreWriter:
        assert self._store is not None
        return self._store

    def add(self, row: DocumentRow, chunks: Sequence[Chunk], renamed_from: str = "") -> None:
        """Put a document and its chunks; a chunk whose vector is known is not embedded again."""
        before: list[Chunk] = []
        if renamed_from and self._usable is not None:
            before = self._usable.store.chunks_of(renamed_from)
        entries = []
        origins: list[int | None] = []
        for chunk in chunks:
            key, origin = self._key(chunk), None
            if self._usable is not None:
                origin = self._usable.store.number_of_key(key)
                if origin is None and chunk.ordinal < len(before) and before[chunk.ordinal].text == chunk.text:
                    # The file's name is part of what was embedded. A rename costs nothing all the same: the
                    # vector stays under the key it was made for, until the text changes.
                    key, origin = self._usable.store.key_of(before[chunk.ordinal].id)
            entries.append((chunk, key, _terms(chunk)))
            origins.append(origin)
        numbers = self.store.put_chunks(entries)
        for number, origin, (chunk, key, _) in zip(numbers, origins, entries, strict=True):
            if origin is not None:
                self._copies[number] = origin
                self.reused += 1
            else:
                self._want(number, key, chunk)
        self.store.put_document(msgspec.structs.replace(row, chunks=len(chunks)))

    def _want(self, number: int, key: bytes, chunk: Chunk) -> None:
        self._wanted.setdefault(key, (embed_text(chunk), []))[1].append(number)

    def _key(self, chunk: Chunk) -> bytes:
        text = f"{self._fingerprint}\0{embed_text(chunk)}".encode("utf-8", "surrogatepass")
        return hashlib.blake2b(text, digest_size=16).digest()

    def commit(self, manifest: Manifest, wanted_lexical: str, tantivy_above: int, report: OnProgress) -> Manifest:
        """Embed what is missing, write everything, switch. `manifest` lacks only what is known at the end.

        Raises ModelError, StorageError, OSError.
        """
        import numpy as np

        self.store.finish()
        numbers = np.array(self.store.numbers(), np.int64)
        vectors = np.empty((len(numbers), self._embedder.dim), np.float32)
        self._fill(numbers, vectors, report)
        report(Progress("write", 0, 3))
        dense.write(self._new.path / VECTORS, numbers, vectors)
        del vectors
        report(Progress("write", 1, 3))
        backend = lexical.choose(wanted_lexical, len(numbers), tantivy_above)
        lexical.write(backend, self._new.path / WORDS, self.store.words())
        report(Progress("write", 2, 3))
        documents = self.store.run("SELECT count(*) FROM documents WHERE status = 'ok'")[0][0]
        self.store.close()
        self._store = None
        manifest = msgspec.structs.replace(
            manifest, generation=self._new.number, lexical=backend, documents=documents, chunks=len(numbers),
            dim=self._embedder.dim,
        )  # fmt: skip
        self._new.commit(manifest)
        Pending(self._folder.path, manifest.dim).drop()
        report(Progress("write", 3, 3))
        return manifest

    def _fill(self, numbers: NDArray[np.int64], vectors: NDArray[np.float32], report: OnProgress) -> None:
        """Fill in the vector of every number: copied from the old generation, left over, or embedded now."""
        import numpy as np

        wanted = {number for _, places in self._wanted.values() for number in places}
        if self._usable is not None:
            old_numbers, old_vectors = self._usable.vectors()
            kept = [i for i, number in enumerate(numbers.tolist()) if number not in wanted]
            origins = np.array([self._copies.get(n, n) for n in numbers[kept].tolist()], np.int64)
            vectors[kept] = old_vectors[np.searchsorted(old_numbers, origins)]
        else:
            for number in numbers.tolist():
                if number not in wanted:
                    chunk = self.store.chunks([number])[0]
                    self._want(number, self._key(chunk), chunk)
        pending = Pending(self._folder.path, self._embedder.dim)
        for key, vector in pending.get(self._wanted).items():
            vectors[np.searchsorted(numbers, self._wanted.pop(key)[1])] = vector
            self.reused += 1
        self._embed(pending, numbers, vectors, report)

    def _embed(
        self, pending: Pending, numbers: NDArray[np.int64], vectors: NDArray[np.float32], report: OnProgress
    ) -> None:
        import numpy as np

        entries = [(key, text, places) for key, (text, places) in self._wanted.items()]
        total = len(entries)
        for start in range(0, total, EMBED_BATCH):
            batch = entries[start : start + EMBED_BATCH]

            def done(count: int, start: int = start) -> None:
                report(Progress("embed", start + count, total))

            rows = self._embedder.embed_passages([text for _, text, _ in batch], done)
            if rows.shape != (len(batch), vectors.shape[1]) or not np.isfinite(rows).all():
                raise ModelError(f"the embedder {self._embedder.name} returned vectors that cannot be used")
            for row, (_, _, places) in zip(rows, batch, strict=True):
                vectors[np.searchsorted(numbers, places)] = row
            self.embedded += len(batch)
            pending.put([key for key, _, _ in batch], rows)

    def close(self) -> None:
        """Close the files; remove the unfinished generation, if it is one."""
        if self._store is not None:
            self._store.close()
            self._store = None
        self._new.abandon()


def _terms(chunk: Chunk) -> list[str]:
    return terms(lexical_text(chunk))
