"""The deeper search of the severity ladder: more hits for the question itself, of which the best new ones stay."""

from __future__ import annotations

from collections.abc import Sequence

from ragheal.answering.kit import Kit
from ragheal.types import Query

#: Hits of a deeper search that are shown to a model: all of them would drown it.
KEPT = 5


def query(question: str, kit: Kit, tried: Sequence[Query]) -> Query | None:
    """`deep_k` hits of each channel for the question; None when that was tried."""
    if any(known.origin == "deepen" for known in tried):
        return None
    return Query(question, origin="deepen", depth=kit.settings.loop.deep_k)
