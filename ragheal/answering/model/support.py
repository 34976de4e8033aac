"""Where in a passage does a claim stand, and does it stand there nearly word for word?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from ragheal.answering.model.orders import split
from ragheal.answering.verification.held import missing
from ragheal.text.overlap import term_set
from ragheal.text.script import HAN, fold, lang, simplified
from ragheal.text.values import numeric, values
from ragheal.types import Chunk

Place = tuple[int, int]  # offsets in the chunk's text

_MAX_QUOTE = 600
_CHECKED = frozenset({"identifier", "quoted"})
_CODE = re.compile(r"[A-Za-z0-9_.,:/%+-]*\d[A-Za-z0-9_.,:/%+-]*")
_TOKEN = re.compile(rf"[{HAN}]|[^\W_]+(?:[.,:/-][^\W_]+)*")
# A quotation that lost or won one of these says something else.
_TURNS = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|except|unless|only|cannot|hardly|if|until|before|after|false|denied|alleged(?:ly)?)\b|n[’']t\b"
    r"|不|没|沒|无|無|未|非|除|仅|僅|只|别|勿|否|若|如果|假",
    re.IGNORECASE,
)
_RUN = {"en": 3, "zh": 4}  # matching tokens in a row that count as quoted
_QUOTED = 0.85


def checked(text: str) -> frozenset[str]:
    """The comparable forms of what a quotation must hold of a claim: numbers, dates, identifiers, quoted words."""
    return frozenset(span.norm for span in values(text) if numeric(span) or span.kind in _CHECKED)


def without_values(text: str) -> str:
    """A text without its numbers and codes."""
    return _CODE.sub(" ", text)


def cover(claim: str, text: str) -> float:
    """Share of a claim's terms that a text holds; 1 for a claim without terms."""
    wanted = term_set(claim)
    return len(wanted & term_set(text)) / len(wanted) if wanted else 1.0


def places(claim: str, chunk: Chunk, also: str = "") -> list[Place]:
    """The runs of sentences to quote for a claim, at most two, the telling one first.

    Orders are never quoted. `also` (the question) decides where the claim's own words do not: an answer
    in one language from a passage in the other. Empty when the passage has nothing to quote.
    """
    clean, _ = split(chunk.text, chunk.kind)
    if not clean:
        return []
    wanted, needed = term_set(claim), checked(claim)
    score = [_worth(chunk.text[start:end], wanted, needed) for start, end in clean]
    if max(score) == 0 and also:
        score = [_worth(chunk.text[start:end], term_set(also), frozenset()) for start, end in clean]
    best = max(range(len(clean)), key=lambda i: (score[i], -i))
    first = _grown(chunk.text, clean, best, wanted, needed)
    found = [first]
    quoted = f"{chunk.heading}\n{chunk.text[first[0] : first[1]]}"
    left = missing(claim, quoted, also)
    if left:
        gains = [
            len(left) - len(missing(claim, f"{quoted}\n{chunk.text[start:end]}", also)) for start, end in clean
        ]
        second = max(range(len(clean)), key=lambda i: (gains[i], score[i], -i))
        if gains[second] and not first[0] <= clean[second][0] < first[1]:
            found.append(clean[second])
    return [_bounded(place, chunk.text, claim) for place in found]


def _worth(text: str, wanted: frozenset[str], needed: frozenset[str]) -> float:
    held = term_set(text)
    shared = len(wanted & held) + 2.0 * len(needed & checked(text))
    return shared - 0.002 * len(held) if shared else 0.0


def _grown(text: str, spans: Sequence[Place], best: int, wanted: frozenset[str], needed: frozenset[str]) -> Place:
    """A sentence with the neighbours that hold more of the claim than one stray word."""
    start, end = spans[best]
    for index in (best + 1, best - 1):
        if not 0 <= index < len(spans):
            continue
        low, high = min(start, spans[index][0]), max(end, spans[index][1])
        between = text[min(end, spans[index][1]) : max(start, spans[index][0])]
        neighbour, held = text[spans[index][0] : spans[index][1]], text[start:end]
        gain = len((wanted & term_set(neighbour)) - term_set(held))
        gain += 2 * len((needed & checked(neighbour)) - checked(held))
        if gain >= 2 and high - low <= _MAX_QUOTE and not between.strip():
            start, end = low, high
    return start, end


def _bounded(place: Place, text: str, claim: str) -> Place:
    """A monster sentence (a table, a log line) cut to the part around the claim's first value."""
    start, end = place
    if end - start <= _MAX_QUOTE:
        return place
    folded = fold(text[start:end])
    offsets = [folded.find(fold(span.text)) for span in values(claim)]
    offsets = [offset for offset in offsets if offset >= 0]
    middle = start + (min(offsets) if offsets else 0)
    low = max(start, min(middle - _MAX_QUOTE // 2, end - _MAX_QUOTE))
    return low, low + _MAX_QUOTE


def nearly_quoted(claim: str, texts: Sequence[str], also: str) -> bool:
    """Whether a claim is what a cited text says, nearly word for word.

    Every turn of meaning (a negation, a condition) must stand in both or in neither. `also` is what a claim
    may take its other words from: the question and the headings.
    """
    joined = "\n".join(texts)
    a, b = _tokens(claim), _tokens(joined)
    if not a or not b:
        return False
    run = _RUN[lang(claim)]
    blocks = [block for block in SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks() if block.size]
    whole = any(block.size == len(a) for block in blocks)
    quoted = sum(block.size for block in blocks if block.size >= run)
    if not whole and quoted < _QUOTED * len(a):
        return False
    if not term_set(claim) <= term_set(joined) | term_set(also):
        return False
    return _turns(claim) == _turns(_around(joined, claim))


def _around(joined: str, claim: str) -> str:
    """The lines or sentences of the cited text that share most with the claim."""
    from ragheal.text.sentences import sentences

    wanted = term_set(claim)
    best = [joined[start:end] for start, end in sentences(joined)]
    kept = [text for text in best if len(wanted & term_set(text)) * 2 >= len(term_set(text))]
    return "\n".join(kept) or max(best, key=lambda text: len(wanted & term_set(text)), default="")


def _turns(text: str) -> list[str]:
    return sorted(simplified(match[0]).lower() for match in _TURNS.finditer(text))


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(fold(simplified(text)))
