"""Plans: in an order in which they can be asked, without repeats or circles, at most max_hops."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from ragheal.types import Verdict

Play = Callable[..., Any]
CHAIN = "What is the core selling point of the last product of the lead of the Firmware team?"
DOCUMENTS = {"a.md": "Teams\nAda Lind leads the Firmware team.\n\nThe Fulmar was the last product of Ada Lind."}


def planned(play: Play, reply: Any, **flags: Any) -> Any:
    played = play(DOCUMENTS, {"planner": json.dumps(reply)}, **flags)
    return played.roles.plan(CHAIN, "multi_hop"), played


def parts(*rows: tuple[str, list[int]]) -> dict[str, Any]:
    return {"parts": [{"question": question, "needs": needs, "wants": "relation"} for question, needs in rows]}


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (parts(("Who leads Firmware?", []), ("What did {1} make last?", [1])), [("Who leads Firmware?", ()), ("What did {1} make last?", (1,))]),
        # the hole says what is needed, even where `needs` forgets it
        (parts(("Who leads Firmware?", []), ("What did {1} make last?", [])), [("Who leads Firmware?", ()), ("What did {1} make last?", (1,))]),
        # out of order
        (parts(("What did {2} make last?", [2]), ("Who leads Firmware?", [])), [("Who leads Firmware?", ()), ("What did {1} make last?", (1,))]),
        # repeated
        (parts(("Who leads Firmware?", []), ("who leads firmware", []), ("What did {2} make last?", [2])), [("Who leads Firmware?", ()), ("What did {1} make last?", (1,))]),
        # a circle beside a part that stands alone
        (parts(("What did {2} make?", [2]), ("Who made {1}?", [1]), ("Who leads Firmware?", []), ("Where does {3} live?", [3])), [("Who leads Firmware?", ()), ("Where does {1} live?", (1,))]),
        # needs itself, needs what is not there
        (parts(("Who leads Firmware?", []), ("What did {2} make?", [2]), ("What did {9} make?", [9]), ("Where does {1} live?", [1])), [("Who leads Firmware?", ()), ("Where does {1} live?", (1,))]),
        # too many: what needs a part that was cut is cut too
        (parts(("Who leads Firmware?", []), ("Where is the office?", []), ("When was it built?", []), ("Who built it?", []), ("What of {4}?", [4])), [("Who leads Firmware?", ()), ("Where is the office?", ()), ("When was it built?", ())]),
        # other ways to write a hole and a list
        (["Who leads Firmware?", "What did #1 make last?"], [("Who leads Firmware?", ()), ("What did {1} make last?", (1,))]),
        ({"steps": [{"sub_question": "Who leads Firmware?"}, {"sub_question": "What did {answer 1} make?", "needs": "1"}]}, [("Who leads Firmware?", ()), ("What did {1} make?", (1,))]),
    ],
)  # fmt: skip
def test_parts(play: Play, reply: Any, expected: Any) -> None:
    """A hop whose answer is never looked up costs a round and finds nothing."""
    plan, played = planned(play, reply)
    assert [(part.question, part.needs) for part in plan.parts] == expected
    assert plan.queries[0].text == CHAIN
    assert len(plan.queries) <= 3
    assert not any("{" in query.text for query in plan.queries)
    assert not played.faults


@pytest.mark.parametrize(
    "reply",
    [parts(("Who leads Firmware?", [])), parts((CHAIN, [])), parts((CHAIN, []), ("Who leads Firmware?", []))],
)
def test_one_part_needs_no_parts(play: Play, reply: Any) -> None:
    """A single sub-question, or the question itself again, is answered from one pool."""
    plan, _ = planned(play, reply)
    assert plan.parts == ()
    assert [query.text for query in plan.queries] == [CHAIN]


def test_all_in_a_circle_falls_back(play: Play) -> None:
    """Nothing of such a plan can be asked first."""
    plan, _ = planned(play, parts(("What did {2} make?", [2]), ("Who made {1}?", [1])))
    assert plan.parts == ()
    assert plan.queries


def test_max_hops(play: Play) -> None:
    """The setting bounds what a question costs."""
    rows = [(f"What of thing number {n}?", []) for n in "abcdef"]
    plan, played = planned(play, parts(*rows), loop__max_hops=2)
    assert len(plan.parts) == 2
    assert "at most 2 parts" in played.doors.requests[0].user


def test_a_planner_that_babbles(play: Play) -> None:
    """The embedded planner takes the question apart instead."""
    played = play(DOCUMENTS, {"planner": "First, find the lead."})
    plan = played.roles.plan(CHAIN, "multi_hop")
    assert [(fault.role, fault.kind, fault.instead) for fault in played.faults] == [
        ("planner", "malformed", "embedded")
    ]
    assert plan.queries[0].text == CHAIN


@pytest.mark.parametrize("route", ["standard", "self_rag", "generative", "direct"])
def test_one_fact_costs_no_call(play: Play, route: Any) -> None:
    """The question itself is the query."""
    played = play(DOCUMENTS, {})
    plan = played.roles.plan("Who leads Firmware?", route)
    assert [query.text for query in plan.queries] == ([] if route == "direct" else ["Who leads Firmware?"])


def test_the_embedded_judge_understands_a_models_plan(play: Play, said: Any) -> None:
    """It reads a comparison's queries by their places: a model's plan must not break it when the judge is lost."""
    question = "Which was released earlier, the Heron gateway or the Puffin tag?"
    reply = parts(("When was the Heron released?", []), ("When was the Puffin released?", []))
    played = play(
        {"a.md": "A\nThe Heron gateway was released in 2019.\n\nThe Puffin tag was released in 2021."},
        {"planner": reply, "judge": "no", "rewriter": "no", "generator": "", "verifier": "no"},
    )
    plan = played.roles.plan(question, "multi_hop")
    hits = played.doors.search(plan.queries[0])
    verdict = played.roles.judge(question, plan, hits, strict=False)
    assert verdict.judged_by == "embedded"
    draft = played.roles.generate(question, plan, hits, verdict, strict=False)
    assert draft is not None
    assert played.roles.verify(question, plan, draft, hits, verdict, strict=False)
    played.roles.rewrite(question, plan, [verdict], list(plan.queries[:1]), "mild")


def test_what_a_model_says_without_documents(play: Play) -> None:
    """The `direct` route, and `on_no_evidence: direct`, would refuse whatever a real model knows."""
    played = play(DOCUMENTS, {"generator": ["Bridges carry roads [1].", "NOT FOUND"]})
    nothing, plan = Verdict(False, 0.0), played.roles.plan("Tell me of bridges.", "direct")
    said = played.roles.generate("Tell me of bridges.", plan, (), nothing, strict=False)
    assert [claim.text for claim in said.claims] == ["Bridges carry roads."]
    assert not said.citations
    assert played.roles.generate("Tell me of bridges.", plan, (), nothing, strict=False) is None
