"""Embeddings of a build that did not finish: kept by key, so that the next build need not make them again."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ragheal.indexing.store import BATCH, translate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Pending:
    """A small database beside the generations, made at the first `put`; what is damaged is thrown away."""

    def __init__(self, path: Path, dim: int) -> None:
        self._path = path
        self._dim = dim
        self._connection: sqlite3.Connection | None = None

    def get(self, keys: Iterable[bytes]) -> dict[bytes, NDArray[np.float32]]:
        """The vectors that are known, each of shape (dim,)."""
        import numpy as np

        found: dict[bytes, NDArray[np.float32]] = {}
        if not self._path.exists():
            return found
        keys = list(keys)
        try:
            connection = self._open()
            for i in range(0, len(keys), BATCH):
                batch = keys[i : i + BATCH]
                marks = ",".join("?" * len(batch))
                for key, data in connection.execute(f"SELECT * FROM vectors WHERE key IN ({marks})", batch):
                    if len(data) == 4 * self._dim:
                        found[key] = np.frombuffer(data, np.float32)
        except sqlite3.DatabaseError:
            self.drop()
        return found

    def put(self, keys: Sequence[bytes], vectors: NDArray[np.float32]) -> None:
        """Keep vectors of shape (len(keys), dim); they are on disk on return. Raises StorageError."""
        rows = [(key, vector.tobytes()) for key, vector in zip(keys, vectors, strict=True)]
        try:
            connection = self._open()
            connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
            connection.commit()
        except sqlite3.Error as error:
            raise translate(error, self._path, writing=True) from error

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def drop(self) -> None:
        """Forget everything."""
        self.close()
        for suffix in ("", "-journal"):
            with suppress(OSError):
                self._path.with_name(self._path.name + suffix).unlink()

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = sqlite3.connect(self._path)
            self._connection.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB)")
        return self._connection
