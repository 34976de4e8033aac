"""Embeddings of a build that did not finish: kept by key, so that the next build need not make them again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ragheal.indexing.store import BATCH
from ragheal.storage.sqlite import Damaged, Database

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SCHEMA = ("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB)",)
PENDING = Database("pending.db", _SCHEMA, unnumbered=True)


class Pending:
    """A small database beside the generations, made at the first `put`; what is damaged is thrown away."""

    def __init__(self, folder: Path, dim: int) -> None:
        self._folder = folder
        self._dim = dim

    def get(self, keys: Iterable[bytes]) -> dict[bytes, NDArray[np.float32]]:
        """The vectors that are known, each of shape (dim,). Raises StorageError."""
        import numpy as np

        found: dict[bytes, NDArray[np.float32]] = {}
        if not PENDING.begun(self._folder):
            return found
        keys = list(keys)
        try:
            with PENDING.reading(self._folder) as db:
                for i in range(0, len(keys), BATCH):
                    batch = keys[i : i + BATCH]
                    marks = ",".join("?" * len(batch))
                    for key, data in db.execute(f"SELECT * FROM vectors WHERE key IN ({marks})", batch):
                        if len(data) == 4 * self._dim:
                            found[key] = np.frombuffer(data, np.float32)
        except Damaged:
            self.drop()
        return found

    def put(self, keys: Sequence[bytes], vectors: NDArray[np.float32]) -> None:
        """Keep vectors of shape (len(keys), dim); they are on disk on return. Raises StorageError."""
        rows = [(key, vector.tobytes()) for key, vector in zip(keys, vectors, strict=True)]
        with PENDING.writing(self._folder) as db:
            db.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)

    def drop(self) -> None:
        """Forget everything."""
        PENDING.drop(self._folder)
