"""What counting words gets wrong and a careful reader does not, each as users meet it, in both languages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from ragheal.answering.embedded import EmbeddedRoles
from ragheal.answering.kit import Kit
from ragheal.settings import load
from ragheal.strategies import STRATEGIES
from ragheal.strategies.adaptive import route
from ragheal.types import Answer

Doors = Callable[..., Any]

#: What else such a folder holds: without it there is nothing to choose from.
YARD = {
    "canteen.md": "Canteen\nThe canteen opens at seven and closes at three.\n\nOn Fridays there is fish.",
    "gate.md": "Gate\nVisitors sign in at the gate and wear a badge.\n\nThe gate is locked at ten.",
    "食堂.md": "食堂\n食堂早上七点开门，下午三点关门。\n\n周五有鱼。",
}


def ask(doors: Doors, documents: Mapping[str, str], question: str) -> Answer:
    settings = load(env={}, flags={}).settings
    world = doors({**YARD, **documents})
    kit = Kit(world, EmbeddedRoles(world, settings), settings, lambda step: None)
    routing = route(question, settings)
    return STRATEGIES[routing.route](question, routing, kit)


def shown(answer: Answer) -> str:
    return "\n".join(claim.text for claim in answer.claims)


@pytest.mark.parametrize(
    ("text", "question", "right", "wrong"),
    [
        ("Locker 4 holds the ropes.\n\nShelf 7 holds the paint.\n\nLocker 7 holds the lamps.",
         "What does locker 7 hold?", "lamps", "paint"),
        ("Pump KX-310 was overhauled in March.\n\nPump KX-311 was overhauled in August.",
         "When was pump KX-311 overhauled?", "August", "March"),
        ("4号柜存放绳索。\n\n7号架存放油漆。\n\n7号柜存放灯具。", "7号柜存放什么？", "灯具", "油漆"),
    ],
)  # fmt: skip
def test_a_number_counts_beside_its_noun(doors: Doors, text: str, question: str, right: str, wrong: str) -> None:
    """The neighbour's value, verified and at exit 0, sends somebody to the wrong locker."""
    answer = ask(doors, {"stores.md": f"Stores\n{text}", "库房.md": f"库房\n{text}"}, question)
    first = answer.claims[0].text if answer.claims else ""
    assert answer.status != "answered" or right in first
    assert wrong not in first


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Pump KX-310 was overhauled in March.", "When was pump KX-319 overhauled?"),
        ("3号泵在三月大修。", "9号泵是什么时候大修的？"),
    ],
)
def test_another_number_alone_is_no_answer(doors: Doors, text: str, question: str) -> None:
    """Only the neighbour is in the documents: that must not be told as the thing asked about."""
    assert ask(doors, {"pumps.md": f"Pumps\n{text}"}, question).status != "answered"


@pytest.mark.parametrize(
    ("text", "question", "now", "then"),
    [
        ("Until May 2021 the yard was led by Oda Brack. Since May 2021 it has been led by Jonna Reeve.",
         "Who leads the yard?", "Jonna Reeve", ""),
        ("The shop used to close at five. It now closes at eight.", "When does the shop close?", "eight", ""),
        ("2021年5月以前，船厂由林秋负责。2021年5月起，船厂由周禾负责。", "船厂由谁负责？", "周禾", ""),
    ],
)  # fmt: skip
def test_the_present_is_asked_for_and_given(doors: Doors, text: str, question: str, now: str, then: str) -> None:
    """A former holder told as the present one is wrong with a citation."""
    answer = ask(doors, {"yard.md": f"Yard\n{text}"}, question)
    assert answer.status != "answered" or now in shown(answer)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Frequently asked\n\nHow much is a berth for the winter?\n\nAsk the harbour office.",
         "How much is a berth for the winter?"),
        ("常见问题\n\n冬季泊位多少钱？\n\n请咨询港务办公室。", "冬季泊位多少钱？"),
        ("Winter berth:\n\nSummer berth: see the board.", "How much is a winter berth?"),
    ],
)  # fmt: skip
def test_a_question_or_a_label_is_no_answer(doors: Doors, text: str, question: str) -> None:
    """The question's own words, back with a citation, are an echo."""
    assert ask(doors, {"faq.md": f"Berths\n{text}"}, question).status != "answered"


@pytest.mark.parametrize(
    ("minutes", "valid", "question", "right", "wrong"),
    [
        ("It was proposed to raise the berth fee to 95 euros. The proposal was rejected.",
         "The berth fee is 80 euros.", "What is the berth fee?", "80", "95"),
        ("有人提议将泊位费提高到95元，未获通过。", "泊位费为80元。", "泊位费是多少？", "80", "95"),
    ],
)  # fmt: skip
def test_what_was_rejected_is_no_rival(
    doors: Doors, minutes: str, valid: str, question: str, right: str, wrong: str
) -> None:
    """ "The sources disagree" about a proposal that failed makes a certain thing uncertain."""
    documents = {"minutes.md": f"Minutes\n{minutes}", "fees.md": f"Fees\n{valid}"}
    answer = ask(doors, documents, question)
    assert answer.conflict is None
    assert right in answer.claims[0].text
    assert wrong not in answer.claims[0].text


@pytest.mark.parametrize(
    ("one", "other", "question"),
    [
        ("Room 2 is swept by crew 14.", "Room 3 is swept by crew 21.", "Which crew sweeps room 3?"),
        ("2号房由14组打扫。", "3号房由21组打扫。", "3号房由哪一组打扫？"),
    ],
)
def test_different_things_do_not_disagree(doors: Doors, one: str, other: str, question: str) -> None:
    """One page for each room, all in the same words: nobody contradicts anybody."""
    answer = ask(doors, {"a.md": f"Rooms\n{one}", "b.md": f"Rooms again\n{other}"}, question)
    assert answer.conflict is None
    assert "21" in answer.claims[0].text


def test_an_exception_belongs_to_its_rule(doors: Doors) -> None:
    """Half of a rule is the wrong rule for whoever falls under the other half."""
    text = "Boats may stay in the basin for ten days. Except in August, when they must leave after three."
    answer = ask(doors, {"basin.md": f"Basin\n{text}"}, "How long may boats stay in the basin?")
    assert "August" in shown(answer)
