"""Vectors in FAISS: inner product over unit rows, under their chunk numbers.

Read and written through bytes, because FAISS cannot open a path with Chinese characters on Windows.
FAISS is imported when it is first needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragheal.errors import IndexDamaged
from ragheal.indexing.folder import REBUILD

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Dense:
    """An opened vector index."""

    def __init__(self, index: Any) -> None:
        self._index = index

    def search(self, vector: NDArray[np.float32], k: int) -> list[tuple[int, float]]:
        """At most k (chunk number, cosine) for a unit vector of shape (dim,), best first, ties by number."""
        import numpy as np

        k = min(k, self._index.ntotal)
        if k <= 0:
            return []
        scores, numbers = self._index.search(np.ascontiguousarray(vector, np.float32).reshape(1, -1), k)
        # -1 stands for "no more"; a query of NaN matches nothing.
        found = [(int(n), float(s)) for n, s in zip(numbers[0], scores[0], strict=True) if n >= 0 and s == s]
        return sorted(found, key=lambda hit: (-hit[1], hit[0]))

    def rows(self) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """All chunk numbers, shape (n,), ascending, and their vectors, shape (n, dim)."""
        import faiss

        numbers: NDArray[np.int64] = faiss.vector_to_array(self._index.id_map)
        vectors: NDArray[np.float32] = faiss.downcast_index(self._index.index).reconstruct_n(0, self._index.ntotal)
        return numbers, vectors

    def vectors(self, numbers: Sequence[int]) -> NDArray[np.float32]:
        """The vectors of some chunks, shape (len(numbers), dim). Raises KeyError for an unknown number."""
        import numpy as np

        try:
            rows: NDArray[np.float32] = self._index.reconstruct_batch(np.asarray(numbers, np.int64))
        except RuntimeError as error:
            raise KeyError(str(error)) from None
        return rows


def write(path: Path, numbers: NDArray[np.int64], vectors: NDArray[np.float32]) -> None:
    """Write vectors of shape (n, dim), unit rows, under their numbers, ascending. Raises OSError."""
    import faiss

    index = faiss.IndexIDMap2(faiss.IndexFlatIP(vectors.shape[1]))
    if len(numbers):
        index.add_with_ids(vectors, numbers)
    with path.open("wb") as file:
        file.write(faiss.serialize_index(index).data)


def read(data: bytes, *, dim: int, count: int) -> Dense:
    """Open what `write` made. Raises IndexDamaged unless it holds `count` vectors of length `dim`."""
    import faiss
    import numpy as np

    # One query is bound by memory, not by arithmetic: threads gain little when the cores are idle, and when
    # they are not, waiting for each other takes a hundred times as long as the search (0.3 ms against 20 ms).
    faiss.omp_set_num_threads(1)
    try:
        index = faiss.deserialize_index(np.frombuffer(data, np.uint8))
    except RuntimeError:
        raise IndexDamaged("the vectors cannot be read", hint=REBUILD) from None
    if not isinstance(index, faiss.IndexIDMap2):
        raise IndexDamaged("the vectors are of another kind", hint=REBUILD)
    flat = faiss.downcast_index(index.index)
    if not isinstance(flat, faiss.IndexFlatIP) or (index.d, index.ntotal, flat.ntotal) != (dim, count, count):
        raise IndexDamaged(
            f"there are {index.ntotal} vectors of length {index.d} instead of {count} of {dim}", hint=REBUILD
        )
    return Dense(index)
