"""BM25 by rank-bm25, for small indexes. Kept as arrays (MessagePack, no pickle), restored without the texts.

Imported late: rank-bm25 brings NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from rank_bm25 import BM25Okapi

from ragheal.errors import IndexDamaged
from ragheal.indexing.bm25 import K1, B, clip

FILE = "okapi.msgpack"


class _Saved(msgspec.Struct, frozen=True):
    """Postings, sorted by term: those of term i are docs[starts[i]:starts[i+1]] and counts likewise."""

    terms: list[str]
    numbers: bytes  # int64, chunk number of each document
    lengths: bytes  # int32, terms of each document
    starts: bytes  # int64, len(terms) + 1
    docs: bytes  # int32, positions in `numbers`
    counts: bytes  # int32


class _Okapi(BM25Okapi):  # type: ignore[misc]
    """BM25Okapi with Lucene's idf, which is never negative and needs no floor."""

    def _calc_idf(self, nd: dict[str, int]) -> None:
        self.idf = {term: _idf(self.corpus_size, n) for term, n in nd.items()}


class _Restored(_Okapi):
    """The same from saved arrays. The counts of a term are put in place when it is first asked for."""

    def __init__(self, saved: _Saved) -> None:
        self.k1, self.b = K1, B
        self.numbers = np.frombuffer(saved.numbers, np.int64)
        self.doc_len = np.frombuffer(saved.lengths, np.int32)
        self.corpus_size = len(self.numbers)
        self.avgdl = float(self.doc_len.sum()) / max(1, self.corpus_size)
        self.doc_freqs: list[dict[str, int]] = [{} for _ in range(self.corpus_size)]
        self.idf: dict[str, float] = {}
        self._places = {term: i for i, term in enumerate(saved.terms)}
        self._starts = np.frombuffer(saved.starts, np.int64)
        self._docs = np.frombuffer(saved.docs, np.int32)
        self._counts = np.frombuffer(saved.counts, np.int32)
        sound = (
            len(self.doc_len) == self.corpus_size
            and len(self._starts) == len(saved.terms) + 1
            and len(self._docs) == len(self._counts) == self._starts[-1]
        )
        if not sound:
            raise ValueError("lengths do not agree")

    def get_scores(self, query: Sequence[str]) -> Any:
        known = [term for term in query if self._load(term)]
        return super().get_scores(known)

    def _load(self, term: str) -> bool:
        place = self._places.get(term)
        if place is None:
            return False
        if term not in self.idf:
            start, end = int(self._starts[place]), int(self._starts[place + 1])
            for doc, count in zip(self._docs[start:end].tolist(), self._counts[start:end].tolist(), strict=True):
                self.doc_freqs[doc][term] = count
            self.idf[term] = _idf(self.corpus_size, end - start)
        return True


class OkapiWords:
    """A `Lexical` over a folder that `write` made."""

    def __init__(self, folder: Path) -> None:
        try:
            saved = msgspec.msgpack.decode((folder / FILE).read_bytes(), type=_Saved)
            self._bm25 = _Restored(saved)
        except (OSError, msgspec.MsgspecError, ValueError) as error:
            raise IndexDamaged(
                f"the word index in {folder} cannot be read: {error}", hint="ragheal index --rebuild PATH"
            ) from None

    def search(self, terms: Sequence[str], k: int) -> list[tuple[int, float]]:
        if k <= 0 or not terms or not self._bm25.corpus_size:
            return []
        scores = self._bm25.get_scores([clip(term) for term in terms])
        found = np.flatnonzero(scores > 0)
        numbers = self._bm25.numbers[found]
        order = np.lexsort((numbers, -scores[found]))[:k]
        return [(int(numbers[i]), float(scores[found[i]])) for i in order]


def write(folder: Path, rows: Iterable[tuple[int, Sequence[str]]]) -> None:
    """Write one file of postings. Raises OSError."""
    numbers: list[int] = []
    corpus: list[list[str]] = []
    for number, terms in rows:
        numbers.append(number)
        corpus.append([clip(term) for term in terms])
    bm25 = _Okapi(corpus, k1=K1, b=B) if corpus else None
    postings: dict[str, list[tuple[int, int]]] = {}
    for doc, frequencies in enumerate(bm25.doc_freqs if bm25 else ()):
        for term, count in frequencies.items():
            postings.setdefault(term, []).append((doc, count))
    terms_sorted = sorted(postings)
    pairs = np.array([pair for term in terms_sorted for pair in postings[term]], np.int32).reshape(-1, 2)
    starts = np.cumsum([0, *(len(postings[term]) for term in terms_sorted)], dtype=np.int64)
    saved = _Saved(
        terms=terms_sorted,
        numbers=np.array(numbers, np.int64).tobytes(),
        lengths=np.array([len(terms) for terms in corpus], np.int32).tobytes(),
        starts=starts.tobytes(),
        docs=pairs[:, 0].tobytes(),
        counts=pairs[:, 1].tobytes(),
    )
    (folder / FILE).write_bytes(msgspec.msgpack.encode(saved))


def _idf(documents: int, containing: int) -> float:
    return math.log(1 + (documents - containing + 0.5) / (containing + 0.5))
