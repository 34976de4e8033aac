"""What a window shows of being an answer: a vector of numbers that a fitted logistic model weighs.

The order of `NAMES` is the order of the columns; the weights of `judge.json` are kept under these names.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import msgspec

from ragheal.answering.embedded.windows import Window, mentions, term_set, wanted_values
from ragheal.retrieval.weights import Weights
from ragheal.text.questions import Question
from ragheal.text.script import simplified
from ragheal.text.values import ANSWERS
from ragheal.types import Reading

NAMES = (
    "bias",
    "cosine",
    "cover_window",
    "cover_sentence",
    "cover_heading",
    "names",
    "typed",
    "untyped",
    "typed_near",
    "rank",
    "dense",
    "lexical",
    "chinese",
    "cosine_cover",
    "cover_typed",
    "reader",
    "reader_near_miss",
    "reader_cover",
    "reader_span",
    "reader_cosine",
    "rare",
)


#: The embedder's cosines are compressed: unrelated texts lie about the first, the second parts near from far.
UNRELATED, CENTRE = 0.76, 0.84


class Sentence(msgspec.Struct, frozen=True):
    """A sentence of a window: how it fits the question by meaning, by words and by the value it holds."""

    start: int  # offsets in the chunk's text
    end: int
    cover: float
    value: tuple[int, int] | None  # offsets of the likeliest value in the chunk's text
    cosine: float
    score: float


#: What a sentence's similarity is worth against its covered weight (the window model's own proportion).
_COSINE_WORTH = 1.2


def best_sentence(
    question: Question, window: Window, weights: Weights, cosines: Mapping[tuple[str, int], float]
) -> Sentence:
    """The window's best sentence: similar in meaning, covering the question's words, holding a value.

    `cosines` has the similarity of each sentence, by chunk id and start.
    """
    heading = term_set(window.chunk.heading)
    best: Sentence | None = None
    for start, end in window.spans:
        text = window.chunk.text[start:end]
        held = term_set(text)
        cover = weights.coverage(question.terms, held)
        found = wanted_values(question, text)
        cosine = cosines.get((window.chunk.id, start), UNRELATED)
        score = cover + 0.3 * weights.coverage(question.terms, heading - held)
        score += _COSINE_WORTH * 10.0 * (cosine - CENTRE)
        score += 0.35 if found else (0.0 if question.kind in ANSWERS else 0.1)
        # Headings carry words and no answer.
        score -= 0.6 if text.startswith("#") or len(text) < 4 else 0.0
        if best is None or score > best.score + 1e-9:
            value = _nearest_value(question, text, start, [(span.start, span.end) for span in found])
            best = Sentence(start, end, cover, value, cosine, score)
    assert best is not None  # a window has at least one sentence
    return best


def _nearest_value(
    question: Question, text: str, offset: int, spans: Sequence[tuple[int, int]]
) -> tuple[int, int] | None:
    """The value closest to the question's terms in a sentence, in the chunk's offsets."""
    if not spans:
        return None
    places = _places(question, text)
    start, end = min(spans, key=lambda span: (min((abs(span[0] - place) for place in places), default=0), span[0]))
    return (offset + start, offset + end)


def _places(question: Question, text: str) -> list[int]:
    """Offsets at which a term of the question begins in the text (by its written stem)."""
    lowered = simplified(text).lower()
    return [place for term in question.terms if (place := lowered.find(term)) >= 0]


def vector(
    question: Question,
    window: Window,
    sentence: Sentence,
    weights: Weights,
    channels: tuple[float, float],
    reading: Reading | None,
) -> list[float]:
    """The features of one window, in the order of `NAMES`.

    `channels` are the dense and lexical scores of its chunk, the lexical one as a share of the best score
    possible for the question.
    """
    heading = term_set(window.chunk.heading)
    held = term_set(window.text) | heading
    cover = weights.coverage(question.terms, held)
    near_meaning = 10.0 * (sentence.cosine - CENTRE)
    typed = question.kind in ANSWERS
    has_value = sentence.value is not None
    near = 0.0
    if sentence.value is not None:
        places = _places(question, window.chunk.text[sentence.start : sentence.end])
        gap = min((abs(sentence.value[0] - sentence.start - place) for place in places), default=200)
        near = 1.0 / (1.0 + gap / 40.0)
    logit = 0.0
    if reading is not None:
        logit = math.log(max(reading.answers, 1e-4) / max(1.0 - reading.answers, 1e-4))
    return [
        1.0,
        near_meaning,
        cover,
        sentence.cover,
        weights.coverage(question.terms, heading),
        name_cover(question, window),
        1.0 if typed and has_value else 0.0,
        1.0 if not typed else 0.0,
        near,
        1.0 / (1.0 + window.rank),
        10.0 * (channels[0] - CENTRE),
        channels[1],
        1.0 if question.lang == "zh" else 0.0,
        near_meaning * cover,
        cover * has_value,
        logit,
        reading.near_miss if reading else 0.0,
        logit * cover,
        (reading.span_score - 6.0) / 3.0 if reading else 0.0,
        logit * near_meaning,
        rare_held(question, held, weights),
    ]


def rare_held(question: Question, held: frozenset[str], weights: Weights) -> float:
    """Share of the question's two weightiest terms that are held: they say what it is about."""
    top = sorted(question.terms, key=lambda term: -weights[term])[:2]
    return sum(term in held for term in top) / len(top) if top else 1.0


def name_cover(question: Question, window: Window) -> float:
    """Share of the question's names that stand in the window or its headings; 1 when it names none."""
    if not question.names:
        return 1.0
    held = f"{window.chunk.heading}\n{window.text}"
    return sum(mentions(held, name) for name in question.names) / len(question.names)
