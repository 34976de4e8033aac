"""Planning without a model: the shape of a question and the queries that follow from it."""

from __future__ import annotations

import re

from ragheal.answering.embedded.decompose import chain
from ragheal.text.questions import Question
from ragheal.types import Plan, Query, Route

_NESTED_ROUTES = frozenset({"multi_hop", "combined"})


def plan(question: Question, route: Route) -> Plan:
    """At most three queries, the question itself first; later ones wait until a verdict asks for them."""
    first = Query(question.text, origin="question", wants=question.kind)
    if route == "direct":
        return Plan((), shape="direct", reason="nothing to look up")
    if question.compares and (route in _NESTED_ROUTES or route == "self_rag"):
        sides = tuple(
            Query(side_query(question, option), origin="plan", wants="comparison") for option in question.options
        )
        return Plan((first, *sides), shape="comparison", reason=" / ".join(question.options))
    if route in _NESTED_ROUTES:
        halves = chain(question.text)
        if halves:
            return Plan(
                (
                    first,
                    Query(halves.inner, origin="plan", wants="relation"),
                    Query(halves.outer, origin="plan", wants=question.kind),
                ),
                shape="chain",
                reason="an unnamed middle: " + halves.inner,
            )
        return Plan((first,), shape="chain", reason="a relation between things that may stand apart")
    return Plan((first,), reason="one fact")


def side_query(question: Question, option: str) -> str:
    """The question asked of one side of a comparison alone."""
    text = question.text
    other = next((o for o in question.options if o != option), "")
    if other and other in text:
        text = text.replace(other, " ")
    text = re.sub(r"\b(?:or|and|both|either)\b|还是|或者?|和|与|跟|相比", " ", text)
    if option not in text:
        text = f"{option} {text}"
    return re.sub(r"[\s,，、]+", " ", text).strip(" ?？") + ("？" if question.lang == "zh" else "?")
