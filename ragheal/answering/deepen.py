"""The deeper search of the severity ladder: more hits for the question itself, reranked to the best few."""

from __future__ import annotations

from collections.abc import Sequence

from ragheal.answering.kit import Kit
from ragheal.types import Hit, Query

KEPT = 5


def query(question: str, kit: Kit, tried: Sequence[Query]) -> Query | None:
    """`deep_k` hits of each channel for the question; None when that was tried."""
    if any(known.origin == "deepen" for known in tried):
        return None
    return Query(question, origin="deepen", depth=kit.settings.loop.deep_k)


def reranked(question: str, hits: Sequence[Hit], kit: Kit) -> tuple[Hit, ...]:
    """The best few by the cross-encoder; where none is installed, by their fused scores."""
    readings = kit.doors.read(question, [(hit.chunk.heading, hit.chunk.text) for hit in hits]) if hits else ()
    if not readings:
        return tuple(hits[:KEPT])
    order = sorted(range(len(hits)), key=lambda i: (-readings[i].answers, i))
    return tuple(hits[i] for i in order[:KEPT])
