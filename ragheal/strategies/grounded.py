"""The strategies that answer from evidence. They differ in how they plan and in how strictly they judge."""

from __future__ import annotations

from ragheal.answering.finish import finish
from ragheal.answering.kit import Kit
from ragheal.answering.loop import gather
from ragheal.types import Answer, PlanStep, Route, Routing


def _run(question: str, route: Route, kit: Kit, *, strict: bool) -> Answer:
    plan = kit.roles.plan(question, route)
    kit.emit(PlanStep(plan))
    gathered = gather(question, plan, kit, strict=strict)
    return finish(question, route, plan, gathered, kit, strict=strict)


def standard(question: str, routing: Routing, kit: Kit) -> Answer:
    """One fact: one retrieval, healed when the verdict is not sufficient."""
    return _run(question, "standard", kit, strict=False)


def multi_hop(question: str, routing: Routing, kit: Kit) -> Answer:
    """Sub-questions in order, each answer feeding the next."""
    return _run(question, "multi_hop", kit, strict=False)


def self_rag(question: str, routing: Routing, kit: Kit) -> Answer:
    """Must be verified: a higher bar for sufficiency, and refusal rather than a disclaimer below it."""
    return _run(question, "self_rag", kit, strict=True)


def combined(question: str, routing: Routing, kit: Kit) -> Answer:
    """Multi-hop, every hop judged as strictly as in self_rag."""
    return _run(question, "combined", kit, strict=True)
