"""What a comparison comes to, once the value of each side is known: which wins, yes or no, or by how much."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from ragheal.text.overlap import term_set
from ragheal.text.quantities import YEAR, Quantity, quantity, reach, same_value, shared
from ragheal.text.questions import LIVED, Question
from ragheal.text.script import narrow
from ragheal.text.sums import difference

Axis = Literal["old", "young", "early", "late", "fast", "slow", "high", "low", ""]

# In order: the first that a question holds is meant ("more recent" before "more").
_WORDS: tuple[tuple[Axis, str], ...] = (
    ("late", r"\bmore recent(?:ly)?\b|\blater\b|\blatest\b|\b(?:most recent|last)\b|更?晚|较?迟|之后|(?:谁|哪[^，。？]{0,4})后"),
    ("old", r"\bolder\b|\boldest\b|\belder\b|年长|年纪(?:更|较)?大|年龄(?:更|较)?大|(?:更|较)老|岁数大|古老|历史(?:更|较)?(?:久|悠久|长)|大几岁|大多少岁"),
    ("young", r"\byounger\b|\byoungest\b|\bnewer\b|\bnewest\b|年轻|年纪(?:更|较)?小|年龄(?:更|较)?小|岁数小|(?:更|较)新|小几岁|小多少岁"),
    ("early", r"\bearlier\b|\bearliest\b|\bsooner\b|\bfirst\b|\bbefore\b|(?:更|较|最)?早|先(?!生|进|锋)"),
    ("fast", r"\bfaster\b|\bfastest\b|\bquicker\b|\bquickest\b|(?:更|较|最)快|快多少|[^尽赶]快[吗？?]"),
    ("slow", r"\bslower\b|\bslowest\b|(?:更|较|最)慢|慢多少"),
    ("low", r"\b(?:less|fewer|smaller|lower|shorter|lighter|cheaper|nearer|closer|narrower|thinner|shallower|colder|cooler|weaker|smallest|lowest|shortest|lightest|cheapest|least|fewest|nearest)\b|(?:更|较|最|比[^，。？]{1,20})(?:小|低|短|轻|便宜|近|窄|薄|浅|冷|(?<!多)少)|便宜|[轻小低短少](?:多少|几|一些)"),
    ("high", r"\b(?:more|larger|bigger|higher|taller|longer|greater|heavier|deeper|wider|thicker|hotter|warmer|stronger|farther|further|broader|dearer|largest|biggest|highest|tallest|longest|heaviest|deepest|most|farthest|costlier)\b|(?:更|较|最|比[^，。？]{1,20})(?:大|高|长|重|多|远|宽|厚|深|贵|热|强)|贵|[重大高长多远](?:多少|几|一些)"),
)  # fmt: skip
_AXES = tuple((axis, re.compile(pattern)) for axis, pattern in _WORDS)
_HOW_MUCH = re.compile(
    r"\bhow (?:much|many)\b.*\b(?:than|difference|apart|differ|between|after|before)\b|\bhow (?:much|many)\b.*?\b(?:\w+er|more|less)\b"
    r"|\bwhat is the difference\b|\bby how much\b|\bhow far apart\b|相差|差多少|差几|(?:多|少|大|小|高|低|长|短|重|轻|贵|便宜|早|晚|快|慢|远|近)(?:了|出)?(?:多少|几)"
)
_SAME = re.compile(r"\b(?:same|equal(?:ly)?|identical|as \w+ as|differ(?:ent)?)\b|相同|同一|一样|相等|不同|同样")
_OTHER = re.compile(r"\bdiffer(?:ent)?\b|不同")
_UNIT_ASKED = re.compile(
    r"\bhow many (?:more |fewer |less )?(days|weeks|months|years|hours|minutes|seconds|metres|meters|km|kilometres|kilometers|miles|kg|grams|euros|dollars)\b|(?:几|多少)个?(天|周|年|月|小时|分钟|公里|米|公斤|克|元|岁)"
)
_ENDS = re.compile(r"\b(?:died|dies?|dead|ended|ends?|closed|ceased|retired|until)\b|去世|逝世|死|结束|关闭|停")
_TIMES = frozenset({"date", "clock", "monthday"})
_SPEEDS = frozenset({"m/s", "mph", "rpm", "rps", "hz", "B/s"})


def axis(question: Question) -> Axis:
    """Which end of which scale a question asks for; "" when it names none."""
    text = narrow(question.text).lower()
    return next((name for name, pattern in _AXES if pattern.search(text)), "")


def outcome(question: Question, sides: Sequence[tuple[str, str]]) -> str:
    """The result in the question's language from (option, value as text): a name, Yes or No, or the difference.

    "" where the values decide nothing: one is missing, they are of different kinds, or they overlap.
    """
    if len(sides) < 2 or not all(value.strip() for _, value in sides):
        return ""
    text = narrow(question.text).lower()
    if LIVED.search(text):
        lives = [quantity(value) for _, value in sides]
        spans = [one for one in lives if one is not None]
        most = _winner("low" if "short" in text else "high", spans) if len(spans) == len(sides) else None
        return "" if most is None else sides[most][0]
    ordered = _in_order(question, sides)
    if _SAME.search(text) and not _HOW_MUCH.search(text):
        return _alike(question, [value for _, value in ordered], other=bool(_OTHER.search(text)))
    found = [quantity(value) for _, value in ordered]
    values = [one for one in found if one is not None]
    if len(values) < len(found) or not all(shared(values[0], one) for one in values[1:]):
        return ""
    wanted = axis(question)
    winner = _winner(wanted, values, last=_ENDS.search(text) is not None)
    if _HOW_MUCH.search(text):
        return _by(question, ordered, winner, text) if len(sides) == 2 else ""
    if not wanted:
        return ""
    if question.yes_no and not re.search(r"\bor\b|还是|或者", text):
        equal = same_value(ordered[0][1], ordered[1][1])
        return _word(question, winner == 0) if winner is not None or equal else ""
    return "" if winner is None else ordered[winner][0]


_LIFE = re.compile(
    r"\(([^()]*?\b(?:\d{3,4})\b[^()–—-]*)\s*(?:–|—|-{1,2})\s*([^()]*?\b\d{3,4}\b[^()]*)\)|（([^（）]*?\d{3,4}年[^（）]*?)[—–-]+([^（）]*)）"
)


def told(question: Question, value: str, sentence: str) -> str:
    """The value that a sentence gives for what is compared: of a life in brackets its beginning, end or length."""
    life = _LIFE.search(sentence)
    if life is None:
        return value
    ends = [quantity(part) for part in life.groups() if part]
    born, died = ends if len(ends) == 2 else (None, None)
    if born is None or died is None or not (born.dimension == died.dimension == "date"):
        return value
    if LIVED.search(question.text):
        days = (died.low + died.high - born.low - born.high) / 2
        return f"{days:.0f} days" if days > 0 else value
    if axis(question) in {"old", "young", "early", "late"} and value and value in life[0]:
        return died.text if _ENDS.search(narrow(question.text).lower()) else born.text
    return value


def holds_for_all(question: Question, said: Sequence[tuple[str, str]]) -> bool:
    """Whether what "Are both A and B …?" asks stands in the sentence of each: (option, sentence with its heading)."""
    if (
        not question.yes_no
        or question.compare != "same"
        or _SAME.search(question.text)
        or _NEGATED.search(question.text)
    ):
        return False
    names = term_set(" ".join(question.options)) | term_set("both")
    wanted = frozenset(question.terms) - names
    return bool(wanted) and all(
        wanted <= term_set(sentence) and not _NEGATED.search(sentence) for _, sentence in said
    )


_NEGATED = re.compile(
    r"\b(?:not|never|no longer|neither|nor|without|except|unlike|former(?:ly)?)\b|n['’]t\b|[不没未非无]",
    re.IGNORECASE,
)


def _in_order(question: Question, sides: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The sides as the question names them: the first is the one of which it asks whether it is more."""
    text = narrow(question.text).lower()
    places = [text.find(narrow(option).lower()) for option, _ in sides]
    if any(place < 0 for place in places):
        return list(sides)
    return [side for _, side in sorted(zip(places, sides, strict=True), key=lambda pair: pair[0])]


def _moment(value: Quantity, *, last: bool) -> tuple[float, float]:
    """From when to when something may have happened; of "1917–2002" its beginning, or its end where that is asked."""
    low, high = reach(value)
    if value.dimension != "date" or value.rough or high - low <= YEAR:
        return low, high
    return (high, high) if last else (low, low)


def _winner(wanted: Axis, values: Sequence[Quantity], *, last: bool = False) -> int | None:
    """The place of the one value that is beyond all others on the axis; None when there is none.

    `last`: of a stretch of time its end counts, not its beginning.
    """
    dimension = values[0].dimension
    timed = dimension in _TIMES
    if wanted in {"old", "young"}:
        top = (wanted == "young") == timed
    elif wanted in {"early", "late"}:
        if not timed:
            return None
        top = wanted == "late"
    elif wanted in {"fast", "slow"}:
        top = (wanted == "fast") == any(name in _SPEEDS for name in dimension.split(","))
    elif not wanted or timed:
        return None
    else:
        top = wanted == "high"
    if len({one.dimension for one in values} & _TIMES) > 1 or any(one.dimension == "weekday" for one in values):
        return None
    ends = [reach(one) for one in values]
    if timed:
        ends = [_moment(one, last=last) for one in values]
    for place, (low, high) in enumerate(ends):
        rest = ends[:place] + ends[place + 1 :]
        if all(low > last if top else high < first for first, last in rest):
            return place
    return None


def _alike(question: Question, values: Sequence[str], *, other: bool) -> str:
    same = [same_value(values[0], value) for value in values[1:]]
    if any(one is None for one in same) or not question.yes_no:
        return ""
    return _word(question, all(same) != other)


def _by(question: Question, sides: Sequence[tuple[str, str]], winner: int | None, text: str) -> str:
    asked = _UNIT_ASKED.search(text)
    name = (asked[1] or asked[2]) if asked else ""
    by = difference(sides[0][1], sides[1][1], lang=question.lang, unit_name=name)
    if by is None:
        return ""
    if winner == 1 and re.search(r"\bthan\b|比", text):
        # "How much heavier is A than B" where B is the heavier one.
        return f"{sides[1][0]}（相差{by}）" if question.lang == "zh" else f"{sides[1][0]} (by {by})"
    return by


def _word(question: Question, yes: bool) -> str:
    if question.lang == "zh":
        return "是" if yes else "不是"
    return "Yes" if yes else "No"


# --- sides of "than" -------------------------------------------------------------------------------------

_MORE = r"(?:(?:much|far|even|still|any) )?(?:\w{2,}er|more|less|fewer|worse|better)\b"
_THAN = (
    re.compile(rf"\b(?:is|are|was|were) ((?:the |a |an )?.{{1,60}}?) {_MORE}(?: \w+){{0,3}} than (.{{1,60}}?)\s*\??$", re.IGNORECASE),
    re.compile(r"\bhow .{1,40}?\b(?:is|are|was|were) (.{1,60}?) than (.{1,60}?)\s*\??$", re.IGNORECASE),
    re.compile(rf"^(?:does|do|did|can|will|has|have) (.{{1,60}}?) \w+ {_MORE}.{{0,40}}? than (.{{1,60}}?)\s*\??$", re.IGNORECASE),
    re.compile(r"\bhow .{1,40}?\b(?:does|do|did|can|will) (.{1,60}?) \w+ than (.{1,60}?)\s*\??$", re.IGNORECASE),
)  # fmt: skip
_THAN_HAN = re.compile(
    r"^(?:请问)?(.{1,24}?)(?:的[^比]{1,6})?(?:是否|是不是|会不会|真的)?比(.{1,24}?)(?:的[^，。]{1,6}?)?(?=更|还|要|大|小|高|低|长|短|重|轻|早|晚|多|少|快|慢|贵|便宜|新|旧|老|年|远|近)"
)


def options(question: Question) -> tuple[str, ...]:
    """The two things compared: those the question was read with, else the ends of "than" or 比."""
    if question.options:
        return question.options
    text = question.text.strip()
    if question.lang == "zh":
        match = _THAN_HAN.search(narrow(text))
    else:
        match = next((found for pattern in _THAN if (found := pattern.search(text))), None)
    return tuple(part.strip(" \"'“”《》") for part in match.groups()) if match else ()
