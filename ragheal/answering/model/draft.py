"""From cited prose to a `Draft`: sentences become claims, their marks become citations with quotations."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from ragheal.answering.model import coerce
from ragheal.answering.model.parse import Malformed
from ragheal.answering.model.support import Place, cover, places
from ragheal.text.questions import Question, wanted_values
from ragheal.text.sentences import sentences
from ragheal.types import Chunk, Citation, Claim, Draft, Hit

_MARK = re.compile(
    r"[\[【［]\s*\^?(?:hits?|sources?|passages?|来源|结果|编号)?\s*[#:：]?\s*(\d{1,2}(?:\s*(?:,|、|，|;|；|and|和|-|–)\s*(?:hit\s*)?\d{1,2})*)\s*[\]】］]",
    re.IGNORECASE,
)
_RANGE = re.compile(r"(\d{1,2})\s*[-–]\s*(\d{1,2})")
_AFTER_STOP = re.compile(r"([.。！？!?])[ \t]*((?:\[\d{1,2}\][ \t]*)+)")
_MARKS = re.compile(r"\[(\d{1,2})\]")
_LABEL = re.compile(r"^\s*(?:\**\s*(?:final answer|answer|response|答案|回答|答)\s*\**\s*[:：]\s*)", re.IGNORECASE)
_TAG = re.compile(r"</?(?:p|br|b|i|em|strong|ul|ol|li|answer|response|span|div)\s*/?>", re.IGNORECASE)
_BULLET = re.compile(r"^\s*(?:[-*+•·]|\d{1,2}[.)、])\s+")
_LIST_OF_SOURCES = re.compile(
    r"^\W*(?:sources?|references?|citations?|来源|参考(?:资料|文献)?|引用)\W*$|^\W*(?:sources?|references?|来源|参考(?:资料|文献)?)\s*[:：]",
    re.IGNORECASE,
)
_NOT_FOUND = frozenset({"not found", "not found in the hits", "未找到", "没有找到", "未找到答案"})
# A sentence about the hits, not about the world: "the hits do not mention it".
_ABOUT_HITS = re.compile(
    r"\b(?:hits?|passages?|(?:provided|given|available|search|these|the) (?:documents?|sources?|texts?|context|information|results?|passages?|hits?))\b.{0,20}"
    r"\b(?:do(?:es)? not|don't|doesn't|did not|didn't|never|nowhere|lacks?)\b.{0,30}\b(?:mention|say|state|specif|provide|contain|include|give|tell|answer|list|indicate|address|cover|describe|explain|reveal|information)"
    r"|\b(?:not|isn't|is no|aren't|no)\b.{0,40}\b(?:mentioned|stated|specified|provided|given|found|information)\b.{0,30}\b(?:hits?|passages?|documents?|sources?|texts?|context|results?)\b"
    r"|^\W*i (?:do not|don't|cannot|can't|could not|am unable|am sorry|apologi[sz]e)\b|^\W*i'm (?:unable|sorry)\b|^\W*sorry\b"
    r"|(?:结果|文档|资料|段落|来源|文中|上述|以上).{0,8}(?:没有|未|并未|并没有|无法|不包含|缺少).{0,6}(?:提|说|给出|包含|涉及|回答|明确|相关|任何|信息|找到)"
    r"|^\W*(?:很?抱歉|对不起)|无法(?:得知|回答|从.{0,8}确定)",
    re.IGNORECASE,
)
_MAX_CLAIMS = 8
_ATTRIBUTE = 0.6  # share of a sentence's terms that an unmarked source must hold


def read(
    text: str,
    hits: Mapping[int, Hit],
    question: Question,
    *,
    limit: int,
    free: bool = False,
    template: str = "",
) -> Draft | None:
    """The draft in a reply; None when it says that the hits do not answer.

    `free`: sentences need no source (generative). `template` is the prompt: its sentences, which small models
    like to repeat, state nothing. Raises Malformed when nothing in it is cited or can be.
    """
    body = _body(text)
    if not body:
        raise Malformed("the reply is empty")
    if coerce.plain(_MARKS.sub("", body)) in _NOT_FOUND:
        return None
    lines = [_sentences(line, free) for line in body.splitlines()]
    known = _squeezed(template)
    lines = [[pair for pair in line if not known or _squeezed(pair[0]) not in known] for line in lines]
    told = [pair for line in lines for pair in (line if free else _inherited(line))]
    if not told:
        return None
    if not free:
        told = [(said, marks or _attributed(said, hits)) for said, marks in told]
        if not any(n in hits for _, marks in told for n in marks):
            raise Malformed("the reply cites no hit")
    return _draft(_within(told, limit), hits, question)


def _squeezed(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).lower()


def _body(text: str) -> str:
    """The prose of a reply: fences, labels, tags and a list of sources at its end taken off."""
    text = _unpacked(text)
    text = re.sub(r"^```\w*[ \t]*$", "", text, flags=re.MULTILINE)
    text = _TAG.sub(" ", text)
    text = re.sub(r"\*\*(.+?)\*\*", r"\1", text, flags=re.DOTALL)
    text = _MARK.sub(_normal_marks, text)
    text = _AFTER_STOP.sub(r"\2\1 ", text)
    kept: list[str] = []
    for raw in text.splitlines():
        if _LIST_OF_SOURCES.match(raw) and kept:
            break
        kept.append(re.sub(r"^\s*(?:#{1,6}|>)\s*", "", raw))
    return _LABEL.sub("", "\n".join(kept).strip(), count=1).strip()


def _unpacked(text: str) -> str:
    """The text of {"answer": "…"}, which a server's JSON mode makes of prose."""
    if not text.lstrip().startswith("{"):
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if isinstance(value, dict):
        for key in ("answer", "text", "response", "答案"):
            if isinstance(value.get(key), str):
                return str(value[key])
    raise Malformed("the reply is JSON where prose was asked for")


def _normal_marks(match: re.Match[str]) -> str:
    inner = _RANGE.sub(
        lambda m: ",".join(str(n) for n in range(int(m[1]), min(int(m[2]), int(m[1]) + 5) + 1)), match[1]
    )
    return "".join(f"[{int(n)}]" for n in re.findall(r"\d+", inner))


def _sentences(text: str, free: bool) -> list[tuple[str, tuple[int, ...]]]:
    """The sentences of a line with their marks; lead-ins and talk about the hits left out."""
    text = _BULLET.sub("", text).strip()
    found: list[tuple[str, tuple[int, ...]]] = []
    for start, end in [(0, len(text))] if free and text else sentences(text):
        piece = text[start:end]
        marks = tuple(dict.fromkeys(int(n) for n in _MARKS.findall(piece)))
        said = re.sub(r"\s+([.,;:!?。，；：！？])", r"\1", " ".join(_MARKS.sub(" ", piece).split()))
        if not re.search(r"\w", said):
            if marks and found:
                found[-1] = (found[-1][0], tuple(dict.fromkeys((*found[-1][1], *marks))))
            continue
        if not free and (said.endswith(("?", "？")) or (not marks and said.endswith((":", "：")))):
            continue  # a question or a lead-in states nothing
        if coerce.plain(said) in _NOT_FOUND:
            continue
        if not free and _ABOUT_HITS.search(said):
            continue
        found.append((said, marks))
    return found


def _inherited(line: Sequence[tuple[str, tuple[int, ...]]]) -> list[tuple[str, tuple[int, ...]]]:
    """Marks at the end of a paragraph are meant for the sentences before them; verification decides if they hold."""
    found = list(line)
    for index in range(len(found) - 2, -1, -1):
        if not found[index][1]:
            found[index] = (found[index][0], found[index + 1][1])
    for index in range(1, len(found)):
        if not found[index][1]:
            found[index] = (found[index][0], found[index - 1][1])
    return found


def _attributed(said: str, hits: Mapping[int, Hit]) -> tuple[int, ...]:
    """The hit that holds an unmarked sentence, if one does."""
    best = max(hits, key=lambda n: (cover(said, _context(hits[n].chunk)), -n), default=0)
    return (best,) if best and cover(said, _context(hits[best].chunk)) >= _ATTRIBUTE else ()


def _context(chunk: Chunk) -> str:
    return f"{chunk.heading}\n{chunk.text}"


def _within(told: Sequence[tuple[str, tuple[int, ...]]], limit: int) -> list[tuple[str, tuple[int, ...]]]:
    kept: list[tuple[str, tuple[int, ...]]] = []
    used = 0
    for said, marks in told[:_MAX_CLAIMS] if limit else told:
        if kept and limit and used + len(said) > limit:
            break
        kept.append((said, marks))
        used += len(said)
    return kept


def _draft(told: Sequence[tuple[str, tuple[int, ...]]], hits: Mapping[int, Hit], question: Question) -> Draft:
    citations: dict[tuple[str, int, int], Citation] = {}
    claims: list[tuple[str, list[Citation], list[int]]] = []
    for said, marks in told:
        own: list[Citation] = []
        for n in marks:
            if n in hits:
                own += [
                    _cited(citations, hits[n].chunk, place) for place in places(said, hits[n].chunk, question.text)
                ]
        claims.append((said, list(dict.fromkeys(own)), [n for n in marks if n not in hits]))
    # A number that no hit has keeps standing for nothing: verification must see it.
    beyond = len(citations)
    return Draft(
        tuple(
            Claim(
                said,
                (*(c.n for c in own), *(n if n > beyond else beyond + n for n in unknown)),
                _span(said, own, question),
            )
            for said, own, unknown in claims
        ),
        tuple(citations.values()),
        lang=question.lang,
    )


def _cited(known: dict[tuple[str, int, int], Citation], chunk: Chunk, place: Place) -> Citation:
    """The citation of a place, made once; one that lies within another is the other."""
    start, end = place
    for (chunk_id, low, high), citation in known.items():
        if chunk_id == chunk.id and low <= start and end <= high:
            return citation
    held = chunk.place(start, end)
    citation = Citation(
        len(known) + 1, chunk.id, chunk.source, chunk.heading, held.start_line, held.end_line,
        chunk.quote(start, end), page=held.page,
    )  # fmt: skip
    known[chunk.id, start, end] = citation
    return citation


def _span(said: str, own: Sequence[Citation], question: Question) -> tuple[int, int] | None:
    """Where the value asked for stands in a claim, if it stands in what the claim cites too."""
    quoted = "\n".join(citation.quote for citation in own)
    found = [span for span in wanted_values(question, said) if span.text in quoted]
    return (found[0].start, found[0].end) if found else None
