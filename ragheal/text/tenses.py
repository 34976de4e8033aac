"""Former and current: which time a question asks about, and which a sentence tells of.

"Until 2023 it was A" is no answer to who it is, nor "since 2023 it is B" to who it was before.
"""

from __future__ import annotations

import re
from typing import Literal

from ragheal.text.analyze import terms
from ragheal.text.questions import Question
from ragheal.text.script import narrow
from ragheal.types import Value

Asked = Literal["now", "then", "any"]

_MONTHS = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\.?"
_POINT = rf"(?:(?:early|late|mid|the end of|the (?:start|beginning) of|\d{{1,2}}|spring|summer|autumn|winter|{_MONTHS})[ -]){{0,3}}"
_DATED = rf"{_POINT}(?:[12]\d{{3}}|{_MONTHS}|last (?:year|month|week|spring|summer|autumn|winter)|recently|then|the (?:merger|move|reform|change)\b)"
_PAST_VERB = r"\b(?:was|were|had|did|could|[a-z]{2,}ed|cost|ran|led|held|stood|took|kept|sold|paid|went|came|lay|sat|met|gave)\b"
_PRESENT_VERB = r"\b(?:is|are|has|have|must|can|may|will|does|do|shall)\b"

_FORMER = re.compile(
    r"(?<!\bhad )\b(?:formerly|previously|in the past|back then|in those days|at that time|no longer|in former times|years ago)\b"
    r"|\b(?:the )?(?:former|previous|old|earlier|ex-?)\s(?=\w+ (?:was|were|had|cost)\b)"
    r"|\b(?:was|were) originally\b|\boriginally (?:was|were|had|cost)\b|^originally,"
    rf"|\b(?:was|were|had|cost)\b[^.;,]{{1,60}}\bbefore (?:{_DATED}|that\b)"
)
_AUXILIARY = re.compile(r"\b(?:is|are|be|was|were|been|being|has|have|had|can|may|get|got|include[sd]?)\b")
_UNTIL = re.compile(rf"\b(?:until|till|up to|before|prior to) {_DATED}")
_CURRENT = re.compile(
    r"\b(?:now|nowadays|currently|today|at present|at the moment|presently|these days|as of|from now on|any ?more)\b"
    rf"|\bsince {_DATED}|\bsince then\b|\b(?:has|have) (?:since )?been\b|\b(?:is|are) now\b"
    rf"|\b(?:was|were|has been|have been) (?:changed|raised|lowered|cut|increased|reduced|moved|replaced|renamed|extended|shortened|succeeded)\b"
    rf"|\b(?:from|with effect from|effective|starting) {_DATED}(?! (?:to|until|till))|[,;] (?:and )?then\b|\bafter which\b|\bthereafter\b|\bsucceeded by\b|\breplaced by\b"
)
_FORMER_HAN = re.compile(
    r"曾经?(?:是|为|任|担任|位于|叫|名为|称|用|使用|设|有|住|需|收|售|定|规定|由|归|属)|原先|(?<!中)原(?:为|是|由|定|设|称|名|规定|来(?:是|为|由|的|在|定|规定|需|收))|此前|以前|过去(?!的?\d)"
    r"|之前(?=[是为由一都的，])|年前(?=[是为由一都的，])|(?:直到|直至|截至)[^，。；]{2,12}(?:为止|之前|前)|(?:前任|旧)(?=[^，。；]{1,8}[是为])|不再|旧版?规定"
)
_UNTIL_HAN = re.compile(
    r"(?:\d{4}\s?年)(?:\d{1,2}\s?月)?(?:\d{1,2}\s?日)?(?:之前|以前|前(?!往|后|来|的|称|身|任|夕|期))|(?:到|至)\d{4}\s?年[^，。；]{0,6}(?:为止|止)"
)
_CURRENT_HAN = re.compile(
    r"现(?:在|任|为|由|已|行|改|用|定|称)|(?:^|[，。；])\s?现|目前|如今|当前|今(?:后|起)|已(?:经)?(?:改|调|换|迁|更|升|降|延长|缩短)|(?:后来?|之后|随后|此后)(?:改|调|由|为|换|迁|更)|改(?:为|由|成|用)|调(?:整)?(?:为|至)"
    r"|自[^，。；]{1,16}(?:起|以来|开始|后)|从[^，。；]{1,16}(?:起|开始)|[年月日](?:份)?起|接任|取代"
)
_ASKS_THEN = re.compile(
    r"\b(?:used to|formerly|previously|former|previous|originally|in the past|back then|old|earlier|initially|at first|until (?:now|recently)|first)\b"
    r"|\b(?:before|prior to|until)\b|曾经?(?=[是为任在担获用住有被于叫名得做当出拿])|原先|原来|此前|以前|过去|之前|最初|起初|前任|旧|当时|历任"
)
_ASKS_NOW = re.compile(
    r"\b(?:now|current|currently|today|at present|nowadays|presently|still|latest)\b|现在|目前|如今|当前|现任|现行|最新"
)
_ASKS_PAST = re.compile(r"\b(?:did|was|were|had)\b|[过了](?:[^解程去]|$)")
_YEAR = re.compile(r"(?<![\d.,/-])(1[5-9]\d\d|20\d\d)(?![\d/]|[.,]\d|-\d{3}|s\b|\s?年代)")
_FORMER_HEADING = re.compile(
    r"\b(?:former|previous|old|archived?|superseded|obsolete|deprecated)\b|旧|历任|已废止|已失效|往届"
)


class Told(Value, frozen=True):
    """Whether a sentence tells of a former state, of one that holds since, or of both."""

    former: bool
    current: bool


def told(sentence: str) -> Told:
    """What time a sentence marks; neither, when it marks none."""
    plain = narrow(sentence)
    return Told(_former(plain), bool(_CURRENT.search(plain.lower()) or _CURRENT_HAN.search(plain)))


def _former(plain: str) -> bool:
    lowered = plain.lower()
    used = re.search(r"\bused to\b", lowered)
    if used and not _AUXILIARY.search(lowered[: used.start()]):
        return True  # but "is often used to", "has tools used to"
    if _FORMER.search(lowered) or _FORMER_HAN.search(plain) or _UNTIL_HAN.search(plain):
        return True
    # "Valid until May" tells of now, "was A until May" of then.
    return bool(_UNTIL.search(lowered) and re.search(_PAST_VERB, lowered)) and not re.search(
        _PRESENT_VERB, lowered
    )


def _former_for(question: Question, sentence: str) -> bool:
    """Whether the clause of a sentence that speaks of what is asked tells of a former state."""
    clauses = re.split(r"[,;，；](?!\d)", narrow(sentence))
    asked_for = frozenset(question.terms)
    if len(clauses) > 1 and not asked_for & frozenset(terms(clauses[0])):
        clauses[:2] = [f"{clauses[0]}, {clauses[1]}"]  # "Until 2021, it was …"
    held = [len(asked_for & frozenset(terms(clause))) for clause in clauses]
    most = max(held)
    return any(_former(clause) and count == most for clause, count in zip(clauses, held, strict=True))


def asked(question: Question) -> Asked:
    """What time a question asks about. Without words of time it is now; "did" and "was" may be any."""
    text = narrow(question.text).lower()
    if _ASKS_NOW.search(text):
        return "now"
    if _ASKS_THEN.search(text):
        return "then"
    return "any" if _ASKS_PAST.search(text) or years(text) else "now"


def years(text: str) -> list[int]:
    """The years a text names, in order."""
    return [int(year) for year in _YEAR.findall(narrow(text))]


def other_time(question: Question, sentence: str, heading: str = "") -> str | None:
    """Why a sentence speaks of another time than is asked about: "former", "current", "other year"; None if not."""
    wanted, held = asked(question), told(sentence)
    given = years(question.text)
    if given and question.kind not in {"yesno", "date", "year"} and not question.options:
        return _other_year(given, sentence, heading)
    if wanted == "now":
        old = _former_for(question, sentence) or _FORMER_HEADING.search(narrow(heading).lower()) is not None
        return "former" if old and not held.current else None
    if wanted == "then" and held.current and not held.former and question.kind not in {"date", "year"}:
        return "current" if _SINCE.search(narrow(sentence).lower()) else None
    return None


_SINCE = re.compile(
    rf"\bsince {_DATED}|\b(?:is|are) now\b|\bnow\b|\bcurrently\b|现(?:在|任|为|由)|目前|自[^，。；]{{1,16}}起"
)
_FROM = re.compile(
    r"\b(?:since|from|as of|after)\b[^,;.]{0,20}?([12]\d{3})|(?:自|从)?(\d{4})\s?年[^，。；]{0,8}(?:起|以来|开始)"
)
_TO = re.compile(
    r"\b(?:until|till|before|up to|through|to)\b[^,;.]{0,20}?([12]\d{3})|(\d{4})\s?年[^，。；]{0,8}(?:为止|之前|以前|前)"
)
_SPAN = re.compile(r"(\d{4})\s?年?\s?(?:-|–|—|to|until|至|到)\s?(\d{4})")
_LASTS = re.compile(
    r"\b(?:became|founded|established|built|opened|joined|took over|appointed|elected|born|introduced|published|launched|created)\b|成立|创办|建成|担任|出任|就任|上任|创建|出生|发布|推出|当选"
)


def _other_year(given: list[int], sentence: str, heading: str) -> str | None:
    own = years(sentence)
    if not own or set(own) & set(given) or set(years(heading)) & set(given):
        return None
    plain = narrow(sentence).lower()
    spans = [(int(low), int(high)) for low, high in _SPAN.findall(plain)]
    if any(low <= year <= high for low, high in spans for year in given):
        return None
    since = [int(a or b) for a, b in _FROM.findall(plain)]
    until = [int(a or b) for a, b in _TO.findall(plain)]
    if since or until:
        low, high = max(since, default=0), min(until, default=9999)
        return (
            None
            if any(low <= year <= high for year in given) or (since and until and low > high)
            else "other year"
        )
    if _LASTS.search(plain):
        return "other year" if min(own) > max(given) else None
    return "other year"


_CUT = re.compile(
    r"[;；]\s*|,\s+(?:and |but )?(?=(?:then|now|since|from|today|currently)\b)|[，,](?=\s?(?:现|目前|如今|后|之后|自|从|但现|已))"
)


def current_part(sentence: str, question: Question) -> str:
    """Of a sentence that tells of then and now, the clause of now, when that is asked; else the whole sentence."""
    held = told(sentence)
    if asked(question) != "now" or not (held.former and held.current):
        return sentence
    clauses = _CUT.split(sentence)
    now = [clause for clause in clauses if told(clause).current and not told(clause).former]
    whole = len(now) == 1 and len(clauses) == 2 and now[0] is clauses[-1]
    return now[0].strip() if whole and len(now[0]) >= 8 else sentence
