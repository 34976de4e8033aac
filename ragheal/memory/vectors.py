"""The vectors of the remembered questions in working memory: loaded once, again when the file has changed."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ragheal.memory import store
from ragheal.types import Lang

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class _Group(msgspec.Struct, frozen=True):
    """The questions of one language and embedder; row i of `matrix` is the vector of `ids[i]`."""

    ids: list[str]
    normals: dict[str, list[int]]
    strengths: NDArray[np.float32]
    matrix: NDArray[np.float32]


class Vectors:
    """Exact search over one `memory.db`. 5,000 vectors of 384 take 7.5 MB and a millisecond."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stamp: tuple[int, int] | None = None
        self._groups: dict[tuple[str, Lang, int], _Group] = {}

    def near(
        self,
        db: sqlite3.Connection,
        embedder: str,
        lang: Lang,
        vector: NDArray[np.float32],
        normal: str,
        bound: float,
    ) -> list[tuple[str, float]]:
        """(id, cosine) of the questions with a cosine of at least `bound`, and of those with the same normal form.

        Best strength x cosine first. `vector` has shape (dim,) and unit length.
        """
        import numpy as np

        group = self._group(db, embedder, lang, len(vector))
        if not group.ids:
            return []
        # Not `@`: for a product this small the threads of BLAS wait longer for each other than they work.
        cosines = np.einsum("ij,j->i", group.matrix, vector.astype(np.float32))
        wanted = set(np.flatnonzero(cosines >= bound).tolist()) | set(group.normals.get(normal, ()))
        ranked = sorted(wanted, key=lambda i: (-float(cosines[i] * group.strengths[i]), i))
        return [(group.ids[i], min(1.0, float(cosines[i]))) for i in ranked]

    def _group(self, db: sqlite3.Connection, embedder: str, lang: Lang, dim: int) -> _Group:
        import numpy as np

        # Read before the rows are: a write between the two makes the next call load again, never miss it.
        stamp = store.stamp(db, self._folder)
        if stamp is None or stamp != self._stamp or db.in_transaction:
            self._groups.clear()
            self._stamp = None if db.in_transaction else stamp
        key = (embedder, lang, dim)
        if key not in self._groups:
            rows = db.execute(
                "SELECT id, normal, strength, vector FROM plans WHERE embedder = ? AND lang = ? "
                "AND length(vector) = ? ORDER BY rowid",
                (embedder, lang, 4 * dim),
            ).fetchall()
            normals: dict[str, list[int]] = {}
            for i, row in enumerate(rows):
                normals.setdefault(row[1], []).append(i)
            matrix = np.frombuffer(b"".join(row[3] for row in rows), dtype="<f4").reshape(len(rows), dim)
            strengths = np.array([row[2] for row in rows], dtype=np.float32)
            self._groups[key] = _Group([row[0] for row in rows], normals, strengths, matrix)
        return self._groups[key]
