"""Verification in code: does every quotation, number and name of the answer stand in what it cites?"""

from __future__ import annotations

from collections.abc import Sequence

from ragheal.answering.embedded.judge import Finding
from ragheal.answering.embedded.reading import fitted
from ragheal.answering.embedded.windows import term_set
from ragheal.settings import AnswerSettings
from ragheal.text.script import simplified
from ragheal.text.values import numeric, values
from ragheal.types import Check, Draft, Hit

_REREAD = 0.05
_PARTS = 0.6
_VERDICTS = frozenset({"yes", "no", "是", "不是"})


def verify(
    draft: Draft,
    pool: Sequence[Hit],
    finding: Finding,
    settings: AnswerSettings,
    again: float | None,
    *,
    strict: bool,
) -> Check:
    """Check a draft. Code decides what is grounded; the judge's confidence decides how much is promised.

    `again` is the trained reader's probability that the quoted sentences alone answer, where there is one:
    an answer that only its surroundings make an answer is not promised.
    """
    problems = ground(draft, pool)
    unsupported = len({problem.split(":")[0] for problem in problems})
    grounded = (
        "supported"
        if not problems
        else "unsupported"
        if unsupported >= len(draft.claims)
        else "partially supported"
    )
    complete = finding.sides.complete if finding.sides is not None else bool(draft.claims)
    thresholds = fitted()["thresholds"]["on" if finding.whole.reader else "off"]
    accept = thresholds["strict" if strict else "sufficient"]
    configured = settings.strict_abstain_below if strict else settings.abstain_below
    floor = thresholds["strict_abstain" if strict else "abstain"] if configured is None else configured
    if configured is None and (finding.sides is not None or finding.inner is not None):
        # The confidence of several parts is a product; the threshold was fitted on single facts.
        floor *= _PARTS
    useful = 1 + round(4 * min(1.0, finding.confidence / max(accept, 1e-6)))
    if problems:
        outcome = "regenerate"
    elif finding.confidence < floor:
        outcome = "abstain"
    elif finding.confidence < accept or not complete or (again is not None and again < _REREAD):
        outcome = "disclaim"
    else:
        outcome = "accept"
    if not complete:
        problems = (*problems, "incomplete: a part of the question is not answered")
    return Check(outcome, grounded, complete, useful, problems)  # type: ignore[arg-type]


def ground(draft: Draft, pool: Sequence[Hit]) -> tuple[str, ...]:
    """What in a draft does not stand in the passages it cites, one line each; empty when all does."""
    texts = {hit.chunk.id: hit.chunk.text for hit in pool}
    cited = {citation.n: citation for citation in draft.citations}
    problems: list[str] = []
    for citation in draft.citations:
        if citation.chunk_id not in texts:
            problems.append(f"[{citation.n}]: cites a passage that was not retrieved")
        elif citation.quote not in texts[citation.chunk_id]:
            problems.append(f"[{citation.n}]: the quotation is not in {citation.source}")
    for index, claim in enumerate(draft.claims, 1):
        if not claim.cites:
            problems.append(f"claim {index}: no citation")
            continue
        unknown = [n for n in claim.cites if n not in cited]
        if unknown:
            problems.append(f"claim {index}: cites [{unknown[0]}], which does not exist")
            continue
        source = " ".join(cited[n].quote for n in claim.cites)
        held = {span.norm for span in values(source) if numeric(span)}
        absent = [span.text for span in values(claim.text) if numeric(span) and span.norm not in held]
        absent = [text for text in absent if simplified(text) not in simplified(source)]
        if absent:
            problems.append(f"claim {index}: {absent[0]} is not in the cited text")
    if draft.lead and draft.lead.lower() not in _VERDICTS:
        everything = term_set(" ".join(f"{c.heading} {texts.get(c.chunk_id, '')}" for c in draft.citations))
        if len(term_set(draft.lead) & everything) < 0.6 * len(term_set(draft.lead)):
            problems.append(f"lead: {draft.lead} is not in the cited text")
    return tuple(problems)
