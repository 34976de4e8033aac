"""Two ranked lists become one.

Plain reciprocal rank fusion trusts both channels alike on every question. The embedder is the better guide
where the question has few words that single out a document (paraphrases, chains of relations); words are
the better one where the question holds rare terms and some chunk holds nearly all of them. `adaptive`
weighs the lexical channel by the share of the question's term weight that its best chunk covers.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ragheal.settings import RetrievalSettings

Ranked = Sequence[tuple[int, float]]  # (chunk number, score), best first


class Fused(msgspec.Struct, frozen=True):
    """A chunk with its fused score and its places in the channels, (rank from 1, score)."""

    number: int
    score: float
    dense: tuple[int, float] | None
    lexical: tuple[int, float] | None


#: Lexical weight at no coverage and at full coverage of the question's terms (fitted; docs/benchmarks.md).
_LOW, _HIGH = 0.30, 0.60


def fuse(dense: Ranked, lexical: Ranked, ceiling: float, settings: RetrievalSettings) -> list[Fused]:
    """Every chunk of either list, best first; ties by number.

    `ceiling` is the highest BM25 score the query could reach; `dense` scores are cosines.
    """
    dense_places = {number: (rank, score) for rank, (number, score) in enumerate(dense, 1)}
    lexical_places = {number: (rank, score) for rank, (number, score) in enumerate(lexical, 1)}
    numbers = dict.fromkeys([*dense_places, *lexical_places])
    if settings.fusion == "rrf" or not dense or not lexical:
        scores = {
            number: _rrf(dense_places.get(number), lexical_places.get(number), settings) for number in numbers
        }
    else:
        scores = _adaptive(dense_places, lexical_places, ceiling, list(numbers))
    fused = [
        Fused(number, round(scores[number], 6), dense_places.get(number), lexical_places.get(number))
        for number in numbers
    ]
    # The last of a channel scales to zero: without any score it is no hit.
    return sorted((item for item in fused if item.score > 0), key=lambda item: (-item.score, item.number))


Places = dict[int, tuple[int, float]]


def _rrf(dense: tuple[int, float] | None, lexical: tuple[int, float] | None, settings: RetrievalSettings) -> float:
    score = settings.dense_weight / (settings.rrf_k + dense[0]) if dense else 0.0
    return score + (settings.lexical_weight / (settings.rrf_k + lexical[0]) if lexical else 0.0)


def _adaptive(dense: Places, lexical: Places, ceiling: float, numbers: Sequence[int]) -> dict[int, float]:
    """Scores scaled to 0–1 within each channel, weighed by what the lexical one has to say."""
    top, floor = (pick(score for _, score in dense.values()) for pick in (max, min))
    best = max(score for _, score in lexical.values())
    share = min(1.0, best / ceiling) if ceiling > 0 else 0.0
    weight = _LOW + (_HIGH - _LOW) * share
    spread = max(top - floor, 1e-6)
    return {
        number: (1.0 - weight) * ((dense[number][1] - floor) / spread if number in dense else 0.0)
        + weight * (lexical[number][1] / best if number in lexical else 0.0)
        for number in numbers
    }
