"""The routes of a question, one strategy each.

    direct       nothing is looked up
    standard     one fact; heals only when a failure signal fires
    multi_hop    questions in parts, each answer feeding the next
    self_rag     must be verified: strict grading, refuses rather than guesses
    combined     multi_hop, judged as strictly as self_rag
    generative   the documents as inspiration, marked as not fully grounded

`adaptive.py` picks one by rules, or has a model pick; `STRATEGIES` is the table it picks from. With a model,
`hops.py` asks the parts of a multi-hop question, and `parts.py` says which and in what order.
"""

from __future__ import annotations

from collections.abc import Callable

from ragheal.answering.kit import Kit
from ragheal.strategies import grounded
from ragheal.strategies.direct import direct
from ragheal.strategies.generative import generative
from ragheal.types import Answer, Route, Routing

STRATEGIES: dict[Route, Callable[[str, Routing, Kit], Answer]] = {
    "direct": direct,
    "standard": grounded.standard,
    "multi_hop": grounded.multi_hop,
    "self_rag": grounded.self_rag,
    "combined": grounded.combined,
    "generative": generative,
}
