"""The parts of a multi-hop question: which to ask, in which order, and with what in the holes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ragheal.text.analyze import terms
from ragheal.text.questions import analyze
from ragheal.text.script import fold, simplified
from ragheal.text.values import ANSWERS, values
from ragheal.types import Draft, Part

_HOLE = re.compile(r"\{(\d+)\}")
_SHORT = 160  # characters of an answer that go into the next question


def ordered(parts: Sequence[Part], question: str, limit: int) -> tuple[tuple[int, Part], ...]:
    """The parts worth asking, numbered as planned, each behind those it needs; at most `limit`.

    Left out: a part that needs itself over a circle or a part that is not there, one that repeats another, and
    one that is the question itself, which would only go round.
    """
    waiting = {n: _needing(part) for n, part in enumerate(parts, 1) if part.question.strip()}
    seen = [_same(question)]
    placed: list[tuple[int, Part]] = []
    while waiting and len(placed) < limit:
        done = {n for n, _ in placed}
        ready = next((n for n, part in waiting.items() if set(part.needs) <= done), None)
        if ready is None:
            break  # whatever is left waits for something that will not come
        part = waiting.pop(ready)
        same = _same(part.question)
        if same and same not in seen:
            seen.append(same)
            placed.append((ready, part))
    return tuple(placed)


def _needing(part: Part) -> Part:
    """A part whose `needs` name every hole of its question."""
    holes = [int(number) for number in _HOLE.findall(part.question)]
    return Part(part.question, tuple(dict.fromkeys((*part.needs, *holes))))


def _same(question: str) -> str:
    """Questions that are equal here are the same: case, width, script and punctuation do not count."""
    return " ".join(re.findall(r"\w+", fold(simplified(question))))


def waves(placed: Sequence[tuple[int, Part]]) -> list[list[tuple[int, Part]]]:
    """The parts in groups: those of a group need nothing of each other."""
    depth: dict[int, int] = {}
    groups: list[list[tuple[int, Part]]] = []
    for n, part in placed:
        depth[n] = max((depth[need] + 1 for need in part.needs), default=0)
        groups += [[]] * (depth[n] + 1 - len(groups))
        groups[depth[n]] = [*groups[depth[n]], (n, part)]
    return groups


def filled(part: Part, answers: Mapping[int, str]) -> str | None:
    """The question of a part with the answers it needs; None when one of them was not found.

    A needed answer that the question has no hole for is put behind it.
    """
    if any(not answers.get(need) for need in part.needs):
        return None
    text = _HOLE.sub(lambda match: answers.get(int(match[1]), match[0]), part.question)
    loose = [answers[need] for need in part.needs if f"{{{need}}}" not in part.question]
    return f"{text} ({'; '.join(loose)})" if loose else text


def short(draft: Draft, question: str, bridge: str = "") -> str:
    """The answer proper of a draft, for the questions that need it.

    Its marked span, else the judge's bridge where the draft names it, else its one fitting value that the
    question lacks. Where there are several, a guess could send the chain astray: then it is the whole sentence.
    """
    if not draft.claims:
        return draft.lead
    claim = draft.claims[0]
    if claim.span is not None:
        return claim.text[claim.span[0] : claim.span[1]]
    if draft.lead:
        return draft.lead
    asked = analyze(question)
    known = frozenset(asked.terms)
    if bridge and bridge in claim.text and not frozenset(terms(bridge)) <= known:
        return bridge
    wanted = ANSWERS.get(asked.kind, frozenset({"name", "quoted", "identifier"}))
    new = [
        span.text
        for span in values(claim.text)
        if span.kind in wanted and not frozenset(terms(span.text)) <= known
    ]
    # Chinese names are told by a dictionary, which may know the wrong one of a long sentence.
    sure = len(set(new)) == 1 and not (asked.lang == "zh" and "，" in claim.text)
    return new[0] if sure else claim.text.strip().rstrip(".。!！")[:_SHORT]
