"""What the rewriters of all back ends hold to: when two queries are the same, and how long one may be."""

from __future__ import annotations

from ragheal.text.analyze import terms
from ragheal.types import Query

MAX_WORDS = 50


def normal(query: Query) -> str:
    """Queries that are equal here are the same query: word order, case and stop words do not count."""
    return " ".join(sorted(set(terms(query.text)))) + (f" @{query.depth}" if query.depth else "")
