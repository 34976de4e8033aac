"""The pooled evidence of all rounds. A rewrite can only add to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ragheal.types import Evidence, Hit

# Small, so that the first hits of a later hop can stand beside the first hits of the question itself.
_RANK_CONSTANT = 8.0
# A rewrite knows less of what was asked than the question does: its first hits matter, its tail is noise.
_REWRITE_WEIGHT, _REWRITE_STEP = 0.8, 4.0


class Pool:
    """Hits by chunk, each with the places it took in the searches that found it."""

    def __init__(self) -> None:
        self._hits: dict[str, Hit] = {}
        self._places: dict[str, float] = {}
        self._round: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._hits)

    def __contains__(self, chunk_id: str) -> bool:
        return chunk_id in self._hits

    def add(self, hits: Sequence[Hit], round_: int, *, question: bool) -> int:
        """Add the hits of one search, best first; returns how many the pool did not have."""
        new = 0
        weight, step = (1.0, 1.0) if question else (_REWRITE_WEIGHT, _REWRITE_STEP)
        for rank, hit in enumerate(hits):
            key = hit.chunk.id
            if key not in self._hits:
                self._hits[key], self._round[key] = hit, round_
                new += 1
            self._places[key] = self._places.get(key, 0.0) + weight / (_RANK_CONSTANT + step * rank)
        return new

    def take(self, other: Pool, keys: Sequence[str]) -> None:
        """Take these chunks of another pool, with the places they took there."""
        for key in keys:
            if key not in other._hits:
                continue
            if key not in self._hits:
                self._hits[key], self._round[key] = other._hits[key], other._round[key]
            self._places[key] = self._places.get(key, 0.0) + other._places[key]

    def later(self, by: int) -> Pool:
        """The same pool, its rounds counted on from `by`."""
        moved = Pool()
        moved._hits, moved._places = dict(self._hits), dict(self._places)
        moved._round = {key: round_ + by for key, round_ in self._round.items()}
        return moved

    def hits(self) -> list[Hit]:
        """Every hit, by its places in all searches; ties by the order in which they came."""
        order = {key: index for index, key in enumerate(self._hits)}
        keys = sorted(self._hits, key=lambda key: (-self._places[key], order[key]))
        return [self._hits[key] for key in keys]

    def evidence(self, relevance: Mapping[str, int], carriers: Sequence[str]) -> tuple[Evidence, ...]:
        """The pool for the record: chunks the answer cites first, then by places raised by relevance."""
        place = {key: index for index, key in enumerate(carriers)}
        keys = sorted(
            self._hits,
            key=lambda key: (
                place.get(key, len(place)),
                -self._places[key] * (1.2 + relevance.get(key, 0) / 100.0),
                key,
            ),
        )
        return tuple(
            Evidence(
                source=self._hits[key].chunk.source,
                chunk_id=key,
                score=round(self._places[key] * (1.2 + relevance.get(key, 0) / 100.0), 6),
                round=self._round[key],
            )
            for key in keys
        )
