"""The first hits of both channels, in the order in which the reader finds them to answer."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

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
#: What a hit's place in the channels is worth beside the reader's word, in logits, by fused score from 0 to 1.
PRIOR = 3.0
#: A question that needs several passages: those that only lead to the answer must stay among the first.
PRIOR_OF_PARTS = 9.0


def rerank(query: Query, hits: Sequence[Hit], read: Read, weights: Weights) -> list[Hit]:
    """The hits, best first; each has the reader as a channel of its own, and a score between 0 and 1.

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
    prior = PRIOR_OF_PARTS if query.wants == "parts" else PRIOR

    def order() -> list[int]:
        return sorted(range(len(pool)), key=lambda i: (-_score(best[i], pool[i].score, prior), i))

    look([(i, text) for i in order()[: WHOLE if own else WHOLE_OF_REWRITE] for text in texts[i][1:WINDOWS]])
    ranks = {i: rank for rank, i in enumerate(sorted(range(len(pool)), key=lambda i: (-best[i], i)), 1)}
    return [
        msgspec.structs.replace(
            pool[i],
            score=round(1.0 / (1.0 + math.exp(-_score(best[i], pool[i].score, prior))), 6),
            channels=(*pool[i].channels, Channel("reader", ranks[i], best[i])),
        )
        for i in order()
    ]


def _score(answers: float, fused: float, prior: float) -> float:
    p = min(max(answers, 1e-4), 1.0 - 1e-4)
    return math.log(p / (1.0 - p)) + prior * (fused - 1.0)


def _windows(hit: Hit, wanted: Sequence[str], weights: Weights) -> list[str]:
    """The texts of a chunk's windows, the one that covers most of the question first."""
    text = hit.chunk.text
    cut = [text[spans[0][0] : spans[-1][1]] for spans in windows(text, hit.chunk.kind)]
    return sorted(cut, key=lambda window: -weights.coverage(wanted, frozenset(terms(window))))
