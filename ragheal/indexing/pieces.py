"""Cuts a block that is too long for one chunk, at the best places its kind offers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from ragheal.indexing.load.parsed import is_blank, line_spans
from ragheal.text.sentences import sentences

Span = tuple[int, int]
Cutter = Callable[[str, int, int], list[Span]]

# Characters that are about 0.8 of a token each: Han, kana, Hangul; and those that are mostly one each.
_WIDE = re.compile("[\u1100-\u11ff\u2e80-\u2fff\u3040-\ua4cf\uac00-\ud7ff\uf900-\ufaff\U0001f000-\U0003ffff]")
_MARKS = re.compile(r"[^\w\s]")
_DIGITS = re.compile(r"[0-9]")
# Runs without a seam (base64, hashes, long URLs) come apart into pieces of two characters or less.
_SEAMLESS = re.compile(r"[A-Za-z0-9+/=_]{25,}")
_OTHER_SCRIPTS = re.compile("[\u0250-\u10ff\u1200-\u1fff]")

_ITEM = re.compile(
    r"(?:[-*+•·●○■□◆▪–]\s|\d{1,9}[.)、．]|[(（]\d{1,3}[)）]|[a-zA-Z][.)]\s|[一二三四五六七八九十]+、)"
)
_CLAUSE = re.compile(r"[，,;；、:：。.!?！？](?:\s+|(?<=[^\x00-\x7f]))|\s+")
_WINDOW = 20_000  # characters given to the sentence splitter at a time
_STRETCH = 200_000
_WINDOW_END = re.compile(r".*(?:[。！？\n]|[.!?]\s)", re.DOTALL)


def tokens(text: str) -> float:
    """An estimate, on the high side, of how many tokens an embedder makes of a text, without asking it.

    Fitted to the shipped tokenizer on English, Chinese and code: 95 of 100 passages have fewer.
    """
    marks, digits = len(_MARKS.findall(text)), len(_DIGITS.findall(text))
    letters = len(text) - marks - digits
    seamless = sum(map(len, _SEAMLESS.findall(text))) if len(text) >= 25 else 0
    latin = 0.9 * marks + 0.4 * digits + 0.4 * seamless
    if text.isascii():
        return latin + 0.25 * letters
    wide = len(_WIDE.findall(text))
    other = len(_OTHER_SCRIPTS.findall(text))
    return latin + 0.25 * (letters - wide - other) + 0.8 * wide + 0.85 * other


def cut(
    text: str, start: int, end: int, kind: str, target: float, limit: float
) -> Iterator[tuple[int, int, float]]:
    """(start, end, tokens) of pieces of about `target` tokens, never above `limit`; together they cover it all."""
    for low, high in _stretches(text, start, end):
        yield from _cut(text, low, high, _CUTTERS.get(kind, _PROSE), target, limit)


def _stretches(text: str, start: int, end: int) -> Iterator[Span]:
    """The range in parts of at most _STRETCH characters, so that a file of one block needs little memory."""
    while end - start > _STRETCH:
        stop = text.rfind("\n", start + _STRETCH // 2, start + _STRETCH) + 1
        if not stop:
            found = _WINDOW_END.match(text, start + _STRETCH - _WINDOW, start + _STRETCH)
            stop = found.end() if found else start + _STRETCH
        yield start, stop
        start = stop
    yield start, end


def _cut(
    text: str, start: int, end: int, cutters: tuple[Cutter, ...], target: float, limit: float
) -> Iterator[tuple[int, int, float]]:
    whole = tokens(text[start:end])
    if whole <= target:
        yield start, end, whole
        return
    if not cutters:
        yield from _hard(text, start, end, whole, target, limit)
        return
    units = [(low, high, tokens(text[low:high])) for low, high in cutters[0](text, start, end)]
    if len(units) == 1:
        yield from _cut(text, start, end, cutters[1:], target, limit)
        return
    # Pieces of one length read better than full ones and a rest.
    size = whole / max(1, round(whole / target))
    begin, stop, held = start, start, 0.0
    for low, high, weight in units:
        if held and (held + weight / 2 > size or held + weight > limit):
            yield begin, stop, held
            begin, held = low, 0.0
        if weight > min(limit, 1.5 * target):
            if held:
                yield begin, stop, held
            yield from _cut(text, low, high, cutters[1:], target, limit)
            begin, stop, held = high, high, 0.0
            continue
        stop, held = high, held + weight
    if held:
        yield begin, stop, held


def _hard(
    text: str, start: int, end: int, whole: float, target: float, limit: float
) -> Iterator[tuple[int, int, float]]:
    """Cut what has no seam at all, such as a megabyte of base64, by length."""
    step = max(1, int((end - start) * target / whole))
    while start < end:
        stop = min(end, start + step)
        weight = tokens(text[start:stop])
        while weight > limit and stop - start > 1:
            stop = start + (stop - start) // 2
            weight = tokens(text[start:stop])
        yield start, stop, weight
        start = stop


def _sentences(text: str, start: int, end: int) -> list[Span]:
    bounds = [start]
    while end - start > _WINDOW:
        found = _WINDOW_END.match(text, start, start + _WINDOW)
        start = found.end() if found else start + _WINDOW
        bounds.append(start)
    bounds.append(end)
    firsts: list[int] = []
    for low, high in pairwise(bounds):
        firsts += [low + first for first, _ in sentences(text[low:high])]
    return _spans(firsts, bounds[0], end)


def _clauses(text: str, start: int, end: int) -> list[Span]:
    return _spans([found.end() for found in _CLAUSE.finditer(text, start, end)], start, end)


def _lines(text: str, start: int, end: int) -> list[Span]:
    return line_spans(text, start, end)


def _paragraphs(text: str, start: int, end: int) -> list[Span]:
    """Runs of lines, each with the empty lines after it."""
    firsts, blank = [], False
    for low, high in line_spans(text, start, end):
        empty = is_blank(text, low, high)
        if blank and not empty:
            firsts.append(low)
        blank = empty
    return _spans(firsts, start, end)


def _items(text: str, start: int, end: int) -> list[Span]:
    """List items with what is indented below them: they begin at the least indent at which a bullet stands."""
    found = []
    for low, high in line_spans(text, start, end):
        line = text[low : min(high, low + 200)]
        bare = line.lstrip()
        if _ITEM.match(bare):
            found.append((len(line) - len(bare), low))
    least = min((indent for indent, _ in found), default=0)
    return _spans([low for indent, low in found if indent <= least], start, end)


def _spans(firsts: list[int], start: int, end: int) -> list[Span]:
    """Spans that begin at the given offsets and together cover the range."""
    inner = [first for first in firsts if start < first < end]
    return list(zip([start, *inner], [*inner, end], strict=True))


_PROSE: tuple[Cutter, ...] = (_sentences, _lines, _clauses)
_CUTTERS: dict[str, tuple[Cutter, ...]] = {
    "paragraph": _PROSE,
    "heading": _PROSE,
    "list": (_items, *_PROSE),
    "table": (_lines, *_PROSE),
    "record": (_lines, *_PROSE),
    "code": (_paragraphs, _lines, _clauses),
}
