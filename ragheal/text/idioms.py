"""Amounts that are said without a number, in digits: half an hour, a dozen, two thirds, 一个半小时, 半年."""

from __future__ import annotations

import re
from collections.abc import Callable

from ragheal.text.numerals import HAN_NUMERAL, number_value
from ragheal.text.units import UNITS

_WORDS = r"(?:\d+(?:\.\d+)?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
#: Units of English that are words: "a day" is one day, "a m" is nothing.
_UNIT = "|".join(sorted((name for name in UNITS if re.fullmatch("[a-z]{3,}", name)), key=len, reverse=True))
_UNIT = rf"(?:{_UNIT})\b"
_PARTS = {"half": 2, "halve": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}
_PART = rf"(?:{'|'.join(_PARTS)})"
_HAN = rf"(?:\d+|{HAN_NUMERAL}+)"
_HAN_UNIT = r"(?=个?(?:小时|钟头|天|年|月|公斤|公里|米|吨|升|斤|岁|周|星期|里))"


def _share(part: float) -> str:
    return f"{100 * part:.6g}%"


def _of_unit(match: re.Match[str]) -> str:
    return f"{(number_value(match[1]) or 1.0) / _PARTS[match[2]]:g} {match[3]}"


_RULES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), put)
    for pattern, put in (
        (rf"\b({_WORDS}) and (?:a half|half a)\b", lambda m: f"{(number_value(m[1].lower()) or 0) + 0.5:g}"),
        (rf"\b(?:an?|one) ({_UNIT}) and a half\b", lambda m: f"1.5 {m[1]}"),
        (rf"\b({_WORDS}|a) ({_PART})s? of an? ({_UNIT})", lambda m: _of_unit(_lower(m))),
        (rf"\b()(half|quarter)[ -]an? ({_UNIT})", lambda m: _of_unit(_lower(m))),
        (rf"\b(?:an? )()(half)[ -]({_UNIT})", lambda m: _of_unit(_lower(m))),
        (rf"\b(an?|one|two|three|four)[ -]({_PART})s?(?= of\b|\W*$)",
         lambda m: _share((number_value(m[1].lower()) or 1.0) / _PARTS[m[2].lower()])),
        (r"\bhalf(?= of\b|\W*$| the\b)", lambda m: "50%"),
        (r"\bonce(?= (?:a|an|per|every)\b)", lambda m: "1 time"),
        (r"\btwice\b(?! as\b)", lambda m: "2 times"),
        (r"\bhalf a dozen\b", lambda m: "6"),
        (rf"(?<!per )(?<![/\d])(?<!time )(?<!times )(?<!\d\s)\b(?:an|a) (?=(?:single )?{_UNIT})", lambda m: "1 "),
        (rf"({_HAN})(?=[到至]{_HAN})", lambda m: f"{number_value(m[1]) or 0:g}"),
        (rf"({_HAN})(?=个半|年半|天半|公里半|岁半)(个?)(年|天|公里|岁)?半",
         lambda m: f"{(number_value(m[1]) or 0) + 0.5:g}{m[2]}{m[3] or ''}"),
        (rf"半(?:个)?{_HAN_UNIT}", lambda m: "0.5"),
        (r"一刻钟", lambda m: "15分钟"),
        (rf"({_HAN})打(?=[\W]|$|[\u4e00-\u9fff]{{1,4}}$)", lambda m: f"{12 * (number_value(m[1]) or 1):g}"),
        (rf"({HAN_NUMERAL}+)分之({HAN_NUMERAL}+)", lambda m: _han_share(m)),
        (r"一半", lambda m: "50%"),
    )
)  # fmt: skip


def _lower(match: re.Match[str]) -> re.Match[str]:
    again = match.re.match(match.group().lower())
    return again or match


def _han_share(match: re.Match[str]) -> str:
    bottom, top = number_value(match[1]), number_value(match[2])
    return match.group() if match[1] == "百" or not bottom or top is None else _share(top / bottom)


def plainly(text: str) -> str:
    """The text with such amounts in digits; its length may change."""
    for pattern, put in _RULES:
        text = pattern.sub(put, text)
    return text
