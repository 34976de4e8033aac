"""Proper names by form: capitalised runs in English; titles, tagged words and transliterations in Chinese."""

from __future__ import annotations

import re
from functools import lru_cache

from ragheal.text.script import has_han
from ragheal.text.stopwords import STOP_EN

_CAPITAL = r"[A-Z\u00c0-\u00de][\w\u00c0-\u024f]*(?:[-'’.&][A-Za-z\u00c0-\u024f]\w*)*\.?"
_JOINER = r"(?:of|the|de|la|le|du|von|van|der|den|di|da|del|el|al|bin|ibn|and|&|for|on|in|to|y)"
_RUN = re.compile(rf"\b{_CAPITAL}(?:\s+(?:{_JOINER}\s+){{0,2}}{_CAPITAL}|\s+\d+\b(?=\s+{_CAPITAL}))*")
# Words that are capitalised for their place in the sentence, not for being names.
_NOT_NAMES = STOP_EN | frozenset(
    """
    however although though while since because according many several other another also one two three four
    first second third next last later early today now then thus therefore moreover furthermore despite unlike
    like use see note please yes no if when where who what which why how monday tuesday wednesday thursday friday
    saturday sunday january february march april may june july august september october november december
    """.split()
)
_DOTS = frozenset("·•・‧")
_LATIN_IN_HAN = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[\s.\-&'][A-Za-z0-9]+)*")
#: jieba's tags for person, place, organisation, other proper noun, foreign transliteration.
_NAME_TAGS = frozenset({"nr", "nrt", "nrfg", "ns", "nt", "nz"})


@lru_cache(maxsize=4096)
def names(text: str) -> tuple[tuple[int, int], ...]:
    """Offsets of the proper names of a text (simplified, if Chinese), in order; they do not overlap."""
    return tuple(_chinese(text) if has_han(text) else _english(text))


def _english(text: str) -> list[tuple[int, int]]:
    found = []
    for match in _RUN.finditer(text):
        start, end = match.span()
        words = match.group().split()
        # Strip capitalised function words at both ends ("The", "In 1990 …", "However").
        while words and _is_frame(words[0]):
            start += len(words.pop(0))
            start += len(text[start:end]) - len(text[start:end].lstrip())
        while words and words[-1].lower().strip(".") in _NOT_NAMES:
            end -= len(words.pop())
            end = start + len(text[start:end].rstrip())
        if not words:
            continue
        if text[end - 1] == "." and not re.search(r"\b(?:[A-Z]|Jr|Sr|Inc|Ltd|Co|Dr|St)\.$", text[start:end]):
            end -= 1
        if end > start and not (len(words) == 1 and _starts_sentence(text, start) and _is_common(words[0], text)):
            found.append((start, end))
    return found


def _is_frame(word: str) -> bool:
    if word.lower().strip(".") in _NOT_NAMES:
        return True
    return not word[0].isupper() and not word.isdigit()


def _starts_sentence(text: str, start: int) -> bool:
    before = text[:start].rstrip()
    return not before or before[-1] in '.!?:\n"“-*•|#>)'


def _is_common(word: str, text: str) -> bool:
    """Whether a capitalised word at the start of a sentence also occurs in lower case, so that it is no name."""
    return re.search(rf"\b{re.escape(word.lower())}\b", text) is not None or word.lower().endswith(("ing", "ly"))


def _chinese(text: str) -> list[tuple[int, int]]:
    found = [match.span() for match in _LATIN_IN_HAN.finditer(text) if len(match.group()) > 1]
    taken = bytearray(len(text))
    for start, end in found:
        taken[start:end] = b"\x01" * (end - start)
    position = 0
    run: tuple[int, int] | None = None
    before = (0, 0)
    dotted = False
    for word, tag in _tagged(text):
        start = text.find(word, position)
        end = position = start + len(word)
        if word in _DOTS and before[1] == start:
            # A transliterated name, 约翰·史密斯: the words on both sides of the dot belong to it.
            run = (run[0] if run and run[1] == start else before[0], end)
            dotted = True
            continue
        is_name = tag in _NAME_TAGS and len(word) > 1 and not any(taken[start:end])
        follows = run is not None and run[1] == start and (dotted or (tag in {"n", "nis", "ng"} and len(word) > 1))
        if is_name or follows:
            # Neighbouring tagged words are one name: 台北 + 客运.
            # … and glues conjunctions to their end.
            end -= len(word) > 2 and word[-1] in "于在和与是为的由"
            run = (run[0], end) if run and run[1] == start else (start, end)
        else:
            if run:
                found.append(run)
            run = None
        # The segmenter glues prepositions to names that it does not know.
        before, dotted = (start + (len(word) > 2 and word[0] in "由在与和被为是从对向及"), end), False
    if run:
        found.append(run)
    return sorted(found)


@lru_cache(maxsize=4096)
def _tagged(text: str) -> tuple[tuple[str, str], ...]:
    import rjieba

    return tuple((word, tag) for word, tag in rjieba.tag(text, True))
