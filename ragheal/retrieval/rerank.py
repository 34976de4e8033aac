"""The first hits of both channels, in the order in which the reader finds them to answer."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from ragheal.retrieval.weights import Weights
from ragheal.text.analyze import terms
from ragheal.text.windows import joined, windows
from ragheal.types import Channel, Hit, Query, Reading

Read = Callable[[str, Sequence[tuple[str, str]]], Sequence[Reading]]

#: Hits that are read in one window, and how many of the best of them are then read whole.
POOL, WHOLE = 50, 8
#: The same for a query that is not the question: its first hits matter, its tail is noise.
POOL_OF_REWRITE, WHOLE_OF_REWRITE = 16, 4
#: Windows of one chunk that are read at most.
WINDOWS = 4
#: What nearness is worth beside the reader's word, in logits: for a standard deviation of the cosine, and for BM25
#: as a share of the best (fitted on held-out questions; docs/benchmarks.md).
PER_DEVIATION, PER_WORDS = 1.3, 0.8
#: A question that needs several passages: those that only lead to the answer must stay among the first. And a step
#: of one: what it searches for is not what the question says.
PRIOR_OF_PARTS, PRIOR_OF_STEP = 9.0, 3.0


class Near(NamedTuple):
    """Cosines of a question to the first hits; mean and deviation of its cosines to all that is nearest to it."""

    cosines: Sequence[float]
    mean: float
    deviation: float

    def of(self, hits: Sequence[Hit], *, own: bool) -> list[float]:
        """How near each hit is by meaning and, where the query is the question, by its words; in logits."""
        words = [next((c.score for c in hit.channels if c.name == "lexical"), 0.0) for hit in hits]
        best = max([*words, 1e-6]) if own else math.inf
        return [
            round(PER_DEVIATION * (cosine - self.mean) / self.deviation + PER_WORDS * word / best, 4)
            for cosine, word in zip(self.cosines[: len(hits)], words, strict=True)
        ]


def rerank(query: Query, hits: Sequence[Hit], read: Read, weights: Weights, near: Near) -> list[Hit]:
    """The hits, best first; each has the reader and its nearness as channels, and a score between 0 and 1.

    Of each of the first hits the window that holds most of the question is read, of the best ones every window.
    """
    question = query.asked or query.text
    wanted = list(dict.fromkeys(terms(question)))
    own = not query.asked or query.asked == query.text
    pool = list(hits[: POOL if own else POOL_OF_REWRITE])
    texts = [_windows(hit, wanted, weights) for hit in pool]
    best = [0.0] * len(pool)

    def look(chosen: Sequence[tuple[int, str]]) -> None:
        passages = [(joined("", query.after, pool[i].chunk.heading), text) for i, text in chosen]
        for (i, _), reading in zip(chosen, read(question, passages), strict=True):
            best[i] = max(best[i], reading.answers)

    look([(i, found[0]) for i, found in enumerate(texts) if found])
    nearness = near.of(pool, own=own)
    # What a chain needs need not be near its question: there the channels' own order counts.
    fused = PRIOR_OF_PARTS if query.wants == "parts" else PRIOR_OF_STEP if query.after else 0.0
    prior = [fused * (hit.score - 1.0) for hit in pool] if fused else nearness

    def order() -> list[int]:
        return sorted(range(len(pool)), key=lambda i: (-worth(best[i], prior[i]), i))

    look([(i, text) for i in order()[: WHOLE if own else WHOLE_OF_REWRITE] for text in texts[i][1:WINDOWS]])
    ranks, places = _ranks(best), _ranks(nearness)
    return [
        msgspec.structs.replace(
            pool[i],
            score=round(1.0 / (1.0 + math.exp(-worth(best[i], prior[i]))), 6),
            channels=(
                *pool[i].channels,
                Channel("reader", ranks[i], best[i]),
                Channel("nearness", places[i], nearness[i]),
            ),
        )
        for i in order()
    ]


def _ranks(scores: Sequence[float]) -> dict[int, int]:
    return {i: rank for rank, i in enumerate(sorted(range(len(scores)), key=lambda i: (-scores[i], i)), 1)}


def worth(answers: float, nearness: float) -> float:
    """What a passage is worth for a question: the reader's word and how near it is, in logits.

    By itself the reader mistakes what is said in other words for what is not said.
    """
    p = min(max(answers, 3e-3), 1.0 - 3e-3)
    return math.log(p / (1.0 - p)) + nearness


def _windows(hit: Hit, wanted: Sequence[str], weights: Weights) -> list[str]:
    """The texts of a chunk's windows, the one that covers most of the question first."""
    text = hit.chunk.text
    cut = [text[spans[0][0] : spans[-1][1]] for spans in windows(text, hit.chunk.kind)]
    return sorted(cut, key=lambda window: -weights.coverage(wanted, frozenset(terms(window))))
