"""The failure signals of a run and the severity ladder that they climb.

    no hits; best relevance low; confidence low     after a verdict
    hedging; length outside the bounds              after a draft
    thumbed down before                             from the start (`Kit.raised`)

Mild: rewrite. Moderate, for low retrieval or low confidence: deepen the search and rerank. Critical, for
both: take the question apart. Each failed retry moves one step up.
"""

from __future__ import annotations

from collections.abc import Sequence

from ragheal.answering.roles import Severity
from ragheal.settings import LoopSettings
from ragheal.text.rules import hedged
from ragheal.text.script import has_han
from ragheal.types import Draft, Plan, Route, Verdict

LADDER: tuple[Severity, ...] = ("mild", "moderate", "critical")
#: A Chinese character says about as much as two or three Latin ones.
_HAN_WEIGHT = 2.5


def of_draft(draft: Draft, route: Route, settings: LoopSettings) -> tuple[str, ...]:
    """What is wrong with a drafted answer, in words: it hedges, or it is too short or too long for its route."""
    found: list[str] = []
    text = " ".join([draft.lead, *(claim.text for claim in draft.claims)]).strip()
    phrase = hedged(text)
    if phrase:
        found.append(f"the draft hedges: “{phrase}”")
    length = sum(_HAN_WEIGHT if has_han(char) else 1.0 for char in text)
    # A single fact is rightly short.
    if route != "standard" and length < settings.min_answer_chars:
        found.append(f"the draft is shorter than {settings.min_answer_chars} characters")
    if length > settings.max_answer_chars:
        found.append(f"the draft is longer than {settings.max_answer_chars} characters")
    return tuple(found)


def weak(verdict: Verdict, settings: LoopSettings) -> bool:
    """Whether a verdict is weak by its own figures, whatever it concludes."""
    best = max((grade.relevance for grade in verdict.grades), default=0) / 100.0
    return best < settings.min_relevance or verdict.confidence < settings.min_confidence


def severity(
    settings: LoopSettings, plan: Plan, verdicts: Sequence[Verdict], *, raised: int = 0, calibrated: bool = True
) -> Severity:
    """Where on the ladder the next retry stands.

    A calibrated judge's confidence is low whenever it asks for more, so that it counts only together with poor
    hits; and where it follows a chain through one pool, the next hop is no failure and starts at the bottom.
    """
    last = verdicts[-1]
    best = max((grade.relevance for grade in last.grades), default=0) / 100.0
    step = int(best < settings.min_relevance) + int(last.confidence < settings.min_confidence)
    if calibrated and plan.shape in {"chain", "comparison"}:
        step = 0
    elif calibrated and plan.shape == "single":
        step = max(0, step - 1)
    return LADDER[min(len(LADDER) - 1, step + len(verdicts) - 1 + raised)]
