"""How much each term of a question says: inverse document frequencies in the form Lucene uses."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence


class Weights:
    """Inverse document frequencies of a question's terms: how much it says that a window holds one.

    The weight of a term that stands in no chunk is the highest: its absence is what the judge must see.
    """

    def __init__(self, frequencies: Mapping[str, int]) -> None:
        self.chunks = max(1, frequencies.get("", 1))
        self._idf = {
            term: math.log(1.0 + (self.chunks - count + 0.5) / (count + 0.5))
            for term, count in frequencies.items()
            if term
        }
        self.frequencies = frequencies

    def __getitem__(self, term: str) -> float:
        return self._idf.get(term, 0.0)

    def total(self, wanted: Sequence[str]) -> float:
        return sum(self[term] for term in wanted) or 1.0

    def coverage(self, wanted: Sequence[str], held: frozenset[str]) -> float:
        """Share of the weight of `wanted` that `held` covers, 0–1."""
        return sum(self[term] for term in wanted if term in held) / self.total(wanted)
