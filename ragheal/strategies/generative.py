"""`generative`: "write me …". The documents are inspiration, and the answer says that it is not fully grounded."""

from __future__ import annotations

import msgspec

from ragheal.answering import wording
from ragheal.answering.finish import abstain
from ragheal.answering.kit import Kit
from ragheal.answering.loop import gather
from ragheal.types import Answer, DraftStep, PlanStep, Routing


def generative(question: str, routing: Routing, kit: Kit) -> Answer:
    """Gather once and hand over the passages to write from. The embedded back end quotes; it does not compose."""
    plan = kit.roles.plan(question, "generative")
    kit.emit(PlanStep(plan))
    once = msgspec.structs.replace(
        kit,
        settings=msgspec.structs.replace(
            kit.settings, loop=msgspec.structs.replace(kit.settings.loop, heal=False)
        ),
    )
    gathered = gather(question, plan, once)
    draft = kit.roles.generate(question, plan, gathered.hits, gathered.verdict, strict=False)
    if draft is None:
        return abstain(question, "generative", gathered, kit)
    kit.emit(DraftStep(draft))
    relevance = {grade.chunk_id: grade.relevance for grade in gathered.verdict.grades}
    return Answer(
        question=question,
        status="disclaimed",
        text=wording.inspiration(draft),
        lang=draft.lang,
        route="generative",
        claims=draft.claims,
        citations=draft.citations,
        evidence=gathered.pool.evidence(relevance, [citation.chunk_id for citation in draft.citations]),
        confidence=gathered.verdict.confidence,
        rounds=gathered.rounds,
    )
