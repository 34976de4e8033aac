"""The read side: one generation, opened whole, whatever a writer does meanwhile.

Opening reads the manifest and checks that every file is there at its size. Vectors and words are loaded at
the first search that wants them, so that commands which search nothing load neither FAISS nor Tantivy.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING

from ragheal.errors import IndexDamaged, IndexMismatch
from ragheal.indexing.folder import REBUILD, Folder, unpack_path, unreadable
from ragheal.indexing.generation import DATABASE, VECTORS, WORDS, Manifest, current, hold, read_manifest
from ragheal.indexing.store import RACY_NS, DocumentRow, Store, same_stat
from ragheal.types import Chunk

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ragheal.indexing.dense import Dense
    from ragheal.indexing.lexical import Lexical


class OpenIndex:
    """An index opened for reading; may be used by several threads. Use `open`; close it or use `with`."""

    def __init__(self, folder: Folder, path: Path, manifest: Manifest, store: Store, held: IO[bytes]) -> None:
        self.manifest = manifest
        self._folder = folder
        self._path = path
        self._store = store
        self._held = held
        self._lock = threading.Lock()
        self._dense: Dense | None = None
        self._lexical: Lexical | None = None
        self._rows: dict[str, DocumentRow | None] = {}

    @classmethod
    def open(cls, folder: Path) -> OpenIndex:
        """Open the generation in force. Raises IndexMissing, IndexDamaged, IndexMismatch."""
        place = Folder(folder)
        last: Path | None = None
        for _ in range(10):
            path = current(place)
            try:
                return cls._open(place, path)
            except FileNotFoundError:
                # A writer switched between our reading CURRENT and opening what it named.
                if path == last:
                    break
                last = path
        raise IndexDamaged(f"{place.current} names {path.name}, which is not there", hint=REBUILD)

    @classmethod
    def _open(cls, folder: Folder, path: Path) -> OpenIndex:
        try:
            held = hold(path)
        except FileNotFoundError:
            read_manifest(folder, path)  # tells a damaged generation from one that is gone
            raise
        try:
            return cls(folder, path, read_manifest(folder, path), Store.open(path / DATABASE), held)
        except BaseException:
            held.close()
            raise

    def close(self) -> None:
        self._store.close()
        self._held.close()
        self._dense = self._lexical = None

    def __enter__(self) -> OpenIndex:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def folder(self) -> Path:
        return self._folder.path

    @property
    def generation(self) -> int:
        return self.manifest.generation

    @property
    def chunk_count(self) -> int:
        return self.manifest.chunks

    def require(self, embedder_fingerprint: str, analyzer: str, embedder: str = "") -> None:
        """Raise IndexMismatch unless the index was made with this embedder and this analyzer."""
        made = self.manifest
        if made.chunks and made.embedder_fingerprint != embedder_fingerprint:
            raise IndexMismatch(
                f"the index was made with the embedder {made.embedder} ({made.embedder_fingerprint}), "
                f"the settings ask for {embedder or 'another'} ({embedder_fingerprint})",
                hint=f"ragheal index {self._paths()}   (embeds everything anew), or set embedding.model back",
            )
        if made.analyzer != analyzer:
            raise IndexMismatch(
                f"the index was made with the analyzer {made.analyzer}, this ragheal has {analyzer}",
                hint=f"ragheal index {self._paths()}   (indexes the words anew)",
            )

    def _paths(self) -> str:
        roots = self.manifest.roots
        return " ".join(f'"{root}"' if " " in root else root for root in roots) if 0 < len(roots) < 4 else "PATH…"

    # --- searching ---

    def dense(self, vector: NDArray[np.float32], k: int) -> list[tuple[int, float]]:
        """At most k (chunk number, cosine) for a unit vector of shape (dim,), best first. Raises IndexDamaged."""
        return self._open_dense().search(vector, k)

    def vectors(self, numbers: Sequence[int]) -> NDArray[np.float32]:
        """The indexed vectors of some chunks, shape (len(numbers), dim), unit rows."""
        return self._open_dense().vectors(numbers)

    def lexical(self, terms: Sequence[str], k: int) -> list[tuple[int, float]]:
        """At most k (chunk number, BM25 score > 0) for analysed terms, best first. Raises IndexDamaged."""
        return self._open_lexical().search(terms, k)

    def warm(self) -> None:
        """Load what searching needs; may be run in a thread beside other work. Raises IndexDamaged."""
        self._open_dense()
        self._open_lexical()

    def _open_dense(self) -> Dense:
        with self._lock:
            if self._dense is None:
                from ragheal.indexing import dense

                try:
                    data = (self._path / VECTORS).read_bytes()
                except OSError as error:
                    raise unreadable(self._path / VECTORS, error) from None
                self._dense = dense.read(data, dim=self.manifest.dim, count=self.manifest.chunks)
            return self._dense

    def _open_lexical(self) -> Lexical:
        with self._lock:
            if self._lexical is None:
                from ragheal.indexing import lexical

                self._lexical = lexical.read(self.manifest.lexical, self._path / WORDS)
            return self._lexical

    # --- reading ---

    def chunks(self, numbers: Sequence[int]) -> list[Chunk]:
        """The chunks with these numbers, in the order asked for."""
        return self._store.chunks(numbers)

    def frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """For each analysed term, in how many chunks it occurs."""
        return self._store.frequencies(terms)

    def documents(self) -> list[DocumentRow]:
        """Every file the index knows, those skipped and failed too, by source."""
        return self._store.documents()

    def metadata(self, source: str) -> dict[str, str]:
        """A document's metadata, such as its date; empty for an unknown source."""
        row = self._row(source)
        return dict(row.metadata) if row else {}

    def hash_of(self, source: str) -> str | None:
        """SHA-256 of a document as it was indexed, in hex; None for an unknown source."""
        row = self._row(source)
        return row.sha256 if row else None

    def path_of(self, source: str) -> Path | None:
        """The absolute path of a document's file, which may no longer exist; None for an unknown source."""
        row = self._row(source)
        return self._folder.unpack_root(row.root) / unpack_path(row.path) if row else None

    def is_current(self, source: str) -> bool:
        """True when the document's file is now what was indexed."""
        row, path = self._row(source), self.path_of(source)
        if row is None or path is None:
            return False
        try:
            stat = os.stat(path)
            if stat.st_size != row.size:
                return False
            fresh = same_stat(row, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino)
            if fresh and row.mtime_ns < self.manifest.started_ns - RACY_NS:
                return True
            return hashlib.sha256(path.read_bytes()).hexdigest() == row.sha256
        except OSError:
            return False

    def _row(self, source: str) -> DocumentRow | None:
        if source not in self._rows:
            self._rows[source] = self._store.document(source)
        return self._rows[source]
