"""The bounded loop: retrieve, judge, rewrite from what is missing, until it suffices or nothing new comes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import msgspec

from ragheal.answering import deepen
from ragheal.answering.kit import Kit
from ragheal.answering.pool import Pool
from ragheal.answering.roles import Severity
from ragheal.answering.signals import LADDER, severity, weak
from ragheal.types import Hit, JudgeStep, Plan, Query, RewriteStep, SearchStep, StopStep, Verdict

RELEVANT = 50


class Gathered(msgspec.Struct, frozen=True):
    """What the loop brought home."""

    pool: Pool
    hits: tuple[Hit, ...]  # the pool in order, as it was last judged
    verdict: Verdict
    rounds: int
    first: tuple[tuple[Hit, ...], Verdict]  # the first round's, which healing may only better
    plan: Plan = Plan(())
    tried: tuple[Query, ...] = ()
    verdicts: tuple[Verdict, ...] = ()


class Loop:
    """The rounds of one question, or of one part of it. `rounds` counts on from `start`."""

    def __init__(self, question: str, plan: Plan, kit: Kit, *, strict: bool = False, start: int = 0) -> None:
        self.question, self.plan, self.kit, self.strict = question, plan, kit, strict
        self.pool = Pool()
        self.tried: list[Query] = []
        self.verdicts: list[Verdict] = []
        self.hits: tuple[Hit, ...] = ()
        self.first: tuple[tuple[Hit, ...], Verdict] | None = None
        self._start = self._round = start

    @property
    def rounds(self) -> int:
        return self._round - self._start

    @property
    def number(self) -> int:
        """The round as the story counts it."""
        return self._round

    @property
    def limit(self) -> int:
        loop = self.kit.settings.loop
        return loop.max_rounds if loop.heal else 1

    def round(self, queries: Sequence[Query]) -> bool:
        """Search and judge once; False when the queries brought nothing new, and nothing is judged."""
        self._round += 1
        new = sum(self._search(query) for query in queries)
        self.tried += queries
        if self.verdicts and not new:
            self.kit.emit(StopStep(self._round, "the new queries found nothing that was not known"))
            return False
        self.hits = tuple(self.pool.hits())
        started = time.perf_counter()
        verdict = self.kit.roles.judge(self.question, self.plan, self.hits, strict=self.strict)
        self.kit.emit(JudgeStep(self._round, verdict, round(time.perf_counter() - started, 4)))
        self.verdicts.append(verdict)
        self.first = self.first or (self.hits, verdict)
        return True

    def next(self, why: str = "") -> tuple[Query, ...]:
        """The queries of the next round, told; none when all was tried. `why` is a reason beyond the verdict."""
        step, rewrite = self.severity(), None
        if why or not self.verdicts[-1].sufficient:
            rewrite = self.kit.roles.rewrite(self.question, self.plan, self.verdicts, self.tried, step)
        queries = rewrite.queries if rewrite is not None else ()
        reason = "; ".join(part for part in (why, rewrite.why if rewrite is not None else "") if part)
        step = rewrite.severity if rewrite is not None else step
        for query in queries:
            self.kit.emit(RewriteStep(self._round, query, reason, step))
        deep = deepen.query(self.question, self.kit, self.tried)
        # A back end that reads every hit deepens where it sees fit; a model is shown few, so they are reranked.
        if self.kit.roles.explicit_hops and deep is not None and (step != "mild" or not queries):
            deep_step: Severity = "moderate" if step == "mild" else step
            self.kit.emit(RewriteStep(self._round, deep, reason or "more hits for the question itself", deep_step))
            queries = (*queries, deep)
        if not queries and not self.verdicts[-1].sufficient:
            self.kit.emit(StopStep(self._round, "no query is left that was not tried"))
        return queries

    def severity(self) -> Severity:
        return severity(
            self.kit.settings.loop,
            self.plan,
            self.verdicts,
            raised=self.kit.raised,
            calibrated=not self.kit.roles.explicit_hops,
        )

    def done(self) -> bool:
        """Whether the last verdict ends the loop. A model's "sufficient" that its own figures belie does not."""
        last, roles = self.verdicts[-1], self.kit.roles
        return last.sufficient and not (roles.explicit_hops and weak(last, self.kit.settings.loop))

    def opening(self) -> tuple[Query, ...]:
        """The queries of the first round."""
        plan, settings = self.plan, self.kit.settings.loop
        queries = plan.queries[:1] or (Query(self.question),)
        if plan.together and plan.queries:
            queries = plan.queries
        elif settings.parallel and plan.shape == "comparison":
            queries = plan.queries[: settings.max_hops]  # the sides need nothing of each other
        if self.kit.raised and settings.heal:
            deep = deepen.query(self.question, self.kit, queries)
            if deep is not None:
                step = LADDER[min(self.kit.raised, len(LADDER) - 1)]
                self.kit.emit(RewriteStep(self._round + 1, deep, "a question like it was thumbed down", step))
                queries = (*queries, deep)
        return queries

    def gathered(self) -> Gathered:
        """What there is so far."""
        assert self.first is not None  # the first round always judges
        hits, verdict = self.hits, self.verdicts[-1]
        if not verdict.sufficient and verdict.confidence < self.first[1].confidence:
            # Healing may replace the first round's answer only with a better one.
            hits, verdict = self.first
        return Gathered(
            self.pool, hits, verdict, self.rounds, self.first, self.plan, tuple(self.tried), tuple(self.verdicts)
        )

    def _search(self, query: Query) -> int:
        started = time.perf_counter()
        hits = self.kit.doors.search(query)
        if query.origin == "deepen" and self.kit.roles.explicit_hops:
            hits = tuple(hit for hit in hits if hit.chunk.id not in self.pool)[: deepen.KEPT]
        own = query.text == self.question
        added = self.pool.add(hits, self._round, question=own)
        self.kit.emit(SearchStep(self._round, query, hits, added, round(time.perf_counter() - started, 4)))
        return added


def gather(
    question: str,
    plan: Plan,
    kit: Kit,
    *,
    strict: bool = False,
    start: int = 0,
) -> Gathered:
    """Run rounds until the verdict is sufficient, `max_rounds` are spent, or a round brings nothing new."""
    loop = Loop(question, plan, kit, strict=strict, start=start)
    run(loop, loop.opening())
    return loop.gathered()


def run(loop: Loop, queries: Sequence[Query], usual: Callable[[], Plan] | None = None) -> None:
    """The rounds of `gather`, from these queries on.

    `usual` gives the plan to go on with when a remembered one did not suffice; when that one has parts, the loop
    ends there, for they are asked one by one.
    """
    while queries and loop.round(queries):
        if loop.done():
            return
        if usual is not None and not loop.verdicts[-1].sufficient:
            loop.plan, usual = usual(), None
            if loop.plan.parts and loop.kit.roles.explicit_hops:
                return
        if loop.rounds >= loop.limit:
            if loop.limit > 1 and not loop.verdicts[-1].sufficient:
                loop.kit.emit(StopStep(loop.number, f"{loop.limit} rounds are spent"))
            return
        queries = loop.next()


def more(loop: Loop, why: str) -> bool:
    """One round more for a reason that showed only in the draft; False when there is none left."""
    if loop.rounds >= loop.limit:
        return False
    queries = loop.next(why)
    return bool(queries) and loop.round(queries)
