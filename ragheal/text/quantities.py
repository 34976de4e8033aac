"""Values in one form, so that code can say whether two are the same, which is more, and by how much.

`quantity` reads the value that a short text states: half an hour · 30 min · 三十分钟 are one; so are
2024-03-05 · 5 March 2024 · 2024年3月5日, and 50 % · half · 五成. A range or a bound is an interval, a date
without a day the interval of its days.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache

from ragheal.text.calendar import Day
from ragheal.text.facts import LOWER, Fact, facts
from ragheal.text.idioms import plainly
from ragheal.text.names import names
from ragheal.text.script import fold, narrow
from ragheal.text.units import CURRENCY, UNIT
from ragheal.types import Value

#: Days are counted so that every year has 372: order and equality need no calendar.
YEAR, MONTH = 372, 31
_BYTES = {f"{size}{kind}b": power for power, size in enumerate("kmgt", 1) for kind in ("", "i")}
_ROUGHLY = 0.1  # how far "about 30" reaches


class Quantity(Value, frozen=True):
    """What a text states, from `low` to `high` in the base unit of `dimension` (several, if a sign may be any).

    A dimension is one of `units.py` ("s", "month", "eur,jpy"), with "/day" and the like for a rate; "" for a
    plain count; "date" (days of years of 372), "monthday", "clock" (seconds), "weekday" (a bit for each day).
    A bound has an infinite end. `scale` is the written unit in base units, `unit` its name as written.
    """

    dimension: str
    low: float
    high: float
    text: str
    unit: str = ""
    scale: float = 1.0
    rough: bool = False


_BEFORE = r"(?:\s*(?:of|the|about|a|an|total|是|为|:))*\s*$"
_AT_LEAST = re.compile(
    rf"(?:\b(?:at least|no(?:t)? (?:less|fewer) than|(?:a )?minimum|min\.?|more than|over|above|starting at)"
    rf"|>=?|≥|至少|不少于|不低于|(?<!不)超过|大于|(?<!不)多于|(?<!不)高于|最少|最低){_BEFORE}"
)
_AT_MOST = re.compile(
    rf"(?:\b(?:up to|at most|no(?:t)? more than|not exceeding|(?:a )?maximum|max\.?|less than|fewer than|under|below)"
    rf"|<=?|≤|至多|不超过|最多|不多于|不高于|(?<!不)少于|(?<!不)低于|小于|不足|最高){_BEFORE}"
)
_OR_MORE = re.compile(
    r"\s*(?:\+|or (?:more|longer|above|over|older|higher|greater|later)\b|and (?:above|over|up)\b|以上)"
)
_OR_LESS = re.compile(r"\s*(?:or (?:less|fewer|below|under|shorter|younger|lower|earlier)\b|以下)")
_ABOUT = re.compile(
    rf"(?:\b(?:about|around|approximately|approx\.?|roughly|nearly|almost|circa|some|ca?\.)|~|≈|大约|约|近|将近|大概|差不多){_BEFORE}"
)
_ABOUT_AFTER = re.compile(r"\s*(?:or so\b|左右|上下)")
_RANGE = re.compile(r"\s*(?:-|–|—|~|〜|～|to|through|till|until|至|到)\s*")
_AND = re.compile(r"\s*(?:,|and|又|零)?\s*")
_PER = re.compile(
    r"\s*(?:times?|次)?\s*(?:per|an?|each|every|/)\s*(day|night|hour|minute|second|week|month|year|person|head|user|seat|guest|kg|unit"
    r"|piece|page|gb|km|mile)\b|/(天|晚|小时|分钟|秒|周|月|年|人|公斤|次|页)"
)
_PER_HAN = re.compile(r"(?:每|一)(?:个)?(天|日|晚|小时|分钟|秒|周|星期|月|年|人|公斤|次|页)[^，。；]{0,4}$")
_UNIT_END = re.compile(rf"{UNIT}$")
_UNIT_START = re.compile(CURRENCY)
_PERIODS = {"天": "day", "日": "day", "晚": "night", "小时": "hour", "分钟": "minute", "秒": "second", "周": "week",
            "星期": "week", "月": "month", "年": "year", "人": "person", "公斤": "kg", "页": "page", "head": "person"}  # fmt: skip


@lru_cache(maxsize=2048)
def quantity(text: str) -> Quantity | None:
    """The first value a text states; None when it states none. An identifier or a version is none."""
    written = plainly(narrow(text))
    found = _parts(written)
    plain = written.translate(LOWER)
    if not found:
        return None
    first, rest = found[0], found[1:]
    start, end = first[0], first[1]
    one = _single(first[2], plain[start:end])
    if one is None:
        return None
    low, high = one.low, one.high
    for at, stop, fact in rest:
        other, between = _single(fact, plain[at:stop]), plain[end:at]
        if other is None:
            break
        if _RANGE.fullmatch(between) or (
            between.strip() in {"and", "和"} and re.search(r"\bbetween\s+$", plain[:start])
        ):
            if not one.dimension and other.dimension not in {"date", "clock", "weekday", "monthday"}:
                low, one = low * other.scale, other  # 30–40 days
            if one.dimension == other.dimension:
                if one.dimension == "weekday":
                    low = high = _days(low, other.low)
                else:
                    low, high = min(low, other.low), max(low, other.high)
                end = stop
            break
        if one.dimension == other.dimension and _AND.fullmatch(between) and _adds(one, other):
            low, high, end = low + other.low, high + other.high, stop  # 1 hour 30 minutes
            continue
        if one.dimension == other.dimension == "weekday":
            low = high = float(int(low) | int(other.low))
            end = stop
            continue
        break
    if math.isclose(low, high):
        low, high = _bounded(plain, start, end, low, high)
    rough = bool(
        _ABOUT.search(plain[:start]) or _ABOUT_AFTER.match(plain, end) or re.search(r"[多余几]", plain[start:end])
    )
    return Quantity(_rate(plain, start, end, one.dimension), low, high, text.strip(), one.unit, one.scale, rough)


def _parts(written: str) -> list[tuple[int, int, Fact]]:
    """The facts that are values, where they stand."""
    few = re.match(r"\W*(?:one|two|three|four|five|zero)\b(?:\W+\w+){0,2}\W*$", written, re.IGNORECASE)
    plain = written.translate(LOWER)
    placed: dict[int, tuple[int, int, Fact]] = {}
    for fact in facts(written, loose=bool(few)):
        at = plain.find(fact.text.translate(LOWER))
        if at >= 0 and fact.kind != "identifier" and (at not in placed or placed[at][1] < at + len(fact.text)):
            placed[at] = (at, at + len(fact.text), fact)
    return [placed[at] for at in sorted(placed)]


def _single(fact: Fact, shown: str) -> Quantity | None:
    if fact.kind == "date":
        return _date(fact.dates, shown)
    if fact.kind == "number":
        return _number(fact, shown)
    readings = [reading.split() for reading in sorted(fact.readings)]
    for kind, value in (reading for reading in readings if len(reading) == 2):
        if kind == "clock":
            return Quantity("clock", float(value), float(value), shown)
        if kind == "weekday":
            return Quantity("weekday", float(1 << int(value)), float(1 << int(value)), shown)
        if kind == "decade" and len(value) > 2:
            return Quantity("date", int(value) * 10 * YEAR, (int(value) * 10 + 10) * YEAR - 1, shown)
        if kind == "century":
            return Quantity("date", (int(value) - 1) * 100 * YEAR, int(value) * 100 * YEAR + YEAR - 1, shown)
    return None


def _date(dates: frozenset[Day], shown: str) -> Quantity | None:
    if any(not year for year, _, _ in dates):
        _, month, day = min(dates)
        return Quantity("monthday", month * MONTH + (day or 1) - 1, month * MONTH + (day or MONTH) - 1, shown)
    low = min(year * YEAR + ((month or 1) - 1) * MONTH + (day or 1) - 1 for year, month, day in dates)
    high = max(year * YEAR + ((month or 12) - 1) * MONTH + (day or MONTH) - 1 for year, month, day in dates)
    return Quantity("date", low, high, shown)


def _number(fact: Fact, shown: str) -> Quantity | None:
    written = sorted((reading.split(" ") for reading in fact.readings), key=lambda parts: parts[1:])
    plain = max(fact.plain)
    units = [(float(value), name[0]) for value, *name in written if name]
    if not units and not fact.units and re.fullmatch(r"(?:1[5-9]|20)\d\d", shown):
        return Quantity("date", plain * YEAR, plain * YEAR + YEAR - 1, shown)  # a year
    if len(fact.plain) > 1 and not units:
        return Quantity("", min(fact.plain), plain, shown)  # 五六个
    if not units:
        return Quantity("", plain, plain, shown)
    dimensions = ",".join(sorted({name for _, name in units}))
    value = units[0][0]
    # Of a word with two factors ("pounds") the plain amount is money.
    if len({amount for amount, _ in units}) > 1:
        dimensions, value = next(
            ((name, amount) for amount, name in units if amount == plain), (dimensions, value)
        )
    name = _UNIT_END.search(shown) or _UNIT_START.match(shown)
    unit = name.group() if name else ""
    return Quantity(dimensions, value, value, shown, unit, value / plain if plain else 1.0)


def _adds(one: Quantity, other: Quantity) -> bool:
    return bool(one.dimension) and one.dimension not in {"date", "clock", "monthday"} and other.scale < one.scale


def _days(first: float, last: float) -> float:
    """The bits of the weekdays from one to another."""
    at, bits = int(first), int(first)
    while at != int(last):
        at = at << 1 if at < 64 else 1
        bits |= at
    return float(bits)


def _bounded(plain: str, start: int, end: int, low: float, high: float) -> tuple[float, float]:
    before = plain[:start]
    if _AT_LEAST.search(before) or _OR_MORE.match(plain, end):
        return low, math.inf
    if _AT_MOST.search(before) or _OR_LESS.match(plain, end):
        return -math.inf, high
    return low, high


def _rate(plain: str, start: int, end: int, dimension: str) -> str:
    match = _PER.match(plain, end) or _PER_HAN.search(plain[:start])
    if not match or dimension in {"date", "clock", "weekday", "monthday"}:
        return dimension
    name = next(group for group in match.groups() if group)
    return f"{dimension}/{_PERIODS.get(name, name)}"


def in_context(sentence: str, value: str) -> str:
    """A value with the words of its sentence that bound it or say what it is for: "about 30", "30 or more", "5 per day"."""
    at = sentence.find(value)
    if at < 0 or not value:
        return value
    before, after = (narrow(part).translate(LOWER) for part in (sentence[:at], sentence[at + len(value) :]))
    starts = [
        match.start() for pattern in (_AT_LEAST, _AT_MOST, _ABOUT, _PER_HAN) if (match := pattern.search(before))
    ]
    ends = [
        match.end()
        for pattern in (_OR_MORE, _OR_LESS, _ABOUT_AFTER, _PER)
        if (match := pattern.match(after)) and match.group().strip()
    ]
    return sentence[min(starts, default=at) : at + len(value) + max(ends, default=0)]


# --- comparing -------------------------------------------------------------------------------------------


def shared(a: Quantity, b: Quantity) -> bool:
    """Whether two values are of one dimension, so that they can be held against each other.

    A rate and an amount are when the amount says no other period; a plain count and a measure are not.
    """
    (one, _, per), (other, _, every) = a.dimension.partition("/"), b.dimension.partition("/")
    if {one, other} == {"date", "monthday"}:
        return True
    return bool(set(one.split(",")) & set(other.split(","))) and (per == every or not per or not every)


def same_value(a: str, b: str) -> bool | None:
    """Whether two texts state one value; None when they cannot be compared (no value, other dimensions).

    Texts without a number are names: they are one when their folded words are, or one holds the other's.
    """
    x, y = quantity(a), quantity(b)
    if x is None and y is None:
        return _same_words(a, b)
    if x is None or y is None or not shared(x, y):
        return None
    if not x.dimension and not y.dimension and (one := _named(a)) and (other := _named(b)) and not one & other:
        return False  # Hall 5 and Terminal 5
    if x.rough or y.rough:
        return _meet(x, y)
    return any(
        math.isclose(low, other, rel_tol=1e-6) and math.isclose(high, last, rel_tol=1e-6)
        for low, high in _readings(x)
        for other, last in _readings(y)
    )


def compatible(a: str, b: str) -> bool | None:
    """Whether two values can both hold: the same, or one within the other ("2024" and "5 March 2024").

    Two bounds of one kind hold together only when they are the same. None as in `same_value`.
    """
    same = same_value(a, b)
    if same is not False:
        return same
    x, y = quantity(a), quantity(b)
    if x is None or y is None:
        return False
    if (math.isinf(x.low) and math.isinf(y.low)) or (math.isinf(x.high) and math.isinf(y.high)):
        return False
    return _meet(x, y)


def _meet(x: Quantity, y: Quantity) -> bool:
    if x.dimension == y.dimension == "weekday":
        return bool(int(x.low) & int(y.low)) and (int(x.low) | int(y.low)) in {int(x.low), int(y.low)}
    if x.dimension == y.dimension == "clock" and abs(x.low - y.low) == 43_200 == abs(x.high - y.high):
        return not re.search(r"[ap]\.?m|午|晚|晨|夜", (min(x, y, key=lambda one: one.low)).text.lower())
    if x.dimension != y.dimension and {x.dimension, y.dimension} == {"date", "monthday"}:
        dated, loose = (x, y) if x.dimension == "date" else (y, x)
        return dated.high - dated.low >= MONTH - 1 or loose.low - MONTH <= dated.low % YEAR <= loose.high - MONTH
    (low, high), (other, last) = reach(x), reach(y)
    if low <= last and other <= high:
        return True
    if x.dimension in {"date", "monthday", "clock"}:
        return False
    # 1.2 million is 1,203,400 told in few digits, and 85 m is 85.3 m.
    if set(x.dimension.split(",")) & _MEASURES and math.isclose(x.low, y.low, rel_tol=0.005):
        return True
    few = re.compile(r"million|billion|thousand|\dk\b|[万亿]|00\b")
    return math.isclose(x.low, y.low, rel_tol=0.01) and any(few.search(one.text.lower()) for one in (x, y))


_MEASURES = frozenset({"m", "m2", "g", "l", "°c", "°f", "m/s", "mph"})


def reach(value: Quantity) -> tuple[float, float]:
    """The ends of a value, wider for a rough one: "about 30" reaches from 27 to 33."""
    slack = 0.0
    if value.rough:
        slack = (
            3 * YEAR
            if value.dimension == "date"
            else 1800
            if value.dimension == "clock"
            else _ROUGHLY * abs(value.low)
        )
    return value.low - slack, value.high + slack


def _readings(value: Quantity) -> list[tuple[float, float]]:
    """A size in kB, MB, GB counts by thousands or by 1,024."""
    power = _BYTES.get(value.unit.lower().strip(), 0)
    if value.dimension != "B" or not power or value.unit.lower().strip().endswith("ib"):
        return [(value.low, value.high)]
    return [(value.low * factor, value.high * factor) for factor in (1.0, 1.024**power)]


def _same_words(a: str, b: str) -> bool | None:
    one, other = (re.findall(r"\w+", fold(narrow(text))) for text in (a, b))
    if not one or not other:
        return None
    x, y = " ".join(one), " ".join(other)
    short, long = sorted((x, y), key=len)
    return x == y or f" {short} " in f" {long} " or (len(short) > 1 and not short.isascii() and short in long)


def _named(text: str) -> frozenset[str]:
    plain = narrow(text)
    return frozenset(fold(re.sub(r"[\d\s]+", "", plain[start:end])) for start, end in names(plain)) - {""}
