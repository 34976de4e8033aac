"""Reading hits for a question: windows -> candidates, best first. The only file that asks the reader."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from ragheal.answering.embedded.about import tells_of
from ragheal.retrieval.base import Doors
from ragheal.retrieval.rerank import worth
from ragheal.retrieval.weights import Weights
from ragheal.text.overlap import term_set
from ragheal.text.questions import Question
from ragheal.text.script import has_han
from ragheal.text.sense import objection, placeholder
from ragheal.text.windows import Span, joined, windows
from ragheal.types import Chunk, Hit, Reading, Value

_WORD = re.compile(r"[^\W\d_]{2}")
#: Windows that are read for one question over one pool: what a second of an answer allows.
MOST = 30
#: What is left of the reader's word where a rule that reading may miss speaks against the sentence.
_OBJECTED = 0.3
#: Windows that are read again without such a sentence, if the reader was this sure of it.
_APART, _SURE = 4, 0.4
#: Sentences of the best window that are read by themselves, and what holding the reader's span is worth then.
_SENTENCES, _OF_SPAN = 8, 0.3


class Candidate(Value, frozen=True):
    """A window that was read. Offsets count in the chunk's text.

    `p` is the probability that it answers; `nearness` what the search knows of its chunk beside that, in logits;
    `sentence` holds the reader's span, which is `value`; `objection` says in a word why the sentence is none for
    this question, if a rule found that.
    """

    chunk: Chunk
    spans: tuple[Span, ...]  # the sentences of the window
    context: str  # what was read before it
    reading: Reading
    p: float
    sentence: Span
    value: Span
    nearness: float = 0.0
    objection: str = ""
    alone: float = 0.0  # the probability that the sentence by itself answers; of the best candidate only

    @property
    def worth(self) -> float:
        """By what candidates are put in order, in logits."""
        return worth(self.p, self.nearness)

    @property
    def text(self) -> str:
        return self.chunk.text[self.spans[0][0] : self.spans[-1][1]]

    @property
    def sentence_text(self) -> str:
        return self.chunk.text[self.sentence[0] : self.sentence[1]]

    @property
    def value_text(self) -> str:
        return self.chunk.text[self.value[0] : self.value[1]]


class Panel(Value, frozen=True):
    """The candidates of a question over a pool, best first. `after`: the sentence they were read together with."""

    question: Question
    candidates: tuple[Candidate, ...]
    after: str = ""

    @property
    def best(self) -> Candidate | None:
        return self.candidates[0] if self.candidates else None

    def by_chunk(self) -> dict[str, Candidate]:
        """The best candidate of each chunk, best first."""
        found: dict[str, Candidate] = {}
        for candidate in self.candidates:
            found.setdefault(candidate.chunk.id, candidate)
        return found


class EvidenceReader:
    """Reads pools through the doors; remembers the weights of a question's terms."""

    def __init__(self, doors: Doors) -> None:
        self._doors = doors
        self._weights: dict[str, Weights] = {}

    def weights(self, question: Question) -> Weights:
        if question.text not in self._weights:
            self._weights[question.text] = Weights(self._doors.frequencies(question.terms))
        return self._weights[question.text]

    def read(
        self,
        question: Question,
        hits: Sequence[Hit],
        after: str = "",
        most: int = MOST,
        of: Sequence[str] = (),
    ) -> Panel:
        """Read the hits' windows; `after` is a sentence, with its heading, that each is read together with.

        `of` names what an answer must be about: a sentence that is about none of it is objected to.
        """
        words = [term for term in question.terms if not term.isdigit()]
        if not words or not (_WORD.search(question.text) or has_han(question.text)):
            return Panel(question, (), after)  # "???", "the": nothing is asked that a passage could answer
        found = self._read(question, self._windows(question, hits, most), after)
        # Beside a sentence that is none ("Until May it was Vale"), the next may be one ("Since then it is Lind").
        apart = [rest for candidate in found if (rest := _without(candidate)) is not None][:_APART]
        found += self._read(question, apart, after)
        # After a link the answer need not be near the question: that is what the link is for.
        near = {} if after else {hit.chunk.id: hit.nearness for hit in hits}
        found = [msgspec.structs.replace(one, nearness=near.get(one.chunk.id, 0.0)) for one in found]
        if of:
            found = [one if any(tells_of(one, name) for name in of) else _strange(one) for one in found]
        order = sorted(range(len(found)), key=lambda i: (-found[i].worth, i))
        best = [self._settled(question, found[i]) for i in order[:1]]
        return Panel(question, (*best, *(found[i] for i in order[1:])), after)

    def _settled(self, question: Question, candidate: Candidate) -> Candidate:
        """The candidate with the sentence of its window that reads best by itself; the span's own is preferred."""
        spans, text = candidate.spans[:_SENTENCES], candidate.chunk.text
        readings = self._doors.read(question.text, [(candidate.context, text[a:b]) for a, b in spans])
        worth = [
            reading.answers + (_OF_SPAN if a < candidate.value[1] and candidate.value[0] < b else 0.0)
            for (a, b), reading in zip(spans, readings, strict=True)
        ]
        chosen = max(range(len(spans)), key=lambda i: (worth[i], -i))
        (start, end), reading = spans[chosen], readings[chosen]
        if candidate.sentence[0] <= start and end <= candidate.sentence[1]:
            alone = reading.answers * (_OBJECTED if candidate.objection else 1.0)
            return msgspec.structs.replace(candidate, alone=round(alone, 6))
        against = objection(question, text[start:end], candidate.chunk.heading) or ""
        if against:
            own = next(
                (r for (a, _), r in zip(spans, readings, strict=True) if a == candidate.sentence[0]), reading
            )
            return msgspec.structs.replace(candidate, alone=own.answers if not candidate.objection else 0.0)
        value = (start + reading.start, start + reading.end) if reading.start >= 0 else (start, start)
        return msgspec.structs.replace(
            candidate,
            sentence=(start, end),
            value=value,
            objection="",
            p=candidate.reading.answers,
            alone=reading.answers,
        )

    def _read(
        self, question: Question, chosen: Sequence[tuple[Chunk, tuple[Span, ...]]], after: str
    ) -> list[Candidate]:
        passages = [
            (joined("", after, chunk.heading), chunk.text[spans[0][0] : spans[-1][1]]) for chunk, spans in chosen
        ]
        readings = self._doors.read(question.text, passages) if passages else ()
        return [
            _candidate(question, chunk, spans, context, reading)
            for (chunk, spans), (context, _), reading in zip(chosen, passages, readings, strict=True)
        ]

    def reread(self, question: Question, context: str, text: str) -> float:
        """The probability that a text by itself answers, under its context."""
        return self._doors.read(question.text, [(context, text)])[0].answers if text.strip() else 0.0

    def similarity(self, question: Question, texts: Sequence[str]) -> tuple[float, ...]:
        """Cosine of the question to each text."""
        return self._doors.similarity(question.text, texts) if texts else ()

    def _windows(self, question: Question, hits: Sequence[Hit], most: int) -> list[tuple[Chunk, tuple[Span, ...]]]:
        """Windows of the hits in their order; too many: of each the one that covers most of the question first."""
        cut = [(hit.chunk, windows(hit.chunk.text, hit.chunk.kind)) for hit in hits]
        if sum(len(found) for _, found in cut) <= most:
            return [(chunk, spans) for chunk, found in cut for spans in found]
        weights = self.weights(question)
        ranked = [
            (chunk, sorted(found, key=lambda spans: -weights.coverage(question.terms, _terms(chunk, spans))))
            for chunk, found in cut
        ]
        rounds = max((len(found) for _, found in ranked), default=0)
        every = [(chunk, found[turn]) for turn in range(rounds) for chunk, found in ranked if turn < len(found)]
        return every[:most]


def _terms(chunk: Chunk, spans: tuple[Span, ...]) -> frozenset[str]:
    return term_set(chunk.text[spans[0][0] : spans[-1][1]])


def _candidate(
    question: Question, chunk: Chunk, spans: tuple[Span, ...], context: str, reading: Reading
) -> Candidate:
    begin = spans[0][0]
    value = (begin + reading.start, begin + reading.end) if reading.start >= 0 else (begin, begin)
    # A span that crosses a border takes the sentences it crosses.
    held = [span for span in spans if span[0] < value[1] and value[0] < span[1]] or [spans[0]]
    sentence = (held[0][0], held[-1][1])
    text = chunk.text[sentence[0] : sentence[1]]
    against = objection(question, text, chunk.heading) or ("placeholder" if placeholder(text) else "")
    p = round(reading.answers * (_OBJECTED if against else 1.0), 6)
    return Candidate(chunk, spans, context, reading, p, sentence, value, objection=against)


def _strange(candidate: Candidate) -> Candidate:
    """A candidate that is about something else than what is asked about."""
    p = candidate.p if candidate.objection else round(candidate.p * _OBJECTED, 6)
    return msgspec.structs.replace(candidate, p=p, objection=candidate.objection or "about something else")


def _without(candidate: Candidate) -> tuple[Chunk, tuple[Span, ...]] | None:
    """The window without the sentence that a rule objects to: what follows it, else what stands before it."""
    if not candidate.objection or candidate.reading.answers < _SURE:
        return None
    later = tuple(span for span in candidate.spans if span[0] >= candidate.sentence[1])
    earlier = tuple(span for span in candidate.spans if span[1] <= candidate.sentence[0])
    return (candidate.chunk, later or earlier) if later or earlier else None
