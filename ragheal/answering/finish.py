"""From gathered evidence to a verified answer, or to an honest refusal."""

from __future__ import annotations

from ragheal.answering import wording
from ragheal.answering.kit import Kit
from ragheal.answering.loop import Gathered
from ragheal.text.script import lang
from ragheal.types import (
    Answer,
    Check,
    CheckStep,
    Conflict,
    Draft,
    DraftStep,
    Evidence,
    Hit,
    Plan,
    Route,
    Status,
    Verdict,
)


def finish(
    question: str, route: Route, plan: Plan, gathered: Gathered, kit: Kit, *, strict: bool = False
) -> Answer:
    """Generate, verify, regenerate once if the draft is not grounded; abstain rather than guess."""
    hits, verdict = gathered.hits, gathered.verdict
    draft = kit.roles.generate(question, plan, hits, verdict, strict=strict)
    if draft is None:
        return abstain(question, route, gathered, kit)
    check = _verify(kit, question, plan, draft, hits, verdict, strict, attempt=1)
    if check.outcome == "regenerate":
        again = kit.roles.generate(question, plan, hits, verdict, strict=True)
        if again is None:
            return abstain(question, route, gathered, kit)
        draft, check = again, _verify(kit, question, plan, again, hits, verdict, strict, attempt=2)
        if check.outcome == "regenerate":
            # Twice not grounded: it is never shown as if it were.
            return abstain(question, route, gathered, kit, check)
    if check.outcome == "abstain" and kit.settings.loop.heal and kit.settings.answer.on_no_evidence == "abstain":
        return abstain(question, route, gathered, kit, check)
    return _answer(question, route, plan, gathered, draft, check, verdict, kit)


def _verify(
    kit: Kit,
    question: str,
    plan: Plan,
    draft: Draft,
    hits: tuple[Hit, ...],
    verdict: Verdict,
    strict: bool,
    *,
    attempt: int,
) -> Check:
    kit.emit(DraftStep(draft, attempt))
    check = kit.roles.verify(question, plan, draft, hits, verdict, strict=strict)
    kit.emit(CheckStep(check, attempt))
    return check


def _answer(
    question: str,
    route: Route,
    plan: Plan,
    gathered: Gathered,
    draft: Draft,
    check: Check,
    verdict: Verdict,
    kit: Kit,
) -> Answer:
    status = _status(check, verdict.conflict)
    if not kit.settings.loop.heal and status in {"disclaimed", "partial"} and check.grounded == "supported":
        # One shot is the baseline: it answers with what it found, as ordinary RAG does.
        status = "answered"
    missing = tuple(item.label for item in verdict.missing)
    return Answer(
        question=question,
        status=status,
        text=wording.answer_text(draft, status, missing, verdict.conflict),
        lang=draft.lang,
        route=route,
        claims=draft.claims,
        citations=draft.citations,
        evidence=_evidence(gathered, [citation.chunk_id for citation in draft.citations]),
        confidence=verdict.confidence,
        missing=missing,
        check=check,
        conflict=verdict.conflict,
        rounds=gathered.rounds,
    )


def _status(check: Check, conflict: Conflict | None) -> Status:
    if conflict is not None:
        return "conflict"
    if check.outcome == "accept":
        return "answered"
    return "disclaimed" if check.complete else "partial"


def abstain(question: str, route: Route, gathered: Gathered, kit: Kit, check: Check | None = None) -> Answer:
    """Say that it is not in here: what was looked for, what is missing, and the nearest sources."""
    verdict = gathered.verdict
    relevance = {grade.chunk_id: grade.relevance for grade in verdict.grades}
    ordered = sorted(range(len(gathered.hits)), key=lambda i: (-relevance.get(gathered.hits[i].chunk.id, 0), i))
    nearest = tuple(dict.fromkeys(_place(gathered.hits[i]) for i in ordered[:6]))[:3]
    missing = tuple(item.label for item in verdict.missing)
    language = lang(question)
    return Answer(
        question=question,
        status="abstained",
        text=wording.refusal(language, missing, nearest),
        lang=language,
        route=route,
        evidence=_evidence(gathered, []),
        confidence=verdict.confidence,
        missing=missing,
        nearest=nearest,
        check=check,
        rounds=gathered.rounds,
    )


def _place(hit: Hit) -> str:
    # A file name may hold a line break, which must not break the sentence it is named in.
    return f"{hit.chunk.source}:{hit.chunk.start_line}".replace("\n", "\\n")


def _evidence(gathered: Gathered, carriers: list[str]) -> tuple[Evidence, ...]:
    relevance = {grade.chunk_id: grade.relevance for grade in gathered.verdict.grades}
    return gathered.pool.evidence(relevance, carriers)
