"""The judge without a model server: does the pool suffice, and if not, what exactly is missing?"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import msgspec

from ragheal.answering.embedded.compare import Sides, weigh
from ragheal.answering.embedded.conflict import find_conflict
from ragheal.answering.embedded.decompose import HOLE
from ragheal.answering.embedded.reading import Candidate, EvidenceReader, Panel, dot, fitted, sigmoid, thresholds
from ragheal.answering.embedded.windows import mentions, term_set
from ragheal.text.questions import Question, analyze
from ragheal.text.script import fold, has_han
from ragheal.text.values import ANSWERS, values
from ragheal.types import Grade, Hit, Missing, Plan, Verdict

POOL_NAMES = (
    "bias",
    "logit",
    "margin",
    "second",
    "cosine",
    "cover",
    "names",
    "typed",
    "untyped",
    "agreement",
    "chinese",
    "rare",
    "answers",
)
_BRIDGES = 3
_NEAR_BEST = 0.55


class Finding(msgspec.Struct, frozen=True):
    """Everything the judge saw: the panels it read and what followed. The generator starts from it."""

    whole: Panel
    confidence: float
    bridge: str = ""
    inner: Panel | None = None  # the first half of a chain
    outer: Panel | None = None  # the second, with the bridge filled in
    sides: Sides | None = None


def confidence(panel: Panel, kind: str = "pool") -> float:
    """The calibrated probability that the pool answers the question."""
    row = pool_vector(panel)
    if row is None:
        return 0.0
    return round(sigmoid(dot(fitted()[kind]["on" if panel.reader else "off"], POOL_NAMES, row)), 6)


def part_confidence(panel: Panel) -> float:
    """The same for a part of a question, whose best candidate may be strong by the reader's word alone."""
    return max(confidence(panel), panel.best.strength) if panel.best else 0.0


def pool_vector(panel: Panel) -> list[float] | None:
    """What a panel shows of sufficing, in the order of `POOL_NAMES`; None for an empty one."""
    best = panel.best
    if best is None:
        return None
    others = [c for c in panel.candidates[1:] if c.window.chunk.id != best.window.chunk.id]
    second = others[0].p if others else 0.0
    logit = _logit(best.p)
    typed = panel.question.kind in ANSWERS
    value = fold(best.value_text)
    agreeing = sum(1 for c in others[:6] if value and value in fold(c.sentence))
    return [
        1.0,
        logit,
        logit - _logit(second),
        second,
        10.0 * (max(c.cosine for c in panel.candidates) - 0.84),
        best.cover,
        best.names,
        1.0 if typed and best.value else 0.0,
        0.0 if typed else 1.0,
        min(1.0, agreeing / 2.0),
        1.0 if panel.question.lang == "zh" else 0.0,
        best.rare,
        best.answers,
    ]


def _logit(p: float) -> float:
    p = min(max(p, 1e-4), 1.0 - 1e-4)
    return math.log(p / (1.0 - p))


def find(question: Question, plan: Plan, pool: Sequence[Hit], reader: EvidenceReader) -> Finding:
    """Read the pool for the question and, where the plan has parts, for each part."""
    whole = reader.read(question, pool)
    sure = confidence(whole)
    if plan.shape == "comparison":
        sides = weigh(question, plan, pool, reader)
        sure = max(min(sides.confidence, 0.98), sure * (1.0 if sides.complete else 0.5))
        return Finding(whole, round(sure, 6), sides=sides)
    if plan.shape == "chain" and len(plan.queries) == 3:
        return _find_chain(question, plan, pool, reader, whole, sure)
    return Finding(whole, sure)


def _find_chain(
    question: Question, plan: Plan, pool: Sequence[Hit], reader: EvidenceReader, whole: Panel, sure: float
) -> Finding:
    inner = reader.read_part(analyze(plan.queries[1].text), pool)
    best: tuple[float, str, Panel] | None = None
    for bridge, found in bridges(question, inner).items():
        outer = reader.read_part(analyze(plan.queries[2].text.replace(HOLE, bridge)), pool)
        if outer.best is None or not _speaks_of(outer.best, bridge):
            continue
        # Both halves must hold: the name must be the right one, and it must have the answer.
        joined = math.sqrt(part_confidence(outer) * max(found, 0.01))
        if best is None or joined > best[0]:
            best = (joined, bridge, outer)
    # A window that does not even name what the chain starts from is about somebody else.
    linked = whole.best is not None and whole.best.names > 0.7
    sure = round(sure * (0.8 if linked else 0.4), 6)
    if best is None or best[0] < sure:
        return Finding(whole, sure, inner=inner)
    return Finding(whole, round(best[0], 6), bridge=best[1], inner=inner, outer=best[2])


def _speaks_of(candidate: Candidate, bridge: str) -> bool:
    return mentions(f"{candidate.window.chunk.heading}\n{candidate.window.text}", bridge)


def bridges(question: Question, panel: Panel) -> dict[str, float]:
    """Names that the best sentences add and the question does not have, likeliest first, with how likely."""
    asked = term_set(question.text)
    scores: dict[str, float] = {}
    for place, candidate in enumerate(panel.candidates[:4]):
        strength = candidate.strength / (1 + 0.2 * place)
        found = [(candidate.value_text, 1.0)] if candidate.value else []
        found += [(span.text, 0.6) for span in values(candidate.sentence) if span.kind in {"name", "quoted"}]
        # The document's own subject is what the sentence is about, even where a pronoun stands for it.
        found += [(heading, 0.5) for heading in candidate.window.chunk.headings[:1]]
        for name, weight in found:
            name = re.sub(r"\s+", " ", name).strip(" .,，。")
            own = term_set(name)
            if not own or own <= asked or not _is_bridge(name):
                continue
            scores[name] = max(scores.get(name, 0.0), strength * weight)
    ranked = sorted(scores, key=lambda name: (-scores[name], name))
    # A search for a name that is far less likely than the best would only bring noise.
    return {name: scores[name] for name in ranked[:_BRIDGES] if scores[name] >= _NEAR_BEST * scores[ranked[0]]}


def _is_bridge(name: str) -> bool:
    """Whether a string can be what a next question is about: a name, not a clause and not a number."""
    if re.search(r"[,，。;；:：!?！？|]|[a-z]\. ", name) or not re.search(r"[A-Z\u3400-\u9fff]", name):
        return False
    if has_han(name):
        return len(name) <= 14
    return len(name.split()) <= 6


def grades(finding: Finding, pool: Sequence[Hit]) -> tuple[Grade, ...]:
    """Each hit's relevance: how likely it answers a part, or else how much of the question it is about."""
    panels = [panel for panel in (finding.whole, finding.inner, finding.outer) if panel]
    if finding.sides:
        panels += [side.panel for side in finding.sides.sides]
    best: dict[str, Candidate] = {}
    for panel in panels:
        for chunk_id, candidate in panel.by_chunk().items():
            if chunk_id not in best or candidate.p > best[chunk_id].p:
                best[chunk_id] = candidate
    found = []
    for hit in pool:
        if hit.chunk.id not in best:
            found.append(Grade(hit.chunk.id, 0, gap="none of its passages was near enough to read"))
            continue
        candidate = best[hit.chunk.id]
        about = 0.75 * candidate.cover * (0.5 + 0.5 * candidate.names)
        relevance = round(100 * max(candidate.p, about))
        gap = "" if candidate.p >= 0.5 else _gap(finding.whole, candidate)
        found.append(Grade(hit.chunk.id, relevance, key=shorten(candidate.sentence), gap=gap))
    return tuple(found)


def _gap(panel: Panel, candidate: Candidate) -> str:
    absent = [name for name in panel.question.names if not _speaks_of(candidate, name)]
    if absent:
        return "does not speak of " + ", ".join(absent[:3])
    if panel.question.kind in ANSWERS and candidate.value is None:
        return f"holds no {panel.question.kind}"
    return "does not say it"


def verdict(question: Question, plan: Plan, pool: Sequence[Hit], finding: Finding, *, strict: bool) -> Verdict:
    """Turn what was found into a verdict."""
    # Two things that may stand apart are looked for apart, unless one place is sure to say it all.
    bar = "strict" if strict or (plan.shape == "chain" and not _joined(finding)) else "sufficient"
    enough = finding.confidence >= thresholds(finding.whole)[bar]
    if plan.shape == "comparison" and finding.sides and not finding.sides.complete:
        enough = False
    graded = grades(finding, pool)
    conflict = None if plan.shape == "comparison" else find_conflict(finding.outer or finding.whole)
    missing = () if enough else find_missing(question, plan, finding)
    return Verdict(
        sufficient=enough,
        confidence=finding.confidence,
        grades=graded,
        missing=missing,
        conflict=conflict,
        suggestion=missing[0].label if missing else "",
        bridge=finding.bridge,
    )


def _joined(finding: Finding) -> bool:
    """Whether the halves of a chain were found in two places."""
    if finding.outer is None or finding.inner is None or finding.outer.best is None or finding.inner.best is None:
        return False
    return finding.outer.best.window.chunk.id != finding.inner.best.window.chunk.id


def find_missing(question: Question, plan: Plan, finding: Finding) -> tuple[Missing, ...]:
    """What to look for next, most telling first."""
    found: list[Missing] = []
    if finding.sides:
        found += [
            Missing("part", f"{side.option} – {' '.join(question.written(side.wanted[1:4]))}", tuple(side.wanted))
            for side in finding.sides.sides
            if not side.found
        ]
    if finding.inner is not None:
        rest = plan.queries[2].text
        for bridge in bridges(question, finding.inner):
            if bridge != finding.bridge or not _joined(finding):
                found.append(Missing("relation", rest.replace(HOLE, bridge), (rest.replace(HOLE, bridge),)))
    panel = finding.whole
    strong = panel.candidates[:5]
    held: frozenset[str] = frozenset().union(
        *(term_set(c.window.text) | term_set(c.window.chunk.heading) for c in strong), frozenset()
    )
    found += [
        Missing("entity", name, (name,))
        for name in question.names
        if not any(_speaks_of(candidate, name) for candidate in strong)
    ]
    found += _relations(question, panel)
    if not found and question.kind in ANSWERS and not any(c.value for c in strong):
        found.append(Missing("value", f"{question.kind}: {_about(question, panel)}", tuple(_key_terms(panel))))
    if not found:
        absent = [term for term in question.terms if term not in held and panel.weights[term] > 0]
        label = ", ".join(question.written(absent[:4])) or _about(question, panel)
        found.append(Missing("part", label, tuple(absent[:6]) or tuple(_key_terms(panel))))
    return tuple(found[:_BRIDGES])


def _relations(question: Question, panel: Panel) -> list[Missing]:
    """Two names of the question that each occur, but never in one window; or a name to follow up."""
    best = panel.best
    if best is None:
        return []
    found: list[Missing] = []
    names = [name for name in question.names if len(name) > 1][:3]
    for i, one in enumerate(names):
        for other in names[i + 1 :]:
            windows = panel.candidates[:12]
            apart = any(_speaks_of(c, one) for c in windows) and any(_speaks_of(c, other) for c in windows)
            if apart and not any(_speaks_of(c, one) and _speaks_of(c, other) for c in windows):
                found.append(Missing("relation", f"{one} – {other}", (one, other)))
    held = term_set(best.window.text) | term_set(best.window.chunk.heading)
    rest = [term for term in question.terms if term not in held]
    if rest and best.cover < 0.85:
        for bridge in list(bridges(question, panel))[:2]:
            written = " ".join(question.written(rest[:4]))
            found.append(Missing("relation", f"{bridge} – {written}", (bridge, *rest[:5])))
    return found


def _key_terms(panel: Panel) -> list[str]:
    ranked = sorted(panel.question.terms, key=lambda term: -panel.weights[term])
    return ranked[:4]


def _about(question: Question, panel: Panel) -> str:
    return ", ".join(question.names[:2]) or " ".join(question.written(_key_terms(panel)[:3]))


def shorten(text: str, limit: int = 160) -> str:
    text = re.sub(r"\s+", " ", text).strip()
    return text if len(text) <= limit else text[: limit - 1] + "…"
