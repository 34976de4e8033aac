"""Each route whole, on the embedded back end and with a script that plays a model; every run replays."""

from __future__ import annotations

from typing import Any

import pytest

from ragheal.types import (
    CheckStep,
    DraftStep,
    FaultStep,
    HopStep,
    JudgeStep,
    Plan,
    PlanStep,
    Query,
    RewriteStep,
    RouteStep,
    SearchStep,
    StopStep,
)

LEAD = "Who leads the Firmware team?"
NO: dict[str, Any] = {"sufficient": False, "confidence": 0.2, "missing": [{"kind": "entity", "label": "its lead"}]}
YES: dict[str, Any] = {"sufficient": True, "confidence": 0.9}
ACCEPT: dict[str, Any] = {"outcome": "accept", "grounded": "supported", "complete": True, "useful": 5}
CHAIN = "What is special about the tag that the lead of the Firmware team last shipped?"
PARTS: dict[str, Any] = {
    "queries": [{"text": CHAIN}],
    "shape": "chain",
    "parts": [
        {"question": "Who leads the Firmware team?"},
        {"question": "Which tag did {1} last ship?", "needs": [1]},
        {"question": "What is special about the battery of {2}?", "needs": [2]},
    ],
}
HOPS: dict[str, Any] = {
    "plan": [PARTS],
    "judge": [YES, YES, YES],
    "generate": [
        "The Firmware team is led by Hedda Korrin. [teams.md:1]",
        "She last shipped the Fulmar tag. [people.md]",
        "It has a battery that lasts nine years. [fulmar.md:1]",
        "Its battery lasts nine years [fulmar.md:1]. Hedda Korrin leads the Firmware team [teams.md:1].",
    ],
    "verify": [ACCEPT],
}


@pytest.mark.parametrize("route", ["direct", "standard", "multi_hop", "self_rag", "combined", "generative"])
@pytest.mark.parametrize(
    "script",
    [None, {"plan": [{"queries": [{"text": LEAD}]}], "judge": [YES], "generate": ["It is Hedda Korrin. [1]"] * 2,
            "verify": [ACCEPT, ACCEPT]}],
)  # fmt: skip
def test_every_route_on_both_back_ends(play: Any, route: str, script: Any) -> None:
    """Each ends in an answer of its own route that says where it comes from, and its run replays."""
    if script is not None and route in {"multi_hop", "self_rag", "combined"}:
        # A short draft is a signal there; the script has one judge reply, so no round may follow.
        script = {**script, "generate": ["The Firmware team is led by Hedda Korrin, as the teams' page says. [1]"]}
    played = play(LEAD, script, loop__strategy=route)
    assert played.answer.route == route
    if route == "direct" and script is None:
        assert played.answer.status == "abstained"
        assert not played.steps(SearchStep)
    elif route != "direct":
        assert "Hedda Korrin" in played.answer.text
        assert played.answer.citations
        if route == "generative":
            assert played.answer.status == "disclaimed"
        elif script is not None:
            assert played.answer.status == "answered"
        else:  # how sure the reader is of this one sentence is for its own tests
            assert played.answer.status in {"answered", "disclaimed"}


def test_no_rule_then_the_model_then_the_default(play: Any) -> None:
    """Rules decide first; a model only where none fires; and the trace says who it was."""
    chosen = {"route": "multi_hop", "reason": "two things", "decided_by": "model"}
    routing = play("What about the Firmware team?", {"classify": [chosen]}).steps(RouteStep)[0].routing
    assert (routing.route, routing.decided_by) == ("multi_hop", "model")
    ruled = play("What about the symptoms?", {"classify": []}).steps(RouteStep)[0].routing
    assert (ruled.route, ruled.decided_by) == ("self_rag", "rule")
    assert play(LEAD, {"classify": [None]}).steps(RouteStep)[0].routing.decided_by == "default"


@pytest.mark.parametrize(
    ("question", "text"), [("hello", "Hello"), ("谢谢", "不客气"), ("what is 17*3", "17*3 = 51")]
)
def test_small_talk_and_sums_never_reach_a_model(play: Any, question: str, text: str) -> None:
    """A greeting must not cost a call."""
    played = play(question, {"generate": []})
    assert played.answer.text.startswith(text)
    assert played.asked == []


def test_direct_with_a_model_says_that_it_is_undocumented(play: Any) -> None:
    """What no document backs is never shown as if one did."""
    played = play("Tell me of bridges.", {"generate": ["Bridges carry roads."]}, loop__strategy="direct")
    assert played.answer.status == "direct"
    assert played.answer.text == "Not from the documents:\nBridges carry roads."
    assert not played.steps(SearchStep)


@pytest.mark.parametrize(("wanted", "status"), [("abstain", "abstained"), ("direct", "direct")])
def test_on_no_evidence(play: Any, wanted: str, status: str) -> None:
    """Who wants to hear what the model knows beyond the documents says so, and sees where it comes from."""
    script = {"judge": [NO], "rewrite": [None], "generate": [None, "Quorvax is a planet."]}
    played = play("Where is Quorvax?", script, answer__on_no_evidence=wanted, loop__max_rounds=1)
    assert played.answer.status == status
    assert played.answer.missing
    assert played.answer.route == "standard"
    assert (played.answer.text == "Not from the documents:\nQuorvax is a planet.") == (wanted == "direct")


def test_on_no_evidence_without_a_model(play: Any) -> None:
    """The embedded back end knows nothing but the documents, and invents nothing."""
    played = play("Where is Quorvax?", None, answer__on_no_evidence="direct")
    assert played.answer.status == "abstained"


# --- standard -------------------------------------------------------------------------------------------


def test_standard_asks_once_when_nothing_fires(play: Any) -> None:
    """A simple question on a good index costs one search, one judge, one generator, one verifier."""
    played = play(
        LEAD, {"judge": [YES], "generate": ["Hedda Korrin leads the Firmware team. [1]"], "verify": [ACCEPT]}
    )
    assert played.asked == ["classify", "plan", "judge", "generate", "verify"]
    assert (played.answer.status, played.answer.rounds) == ("answered", 1)


@pytest.mark.parametrize(
    ("question", "draft"),
    [(LEAD, "I don't know who leads it. [1]"), (LEAD, None), ("谁负责派单组？", "文档没有提到负责人。[1]")],
)
def test_a_draft_that_hedges_asks_for_one_round_more(play: Any, question: str, draft: str | None) -> None:
    """ "I don't know" from evidence that was called sufficient is a failure, not an answer."""
    right = "派单组的负责人是沈知远。[1]" if "派" in question else "Hedda Korrin leads the Firmware team. [1]"
    script = {
        "judge": [YES, YES],
        "rewrite": [
            {"queries": [{"text": "Oddny Vale refrigeration mechanic 团队 成员", "origin": "rewrite"}], "why": "x"}
        ],
        "generate": [draft, right],
        "verify": [ACCEPT] if draft is None else [ACCEPT, ACCEPT],
    }
    played = play(question, script, top_k=1)
    assert played.answer.status == "answered"
    assert played.answer.text.startswith(right[:6])
    reason = played.steps(RewriteStep)[0].why
    assert ("hedges" in reason) or ("no answer was found" in reason)
    assert played.answer.rounds == 2


def test_healing_never_makes_it_worse(play: Any) -> None:
    """A second draft that hedges as well does not replace the first."""
    script = {
        "judge": [YES, YES],
        "rewrite": [{"queries": [{"text": "Oddny Vale mechanic", "origin": "rewrite"}], "why": "x"}],
        "generate": [
            "Hedda Korrin leads the Firmware team [1]. It is unclear since when [1].",
            "I don't know. [1]",
        ],
        "verify": [ACCEPT, ACCEPT],
    }
    played = play(LEAD, script, top_k=1)
    assert "Hedda Korrin" in played.answer.text
    assert played.answer.status == "partial"


def test_a_draft_that_only_hedges_is_no_answer(play: Any) -> None:
    """A fluent "the documents do not say" is a refusal, whatever the verifier called it."""
    script = {"judge": [YES], "generate": ["The documents do not say who leads it. [1]"], "verify": [ACCEPT]}
    assert play(LEAD, script, loop__max_rounds=1).answer.status == "abstained"


def test_code_overrules_the_verifier(play: Any) -> None:
    """A model that accepts its own invented number is vetoed, asked again, and then only what holds is kept."""
    question = "How many readings does the Fulmar store?"
    wrong = "The Fulmar stores 46,000 readings. [1]"
    script = {
        "judge": [YES],
        "generate": [wrong, "The Fulmar stores 64,000 readings. [1]"],
        "verify": [ACCEPT, ACCEPT],
    }
    played = play(question, script)
    assert "64,000" in played.answer.text
    first = played.steps(CheckStep)[0].check
    assert (first.outcome, first.problems) == ("regenerate", ("claim 1: 46,000 is not in the cited text",))
    twice = {"judge": [YES], "generate": [wrong, wrong], "verify": [ACCEPT, ACCEPT]}
    assert play(question, twice).answer.status == "abstained"
    mixed = "The Fulmar stores 64,000 readings [1]. It weighs 12 kg [1]."
    kept = play(question, {"judge": [YES], "generate": [mixed, mixed], "verify": [ACCEPT, ACCEPT]}).answer
    assert "64,000" in kept.text
    assert "12 kg" not in kept.text
    assert kept.status in {"partial", "disclaimed"}
    strict = {"judge": [YES], "generate": [mixed, mixed], "verify": [ACCEPT, ACCEPT]}
    assert play(question, strict, loop__strategy="self_rag").answer.status == "abstained"


def test_irrelevant_hits_are_not_shown_to_the_generator(play: Any) -> None:
    """A hit graded below 50 is dropped: a model cannot quote what it does not see."""
    everything = play(LEAD, {"judge": [YES]}).steps(JudgeStep)[0].verdict.grades
    assert any(grade.relevance < 50 for grade in everything)
    played = play(
        LEAD, {"judge": [YES], "generate": ["It is Hedda Korrin [1], or another [9]."] * 2, "verify": [ACCEPT] * 2}
    )
    assert any("does not exist" in problem for step in played.steps(CheckStep) for problem in step.check.problems)


def test_self_rag_does_not_promise_what_is_of_little_use(play: Any) -> None:
    """Supported but beside the point is disclaimed where an answer must be verified."""
    text = "The Firmware team is led by Hedda Korrin, as the page on teams says. [1]"
    script = {"judge": [YES], "generate": [text], "verify": [{**ACCEPT, "useful": 2}]}
    assert play(LEAD, script, loop__strategy="self_rag").answer.status == "disclaimed"


# --- multi_hop ------------------------------------------------------------------------------------------


def test_each_answer_feeds_the_next_question(play: Any) -> None:
    """The chain that one search cannot follow."""
    played = play(CHAIN, HOPS, loop__strategy="multi_hop")
    assert [hop.question for hop in played.answer.hops] == [
        "Who leads the Firmware team?",
        "Which tag did Hedda Korrin last ship?",
        "What is special about the battery of Fulmar?",
    ]
    assert played.answer.status == "answered"
    assert "nine years" in played.answer.text
    assert [step.hop for step in played.steps(HopStep)] == list(played.answer.hops)
    assert all(hop.cites for hop in played.answer.hops)
    # The question's own hits stand in the pool beside those of the parts.
    assert played.steps(SearchStep)[0].query.text == CHAIN
    assert [step.round for step in played.steps(SearchStep)] == [1, 2, 3, 4]
    assert {"teams.md", "people.md", "fulmar.md"} <= {entry.source for entry in played.answer.evidence}


def test_chain_in_chinese(play: Any) -> None:
    """Both languages are first languages."""
    question = "维护青雁调度器的团队的负责人是谁？"
    parts = [{"question": "青雁调度器由哪个团队维护？"}, {"question": "{1}的负责人是谁？", "needs": [1]}]
    script = {
        "plan": [{"queries": [{"text": question}], "shape": "chain", "parts": parts}],
        "judge": [YES, YES],
        "generate": ["青雁调度器由派单组维护。[1]", "派单组的负责人是沈知远。[1]", "负责人是沈知远[1]，他带领的派单组维护青雁调度器[2]。"],
        "verify": [ACCEPT],
    }  # fmt: skip
    played = play(question, script, loop__strategy="multi_hop")
    assert played.answer.status == "answered"
    assert "沈知远" in played.answer.text
    assert "派单组" in played.answer.hops[1].question


def test_a_hop_without_an_answer_stops_its_chain(play: Any) -> None:
    """A next question with a hole in it is never asked; what is missing is said."""
    script = {
        "plan": [PARTS],
        "judge": [NO, NO],
        "rewrite": [None],
        "generate": [None],
    }
    played = play(CHAIN, script, loop__strategy="multi_hop", loop__max_rounds=1)
    assert [bool(hop.answer) for hop in played.answer.hops] == [False, False, False]
    assert not any("{" in step.query.text for step in played.steps(SearchStep))
    assert played.answer.status == "abstained"
    assert "its lead" in played.answer.missing


def test_the_whole_may_answer_where_a_part_fails(play: Any) -> None:
    """Taking a question apart may not lose what its own search found."""
    script = {
        "plan": [PARTS],
        "judge": [NO, YES],
        "generate": [
            "The tag that Hedda Korrin of the Firmware team last shipped is the Fulmar tag. [people.md:1]"
        ],
        "verify": [ACCEPT],
    }
    played = play(CHAIN, script, loop__strategy="multi_hop", loop__max_rounds=1)
    assert played.answer.status == "answered"


def test_max_hops_cuts_the_plan(play: Any) -> None:
    """Each hop costs calls: two are asked where two are allowed."""
    script = {
        **HOPS,
        "judge": [YES, YES],
        "generate": [*HOPS["generate"][:2], "Hedda Korrin last shipped the Fulmar tag. [people.md:1]"],
    }
    played = play(CHAIN, script, loop__strategy="multi_hop", loop__max_hops=2)
    assert len(played.answer.hops) == 2


def test_combined_verifies_every_hop(play: Any) -> None:
    """A chain is as strong as its weakest hop: an unverified one feeds nothing."""
    script = {**HOPS, "verify": [ACCEPT] * 4}
    played = play(CHAIN, script, loop__strategy="combined")
    assert played.asked.count("verify") == 4
    doubted = {
        **HOPS,
        "judge": [YES, NO],
        "generate": [HOPS["generate"][0], None],
        "verify": [{**ACCEPT, "outcome": "abstain"}],
    }
    answer = play(CHAIN, doubted, loop__strategy="combined", loop__max_rounds=1).answer
    assert not answer.hops[0].answer
    assert answer.status == "abstained"


def test_no_heal_asks_no_parts(play: Any) -> None:
    """The baseline is one search, with a model as well."""
    script = {
        "plan": [PARTS],
        "judge": [NO],
        "generate": ["Its battery lasts nine years. [fulmar.md:1]"],
        "verify": [ACCEPT],
    }
    played = play(CHAIN, script, loop__strategy="multi_hop", loop__heal=False)
    assert len(played.steps(SearchStep)) == 1
    assert not played.steps(HopStep)


# --- generative -----------------------------------------------------------------------------------------


def test_what_a_model_composes_is_marked(play: Any) -> None:
    """A letter from the documents is not evidence of anything, and says so."""
    script = {"plan": [{"queries": [{"text": "Fulmar battery"}]}], "judge": [NO],
              "generate": ["Dear customer, here is the Fulmar. Its battery lasts eleven years [1]. Yours."]}  # fmt: skip
    played = play("Write me a letter about the Fulmar", script)
    assert played.answer.route == "generative"
    assert played.answer.status == "disclaimed"
    assert played.answer.text.startswith("Not fully grounded")
    assert "eleven years" in played.answer.check.problems[0]
    assert len(played.steps(DraftStep)) == 1


# --- memory and warnings --------------------------------------------------------------------------------


def test_a_remembered_plan_takes_one_round(play: Any) -> None:
    """The second asking does not walk the chain again: all its queries are searched at once, and judged."""
    plan = Plan(
        (Query(CHAIN), Query("Hedda Korrin Fulmar tag"), Query("Fulmar battery", origin="plan")), together=True
    )
    text = "The tag that Hedda Korrin of the Firmware team last shipped is the Fulmar tag. [people.md:1]"
    script = {"plan": [], "judge": [YES], "generate": [text], "verify": [ACCEPT]}
    played = play(CHAIN, script, remembered=plan, loop__strategy="multi_hop")
    assert played.answer.rounds == 1
    assert "plan" not in played.asked
    assert [step.query.text for step in played.steps(SearchStep)] == [query.text for query in plan.queries]


def test_a_remembered_plan_that_fails_gives_way(play: Any) -> None:
    """Documents change: where the old plan no longer suffices, the question is planned anew."""
    plan = Plan((Query(CHAIN), Query("nine years")), together=True)
    played = play(CHAIN, {**HOPS, "judge": [NO, YES, YES, YES]}, remembered=plan, loop__strategy="multi_hop")
    assert [step.plan.together for step in played.steps(PlanStep)] == [True, False]
    assert len(played.answer.hops) == 3
    assert played.answer.status == "answered"


def test_embedded_tries_a_remembered_plan(play: Any) -> None:
    """Memory serves without a model too."""
    question = "When was the battery praised that Hedda Korrin shipped?"
    plan = Plan((Query(question), Query("Fulmar tag battery nine years", origin="plan")), together=True)
    played = play(question, remembered=plan, top_k=1)
    first = [step.query.text for step in played.steps(SearchStep) if step.round == 1]
    assert first == [query.text for query in plan.queries]


@pytest.mark.parametrize(
    "script", [None, {"judge": [YES], "generate": ["It is Hedda Korrin. [1]"], "verify": [ACCEPT]}]
)
def test_a_thumb_down_starts_higher(play: Any, script: Any) -> None:
    """The same question after a complaint is not answered from the same ten hits."""
    played = play(LEAD, script, raised=1)
    assert any(step.query.origin == "deepen" and step.round == 1 for step in played.steps(SearchStep))
    assert played.steps(RewriteStep)[0].severity == "moderate"


def test_faults_are_told_once_for_each_kind(play: Any) -> None:
    """Whatever was given up is in the answer, in a line that fits a terminal."""
    from ragheal.answering.account import given_up

    steps = [FaultStep("judge", "timeout", "20 s"), FaultStep("judge", "timeout", "20 s"),
             FaultStep("planner", "malformed", "no JSON")]  # fmt: skip
    assert given_up(steps) == (
        "judge: embedded stood in (timeout, 2 times)",
        "planner: embedded stood in (malformed)",
    )


def test_rounds_spent_are_told(play: Any) -> None:
    """A loop that ends without an answer says why."""
    played = play(LEAD, {"judge": [NO], "generate": [None]}, loop__max_rounds=1, loop__strategy="standard")
    assert played.answer.status == "abstained"
    assert not played.steps(StopStep)
