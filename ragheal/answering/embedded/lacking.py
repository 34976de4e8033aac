"""What is missing, in words that a reader of the question understands: always a part of the question itself."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragheal.answering.embedded.chain import Chain
from ragheal.answering.embedded.compare import Side, Sides
from ragheal.answering.embedded.reading import Panel
from ragheal.retrieval.weights import Weights
from ragheal.text.overlap import term_set
from ragheal.text.questions import Question
from ragheal.types import Missing

_MOST = 3
#: Words of a label at most; a longer one is the question said again.
_WORDS = 4
_ASKING = re.compile(
    r"^(?:(?:so|and|but|hi|hello|please|ok|well)[,\s]+)*"
    r"(?:(?:can|could|would|do) you (?:please )?(?:tell|show|explain|say)(?: me| us)?\s+)?"
    r"(?:(?:in|on|at|for|to|from|with|by|under|after|before) )?"
    r"(?:what(?:'s| is| are| was| were)?|which|who(?:'s| is| was)?|whom|whose|when|where|why|is|are|was|were|do"
    r"|does|did|can|could|should|would|will|may|must|has|have|had"
    r"|how (?:much|many|long|often|far|old|big|soon|do|does|can|should)?)"
    r"\s+(?:(?:is|are|was|were|do|does|did|can|could|should|would|will|may|must|has|have|had)\s+)?",
    re.IGNORECASE,
)
_ASKING_ZH = re.compile(
    r"^(?:请问|想问一下|那么|那)?(?:什么是|为什么|怎么样?|如何|哪里|何时)?|(?:吗|呢|么)?[？?]+$"
)


def find_missing(
    question: Question, panel: Panel, chain: Chain | None, sides: Sides | None, weights: Weights
) -> tuple[Missing, ...]:
    """What to look for next, most telling first."""
    if sides is not None and not sides.complete:
        return tuple(
            Missing("part", _of_side(question, side), (side.option, *side.wanted))
            for side in sides.sides
            if not side.found
        )
    found: list[Missing] = []
    if chain is not None:
        link = chain.link
        label = _words(question, link.rest) if len(link.rest) <= _WORDS else subject(question)
        found.append(Missing("relation", label, (*link.names[:2], *link.rest[:6])))
    held = [term_set(candidate.text) | term_set(candidate.context) for candidate in panel.candidates[:5]]
    known = frozenset().union(*held)
    absent = [term for term in question.terms if term not in known]
    absent.sort(key=lambda term: -weights[term])
    label = _words(question, absent[:_WORDS])
    if label and len(absent) < len(question.terms):
        found.append(Missing("part", label, tuple(absent[:6])))
    found.append(Missing("value", subject(question), question.terms[:6]))
    unique = {item.label: item for item in reversed(found)}
    return tuple(item for item in found if unique.get(item.label) is item)[:_MOST]


def _of_side(question: Question, side: Side) -> str:
    """The side, and what is asked of it where the question has words for that ("older" has none)."""
    words = _words(question, side.wanted)
    return f"{side.option} – {words}" if words else subject(side.panel.question)


def subject(question: Question) -> str:
    """The question without its asking: "the notice period for the night shift"."""
    if question.lang == "zh":
        return _ASKING_ZH.sub("", question.text).strip(" ，,？?。") or question.text
    return _ASKING.sub("", question.text.strip()).strip(" ?.!") or question.text


def _words(question: Question, terms: Sequence[str]) -> str:
    """Terms as the question writes them, in its order."""
    if question.lang == "zh":
        order = sorted(terms, key=lambda term: (question.text.find(term) < 0, question.text.find(term)))
        return "、".join(order)
    wanted = set(terms)
    return " ".join(word for word in re.findall(r"[\w'’./-]+", question.text) if term_set(word) & wanted)
