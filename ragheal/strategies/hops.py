"""Multi-hop with a model: the parts of the plan asked one after the other, each answer feeding the next."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import msgspec

from ragheal.answering.finish import shown, vetoed
from ragheal.answering.kit import Kit, Story
from ragheal.answering.loop import Gathered, gather
from ragheal.answering.pool import Pool
from ragheal.retrieval.base import SideBySide
from ragheal.strategies import parts
from ragheal.types import (
    Check,
    Exchange,
    Grade,
    Hop,
    HopStep,
    JudgeStep,
    Part,
    Plan,
    Query,
    RewriteStep,
    SearchStep,
    Step,
    StopStep,
    Verdict,
)

_FIRST = 4  # hits of a part that go into the joined pool beside the relevant ones


class Asked(msgspec.Struct, frozen=True):
    """One part and what it came to. `short` is what goes into the questions that need it."""

    hop: Hop
    gathered: Gathered
    short: str = ""


class Joined(msgspec.Struct, frozen=True):
    """All parts: the evidence in one pool, a verdict on the whole, and the answers."""

    gathered: Gathered
    hops: tuple[Hop, ...]


def follow(
    question: str, plan: Plan, kit: Kit, *, strict: bool, start: int = 0, known: Pool | None = None
) -> Joined | None:
    """Ask the parts of a plan; None when fewer than two are left to ask, so that one pool will do."""
    loop = kit.settings.loop
    placed = parts.ordered(plan.parts, question, loop.max_hops)
    if len(placed) < 2:
        return None
    pool, rounds = known, start
    if pool is None:
        # The question's own hits keep their place: taking it apart can only add.
        pool, rounds = Pool(), start + 1
        own = Query(question, wants=plan.queries[0].wants if plan.queries else "")
        hits = kit.doors.search(own)
        kit.emit(SearchStep(rounds, own, hits, pool.add(hits, rounds, question=True)))
    asked: dict[int, Asked] = {}
    for wave in parts.waves(placed):
        answers = {n: done.short for n, done in asked.items()}
        questions = [(n, part, parts.filled(part, answers)) for n, part in wave]
        for n, done in _wave(questions, kit, strict, rounds):
            asked[n] = done
            rounds += done.hop.rounds
    return _join(question, plan, placed, asked, pool, rounds, kit, strict)


def _wave(
    questions: Sequence[tuple[int, Part, str | None]], kit: Kit, strict: bool, start: int
) -> list[tuple[int, Asked]]:
    """Parts that need nothing of each other: side by side where that is on and the doors allow it."""
    found: list[tuple[int, Asked]] = []
    doors, story = kit.doors, kit.emit
    if (
        kit.settings.loop.parallel
        and len(questions) > 1
        and isinstance(doors, SideBySide)
        and isinstance(story, Story)
    ):
        return _side_by_side(questions, kit, doors, story, strict, start)
    for n, part, question in questions:
        done = _ask(n, part, question, kit, strict, start)
        start += done.hop.rounds
        found.append((n, done))
    return found


def _side_by_side(
    questions: Sequence[tuple[int, Part, str | None]],
    kit: Kit,
    doors: SideBySide,
    story: Story,
    strict: bool,
    start: int,
) -> list[tuple[int, Asked]]:
    """Each part in its thread. Calls and steps are told part after part, as if they had been asked so."""

    def work(n: int, part: Part, question: str | None) -> tuple[Asked, list[Exchange], list[Step]]:
        with doors.apart() as exchanges, story.apart() as steps:
            return _ask(n, part, question, kit, strict, 0), exchanges, steps

    found: list[tuple[int, Asked]] = []
    with ThreadPoolExecutor(max_workers=len(questions)) as threads:
        waiting = [threads.submit(work, *each) for each in questions]
        results = [future.result() for future in waiting]
    for (n, _, _), (done, exchanges, steps) in zip(questions, results, strict=True):
        doors.join(exchanges)
        for step in steps:
            story(_later(step, start))
        gathered = msgspec.structs.replace(done.gathered, pool=done.gathered.pool.later(start))
        found.append((n, msgspec.structs.replace(done, gathered=gathered)))
        start += done.hop.rounds
    return found


def _later(step: Step, by: int) -> Step:
    if isinstance(step, SearchStep | JudgeStep | RewriteStep | StopStep):
        return msgspec.structs.replace(step, round=step.round + by)
    return step


def _ask(n: int, part: Part, question: str | None, kit: Kit, strict: bool, start: int) -> Asked:
    """One part: gather, draft, and let code check the draft; no answer where one of these fails."""
    if question is None:
        hop = Hop(n, part.question, "", rounds=0)
        kit.emit(HopStep(hop))
        return Asked(hop, _nothing())
    plan = Plan((Query(question, origin="plan"),), reason=f"part {n}")
    gathered = gather(question, plan, kit, strict=strict, start=start)
    hits, verdict = shown(gathered, kit), gathered.verdict
    usable = verdict.sufficient or (not strict and any(grade.relevance >= 80 for grade in verdict.grades))
    draft = kit.roles.generate(question, plan, hits, verdict, strict=strict) if usable and hits else None
    hop = Hop(n, question, "", rounds=gathered.rounds)
    short = ""
    if draft is not None and draft.claims:
        check = vetoed(Check("accept", "supported", True, 5), draft, hits, question)
        if check.outcome == "accept" and strict:
            check = vetoed(
                kit.roles.verify(question, plan, draft, hits, verdict, strict=True), draft, hits, question
            )
        if check.outcome in {"accept", "disclaim"}:
            text = " ".join([draft.lead, *(claim.text for claim in draft.claims)]).strip()
            cites = tuple(dict.fromkeys(citation.chunk_id for citation in draft.citations))
            hop = Hop(n, question, text, cites, gathered.rounds)
            short = parts.short(draft, question, verdict.bridge)
    kit.emit(HopStep(hop))
    return Asked(hop, gathered, short)


def _nothing() -> Gathered:
    none = Verdict(False, 0.0)
    return Gathered(Pool(), (), none, 0, ((), none))


def _join(
    question: str,
    plan: Plan,
    placed: Sequence[tuple[int, Part]],
    asked: dict[int, Asked],
    pool: Pool,
    rounds: int,
    kit: Kit,
    strict: bool,
) -> Joined:
    """One pool, and one verdict: that of the parts where all were found, else a judge's on the whole."""
    done = [asked[n] for n, _ in placed]
    for each in done:
        pool.take(each.gathered.pool, _carriers(each))
    hits = tuple(pool.hits())
    hops = tuple(each.hop for each in done)
    verdict = _of_parts(done)
    if not all(hop.answer for hop in hops):
        whole = kit.roles.judge(question, msgspec.structs.replace(plan, parts=()), hits, strict=strict)
        kit.emit(JudgeStep(rounds, whole))
        verdict = whole if whole.sufficient else _partial(whole, verdict)
    gathered = Gathered(pool, hits, verdict, rounds, (hits, verdict), plan)
    return Joined(gathered, hops)


def _carriers(each: Asked) -> list[str]:
    relevant = [grade.chunk_id for grade in each.gathered.verdict.grades if grade.relevance >= 50]
    first = [hit.chunk.id for hit in each.gathered.hits[:_FIRST]]
    return list(dict.fromkeys([*each.hop.cites, *relevant, *first]))


def _of_parts(done: Sequence[Asked]) -> Verdict:
    verdicts = [each.gathered.verdict for each in done]
    missing = tuple(
        item
        for each, verdict in zip(done, verdicts, strict=True)
        if not each.hop.answer
        for item in verdict.missing
    )
    return Verdict(
        sufficient=all(each.hop.answer for each in done),
        confidence=min(verdict.confidence for verdict in verdicts),
        grades=_grades(verdicts),
        missing=missing,
        conflict=next((verdict.conflict for verdict in verdicts if verdict.conflict is not None), None),
        judged_by=verdicts[0].judged_by,
    )


def _grades(verdicts: Sequence[Verdict]) -> tuple[Grade, ...]:
    """For each hit its best grade: what serves one part serves the whole."""
    best: dict[str, Grade] = {}
    for grade in (grade for verdict in verdicts for grade in verdict.grades):
        if grade.chunk_id not in best or grade.relevance > best[grade.chunk_id].relevance:
            best[grade.chunk_id] = grade
    return tuple(best.values())


def _partial(whole: Verdict, of_parts: Verdict) -> Verdict:
    return msgspec.structs.replace(
        whole,
        grades=_grades([whole, of_parts]),
        missing=tuple(dict.fromkeys((*of_parts.missing, *whole.missing))),
        conflict=whole.conflict or of_parts.conflict,
    )
