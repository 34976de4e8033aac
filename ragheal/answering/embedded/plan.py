"""Planning without a model: the shape of a question and the queries that follow from it."""

from __future__ import annotations

import re

from ragheal.text.overlap import term_set
from ragheal.text.questions import Question
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


def side_query(question: Question, option: str) -> str:
    """What a comparison asks of one side alone, as a question of its own: "When was X released?"."""
    text = question.text
    if question.lang == "zh":
        return _side_zh(question, option)
    happened = _HAPPENED.search(text)
    if question.compare in {"earlier", "later"}:
        if happened and happened[1].lower() == "died":
            return f"When did {option} die?"
        older = re.search(r"\b(?:older|younger|oldest|youngest)\b", text, re.IGNORECASE)
        return f"When was {option} {happened[1].lower() if happened else 'born' if older else 'made'}?"
    if question.compare in {"larger", "smaller"}:
        if _DEAR.search(text):
            return f"How much does {option} cost?"
        for word in re.findall(r"[a-z]+er\b", text.lower()):
            if word in _HOW:
                return f"How {_HOW[word]} is {option}?"
        more = _MORE.search(text)
        if more and not term_set(more[1]) & term_set(" ".join(question.options)):
            return f"How many {more[1].strip()} does {option} have?"
    return _without_other(question, option)


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
