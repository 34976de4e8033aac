"""Sentence boundaries in English and Chinese, as offsets into the text."""

from __future__ import annotations

import re

_ABBREVIATIONS = frozenset(
    """
    mr mrs ms dr prof sr jr st rev gen col lt sgt capt gov sen rep hon pres
    inc ltd co corp llc dept est fig figs eq eqs sec vol ed eds pp no nos art ch cf al etc vs viz approx ca
    e.g i.e a.m p.m u.s u.k u.n d.c b.c a.d ph.d m.d b.a m.a
    jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun
    """.split()
)
# Closing quotes and brackets belong to the sentence they close.
_CLOSE = "\"'”’」』）)】》〉\\]"
_CHINESE_END = re.compile(f"(?:[。！？!?]+|；|…{{1,2}})[{_CLOSE}]*")
_LATIN_END = re.compile(rf"[.!?]+[{_CLOSE}]*(?:\[\d+\])*(?=\s|$)")
_BLANK_LINE = re.compile(r"\n[ \t\r]*\n\s*")
_FRESH = re.compile(r"[ \t]*[A-Z0-9\u00c0-\u00de\u3400-\u9fff\"“「『《\[(（$€£¥+]")
# Lines that are units of their own: list items, table rows, headings, quotations, `key: value` records.
_OWN_LINE = re.compile(
    r"\s*(?:[-*+•·]\s|\d{1,3}[.)、]\s?|[(（]\d{1,3}[)）]|\||#{1,6}\s|>|[一二三四五六七八九十]+、)"
)
_NUMBERED = re.compile(r"(?:\A|\n)[ \t]*\d{1,3}\Z")


def sentences(text: str) -> list[tuple[int, int]]:
    """Offsets (start, end) of the sentences in order; only white space lies between them."""
    cuts = sorted(_cuts(text))
    spans: list[tuple[int, int]] = []
    start = 0
    for cut in [*cuts, len(text)]:
        left, right = start, cut
        while left < right and text[left].isspace():
            left += 1
        while right > left and text[right - 1].isspace():
            right -= 1
        if left < right:
            spans.append((left, right))
        start = cut
    return spans


def _cuts(text: str) -> set[int]:
    cuts = {match.end() for match in _BLANK_LINE.finditer(text)}
    cuts.update(match.end() for match in _CHINESE_END.finditer(text) if _is_chinese_end(text, match))
    cuts.update(match.end() for match in _LATIN_END.finditer(text) if _is_latin_end(text, match))
    # A list item, table row or heading begins after its line break, whatever the line before ends in.
    position = text.find("\n")
    previous = 0
    while position != -1:
        following = position + 1
        if _OWN_LINE.match(text, following) or _is_row(text, previous, position):
            cuts.add(following)
        previous, position = following, text.find("\n", following)
    return cuts


def _is_row(text: str, start: int, end: int) -> bool:
    """Whether the line is a table row, a heading or a line of a list, so that the next one starts afresh."""
    line = text[start:end].strip()
    if line.startswith("#") or (line.startswith("|") and line.endswith("|")):
        return True
    # Prose is wrapped at some width; a short line followed by a fresh start is a unit of its own.
    width = sum(2 if char >= "\u2e80" else 1 for char in line[:60])
    return 0 < width < 50 and line[-1] not in ",，、;；-(（" and _FRESH.match(text, end + 1) is not None


def _is_chinese_end(text: str, match: re.Match[str]) -> bool:
    mark = match.group()[0]
    if mark in "!?":
        # ASCII marks end a Chinese sentence only next to Han; otherwise the Latin rule decides.
        return match.start() > 0 and "\u3400" <= text[match.start() - 1] <= "\u9fff"
    if mark == "…":
        return match.end() < len(text) and text[match.end()] not in "，,、"
    return True


def _is_latin_end(text: str, match: re.Match[str]) -> bool:
    after = text[match.end() : match.end() + 40].lstrip()[:1]
    if not after:
        return True
    if match.group()[0] in "!?":
        return not after.islower()
    if after.islower():
        return False
    if _NUMBERED.search(text, max(0, match.start() - 20), match.start()):
        return False  # the number of an item ends nothing
    word = re.search(r"[\w.]+$", text[max(0, match.start() - 20) : match.start()])
    before = word.group() if word else ""
    if before.lower().strip(".") in _ABBREVIATIONS:
        # "approx. 40", "Dr. Lee" go on; "… at 5 p.m. The" ends.
        return (
            before.lower().strip(".") in {"a.m", "p.m", "etc", "inc", "ltd", "co", "corp", "al"}
            and after.isupper()
        )
    # An initial: "J. Smith"; but "vitamin C. The …" also looks so, and is rarer.
    return not (len(before) == 1 and before.isalpha() and before.isupper())
