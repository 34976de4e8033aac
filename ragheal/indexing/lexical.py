"""BM25 over analysed terms, behind one small protocol with two back ends.

`rank-bm25` scores every chunk for every query: nothing to start, but slow when there are many chunks.
`tantivy` is an inverted index in Rust. Both use the same terms, Lucene's idf ln(1 + (N - n + .5) / (n + .5)),
k1 and b (`bm25.py`); a term that stands in a query twice counts twice. Tantivy keeps lengths above 40 terms
only roughly (a byte each), so scores may differ by a few hundredths.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, Protocol

Backend = Literal["rank-bm25", "tantivy"]


class Lexical(Protocol):
    """A word index that was opened for reading."""

    def search(self, terms: Sequence[str], k: int) -> list[tuple[int, float]]:
        """At most k (chunk number, BM25 score > 0), best first, equal scores by number.

        Raises IndexDamaged.
        """


def choose(wanted: str, chunks: int, tantivy_above: int) -> Backend:
    """The back end for so many chunks; `wanted` is the setting `index.lexical`."""
    if wanted == "auto":
        wanted = "tantivy" if chunks > tantivy_above else "rank-bm25"
    return "tantivy" if wanted == "tantivy" else "rank-bm25"


def write(backend: Backend, folder: Path, rows: Iterable[tuple[int, Sequence[str]]]) -> None:
    """Write the word index of (chunk number, terms) rows, numbers ascending, into `folder` (made here).

    Raises StorageError when the disk does not take it.
    """
    folder.mkdir()
    if backend == "tantivy":
        from ragheal.indexing import lexical_tantivy

        lexical_tantivy.write(folder, rows)
    else:
        from ragheal.indexing import lexical_okapi

        lexical_okapi.write(folder, rows)


def read(backend: Backend, folder: Path) -> Lexical:
    """Open what `write` made; the folder may be read-only. Raises IndexDamaged."""
    if backend == "tantivy":
        from ragheal.indexing.lexical_tantivy import TantivyWords

        return TantivyWords(folder)
    from ragheal.indexing.lexical_okapi import OkapiWords

    return OkapiWords(folder)
