"""The classifier and the planner."""

from __future__ import annotations

import re
from typing import Any

from ragheal.answering.model import fence
from ragheal.answering.model.ask import Asker
from ragheal.answering.model.parse import Malformed
from ragheal.answering.queries import normal
from ragheal.text.analyze import terms
from ragheal.text.questions import Question
from ragheal.types import Part, Plan, Query, Routing

_HOLE = re.compile(
    r"\{\s*(?:answer\s*|part\s*)?(\d{1,2})\s*\}|[#＃](\d{1,2})|[<\[](?:answer|答案)\s*(?:of\s*)?(\d{1,2})[>\]]",
    re.IGNORECASE,
)
_WANTS = frozenset({"definition", "relation", "value", "procedure", "comparison"})
_CLASSIFY_TOKENS, _PLAN_TOKENS = 80, 400
_LONG = {"en": 16, "zh": 12}  # terms of a question that may be more than one fact
_MOST_QUERIES = 3


def classify(asker: Asker, question: Question) -> Routing | None:
    """The model's choice of route. Not asked for short questions: one fact is what they nearly always want."""
    from ragheal.answering.model.shapes import Chosen

    if not worth_asking(question):
        return None
    chosen = asker.object(
        "classify", question.lang, {"question": fence.inert(question.text)}, Chosen, lambda reply: reply,
        max_tokens=_CLASSIFY_TOKENS,
    )  # fmt: skip
    if chosen is None:
        return None
    return Routing(chosen.route, chosen.why[:120] or "the model chose it", decided_by="model")


def worth_asking(question: Question) -> bool:
    """Whether a question is long or names enough to be more than one fact."""
    words = len(question.text.split()) if question.lang == "en" else len(question.terms)
    joined = re.search(r"[?？].*\w.*[?？]|[;；]", question.text) is not None
    return words >= _LONG[question.lang] or len(question.names) >= 3 or joined


def plan(asker: Asker, question: Question, max_hops: int) -> Plan | None:
    """Sub-questions in an order in which each can be asked; None when the model could not be asked."""
    from ragheal.answering.model.shapes import Parts

    values = {"question": fence.inert(question.text), "limit": str(max_hops)}
    return asker.object(
        "plan",
        question.lang,
        values,
        Parts,
        lambda reply: read(reply, question, max_hops),
        max_tokens=_PLAN_TOKENS,
    )


def read(reply: Any, question: Question, max_hops: int) -> Plan:
    """The plan in a reply: repeats, circles and what needs an unknown part are left out. Raises Malformed."""
    parts: dict[int, tuple[str, tuple[int, ...], str]] = {}
    seen: dict[str, int] = {}
    same: dict[int, int] = {}
    for number, step in enumerate(reply.parts[:12], 1):
        text = _HOLE.sub(lambda match: f"{{{match[1] or match[2] or match[3]}}}", step.question)
        holes = tuple(int(n) for n in re.findall(r"\{(\d{1,2})\}", text))
        key = f"{normal(Query(text))} {holes}"
        if not terms(text) or key in seen:
            if key in seen:
                same[number] = seen[key]
            continue
        seen[key] = number
        parts[number] = (text, tuple(dict.fromkeys((*step.needs, *holes))), step.wants)
    if not parts:
        raise Malformed("`parts` has no sub-question")
    ordered = _ordered(parts, same)[:max_hops]
    # What needs a part that was cut cannot be asked.
    placed: dict[int, int] = {}
    made: list[tuple[Part, str]] = []
    for number in ordered:
        text, needs, wants = parts[number]
        filled = {same.get(int(n), int(n)) for n in re.findall(r"\{(\d{1,2})\}", text)}
        if not filled <= placed.keys():
            continue
        placed[number] = len(made) + 1
        text = re.sub(r"\{(\d{1,2})\}", lambda m: f"{{{placed[same.get(int(m[1]), int(m[1]))]}}}", text)
        wanted = {placed[same.get(n, n)] for n in needs if same.get(n, n) in placed and same.get(n, n) != number}
        made.append((Part(text, tuple(sorted(wanted))), wants if wants in _WANTS else ""))
    first = Query(question.text, origin="question", wants=question.kind)
    asked = [pair for pair in made if normal(Query(pair[0].question)) != normal(first)]
    if len(made) < 2 or len(asked) < len(made):
        # One sub-question, or one that is the question itself: a single pool answers it.
        return Plan((first,), shape="chain", reason="the model sees one thing to look up")
    queries = [
        Query(part.question, origin="plan", wants=wants) for part, wants in made if "{" not in part.question
    ]
    return Plan(
        (first, *queries[: _MOST_QUERIES - 1]),
        shape="chain",
        reason=" → ".join(part.question for part, _ in made),
        parts=tuple(part for part, _ in made),
    )


def _ordered(parts: dict[int, tuple[str, tuple[int, ...], str]], same: dict[int, int]) -> list[int]:
    """The parts so that each stands after those it needs; parts in a circle are left out."""
    done: list[int] = []
    left = dict(parts)
    while left:
        ready = [
            number
            for number, (_, needs, _) in left.items()
            if all(same.get(n, n) in done or same.get(n, n) not in parts for n in needs)
        ]
        if not ready:
            break
        done.append(ready[0])
        del left[ready[0]]
    return done
