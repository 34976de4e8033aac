"""Typed values in a text: dates, quantities, money, names …, with offsets and a form that can be compared.

Rules, not a model: they find what a careful reader would underline and are allowed to miss. The same
extractor serves the judge ("does this sentence hold a date?"), the conflict check ("do these two state
different dates?") and the verifier ("does this number stand in the cited text?").
"""

from __future__ import annotations

import re
from functools import lru_cache

from ragheal.text.names import names
from ragheal.text.numerals import HAN_NUMERAL, number_value
from ragheal.text.script import fold, has_han, simplified
from ragheal.types import Value as _Value


class Span(_Value, frozen=True):
    """A value in a text. `norm` is equal for equal values however they are written."""

    kind: str  # year, date, time, money, percent, duration, quantity, number, name, quoted, identifier
    start: int
    end: int
    text: str
    norm: str


MONTHS = "january february march april may june july august september october november december".split()
MONTH = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
NUM = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_SCALE = r"(?:\s?(?:thousand|million|billion|trillion|[kmb](?![a-z])))?"
_WORDS = (
    r"(?:(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?"
    r"|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen"
    r"|eighteen|nineteen|dozen|hundred|thousand|million|billion)"
)
_EN_NUMBER = rf"(?:(?:{NUM}){_SCALE}|{_WORDS}(?:\s(?:hundred|thousand|million|billion|dozen))*)"
_DURATION = r"(?:milli|micro)?(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|nights?|weeks?|months?|years?|decades?|ms)"
_UNIT = (
    r"(?:km²?|km/h|kilomet(?:er|re)s?|met(?:er|re)s?|cm|mm|centimet(?:er|re)s?|millimet(?:er|re)s?|miles?|mph|feet|foot|ft|inch(?:es)?"
    r"|yards?|acres?|hectares?|sq(?:uare)?\s\w+|kg|kilograms?|grams?|mg|tons?|tonnes?|pounds?|lbs?|litres?|liters?|ml|gallons?"
    r"|degrees?|°\s?[cf]?|celsius|fahrenheit|kelvin|volts?|watts?|kw|mw|gw|kwh|hz|khz|mhz|ghz|bytes?|[kmgt]i?b(?:/s|ps)?|bits?"
    r"|qps|rps|requests?(?:/s| per \w+)?|rpm|knots|bar|pa|kpa|psi|newtons?|joules?|m(?:²|³)?)"
)
_HAN_NUM = rf"(?:(?:{NUM})(?:多)?[十百千万亿兆]*|{HAN_NUMERAL}+)"
_HAN_UNIT = "平方公里|平方千米|平方米|立方米|公里|千米|厘米|毫米|英里|英尺|海里|公斤|千克|毫克|公顷|公吨|摄氏度|度|米|克|吨|升|亩|里|尺|斤|赫兹|伏|瓦|千瓦|兆瓦|字节|℃"
_HAN_TIME = "个小时|小时|分钟|秒钟|毫秒|秒|个工作日|工作日|个星期|星期|周年|周|个月|天|日(?!本|期|语)|年(?!代)"
_HAN_MONEY = "人民币|美元|美金|英镑|欧元|日元|日圆|港元|港币|新台币|台币|韩元|元|块钱|法郎|卢布|卢比"

_PATTERNS: tuple[tuple[str, str], ...] = (
    # Order matters: an earlier kind claims its characters.
    ("date", r"\b\d{4}-\d{1,2}-\d{1,2}\b|\b\d{4}/\d{1,2}/\d{1,2}\b"),
    ("date", rf"\b\d{{1,2}}(?:st|nd|rd|th)?\s(?:of\s)?{MONTH},?\s\d{{3,4}}\b|\b{MONTH}\s\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s\d{{4}})?\b"),
    ("date", rf"\b\d{{1,2}}(?:st|nd|rd|th)?\s{MONTH}\b|\b{MONTH},?\s(?:of\s)?\d{{4}}\b"),
    ("date", r"(?:公元前?)?(?:\d{1,4}|[〇零一二三四五六七八九]{4})\s?年\s?(?:\d{1,2}|[一二三四五六七八九十]{1,3})\s?月(?:\s?(?:\d{1,2}|[一二三四五六七八九十]{1,3})\s?[日号])?"),
    ("date", r"(?:\d{1,2}|[一二三四五六七八九十]{1,3})\s?月\s?(?:\d{1,2}|[一二三四五六七八九十]{1,3})\s?[日号]"),
    ("year", r"公元前?\d{1,4}\s?年|\d{4}\s?年(?:代)?|[〇零一二三四五六七八九]{4}年|\d{2}\s?年代|(?:\d{1,2}\s?|[一二三四五六七八九十]{1,3})世纪(?:\d{2}年代|[初中末]期?|上半叶|下半叶)?"),
    ("year", r"\b(?:early |mid-?|late )?(?:1\d{3}|20\d{2})s\b|\b\d{1,2}(?:st|nd|rd|th)(?:[- ]|\sand\s\d{1,2}(?:st|nd|rd|th)\s)centur(?:y|ies)\b|\b\d{1,4}\s(?:BCE?|AD|CE)\b|\bAD\s\d{1,4}\b"),
    ("time", r"\b\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]\.?m\.?)?|\b\d{1,2}\s?[ap]\.?m\b\.?|(?:上午|下午|凌晨|早上|晚上|中午)?\d{1,2}[点时](?:\d{1,2}分|半)?(?!间|候|代|期)"),
    ("identifier", r"\bv?\d+\.\d+\.\d+[\w.-]*\b|\bv\d+(?:\.\d+)*\b|\b[A-Za-z]\w*(?:_\w+)+\b|`[^`\n]{1,80}`|\b[A-Z]{1,6}-?\d+[A-Z\d-]*\b"),
    ("percent", rf"(?:{NUM})\s?(?:%|percent\b|per cent\b|percentage points?\b)|百分之(?:{NUM}|{HAN_NUMERAL}+)|[一二三四五六七八九]成(?!立|为|功|员|本|果|年|都|长)"),
    ("money", rf"(?:US|HK|NT|A|C)?[$€£¥]\s?(?:{NUM}){_SCALE}|\b{_EN_NUMBER}\s(?:US\s)?(?:dollars?|euros?|pounds sterling|yuan|yen|cents?|usd|eur|gbp|rmb|francs?|rupees?)\b|{_HAN_NUM}\s?(?:多|余)?(?:{_HAN_MONEY})"),
    ("duration", rf"\b{_EN_NUMBER}[\s-](?:(?:business|working|calendar|consecutive|full)\s)?{_DURATION}\b|{_HAN_NUM}\s?(?:多|余)?(?:{_HAN_TIME})"),
    ("quantity", rf"(?:\b{_EN_NUMBER}|[-−]\d+(?:\.\d+)?)[\s-]?{_UNIT}(?![A-Za-z])|{_HAN_NUM}\s?(?:多|余)?(?:{_HAN_UNIT})"),
    ("year", r"(?<![\d,.])(?:1[0-9]{3}|20[0-9]{2})(?![\d,]|\.\d)"),
    ("number", rf"(?<![\w.,])(?:{NUM}){_SCALE}(?:st|nd|rd|th)?(?![\w]*\d)|\b{_WORDS}(?:\s(?:hundred|thousand|million|billion|dozen))*\b"),
    ("number", rf"{_HAN_NUM}(?=多?[\u4e00-\u9fff])"),
)  # fmt: skip
_COMPILED = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _PATTERNS)
_QUOTED = re.compile(r"[\"“「『《]([^\"”」』》\n]{1,80})[\"”」』》]")
_LONE_HAN_DIGIT = re.compile(rf"^{HAN_NUMERAL}$")

#: Which kinds of value can answer which kind of question.
ANSWERS: dict[str, frozenset[str]] = {
    "date": frozenset({"date", "year", "time", "duration"}),
    "year": frozenset({"date", "year"}),
    "number": frozenset({"number", "quantity", "percent", "money", "duration", "year"}),
    "quantity": frozenset({"quantity", "number", "percent", "duration", "money"}),
    "money": frozenset({"money", "number", "percent"}),
    "percent": frozenset({"percent", "number"}),
    "duration": frozenset({"duration", "number", "date", "year"}),
    "age": frozenset({"number", "duration"}),
    "person": frozenset({"name", "quoted"}),
    "place": frozenset({"name", "quoted"}),
    "name": frozenset({"name", "quoted", "identifier"}),
    "choice": frozenset({"name", "quoted", "identifier", "number", "date", "year"}),
}
_NUMERIC = frozenset({"year", "date", "time", "money", "percent", "duration", "quantity", "number"})


@lru_cache(maxsize=4096)
def values(text: str) -> tuple[Span, ...]:
    """Every value of a text in order of position. Spans of names may overlap quoted ones, nothing else overlaps."""
    source = simplified(text) if has_han(text) else text
    taken = bytearray(len(source))
    found: list[Span] = []
    for kind, pattern in _COMPILED:
        for match in pattern.finditer(source):
            start, end = match.span()
            if start == end or any(taken[start:end]):
                continue
            # A lone 一 or 二 is far more often part of a word than a number.
            if kind == "number" and _LONE_HAN_DIGIT.match(match.group()):
                continue
            taken[start:end] = b"\x01" * (end - start)
            found.append(Span(kind, start, end, text[start:end], norm(kind, source[start:end])))
    for match in _QUOTED.finditer(source):
        start, end = match.span(1)
        found.append(Span("quoted", start, end, text[start:end], fold(match.group(1))))
    for start, end in names(source):
        if not any(taken[start:end]):
            found.append(Span("name", start, end, text[start:end], fold(source[start:end])))
    return tuple(sorted(found, key=lambda span: (span.start, span.end, span.kind)))


def numeric(span: Span) -> bool:
    """Whether the value is made of digits or number words, so that code can check it."""
    return span.kind in _NUMERIC


def norm(kind: str, text: str) -> str:
    """The comparable form of a value: digits for numbers, ISO for dates."""
    folded = fold(text).strip()
    if kind == "date":
        return _date(folded)
    if kind == "year":
        digits = re.search(r"\d+", folded) or None
        body = digits.group() if digits else _written_year(folded)
        return (
            body
            + ("s" if re.search(r"\ds\b|年代", folded) else "")
            + ("c" if re.search("centur|世纪", folded) else "")
        )
    if kind in {"money", "percent", "duration", "quantity", "number"}:
        value = number_value(folded)
        if value is not None:
            unit = _unit(folded) if kind in {"duration", "quantity"} else ""
            return f"{value:g}{unit}" if abs(value) < 1e6 else f"{value:.0f}{unit}"
    return re.sub(r"\s+", " ", folded.strip("`"))


_UNIT_NAMES = (
    ("second", "s"), ("sec", "s"), ("秒", "s"), ("minute", "min"), ("min", "min"), ("分钟", "min"), ("hour", "h"),
    ("hr", "h"), ("小时", "h"), ("day", "d"), ("天", "d"), ("工作日", "d"), ("日", "d"), ("week", "w"), ("周", "w"),
    ("星期", "w"), ("month", "mo"), ("月", "mo"), ("year", "y"), ("年", "y"),
)  # fmt: skip


def _unit(folded: str) -> str:
    for word, unit in _UNIT_NAMES:
        if word in folded:
            return unit
    return ""


def _date(folded: str) -> str:
    """ISO where it can be read (1945-05-08, 1945-05, --05-08), else the folded text."""
    han = re.match(
        r"(?:公元(前)?)?(?:([\d〇零一二三四五六七八九]{1,4})\s?年)?\s?([\d一二三四五六七八九十]{1,3})\s?月(?:\s?([\d一二三四五六七八九十]{1,3})\s?[日号])?",
        folded,
    )
    if han and (han.group(2) or han.group(3)):
        year, month, day = (number_value(part) if part else None for part in han.group(2, 3, 4))
        return _iso(year, month, day)
    numeric_date = re.match(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})$", folded)
    if numeric_date:
        return _iso(*(float(part) for part in numeric_date.groups()))
    month_word = re.search(r"[a-z]{3,}", re.sub(r"\d(?:st|nd|rd|th)", "0", folded))
    month_number = next(
        (i for i, name in enumerate(MONTHS, 1) if month_word and name.startswith(month_word.group()[:3])), None
    )
    digits = [int(part) for part in re.findall(r"\d+", folded)]
    year = next((float(part) for part in digits if part > 31), None)
    day = next((float(part) for part in digits if part <= 31), None)
    return _iso(year, float(month_number) if month_number else None, day) if month_number else folded


def _iso(year: float | None, month: float | None, day: float | None) -> str:
    parts = [f"{year:04.0f}" if year is not None else "-"]
    if month is not None:
        parts.append(f"{month:02.0f}")
    if day is not None:
        parts.append(f"{day:02.0f}")
    return "-".join(parts)


def _written_year(folded: str) -> str:
    value = number_value(folded.rstrip("年代世纪初中末期"))
    return f"{value:g}" if value is not None else folded
