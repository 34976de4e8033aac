"""Small sums with values as texts state them: how much more one is than another, and what some come to."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Sequence

from ragheal.text.quantities import MONTH, YEAR, Quantity, quantity, shared
from ragheal.text.script import has_han
from ragheal.text.units import CURRENCY, UNITS, unit
from ragheal.types import Lang

_NO_SUM = frozenset({"date", "clock", "weekday", "monthday"})
_SPANS = {"en": ("year", "month", "day"), "zh": ("年", "个月", "天")}


def difference(a: str, b: str, *, lang: Lang = "en", unit_name: str = "") -> str | None:
    """By how much two values differ, with its unit in words: "5 years", "3.2 kg", "45 分钟"; never negative.

    `unit_name` is the unit wanted, if the question names one ("days"). None when the values are of different
    dimensions, are no single points, or do not tell (a month against a day).
    """
    x, y = quantity(a), quantity(b)
    if x is None or y is None or not shared(x, y):
        return None
    if x.dimension == y.dimension == "date":
        return _between(*sorted((x, y), key=lambda value: value.low), lang=lang, unit_name=unit_name)
    if x.dimension in _NO_SUM - {"clock"} or not (_point(x) and _point(y)):
        return None
    if x.dimension == "clock":
        return _worded(abs(x.low - y.low), "s", 60.0, "minutes", lang, unit_name)
    by = abs(x.low - y.low)
    smaller = min((x, y), key=lambda value: value.scale)
    larger = max((x, y), key=lambda value: value.scale)
    chosen = larger if by >= larger.scale and _tidy(by / larger.scale) else smaller
    return _worded(by, _one_of(x, y), chosen.scale, chosen.unit, lang, unit_name)


def total(values: Sequence[str], *, lang: Lang = "en") -> str | None:
    """What some values come to, in the largest unit that one of them has; None when they cannot be added."""
    found = [quantity(value) for value in values]
    parts = [one for one in found if one is not None and _point(one) and one.dimension not in _NO_SUM]
    if not parts or len(parts) < len(found) or any(one.dimension != parts[0].dimension for one in parts):
        return None
    come_to = sum(one.low for one in parts)
    tidy = [one for one in parts if _tidy(come_to / one.scale)]
    chosen = max(tidy or parts, key=lambda one: one.scale if tidy else -one.scale)
    return _worded(come_to, parts[0].dimension, chosen.scale, chosen.unit, lang, "")


def _point(value: Quantity) -> bool:
    return value.low == value.high and not math.isinf(value.low)


def _tidy(value: float) -> bool:
    return math.isclose(value * 100, round(value * 100), abs_tol=1e-6)


def _one_of(x: Quantity, y: Quantity) -> str:
    """The dimension two values share; the more certain where a sign may be several."""
    return min(x.dimension, y.dimension, key=lambda name: (name.count(","), name))


def _worded(value: float, dimension: str, scale: float, name: str, lang: Lang, unit_name: str) -> str | None:
    wanted = unit(unit_name) if unit_name else None
    base = dimension.partition("/")[0]
    if wanted and (at := next((dim for dim in base.split(",") if dim in wanted), None)):
        scale, name = wanted[at], unit_name
    amount = value / scale
    shown = f"{amount:,.2f}".rstrip("0").rstrip(".")
    if lang == "zh":
        shown = shown.replace(",", "")
    if not name:
        return shown
    if re.fullmatch(CURRENCY, name) and not name.isalpha():
        return f"{name}{shown}"
    word = _spelling(name, base, scale, lang, one=math.isclose(amount, 1))
    return f"{shown}{word}" if word in {"%", "°"} or has_han(word) else f"{shown} {word}"


def _spelling(name: str, dimension: str, scale: float, lang: Lang, *, one: bool) -> str:
    """The unit in the wanted language, and in English in the right number."""
    own = unit(name) or {}
    same = [word for word, factors in UNITS.items() if factors == own]
    if lang == "zh":
        return next((word for word in (name, *same) if has_han(word)), name)
    if has_han(name):
        name = next((word for word in same if not has_han(word) and len(word) > 2), name)
    name = re.sub(r"[ -]old$", "", name)
    if len(name) < 3 or not name.isalpha():
        return _WRITTEN.get(name, name)
    stem = {"feet": "foot", "inches": "inch"}.get(name, name.removesuffix("s"))
    many = {"foot": "feet", "inch": "inches"}.get(stem, f"{stem}s")
    return stem if one and stem in UNITS else many if many in UNITS else name


_WRITTEN = {"gb": "GB", "mb": "MB", "kb": "KB", "tb": "TB", "w": "W", "v": "V", "a": "A", "kw": "kW"}


def _between(first: Quantity, last: Quantity, *, lang: Lang, unit_name: str) -> str | None:
    """From one date to another, as exact as both are: years of years, else years, months and days."""
    units = _SPANS[lang]
    spans = sorted({round(value.high - value.low) for value in (first, last)})
    if first.rough or last.rough or spans[-1] > YEAR:
        return None
    if spans[-1] >= MONTH:  # one of them is a year only
        by = last.low // YEAR - first.low // YEAR
        known = spans[0] >= YEAR - 1 and not (unit_name and unit_name.rstrip("s") not in {"year", "年"})
        return _count(by, units[0], lang) if known else None
    if spans[-1]:
        apart = round(last.low) // MONTH - round(first.low) // MONTH
        return _joined([(apart // 12, units[0]), (apart % 12, units[1])], lang) if spans[0] else None
    start, end = _day(first), _day(last)
    if start is None or end is None:
        return None
    days = (end - start).days
    asked = unit(unit_name) or {}
    if "s" in asked and unit_name:
        return _count(days * 86400 / asked["s"], unit_name.rstrip("s") if lang == "en" else unit_name, lang)
    months = (end.year - start.year) * 12 + end.month - start.month - (end.day < start.day)
    if months < 2 and not asked:
        return _count(days, units[2], lang)
    if asked.get("month") == 12:
        return _count(months // 12, units[0], lang)
    if asked.get("month") == 1:
        return _count(months, units[1], lang)
    return _joined([(months // 12, units[0]), (months % 12, units[1])], lang)


def _day(value: Quantity) -> datetime.date | None:
    number = round(value.low)
    year, rest = divmod(number, YEAR)
    try:
        return datetime.date(year, rest // MONTH + 1, rest % MONTH + 1)
    except ValueError:
        return None


def _count(number: float, name: str, lang: Lang) -> str:
    shown = f"{number:,.1f}".removesuffix(".0")
    return f"{shown.replace(',', '')}{name}" if lang == "zh" else f"{shown} {name}{'' if number == 1 else 's'}"


def _joined(parts: list[tuple[float, str]], lang: Lang) -> str:
    told = [_count(number, name, lang) for number, name in parts if number] or [_count(0, parts[-1][1], lang)]
    return "".join(told).replace("年", "年零", len(told) - 1) if lang == "zh" else " and ".join(told)
