"""Whether two questions that an embedder finds alike ask the same: "limits of plan A" is not "limits of plan B".

Embeddings of questions on one subject differ little by the name or the number in them, which is all that
matters here. So names, numbers, years, identifiers and opposites must agree, the kinds of answer must be
compatible, and enough of what is left of the words must be shared.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ragheal.memory.words import meaningful, meaningful_chars
from ragheal.text.analyze import terms
from ragheal.text.questions import analyze
from ragheal.text.script import fold, simplified
from ragheal.text.values import numeric, values
from ragheal.types import Lang, Value

#: Share of common words that a rewording has at least (tools/fit_memory).
SWAPPED, ADDED = 0.8, 0.6
#: The same of its characters: Chinese, where the same words are not always cut in the same places.
_CHARS_SWAPPED, _CHARS_ADDED = 0.85, 0.75
#: Words that turn a question round; a question that has one end asks something else than one that has the other.
_OPPOSITES: tuple[tuple[str, str], ...] = (
    (r"\b(?:max(?:imum)?|most|highest|largest|biggest|longest|upper|greatest)\b|最[大高多长]|上限|至多|最迟",
     r"\b(?:min(?:imum)?|least|lowest|smallest|shortest|lower|fewest)\b|最[小低少短]|下限|至少|最早"),
    (r"\b(?:first|earliest|oldest|start(?:s|ed|ing)?|beg[aiu]n(?:s|ning)?|opened)\b|第一|首[次个位]|最早|最先|开始|起始",
     r"\b(?:last|latest|newest|end(?:s|ed|ing)?|finish(?:es|ed)?|closed)\b|最后|末[次位]|最晚|最新|结束|截止"),
    (r"\b(?:before|prior to|until)\b|之前|以前", r"\b(?:after|since|following)\b|之后|以后"),
    (r"\b(?:more|above|over|exceed\w*|increas\w+|ris\w+|gain\w*)\b|高于|超过|大于|上升|增加|提高",
     r"\b(?:less|fewer|below|under|decreas\w+|fall\w*|declin\w+|lose|lost)\b|低于|小于|不[足到]|下降|减少|降低"),
    (r"\b(?:enabl\w+|turn(?:ed)? on|start|allow\w*|permit\w*|includ\w+)\b|启用|开启|允许|包括|包含",
     r"\b(?:disabl\w+|turn(?:ed)? off|stop|forbid\w*|prohibit\w*|exclud\w+)\b|停用|关闭|禁止|不包括|除外"),
    (r"\b(?:advantages?|benefits?|pros|strengths?)\b|优点|好处|优势",
     r"\b(?:disadvantages?|drawbacks?|cons|weakness\w*)\b|缺点|坏处|劣势"),
    (r"\b(?:import|buy|send|upload|north|east|win|won|parent|father)\w*|买|进口|上传|北|东|父",
     r"\b(?:export|sell|receiv|download|south|west|lose|lost|child|mother)\w*|卖|出口|下载|南|西|母"),
)  # fmt: skip
_COMPILED = tuple((re.compile(one, re.IGNORECASE), re.compile(other, re.IGNORECASE)) for one, other in _OPPOSITES)
#: Words that turn the sense, or move it to another time, when only one of two questions has them.
_TURNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:not|never|no|without|except|unlike|neither|nor|cannot|non|fail\w*|refus\w+|reject\w*|avoid\w*|least)\b|n['’]t\b"
        r"|(?<![是能要])不(?![同过仅久锈到足])|(?<!是)没有?|未(?!来)|非(?![常洲])|除了|拒绝|避免",
        r"\b(?:former(?:ly)?|previous(?:ly)?|prior|old|past|used to)\b|以前|从前|原先|原来|旧|曾经",
        r"\b(?:new|next|future|current(?:ly)?|now)\b|现在|目前|如今|下一|新(?=[的版])",
        r"\b(?:second|third|fourth|fifth)\b|第[二三四五六七八九十]",
    )
)
#: A letter that stands alone names one of several: plan A, B 区.
_LETTER = re.compile(
    r"(?<![A-Za-z0-9'’&.])[B-HJ-Z](?![A-Za-z0-9'’&.])"
    r"|(?<=[a-z] )A(?![A-Za-z0-9'’ &.])|(?<![A-Za-z0-9])A(?=[一-鿿])|(?<=[一-鿿])A(?![A-Za-z0-9])"
)
_CODE = re.compile(r"[A-Za-z]*\d[\w.-]*", re.ASCII)
#: The segmenter glues these to the noun that they count, and the two pass for a name.
_CLASSIFIER = re.compile(r"^[一两几某哪]?[种个位名款条座家]")
#: Kinds of answer that may stand for each other; any other two different kinds are different questions.
_ALIKE = (
    frozenset({"date", "year", "age"}), frozenset({"duration", "quantity", "number", "percent", "money", "age"}),
    frozenset({"any", "definition", "yesno", "name", "choice", "manner", "reason", "person"}),
    frozenset({"any", "name", "quantity", "number", "money", "percent", "duration"}), frozenset({"place", "name"}),
)  # fmt: skip
_ASKS = re.compile(
    r"\b(?:who|whom|whose|what|which|when|where|why|how)\b|什么|什麼|谁|哪|何|几|多少|多[大长高重久远]|怎|为何|吗[？?]?$",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"(\W*(?:what|which|who|how|why)\b.{3,}?)\s(?:when|where|if|while|once)\s", re.IGNORECASE)


class Subject(Value, frozen=True):
    """What a question must keep when it is reworded. Everything is folded and comparable."""

    lang: Lang
    kind: str  # "" when the question has no question word, as keywords have none
    compare: str
    names: tuple[frozenset[str], ...]  # the terms of each name
    numbers: frozenset[str]
    codes: frozenset[str]  # identifiers, versions, single letters
    ends: tuple[int, ...]  # for each pair of opposites: 1, -1, or 0
    turns: tuple[bool, ...]  # for each kind of word that turns the sense
    terms: frozenset[str]
    words: frozenset[str]  # the terms that carry sense, synonyms of asking as one
    chars: frozenset[str] = frozenset()  # Chinese: the characters that carry sense, and runs of Latin or digits


@lru_cache(maxsize=1024)
def subject(question: str) -> Subject:
    """What a question is about, as `difference` compares it."""
    read = analyze(question)
    plain = simplified(question)
    spans = values(plain.strip())
    codes = {fold(span.text).strip("`") for span in spans if span.kind == "identifier"}
    codes |= {letter.group() for letter in _LETTER.finditer(plain)}
    numbers = {span.norm for span in spans if numeric(span) and _counts(span.text)}
    return Subject(
        lang=read.lang,
        kind=_kind(plain, read.kind),
        compare=read.compare,
        names=tuple(filter(None, (frozenset(terms(_CLASSIFIER.sub("", name))) for name in read.names))),
        numbers=frozenset(numbers),
        codes=frozenset(codes),
        ends=tuple(
            (one.search(plain) is not None) - (other.search(plain) is not None) for one, other in _COMPILED
        ),
        turns=tuple(pattern.search(plain) is not None for pattern in _TURNS),
        terms=frozenset(read.terms),
        words=meaningful(frozenset(read.terms)),
        chars=meaningful_chars(plain) if read.lang == "zh" else frozenset(),
    )


def _kind(plain: str, kind: str) -> str:
    """The kind of answer, "" for keywords. In "what happens when …", `when` asks for no date."""
    if not _ASKS.search(plain):
        return ""
    head = _CONDITION.match(plain)
    return analyze(head.group(1)).kind if head else kind


def _counts(text: str) -> bool:
    """Whether a number is more than a turn of phrase, as "one of" and 一种 are."""
    return _CODE.search(text) is not None or len(text) > 3


def difference(a: Subject, b: Subject) -> str:
    """The first thing in which two questions differ so that one is no rewording of the other; "" for none."""
    if a.lang != b.lang:
        return "language"
    if a.numbers != b.numbers:
        return "numbers"
    if a.codes != b.codes:
        return "identifiers"
    if not (_named(a, b) and _named(b, a)):
        return "names"
    if any(x * y < 0 for x, y in zip(a.ends, b.ends, strict=True)) or a.turns != b.turns:
        return "opposites"
    if a.compare and b.compare and a.compare != b.compare:
        return "comparison"
    if not _same_kind(a.kind, b.kind):
        return "kind of answer"
    return ""


def _named(a: Subject, b: Subject) -> bool:
    """Whether every name of `a` is one of `b`, shortened or drawn out, or stands among its words."""
    return all(name <= b.terms or any(known <= name for known in b.names) for name in a.names)


def _same_kind(one: str, other: str) -> bool:
    if one == other or not one or not other:
        return True
    return any(one in group and other in group for group in _ALIKE)


def alike(a: Subject, b: Subject, cosine: float, bound: float) -> bool:
    """Whether one question is a rewording of the other, from what they say and the cosine of their vectors."""
    return cosine >= bound and near_in_words(a, b)


def near_in_words(a: Subject, b: Subject, *, swapped: float = SWAPPED, added: float = ADDED) -> bool:
    """What `alike` asks of the words alone: cheap, and so worth asking before vectors are made.

    A word put in the place of another needs more in common around it (`swapped`) than one that was added or
    left out (`added`).
    """
    if difference(a, b):
        return False
    if _share(a.words, b.words) >= (swapped if _swaps(a.words, b.words) else added):
        return True
    return _share(a.chars, b.chars) >= (_CHARS_SWAPPED if _swaps(a.chars, b.chars) else _CHARS_ADDED)


def _swaps(a: frozenset[str], b: frozenset[str]) -> bool:
    """Whether each side has what the other lacks."""
    return bool(a - b) and bool(b - a)


def _share(a: frozenset[str], b: frozenset[str]) -> float:
    union = a | b
    return len(a & b) / len(union) if union else 0.0
