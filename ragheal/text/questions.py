"""What a question asks for and what it is about.

`analyze` reads a question in either language into a `Question`: the kind of value a sentence must hold to
answer it, the names, numbers and terms it must be about, and, for comparisons, the things compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from ragheal.text.analyze import terms
from ragheal.text.rules import rules
from ragheal.text.script import lang, simplified
from ragheal.text.values import ANSWERS, Span, numeric, values
from ragheal.types import Lang, Value


class Question(Value, frozen=True):
    """A question, taken apart. `terms` are analysed and without repeats, in order of first use."""

    text: str
    lang: Lang
    kind: str  # person, place, date, year, number, quantity, money, percent, duration, age, name, reason, …
    terms: tuple[str, ...]
    names: tuple[str, ...]  # proper names, titles and quoted strings as written
    numbers: tuple[str, ...]  # normalised numeric values
    options: tuple[str, ...] = ()  # the things a comparison chooses between or holds together
    compare: str = ""  # earlier, later, larger, smaller, same
    yes_no: bool = False

    @property
    def compares(self) -> bool:
        return len(self.options) == 2

    def written(self, stems: Iterable[str]) -> list[str]:
        """Terms as the question writes them: people, and an embedder, read words better than stems."""
        if self.lang == "zh":
            return list(stems)
        words: dict[str, str] = {}
        for word in re.findall(r"[\w'’.-]+", self.text):
            for term in terms(word):
                words.setdefault(term, word)
        return [words.get(stem, stem) for stem in stems]


@lru_cache(maxsize=256)
def analyze(text: str) -> Question:
    """Take a question apart."""
    language = lang(text)
    plain = simplified(text).strip() if language == "zh" else text.strip()
    spans = values(plain)
    kind = next((rule.target for rule in rules(language).asks if rule.pattern.search(plain)), "any")
    yes_no = kind == "yesno" or _asks_yes_no(plain, language)
    options = _options(plain, language)
    if options and not yes_no:
        kind = "choice"
    return Question(
        text=text.strip(),
        lang=language,
        kind=kind,
        terms=tuple(dict.fromkeys(terms(plain))),
        names=tuple(
            dict.fromkeys(_subject(span) for span in spans if span.kind in {"name", "quoted", "identifier"})
        ),
        numbers=tuple(dict.fromkeys(span.norm for span in spans if numeric(span))),
        options=options,
        compare=_compare(plain, language) if options else "",
        yes_no=yes_no and not (options and kind == "choice"),
    )


_THEN_ASKS = re.compile(
    r"[,;]?\s+and\s+(?=(?:what|who|whom|whose|which|when|where|why|how)\b)|[?？]\s*(?=\S)|[,，；]\s*(?=[^,，]{0,20}(?:多少|哪|谁|什么|几|怎么|为什么|是否))",
    re.IGNORECASE,
)
_ASKS_ITSELF = re.compile(
    r"\b(?:what|who|whom|whose|which|when|where|why|how|is|are|was|were|do|does|did|can|could)\b|多少|哪|谁|什么|几|怎么|是否|吗",
    re.IGNORECASE,
)


def asked_parts(text: str) -> list[str]:
    """The questions within one: "How wide is it, and what does it weigh?" asks two. One that asks once is itself."""
    parts, start = [], 0
    for match in _THEN_ASKS.finditer(text):
        if _ASKS_ITSELF.search(text[start : match.start()]) and _ASKS_ITSELF.search(text[match.end() :]):
            parts.append(text[start : match.start()])
            start = match.end()
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]


def _subject(span: Span) -> str:
    """A name without the question word that its capital letter glued to it."""
    return re.sub(r"^(?:Who|What|When|Where|Which|How|Is|Are|Was|Were|Did|Does|Do|In|The)\s+", "", span.text)


def _asks_yes_no(text: str, language: Lang) -> bool:
    if language == "zh":
        return re.search(r"是否|是不是|能否|吗[？?]?$|(?<![什怎甚多这那要])么[？?]$", text) is not None
    return (
        re.match(r"(?i)(is|are|was|were|do|does|did|can|could|has|have|had|will|would|should)\b", text) is not None
    )


# What is asked stands before the first comma; a comma behind it belongs to a name ("Paris, Texas or …").
_OR_TAIL = re.compile(
    r"\b(?:who|which|what|whose|where|when|is|are|was|were|do|does|did|has|have|had)\b[^,:?]*[,:]\s*"
    r"((?!(?:in|at|by|of|on|for|as)\b)[^:?]{2,80}?),?\s+or\s+([^?]{2,80}?)\s*\??\s*$",
    re.IGNORECASE,
)
_OR_LAST = re.compile(
    r"(?:[,:]|\b(?:between|out of|of|from)\b)\s*([^,:?]{2,80}?),?\s+or\s+([^,?]{2,80})\??\s*$", re.IGNORECASE
)
_OR_LEAD = re.compile(r"^([^,?]{2,80}?),?\s+or\s+([^,?]{2,80}?),\s+(?:who|which|what)\b", re.IGNORECASE)
_BOTH = re.compile(
    r"^(?:are|were|do|did|does|have|has|is|was|can)\s+(?:both\s+)?(.{2,80}?)\s+and\s+(.{2,80}?)"
    r"\s+(?:both|the same|from|in|located|born|members|directed|released|of|share|have|use|based|made|built|written|held|set|play|\w+ed\b|a\b|an\b)",
    re.IGNORECASE,
)
_SHARED = re.compile(
    r"\b(?:do|did|are|were|of|between)\s+(?:both\s+)?(.{2,80}?)\s+and\s+(.{2,80}?)(?:\s+(?:have|share|both|in common|located|from|known)\b.*)?\??$",
    re.IGNORECASE,
)
_ZH_OR = re.compile(
    r"(?:^|[，,：:、。]|是|在)([^，,：:。？?]{2,30}?)(?:还是|或者?)([^，,。？?]{2,30}?)(?:[，,？?]|更|较|谁|哪|的|先|后|$)"
)
_ZH_AND = re.compile(
    r"^([^，,。？?]{2,30}?)(?:和|与|跟|及)([^，,。？?的]{2,30}?)(?:相比|哪|谁|是否|都|，|,|是不是|在|的)"
)


def _options(text: str, language: Lang) -> tuple[str, ...]:
    """The two things a comparison is about, as written; empty when it is none."""
    if language == "zh":
        match = _ZH_OR.search(text) or _ZH_AND.search(text)
        if match and not re.search(r"更|较|早|晚|先|哪|谁|大|小|高|低|长|短|同|都|区别|还是", text):
            match = None
    else:
        match = _OR_TAIL.search(text) or _OR_LAST.search(text) or _OR_LEAD.search(text) or _BOTH.search(text)
        if not match and re.search(r"\b(?:both|same|common|difference)\b", text, re.IGNORECASE):
            match = _SHARED.search(text)
    if not match:
        return ()
    pair = tuple(_clean(part) for part in match.groups())
    return pair if all(pair) and pair[0] != pair[1] else ()


def _clean(option: str) -> str:
    option = re.sub(
        r"^(?:the (?:film|movie|song|band|magazine|city|book)|either|both|是|在|《)\s*",
        "",
        option.strip(" \"“”'?？"),
        flags=re.IGNORECASE,
    )
    return option.strip(" 《》\"“”'")


#: Asks which of two lives was the longer.
LIVED = re.compile(
    r"\blived (?:the )?(?:longer|longest|shorter|shortest)\b|\b(?:greater|older) age\b|寿命|活得", re.IGNORECASE
)


def _compare(text: str, language: Lang) -> str:
    lowered = text.lower()
    if re.search(r"\b(?:same|both|common|share)\b|(?<![成首古国旧京迁])都|相同|同一|一样", lowered):
        return "same"
    for direction, words in rules(language).compare.items():
        for word in words:
            if (word in lowered) if language == "zh" else re.search(rf"\b{re.escape(word)}\b", lowered):
                return direction
    return ""


def wanted_values(question: Question, text: str) -> list[Span]:
    """Values of the kind the question asks for, that the question does not already name."""
    kinds = ANSWERS.get(question.kind)
    if kinds is None:
        return []
    named = {name.lower() for name in question.names} | {option.lower() for option in question.options}
    asked = question.text.lower()
    return [
        span
        for span in values(text)
        if span.kind in kinds
        and span.norm not in question.numbers
        and span.text.lower() not in named
        and (span.kind not in {"name", "quoted"} or span.text.lower() not in asked)
    ]
