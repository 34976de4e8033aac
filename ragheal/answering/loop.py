"""The bounded loop: retrieve, judge, rewrite from what is missing, until it suffices or nothing new comes."""

from __future__ import annotations

import time
from collections.abc import Sequence

import msgspec

from ragheal.answering.kit import Kit
from ragheal.answering.pool import Pool
from ragheal.answering.roles import Severity
from ragheal.types import Hit, JudgeStep, Plan, Query, RewriteStep, SearchStep, StopStep, Verdict

_LADDER: tuple[Severity, ...] = ("mild", "moderate", "critical")
RELEVANT = 50


class Gathered(msgspec.Struct, frozen=True):
    """What the loop brought home."""

    pool: Pool
    hits: tuple[Hit, ...]  # the pool in order, as it was last judged
    verdict: Verdict
    rounds: int
    first: tuple[tuple[Hit, ...], Verdict]  # the first round's, which healing may only better


def gather(question: str, plan: Plan, kit: Kit, *, strict: bool = False) -> Gathered:
    """Run rounds until the verdict is sufficient, `max_rounds` are spent, or a round brings nothing new."""
    pool = Pool()
    tried: list[Query] = []
    verdicts: list[Verdict] = []
    queries: Sequence[Query] = plan.queries[:1]
    limit = kit.settings.loop.max_rounds if kit.settings.loop.heal else 1
    first: tuple[tuple[Hit, ...], Verdict] | None = None
    hits: tuple[Hit, ...] = ()
    round_ = 0
    while True:
        round_ += 1
        new = _search(kit, pool, queries, round_, question)
        tried += queries
        if round_ > 1 and not new:
            kit.emit(StopStep(round_, "the new queries found nothing that was not known"))
            break
        hits = tuple(pool.hits())
        verdict = _judge(kit, question, plan, hits, round_, strict)
        verdicts.append(verdict)
        first = first or (hits, verdict)
        if verdict.sufficient:
            break
        if round_ >= limit:
            if limit > 1:
                kit.emit(StopStep(round_, f"{limit} rounds are spent"))
            break
        rewrite = kit.roles.rewrite(question, plan, verdicts, tried, severity(kit, plan, verdicts))
        if rewrite is None:
            kit.emit(StopStep(round_, "no query is left that was not tried"))
            break
        for query in rewrite.queries:
            kit.emit(RewriteStep(round_, query, rewrite.why, rewrite.severity))
        queries = rewrite.queries
    assert first is not None  # the first round always judges
    verdict = verdicts[-1]
    if verdict.confidence < first[1].confidence:
        # Healing may replace the first round's answer only with a better one.
        hits, verdict = first
    return Gathered(pool, hits, verdict, round_, first)


def severity(kit: Kit, plan: Plan, verdicts: Sequence[Verdict]) -> Severity:
    """Where on the ladder the next retry stands: by the failure signals, and a step up for each retry that failed.

    The next hop of a planned chain is no failure; it starts at the bottom.
    """
    last = verdicts[-1]
    best = max((grade.relevance for grade in last.grades), default=0) / 100.0
    low_retrieval = best < kit.settings.loop.min_relevance
    low_confidence = last.confidence < kit.settings.loop.min_confidence
    step = 0 if plan.shape in {"chain", "comparison"} else int(low_retrieval) + int(low_confidence)
    if plan.shape == "single":
        # Low confidence alone is why we are here; it moves up only together with poor hits.
        step = max(0, step - 1)
    return _LADDER[min(len(_LADDER) - 1, step + len(verdicts) - 1)]


def _search(kit: Kit, pool: Pool, queries: Sequence[Query], round_: int, question: str) -> int:
    new = 0
    for query in queries:
        started = time.perf_counter()
        hits = kit.doors.search(query)
        added = pool.add(hits, round_, question=query.text == question)
        kit.emit(SearchStep(round_, query, hits, added, round(time.perf_counter() - started, 4)))
        new += added
    return new


def _judge(kit: Kit, question: str, plan: Plan, hits: Sequence[Hit], round_: int, strict: bool) -> Verdict:
    started = time.perf_counter()
    verdict = kit.roles.judge(question, plan, hits, strict=strict)
    kit.emit(JudgeStep(round_, verdict, round(time.perf_counter() - started, 4)))
    return verdict
