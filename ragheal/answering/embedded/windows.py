"""Sentence windows: the pieces of the pooled hits that are read for an answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from ragheal.text.analyze import terms
from ragheal.text.instructions import addresses_reader
from ragheal.text.questions import Question
from ragheal.text.script import fold, has_han, simplified
from ragheal.text.sentences import sentences
from ragheal.text.values import ANSWERS, Span, values
from ragheal.types import Chunk, Hit, Value

#: Longest window, in characters: about 110 tokens of the embedder in either script.
MAX_CHARS = {"en": 440, "zh": 160}
_LINE = re.compile(r"\S(?:.*\S)?")
_BY_LINE = frozenset({"record", "code"})
# The ruler under a table's header, a line of dashes.
_RULER = re.compile(r"[\s|:+=_*-]*")


class Window(Value, frozen=True):
    """Consecutive sentences of a chunk. Offsets count in the chunk's text."""

    chunk: Chunk
    start: int
    end: int
    spans: tuple[tuple[int, int], ...]  # its sentences
    rank: int  # place of its hit in the pool, from 0
    score: float = 0.0  # fused score of its hit

    @property
    def text(self) -> str:
        return self.chunk.text[self.start : self.end]

    @property
    def key(self) -> tuple[str, int]:
        return (self.chunk.id, self.start)


@lru_cache(maxsize=2048)
def _cut(text: str, kind: str) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Groups of sentences, each within the limit, overlapping by one sentence. A record is a sentence."""
    limit = MAX_CHARS["zh" if has_han(text) else "en"]
    spans = [match.span() for match in _LINE.finditer(text)] if kind in _BY_LINE else sentences(text)
    return tuple(group for run in _runs(text, spans) for group in _groups(run, limit))


def _runs(text: str, spans: list[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """The sentences in order, parted where one gives orders to the reader: such a sentence is never quoted."""
    runs: list[list[tuple[int, int]]] = [[]]
    for start, end in spans:
        if addresses_reader(text[start:end]):
            runs.append([])
        elif not _RULER.fullmatch(text, start, end):
            runs[-1].append((start, end))
    return [run for run in runs if run]


def _groups(spans: list[tuple[int, int]], limit: int) -> list[tuple[tuple[int, int], ...]]:
    groups: list[tuple[tuple[int, int], ...]] = []
    first = 0
    while first < len(spans):
        last = first
        while last + 1 < len(spans) and spans[last + 1][1] - spans[first][0] <= limit:
            last += 1
        groups.append(tuple(spans[first : last + 1]))
        if last + 1 >= len(spans):
            break
        # One sentence of overlap lets a pronoun meet its antecedent; a lone sentence has none to give.
        first = last if last > first else last + 1
    return groups


def cut(hits: Sequence[Hit]) -> list[Window]:
    """Every window of every hit, in the order of the hits and of the text."""
    return [
        Window(hit.chunk, group[0][0], group[-1][1], group, rank, hit.score)
        for rank, hit in enumerate(hits)
        for group in _cut(hit.chunk.text, hit.chunk.kind)
    ]


@lru_cache(maxsize=8192)
def term_set(text: str) -> frozenset[str]:
    """The distinct terms of a text."""
    return frozenset(terms(text))


def mentions(text: str, name: str, share: float = 0.6) -> bool:
    """Whether a text speaks of a name: it holds the name as written, or that share of its terms.

    The segmenter cuts an unknown Chinese name by its neighbours, so that terms alone would miss it.
    """
    if _squeeze(name) in _squeeze(text):
        return True
    wanted = term_set(name)
    return bool(wanted) and len(wanted & term_set(text)) >= share * len(wanted)


@lru_cache(maxsize=8192)
def _squeeze(text: str) -> str:
    """Script, case, width, spaces and punctuation taken off."""
    return re.sub(r"[\W_]+", "", fold(simplified(text))) or text


def wanted_values(question: Question, text: str) -> list[Span]:
    """Values of the kind the question asks for, that the question does not already name."""
    kinds = ANSWERS.get(question.kind)
    if kinds is None:
        return []
    named = {name.lower() for name in question.names} | {option.lower() for option in question.options}
    asked = question.text.lower()
    return [
        span
        for span in values(text)
        if span.kind in kinds
        and span.norm not in question.numbers
        and span.text.lower() not in named
        and (span.kind not in {"name", "quoted"} or span.text.lower() not in asked)
    ]


def preselect(windows: Sequence[Window], scores: Sequence[float], count: int) -> list[Window]:
    """The `count` windows most worth reading, by their scores, in their order.

    The best window of each of the first hits is always among them: the retriever may know better.
    """
    if len(windows) <= count:
        return list(windows)
    best: dict[int, tuple[float, int]] = {}
    for index, (window, score) in enumerate(zip(windows, scores, strict=True)):
        if window.rank not in best or score > best[window.rank][0]:
            best[window.rank] = (score, index)
    kept = {best[rank][1] for rank in sorted(best)[: count // 2]}
    for index in sorted(range(len(windows)), key=lambda i: (-scores[i], i)):
        if len(kept) >= count:
            break
        kept.add(index)
    return [windows[index] for index in sorted(kept)]
