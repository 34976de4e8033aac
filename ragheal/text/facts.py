"""The checkable facts of a text: numbers with their units, dates, clock times, weekdays, versions, identifiers.

`values.py` finds what a reader would underline; this reads the same grammar for verification, where a unit
counts ("5 GB" is not "5 MB") and one thing has many spellings: 1,200 · 1 200 · 一千二百 · twelve hundred.
A fact that can be read in several ways ("5 m", "3/4/2026") keeps all of its readings; two facts are the
same when one reading of each is.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from ragheal.text import calendar as _calendar
from ragheal.text.numerals import HAN_NUMERAL, number_value
from ragheal.text.script import has_han, narrow
from ragheal.text.units import CURRENCY, UNIT, unit
from ragheal.text.values import NUM
from ragheal.types import Value

Kind = Literal["number", "date", "clock", "weekday", "period", "identifier"]


class Fact(Value, frozen=True):
    """One checkable thing. `readings` compare equal for equal things however they are written.

    A number's readings are "value dimension" with the value in the dimension's base unit, "value" alone for
    its plain magnitude; `units` are the dimensions it is in (empty: none was written).
    """

    kind: Kind
    text: str
    readings: frozenset[str]
    units: frozenset[str] = frozenset()
    plain: frozenset[float] = frozenset()
    dates: frozenset[tuple[int, int, int]] = frozenset()  # year, month, day; 0: not said


LOWER = {code: code + 32 for code in range(65, 91)}  # the length is kept, which lower() does not promise
_SPACED = re.compile(r"(?<![\d.,:])\d{1,3}(?: \d{3})+(?![\d,:])(?!\.\d{4})")


@lru_cache(maxsize=512)
def facts(text: str, *, loose: bool = False) -> tuple[Fact, ...]:
    """Every fact of a text in no particular order. `loose` also takes what only may be one (for a source)."""
    written = narrow(text)
    joined = _SPACED.sub(lambda match: match.group().replace(" ", ""), written)
    found: list[Fact] = []
    if loose and joined != written:
        found += _numbers(_Rest(written), loose=True)  # "12 300" may be two cells of a table as well
    rest = _Rest(joined)
    for kind, dates, readings, match in _calendar.find(rest.text, joined, loose=loose):
        shown = rest.take(match)
        if shown is not None:
            numbers = frozenset(float(date[0]) for date in dates if date[0])
            found.append(Fact(kind, shown, frozenset(readings), plain=numbers, dates=frozenset(dates)))
    for match in _IDENTIFIER.finditer(rest.text):
        if _is_name(match.group()) and (shown := rest.take(match)):
            found.append(Fact("identifier", shown, frozenset({identity(shown)})))
    found += _numbers(rest, loose=loose)
    return tuple(found)


class _Rest:
    """What of a text is not read yet, in lower case. Taken parts are blanked out: nothing is read twice."""

    def __init__(self, written: str) -> None:
        self._written = written
        self.text = written.translate(LOWER)

    def take(self, match: re.Match[str]) -> str | None:
        """The match as it was written; None when a part of it is taken."""
        start, end = match.span()
        if self.text[start:end] != match.group() or not match.group().strip():
            return None
        self.text = f"{self.text[:start]}{' ' * (end - start)}{self.text[end:]}"
        return self.shown(match)

    def shown(self, match: re.Match[str]) -> str:
        return self._written[match.start() : match.end()].strip()


# --- identifiers -----------------------------------------------------------------------------------------

_IDENTIFIER = re.compile(
    r"`[^`\n]{1,80}`"
    r"|(?<![a-z\d_.])(?:version |版本 ?)?v?\d+(?:\.\d+){2,}(?:[-+.]?[a-z][\w.-]*)?(?!\d)"  # 2.3.1, 10.0.0.1
    r"|(?<![a-z\d_.])(?:version |版本 ?|v)\d+(?:\.\d+)*(?![\d])"
    r"|(?<![a-z\d_])[a-z]+(?:_[a-z\d]+)+(?![a-z\d_])"  # max_rounds
    r"|(?<![a-z\d_$€£¥.])(?=[a-z\d])(?=[a-z\d._/:@#+-]{0,60}?\d)(?=[a-z\d._/:@#+-]{0,60}?[a-z])[a-z\d]++(?:[-_/:@#+.][a-z\d]++)*+(?!_)",
)
# Digits joined to letters that are a number after all: 90-minute, 30s, 3rd, 1990s, 5gb, 1.5x, q3 and the like.
_COUNTED = re.compile(
    rf"(?:{NUM})-?(?:st|nd|rd|th|s|x|k|m|b|bn|mn|{UNIT}|[a-z]{{2,}}(?:-[a-z]+)*)"
    rf"|(?:{NUM})-(?:to|or|and|by|plus)-(?:{NUM})|(?:{NUM})-(?:{NUM})-?{UNIT}|(?:{NUM})[-/]?[a-z]+[-/](?:{NUM})?[a-z]*"
    rf"|{CURRENCY}(?:{NUM})[kmb]?"
)


def _is_name(text: str) -> bool:
    # The look-ahead of the pattern may have seen its digit beyond the end of the match.
    return bool(re.search(r"[\d`_]", text)) and not _COUNTED.fullmatch(text)


def identity(text: str) -> str:
    """The comparable form of an identifier: case, joints between letters and digits, a leading v do not count."""
    text = re.sub(r"^(?:version |版本 ?)", "", text.strip("` ").lower())
    text = re.sub(r"^v(?=\d)", "", text)
    return re.sub(r"(?<=[a-z])[-_ ](?=\d)|(?<=\d)[-_ ](?=[a-z])", "", text)


# --- numbers ---------------------------------------------------------------------------------------------

_ONES = "one|two|three|four|five|six|seven|eight|nine"
_WORD = (
    rf"(?:(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ](?:{_ONES}))?"
    rf"|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|zero|{_ONES})"
    r"(?!-?(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)\b)"
)
_BIG = r"(?:hundred|thousand|million|billion|trillion|dozen)"
_WORDS = (
    rf"\b(?:(?:a |half a )?{_BIG}|{_WORD}(?:[- ]{_BIG})*)(?:(?:(?<=hundred)|(?<=thousand)|(?<=million))"
    rf"(?: and)? {_WORD}(?:[- ]{_BIG})*)*\b"
)
_ORDINALS = "third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
_COUNTER = (
    "[个名位人次座条家所部种只辆张本场支件间层集站章首篇份台颗届艘架枚组类项级线路队国省市县区户代根块片对双套倍号楼期轮批"
    "箱盒瓶包桶单字行页列栏步笔款段道排成分点岁多余万亿档节环圈门卷盘盏扇股颗粒滴顿餐桌床亩人]"
)
_DIGITS = (
    rf"(?:{NUM})(?:\s?(?:thousand|million|billion|trillion|bn|mn)\b|[kmb](?![a-z\d²³/])"
    r"|[十百千万亿兆]+(?:\d+[百千万]*)?)?"
)
_NUMBER = re.compile(
    rf"(?P<neg>(?<![\w.,)\]%°℃])-|\b(?:minus|negative) |零下 ?|负 ?)?(?P<cur>{CURRENCY})?\s?"
    rf"(?P<num>(?<![\d.])(?:{_DIGITS})(?![\d])|{_WORDS}|{HAN_NUMERAL}+(?:点{HAN_NUMERAL}+)?|\b(?:{'|'.join(_ORDINALS)})\b)"
    rf"(?P<ord>st|nd|rd|th)?(?P<about>\s?[多余几])?[\s-]?(?P<unit>{UNIT})?(?P<below> below zero\b)?"
)
_FEW = re.compile(r"([一二两三四五六七八])([二三四五六七八九])")  # 五六个 is five or six
_RANGE = re.compile(r"\s?(?:-|–|—|~|〜|～|to|至|到|and|和|or|或)\s?$")
_PERCENT_HAN = re.compile(
    rf"百分之({NUM}|{HAN_NUMERAL}+(?:点{HAN_NUMERAL}+)?)|([一二三四五六七八九])成(?!立|为|功|员|本|果|年|都|长)"
)
_FRACTION = re.compile(rf"({HAN_NUMERAL}+)分之({HAN_NUMERAL}+)|(?<![\d/.-])(\d{{1,2}})/(\d{{1,2}})(?![\d/])")
_EN_FRACTION = re.compile(r"\b(one|two|three|four|five)[- ](third|quarter|fifth|sixth|eighth|tenth)s?\b")
_PARTS = {"third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}
# Words with numerals in them that count nothing.
_NO_COUNT = re.compile(
    "十分(?!之|钟)|万一|千万(?=不|别|要|注意)|百般|一一|三明治|五金|四川|九江|三峡|八卦|四处|千方百计"
)
# What an answer counts of its own: "two sources disagree", "分三步".
_OWN_COUNT = re.compile(
    r"(?:two|three|four|five|several) (?:\w+ )?(?:sources?|documents?|passages?|reasons?|steps?|parts?|ways?|"
    r"conditions?|things?|cases?|values?|answers?)\b"
    r"|[两二三四五][个种份条类步点](?=来源|文档|文件|说法|原因|步骤|部分|方面|情况|条件|方法|值|答案|步|点|：|:)"
)


def _numbers(rest: _Rest, *, loose: bool) -> list[Fact]:
    for pattern in (_NO_COUNT, *(() if loose else (_OWN_COUNT,))):
        for match in pattern.finditer(rest.text):
            rest.take(match)
    found: list[Fact] = []
    for match in _PERCENT_HAN.finditer(rest.text):
        value = number_value(match[1]) if match[1] else 10 * (number_value(match[2]) or 0)
        if value is not None and (shown := rest.take(match)):
            found.append(_number(shown, _decimal(match[1], value), {"%": 1.0}))
    for pattern in (_FRACTION, _EN_FRACTION):
        for match in pattern.finditer(rest.text):
            parts = [part for part in match.groups() if part]
            low, high = number_value(parts[0]), _PARTS.get(parts[1]) or number_value(parts[1])
            if low and high and (shown := rest.take(match)):
                top, bottom = (high, low) if "分之" in shown else (low, high)
                found.append(_number(shown, top / bottom, {}))
                if loose:
                    found += [_number(part, number_value(part) or 0.0, {}) for part in parts]
    before: tuple[int, float, str] | None = None  # a plain number whose unit may follow behind a range
    for match in _NUMBER.finditer(rest.text):
        value = _value(match["num"])
        name = (match["cur"] or "") + (match["unit"] or "")
        if value is None or not _counts(rest.text, match, loose=loose):
            continue
        if match["neg"] or match["below"]:
            value = -value
        known = unit(match["cur"] or match["unit"] or "") or {}
        shown = rest.shown(match) if match["neg"] else rest.shown(match).strip("- ")
        if before is not None and name and _RANGE.search(rest.text[before[0] : match.start("num")]):
            found.append(_number(f"{before[2]} {name}", before[1], known))
        single = (
            len(match["unit"] or "") == 1 and (match["unit"] or "").isascii() and (match["unit"] or "").isalpha()
        )
        found.append(_number(shown, value, known, bare=single or not name))
        few = _FEW.fullmatch(match["num"])
        if few and few[1] < few[2]:
            pair = frozenset(number_value(char) or 0.0 for char in match["num"])
            found[-1] = Fact("number", shown, frozenset(f"{one:.9g}" for one in pair), plain=pair)
        elif not match["cur"] and re.fullmatch(rf"(?:{NUM})m", match["num"] + (match["unit"] or "")):
            found[-1] = _number(shown, value, {"m": 1.0}, bare=True)
        before = None if name else (match.end("num"), value, shown)
    return found


def _value(text: str) -> float | None:
    if text in _ORDINALS:
        return float(_ORDINALS.index(text) + 3)
    if text.startswith("half a "):
        value = number_value(text.removeprefix("half a "))
        return value / 2 if value is not None else None
    value = number_value(text.replace("bn", "billion").replace("mn", "million"))
    return None if value is None else _decimal(text, value)


def _decimal(text: str, value: float) -> float:
    """三点五 is 3.5."""
    match = re.fullmatch(rf"({HAN_NUMERAL}+)点({HAN_NUMERAL}+)", text or "")
    if not match:
        return value
    whole = number_value(match[1]) or 0.0
    digits = "".join(f"{number_value(char):.0f}" for char in match[2])
    return float(f"{whole:.0f}.{digits}")


def _counts(text: str, match: re.Match[str], *, loose: bool) -> bool:
    """Whether a number word counts something; a lone "one" or 一 rarely does."""
    word = match["num"]
    if loose or word[0].isdigit() or match["neg"]:
        return True
    if has_han(word):
        before, after = text[: match.start("num")][-1:], text[match.end("num") :]
        if word in {"一", "零"}:
            return bool(
                re.match("年(?!级|度)|个月|小时|个小时|分钟|周(?!围|边)|个星期|公里|公斤|米|吨", after)
            ) and (before not in "每这同某有那第")
        if before == "第":
            return word not in {"一", "二", "两"}  # 第二天, 第一 order things more often than they count them
        return bool(match["unit"] or re.match(f"{_COUNTER}|[，。；、,.;）)\\s]|$", after))
    if word == "one":
        return bool(match["unit"])
    return True


def _number(shown: str, value: float, units: dict[str, float], *, bare: bool = False) -> Fact:
    readings = {f"{value * factor:.9g} {dimension}" for dimension, factor in units.items()}
    plain = f"{value:.9g}"
    if bare or not units:
        readings.add(plain)
    return Fact(
        "number", shown, frozenset(readings), frozenset() if bare else frozenset(units), frozenset({float(plain)})
    )
