"""Does the pool suffice, and if not, what is missing? From what the reader made of it, calibrated."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from ragheal.answering.embedded.chain import Chain, find_chain
from ragheal.answering.embedded.compare import Sides, weigh
from ragheal.answering.embedded.conflict import find_conflict
from ragheal.answering.embedded.lacking import find_missing
from ragheal.answering.embedded.reading import Candidate, EvidenceReader, Panel
from ragheal.errors import ModelError
from ragheal.text.script import fold
from ragheal.types import Conflict, Grade, Hit, Lang, Plan, Value, Verdict

#: What a panel shows of sufficing. Their weights are fitted with retrieval in the loop (`tools/train_models`).
FEATURES = ("bias", "best", "second", "near_miss", "agreement", "span", "alone")
#: The reader's word is not believed beyond this, either way.
_LEAST = 0.01
#: Stands for the best of another chunk where there is none: a pool of one hit speaks neither for nor against it.
_NO_OTHER = 0.2
#: A hit of this relevance counts as an answer: the loop's own border of "relevant".
RELEVANT = 50


class Finding(Value, frozen=True):
    """Everything the judge saw. `panel` is what the answer is drawn from: of the whole, or of a chain's end."""

    panel: Panel
    confidence: float
    chain: Chain | None = None
    sides: Sides | None = None

    @property
    def presence(self) -> float:
        """The probability that any passage speaks to the question at all: below a threshold it is refused.

        Whether the chosen sentence is right is another matter; for this, what else is known only blurs the reader.
        """
        found = [self.panel.best, self.chain.panel.best if self.chain else None]
        found += [side.found for side in self.sides.sides] if self.sides else []
        return max((one.p for one in found if one is not None), default=0.0)


@lru_cache(maxsize=1)
def fitted() -> dict[str, Any]:
    """The weights and thresholds of `judge.json`, for each language."""
    path = Path(__file__).with_name("judge.json")
    try:
        loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"{path.name} of the judge cannot be read: {error}", hint="reinstall ragheal") from None
    return loaded


def thresholds(lang: Lang) -> dict[str, float]:
    """From which confidence on an answer is promised, from which presence on it is shown at all.

    The keys are `sufficient`, `strict`; `abstain`, `strict_abstain`.
    """
    found: dict[str, float] = fitted()[lang]["thresholds"]
    return found


def features(panel: Panel) -> list[float] | None:
    """What a panel shows of sufficing, in the order of `FEATURES`; None for an empty one."""
    best = panel.best
    if best is None:
        return None
    others = [found for chunk_id, found in panel.by_chunk().items() if chunk_id != best.chunk.id]
    second = others[0].p if others else _NO_OTHER
    agreeing = sum(1 for other in others[:6] if other.p >= 0.3 and _alike(best.value_text, other.value_text))
    return [
        1.0,
        logit(best.p),
        logit(second),
        logit(best.reading.near_miss),
        min(1.0, agreeing / 2.0),
        best.reading.span_score / 10.0,
        logit(best.alone),
    ]


def confidence(panel: Panel, kind: str = "single") -> float:
    """The calibrated probability that the panel's pool answers its question."""
    row = features(panel)
    if row is None:
        return 0.0
    weights = fitted()[panel.question.lang][kind]
    z = sum(weights[name] * value for name, value in zip(FEATURES, row, strict=True))
    return round(1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, z)))), 6)


def _alike(one: str, other: str) -> bool:
    """Whether two spans state the same: equal values, or one within the other."""
    # Late: its patterns take a fifth of a second to compile, and most questions have no second to compare.
    from ragheal.text.quantities import same_value

    same = same_value(one, other)
    if same is not None:
        return same
    a, b = fold(one), fold(other)
    return bool(a and b) and (a in b or b in a)


def logit(p: float) -> float:
    p = min(max(p, _LEAST), 1.0 - _LEAST)
    return math.log(p / (1.0 - p))


def find(panel_of: Panel, plan: Plan, pool: Sequence[Hit], reader: EvidenceReader) -> Finding:
    """What the pool says: to the whole question, to each side of a comparison, or in two steps."""
    question = panel_of.question
    sure = confidence(panel_of)
    if plan.shape == "comparison":
        sides = weigh(question, plan, pool, reader)
        if not sides.complete:
            return Finding(panel_of, round(0.5 * sure, 6), sides=sides)
        # Both must be right: a weak half pulls the whole down.
        joined = math.prod(confidence(side.panel) for side in sides.sides) ** 0.5
        return Finding(panel_of, round(max(sure, joined), 6), sides=sides)
    if plan.shape != "chain" or sure >= thresholds(question.lang)["strict"]:
        return Finding(panel_of, sure)
    chain = find_chain(question, panel_of, pool, reader)
    if chain is None:
        return Finding(panel_of, sure)
    joined = confidence(chain.panel, "chain")
    return Finding(chain.panel, joined, chain) if joined > sure else Finding(panel_of, sure, chain)


def grades(finding: Finding, whole: Panel, pool: Sequence[Hit]) -> tuple[Grade, ...]:
    """Each hit's relevance: how likely it answers, by itself or as an end of what was joined."""
    panels = [whole, finding.panel]
    if finding.sides is not None:
        panels += [side.panel for side in finding.sides.sides]
    best: dict[str, Candidate] = {}
    for panel in panels:
        for chunk_id, candidate in panel.by_chunk().items():
            if chunk_id not in best or candidate.p > best[chunk_id].p:
                best[chunk_id] = candidate
    chosen = finding.panel.best.chunk.id if finding.panel.best else ""
    sure = thresholds(whole.question.lang)["sufficient"]
    leading = finding.chain.link.chunk.id if finding.chain and finding.panel.after else ""
    found = []
    for hit in pool:
        if hit.chunk.id not in best:
            found.append(Grade(hit.chunk.id, 0, gap="not read: others cover more of the question"))
            continue
        candidate = best[hit.chunk.id]
        relevance = round(100 * candidate.p)
        if hit.chunk.id == chosen and finding.confidence >= sure:
            relevance = max(relevance, RELEVANT)  # the judge knows more of it than the reader alone
        if hit.chunk.id == leading:
            relevance = max(relevance, RELEVANT, round(100 * finding.confidence))
        found.append(Grade(hit.chunk.id, relevance, shorten(candidate.sentence_text), _gap(candidate)))
    return tuple(found)


def _gap(candidate: Candidate) -> str:
    if candidate.objection:
        return candidate.objection
    if candidate.p >= RELEVANT / 100:
        return ""
    return "looks like an answer and is none" if candidate.reading.near_miss >= 0.5 else "does not say it"


def verdict(
    plan: Plan, pool: Sequence[Hit], whole: Panel, finding: Finding, reader: EvidenceReader, *, strict: bool
) -> Verdict:
    """Turn what was found into a verdict. Without a hit that is graded relevant nothing suffices."""
    question = whole.question
    graded = grades(finding, whole, pool)
    enough = finding.confidence >= thresholds(question.lang)["strict" if strict else "sufficient"]
    enough = enough and any(grade.relevance >= RELEVANT for grade in graded)
    if finding.sides is not None:
        enough = enough and finding.sides.complete
    conflict: Conflict | None = None if finding.sides is not None else find_conflict(finding.panel)
    missing = (
        ()
        if enough
        else find_missing(question, finding.panel, finding.chain, finding.sides, reader.weights(question))
    )
    return Verdict(
        sufficient=enough,
        confidence=finding.confidence,
        grades=graded,
        missing=missing,
        conflict=conflict,
        suggestion=missing[0].label if missing else "",
        bridge=", ".join(finding.chain.link.names[:1]) if finding.chain and finding.panel.after else "",
    )


def shorten(text: str, limit: int = 160) -> str:
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1] + "…"
