"""Which box, order or version a text speaks of: numbers and identifiers beside their nouns.

"Which crew cleans room 7?" is not answered by a sentence about room 8, or shelf 7. `other_thing` says so,
and only where the text itself names the rival.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from ragheal.text.analyze import stem
from ragheal.text.numerals import HAN_NUMERAL, number_value
from ragheal.text.questions import Question
from ragheal.text.script import narrow
from ragheal.text.units import UNIT
from ragheal.types import Value


class Mention(Value, frozen=True):
    """A noun with the numbers it is told with ("rooms 5-9 and 12"), each an interval; `at`: where it stands."""

    noun: str
    spans: tuple[tuple[float, float], ...]
    letters: frozenset[str]
    at: int

    def covers(self, other: Mention) -> bool:
        """Whether all that the other names is among what this one names."""
        inside = all(any(low <= one and last <= high for low, high in self.spans) for one, last in other.spans)
        return inside and other.letters <= self.letters


#: Nouns that are told apart by a number; other nouns count only when both texts use them so.
_NOUNS = frozenset(
    map(
        stem,
        """
        room box shelf rack bay floor level building house gate door platform track line lane bus tram train flight
        route road highway chapter section article clause paragraph part page table figure appendix annex step item
        entry row column order ticket invoice case issue bug version release edition volume phase stage class grade
        group team crew unit lot plot zone area sector region district ward block batch model type series station
        stop exit terminal port pump valve machine engine tank silo warehouse dock berth pier hall lab apartment flat
        suite desk seat locker cabin bed lesson module course episode season round question rule regulation form plan
        tier option building camera sensor channel slot bin pallet crate container drawer window counter court field
        lift elevator staircase tower wing cell trolley truck van car boat ship tour day week quarter task
        """.split(),
    )
)
_NUMBER = r"(?:\d+(?:\.\d+)*[a-z]?|[A-Z]\d*|[A-Z]-?\d+)(?![A-Za-z\d_%°]|[.,:]\d)"
_SEVERAL = rf"{_NUMBER}(?:\s*(?:,|and|or|&|,\s*and|-|–|to|through)\s*(?:no\.?\s*)?{_NUMBER})*"
_ENGLISH = re.compile(
    rf"\b([A-Za-z][a-z]{{1,}})\s+(?:(?:no|nr|number|num)\.?\s*|#\s?)?({_SEVERAL})(?![-–]?\s?{UNIT})"
)
_PIECE = re.compile(rf"({_NUMBER})(?:\s*(?:-|–|to|through)\s*({_NUMBER}))?")
# Words that stand before an amount or a date, not before the number of a thing.
_NO_NOUN = frozenset(
    """
    in on at by to from of for with and or the a an is are was were be been about over under than least most only
    until since before after between around within per every each all some january february march april may june
    july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec year years
    nearly almost approximately exactly some another these those up down has have had costs cost weighs holds takes
    contains measures runs serves needs requires seats i python java
    """.split()
)
_HAN_NUM = rf"(?:\d+(?:\.\d+)*[A-Za-z]?|[A-Za-z](?![A-Za-z])|{HAN_NUMERAL}+)"
_HAN_SEVERAL = rf"{_HAN_NUM}(?:\s*(?:、|和|与|及|或|至|到|-|–|~|～)\s*{_HAN_NUM})*"
_HAN_PIECE = re.compile(rf"({_HAN_NUM})(?:\s*(?:至|到|-|–|~|～)\s*({_HAN_NUM}))?")
_AFTER = "箱柜架楼房门桌床车库线机仓窗井船厅院桥站台泵炉罐馆路店铺灯塔阀池口座梯"
_HAN = re.compile(
    rf"(?:({_HAN_SEVERAL})\s?[号號#](?:的)?("
    rf"仓库|货架|货柜|货位|会议室|教室|病房|病床|车间|机器|机房|设备|站台|航站楼|展厅|窗口|门店|电梯|储罐|水泵|泵站|宿舍|公寓|线路|生产线|[{_AFTER}])"
    rf"|第\s?({_HAN_SEVERAL})\s?([章条節节款项页卷层楼季届期版轮组步课集回册号])"
    rf"|()(版本|房间|箱子|订单|工单|发票|型号|会议室|教室|病房|附录|附件|表|图|步骤|阶段|等级|方案)\s?(?:号|第)?\s?({_HAN_SEVERAL})(?!\s?[个年月日天元人名位]))"
)


@lru_cache(maxsize=2048)
def mentions(text: str) -> tuple[Mention, ...]:
    """Every noun that is told with a number or a letter, in order."""
    plain = narrow(text)
    found = [
        Mention(stem(match[1].lower()), *_numbers(_PIECE, match[2]), match.start())
        for match in _ENGLISH.finditer(plain)
        if match[1].lower() not in _NO_NOUN and (stem(match[1].lower()) in _NOUNS or match[2][0].isdigit())
    ]
    for match in _HAN.finditer(plain):
        number, noun = (
            (match[1], match[2]) if match[2] else (match[3], match[4]) if match[4] else (match[7], match[6])
        )
        found.append(Mention(noun, *_numbers(_HAN_PIECE, number), match.start()))
    return tuple(sorted(found, key=lambda mention: mention.at))


def _numbers(piece: re.Pattern[str], text: str) -> tuple[tuple[tuple[float, float], ...], frozenset[str]]:
    """Plain numbers as intervals; letters and what mixes both ("2b", "4.2") by their spelling."""
    spans: list[tuple[float, float]] = []
    letters: set[str] = set()
    for match in piece.finditer(text):
        if not re.fullmatch(rf"\d+|{HAN_NUMERAL}+", match[1]):
            letters |= {part.lower().replace("-", "") for part in match.groups() if part}
            continue
        low = number_value(match[1]) or 0.0
        high = number_value(match[2]) if match[2] else low
        spans.append((low, max(low, high or low)))
    return tuple(spans), frozenset(letters)


# --- identifiers -----------------------------------------------------------------------------------------

_IDENTIFIER = re.compile(
    r"(?<![A-Za-z\d_.-])(?:v(?:ersions?)?\.?\s?|版本\s?)\d+(?:\.\d+)*(?:[-+][a-z][\w.]*)?(?!\.?\d)"
    r"|(?<![A-Za-z\d_.-])\d+(?:\.\d+){2,}(?:[-+][a-z][\w.]*)?(?!\.?\d)"
    r"|(?<![A-Za-z\d_.-])[A-Za-z]{1,8}(?:-[A-Za-z]{1,8})?-?\d+(?:[-.]?\d+)*[A-Za-z]?(?![A-Za-z\d_])",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(?:later|newer|above|higher|onwards?|since|earlier|older|before|prior|below|at least|up to|all versions)\b|\+|≥|<=|>=|以上|以下|以后|之后|之前|及更|起",
    re.IGNORECASE,
)


@lru_cache(maxsize=2048)
def identifiers(text: str) -> tuple[tuple[str, str, int], ...]:
    """Identifiers with digits: the family ("tr", "version"), what tells one of it from another, where it stands."""
    found = []
    for match in _IDENTIFIER.finditer(narrow(text)):
        word = match.group().lower()
        version = re.fullmatch(r"(?:v(?:ersions?)?\.?\s?|版本\s?)?(\d+(?:\.\d+)*.*)", word)
        if version:
            found.append(("version", version[1], match.start()))
        elif not re.fullmatch(r"(?:q|h|fy)\d+", word):
            family = re.match(r"[a-z-]+", word)
            if family:
                found.append((family.group().strip("-"), word[family.end() :], match.start()))
    return tuple(found)


def _is_one(own: str, asked: str) -> bool:
    """2.3.1 is a 2.3."""
    return own == asked or own.startswith(f"{asked}.") or own.startswith(f"{asked}-")


# --- what a question is about ----------------------------------------------------------------------------

_PRONOUN = re.compile(
    r"^\W*(?:it|they|this|these|that|he|she|its|their)\b|^\W*(?:它|该|此|其|他|她|这)", re.IGNORECASE
)


def other_thing(question: Question, sentence: str, heading: str = "") -> str | None:
    """Why a sentence speaks of another thing than the question: "other number", "other identifier"; None if not.

    The heading's own numbers count as the sentence's, unless the sentence begins with a rival.
    """
    if _other_identifier(question.text, sentence, heading):
        return "other identifier"
    own, above = mentions(sentence), mentions(heading)
    for asked in mentions(question.text):
        known = asked.noun in _NOUNS or not asked.noun.isascii()
        if asked.noun in {"version", "版本"} or (question.yes_no and not known):
            continue  # a version is told by its identifier; "is the limit 50?" is answered by another number
        kin = [one for one in own if one.noun == asked.noun]
        over = [one for one in above if one.noun == asked.noun]
        if any(one.covers(asked) for one in kin):
            continue
        if any(one.covers(asked) for one in over):
            if kin and _leads(sentence, kin[0].at):
                return "other number"
        elif kin or (known and (over or _elsewhere(asked, own, sentence))):
            return "other number"
    return None


def _elsewhere(asked: Mention, own: Sequence[Mention], sentence: str) -> bool:
    """Whether the number asked for stands beside another noun only, and the noun asked for nowhere."""
    if _PRONOUN.match(sentence) or asked.noun in {stem(word) for word in re.findall(r"[a-z]+", sentence.lower())}:
        return False
    if asked.noun.isascii():
        return any(one.covers(asked) and one.noun in _NOUNS for one in own)
    return asked.noun not in sentence and any(one.covers(asked) and not one.noun.isascii() for one in own)


def _other_identifier(question: str, sentence: str, heading: str) -> bool:
    own, above = identifiers(sentence), identifiers(heading)
    for family, number, _ in identifiers(question):
        kin = [one for one in own if one[0] == family]
        over = [one for one in above if one[0] == family]
        if any(_is_one(one[1], number) for one in kin):
            continue
        if any(_is_one(one[1], number) for one in over):
            rivals = kin if kin and _leads(sentence, kin[0][2]) else []
        else:
            rivals = [*kin, *over]
        if rivals and not _OPEN.search(sentence) and not _within(number, rivals, sentence):
            return True
    return False


def _leads(sentence: str, at: int) -> bool:
    """Whether something stands where the subject of a sentence does, and is not what it is told apart from."""
    before = sentence[:at].strip()
    return (
        len(before.split()) <= 2
        and len(before) < 14
        and not re.search(r"(?i)\b(?:from|than|unlike|before|after|since|until|of)$", before)
    )


def _within(number: str, rivals: list[tuple[str, str, int]], sentence: str) -> bool:
    """TR-1180 to TR-1190 holds TR-1185."""
    if len(rivals) != 2 or not re.search(r"\d\s*(?:-|–|to|through|至|到|~)\s*[A-Za-z\d]", sentence):
        return False
    try:
        low, asked, high = (
            tuple(int(part) for part in re.findall(r"\d+", text)) for text in (rivals[0][1], number, rivals[1][1])
        )
    except ValueError:
        return False
    return low <= asked <= high
