"""Comparisons: each side is asked for by itself, code compares what was found."""

from __future__ import annotations

from collections.abc import Sequence

from ragheal.answering.embedded.about import NAMED, headed, tells_of
from ragheal.answering.embedded.reading import Candidate, EvidenceReader, Panel
from ragheal.text.overlap import speaks_of, term_set
from ragheal.text.questions import Question, analyze
from ragheal.types import Hit, Plan, Value

#: Hits that are read for a side.
_HITS, _WINDOWS = 6, 12
#: From which probability on a sentence counts as found: anywhere, and in the side's own document.
_FOUND, _FOUND_AT_HOME = 0.35, 0.15


class Side(Value, frozen=True):
    """One side of a comparison and the best that was found on it."""

    option: str
    panel: Panel
    found: Candidate | None

    @property
    def wanted(self) -> tuple[str, ...]:
        """The terms that are asked of this side."""
        return tuple(term for term in self.panel.question.terms if term not in term_set(self.option))


class Sides(Value, frozen=True):
    """Both sides. `lead` is the outcome in words ("Yes", a name, a difference) where values decide, else empty."""

    sides: tuple[Side, ...]
    lead: str

    @property
    def complete(self) -> bool:
        return all(side.found for side in self.sides)


def weigh(question: Question, plan: Plan, pool: Sequence[Hit], reader: EvidenceReader) -> Sides:
    """Read the pool for each side and compare."""
    sides = tuple(
        _side(option, analyze(query.text), pool, reader)
        for option, query in zip(question.options, plan.queries[1:3], strict=True)
    )
    # Late, as in conflict.py: only a comparison needs it.
    from ragheal.text.comparing import holds_for_all, outcome, told

    found = [(side.option, side.found) for side in sides if side.found]
    if len(found) < len(sides):
        return Sides(sides, "")
    lead = outcome(question, [(name, told(question, one.value_text, one.sentence_text)) for name, one in found])
    if not lead and holds_for_all(
        question, [(name, f"{one.context}\n{one.sentence_text}") for name, one in found]
    ):
        lead = "是" if question.lang == "zh" else "Yes"
    return Sides(sides, lead)


def _side(option: str, asked: Question, pool: Sequence[Hit], reader: EvidenceReader) -> Side:
    about = [hit for hit in pool if speaks_of(f"{hit.chunk.heading}\n{hit.chunk.text}", option, NAMED)]
    own = [hit for hit in about if headed(hit.chunk.heading, option)]
    # A document of its own tells more of a thing than one whose words are like its name.
    panel = reader.read(asked, (own or about)[:_HITS], most=_WINDOWS)
    bar = _FOUND_AT_HOME if own else _FOUND
    best = next((candidate for candidate in panel.candidates if tells_of(candidate, option)), None)
    if best is None and own:
        panel = reader.read(asked, about[:_HITS], most=_WINDOWS)
        best = next((candidate for candidate in panel.candidates if tells_of(candidate, option)), None)
        bar = _FOUND
    return Side(option, panel, best if best is not None and best.p >= bar else None)
