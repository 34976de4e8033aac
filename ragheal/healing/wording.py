"""How repairs act on a question: it is asked in the words of the documents.

The documents' term takes the place of the user's. Beside it, in brackets, it would find the passage as well,
but the judge would still miss the user's term in it: of 15 pairs of terms over the gap of `tests/gap`, replacing
answers 13 surely and in one round, brackets 8, the question as it is 1 (`bench/repairs.py --wordings`). The
user's own words stay in the answer and in the trace.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from ragheal.healing.repairs import Repair, Rewrite, Synonym
from ragheal.text.script import HAN, has_han, lang

_WORD = re.compile(rf"[{HAN}]+|[^\W_{HAN}]+")
MAX_CHARS = 2000  # as many as a question may have


def reword(question: str, repairs: Sequence[Repair]) -> str:
    """The question with every repair that applies; the question itself when none does.

    Longer terms go first, and what one repair put in, another does not touch.
    """
    language = lang(question)
    synonyms = [repair for repair in repairs if isinstance(repair, Synonym) and repair.lang == language]
    edits: list[tuple[int, int, str]] = []
    for synonym in sorted(synonyms, key=lambda synonym: (-len(synonym.term), synonym.term, synonym.means)):
        if not _in_context(question, synonym) or occurrences(question, synonym.means):
            continue
        for start, end in occurrences(question, synonym.term):
            if all(end <= left or right <= start for left, right, _ in edits):
                edits.append((start, end, synonym.means))
    worded = question
    for start, end, text in sorted(edits, reverse=True):
        worded = worded[:start] + _fitted(worded[start:end], text, start) + worded[end:]
    for repair in repairs:
        if isinstance(repair, Rewrite) and repair.lang == language and applies(question, repair):
            worded = _added(worded, repair.adds)
    return worded if len(worded) <= MAX_CHARS else question


def applies(question: str, repair: Repair) -> bool:
    """Whether the repair would change the question."""
    if repair.lang != lang(question):
        return False
    if isinstance(repair, Synonym):
        return (
            bool(occurrences(question, repair.term))
            and _in_context(question, repair)
            and not occurrences(question, repair.means)
        )
    return all(_terms(word) <= _terms(question) for word in repair.when) and not occurrences(question, repair.adds)


def occurrences(text: str, phrase: str) -> list[tuple[int, int]]:
    """Where a phrase stands in a text as offsets, in any inflection, case or Chinese script; word for word."""
    wanted = [stem for _, _, stem in _units(phrase)]
    if not wanted:
        return []
    if has_han(phrase):
        return _han_occurrences(text, phrase)
    units = _units(text)
    found, place = [], 0
    while place + len(wanted) <= len(units):
        if [stem for _, _, stem in units[place : place + len(wanted)]] == wanted:
            found.append((units[place][0], units[place + len(wanted) - 1][1]))
            place += len(wanted)
        else:
            place += 1
    return found


def _han_occurrences(text: str, phrase: str) -> list[tuple[int, int]]:
    """A Chinese phrase begins and ends where words do: 限流 is not in 上限流程."""
    from ragheal.text.script import simplified

    plain, wanted = simplified(text).lower(), simplified(phrase).lower()
    if wanted not in plain:
        return []
    edges = _edges(plain)
    found, at = [], plain.find(wanted)
    while at != -1:
        end = at + len(wanted)
        if at in edges and end in edges:
            found.append((at, end))
            at = plain.find(wanted, end)
        else:
            at = plain.find(wanted, at + 1)
    return found


@lru_cache(maxsize=512)
def _edges(plain: str) -> frozenset[int]:
    import rjieba

    edges, place = {0}, 0
    for word in rjieba.cut(plain, True):
        place += len(word)
        edges.add(place)
    return frozenset(edges)


@lru_cache(maxsize=512)
def _units(text: str) -> tuple[tuple[int, int, str], ...]:
    """Words with their offsets and stems; a word of a compound ("rate-limited") counts by itself."""
    from ragheal.text.analyze import stem
    from ragheal.text.script import fold

    return tuple((m.start(), m.end(), stem(fold(m.group()))) for m in _WORD.finditer(text))


@lru_cache(maxsize=512)
def _terms(text: str) -> frozenset[str]:
    from ragheal.text.analyze import terms

    return frozenset(terms(text))


def _in_context(question: str, synonym: Synonym) -> bool:
    return not synonym.context or any(_terms(word) & _terms(question) for word in synonym.context)


def _fitted(old: str, new: str, start: int) -> str:
    """The new term with the capital letter that the old one had at the beginning of the question."""
    if start == 0 and old[:1].isupper() and new[:1].islower():
        return new[:1].upper() + new[1:]
    return new


def _added(question: str, adds: str) -> str:
    stripped = question.rstrip(" ?？。.!！")
    mark = question[len(stripped) :].strip()
    return f"{stripped}（{adds}）{mark}" if has_han(question) else f"{stripped} ({adds}){mark}"
