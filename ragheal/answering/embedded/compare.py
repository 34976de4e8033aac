"""Comparisons: each side is asked for by itself, code compares what was found."""

from __future__ import annotations

from collections.abc import Sequence

from ragheal.answering.embedded.reading import Candidate, EvidenceReader, Panel
from ragheal.text.overlap import speaks_of, term_set
from ragheal.text.questions import Question, analyze
from ragheal.text.values import values
from ragheal.types import Hit, Plan, Value

#: Hits that are read for a side.
_HITS, _WINDOWS = 6, 12
_FOUND = 0.35
_NAMED = 0.75


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
    from ragheal.text.comparing import outcome

    told = [(side.option, side.found.value_text) for side in sides if side.found]
    lead = outcome(question, told) if len(told) == len(sides) else ""
    return Sides(sides, lead)


def _side(option: str, asked: Question, pool: Sequence[Hit], reader: EvidenceReader) -> Side:
    about = [hit for hit in pool if speaks_of(f"{hit.chunk.heading}\n{hit.chunk.text}", option, _NAMED)]
    panel = reader.read(asked, about[:_HITS], most=_WINDOWS)
    best = next((candidate for candidate in panel.candidates if _tells_of(candidate, option)), None)
    return Side(option, panel, best if best is not None and best.p >= _FOUND else None)


def _tells_of(candidate: Candidate, option: str) -> bool:
    """Whether a sentence is about this side: it says so, or stands under its name and speaks of nobody else."""
    if speaks_of(candidate.sentence_text, option, _NAMED):
        return True
    named = [span.text for span in values(candidate.sentence_text) if span.kind == "name"]
    strangers = [name for name in named if not term_set(name) <= term_set(f"{option} {candidate.value_text}")]
    return not strangers and speaks_of(f"{candidate.context}\n{candidate.text}", option, _NAMED)
