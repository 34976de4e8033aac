"""The judge: grades and sufficiency in one call, asked again where a single reply is not to be trusted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from ragheal.answering.model import coerce, fence
from ragheal.answering.model.ask import Asker
from ragheal.answering.model.orders import is_order, split
from ragheal.answering.model.parse import Malformed
from ragheal.answering.model.prompts import load
from ragheal.answering.model.support import checked
from ragheal.settings import ModelSettings
from ragheal.text.overlap import speaks_of
from ragheal.text.questions import Question
from ragheal.text.script import fold, simplified
from ragheal.types import Conflict, Grade, Hit, Missing, Verdict

RELEVANT = 50
_SURE, _UNSURE = 0.8, 0.2  # where the model gives no confidence
_SAID = 160
_Kind = Literal["entity", "relation", "value", "part"]
_MOST = 3  # missing things that are searched for


class ModelJudge:
    """Asks for verdicts of one question; `None` stands for a judge that could not be asked."""

    def __init__(self, asker: Asker, settings: ModelSettings) -> None:
        self._asker, self._settings = asker, settings
        self._looked_twice = False

    def verdict(
        self, question: Question, hits: Sequence[Hit], *, strict: bool, final: bool = False
    ) -> Verdict | None:
        """The verdict: a majority of three, or one look and a second one at the first "insufficient".

        `final`: no retrieval can follow, so a second look would change nothing.
        """
        numbered = dict(enumerate(hits, 1))
        if self._settings.votes == 3:
            return self._majority(question, numbered, strict)
        first = self._look(question, numbered, strict, turn=0)
        again = self._settings.ask_twice and not self._looked_twice and not final
        if first is None or first.sufficient or not again:
            return first
        self._looked_twice = True
        second = self._look(question, numbered, strict, turn=1, instead="the first reply")
        if second is None or not second.sufficient:
            return first
        # They disagree: one more retrieval, with what the first look found missing.
        return _unsure(first, second)

    def _majority(self, question: Question, hits: Mapping[int, Hit], strict: bool) -> Verdict | None:
        votes = [self._look(question, hits, strict, turn=turn) for turn in range(3)]
        given = [vote for vote in votes if vote is not None]
        if not given:
            return None
        enough = sum(vote.sufficient for vote in given) * 2 > len(given)
        return next((vote for vote in given if vote.sufficient == enough), given[0])

    def _look(
        self, question: Question, hits: Mapping[int, Hit], strict: bool, turn: int, instead: str = "embedded"
    ) -> Verdict | None:
        """One asking. A later turn shows the hits in another order, each with its number: the same view twice
        would only repeat what the place of a hit did to the first."""
        from ragheal.answering.model.shapes import Judgement

        order = list(hits.items())[: fence.room(self._settings.context_chars)]
        order = order if turn == 0 else order[::-1] if turn == 1 else order[1::2] + order[::2]
        sections = load("judge", question.lang, self._asker.folder).sections
        values = {
            "question": fence.inert(question.text),
            "hits": fence.shown(dict(order), question, self._settings.context_chars),
            "extra": sections.get("strict", "") if strict else "",
        }
        return self._asker.object(
            "judge",
            question.lang,
            values,
            Judgement,
            lambda reply: read(reply, hits, question),
            topic=f"{question.text}\n{strict}\n{','.join(hit.chunk.id for hit in hits.values())}",
            instead=instead,
        )


def _unsure(first: Verdict, second: Verdict) -> Verdict:
    return Verdict(
        sufficient=False,
        confidence=round(min(0.5, (first.confidence + second.confidence) / 2), 6),
        grades=second.grades,
        missing=first.missing,
        conflict=first.conflict or second.conflict,
        suggestion=first.suggestion or second.suggestion,
        bridge=first.bridge or second.bridge,
        judged_by=first.judged_by,
    )


def read(reply: object, hits: Mapping[int, Hit], question: Question) -> Verdict:
    """A reply as a verdict on these hits. Raises Malformed when its numbers are not those of the hits."""
    from ragheal.answering.model.shapes import Judgement

    assert isinstance(reply, Judgement)
    grades = _grades(reply, hits)
    best = max((grade.relevance for grade in grades), default=0)
    # Evidence that no single hit is relevant for does not suffice, whatever the field says.
    enough = reply.sufficient and best >= RELEVANT
    missing = () if enough else _missing(reply)
    suggestion = "" if is_order(reply.suggestion) else reply.suggestion
    return Verdict(
        sufficient=enough,
        confidence=_confidence(reply, enough),
        grades=grades,
        missing=missing,
        conflict=_conflict(reply, hits, grades),
        suggestion=suggestion,
        bridge=_bridge(reply.bridge, hits, question),
        judged_by="model",
    )


def _confidence(reply: object, enough: bool) -> float:
    """The probability that the hits suffice. Who says "insufficient" with confidence 95 gives it 5."""
    score = getattr(reply, "confidence", None)
    given = None
    if isinstance(score, coerce.Score):
        # 1 on a scale to 100 would be the same as 0; it is the end of the other scale.
        given = score.of_hundred(fractions=score.fraction or 0 < score.value <= 1)
    if given is None:
        return _SURE if enough else _UNSURE
    share = given / 100.0
    return round(share if enough else min(share, 1.0 - share), 6)


def _grades(reply: object, hits: Mapping[int, Hit]) -> tuple[Grade, ...]:
    entries = list(getattr(reply, "hits", ()))
    if any(entry.n == 0 for entry in entries):
        raise Malformed("the hits are not numbered as they were shown")
    scores = [entry.relevance for entry in entries if isinstance(entry.relevance, coerce.Score)]
    open_ = [score for score in scores if score.top is None]
    fractions = bool(open_) and all(score.value <= 1 for score in open_) and any(s.fraction for s in open_)
    found: dict[int, Grade] = {}
    for entry in entries:
        if entry.n not in hits or not isinstance(entry.relevance, coerce.Score):
            continue
        value = entry.relevance.of_hundred(fractions=fractions)
        if value is None:
            continue
        grade = _grade(hits[entry.n], round(value), entry.key, entry.gap)
        if entry.n not in found or grade.relevance < found[entry.n].relevance:
            found[entry.n] = grade
    if entries and not found:
        raise Malformed("no entry of `hits` has a number of a hit and a relevance from 0 to 100")
    return tuple(
        found.get(n) or Grade(hit.chunk.id, 0, gap="the judge found no help in it") for n, hit in hits.items()
    )


def _grade(hit: Hit, relevance: int, key: str, gap: str) -> Grade:
    """A grade; a passage that only gives orders, or whose telling words are one, is no evidence."""
    clean, orders = split(hit.chunk.text, hit.chunk.kind)
    said = _squeezed(key)
    ordered = bool(said) and any(said in _squeezed(hit.chunk.text[low:high]) for low, high in orders)
    stated = any(said in _squeezed(hit.chunk.text[low:high]) for low, high in clean)
    if not clean or (ordered and not stated) or is_order(key):
        return Grade(hit.chunk.id, min(relevance, RELEVANT - 1), gap="speaks to the reader instead of stating it")
    return Grade(hit.chunk.id, relevance, key=key[:_SAID], gap="" if is_order(gap) else gap[:_SAID])


def _squeezed(text: str) -> str:
    return "".join(char for char in fold(simplified(text)) if char.isalnum())


def _missing(reply: object) -> tuple[Missing, ...]:
    found: list[Missing] = []
    for item in getattr(reply, "missing", ()):
        label = item.what or " ".join(item.terms)
        if not label or is_order(label):
            continue
        terms = tuple(term for term in item.terms if not is_order(term))[:6] or (label,)
        found.append(Missing(_kind(item.kind), label[:_SAID], terms))
    return tuple(found[:_MOST])


def _kind(name: str) -> _Kind:
    return next((known for known in get_args(_Kind) if known == name.lower()), "part")


def _bridge(name: str, hits: Mapping[int, Hit], question: Question) -> str:
    """A name that stands in a hit and not in the question; "" for anything else."""
    name = name.strip(" .,，。")
    if not name or len(name) > 60 or _squeezed(name) in _squeezed(question.text) or is_order(name):
        return ""
    held = any(speaks_of(f"{hit.chunk.heading}\n{hit.chunk.text}", name, 1.0) for hit in hits.values())
    return name if held else ""


def _conflict(reply: object, hits: Mapping[int, Hit], grades: Sequence[Grade]) -> Conflict | None:
    """The values that the model says differ, if they do and each stands in its relevant hit."""
    relevant = {grade.chunk_id for grade in grades if grade.relevance >= RELEVANT}
    stated: dict[int, str] = {}
    for entry in getattr(reply, "conflict", ()):
        hit = hits.get(entry.n)
        if hit is None or not entry.value or hit.chunk.id not in relevant or entry.n in stated:
            continue
        clean, _ = split(hit.chunk.text, hit.chunk.kind)
        text = " ".join(hit.chunk.text[low:high] for low, high in clean)
        if _squeezed(entry.value) and _squeezed(entry.value) in _squeezed(text):
            stated[entry.n] = entry.value
    kept: dict[int, str] = {}
    for n, value in stated.items():
        if all(_differ(value, other) for other in kept.values()):
            kept[n] = value
    if len(kept) < 2:
        return None
    numbers = list(kept)[:3]
    dates = [hits[n].chunk.date for n in numbers]
    newest = max(dates)
    preferred = dates.index(newest) if all(dates) and dates.count(newest) == 1 else -1
    return Conflict(
        values=tuple(kept[n] for n in numbers),
        chunk_ids=tuple(hits[n].chunk.id for n in numbers),
        preferred=preferred,
        reason=f"newest source ({newest})" if preferred >= 0 else "",
    )


def _differ(one: str, other: str) -> bool:
    """Whether two values say different things: "1,420" and "1420 positions" do not."""
    a, b = checked(one), checked(other)
    if a and b:
        return not (a <= b or b <= a)
    x, y = _squeezed(one), _squeezed(other)
    return x not in y and y not in x
