"""Questions made from encyclopedia paragraphs by rules: first sentences say the same things in the same few ways.

Each rule reads a value from the text and asks for it in several wordings, some of which share no word with the
passage. A rule's `cue` also tells when the text does not hold the answer: then the same question is a near miss.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from data import Doc
from recipes import Item

_DATE = r"(?:\d{1,2} [A-Z][a-z]+ \d{4}|[A-Z][a-z]+ \d{1,2}, ?\d{4})"
_NAME = r"(?:[A-Z][\w.'’-]+(?: (?:de |van |von |of the |of )?[A-Z][\w.'’-]+){0,4})"


@dataclass(frozen=True)
class Rule:
    """`pattern` has a group `v`, the value; `cue` matches any text that may hold one; `about` is what it fits."""

    about: str
    pattern: re.Pattern[str]
    cue: re.Pattern[str]
    forms: tuple[str, ...]


def _rule(about: str, pattern: str, cue: str, *forms: str) -> Rule:
    return Rule(about, re.compile(pattern), re.compile(cue, re.I), forms)


# ruff: noqa: E501
RULES = (
    _rule("person", rf"\((?:[^()]*?\b)?(?:born:? )(?:on )?(?P<v>{_DATE})", r"born|birth|\([^)]*\d{3}",
          "When was {x} born?", "What is the birthday of {x}?", "{x}生于何时？"),
    _rule("person", rf"\((?P<v>{_DATE}) ?[–-] ?{_DATE}\)", r"born|birth|\([^)]*\d{3}",
          "When was {x} born?", "What is {x}'s date of birth?", "{x}的出生日期是什么？"),
    _rule("person", rf"\({_DATE} ?[–-] ?(?P<v>{_DATE})\)", r"died|death|passed|[–-] ?\w* ?\d|late ",
          "When did {x} die?", "On which day did {x} pass away?", "{x}是什么时候去世的？"),
    _rule("person", rf"\bborn in (?P<v>{_NAME}(?:, {_NAME})?)", r"born|birth|native|from|hometown",
          "Where was {x} born?", "What is the birthplace of {x}?", "Where does {x} come from?"),
    _rule("person", r"\b(?:is|was) an? (?P<v>[A-Z][\w-]+(?: [\w-]+){0,4}?)(?= who\b| and\b| from\b|[.,])",
          r"\b(?:is|was) ", "What does {x} do for a living?", "Who is {x}?", "What is the profession of {x}?"),
    _rule("person", rf"\b(?:studied|graduated|educated|attended|degree)\b[^.]{{0,40}}?\b(?:at|from) (?:the )?(?P<v>{_NAME})",
          r"stud|graduat|educat|school|college|universit|degree",
          "Where did {x} study?", "Which school did {x} go to?", "{x}毕业于哪里？"),
    _rule("person", rf"\bmarried (?:to )?(?P<v>{_NAME})", r"marri|wife|husband|spouse|wed",
          "Who did {x} marry?", "Who is {x}'s spouse?", "{x}和谁结婚？"),
    _rule("work", rf"\bdirected by (?P<v>{_NAME}(?: and {_NAME})?)", r"direct|filmmaker|film by",
          "Who directed {x}?", "Who was the filmmaker behind {x}?", "{x}是谁导演的？"),
    _rule("work", rf"\bproduced by (?P<v>{_NAME}(?: and {_NAME})?)", r"produc",
          "Who produced {x}?", "Who was the producer of {x}?"),
    _rule("work", rf"\bwritten by (?P<v>{_NAME}(?: and {_NAME})?)", r"writ|wrote|author|screenplay|script|novel",
          "Who wrote {x}?", "Who is the author of {x}?", "{x}的作者是谁？"),
    _rule("work", rf"\b(?:starring|stars) (?P<v>{_NAME})", r"starr?|cast|role|play",
          "Who stars in {x}?", "Which actor plays the lead in {x}?", "{x}由谁主演？"),
    _rule("work", rf"\b(?:music|score|composed|songs?) (?:is |was |were )?(?:composed )?by (?P<v>{_NAME})",
          r"music|compos|score|song", "Who composed the music for {x}?", "Who scored {x}?"),
    _rule("work", rf"\b(?:released|published|premiered|aired)\b[^.]{{0,25}}? on (?P<v>{_DATE})",
          r"releas|publish|premier|air|came out", "When was {x} released?", "When did {x} come out?", "{x}何时推出？"),
    _rule("work", rf"\b(?:released|issued|published) (?:through|by|on) (?P<v>{_NAME})", r"record|label|publish|releas",
          "Which company released {x}?", "Who put out {x}?"),
    _rule("work", r"\b(?:is|was) an? (?P<v>\d{4})\b", r"\d{4}", "What year is {x} from?", "In which year was {x} made?"),
    _rule("place", r"population (?:of|was|is|estimated at)(?: about| approximately| estimated at)? (?P<v>\d(?:[\d,.]*\d)?(?: million)?)",
          r"population|inhabitants|people|residents",
          "How many people live in {x}?", "What is the population of {x}?", "{x}有多少人口？"),
    _rule("place", r"\blocated (?P<v>(?:in|on|at|near) [^.;]{4,60}?)(?=[.;]|, (?:and|about|which))",
          r"locat|situat|\bin\b", "Where is {x}?", "Where can {x} be found?", "{x}位于何处？"),
    _rule("place", r"\b(?:area of|covers) (?P<v>[\d,.]+ (?:square )?[a-z]+)", r"area|square|cover|km|acre|hectare",
          "How large is {x}?", "What is the area of {x}?", "{x}的面积是多少？"),
    _rule("group", rf"\b(?:founded|established|formed)\b[^.]{{0,15}}? in (?P<v>(?:{_NAME} )?\d{{4}})",
          r"found|establish|form|creat|began|start|\d{4}",
          "When was {x} founded?", "In which year did {x} start?", "{x}成立于哪一年？"),
    _rule("group", rf"\b(?:founded|established|created|formed) by (?P<v>{_NAME})", r"found|establish|creat|form",
          "Who founded {x}?", "Who set up {x}?", "{x}的创始人是谁？"),
    _rule("group", rf"\bheadquartered in (?P<v>{_NAME}(?:, {_NAME})?)", r"headquart|based|office|located",
          "Where is the head office of {x}?", "In which city is {x} based?", "{x}的总部在哪里？"),
    _rule("any", rf"\bnamed after (?P<v>(?:the )?{_NAME})", r"name|called|known",
          "What is {x} named after?", "Where does the name of {x} come from?"),
    _rule("any", r"\b(?:also|better|commonly) (?:known|called|referred to) as \"?(?P<v>[A-Z][^.,;()\"]{2,40})",
          r"known|called|nick|refer|alias", "What is {x} also called?", "What is another name of {x}?", "{x}又叫什么？"),
)  # fmt: skip

_PERSON = re.compile(r"\(?(?:born|\d{1,2} [A-Z][a-z]+ \d{4} ?[–-])|\b(?:he|she|his|her)\b")
_WORK = re.compile(r"\b(?:film|album|song|novel|book|series|single|play|game|episode|magazine)\b")
_PLACE = re.compile(r"\b(?:city|town|village|river|county|district|municipality|lake|mountain|island|province)\b")
_GROUP = re.compile(r"\b(?:company|band|club|team|university|school|organi[sz]ation|party|agency|airline|group)\b")


def _about(text: str) -> set[str]:
    head = text[:220]
    kinds = {"any"}
    for name, pattern in (("work", _WORK), ("place", _PLACE), ("group", _GROUP)):
        if pattern.search(head):
            kinds.add(name)
            return kinds
    return kinds | {"person"} if _PERSON.search(text[:300]) else kinds


def synthetic(docs: dict[str, Doc], rng: Random, limit: int) -> Iterator[Item]:
    """At most `limit` items: up to two answered questions and one near miss a document."""
    usable = [d for d in docs.values() if d.set in {"hotpotqa", "2wiki", "musique"} and 60 < len(d.text) < 3000]
    usable = [d for d in usable if d.title and not d.title.startswith("List ")]
    rng.shuffle(usable)
    made = 0
    for doc in usable:
        if made >= limit:
            return
        about = _about(doc.text)
        title = re.sub(r" \([^)]*\)$", "", doc.title)
        hits = [(r, m) for r in RULES if r.about in about for m in [r.pattern.search(doc.text)] if m]
        for rule, match in rng.sample(hits, min(2, len(hits))):
            text = rng.choice(rule.forms).format(x=title)
            lang = "en" if text.endswith("?") else "zh"
            start, end = match.span("v")
            if re.search(r"\w{3,}\.$", doc.text[start:end]):
                end -= 1
            yield Item(
                text, lang, doc.set, "template", doc.id, [(start, end)], [doc.text[start:end]], {doc.id}, 0.7
            )
            made += 1
        absent = [r for r in RULES if r.about in about and r.about != "any" and not r.cue.search(doc.text)]
        if absent and rng.random() < 0.5:
            text = rng.choice(rng.choice(absent).forms).format(x=title)
            lang = "en" if text.endswith("?") else "zh"
            yield Item(text, lang, doc.set, "near_miss", doc.id, [], [], {doc.id}, 0.7, near=[doc.id])
            made += 1
