"""Passages that a question names by number: "What does section 7 say?", "When was 2.6.0 released?".

The reader was trained on what texts say; that a heading is an address, and what stands under it the answer, it
does not know. The number is compared by code.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ragheal.text.analyze import terms
from ragheal.text.numerals import HAN_NUMERAL, number_value
from ragheal.text.overlap import term_set
from ragheal.text.script import narrow
from ragheal.text.values import values
from ragheal.types import Value

_NOUN = "section|clause|article|paragraph|chapter|part|item|point|step|rule|regulation|appendix|annex|schedule"
_NUMBER = r"\d{1,4}(?:\.\d{1,3}){0,4}[a-z]?|[IVXLC]{1,6}"
_PART = re.compile(
    rf"^\W*(?:please\s+)?(?:(?:tell|show)\s+me\s+)?what(?:\s+(?:does|do|did|is|are|was|stands|must|should|has)|['’]s)"
    rf"(?:\s+(?:said|written|stated|in|under|the|to|be|done))*\s+(?P<noun>{_NOUN}|§)\s*(?:no\.?\s*|number\s+)?"
    rf"(?P<number>{_NUMBER})(?![\w%]|\.\d)(?P<rest>.*)$",
    re.IGNORECASE,
)
_PART_ZH = re.compile(
    rf"^(?:请问)?(?P<of>[^，。？?]{{0,24}}?)第\s?(?P<number>\d{{1,4}}|{HAN_NUMERAL}+)\s?(?P<noun>[章条節节款项部步点篇])分?"
    r"(?P<rest>[^，。？?]{0,12}?(?:什么|哪些|啥|内容)[^，。？?]{0,4})[？?]?\s*$"
)
#: Words of such a question that are about nothing: what a passage need not hold.
_SAYING = frozenset(
    term
    for word in """
    say state require cover provide regulate contain mean tell stipulate about describe specify demand deal content
    rule lay down set out version release publish change new ship come add launch happen bring include date day
    规定 内容 要求 说 讲 写 包括 约定 提到 主要 具体 发布 发行 推出 版本 上线 更新 改 变化 变更 时间 日期
    """.split()
    for term in terms(word)
)
_RELEASED = re.compile(
    r"\bwhen\b.*\b(?:released?|published|ship(?:ped)?|launched|come out|came out)\b|\brelease date\b"
    r"|\b(?:what|which) (?:day|date|year|month)\b.*\breleased\b"
    r"|(?:什么时候|何时|哪[天年月日]).*(?:发布|发行|推出|上线)"
    r"|(?:发布|发行|上线)(?:于|的)?(?:日期|时间|什么时候|何时)",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"^\W*what(?:['’]s| is| was| has| are)? (?:new|changed|the changes)\b"
    r"|^\W*what (?:did|does) .* (?:change|bring)\b"
    r"|(?:改|变|更新|修)了(?:什么|哪些)|有(?:什么|哪些)(?:变化|更新|改动|变更)",
    re.IGNORECASE,
)
_VERSION = re.compile(r"(?<![\w.-])v?(\d+(?:\.\d+)+(?:[-+][a-z][\w.]*)?)(?!\.?\d)", re.IGNORECASE)
_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_LINE = re.compile(r"\S(?:.*\S)?")
_SEAMS = re.compile(r" > | · |: (?=[^:]*$)")
_DAY = frozenset({"date", "year"})
#: Words besides its date that a line may have which says no more than when a version came out.
_SPARE = 4


class Part(Value, frozen=True):
    """A numbered part of a document: what kind, which, and what else the question says of it."""

    noun: str
    number: str
    about: frozenset[str]


def named(question: str, context: str, text: str) -> tuple[int, int] | None:
    """Where in a text under `context` the answer is, when the question names it by number; else None."""
    if (part := _part(question)) is not None:
        return _of_part(part, context, text)
    if (version := _version(question)) is not None:
        return _of_version(question, version, context, text)
    return None


@lru_cache(maxsize=256)
def _part(question: str) -> Part | None:
    plain = narrow(question).strip()
    found = _PART.match(plain) or _PART_ZH.match(plain)
    if found is None:
        return None
    groups = found.groupdict()
    rest = f"{groups.get('of') or ''} {groups['rest']}"
    about = term_set(rest) - _SAYING
    return Part(groups["noun"].lower(), _norm(groups["number"]), about)


def _norm(number: str) -> str:
    if re.fullmatch(r"[IVXLC]+", number):
        worth = [_ROMAN[char] for char in number]
        return str(sum(-a if a < b else a for a, b in zip(worth, [*worth[1:], 0], strict=True)))
    if re.fullmatch(f"{HAN_NUMERAL}+", number):
        return str(int(number_value(number) or 0))
    return number.lower()


def _of_part(part: Part, context: str, text: str) -> tuple[int, int] | None:
    headings = [one for one in _SEAMS.split(narrow(context)) if one]
    above = term_set(context)
    if any(_bears(part, heading) for heading in headings) and part.about <= above | term_set(text):
        return 0, len(text)
    # A number at the head of a line is an address only within the document that was asked for.
    for line in _LINE.finditer(text):
        labelled = _bears(part, narrow(line.group()), item=True)
        if labelled and part.about <= above | term_set(line.group()) and (labelled == 2 or part.about & above):
            return line.span()
    return None


def _bears(part: Part, line: str, *, item: bool = False) -> int:
    """Whether a heading or line begins with the part's number: 2 under its own noun, 1 bare, else 0."""
    found = re.match(rf"\W*(?P<noun>{_NOUN}|第)?\s*(?P<number>{_NUMBER}|{HAN_NUMERAL}+)", line, re.IGNORECASE)
    if found is None or _norm(found["number"].upper()) not in {part.number, part.number.upper()}:
        return 0
    after = line[found.end() :]
    if found["noun"] == "第":
        return 2 if after.lstrip()[:1] in {part.noun, {"节": "節", "節": "节"}.get(part.noun, "")} else 0
    if found["noun"]:
        return 2 if found["noun"].lower() == part.noun and not after[:1].isalnum() else 0
    if part.noun == "§" and line.lstrip().startswith("§"):
        return 2
    closed = re.match(r"[.)、:]\s|[)、]", after) is not None
    return int(closed or (not item and re.match(r"\s+\D|\Z", after) is not None))


@lru_cache(maxsize=256)
def _version(question: str) -> str | None:
    plain = narrow(question)
    if not (_RELEASED.search(plain) or _CHANGED.search(plain)):
        return None
    found = _VERSION.findall(plain)
    return found[0].lower() if len(found) == 1 else None


def _of_version(question: str, version: str, context: str, text: str) -> tuple[int, int] | None:
    """The day in the heading of a release or the line below it; or, asked what changed, all that stands there."""
    own = {version, f"{version}.0"}
    last = next((one for one in reversed(_SEAMS.split(narrow(context))) if _VERSION.search(one)), "")
    if not own & _versions(last) or len(_versions(last)) > 1:
        return None
    asked = term_set(question) - _SAYING - {term for one in own for term in terms(one)}
    if not {term for term in asked if not any(map(str.isdigit, term))} <= term_set(context) | term_set(text):
        return None
    lines = [line for line in _LINE.finditer(text) if line.group().strip()]
    if not _RELEASED.search(narrow(question)):
        rest = lines[1:] if lines and len(lines) > 1 and own & _versions(lines[0].group()) else lines
        return (rest[0].start(), rest[-1].end()) if rest else None
    for line in lines[:2]:
        days = [span for span in values(line.group()) if span.kind in _DAY]
        words = len(re.findall(r"[^\W\d_]{2,}", line.group()))
        if days and (own & _versions(line.group()) or words <= _SPARE):
            return line.start() + days[-1].start, line.start() + days[-1].end
    return None


def _versions(text: str) -> set[str]:
    return {found.lower() for found in _VERSION.findall(narrow(text))}
