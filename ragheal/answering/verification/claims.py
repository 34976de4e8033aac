"""Prose with citation marks, as a model writes it, taken apart into claims."""

from __future__ import annotations

import re

from ragheal.text.analyze import terms
from ragheal.text.rules import hedged
from ragheal.text.sentences import sentences
from ragheal.types import Claim, Lang

_NUMBERS = r"\d{1,3}(?:\s?[,，、;；–-]\s?\d{1,3})*"
#: One mark: [1], [1, 2], [1-3], 【1】.
MARK = re.compile(rf"\s?[\[【［]({_NUMBERS})[\]】］]")
# Marks behind the full stop belong to the sentence before it.
_TRAILING = re.compile(rf"([.!?。！？；]+[\"'”’」』)）]*)((?:\s?[\[【［]{_NUMBERS}[\]】］])+)")
_LIST_MARK = re.compile(r"^(?:[-*+•·]|#{1,6}|\d{1,2}[.)、])\s+")
_MAX_RANGE = 10


def split_claims(text: str, lang: Lang) -> tuple[Claim, ...]:
    """The sentences of an answer with the numbers they cite; marks and list signs are taken off.

    A sentence without a mark becomes a claim without citations, which `veto` objects to.
    """
    moved = _TRAILING.sub(lambda match: f"{match[2]}{match[1]}", text)
    claims = []
    for start, end in sentences(moved):
        sentence = moved[start:end]
        cites = tuple(dict.fromkeys(n for match in MARK.finditer(sentence) for n in _cited(match[1])))
        plain = _LIST_MARK.sub("", without_marks(sentence)).strip()
        if re.search(r"\w", plain):
            claims.append(Claim(" ".join(plain.split()) if lang == "en" else plain, cites))
        elif cites and claims:
            # Marks on a line of their own carry the sentence before them.
            claims[-1] = Claim(claims[-1].text, tuple(dict.fromkeys((*claims[-1].cites, *cites))))
    return tuple(claims)


def without_marks(text: str) -> str:
    """A text without its citation marks."""
    return MARK.sub("", text)


def states(text: str) -> bool:
    """Whether a claim states something that must be cited: an opening ("… are:") or an "I don't know" does not."""
    from ragheal.text.facts import facts  # late: its patterns take a while to compile

    if not terms(text):
        return False
    if facts(text):
        return True
    return not text.rstrip().endswith((":", "：")) and hedged(text) is None


def _cited(text: str) -> list[int]:
    found: list[int] = []
    for part in re.split(r"[,，、;；]", text):
        ends = [int(number) for number in re.findall(r"\d+", part)]
        if len(ends) == 2 and 0 < ends[1] - ends[0] <= _MAX_RANGE:
            found += range(ends[0], ends[1] + 1)
        else:
            found += ends
    return found
