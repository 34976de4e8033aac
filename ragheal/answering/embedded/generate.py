"""The extractive answer: the fewest sentences that answer, quoted exactly, each with its source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ragheal.answering.embedded.judge import Finding
from ragheal.answering.embedded.reading import Candidate, Panel, thresholds
from ragheal.answering.embedded.windows import term_set
from ragheal.settings import AnswerSettings
from ragheal.text.questions import Question
from ragheal.text.script import fold
from ragheal.types import Citation, Claim, Conflict, Draft


class _Stop(NamedTuple):
    """When to stop adding sentences."""

    sentences: int  # so many are the most
    enough: float  # the answer is in them with this probability
    floor: float  # what is this much weaker than the best is padding, not a second chance


# An answer that is sure is short. One that is not says so and shows the nearest passages, for the reader to judge.
_SURE, _UNSURE = (0.93, 0.15), (0.97, 0.1)


class _Pick:
    """A passage chosen for the answer: one quotation from one chunk."""

    def __init__(self, candidate: Candidate, start: int, end: int) -> None:
        self.candidate, self.start, self.end = candidate, start, end

    @property
    def text(self) -> str:
        return self.candidate.window.chunk.text[self.start : self.end]


def generate(
    question: Question,
    finding: Finding,
    conflict: Conflict | None,
    settings: AnswerSettings,
) -> Draft | None:
    """Choose the sentences, best first, and cite them. None when there is nothing to quote."""
    if conflict is not None:
        picks = _of_conflict(finding.outer or finding.whole, conflict)
    elif finding.sides is not None and any(side.found for side in finding.sides.sides):
        picks = [_sentence(side.found) for side in finding.sides.sides if side.found]
    else:
        stop = _stop(finding, settings)
        picks = _of_chain(finding, stop) or _of_panel(question, finding.whole, stop)
    picks = _within(picks, settings.max_chars)
    if not picks:
        return None
    lead = finding.sides.lead if finding.sides and conflict is None else ""
    return _draft(question, picks, lead)


def _stop(finding: Finding, settings: AnswerSettings) -> _Stop:
    if finding.confidence >= thresholds(finding.whole)["sufficient"]:
        return _Stop(settings.max_sentences, *_SURE)
    return _Stop(max(settings.max_sentences, settings.max_sentences_unsure), *_UNSURE)


def _of_panel(question: Question, panel: Panel, stop: _Stop) -> list[_Pick]:
    """Sentences until the answer is in them with enough probability."""
    picks: list[_Pick] = []
    missed = 1.0
    best = panel.best
    if best is None:
        return []
    for candidate in panel.candidates:
        if len(picks) == stop.sentences or candidate.p < stop.floor * best.p:
            break
        pick = _whole(candidate) if question.kind in {"manner", "reason"} else _sentence(candidate)
        if any(_repeats(pick.text, other.text) for other in picks):
            continue
        picks.append(pick)
        missed *= 1.0 - min(0.9, candidate.p)
        if 1.0 - missed >= stop.enough:
            break
    return picks


def _of_chain(finding: Finding, stop: _Stop) -> list[_Pick]:
    """The sentence that answers, then the hop that leads to it."""
    if finding.outer is None or finding.inner is None or finding.outer.best is None or finding.inner.best is None:
        return []
    picks = _of_panel(finding.outer.question, finding.outer, stop._replace(sentences=max(1, stop.sentences - 1)))
    hop = next(
        (c for c in finding.inner.candidates[:4] if fold(finding.bridge) in fold(c.sentence)), finding.inner.best
    )
    step = _sentence(hop)
    if not any(_repeats(step.text, pick.text) for pick in picks):
        picks.append(step)
    whole = finding.whole.best
    if whole is not None and len(picks) < stop.sentences:
        extra = _sentence(whole)
        if not any(_repeats(extra.text, pick.text) for pick in picks):
            picks.append(extra)
    return picks


def _of_conflict(panel: Panel, conflict: Conflict) -> list[_Pick]:
    by_chunk = panel.by_chunk()
    order = list(range(len(conflict.chunk_ids)))
    if conflict.preferred >= 0:
        order.sort(key=lambda index: index != conflict.preferred)
    found = [by_chunk[conflict.chunk_ids[index]] for index in order if conflict.chunk_ids[index] in by_chunk]
    return [_sentence(candidate) for candidate in found]


_COMMENT = ("#", "//", "--", ";", "/*", "*")


def _sentence(candidate: Candidate) -> _Pick:
    if candidate.window.chunk.kind == "code" and candidate.sentence.lstrip().startswith(_COMMENT):
        return _whole(candidate)  # a comment says what the line under it holds
    return _Pick(candidate, candidate.start, candidate.end)


def _whole(candidate: Candidate) -> _Pick:
    """A procedure or a reason is rarely one sentence: the answering one and the next of its window."""
    spans = candidate.window.spans
    index = next((i for i, (start, _) in enumerate(spans) if start >= candidate.start), len(spans) - 1)
    last = min(len(spans) - 1, index + 1)
    return _Pick(candidate, candidate.start, max(candidate.end, spans[last][1]))


def _repeats(one: str, other: str) -> bool:
    a, b = term_set(one), term_set(other)
    if one in other or other in one:
        return True
    # Equal words with other numbers are a conflict, not a repetition.
    return bool(a) and len(a & b) / max(1, len(a | b)) > 0.9


def _within(picks: list[_Pick], limit: int) -> list[_Pick]:
    kept: list[_Pick] = []
    used = 0
    for pick in picks:
        if used + len(pick.text) > limit:
            if kept:
                continue
            pick = _trim(pick, limit)
        kept.append(pick)
        used += len(pick.text)
    return kept


def _trim(pick: _Pick, limit: int) -> _Pick:
    """A monster sentence (a table, a log line) cut to the lines around its value."""
    value = pick.candidate.value
    start = pick.start
    if value and value[1] - pick.start > limit:
        start = max(pick.start, value[0] - limit // 2)
    return _Pick(pick.candidate, start, min(pick.end, start + limit))


def _draft(question: Question, picks: Sequence[_Pick], lead: str) -> Draft:
    """Claims in order of worth. Sentences of the same lines of a file share one citation."""
    places: dict[tuple[str, int, int], list[_Pick]] = {}
    for pick in picks:
        places.setdefault((pick.candidate.window.chunk.id, *_lines(pick)), []).append(pick)
    citations, number = [], {}
    for n, ((_, first, last), together) in enumerate(places.items(), 1):
        chunk = together[0].candidate.window.chunk
        span = min(pick.start for pick in together), max(pick.end for pick in together)
        quote, page = chunk.quote(*span), chunk.place(*span).page
        citations.append(Citation(n, chunk.id, chunk.source, chunk.heading, first, last, quote, page=page))
        number.update({id(pick): n for pick in together})
    claims = []
    for pick in picks:
        shown = _shown(pick.text)
        claims.append(Claim(shown, (number[id(pick)],), _span(pick, pick.text, shown)))
    return Draft(tuple(claims), tuple(citations), lead=lead, lang=question.lang)


_LIST_MARK = re.compile(r"^(?:[-*+•·]|\d{1,3}[.)、])\s+")


def _shown(text: str) -> str:
    """A quotation in running text: the words as they are, without list marks, table rulers and line breaks."""
    lines = [" ".join(line.split()) for line in text.splitlines()]
    if all(line.startswith("|") for line in lines if line):
        return "\n".join(" | ".join(cell.strip() for cell in line.strip("|").split("|")) for line in lines if line)
    return " ".join(_LIST_MARK.sub("", line) for line in lines if line)


def _lines(pick: _Pick) -> tuple[int, int]:
    """First and last line of the file."""
    place = pick.candidate.window.chunk.place(pick.start, pick.end)
    return place.start_line, place.end_line


def _span(pick: _Pick, quoted: str, shown: str) -> tuple[int, int] | None:
    """Where the value stands in the text as shown."""
    value = pick.candidate.value
    if value is None or not (pick.start <= value[0] and value[1] <= pick.end):
        return None
    words = " ".join(pick.candidate.window.chunk.text[value[0] : value[1]].split())
    # What was taken off can only have stood before it.
    place = shown.find(words, max(0, value[0] - pick.start - max(0, len(quoted) - len(shown)) - 2))
    return (place, place + len(words)) if place >= 0 else None
