"""What a draft of quoted sentences promises: grounded by code, complete and useful by one more reading."""

from __future__ import annotations

from collections.abc import Sequence

from ragheal.answering.embedded.judge import Finding, thresholds
from ragheal.answering.verification import veto
from ragheal.settings import AnswerSettings
from ragheal.text.overlap import term_set
from ragheal.types import Check, Draft, Hit

#: An answer that does not answer when read by itself is not promised.
COMPLETE = 0.3
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
    """Check a draft. Code decides what is grounded; the judge's confidence and a second reading what is promised.

    `again` is the reader's probability that the draft by itself answers; None where no one sentence does (a
    comparison).
    """
    question = finding.panel.question
    problems = ground(draft, pool, question.text)
    unsupported = len({problem.split(":")[0] for problem in problems})
    grounded = (
        "supported"
        if not problems
        else "unsupported"
        if unsupported >= len(draft.claims)
        else "partially supported"
    )
    complete = finding.sides.complete if finding.sides is not None else again is None or again >= COMPLETE
    bars = thresholds(question.lang)
    configured = settings.strict_abstain_below if strict else settings.abstain_below
    floor = bars["strict_abstain" if strict else "abstain"] if configured is None else configured
    if problems:
        outcome = "regenerate"
    elif finding.presence < floor:
        outcome = "abstain"
    elif finding.confidence < bars["strict" if strict else "sufficient"] or not complete:
        outcome = "disclaim"
    else:
        outcome = "accept"
    useful = 1 + round(4 * (finding.confidence if again is None else again))
    if not complete:
        problems = (*problems, "incomplete: read by itself, the answer does not answer the question")
    return Check(outcome, grounded, complete, useful, problems)  # type: ignore[arg-type]


def ground(draft: Draft, pool: Sequence[Hit], question: str = "") -> tuple[str, ...]:
    """What in a draft does not stand in the passages it cites, one line each; empty when all does."""
    chunks = {hit.chunk.id: hit.chunk for hit in pool}
    texts = {key: f"{chunk.text}\n{chunk.raw}" for key, chunk in chunks.items()}
    problems: list[str] = []
    cited: dict[int, str] = {}
    for citation in draft.citations:
        cited[citation.n] = citation.quote
        if citation.chunk_id in chunks:
            # What is checked is what is read of it: "10^6", not "10<sup>6</sup>".
            cited[citation.n] += f"\n{chunks[citation.chunk_id].read(citation.quote)}"
        if citation.chunk_id not in texts:
            problems.append(f"[{citation.n}]: cites a passage that was not retrieved")
        elif citation.quote not in texts[citation.chunk_id]:
            problems.append(f"[{citation.n}]: the quotation is not in {citation.source}")
    problems += veto(draft, cited, question)
    if draft.lead and draft.lead.lower() not in _VERDICTS:
        everything = term_set(
            question + " " + " ".join(f"{c.heading} {texts.get(c.chunk_id, '')}" for c in draft.citations)
        )
        if len(term_set(draft.lead) & everything) < 0.6 * len(term_set(draft.lead)):
            problems.append(f"lead: {draft.lead} is not in the cited text")
    return tuple(problems)
