"""Does a fact of a claim stand in the text it cites, in whatever spelling?"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragheal.text.facts import Fact, facts, identity
from ragheal.text.script import narrow
from ragheal.text.units import mentioned

_SHORT = 10  # numbers below it are too common to be read out of an identifier


def missing(claim: str, source: str, question: str) -> list[str]:
    """The facts of a claim, as written, that neither the cited text nor the question holds."""
    known = (*facts(source, loose=True), *facts(question, loose=True))
    text = narrow(f"{source}\n{question}").lower()
    return [fact.text for fact in facts(claim) if not _held(fact, known, text)]


def _held(fact: Fact, known: Sequence[Fact], text: str) -> bool:
    if any(fact.readings & other.readings for other in known):
        return True
    if fact.kind == "date":
        return _dated(fact, known)
    if fact.kind == "identifier":
        return _named(fact.text, text)
    if fact.kind == "number":
        return _counted(fact, known, text)
    return False


def _counted(fact: Fact, known: Sequence[Fact], text: str) -> bool:
    same = [other for other in known if other.plain & fact.plain]
    if not fact.units:
        # No unit is promised: the number may stand in the source with one. A part of a date is another thing.
        if any(other.kind == "number" for other in same):
            return True
        if any(other.kind == "date" and value >= 1000 for other in same for value in fact.plain):
            return True
        days = {day for other in known for _, _, day in other.dates}
        if fact.text.endswith(("st", "nd", "rd", "th")) and fact.plain & {float(day) for day in days}:
            return True
        return any(value >= _SHORT and _in_name(value, text) for value in fact.plain)
    # The unit may stand elsewhere: in the head of a table, in a key such as `timeout_ms`, in the question.
    bare = any(other.kind == "number" and not other.units for other in same)
    return bare and bool(fact.units & mentioned(text))


def _in_name(value: float, text: str) -> bool:
    """Whether a whole number stands in an identifier: 2041 in INC-2041."""
    return value.is_integer() and re.search(rf"(?<=[a-z])[-_ ]?{value:.0f}(?![\d.,]\d|\d)", text) is not None


def _named(name: str, text: str) -> bool:
    literal = name.strip("` ").lower()
    if re.search(rf"(?<![a-z\d_]){re.escape(literal)}(?![a-z\d_]|\.\d)", text):
        return True
    joined = re.sub(r"(?<=[a-z])[-_ ](?=\d)|(?<=\d)[-_ ](?=[a-z])", "", text)  # IP 68 is IP68
    bare = re.escape(identity(literal))
    return any(re.search(rf"(?<![a-z\d_.])v?{bare}(?![a-z\d_]|\.\d)", held) for held in (text, joined))


def _dated(fact: Fact, known: Sequence[Fact]) -> bool:
    """A date is held by the same date; what the source leaves out of it must be said elsewhere in the source."""
    dates = {day for other in known for day in other.dates}
    years = {int(value) for other in known for value in other.plain if value.is_integer() and abs(value) < 10_000}
    months = {month for _, month, _ in dates}
    for year, month, day in fact.dates:
        for other in dates:
            agree = (
                (not year or year == other[0] or (not other[0] and year in years))
                and (not month or month == other[1] or (not other[1] and month in months))
                and (not day or day == other[2])
            )
            if agree:
                return True
        if year and not month and year in years:
            return True
    return False
