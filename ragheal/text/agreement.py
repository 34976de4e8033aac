"""Do two statements give different values for the same thing?

The bar is high: who, what, where and when must agree, nothing may limit one of the two, and the values must
exclude each other in one form. Two statements about different things are never a conflict.
"""

from __future__ import annotations

import re
from itertools import pairwise

from ragheal.text.analyze import stem, terms
from ragheal.text.contrasts import ALIKE, FILLER, NO_SUBJECT, alike, sides
from ragheal.text.facts import facts, identity
from ragheal.text.names import names
from ragheal.text.quantities import compatible, in_context, quantity
from ragheal.text.questions import Question
from ragheal.text.script import fold, has_han, narrow
from ragheal.text.sense import objection
from ragheal.text.values import ANSWERS, numeric, values
from ragheal.types import Value


class Statement(Value, frozen=True):
    """A sentence with the path of headings above it and the answer span in it ("": not known)."""

    sentence: str
    heading: str = ""
    value: str = ""


_COVER = 0.6  # the part of a question's terms that both statements must hold
_SAYS = 0.75  # … that a sentence by itself holds when it names the thing
_COPY = 0.5  # the part of the shorter one's terms that makes two statements copies of each other


def contradict(question: Question, a: Statement, b: Statement) -> tuple[str, str] | None:
    """The two differing values, when both statements answer the question about one thing; else None."""
    if question.options or (question.yes_no and not (a.value and b.value)):
        return None
    if any(objection(question, one.sentence, one.heading) for one in (a, b)):
        return None
    if _loose(a) != _loose(b):
        return None  # an example, an average or an exception is no rival of the rule
    pair = _values(question, a, b)
    if pair is None or _also(a, pair[1]) or _also(b, pair[0]):
        return None
    if compatible(in_context(a.sentence, pair[0]), in_context(b.sentence, pair[1])) is not False:
        return None
    x, y = quantity(pair[0]), quantity(pair[1])
    one, other = _Rest(question, a, pair[0]), _Rest(question, b, pair[1])
    if x is None or y is None:
        if not _one_holder(question, a, b) or _share_word(*pair) or (one.terms ^ other.terms) - one.asked:
            return None
    elif not x.dimension and not _one_count(a.sentence, b.sentence, pair):
        return None
    return pair if one.cover(question) and other.cover(question) and _one_thing(one, other) else None


# --- the values ------------------------------------------------------------------------------------------


def _values(question: Question, a: Statement, b: Statement) -> tuple[str, str] | None:
    """The value of each: as given, else the only one of its sentence that fits and the other does not state."""
    if a.value and b.value:
        return a.value, b.value
    mine, theirs = _stated(question, a), _stated(question, b)
    left = [one for one in mine if not any(compatible(one, other) for other in theirs)]
    right = [one for one in theirs if not any(compatible(one, other) for other in mine)]
    return (left[0], right[0]) if len(left) == 1 and len(right) == 1 else None


def _stated(question: Question, statement: Statement) -> list[str]:
    if statement.value:
        return [statement.value]
    kinds = ANSWERS.get(question.kind, frozenset())
    return [
        span.text
        for span in values(statement.sentence)
        if numeric(span) and span.norm not in question.numbers and (not kinds or span.kind in kinds)
    ]


def _also(statement: Statement, value: str) -> bool:
    """Whether a statement gives the other's value as well."""
    if quantity(value) is None:
        return fold(narrow(value)) in fold(narrow(statement.sentence))
    return any(compatible(span.text, value) for span in values(statement.sentence) if numeric(span))


def _one_count(a: str, b: str, pair: tuple[str, str]) -> bool:
    """Whether two plain numbers count the same: "7 pumps" and "2 cranes" do not."""
    after = [_counted(sentence, value) for sentence, value in zip((a, b), pair, strict=True)]
    return not all(after) or bool(after[0] & after[1])


def _counted(sentence: str, value: str) -> frozenset[str]:
    at = sentence.find(value)
    tail = narrow(sentence[at + len(value) if at >= 0 else 0 :] if at >= 0 else "")
    own = [word for word in re.findall(r"[a-z]+", value.lower()) if not quantity(word)]
    if has_han(tail[:2]):
        return frozenset(tail.strip()[:1])
    words = re.match(r"\s*([A-Za-z]+)?(?:\s+([A-Za-z]+))?", tail)
    return frozenset().union(*(alike(word) for word in (*own, *(words.groups() if words else ())) if word))


# --- names as values -------------------------------------------------------------------------------------

_MANY = re.compile(
    r"\b(?:who are|which .{0,40}\bare\b|what are|list|name (?:all|some|two|three)|some|any|examples?|one of|include)\b|\ban? \w+ (?:of|in|at)\b|哪些|有谁|哪几|列举|之一"
)
_LISTED = re.compile(
    r"\b(?:one of|also|among|include[sd]?|including|both|several|members?|jointly|together)\b|之一|以及|还有|等人|包括|成员|共同"
)
_ONE_PLACE = re.compile(
    r"\b(?:which|what) (?:city|country|town|state|province|building|room|street)\b|哪个(?:城市|国家|省|市|房间|楼)|哪国"
)


def _one_holder(question: Question, a: Statement, b: Statement) -> bool:
    """Whether only one name can be right."""
    text = narrow(question.text).lower()
    if not (a.value and b.value) or question.kind not in {"person", "place", "name"} or _MANY.search(text):
        return False
    if question.kind == "place" and not _ONE_PLACE.search(text):
        return False  # a town and its country are both right
    return not any(_LISTED.search(narrow(one.sentence).lower()) or _in_list(one) for one in (a, b))


def _in_list(statement: Statement) -> bool:
    at = statement.sentence.find(statement.value)
    before, after = statement.sentence[:at].rstrip(), statement.sentence[at + len(statement.value) :].lstrip()
    return bool(
        re.match(r"(?:and|&|or|和|与|及|、)", after) or re.search(r"(?:\band|&|\bor|和|与|及|、)$", before)
    )


def _share_word(one: str, other: str) -> bool:
    a, b = ({word for word in re.findall(r"\w+", fold(narrow(text))) if len(word) > 1} for text in (one, other))
    return bool(a & b)


# --- one thing? ------------------------------------------------------------------------------------------


class _Rest:
    """What a statement says beside its value: terms, names, facts, and what of it the question asks about."""

    def __init__(self, question: Question, statement: Statement, value: str) -> None:
        sentence = narrow(statement.sentence)
        at = sentence.find(narrow(value))
        self.sentence = f"{sentence[:at]} ~ {sentence[at + len(value) :]}" if at >= 0 else sentence
        self.heading = _NUMBERING.sub("", narrow(statement.heading))
        self.asked = alike(narrow(question.text))
        self.terms = alike(self.sentence) - FILLER
        self.above = alike(self.heading)
        self.all = alike(f"{statement.heading} . {statement.sentence}")
        known = _facts(narrow(question.text))
        self.facts = _facts(self.sentence) - known
        self.dated = _facts(self.heading) - known
        subject = {term for term in self.asked if not NO_SUBJECT.fullmatch(term)}
        # The sentence itself names what is asked about, whatever it stands under.
        self.says = len(subject) > 1 and len(subject & alike(self.sentence)) >= _SAYS * len(subject)
        self.limits = sides(self.all)

    def cover(self, question: Question) -> bool:
        """Whether it speaks of what is asked: of every name, and of most of the words."""
        for name in question.names:
            words = alike(narrow(name))
            if words and len(words & self.all) < 0.5 * len(words):
                return False
        subject = {term for term in self.asked if not NO_SUBJECT.fullmatch(term)}
        return bool(subject & self.all) and len(subject & self.all) >= _COVER * len(subject)

    def named(self) -> list[frozenset[str]]:
        """The names of the sentence that the question does not hold."""
        found = (alike(self.sentence[start:end]) for start, end in names(self.sentence))
        return [words for words in found if words and not words <= self.asked]


_NUMBERING = re.compile(
    r"(?:^|(?<=>))\s*(?:第?[\d一二三四五六七八九十]+[章节条、.)）]\s*)?(?:\d+(?:\.\d+)*[.)]?\s+)?", re.IGNORECASE
)
_LOOSE = re.compile(
    r"\b(?:for example|for instance|e\.g\.|such as|on average|average|typically|usually|often|sometimes|may vary|expected|estimated?|planned|forecast|target|exception(?:al(?:ly)?)?|in (?:some|special|urgent) cases)\b"
    r"|例如|比如|譬如|平均|通常|一般|有时|预计|估计|计划|目标|特殊情况|例外"
)
_CONDITION = re.compile(
    r"\b(?:if|when|whenever|unless|during|for|with|without|in|on|at|outside|inside|after|before|from|by|under|while|where|through|via|to)\b"
    r"|如果|若是|当|凡|对于|仅限?|只有|除了?|凭|持有|(?:在|对|于)(?!\s*~)"
)


def _loose(statement: Statement) -> bool:
    return _LOOSE.search(narrow(statement.sentence).lower()) is not None


def _facts(text: str) -> frozenset[str]:
    found: set[str] = set()
    for fact in facts(text):
        if fact.kind == "identifier":
            found.add(identity(fact.text))
        elif fact.dates:
            found |= {f"date {day}" for day in fact.dates}
        else:
            found.add(min(fact.readings, default=fact.text))
    return frozenset(found)


def _one_thing(one: _Rest, other: _Rest) -> bool:
    """Whether nothing tells the subjects, places, times or conditions of two statements apart.

    What only one of them adds tells nothing apart: "since the rebuilding", "plus a meal". A year in a heading alone is
    the date of the document: of two such copies one is out of date, which is what the reader has to hear.
    """
    if one.facts - other.facts and other.facts - one.facts:
        return False  # another year, room, version, amount
    if one.dated - other.dated and other.dated - one.dated and not _copies(one, other):
        return False
    mine, theirs = (rest.limits - sides(one.asked) for rest in (one, other))
    unknown = [any(not words <= b.all for words in a.named()) for a, b in ((one, other), (other, one))]
    if (mine - theirs and theirs - mine) or all(unknown):
        return False
    extra, more = _extra(one, other), _extra(other, one)
    if one.says and other.says:
        return not (_modifies(one, extra) or _modifies(other, more))
    if mine ^ theirs or _headings_differ(one, other) or (extra and more and not _copies(one, other)):
        return False
    return not (_limited(one, extra) or _limited(other, more))


def _copies(one: _Rest, other: _Rest) -> bool:
    """Whether two statements say the same in much the same words."""
    return len(one.terms & other.terms) >= _COPY * min(len(one.terms), len(other.terms))


def _extra(one: _Rest, other: _Rest) -> frozenset[str]:
    return frozenset(term for term in one.terms - one.asked - other.all - _NOW if not term.isdigit())


_NOW = frozenset(terms("now current currently already today 目前 现在 如今 已"))


def _headings_differ(one: _Rest, other: _Rest) -> bool:
    """Whether the headings are of one make with other words in them, or are two short names."""
    mine, theirs = one.above - one.asked - other.all, other.above - one.asked - one.all
    if not mine or not theirs:
        return False
    short = all(len(rest.heading.rsplit(">", 1)[-1].split()) <= 2 for rest in (one, other))
    return short or bool(one.above & other.above)


def _limited(rest: _Rest, extra: frozenset[str]) -> bool:
    """Whether words that only one statement has narrow what it speaks of: "for groups", "group deposit"."""
    if not extra:
        return False
    if has_han(rest.sentence):
        return _modifies(rest, extra) or _CONDITION.search(rest.sentence) is not None
    words = re.findall(r"[a-z][a-z'-]*", rest.sentence.lower())
    return _modifies(rest, extra) or any(
        ALIKE.get(stem(word), stem(word)) in extra
        and any(_CONDITION.fullmatch(near) for near in words[max(0, place - 3) : place])
        for place, word in enumerate(words)
    )


def _modifies(rest: _Rest, extra: frozenset[str]) -> bool:
    """Whether a word that only one statement has stands right before one that is asked about."""
    if has_han(rest.sentence):
        return any(
            word in extra and ALIKE.get(after, after) in rest.asked and f"{word}{after}" in rest.sentence
            for word, after in pairwise(terms(rest.sentence))
        )
    words = re.findall(r"[a-z][a-z'-]*", rest.sentence.lower())
    return any(
        ALIKE.get(stem(word), stem(word)) in extra and bool(alike(after) & rest.asked)
        for word, after in pairwise(words)
    )
