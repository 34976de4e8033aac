"""Comparisons: fetch both sides, compare their values, say which wins."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from ragheal.answering.embedded.reading import Candidate, EvidenceReader, Panel
from ragheal.answering.embedded.windows import mentions, term_set
from ragheal.text.numerals import number_value
from ragheal.text.questions import Question, analyze
from ragheal.text.script import fold, simplified
from ragheal.text.values import Span, values
from ragheal.types import Hit, Plan

_OF_DEATH = re.compile(r"\b(?:died|death|lived longer)\b|去世|逝世|死", re.IGNORECASE)
_DATE_KINDS = frozenset({"date", "year"})
_SIZE_KINDS = frozenset({"number", "quantity", "money", "percent", "duration"})


class Side(msgspec.Struct, frozen=True):
    """One side of a comparison and the best that was found on it."""

    option: str
    panel: Panel
    found: Candidate | None
    value: Span | None  # the value to compare by

    @property
    def wanted(self) -> tuple[str, ...]:
        return (self.option, *(term for term in self.panel.question.terms if term not in term_set(self.option)))


class Sides(msgspec.Struct, frozen=True):
    """Both sides. `lead` is the outcome in words ("Yes", a name) where values decide, else empty."""

    sides: tuple[Side, ...]
    lead: str
    confidence: float

    @property
    def complete(self) -> bool:
        return all(side.found for side in self.sides)


def weigh(question: Question, plan: Plan, pool: Sequence[Hit], reader: EvidenceReader) -> Sides:
    """Read the pool for each side and compare."""
    sides = tuple(
        _side(question, option, query.text, pool, reader)
        for option, query in zip(question.options, plan.queries[1:3], strict=True)
    )
    lead = _lead(question, sides)
    found = [max(side.found.p, 0.8 * side.found.answers) if side.found else 0.0 for side in sides]
    sure = min(found) ** 0.5 if all(found) else 0.3 * max(found)
    if lead and all(found):
        sure = max(sure, 0.75)
    return Sides(sides, lead, round(sure, 6))


def _side(question: Question, option: str, asked: str, pool: Sequence[Hit], reader: EvidenceReader) -> Side:
    about = [hit for hit in pool if speaks_of(hit.chunk.text, option) or speaks_of(hit.chunk.heading, option)]
    own = analyze(asked)
    panel = reader.read_part(own, about)
    kinds = _kinds(question)
    best: tuple[float, Candidate, Span | None] | None = None
    for candidate in panel.candidates:
        subject = speaks_of(candidate.window.text, option) or speaks_of(candidate.window.chunk.heading, option)
        if not subject:
            continue
        value = _value(candidate, kinds, option, question)
        title = 0.5 if any(_same(option, heading) for heading in candidate.window.chunk.headings) else 0.0
        rest = [term for term in own.terms if term not in term_set(option)]
        near = _about(candidate, value, rest) / max(1, len(rest)) if value else 0.0
        score = candidate.p + title + (0.3 + 0.5 * near if value else 0.0)
        if best is None or score > best[0] + 1e-9:
            best = (score, candidate, value)
    if best is None or (kinds and best[2] is None):
        return Side(option, panel, None if best is None or kinds else best[1], None)
    return Side(option, panel, _quoting(best[1], best[2]), best[2])


def _quoting(candidate: Candidate, value: Span | None) -> Candidate:
    """The candidate with the sentence that states the value as its answer."""
    if value is None:
        return candidate
    start, end = candidate.window.start + value.start, candidate.window.start + value.end
    for left, right in candidate.window.spans:
        if left <= start < right:
            return msgspec.structs.replace(candidate, start=left, end=max(right, end), value=(start, end))
    return candidate


def speaks_of(text: str, name: str) -> bool:
    return mentions(text, name, 0.75)


def _same(option: str, heading: str) -> bool:
    a, b = term_set(option), term_set(heading)
    return bool(a) and len(a & b) / len(a | b) >= 0.6


def _kinds(question: Question) -> frozenset[str]:
    if question.compare in {"earlier", "later"}:
        return _DATE_KINDS
    if question.compare in {"larger", "smaller"}:
        return _SIZE_KINDS
    return frozenset()


def _value(candidate: Candidate, kinds: frozenset[str], option: str, question: Question) -> Span | None:
    if not kinds:
        return None
    text = candidate.window.text
    named = simplified(option).lower()
    found = [
        span
        for span in values(text)
        if span.kind in kinds and span.norm not in question.numbers and span.text.lower() not in named
    ]
    if not found:
        return None
    # Of people's dates the first is birth, the second death.
    if _OF_DEATH.search(question.text) and len(found) > 1:
        return found[1]
    # The value of a sentence that speaks of what is compared, not just any number of the window.
    asked = [term for term in question.terms if not any(term in term_set(name) for name in question.options)]
    return max(found, key=lambda span: (_about(candidate, span, asked), -span.start))


def _about(candidate: Candidate, span: Span, asked: Sequence[str]) -> int:
    """How many of the asked terms the value's sentence holds."""
    place = candidate.window.start + span.start
    for left, right in candidate.window.spans:
        if left <= place < right:
            return len(term_set(candidate.window.chunk.text[left:right]) & frozenset(asked))
    return 0


def _lead(question: Question, sides: Sequence[Side]) -> str:
    if not all(side.found for side in sides):
        return ""
    if question.compare == "same" or question.yes_no:
        same = _agree(question, sides)
        if question.lang == "zh":
            return "是" if same else "不是"
        return "Yes" if same else "No"
    sizes = [_size(side.value) for side in sides]
    if any(size is None for size in sizes) or sizes[0] == sizes[1]:
        return ""
    first_smaller = sizes[0] < sizes[1]  # type: ignore[operator]
    wins_low = question.compare in {"earlier", "smaller"}
    return sides[0 if first_smaller == wins_low else 1].option


def _size(value: Span | None) -> float | None:
    if value is None:
        return None
    if value.kind in _DATE_KINDS:
        numbers = [float(part) for part in re.findall(r"\d+", value.norm)]
        year, month, day = ([*numbers, 0.0, 0.0])[:3] if numbers else (0.0, 0.0, 0.0)
        return year + month / 100 + day / 10_000 if numbers else None
    return number_value(fold(value.text))


def _agree(question: Question, sides: Sequence[Side]) -> bool:
    """Whether both sides hold the predicate, or share a value that the question does not name."""
    asked = term_set(question.text)
    options = frozenset().union(*(term_set(option) for option in question.options))
    predicate = [
        term
        for term in question.terms
        if term not in options and term not in {"same", "both", "相同", "同一", "一样"}
    ]
    held = []
    for side in sides:
        assert side.found is not None
        held.append(term_set(side.found.window.text) | term_set(side.found.window.chunk.heading))
    if re.search(r"\bsame\b|\bshare\b|common|相同|同一|一样|同", question.text.lower()):
        names = [
            {fold(span.text) for span in values(side.found.window.text) if span.kind in {"name", "quoted", "year"}}
            for side in sides
            if side.found
        ]
        shared = {name for name in names[0] & names[1] if not term_set(name) <= asked}
        return bool(shared) or bool(_adjectives(sides[0]) & _adjectives(sides[1]))
    covered = [sum(term in own for term in predicate) for own in held]
    return bool(predicate) and all(count >= 0.5 * len(predicate) for count in covered)


def _adjectives(side: Side) -> set[str]:
    """Nationalities and the like: capitalised words that end as adjectives do."""
    text = side.found.window.text if side.found else ""
    return set(re.findall(r"\b[A-Z][a-z]+(?:an|ese|ish|ian|ch)\b", text))
