"""The strategies that answer from evidence. They differ in how they plan and in how strictly they judge."""

from __future__ import annotations

import msgspec

from ragheal.answering.finish import finish
from ragheal.answering.kit import Kit
from ragheal.answering.loop import Gathered, Loop, more, run
from ragheal.strategies import hops
from ragheal.strategies.direct import undocumented
from ragheal.types import Answer, Plan, PlanStep, Route, Routing


def _run(question: str, route: Route, kit: Kit, *, strict: bool) -> Answer:
    """An answer from evidence; without any, a refusal, or what `answer.on_no_evidence` puts in its place."""
    answer = _grounded(question, route, kit, strict=strict)
    if answer.status == "abstained" and kit.settings.answer.on_no_evidence == "direct":
        return undocumented(answer, kit)
    return answer


def _grounded(question: str, route: Route, kit: Kit, *, strict: bool) -> Answer:
    """Plan, gather and answer; with a model, part by part where the plan has parts.

    A remembered plan is searched first, in one round. Where that does not suffice, the usual plan follows.
    """
    many = route in {"multi_hop", "combined"}
    remembered = kit.remembered if kit.settings.loop.heal else None

    def usual() -> Plan:
        plan = kit.roles.plan(question, route)
        kit.emit(PlanStep(plan))
        return plan

    if remembered is None:
        plan = usual()
        if many and kit.roles.explicit_hops and plan.parts and kit.settings.loop.heal:
            joined = hops.follow(question, plan, kit, strict=strict)
            if joined is not None:
                return _joined(question, route, plan, joined, kit, strict=strict)
        loop = Loop(question, plan, kit, strict=strict)
        run(loop, loop.opening())
        return _finished(route, loop, kit, strict=strict)
    kit.emit(PlanStep(remembered))
    if kit.roles.explicit_hops:
        loop = Loop(question, remembered, kit, strict=strict)
        run(loop, loop.opening(), usual)
        if many and loop.plan.parts and not loop.verdicts[-1].sufficient:
            joined = hops.follow(question, loop.plan, kit, strict=strict, start=loop.rounds, known=loop.pool)
            if joined is not None:
                return _joined(question, route, loop.plan, joined, kit, strict=strict)
            run(loop, loop.next())
        return _finished(route, loop, kit, strict=strict)
    # The embedded judge reads the shape of the usual plan, which costs nothing; memory lends its queries.
    loop = Loop(question, kit.roles.plan(question, route), kit, strict=strict)
    loop.round(remembered.queries or loop.opening())
    if not loop.done():
        # The plan's evidence once carried a verified answer: if it does again, no further round is owed.
        early = finish(question, route, loop.plan, loop.gathered(), kit, strict=strict)
        if early.status == "answered" or loop.rounds >= loop.limit:
            return early
        run(loop, loop.next())
    return _finished(route, loop, kit, strict=strict)


def _finished(route: Route, loop: Loop, kit: Kit, *, strict: bool) -> Answer:
    def again(why: str) -> Gathered | None:
        return loop.gathered() if more(loop, why) else None

    return finish(loop.question, route, loop.plan, loop.gathered(), kit, strict=strict, again=again)


def _joined(question: str, route: Route, plan: Plan, joined: hops.Joined, kit: Kit, *, strict: bool) -> Answer:
    answer = finish(question, route, plan, joined.gathered, kit, strict=strict, hops=joined.hops)
    return msgspec.structs.replace(answer, hops=joined.hops)


def standard(question: str, routing: Routing, kit: Kit) -> Answer:
    """One fact: one retrieval, healed when a failure signal fires."""
    return _run(question, "standard", kit, strict=False)


def multi_hop(question: str, routing: Routing, kit: Kit) -> Answer:
    """Sub-questions in order, each answer feeding the next."""
    return _run(question, "multi_hop", kit, strict=False)


def self_rag(question: str, routing: Routing, kit: Kit) -> Answer:
    """Must be verified: every hit graded, a higher bar for sufficiency, refusal rather than a guess."""
    return _run(question, "self_rag", kit, strict=True)


def combined(question: str, routing: Routing, kit: Kit) -> Answer:
    """Multi-hop, every hop judged and verified as strictly as in self_rag."""
    return _run(question, "combined", kit, strict=True)
