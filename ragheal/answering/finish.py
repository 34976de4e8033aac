"""From gathered evidence to a verified answer, or to an honest refusal."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import msgspec

from ragheal.answering import signals, wording
from ragheal.answering.kit import Kit
from ragheal.answering.loop import RELEVANT, Gathered
from ragheal.answering.verification import veto
from ragheal.text.rules import hedged
from ragheal.text.script import lang
from ragheal.types import (
    Answer,
    Check,
    CheckStep,
    Claim,
    Conflict,
    Draft,
    DraftStep,
    Evidence,
    Hit,
    Hop,
    Plan,
    Route,
    Status,
    Verdict,
)

_WORTH: dict[Status, int] = {"answered": 3, "conflict": 3, "partial": 2, "disclaimed": 1, "abstained": 0}
_LEAST_USEFUL = 3  # of 5, for an answer that must be verified


def finish(
    question: str,
    route: Route,
    plan: Plan,
    gathered: Gathered,
    kit: Kit,
    *,
    strict: bool = False,
    hops: Sequence[Hop] = (),
    again: Callable[[str], Gathered | None] | None = None,
) -> Answer:
    """Generate, verify, regenerate once if the draft is not grounded; abstain rather than guess.

    `again` goes one round more for a reason, where rounds are left: with a model, a draft that hedges or whose
    length is out of bounds asks for it. What comes of it replaces the answer only when it is better.
    """
    answer, wrong = _attempt(question, route, plan, gathered, kit, strict, hops)
    if not wrong or again is None or not kit.settings.loop.heal or not kit.roles.explicit_hops:
        return answer
    healed = again("; ".join(wrong))
    if healed is None:
        return answer
    other, still = _attempt(question, route, healed.plan, healed, kit, strict, hops)
    better = (_WORTH[other.status], -len(still)) > (_WORTH[answer.status], -len(wrong))
    return other if better else msgspec.structs.replace(answer, rounds=other.rounds)


def _attempt(
    question: str,
    route: Route,
    plan: Plan,
    gathered: Gathered,
    kit: Kit,
    strict: bool,
    hops: Sequence[Hop],
) -> tuple[Answer, tuple[str, ...]]:
    """The answer of one draft, and the failure signals of the draft."""
    hits, verdict = shown(gathered, kit, hops), gathered.verdict
    draft = kit.roles.generate(question, plan, hits, verdict, strict=strict, hops=hops)
    if draft is None:
        silent = ("the evidence was called sufficient, and no answer was found in it",)
        return abstain(question, route, gathered), silent if verdict.sufficient else ()
    wrong = signals.of_draft(draft, route, kit.settings.loop)
    check = _verify(kit, question, plan, draft, hits, verdict, strict, hops, attempt=1)
    if check.outcome == "regenerate":
        again = kit.roles.generate(question, plan, hits, verdict, strict=True, hops=hops)
        if again is None:
            return abstain(question, route, gathered), wrong
        draft, check = again, _verify(kit, question, plan, again, hits, verdict, strict, hops, attempt=2)
        wrong = signals.of_draft(draft, route, kit.settings.loop)
        if check.outcome == "regenerate":
            # Twice not grounded: it is never shown as if it were. What of it is supported may stand, disclaimed.
            kept = None if strict else _supported(draft, check)
            if kept is None:
                return abstain(question, route, gathered, check), wrong
            draft, check = kept, msgspec.structs.replace(check, outcome="disclaim", complete=False)
    if strict and check.outcome == "accept" and check.useful < _LEAST_USEFUL:
        check = msgspec.structs.replace(check, outcome="disclaim")
    if check.outcome == "abstain" and kit.settings.loop.heal:
        return abstain(question, route, gathered, check), wrong
    if kit.roles.explicit_hops and check.outcome == "accept":
        doubts = [hedged(claim.text) is not None for claim in draft.claims]
        if all(doubts):
            return abstain(question, route, gathered, check), wrong
        if any(doubts):
            check = msgspec.structs.replace(check, outcome="disclaim", complete=False)
    return _answer(question, route, gathered, draft, check, verdict, kit), wrong


def shown(gathered: Gathered, kit: Kit, hops: Sequence[Hop] = ()) -> tuple[Hit, ...]:
    """The hits that an answer is drawn from. A model is shown the relevant ones alone, and what hops rest on."""
    if not kit.roles.explicit_hops or not kit.settings.loop.heal:
        return gathered.hits
    relevance = {grade.chunk_id: grade.relevance for grade in gathered.verdict.grades}
    cited = {chunk_id for hop in hops for chunk_id in hop.cites}
    kept = tuple(
        hit for hit in gathered.hits if hit.chunk.id in cited or relevance.get(hit.chunk.id, 0) >= RELEVANT
    )
    if not kept and gathered.verdict.sufficient:
        # A judge that contradicts itself is taken at its word on the whole.
        return gathered.hits
    return kept


def _verify(
    kit: Kit,
    question: str,
    plan: Plan,
    draft: Draft,
    hits: tuple[Hit, ...],
    verdict: Verdict,
    strict: bool,
    hops: Sequence[Hop],
    *,
    attempt: int,
) -> Check:
    kit.emit(DraftStep(draft, attempt))
    check = kit.roles.verify(question, plan, draft, hits, verdict, strict=strict)
    if kit.roles.explicit_hops:
        asked = "\n".join([question, *(hop.question for hop in hops)])
        check = vetoed(check, draft, hits, asked)
    kit.emit(CheckStep(check, attempt))
    return check


def vetoed(check: Check, draft: Draft, hits: Sequence[Hit], question: str) -> Check:
    """A check with what code found against the draft: a model cannot overrule it."""
    chunks = {hit.chunk.id: hit.chunk for hit in hits}
    cited = {
        citation.n: f"{chunks[citation.chunk_id].heading}\n{chunks[citation.chunk_id].text}"
        for citation in draft.citations
        if citation.chunk_id in chunks
    }
    found = [problem for problem in veto(draft, cited, question) if problem not in check.problems]
    if not found:
        return check
    problems = (*check.problems, *found)
    grounded = check.grounded
    if grounded == "supported":
        bad = {claim for claim in _named(problems) if claim <= len(draft.claims)}
        grounded = "unsupported" if len(bad) >= len(draft.claims) else "partially supported"
    outcome = "regenerate" if check.outcome in {"accept", "disclaim"} else check.outcome
    return msgspec.structs.replace(check, outcome=outcome, grounded=grounded, problems=problems)


def _named(problems: Sequence[str]) -> set[int]:
    """Numbers of the claims that problems are told of."""
    return {int(match[1]) for problem in problems if (match := re.match(r"claim (\d+)\b", problem))}


def _supported(draft: Draft, check: Check) -> Draft | None:
    """The draft without the claims that were objected to; None when that is not told or nothing is left."""
    bad = _named(check.problems)
    claims: tuple[Claim, ...] = tuple(claim for n, claim in enumerate(draft.claims, 1) if n not in bad)
    if check.grounded != "partially supported" or not bad or not any(claim.cites for claim in claims):
        return None
    used = {n for claim in claims for n in claim.cites}
    citations = tuple(citation for citation in draft.citations if citation.n in used)
    return msgspec.structs.replace(draft, claims=claims, citations=citations, lead="")


def _answer(
    question: str,
    route: Route,
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


def abstain(question: str, route: Route, gathered: Gathered, check: Check | None = None) -> Answer:
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
