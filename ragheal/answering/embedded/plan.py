"""Planning without a model: the shape of a question and the queries that follow from it."""

from __future__ import annotations

import re

from ragheal.text.overlap import term_set
from ragheal.text.questions import LIVED, Question
from ragheal.types import Plan, Query, Route

_PARTED = frozenset({"multi_hop", "combined"})


def plan(question: Question, route: Route) -> Plan:
    """At most three queries, the question itself first; a comparison fetches both sides at once."""
    if route == "direct":
        return Plan((), shape="direct", reason="nothing to look up")
    if question.compares and route in {*_PARTED, "self_rag"}:
        first = Query(question.text, origin="question", wants="parts")
        sides = tuple(
            Query(side_query(question, option), origin="plan", wants="comparison") for option in question.options
        )
        return Plan((first, *sides), shape="comparison", reason=" / ".join(question.options), together=True)
    if route in _PARTED:
        first = Query(question.text, origin="question", wants="parts")
        return Plan((first,), shape="chain", reason="what answers may stand apart from what leads to it")
    return Plan((Query(question.text, origin="question", wants=question.kind),), reason="one fact")


_HAPPENED = re.compile(
    r"\b(released|born|founded|established|opened|built|published|formed|created|launched|started|completed|introduced"
    r"|constructed|written|invented|signed|adopted|installed|shipped|made|died)\b",
    re.IGNORECASE,
)
_HAPPENED_ZH = re.compile(
    "启用|成立|出生|上映|建成|发布|创立|创建|开放|开通|开业|发行|出版|去世|投产|上市|推出|建立"
)
_HOW = {
    "heavier": "heavy", "lighter": "heavy", "longer": "long", "shorter": "long", "taller": "tall",
    "higher": "high", "lower": "high", "larger": "large", "bigger": "large", "smaller": "large", "faster": "fast",
    "slower": "fast", "wider": "wide", "deeper": "deep", "older": "old", "younger": "old",
}  # fmt: skip
_MORE = re.compile(r"\b(?:more|fewer|less|most|fewest|least)\s+((?:[a-z-]+\s?){1,2})", re.IGNORECASE)
_DEAR = re.compile(r"\b(?:cheaper|more expensive|dearer|costs? (?:more|less))\b", re.IGNORECASE)
_MEASURE_ZH = re.compile(r"(?:哪[个种款座家]?|谁)?的?([\u3400-\u9fff]{2,6}?)(?:更|较|最)")


_OLDER = re.compile(r"\b(?:older|younger|oldest|youngest)\b", re.IGNORECASE)
_DONE_THE_SAME = re.compile(
    r"\b(\w+ed|made|born|written|built|held|set|sung|led|run|won) (by|in|at|on) the same ([a-z]+)", re.IGNORECASE
)
_SAME_THING = re.compile(r"\bthe same ([a-z]+(?: [a-z]+)?)", re.IGNORECASE)
#: What is said to have happened: "which of the two [came out] first", "who [became a member] earlier".
_FIRST = re.compile(
    r"^(?:who|what|which)\b(?: of (?:the|these|those)\b(?: two)?)?"
    r"(?: (?!(?:came|went|got|became|won|took|began|was|were|is|did|had|\w+ed)\b)[a-z]+)?"
    r" (.{3,50}?) (?:first|earlier|later|last|sooner|before)\b",
    re.IGNORECASE,
)


def side_query(question: Question, option: str) -> str:
    """What a comparison asks of one side alone, as a question of its own: "When was X released?"."""
    text = question.text
    if question.lang == "zh":
        return _side_zh(question, option)
    if LIVED.search(text):
        return f"When was {option} born and when did {option} die?"
    if question.compare in {"earlier", "later"}:
        return _when(text, option)
    if question.compare in {"larger", "smaller"}:
        if _DEAR.search(text):
            return f"How much does {option} cost?"
        for word in re.findall(r"[a-z]+er\b", text.lower()):
            if word in _HOW:
                return f"How {_HOW[word]} is {option}?"
        more = _MORE.search(text)
        if more and not term_set(more[1]) & term_set(" ".join(question.options)):
            what = re.sub(r"\s+(?:in|at|on|of|by|for|to|from|as|than|is|are|was|were)$", "", more[1].strip())
            return f"How many {what} does {option} have?"
    if question.compare == "same" and (shared := _same(text, option)):
        return shared
    return _without_other(question, option)


def _same(text: str, option: str) -> str:
    """What "directed by the same person", "the same director" ask of each."""
    done = _DONE_THE_SAME.search(text)
    if done:
        asked = "When" if done[3] in {"year", "day", "month", "decade"} else "Who" if done[2] == "by" else "Where"
        return f"{asked} was {option} {done[1]}{' by' if asked == 'Who' else ''}?"
    same = _SAME_THING.search(text)
    return f"Who or what is the {same[1]} of {option}?" if same else ""


def _when(text: str, option: str) -> str:
    happened = _HAPPENED.search(re.sub(r"\b(?:came|come) out\b", "released", text))
    if happened and happened[1].lower() == "died":
        return f"When did {option} die?"
    if _OLDER.search(text):
        word = "born" if re.match(r"\W*who\b", text, re.IGNORECASE) else "made or released"
        return f"When was {option} {word}?"
    if happened:
        return f"When was {option} {happened[1].lower()}?"
    told = _FIRST.search(text)
    if told is None:
        return f"When was {option} made?"
    auxiliary = re.match(r"(was|were|is|are|has|had)\s+(.+)", told[1], re.IGNORECASE)
    if auxiliary:
        return f"When {auxiliary[1].lower()} {option} {auxiliary[2]}?"
    return f"When was it that {option} {told[1]}?"


def _side_zh(question: Question, option: str) -> str:
    happened = _HAPPENED_ZH.search(question.text)
    if question.compare in {"earlier", "later"} and happened:
        return f"{option}是什么时候{happened[0]}的？"
    measure = _MEASURE_ZH.search(question.text)
    if question.compare in {"larger", "smaller"} and measure:
        return f"{option}的{measure[1]}是多少？"
    return _without_other(question, option)


def _without_other(question: Question, option: str) -> str:
    """The question as it is, less the other side and what joins the two."""
    text = question.text
    other = next((o for o in question.options if o != option), "")
    if other and other in text:
        text = text.replace(other, " ")
    text = re.sub(r"\b(?:or|and|both|either)\b|还是|或者?|和|与|跟|相比", " ", text)
    if option not in text:
        text = f"{option} {text}"
    for many, one in (("Are", "Is"), ("Were", "Was"), ("Do", "Does"), ("Have", "Has")):
        text = re.sub(rf"^{many}\b", one, text.strip())
    return re.sub(r"[\s,，、]+", " ", text).strip(" ?？") + ("？" if question.lang == "zh" else "?")
