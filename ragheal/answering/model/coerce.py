"""Typed coercion: what counts as a truth value, a score, a number of a hit. Whole strings only, never parts."""

from __future__ import annotations

import math
import re
from typing import Any

from ragheal.text.numerals import number_value
from ragheal.text.script import fold, simplified

_TRUE = frozenset(
    {"true", "yes", "y", "t", "1", "sufficient", "complete", "是", "对", "真", "足够", "充分", "完整", "有"}
)
_FALSE = frozenset(
    {"false", "no", "n", "f", "0", "insufficient", "not sufficient", "incomplete", "not complete", "partial",
     "partially", "null", "none", "否", "不", "假", "不是", "不足", "不够", "不充分", "不完整", "部分", "没有", "无"}
)  # fmt: skip
_SCORES = {
    "very high": 95.0, "strong": 90.0, "high": 85.0, "relevant": 80.0, "medium": 60.0, "partial": 60.0,
    "moderate": 60.0, "partially relevant": 60.0, "low": 20.0, "weak": 20.0, "irrelevant": 0.0,
    "not relevant": 0.0, "none": 0.0, "高": 85.0, "中": 60.0, "低": 20.0, "相关": 80.0, "部分相关": 60.0,
    "不相关": 0.0, "无关": 0.0,
}  # fmt: skip
_NUMBER = re.compile(r"([-+]?\d+(?:\.\d+)?)\s*(%|％|/\s*(?:100|10|5|1)|out of (?:100|10|5)|分)?")
_WORDS = re.compile(
    r"(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    r"|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|[\s-]|percent)+|[零〇一二两三四五六七八九十百]+|百分之[零一二三四五六七八九十百]+"
)
_MOST = 8  # lines of a list
_CONTROL = re.compile(r"[\x00-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2066-\u2069]+")


def plain(text: str) -> str:
    """A word for comparison: folded, simplified, underscores and hyphens as blanks, outer punctuation off."""
    text = re.sub(r"[\s_-]+", " ", simplified(fold(text))).strip()
    return text.strip(" .,;:!?\"'`*()[]。，；：！？“”‘’")


def truth(value: Any) -> bool | None:
    """True or False for what says so as a whole; None for everything else ("maybe", 0.7, a sentence)."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return bool(value) if value in (0, 1) else None
    if isinstance(value, str):
        word = plain(value)
        return True if word in _TRUE else False if word in _FALSE else None
    return None


class Score:
    """A number as it was given, with what its writing says of the scale (None: not said)."""

    def __init__(self, value: float, top: float | None, fraction: bool) -> None:
        self.value, self.top, self.fraction = value, top, fraction

    def of_hundred(self, *, fractions: bool) -> float | None:
        """On the scale 0–100; None when out of range. `fractions`: the reply counts from 0 to 1."""
        top = self.top or (1.0 if fractions else 100.0)
        if self.value > top:
            return None
        return max(0.0, 100.0 * self.value / top)


def score(value: Any) -> Score | None:
    """A score from a number, a numeral in words, "85%", "8/10", "high"; None for everything else."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        if isinstance(value, int) and abs(value) > 10**9:  # too long for a float, and no score
            return None
        if not math.isfinite(value):
            return None
        return Score(float(value), None, isinstance(value, float) and 0 <= value <= 1)
    if not isinstance(value, str):
        return None
    word = plain(value)
    if word in _SCORES:
        return Score(_SCORES[word], 100.0, False)
    text = fold(value).strip()
    match = _NUMBER.fullmatch(text)
    if match:
        unit = (match[2] or "").strip()
        tail = re.search(r"\d+$", unit)
        top = 100.0 if unit in {"%", "％", "分"} else float(tail.group()) if tail else None
        number = float(match[1])
        return Score(number, top, top is None and "." in match[1] and 0 <= number <= 1)
    if word and _WORDS.fullmatch(word):
        number_ = number_value(word)
        return None if number_ is None else Score(number_, 100.0, False)
    return None


def ordinal(value: Any) -> int | None:
    """The number of a hit, claim or part: 3, "3", "[3]", "hit 3", "第3条"."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 1e6 else None
    if isinstance(value, str):
        match = re.fullmatch(
            r"(?:hit|source|passage|claim|part|sub question|#|no|第|来源|命中)?\s*(\d{1,4})\s*(?:条|个|号|句)?",
            plain(value),
        )
        return int(match[1]) if match else None
    return None


def words(value: Any, limit: int = 200) -> str:
    """One line of text; "" for what is no text."""
    if isinstance(value, list):
        value = "; ".join(words(item, limit) for item in value[:6] if isinstance(item, str | int | float))
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    text = " ".join(_CONTROL.sub(" ", str(value)).split())
    if plain(text) in {"", "none", "null", "n/a", "nan", "无", "没有", "..."}:
        return ""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def texts(value: Any, limit: int = 200) -> tuple[str, ...]:
    """A list of lines; a lone text is a list of one, repeats are dropped."""
    items = value if isinstance(value, list) else [value]
    found = (words(item, limit) for item in items[: 4 * _MOST] if isinstance(item, str | int | float))
    return tuple(dict.fromkeys(text for text in found if text))[:_MOST]
