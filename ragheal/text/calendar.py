"""Dates, clock times, weekdays and periods in every common spelling, for `facts.py`.

3 March 2026 · March 3rd, 2026 · 2026-03-03 · 2026年3月3日 · 二〇二六年三月三日;
12:30 PM · 12:30 · 中午12点半; Wednesday · 星期三; the 1990s · 90年代 · 19th century · 十九世纪.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from ragheal.text.numerals import number_value
from ragheal.text.values import MONTH, MONTHS

Day = tuple[int, int, int]
Found = tuple[Literal["date", "clock", "weekday", "period"], set[Day], set[str], re.Match[str]]

_HAN = "[一二三四五六七八九十]{1,3}"
_YEAR = r"(?:\d{4}|[〇零一二三四五六七八九]{4})"
_ISO = re.compile(r"(?<![\d.])(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d|[-./]\d)")
_ISO_MONTH = re.compile(r"(?<![\d.-])((?:19|20)\d{2})-(0[1-9]|1[0-2])(?![\d-])")
_SLASHED = re.compile(r"(?<![\d.])(\d{1,2})([/.])(\d{1,2})\2(\d{4})(?!\d)")
_COMPACT = re.compile(r"(?<!\d)((?:19|20)\d{2})(0[1-9]|1[0-2])([0-2]\d|3[01])(?!\d)")
_CHINESE = re.compile(
    rf"(公元前)?({_YEAR}|\d{{1,3}}(?=\s?年\s?\d{{1,2}}\s?月))\s?年(?!代|级)(?:\s?(\d{{1,2}}|{_HAN})\s?月(?:份)?(?:\s?(\d{{1,2}}|{_HAN})\s?[日号])?)?"
    rf"|()(?<![\d.])(\d{{1,2}}|{_HAN})\s?月\s?(\d{{1,2}}|{_HAN})\s?[日号]"
)
_CHINESE_MONTH = re.compile(rf"(?<![\d.个])(\d{{1,2}}|{_HAN})\s?月(?!亮|光|饼|球|台|租|薪|嫂|票|卡|费)")
_DAY_FIRST = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?[\s-](?:of\s)?({MONTH})(?:,?[\s-](\d{{4}})\b)?(?![a-z])")
_MONTH_FIRST = re.compile(rf"\b({MONTH})\s(\d{{1,2}})(?:st|nd|rd|th)?(?:\s?,?\s(\d{{4}}))?(?![\d:]|\.\d)")
_MONTH_YEAR = re.compile(rf"\b({MONTH}),?\s(?:of\s)?(\d{{4}})(?!\d)")
_MONTH_ALONE = re.compile(
    rf"\b(?:in|by|since|until|of|from|to|before|after|during|early|late|mid|every|each|next|last|this)[\s-]({MONTH})\b"
)
_MONTH_ANY = re.compile(rf"\b({'|'.join(MONTHS)})\b")
_BCE = re.compile(r"\b(\d{1,4})\s(?:bce?)\b")

_PART = "上午|下午|凌晨|早上|早晨|清晨|晚上|傍晚|夜里|夜间|深夜|中午|正午"
_CLOCK = re.compile(
    rf"({_PART})?\s?(?<![\d.:])(\d{{1,2}}):([0-5]\d)(?::([0-5]\d))?(?!\d|:\d)(?:\s?([ap])\.?m\b\.?)?"
)
_CLOCK_AM = re.compile(r"(?<![\d.:])(\d{1,2})\s?([ap])\.?m\b\.?")
_CLOCK_HAN = re.compile(
    rf"({_PART})?\s?(?<![\d.])(\d{{1,2}}|(?:[一二两三四五六七八九十]{{1,3}}|零)(?=[点时]))\s?[点时](?!间|候|代|期|效|段|长|区|尚|机|常|五?[{'一二三四五六七八九'}]?[%％倍])"
    rf"(?:\s?(\d{{1,2}}|[一二三四五六七八九十]{{1,3}})\s?分(?!之|钟)|(半|一刻|三刻|整|钟))?"
)
_NOON = re.compile(r"\b(?:noon|midday)\b|正午|\bmidnight\b|午夜")

_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_WEEKDAY = re.compile(
    rf"\b({'|'.join(_DAYS)})s?\b|(?:星期|礼拜|周)([一二三四五六日天])(?!次|个|晚|回|遍|年|期|岁|夜)"
)
_PERIOD = re.compile(
    r"\b((?:1\d|20)\d)0s\b|((?:1\d|20)?\d)0\s?年代|\b(\d{1,2})(?:st|nd|rd|th)[- ]century\b"
    r"|(\d{1,2}|[一二三四五六七八九十]{1,3})\s?世纪(?:(\d)0年代)?"
    r"|\bq([1-4])\b|\b(first|second|third|fourth) quarter\b|第?([一二三四1-4])季度"
)


def find(text: str, written: str, *, loose: bool) -> Iterator[Found]:
    """Everything of the calendar in a lower-case text, in order of precedence: the first to take a place has it.

    `written` is the same text with its capitals, which tell May from "may".
    """
    yield from _dates(text, written, loose=loose)
    yield from _clocks(text)
    for match in _WEEKDAY.finditer(text):
        number = _DAYS.index(match[1]) if match[1] else "一二三四五六日".index(match[2].replace("天", "日"))
        yield "weekday", set(), {f"weekday {number}"}, match
    for match in _PERIOD.finditer(text):
        yield "period", set(), _period(match), match


def _dates(text: str, written: str, *, loose: bool) -> Iterator[Found]:
    def named(match: re.Match[str], group: int) -> bool:
        return match[group] not in {"may", "march", "mar"} or written[match.start(group)].isupper()

    for match in _ISO.finditer(text):
        if match[2] != "." or not loose:  # 2025.18.3 may be a version
            yield from _date(match, {(int(match[1]), int(match[3]), int(match[4]))})
    for match in _SLASHED.finditer(text):
        one, other, year = int(match[1]), int(match[3]), int(match[4])
        yield from _date(match, {(year, one, other), (year, other, one)})
    if loose:
        for match in _COMPACT.finditer(text):
            yield from _date(match, {(int(match[1]), int(match[2]), int(match[3]))})
    for match in _DAY_FIRST.finditer(text):
        if match[3] or named(match, 2):
            yield from _date(match, {(int(match[3] or 0), _month(match[2]), int(match[1]))})
    for match in _MONTH_FIRST.finditer(text):
        if match[3] or named(match, 1):
            yield from _date(match, {(int(match[3] or 0), _month(match[1]), int(match[2]))})
    for match in _MONTH_YEAR.finditer(text):
        yield from _date(match, {(int(match[2]), _month(match[1]), 0)})
    for match in _CHINESE.finditer(text):
        first, month, day = (match[2], match[3], match[4]) if match[2] else ("", match[6], match[7])
        sign = -1 if match[1] else 1
        yield from _date(match, {(sign * _int(first), _int(month), _int(day))})
    for match in _ISO_MONTH.finditer(text):
        yield from _date(match, {(int(match[1]), int(match[2]), 0)})
    for match in _CHINESE_MONTH.finditer(text):
        yield from _date(match, {(0, _int(match[1]), 0)})
    for match in (_MONTH_ANY if loose else _MONTH_ALONE).finditer(text):
        if named(match, 1):
            yield from _date(match, {(0, _month(match[1]), 0)})
    for match in _BCE.finditer(text):
        yield from _date(match, {(-int(match[1]), 0, 0)})


def _date(match: re.Match[str], days: set[Day]) -> Iterator[Found]:
    valid = {day for day in days if 0 <= day[1] <= 12 and 0 <= day[2] <= 31 and any(day)}
    if valid:
        yield "date", valid, set(), match


def _month(word: str) -> int:
    return next((number for number, name in enumerate(MONTHS, 1) if name.startswith(word[:3])), 0)


def _int(text: str | None) -> int:
    value = number_value(text) if text else None
    return int(value) if value is not None else 0


def _clocks(text: str) -> Iterator[Found]:
    for match in _CLOCK.finditer(text):
        half = {"a": "am", "p": "pm"}.get(match[5] or "", match[1] or "")
        yield from _clock(match, int(match[2]), int(match[3]), int(match[4] or 0), half)
    for match in _CLOCK_AM.finditer(text):
        yield from _clock(match, int(match[1]), 0, 0, "am" if match[2] == "a" else "pm")
    for match in _CLOCK_HAN.finditer(text):
        minute = {"半": 30, "一刻": 15, "三刻": 45}.get(match[4] or "", _int(match[3]))
        told = match[1] or match[3] or match[4]
        if not told and not match[2].isdigit():
            continue  # 三点 counts points as often as hours
        readings = {} if told else {match[2]}
        for kind, days, found, where in _clock(match, _int(match[2]), minute, 0, match[1] or ""):
            yield kind, days, found | set(readings), where
    for match in _NOON.finditer(text):
        yield "clock", set(), {"clock 0" if match.group() in {"midnight", "午夜"} else "clock 43200"}, match


def _clock(match: re.Match[str], hour: int, minute: int, second: int, half: str) -> Iterator[Found]:
    if hour > 24 or minute > 59:
        return
    if (
        half in {"pm", "下午", "晚上", "傍晚", "夜里", "夜间", "深夜"}
        and 1 <= hour < 12
        and not (half in {"夜里", "深夜", "夜间"} and hour < 6)
    ):
        hour += 12
    elif half in {"am", "凌晨", "晚上", "深夜", "夜里"} and hour == 12:
        hour = 0
    elif half == "中午" and hour in {1, 2}:
        hour += 12
    yield "clock", set(), {f"clock {(hour * 3600 + minute * 60 + second) % 86400}"}, match


def _period(match: re.Match[str]) -> set[str]:
    if match[1]:
        return {f"decade {match[1]}", f"decade {match[1][-1]}"}
    if match[2]:
        return {f"decade {match[2]}", f"decade {match[2][-1]}"} if len(match[2]) > 1 else {f"decade {match[2]}"}
    if match[3]:
        return {f"century {match[3]}"}
    if match[4]:
        century = _int(match[4])
        return {f"decade {century - 1}{match[5]}"} if match[5] else {f"century {century}"}
    word = match[6] or match[7] or match[8]
    number = {"first": "1", "second": "2", "third": "3", "fourth": "4"}.get(word) or f"{_int(word)}"
    return {f"quarter {number}"}
