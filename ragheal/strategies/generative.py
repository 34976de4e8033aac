"""`generative`: "write me …". The documents are inspiration, and the answer says that it is not fully grounded."""

from __future__ import annotations

import msgspec

from ragheal.answering import wording
from ragheal.answering.finish import abstain, shown, vetoed
from ragheal.answering.kit import Kit
from ragheal.answering.loop import gather
from ragheal.types import Answer, Check, CheckStep, Draft, DraftStep, PlanStep, Routing

_USEFUL = 3


def generative(question: str, routing: Routing, kit: Kit) -> Answer:
    """Gather once; a model composes from the passages, the embedded back end quotes them to write from."""
    plan = kit.roles.plan(question, "generative")
    kit.emit(PlanStep(plan))
    once = msgspec.structs.replace(
        kit,
        settings=msgspec.structs.replace(
            kit.settings, loop=msgspec.structs.replace(kit.settings.loop, heal=False)
        ),
    )
    gathered = gather(question, plan, once)
    draft = kit.roles.generate(
        question, plan, shown(gathered, kit) or gathered.hits, gathered.verdict, strict=False
    )
    if draft is None:
        return abstain(question, "generative", gathered)
    kit.emit(DraftStep(draft))
    check = None
    if kit.roles.explicit_hops:
        # Nothing is promised, so nothing is refused; what a passage is cited for must still stand in it.
        grounds = Check("disclaim", "supported", True, _USEFUL)
        check = vetoed(grounds, _citing(draft), gathered.hits, question)
        check = msgspec.structs.replace(check, outcome="disclaim")
        kit.emit(CheckStep(check))
    relevance = {grade.chunk_id: grade.relevance for grade in gathered.verdict.grades}
    return Answer(
        question=question,
        status="disclaimed",
        text=wording.composed(draft) if kit.roles.explicit_hops else wording.inspiration(draft),
        lang=draft.lang,
        route="generative",
        claims=draft.claims,
        citations=draft.citations,
        evidence=gathered.pool.evidence(relevance, [citation.chunk_id for citation in draft.citations]),
        check=check,
        confidence=gathered.verdict.confidence,
        rounds=gathered.rounds,
    )


def _citing(draft: Draft) -> Draft:
    return msgspec.structs.replace(draft, claims=tuple(claim for claim in draft.claims if claim.cites))
