"""Questions that need two passages: the sentence that leads on, then the window that answers after it.

Nobody says beforehand what the middle is. A sentence that holds much of the question and adds a name is a link;
the windows of the pool are read together with it, and the pair that reads best is the chain.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragheal.answering.embedded.reading import EvidenceReader, Panel
from ragheal.retrieval.weights import Weights
from ragheal.text.overlap import speaks_of, term_set
from ragheal.text.questions import Question
from ragheal.text.script import has_han
from ragheal.text.values import values
from ragheal.text.windows import windows
from ragheal.types import Chunk, Hit, Value

#: Links that are followed, and windows read after each.
BEAMS, AFTER = 2, 10
#: Sentences compared with the question by meaning.
_COMPARED = 10
#: A link must hold this share of the question's weight; one that only its document's title names counts for less.
_LEAST, _BY_TITLE = 0.2, 0.1


class Link(Value, frozen=True):
    """A sentence that leads on. `names` are what it adds, `rest` the terms of the question that it leaves open."""

    chunk: Chunk
    start: int
    end: int
    names: tuple[str, ...]
    rest: tuple[str, ...]
    score: float

    @property
    def text(self) -> str:
        return self.chunk.text[self.start : self.end]

    @property
    def led(self) -> str:
        """The sentence under its heading, as it stands before what is read after it."""
        return f"{self.chunk.heading}: {self.text}" if self.chunk.heading else self.text


class Chain(Value, frozen=True):
    """The best pair: a link and the panel that was read after it. `others` are further links, best first."""

    link: Link
    panel: Panel
    others: tuple[Link, ...] = ()


def find_chain(question: Question, whole: Panel, pool: Sequence[Hit], reader: EvidenceReader) -> Chain | None:
    """The pair of passages that reads best; None when no sentence of the pool leads on.

    Its panel is empty where the pool has nothing else to read: then the link says what to search for.
    """
    found = links(question, pool, reader)[: BEAMS + 1]
    best = Chain(found[0], Panel(question, (), found[0].led), tuple(found[1:])) if found else None
    for link in found[:BEAMS]:
        others = [hit for hit in pool if hit.chunk.id != link.chunk.id]
        # What speaks of a name that the link adds comes first; the order of the pool decides among equals.
        others.sort(key=lambda hit: not any(speaks_of(_whole(hit.chunk), name) for name in link.names))
        panel = reader.read(question, others, after=link.led, most=AFTER, of=link.names)
        if panel.best is None:
            continue
        if best is None or best.panel.best is None or panel.best.p > best.panel.best.p:
            best = Chain(link, panel, tuple(other for other in found if other is not link))
    return best


def links(question: Question, pool: Sequence[Hit], reader: EvidenceReader) -> list[Link]:
    """Sentences that hold part of the question and add a name, best first: by words, then by meaning."""
    weights = reader.weights(question)
    made: list[Link] = []
    for hit in pool:
        chunk = hit.chunk
        head = term_set(chunk.heading)
        for start, end in dict.fromkeys(_sentences(chunk)):
            link = _link(question, chunk, start, end, head, weights)
            if link is not None:
                made.append(link)
    made.sort(key=lambda link: -link.score)
    first = made[:_COMPARED]
    near = reader.similarity(question, [link.led for link in first])
    order = sorted(range(len(first)), key=lambda i: (-(first[i].score + near[i]), i))
    kept: list[Link] = []
    for i in order:
        # Two links that lead to the same thing are one beam.
        if not any(set(first[i].names) <= set(other.names) for other in kept):
            kept.append(first[i])
    return kept


def _link(
    question: Question, chunk: Chunk, start: int, end: int, head: frozenset[str], weights: Weights
) -> Link | None:
    text = chunk.text[start:end]
    held = (term_set(text) | head) & frozenset(question.terms)
    covered = weights.coverage(question.terms, held)
    rest = tuple(term for term in question.terms if term not in held)
    if covered < _LEAST or not rest:
        return None
    names = list(dict.fromkeys(_added(question, text)))[:4]
    if not names:
        # Where a pronoun stands for it, the document's own subject is what leads on.
        names = [name for name in chunk.headings[:1] if _new(question, name)]
        covered -= _BY_TITLE
    return Link(chunk, start, end, tuple(names), rest, round(covered, 6)) if names else None


def _added(question: Question, text: str) -> list[str]:
    spans = [span.text for span in values(text) if span.kind in {"name", "quoted", "identifier"}]
    return [
        name for name in (re.sub(r"\s+", " ", span).strip(" .,，。") for span in spans) if _new(question, name)
    ]


def _new(question: Question, name: str) -> bool:
    """Whether a name is one that the question has not, and one that a next question can be about."""
    own = term_set(name)
    if not own or own <= frozenset(question.terms) or re.search(r"[,，。;；:：!?！？|]", name):
        return False
    return (
        len(name) <= 14 if has_han(name) else len(name.split()) <= 6 and re.search(r"[A-Z0-9_]", name) is not None
    )


def _sentences(chunk: Chunk) -> list[tuple[int, int]]:
    return [span for group in windows(chunk.text, chunk.kind) for span in group]


def _whole(chunk: Chunk) -> str:
    return f"{chunk.heading}\n{chunk.text}"
