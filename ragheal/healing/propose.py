"""Proposals from the failure log: synonyms and rewrites that were tried on the failed questions, and advice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ragheal.healing import advice, store
from ragheal.healing.candidates import Candidate, candidates
from ragheal.healing.failed import Asked, failures
from ragheal.healing.overlay import Entry, Overlay, in_force, trial_of
from ragheal.healing.repairs import Advice, Proposal, Repair, Rewrite, Synonym
from ragheal.healing.verify import Ask
from ragheal.healing.vocabulary import FRAME, key
from ragheal.healing.wording import applies, occurrences
from ragheal.retrieval.base import Doors
from ragheal.text.analyze import terms
from ragheal.text.questions import analyze
from ragheal.text.script import lang
from ragheal.types import SearchStep, Trace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: Questions looked at, candidates tried for each (and for each term of it), and proposals kept of each.
QUESTIONS, TRIES, TRIES_A_TERM, KEPT = 30, 10, 4, 3
_TRIAL = "trial"
_WHEN = 3  # words lost, and words kept, by which a rewrite knows its questions
#: The gain in similarity of a candidate that is about as sure as can be.
_SURE = 0.15


class Found(msgspec.Struct, frozen=True):
    """What came of the failure log. `known` counts proposals that were there before."""

    proposals: tuple[Proposal, ...]
    questions: int  # failed questions looked at
    answered: int  # those that are answered today
    groups: int
    known: int


class _Tried(msgspec.Struct, frozen=True):
    repair: Repair
    score: float
    why: str
    told: str
    asked: Asked


def propose(
    index: Path,
    doors: Doors,
    embed: Callable[[Sequence[str]], NDArray[np.float32]],
    fingerprint: str,
    ask: Ask,
    on_question: Callable[[int, int], None] | None = None,
) -> Found:
    """Derive proposals from the failures of an index folder; nothing is written. Raises TraceError."""
    asked, groups = failures(index, embed, fingerprint)
    base = in_force(index)
    base = None if base is None else msgspec.structs.replace(base, trial=(), percent=0)
    found: list[_Tried] = []
    unhelped: list[Asked] = []
    answered = 0
    looked_at = asked[:QUESTIONS]
    for number, one in enumerate(looked_at, start=1):
        if on_question is not None:
            on_question(number, len(looked_at))
        before = ask(one.question, base)
        if before.answer.status in {"answered", "conflict"} and before.answer.rounds <= 1:
            answered += 1
            continue
        helped = _tried(one, before, base, doors, ask)
        found += helped
        if not helped:
            unhelped.append(one)
    merged = _merged(found)
    known = [proposal.what for proposal in store.proposals(index)]
    new = [proposal for proposal in merged if proposal.what not in known]
    told = [proposal for proposal in advice.advise(index, unhelped, doors) if proposal.what not in known]
    first = store.next_id(index)
    numbered = tuple(
        msgspec.structs.replace(
            proposal, id=f"p{first + place}", state="advice" if _is_advice(proposal) else "proposed"
        )
        for place, proposal in enumerate([*new, *told])
    )
    return Found(numbered, len(looked_at), answered, len(groups), len(merged) - len(new))


def _is_advice(proposal: Proposal) -> bool:
    return isinstance(proposal.what, Advice)


def _tried(asked: Asked, before: Trace, base: Overlay | None, doors: Doors, ask: Ask) -> list[_Tried]:
    """The candidates with which the question is answered, likeliest first."""
    found: list[_Tried] = []
    counts: dict[str, int] = {}
    tries = 0
    for candidate in candidates(asked.question, doors, asked.worked):
        term = key(candidate.synonym.term)
        if candidate.score <= 0 or tries == TRIES:
            break
        if counts.get(term, 0) == TRIES_A_TERM:
            continue
        counts[term], tries = counts.get(term, 0) + 1, tries + 1
        after = ask(asked.question, trial_of(base, (Entry(_TRIAL, candidate.synonym),)))
        if _helps(before, after) and _rests_on(after, candidate):
            found.append(_worth(asked, candidate.synonym, candidate, before, after))
    if not found:
        found = _rewritten(asked, before, base, ask)
    return sorted(found, key=lambda tried: -tried.score)[:KEPT]


def _helps(before: Trace, after: Trace) -> bool:
    if after.answer.status not in {"answered", "conflict"}:
        return False
    return before.answer.status not in {"answered", "conflict"} or after.answer.rounds < before.answer.rounds


def _rests_on(after: Trace, candidate: Candidate) -> bool:
    """Whether what the answer quotes, or the passage around it, has the documents' term."""
    cited = {citation.chunk_id for citation in after.answer.citations}
    chunks = {
        hit.chunk.id: hit.chunk
        for step in after.steps
        if isinstance(step, SearchStep)
        for hit in step.hits
        if hit.chunk.id in cited
    }
    means = candidate.synonym.means
    return any(occurrences(f"{chunk.heading}\n{chunk.text}", means) for chunk in chunks.values())


def _worth(asked: Asked, repair: Repair, candidate: Candidate, before: Trace, after: Trace) -> _Tried:
    sure = min(1.0, max(0.0, candidate.score / _SURE))
    score = round(0.6 * after.answer.confidence + 0.4 * sure, 3)
    return _Tried(repair, score, candidate.why, _told(before, after), asked)


def _rewritten(asked: Asked, before: Trace, base: Overlay | None, ask: Ask) -> list[_Tried]:
    """The words that a user added when asking again, for questions like the first."""
    found = []
    own = terms(asked.question)
    for other in asked.worked:
        added = [word for word in dict.fromkeys(terms(other)) if word not in own]
        lost = [term for term in dict.fromkeys(own) if term not in terms(other)]
        if not added or not lost:
            continue
        # What both have tells which questions are like this one; the lost words alone say too little.
        shared = [term for term in dict.fromkeys(own) if term not in lost and term not in FRAME]
        adds = " ".join(analyze(other).written(added))
        when = analyze(asked.question).written([*lost[:_WHEN], *shared[:_WHEN]])
        rewrite = Rewrite(tuple(when), adds, lang(asked.question))
        if not applies(asked.question, rewrite):
            continue
        after = ask(asked.question, trial_of(base, (Entry(_TRIAL, rewrite),)))
        if _helps(before, after):
            why = f"asked again as “{other}”, it was answered"
            found.append(_Tried(rewrite, round(after.answer.confidence, 3), why, _told(before, after), asked))
    return found


def _merged(found: Sequence[_Tried]) -> list[Proposal]:
    """One proposal for each repair, however many questions it helps; the likeliest and most helpful first."""
    groups: dict[tuple[object, ...], list[_Tried]] = {}
    for tried in found:
        groups.setdefault(_same(tried.repair), []).append(tried)
    proposals = []
    for same in groups.values():
        best = max(same, key=lambda tried: tried.score)
        questions = tuple(dict.fromkeys(tried.asked.question for tried in same))
        times = sum({tried.asked.question: tried.asked.times for tried in same}.values())
        group = f' in "{best.asked.group}"' if best.asked.group else ""
        failed = f"{times} failure{'' if times == 1 else 's'}{group}"
        proposals.append(
            Proposal(
                id="",
                what=_joined([tried.repair for tried in same], best.repair),
                why=f"{failed}; {best.why}",
                questions=questions,
                traces=tuple(dict.fromkeys(trace for tried in same for trace in tried.asked.traces))[:10],
                # Each further question that it helps speaks for it, the first ones most.
                score=round(1.0 - (1.0 - best.score) * 0.8 ** (len(questions) - 1), 3),
                tried=best.told,
            )
        )
    return sorted(_shortest(proposals), key=lambda proposal: -proposal.score)


def _shortest(proposals: Sequence[Proposal]) -> list[Proposal]:
    """Without synonyms of a longer term where one of a term within it helps the same questions."""

    def needless(proposal: Proposal) -> bool:
        longer = proposal.what
        return isinstance(longer, Synonym) and any(
            isinstance(other.what, Synonym)
            and other is not proposal
            and key(other.what.means) == key(longer.means)
            and key(other.what.term) != key(longer.term)
            and occurrences(longer.term, other.what.term)
            and set(proposal.questions) <= set(other.questions)
            for other in proposals
        )

    return [proposal for proposal in proposals if not needless(proposal)]


def _same(repair: Repair) -> tuple[object, ...]:
    if isinstance(repair, Synonym):
        return "synonym", key(repair.term), key(repair.means), bool(repair.context)
    return "rewrite", repair.when, key(repair.adds)


def _joined(same: Sequence[Repair], best: Repair) -> Repair:
    """The best of several alike, in the context of all of them."""
    if not isinstance(best, Synonym) or not best.context:
        return best
    contexts = [set(repair.context) for repair in same if isinstance(repair, Synonym)]
    shared = set.intersection(*contexts)
    context = tuple(term for term in best.context if term in shared) or tuple(sorted(set.union(*contexts)))
    return msgspec.structs.replace(best, context=context)


def _told(before: Trace, after: Trace) -> str:
    def one(trace: Trace) -> str:
        rounds = trace.answer.rounds
        return f"{trace.answer.status} in {rounds} round{'' if rounds == 1 else 's'}"

    return f"{one(before)} → {one(after)}"
