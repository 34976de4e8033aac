"""Reading a pool for one question: windows -> candidates, best first."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from ragheal.answering.embedded import features
from ragheal.answering.embedded.windows import Window, cut, preselect, term_set
from ragheal.errors import ModelError
from ragheal.retrieval.base import Doors
from ragheal.retrieval.weights import Weights
from ragheal.text.questions import Question
from ragheal.types import Hit, Reading, Value


class Candidate(Value, frozen=True):
    """A window that may answer. Offsets count in the chunk's text.

    `p` is the probability that the window answers the question; `start`, `end` its answering sentence;
    `value` the value in it, if one was found; `cover` the weight of the question's terms that it holds.
    """

    window: Window
    p: float
    start: int
    end: int
    value: tuple[int, int] | None
    cover: float
    names: float
    cosine: float
    rare: float = 1.0  # share of the question's two weightiest terms that it holds
    answers: float = 0.0  # the trained reader's own probability; 0 without one
    level: float = 0.0  # `p` were its hit the first of the pool: what it says for itself

    @property
    def strength(self) -> float:
        """The worth of a candidate for a part of a question, which has no place among the hits to speak for it.

        There the trained reader's own word counts as well, if the passage names what the part is about.
        """
        return max(self.p, _READER_ALONE * self.answers if self.names > 0.99 else 0.0)

    @property
    def sentence(self) -> str:
        return self.window.chunk.text[self.start : self.end]

    @property
    def value_text(self) -> str:
        return self.window.chunk.text[self.value[0] : self.value[1]] if self.value else ""

    @property
    def source(self) -> str:
        return self.window.chunk.source


class Panel:
    """The candidates of one question over one pool, best first, and the weights they were judged by."""

    def __init__(
        self, question: Question, weights: Weights, candidates: Sequence[Candidate], reader: bool
    ) -> None:
        self.question = question
        self.weights = weights
        self.candidates = tuple(candidates)
        self.reader = reader

    @property
    def best(self) -> Candidate | None:
        return self.candidates[0] if self.candidates else None

    def by_chunk(self) -> dict[str, Candidate]:
        """The best candidate of each chunk."""
        found: dict[str, Candidate] = {}
        for candidate in self.candidates:
            found.setdefault(candidate.window.chunk.id, candidate)
        return found


@lru_cache(maxsize=1)
def fitted() -> dict[str, Any]:
    """The fitted weights and thresholds of `judge.json` (made by `tools/fit_judge`)."""
    path = Path(__file__).with_name("judge.json")
    try:
        loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"{path.name} of the judge cannot be read: {error}", hint="reinstall ragheal") from None
    return loaded


def thresholds(panel: Panel) -> Mapping[str, float]:
    """The thresholds for the confidence of this panel: by language, and by whether the trained reader read it."""
    found: Mapping[str, float] = fitted()["thresholds"]["on" if panel.reader else "off"][panel.question.lang]
    return found


#: Languages in which the trained reader beats the features alone: it learnt little English from people.
READER_LANGUAGES = frozenset({"zh"})


def uses_reader(mode: str, question: Question, *, part: bool = False) -> bool:
    """Whether a question is read by the trained reader, by the setting `embedded.reader`.

    Parts of questions ("who is the lead of X?") are the short, plain kind that it learnt in either language.
    """
    return mode == "on" or (mode == "auto" and (part or question.lang in READER_LANGUAGES))


class EvidenceReader:
    """Reads pools through the doors and remembers what it read: a window is read once for a question."""

    def __init__(self, doors: Doors, windows: int, *, reader: str) -> None:
        self._doors = doors
        self._count = windows
        self._mode = reader
        self._cosines: dict[str, dict[tuple[str, int], float]] = {}
        self._readings: dict[str, dict[tuple[str, int], Reading]] = {}
        self._weights: dict[str, Weights] = {}

    def weights(self, question: Question) -> Weights:
        if question.text not in self._weights:
            self._weights[question.text] = Weights(self._doors.frequencies(question.terms))
        return self._weights[question.text]

    def reread(self, question: Question, passages: Sequence[tuple[str, str]]) -> float | None:
        """The trained reader's highest probability over some (heading, text); None without a reader."""
        readings = (
            self._doors.read(question.text, passages) if passages and uses_reader(self._mode, question) else None
        )
        return max(reading.answers for reading in readings) if readings else None

    def read(self, question: Question, hits: Sequence[Hit], count: int = 0, *, ranked: bool = True) -> Panel:
        """Read a pool, best hits first; `count` windows at most, 0 for as many as configured."""
        rows = self.rows(question, hits, count, ranked=ranked)
        candidates = sorted((_candidate(row) for row in rows), key=lambda c: (-c.p, c.window.rank, c.start))
        return Panel(question, self.weights(question), candidates, any(row.reading is not None for row in rows))

    def read_part(self, question: Question, hits: Sequence[Hit]) -> Panel:
        """Read a pool for a part of the question.

        The pool is in the order of the whole question, which says nothing about a part: the hits that cover
        most of its terms are read, and none is preferred for its place.
        """
        weights = self.weights(question)
        covered = [weights.coverage(question.terms, _chunk_terms(hit)) for hit in hits]
        order = sorted(range(len(hits)), key=lambda i: (-round(covered[i], 3), i))
        panel = self.read(question, [hits[i] for i in order[:_PART_HITS]], _PART_WINDOWS, ranked=False)
        strongest = sorted(panel.candidates, key=lambda c: -c.strength)
        return Panel(question, weights, strongest, panel.reader)

    def rows(self, question: Question, hits: Sequence[Hit], count: int = 0, *, ranked: bool = True) -> list[Row]:
        """The windows that are read, with their features, in the order of the pool."""
        weights = self.weights(question)
        windows = cut(hits)
        if not ranked:
            windows = [msgspec.structs.replace(window, rank=_NO_PLACE) for window in windows]
        cosines = self._compare(question, windows)
        sentences = {window.key: features.best_sentence(question, window, weights, cosines) for window in windows}
        scores = [sentences[window.key].score + 0.5 / (1.0 + window.rank) for window in windows]
        chosen = preselect(windows, scores, count or self._count)
        readings = self._read(question, chosen, part=not ranked)
        channels = {hit.chunk.id: _channels(hit, weights, question) for hit in hits}
        return [
            _row(question, window, sentences[window.key], weights, channels[window.chunk.id], reading)
            for window, reading in zip(chosen, readings, strict=True)
        ]

    def _compare(self, question: Question, windows: Sequence[Window]) -> Mapping[tuple[str, int], float]:
        """The similarity of each sentence to the question, by chunk id and start; bounded in one call."""
        known = self._cosines.setdefault(question.text, {})
        new: dict[tuple[str, int], str] = {}
        for window in windows:
            for start, end in window.spans:
                key = (window.chunk.id, start)
                if key not in known and key not in new and len(new) < _SENTENCES:
                    new[key] = _with_heading(window, start, end)
        if new:
            known.update(zip(new, self._doors.similarity(question.text, list(new.values())), strict=True))
        return known

    def _read(self, question: Question, windows: Sequence[Window], *, part: bool) -> list[Reading | None]:
        """The trained reader's view of each window, None without a reader; asked once for each."""
        if not uses_reader(self._mode, question, part=part):
            return [None] * len(windows)
        known = self._readings.setdefault(question.text, {})
        new = [window for window in windows if window.key not in known]
        if new:
            passages = [(window.chunk.heading, window.text) for window in new]
            readings = self._doors.read(question.text, passages)
            if readings is None:
                return [None] * len(windows)
            known.update(zip((window.key for window in new), readings, strict=True))
        return [known[window.key] for window in windows]


#: A part of a question is read in fewer places than the question itself.
_PART_HITS, _PART_WINDOWS = 8, 10
_READER_ALONE = 0.9
_NO_PLACE = 1  # stands for the place of a hit that has none
#: Sentences compared in one go; more would not be done within the second that an answer may take.
_SENTENCES = 96
#: Below this the reader's span is a guess, and the sentence is chosen by meaning and words instead.
_SPAN_TRUSTED = 0.6


def _row(
    question: Question,
    window: Window,
    sentence: features.Sentence,
    weights: Weights,
    channels: tuple[float, float],
    reading: Reading | None,
) -> Row:
    if reading is not None and reading.start >= 0 and reading.answers >= _SPAN_TRUSTED:
        sentence = _around(window, reading, sentence)
    return Row(window, sentence, features.vector(question, window, sentence, weights, channels, reading), reading)


def _chunk_terms(hit: Hit) -> frozenset[str]:
    return term_set(hit.chunk.text) | term_set(hit.chunk.heading)


class Row(msgspec.Struct, frozen=True):
    """A window that was read: its best sentence and its features in the order of `features.NAMES`."""

    window: Window
    sentence: features.Sentence
    values: list[float]
    reading: Reading | None


def _candidate(row: Row) -> Candidate:
    model = fitted()["window"]["off" if row.reading is None else "on"]
    logit = dot(model, features.NAMES, row.values)
    return Candidate(
        window=row.window,
        p=round(sigmoid(logit), 6),
        start=row.sentence.start,
        end=row.sentence.end,
        value=row.sentence.value,
        cover=round(row.values[_COVER], 6),
        names=round(row.values[_NAMES], 6),
        cosine=row.sentence.cosine,
        rare=row.values[_RARE],
        answers=row.reading.answers if row.reading else 0.0,
        level=round(sigmoid(logit + model["rank"] * (1.0 - row.values[_RANK])), 6),
    )


_RARE, _RANK = features.NAMES.index("rare"), features.NAMES.index("rank")
_COVER, _NAMES = features.NAMES.index("cover_window"), features.NAMES.index("names")


def _around(window: Window, reading: Reading, fallback: features.Sentence) -> features.Sentence:
    """The sentence that holds the reader's span, and the span as its value."""
    start, end = window.start + reading.start, window.start + reading.end
    for left, right in window.spans:
        if left <= start < right:
            # A span that crosses a boundary takes the sentences it crosses.
            last = next((b for a, b in window.spans if a < end <= b), right)
            return msgspec.structs.replace(fallback, start=left, end=max(right, last), value=(start, end))
    return fallback


def _with_heading(window: Window, start: int, end: int) -> str:
    """A sentence under its heading, which often names what the sentence only calls "it"."""
    text = window.chunk.text[start:end]
    return f"{window.chunk.heading}\n{text}" if window.chunk.heading else text


def _channels(hit: Hit, weights: Weights, question: Question) -> tuple[float, float]:
    """Dense cosine (the floor of unrelated texts when unseen) and BM25 as a share of what the terms could give."""
    dense, lexical = 0.78, 0.0
    for channel in hit.channels:
        if channel.name == "dense":
            dense = channel.score
        else:
            # With k1 = 1.2 a term scores at most 2.2 times its idf.
            lexical = channel.score / (2.2 * weights.total(question.terms))
    return dense, lexical


def sigmoid(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, x))))


def dot(model: Mapping[str, float], names: Sequence[str], row: Sequence[float]) -> float:
    """A linear model by name; a feature that the model does not know weighs nothing."""
    return sum(model.get(name, 0.0) * value for name, value in zip(names, row, strict=True))
