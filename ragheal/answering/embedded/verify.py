"""What a draft of quoted sentences promises: grounded by code, as sure as the judge was."""

from __future__ import annotations

from collections.abc import Sequence

from ragheal.answering.embedded.judge import Finding
from ragheal.answering.embedded.reading import thresholds
from ragheal.answering.embedded.windows import term_set
from ragheal.answering.verification import veto
from ragheal.settings import AnswerSettings
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
    problems = ground(draft, pool, finding.whole.question.text)
    unsupported = len({problem.split(":")[0] for problem in problems})
    grounded = (
        "supported"
        if not problems
        else "unsupported"
        if unsupported >= len(draft.claims)
        else "partially supported"
    )
    complete = finding.sides.complete if finding.sides is not None else bool(draft.claims)
    bars = thresholds(finding.whole)
    accept = bars["strict" if strict else "sufficient"]
    configured = settings.strict_abstain_below if strict else settings.abstain_below
    floor = bars["strict_abstain" if strict else "abstain"] if configured is None else configured
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
        everything = term_set(" ".join(f"{c.heading} {texts.get(c.chunk_id, '')}" for c in draft.citations))
        if len(term_set(draft.lead) & everything) < 0.6 * len(term_set(draft.lead)):
            problems.append(f"lead: {draft.lead} is not in the cited text")
    return tuple(problems)
