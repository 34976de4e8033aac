"""A small corpus behind real doors: hits from plain word overlap, the shipped reader, nothing on disk."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence

import pytest
from shipped_reader import shipped_reader

from ragheal.text.analyze import terms
from ragheal.types import Channel, Chunk, Hit, Query, Reading


class WordDoors:
    """Doors over a dict of documents: a hit is a paragraph that shares terms with the query."""

    def __init__(self, documents: Mapping[str, str], top_k: int = 10) -> None:
        self.top_k = top_k
        self.chunks: list[Chunk] = []
        self.asked: list[Query] = []
        for source, text in documents.items():
            title, _, body = text.partition("\n")
            for ordinal, paragraph in enumerate(part for part in body.split("\n\n") if part.strip()):
                paragraph = paragraph.strip()
                identity = hashlib.sha256(f"{source}{ordinal}".encode()).hexdigest()[:16]
                self.chunks.append(
                    Chunk(identity, source, ordinal, paragraph, (title,), "paragraph", 1 + ordinal, 1 + ordinal, 0,
                          len(paragraph))
                )  # fmt: skip

    @property
    def fingerprints(self) -> Mapping[str, str]:
        return {"search": "words"}

    def search(self, query: Query) -> tuple[Hit, ...]:
        self.asked.append(query)
        wanted = set(terms(query.text))
        scored = []
        for chunk in self.chunks:
            share = len(wanted & set(terms(f"{chunk.heading} {chunk.text}"))) / max(1, len(wanted))
            if share:
                scored.append(Hit(chunk, round(share, 6), (Channel("lexical", 1, round(share, 6)),)))
        return tuple(sorted(scored, key=lambda hit: (-hit.score, hit.chunk.id))[: query.depth or self.top_k])

    def frequencies(self, wanted: Sequence[str]) -> dict[str, int]:
        sets = [set(terms(f"{chunk.heading} {chunk.text}")) for chunk in self.chunks]
        return {term: sum(term in held for held in sets) for term in wanted} | {"": len(self.chunks)}

    def similarity(self, query: str, texts: Sequence[str]) -> tuple[float, ...]:
        wanted = set(terms(query))
        return tuple(round(0.75 + 0.2 * len(wanted & set(terms(text))) / max(1, len(wanted)), 6) for text in texts)

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> tuple[Reading, ...]:
        return tuple(shipped_reader().read(question, passages))


@pytest.fixture
def doors() -> Callable[[Mapping[str, str]], WordDoors]:
    return WordDoors
