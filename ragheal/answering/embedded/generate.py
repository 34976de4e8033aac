"""The extractive answer: the fewest sentences that answer, quoted exactly, each with its source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ragheal.answering.embedded.judge import Finding, thresholds
from ragheal.answering.embedded.reading import Candidate, Panel
from ragheal.settings import AnswerSettings
from ragheal.text.overlap import term_set
from ragheal.text.questions import Question
from ragheal.text.sense import needs_next
from ragheal.text.windows import windows
from ragheal.types import Chunk, Citation, Claim, Conflict, Draft

#: An answer that is sure stops when it holds the answer with this probability.
_ENOUGH = 0.9
#: What is this much weaker than the best is padding, not a second chance.
_FLOOR = 0.5
#: Kinds of question that one sentence rarely answers.
_LONG = frozenset({"manner", "reason"})
_PRONOUN = re.compile(r"(?:It|They|This|These|That|Those|He|She|Its|Their|His|Her)\b|[它其该此他她这那]")
_COMMENT = ("#", "//", "--", ";", "/*", "*")


class _Pick(NamedTuple):
    """A passage chosen for the answer: characters of one chunk, and the answer proper in it."""

    chunk: Chunk
    start: int
    end: int
    value: tuple[int, int] | None = None

    @property
    def text(self) -> str:
        return self.chunk.text[self.start : self.end]


def generate(finding: Finding, conflict: Conflict | None, settings: AnswerSettings) -> Draft | None:
    """Choose the sentences, best first, and cite them. None when there is nothing to quote."""
    question = finding.panel.question
    if conflict is not None:
        picks = _of_conflict(finding.panel, conflict)
    elif finding.sides is not None and any(side.found for side in finding.sides.sides):
        picks = [_sentence(side.found) for side in finding.sides.sides if side.found]
    else:
        sure = finding.confidence >= thresholds(question.lang)["sufficient"]
        picks = _of_panel(finding.panel, settings, sure=sure)
        if picks and finding.chain is not None and finding.panel.after:
            link = finding.chain.link
            picks = _without_repeats(
                [*picks[: settings.max_sentences - 1], _Pick(link.chunk, link.start, link.end)]
            )
    picks = _within(picks, settings.max_chars)
    if not picks:
        return None
    lead = finding.sides.lead if finding.sides and conflict is None else ""
    return _draft(question, picks, lead)


def _of_panel(panel: Panel, settings: AnswerSettings, *, sure: bool) -> list[_Pick]:
    """Sure: sentences until the answer is in them with enough probability. Else the nearest passages."""
    best = panel.best
    if best is None:
        return []
    picks: list[_Pick] = []
    missed = 1.0
    most = settings.max_sentences if sure else settings.max_sentences_unsure
    for candidate in panel.candidates:
        if len(picks) == most or (sure and candidate.p < _FLOOR * best.p):
            break
        if not sure:
            pick = _passage(candidate, settings.max_chars // settings.max_sentences_unsure)
        else:
            pick = _around(candidate) if panel.question.kind in _LONG else _sentence(candidate)
        picks = _without_repeats([*picks, pick])
        missed *= 1.0 - min(0.95, candidate.p)
        if sure and 1.0 - missed >= _ENOUGH:
            break
    return picks


def _of_conflict(panel: Panel, conflict: Conflict) -> list[_Pick]:
    by_chunk = panel.by_chunk()
    order = list(range(len(conflict.chunk_ids)))
    if conflict.preferred >= 0:
        order.sort(key=lambda index: index != conflict.preferred)
    found = [by_chunk[conflict.chunk_ids[index]] for index in order if conflict.chunk_ids[index] in by_chunk]
    return [_sentence(candidate) for candidate in found]


def _sentence(candidate: Candidate) -> _Pick:
    """The answering sentence, with the one after it where that limits it."""
    if candidate.chunk.kind == "code" and candidate.sentence_text.lstrip().startswith(_COMMENT):
        return _around(candidate)  # a comment says what the line under it holds
    start, end = candidate.sentence
    before = next((span for span in reversed(candidate.spans) if span[1] <= start), None)
    if before and _PRONOUN.match(candidate.sentence_text):
        start = before[0]  # "It weighs 4 kg" says nothing without what it is
    following = next((span for span in candidate.spans if span[0] >= end), None)
    if following and needs_next(candidate.sentence_text, candidate.chunk.text[following[0] : following[1]]):
        end = following[1]
    return _Pick(candidate.chunk, start, end, candidate.value)


def _around(candidate: Candidate) -> _Pick:
    """The answering sentence and the next of its window: a procedure or a reason is rarely one sentence."""
    following = [span for span in candidate.spans if span[0] >= candidate.sentence[1]]
    return _Pick(
        candidate.chunk,
        candidate.sentence[0],
        following[0][1] if following else candidate.sentence[1],
        candidate.value,
    )


def _passage(candidate: Candidate, room: int) -> _Pick:
    """The answering sentence with those around it, as many as `room` characters hold.

    Where nothing is promised, the sentence may be the wrong one of the right passage: its reader decides.
    """
    chunk, (start, end) = candidate.chunk, candidate.sentence
    spans = sorted({span for group in windows(chunk.text, chunk.kind) for span in group})
    growing = True
    while growing:
        growing = False
        after = next((b for a, b in spans if a >= end), end)
        before = next((a for a, b in reversed(spans) if b <= start), start)
        if after > end and after - start <= room:
            end, growing = after, True
        if before < start and end - before <= room:
            start, growing = before, True
    return _Pick(candidate.chunk, start, end, candidate.value)


def _without_repeats(picks: Sequence[_Pick]) -> list[_Pick]:
    kept: list[_Pick] = []
    for pick in picks:
        if not any(_repeats(pick, other) for other in kept):
            kept.append(pick)
    return kept


def _repeats(one: _Pick, other: _Pick) -> bool:
    if one.text in other.text or other.text in one.text:
        return True
    if one.chunk.id == other.chunk.id and one.start < other.end and other.start < one.end:
        return True
    a, b = term_set(one.text), term_set(other.text)
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
    """A monster sentence (a log line) cut to what stands around its value."""
    start = pick.start
    if pick.value and pick.value[1] - pick.start > limit:
        start = max(pick.start, pick.value[0] - limit // 2)
    return pick._replace(start=start, end=min(pick.end, start + limit))


def _draft(question: Question, picks: Sequence[_Pick], lead: str) -> Draft:
    """Claims in order of worth. Sentences of the same lines of a file share one citation."""
    places: dict[tuple[str, int, int], list[_Pick]] = {}
    for pick in picks:
        places.setdefault((pick.chunk.id, *_lines(pick)), []).append(pick)
    citations, number = [], {}
    for n, ((_, first, last), together) in enumerate(places.items(), 1):
        chunk = together[0].chunk
        span = min(pick.start for pick in together), max(pick.end for pick in together)
        quote, page = chunk.quote(*span), chunk.place(*span).page
        citations.append(Citation(n, chunk.id, chunk.source, chunk.heading, first, last, quote, page=page))
        number.update({id(pick): n for pick in together})
    claims = []
    for pick in picks:
        shown = _shown(pick.text)
        claims.append(Claim(shown, (number[id(pick)],), _span(pick, shown)))
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
    place = pick.chunk.place(pick.start, pick.end)
    return place.start_line, place.end_line


def _span(pick: _Pick, shown: str) -> tuple[int, int] | None:
    """Where the value stands in the text as shown."""
    if pick.value is None or not (pick.start <= pick.value[0] and pick.value[1] <= pick.end):
        return None
    words = " ".join(pick.chunk.text[pick.value[0] : pick.value[1]].split())
    # What was taken off can only have stood before it.
    place = shown.find(words, max(0, pick.value[0] - pick.start - max(0, len(pick.text) - len(shown)) - 2))
    return (place, place + len(words)) if words and place >= 0 else None
