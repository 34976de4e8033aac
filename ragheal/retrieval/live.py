"""The doors of a real run: an open index, an embedder, the reader, and a model server where one is configured."""

from __future__ import annotations

import fnmatch
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from ragheal.indexing.bm25 import K1
from ragheal.indexing.opened import OpenIndex
from ragheal.models.base import Embedder
from ragheal.retrieval.fuse import Fused, fuse
from ragheal.retrieval.rerank import POOL, Near, rerank
from ragheal.retrieval.weights import Weights
from ragheal.settings import Settings
from ragheal.text.addressed import named
from ragheal.text.analyze import terms
from ragheal.types import Channel, ChatReply, ChatRequest, Chunk, Hit, Lang, Query, Reading

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DECIMALS = 6
#: A handful of documents may all be alike: what sets one apart is not measured finer than this.
LEAST_SPREAD = 0.01
#: Vectors of passages kept in memory, 1.5 KB each.
PASSAGES_KEPT = 20_000
#: Questions and parts of questions whose readings are kept.
QUESTIONS_KEPT = 64
#: What a passage that the question names by number is worth: how likely it answers, how well its span stands out.
_NAMED, _NAMED_SPAN = 0.97, 10.0


class PassageReader(Protocol):
    """A trained reader, as `models/reader.py` has it."""

    @property
    def fingerprint(self) -> str: ...

    def warm(self, lang: Lang) -> None: ...

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> list[Reading]: ...


class ChatModel(Protocol):
    """A model server, as `models/chat` has it."""

    @property
    def fingerprint(self) -> str: ...

    def complete(self, request: ChatRequest) -> ChatReply: ...


class LiveDoors:
    """Has the shape of `Doors`. Loads what it needs at the first call, the index beside the embedder."""

    def __init__(
        self,
        index: OpenIndex,
        embedder: Embedder,
        settings: Settings,
        reader: PassageReader,
        chat: ChatModel | None = None,
    ) -> None:
        self._index = index
        self._embedder = embedder
        self._settings = settings
        self._reader = reader
        self._chat = chat
        self._fingerprints = {
            "search": f"generation {index.generation}",
            "similarity": embedder.fingerprint,
            "reader": reader.fingerprint,
        }
        if chat is not None:
            self._fingerprints["chat"] = chat.fingerprint
        self._warmed = False
        self._passages: dict[str, NDArray[np.float32]] = {}
        self._readings: dict[str, dict[tuple[str, str], Reading]] = {}

    @property
    def generation(self) -> int:
        """Of the index that is searched."""
        return self._index.generation

    @property
    def fingerprints(self) -> Mapping[str, str]:
        return self._fingerprints

    def warm(self, lang: Lang | None = None) -> None:
        """Begin to load the models and the index at once, each in its thread: none waits for another.

        `lang` is the language of the question, whose reader is loaded too.
        """
        if not self._warmed:
            self._warmed = True
            self._embedder.warm()
            if lang is not None:
                self._reader.warm(lang)
            threading.Thread(target=_quietly, args=(self._index.warm,), daemon=True).start()

    def search(self, query: Query) -> tuple[Hit, ...]:
        """The hits of both channels, the first reranked by the reader. Raises IndexDamaged or ModelError."""
        self.warm()
        settings = self._settings.retrieval
        wanted = max(settings.top_k, query.depth)
        patterns = (*settings.paths, *query.paths)
        # A filter is applied to the fused list, so it is fed with more.
        k = max(settings.channel_k, 2 * query.depth) * (20 if patterns else 1)
        own = list(dict.fromkeys(terms(query.text)))
        lexical = self._index.lexical(own, k) if own else []
        dense = self._index.dense(self._embedder.embed_query(query.text), k)
        weights = Weights(self.frequencies(own))
        fused = fuse(dense, lexical, (K1 + 1.0) * weights.total(own), settings)
        if settings.rerank == "none":
            return tuple(hit for _, hit in self._hits(fused, patterns, wanted))
        asked = query.asked or query.text
        if query.asked:
            weights = Weights(self.frequencies(list(dict.fromkeys(terms(asked)))))
        numbered = self._hits(fused, patterns, max(POOL, wanted))
        around = dense[:POOL] if not query.asked and k >= POOL else None
        near = self._near(asked, [number for number, _ in numbered[:POOL]], around)
        return tuple(rerank(query, [hit for _, hit in numbered], self.read, weights, near)[:wanted])

    def _near(self, question: str, numbers: Sequence[int], nearest: Sequence[tuple[int, float]] | None) -> Near:
        """How near the hits are to a question, and how near its `nearest` are: searched where not given."""
        vector = self._embedder.embed_query(question)
        if nearest is None:
            nearest = self._index.dense(vector, POOL)
        around = [score for _, score in nearest]
        cosines = [round(float(one), DECIMALS) for one in self._index.vectors(numbers) @ vector] if numbers else []
        mean = sum(around) / max(1, len(around))
        spread = math.sqrt(sum((score - mean) ** 2 for score in around) / max(1, len(around)))
        return Near(cosines, mean, max(spread, LEAST_SPREAD))

    def _hits(self, fused: Sequence[Fused], patterns: Sequence[str], wanted: int) -> list[tuple[int, Hit]]:
        """The first fused chunks as numbered hits: those of sources that match a pattern, no text twice."""
        hits: list[tuple[int, Hit]] = []
        seen: set[str] = set()
        for start in range(0, len(fused), 2 * wanted):
            batch = fused[start : start + 2 * wanted]
            for item, chunk in zip(batch, self._index.chunks([item.number for item in batch]), strict=True):
                if patterns and not any(fnmatch.fnmatchcase(chunk.source, pattern) for pattern in patterns):
                    continue
                text = " ".join(chunk.text.split())
                if text not in seen:  # the same words in two files are one hit
                    seen.add(text)
                    hits.append((item.number, _hit(item, chunk)))
                if len(hits) == wanted:
                    return hits
        return hits

    def frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        return self._index.frequencies(terms) | {"": self._index.chunk_count}

    def similarity(self, query: str, texts: Sequence[str]) -> tuple[float, ...]:
        vector = self._embedder.embed_query(query)
        known = self._passages
        # A passage is read for the question, for each of its parts and again in each round: embed it once.
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if len(known) + len(new) > PASSAGES_KEPT:
            known.clear()
            new = list(dict.fromkeys(texts))
        known.update(zip(new, self._embedder.embed_passages(new), strict=True))
        return tuple(round(float(known[text] @ vector), DECIMALS) for text in texts)

    def forget(self) -> None:
        """Let go of what was read and embedded for earlier questions: the next takes as long as a first one."""
        self._passages.clear()
        self._readings.clear()

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> tuple[Reading, ...]:
        """The reader's view of each (context, text), or code's where the question names the passage by number.

        What a search has read is not read again.
        """
        if question not in self._readings and len(self._readings) >= QUESTIONS_KEPT:
            self._readings.clear()
        known = self._readings.setdefault(question, {})
        new = [passage for passage in dict.fromkeys(passages) if passage not in known]
        readings = self._reader.read(question, new)
        for passage, reading in zip(new, readings, strict=True):
            span = named(question, *passage)
            known[passage] = Reading(_NAMED, 1.0 - _NAMED, *span, _NAMED_SPAN, named=True) if span else reading
        return tuple(known[passage] for passage in passages)

    def chat(self, request: ChatRequest) -> ChatReply:
        if self._chat is None:
            return ChatReply(fault="unavailable", detail="no model server is configured")
        return self._chat.complete(request)


def _hit(item: Fused, chunk: Chunk) -> Hit:
    channels = []
    if item.dense:
        channels.append(Channel("dense", item.dense[0], round(item.dense[1], DECIMALS)))
    if item.lexical:
        channels.append(Channel("lexical", item.lexical[0], round(item.lexical[1], DECIMALS)))
    return Hit(chunk, item.score, tuple(channels))


def _quietly(work: Callable[[], None]) -> None:
    """Run ahead; whoever needs the result meets the error there, in its own thread."""
    try:
        work()
    except Exception:
        return
