"""Numbers however they are written: 1,200 · 1.2 million · twelve hundred · 一千二百 · 3.5万."""

from __future__ import annotations

import re

HAN_NUMERAL = "[零〇一二两三四五六七八九十百千万亿]"
_DIGITS = {char: i for i, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_SMALL = {"十": 10, "百": 100, "千": 1000}
_LARGE = {"万": 10_000, "亿": 100_000_000, "兆": 1_000_000_000_000}
_EN = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen".split()
    )
} | {
    word: 10 * value
    for value, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)
}
_EN_SCALE = {
    "hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000,
    "trillion": 1_000_000_000_000, "dozen": 12, "k": 1000, "m": 1_000_000, "b": 1_000_000_000,
}  # fmt: skip
_LONGEST = 24  # characters or words of one number; more is no number, and its value would know no bounds
_ARABIC = re.compile(r"[-−]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[-−]?\d+(?:\.\d+)?")


def number_value(text: str) -> float | None:
    """The first number of a text as a float, scale words applied; None when it holds none."""
    text = text.removeprefix("百分之")
    match = _ARABIC.search(text)
    if match:
        value = float(match.group().replace(",", "").replace("−", "-"))
        rest = text[match.end() :].lstrip(" 多余")
        scaled = False
        while rest and (scale := _LARGE.get(rest[0]) or _SMALL.get(rest[0])):
            value, rest, scaled = value * scale, rest[1:], True
        if scaled and rest[:1].isdigit():
            return value + (number_value(rest) or 0.0)  # 3亿5000万
        word = re.match(r"(thousand|million|billion|trillion|[kmb](?![a-z²³/]))", rest)
        return value * _EN_SCALE[word.group()] if word else value
    han = re.search(f"{HAN_NUMERAL}+", text)
    if han:
        return _han(han.group())
    return _english(text)


def _han(text: str) -> float | None:
    if len(text) > _LONGEST:
        return None
    if not any(char in _SMALL or char in _LARGE for char in text):
        # Digits read out: 二〇一六.
        return float("".join(str(_DIGITS[char]) for char in text))
    total = section = digit = 0
    for char in text:
        if char in _DIGITS:
            digit = _DIGITS[char]
        elif char in _SMALL:
            section += (digit or 1) * _SMALL[char]
            digit = 0
        else:
            total = (
                (total + section + digit or 1) * _LARGE[char]
                if char != "万"
                else total + (section + digit or 1) * 10_000
            )
            section = digit = 0
    if len(text) > 1 and text[-1] in _DIGITS and text[-2] in "百千万亿":
        digit *= (_SMALL.get(text[-2]) or _LARGE[text[-2]]) // 10  # 三万五 is 35,000
    return float(total + section + digit)


def _english(text: str) -> float | None:
    total = current = 0
    seen = False
    for word in re.findall(r"[a-z]+", text)[:_LONGEST]:
        if word in _EN:
            current += _EN[word]
        elif word in _EN_SCALE and len(word) > 1:
            scale = _EN_SCALE[word]
            current = (current or 1) * scale
            if scale >= 1000:
                total, current = total + current, 0
        elif seen and word == "and":
            continue  # one hundred and twenty
        elif seen:
            break
        else:
            continue
        seen = True
    return float(total + current) if seen else None
