"""From the trace of a run to the plan worth remembering: the fewest queries that found what was cited."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import msgspec

from ragheal.types import FaultStep, Plan, PlanStep, Query, SearchStep, Trace

MOST_QUERIES = 3
#: Begin entries of `Answer.degraded` that tell of the disk: the answer itself is whole.
_OF_THE_DISK = ("trace not saved", "memory", "cache", "signals", "failure log")


def unfit(trace: Trace) -> str:
    """Why a run is nothing to learn from, in words; "" for one that ended in a verified answer of its own."""
    answer = trace.answer
    check = answer.check
    if answer.status != "answered" or check is None:
        return f"it ended {answer.status}"
    if check.outcome != "accept" or check.grounded != "supported":
        return "its answer was not verified"
    if not answer.citations:
        return "its answer cites nothing"
    if trace.cache is not None:
        return "its answer came from the cache"
    if trace.canary:
        # A repair on trial may be taken back; what it found must not outlive it.
        return "a repair was on trial"
    if any(isinstance(step, FaultStep) for step in trace.steps):
        return "a model failed on the way"
    if any(not entry.startswith(_OF_THE_DISK) for entry in answer.degraded):
        return "it ran degraded"
    return ""


def distil(trace: Trace) -> Plan | None:
    """The plan that finds what the answer of `trace` cites, at once; None when no search brought any of it.

    Of all sets of at most three queries that find the most of the cited chunks, the smallest; among those,
    the one that ranks the chunks highest. A chunk that no search brought, such as a neighbour of a hit, does
    not count. Sub-questions are left out: their queries are searched together, and one pool is judged.
    """
    cited = {citation.chunk_id for citation in trace.answer.citations}
    found: dict[str, tuple[Query, dict[str, int]]] = {}
    for step in trace.steps:
        if not isinstance(step, SearchStep):
            continue
        ranks = {hit.chunk.id: rank for rank, hit in enumerate(step.hits, 1) if hit.chunk.id in cited}
        if ranks and (step.query.text not in found or len(ranks) > len(found[step.query.text][1])):
            found[step.query.text] = (step.query, ranks)
    if not found:
        return None
    chosen = _fewest([ranks for _, ranks in found.values()])
    queries = list(found.values())
    planned = next((step.plan for step in trace.steps if isinstance(step, PlanStep)), Plan(()))
    return Plan(
        tuple(msgspec.structs.replace(queries[i][0], origin="plan") for i in chosen),
        shape=planned.shape,
        reason="found the evidence before",
        together=True,
    )


def _fewest(options: list[Mapping[str, int]]) -> tuple[int, ...]:
    """Indices of the options to take, in order."""
    best: tuple[tuple[int, int, int, tuple[int, ...]], tuple[int, ...]] | None = None
    # A run makes a dozen queries at most; every set of three of them is quickly tried.
    for size in range(1, MOST_QUERIES + 1):
        for group in combinations(range(len(options)), min(size, len(options))):
            ranks: dict[str, int] = {}
            for i in group:
                for chunk, rank in options[i].items():
                    ranks[chunk] = min(rank, ranks.get(chunk, rank))
            key = (-len(ranks), size, sum(ranks.values()), group)
            if best is None or key < best[0]:
                best = (key, group)
    assert best is not None
    return best[1]


def for_question(plan: Plan, question: str) -> Plan:
    """A remembered plan as it is tried for a new question, whose own words are searched beside it.

    A question that is its rewording must never find less than it would alone.
    """
    own = Query(question, origin="question")
    rest = tuple(query for query in plan.queries if _plain(query.text) != _plain(question) or query.paths)
    return msgspec.structs.replace(plan, queries=(own, *rest), together=True)


def _plain(text: str) -> str:
    return " ".join(text.lower().split()).rstrip("?？ ")
