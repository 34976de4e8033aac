"""Windows: the runs of sentences that the reader reads, and the context that stands before one."""

from __future__ import annotations

import re
from functools import lru_cache

from ragheal.text.instructions import addresses_reader
from ragheal.text.script import has_han
from ragheal.text.sentences import sentences

#: Longest window, in characters: about 110 tokens in either script.
MAX_CHARS = {"en": 440, "zh": 160}
_LINE = re.compile(r"\S(?:.*\S)?")
_BY_LINE = frozenset({"record", "code"})
# The ruler under a table's header, a line of dashes.
_RULER = re.compile(r"[\s|:+=_*-]*")

Span = tuple[int, int]


@lru_cache(maxsize=4096)
def windows(text: str, kind: str = "paragraph") -> tuple[tuple[Span, ...], ...]:
    """Groups of consecutive sentences, as offsets, each within `MAX_CHARS`, overlapping by one sentence.

    A record or a line of code is a sentence. One that gives orders to the reader is in no window: it is never
    quoted.
    """
    limit = MAX_CHARS["zh" if has_han(text) else "en"]
    spans = [match.span() for match in _LINE.finditer(text)] if kind in _BY_LINE else sentences(text)
    return tuple(group for run in _runs(text, spans) for group in _groups(run, limit))


def joined(heading: str, sentence: str, then: str) -> str:
    """The context of a window read as the second of two: the sentence that leads on, then its own headings."""
    return " · ".join(part for part in (": ".join(p for p in (heading, sentence) if p), then) if part)


def _runs(text: str, spans: list[Span]) -> list[list[Span]]:
    """The sentences in order, parted where one gives orders to the reader."""
    runs: list[list[Span]] = [[]]
    for start, end in spans:
        if addresses_reader(text[start:end]):
            runs.append([])
        elif not _RULER.fullmatch(text, start, end):
            runs[-1].append((start, end))
    return [run for run in runs if run]


def _groups(spans: list[Span], limit: int) -> list[tuple[Span, ...]]:
    groups: list[tuple[Span, ...]] = []
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
