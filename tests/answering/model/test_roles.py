"""The model roles in whole runs: what they are asked, what they cost, what happens when they fail."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from ragheal.answering.model import ModelRoles
from ragheal.strategies import STRATEGIES
from ragheal.strategies.adaptive import route
from ragheal.types import Answer, ChatReply, Grade, Hop, Plan, Query, Tokens, Verdict

Play = Callable[..., Any]
PRICES = {
    "prices.md": "Prices\nThe price of the Fulmar is 84 EUR.\n\nThe price of the Puffin is 31 EUR.",
    "fulmar.md": "Fulmar\nThe Fulmar stores 32,000 readings.\n\nIts battery lasts nine years.",
}
ASKED = "What is the price of the Fulmar?"


def ask(played: Any, question: str) -> Answer:
    routing = route(question, played.settings)
    return STRATEGIES[routing.route](question, routing, played.kit)


def test_an_easy_question_costs_two_calls_when_it_is_quoted(play: Play, said: Any) -> None:
    """Judge and generator: a claim that is nearly a quotation needs no verifier."""
    played = play(PRICES, {"judge": said.enough((1, 95)), "generator": "The price of the Fulmar is 84 EUR [1]."})
    answer = ask(played, ASKED)
    assert answer.status == "answered"
    assert answer.text == "The price of the Fulmar is 84 EUR. [1]"
    assert [c.quote for c in answer.citations] == ["The price of the Fulmar is 84 EUR."]
    assert played.doors.asked == ["judge", "generator"]
    assert played.roles.usage == (2, Tokens(200, 20))


def test_an_easy_question_costs_three_calls_when_it_is_worded_anew(play: Play, said: Any) -> None:
    """A claim in other words is checked by the verifier, once."""
    played = play(
        PRICES,
        {
            "judge": said.enough((1, 95)),
            "generator": "You pay 84 EUR for a Fulmar [1].",
            "verifier": {"claims": [{"n": 1, "verdict": "supported"}], "complete": True, "useful": 5},
        },
    )
    answer = ask(played, ASKED)
    assert answer.status == "answered"
    assert played.doors.asked == ["judge", "generator", "verifier"]


def test_one_rewrite_costs_six_calls_at_most(play: Play, said: Any) -> None:
    """Judge, judge again, rewriter, judge, generator, verifier."""
    played = play(
        PRICES,
        {
            "judge": [
                said.lacking({"kind": "value", "what": "battery life", "terms": ["battery", "years"]}),
                said.lacking({"kind": "value", "what": "battery life", "terms": ["battery", "years"]}),
                said.enough((1, 20), (2, 90), (3, 90), (4, 90)),
            ],
            "rewriter": {"queries": ["Fulmar battery lasts years"]},
            "generator": "A Fulmar runs for nine years [4].",
            "verifier": {"claims": [{"n": 1, "verdict": "supported"}], "complete": True, "useful": 5},
        },
        top_k=2,
    )  # fmt: skip
    ask(played, "How long does a Fulmar run?")
    assert len(played.doors.asked) <= 6
    judged = [request for request in played.doors.requests if request.role == "judge"]
    assert [request.attempt for request in judged[:2]] == [1, 2]


def test_a_server_that_is_down_leaves_the_embedded_answer(play: Play, doors: Callable[..., Any]) -> None:
    """The whole question is answered as it would be without a server, and the trace says for each role why."""
    from ragheal.answering.embedded import EmbeddedRoles
    from ragheal.answering.kit import Kit

    down = ChatReply(fault="unavailable", detail="connection refused")
    roles = ("judge", "generator", "verifier", "rewriter", "planner", "classifier")
    played = play(PRICES, dict.fromkeys(roles, down))
    answer = ask(played, ASKED)
    world = doors(PRICES)
    kit = Kit(world, EmbeddedRoles(world, played.settings), played.settings, lambda _: None)
    assert answer == STRATEGIES["standard"](ASKED, route(ASKED, played.settings), kit)
    assert {fault.kind for fault in played.faults} == {"unavailable"}
    assert {fault.instead for fault in played.faults} == {"embedded"}
    assert {fault.role for fault in played.faults} == {"judge", "generator"}


def test_calls_that_never_left_are_not_counted(play: Play) -> None:
    """A budget that is spent costs nothing more."""
    spent = ChatReply(fault="budget", detail="the tokens of this question are spent")
    played = play(PRICES, dict.fromkeys(("judge", "generator", "rewriter"), spent))
    ask(played, ASKED)
    assert played.roles.usage == (0, Tokens())


def test_a_judge_that_babbles_is_a_counted_error(play: Play) -> None:
    """Asked twice, then the embedded judge: a malformed reply is never a verdict."""
    played = play(PRICES, {"judge": "Yes, relevant.", "generator": "The price of the Fulmar is 84 EUR [1]."})
    answer = ask(played, ASKED)
    assert [(fault.role, fault.kind) for fault in played.faults] == [("judge", "malformed")]
    assert played.roles.judge_errors == 1
    assert played.doors.asked[:2] == ["judge", "judge"]
    assert "84" in answer.text


def test_the_second_asking_says_what_is_wanted(play: Play, said: Any) -> None:
    """The same words again would bring the same reply."""
    played = play(
        PRICES, {"judge": ["{", said.enough((1, 95))], "generator": "The price of the Fulmar is 84 EUR [1]."}
    )
    assert ask(played, ASKED).status == "answered"
    first, second = played.doors.requests[:2]
    assert second.user.startswith(first.user)
    assert len(second.user) > len(first.user)
    assert (first.attempt, second.attempt) == (1, 2)
    assert not played.faults


def test_a_disagreement_searches_once_more(play: Play, said: Any) -> None:
    """Insufficient, then sufficient on the same hits: the cautious reading is one more retrieval."""
    played = play(
        PRICES,
        {
            "judge": [
                said.lacking({"kind": "value", "what": "price"}),
                said.enough((1, 95)),
                said.enough((1, 95)),
            ],
            "rewriter": {"queries": ["Fulmar readings battery"]},
            "generator": "The price of the Fulmar is 84 EUR [1].",
        },
        top_k=1,
    )
    answer = ask(played, ASKED)
    assert answer.rounds == 2
    assert answer.status == "answered"


def test_three_votes_decide_by_majority(play: Play, said: Any) -> None:
    """One outlier of three does not cost a round."""
    played = play(
        PRICES,
        {
            "judge": [said.enough((1, 95)), said.lacking({"what": "price"}), said.enough((1, 95))],
            "generator": "The price of the Fulmar is 84 EUR [1].",
        },
        model__votes=3,
    )
    assert ask(played, ASKED).rounds == 1
    assert played.doors.asked == ["judge", "judge", "judge", "generator"]


def test_the_same_pool_is_judged_once(play: Play, said: Any) -> None:
    """A verdict on the same hits costs nothing the second time."""
    played = play(PRICES, {"judge": said.enough((1, 95))})
    plan = played.roles.plan(ASKED, "standard")
    hits = played.doors.search(plan.queries[0])
    assert played.roles.judge(ASKED, plan, hits, strict=False) == played.roles.judge(
        ASKED, plan, hits, strict=False
    )
    assert played.doors.asked == ["judge"]


def test_an_empty_pool_is_not_asked_about(play: Play) -> None:
    """Nothing found needs no model to say so."""
    played = play(PRICES, {})
    plan = played.roles.plan("zyzzyva", "standard")
    verdict = played.roles.judge("zyzzyva", plan, (), strict=False)
    assert not verdict.sufficient
    assert played.doors.requests == []


def test_only_long_questions_are_classified(play: Play) -> None:
    """A classifier call on every short question would be the dearest part of an easy answer."""
    played = play(PRICES, {"classifier": {"route": "multi_hop", "why": "two facts"}})
    assert played.roles.classify(ASKED) is None
    assert played.doors.requests == []
    long = "We have a box that stands in a van all day and I would like to know which tag to buy for it and why"
    routing = played.roles.classify(long)
    assert (routing.route, routing.decided_by) == ("multi_hop", "model")


@pytest.mark.parametrize("reply", ["irrelevant", {"route": "direct"}, {"route": "self_rag or multi_hop"}, "{}"])
def test_a_route_that_is_none_decides_nothing(play: Play, reply: Any) -> None:
    """Only a name of the list is a route."""
    played = play(PRICES, {"classifier": reply})
    assert played.roles.classify(" ".join(["word"] * 30)) is None
    assert [(fault.role, fault.kind) for fault in played.faults] == [("classifier", "malformed")]


def test_not_found_is_a_refusal(play: Play, said: Any) -> None:
    """A generator that sees no answer ends in an honest refusal."""
    played = play(PRICES, {"judge": said.enough((1, 80)), "generator": "NOT FOUND", "rewriter": "no idea"})
    answer = ask(played, "What is the weight of the Fulmar?")
    assert answer.status == "abstained"


def test_an_invented_citation_is_never_accepted(play: Play, said: Any) -> None:
    """[7] of two hits: asked to write again; when it stands again, the hits' own words are all that is shown."""
    played = play(
        PRICES, {"judge": said.enough((1, 95)), "generator": "The price of the Fulmar is 84 EUR [1][7]."}
    )
    answer = ask(played, ASKED)
    assert answer.status == "disclaimed"
    assert "[7]" not in answer.text
    assert [(fault.role, fault.kind) for fault in played.faults] == [("generator", "ungrounded")]
    assert "does not exist" in played.faults[0].detail


def test_an_invented_number_is_never_accepted(play: Play, said: Any) -> None:
    """The verifier is not even asked: code vetoes."""
    played = play(PRICES, {"judge": said.enough((1, 95)), "generator": "The price of the Fulmar is 48 EUR [1]."})
    answer = ask(played, ASKED)
    assert answer.status == "disclaimed"
    assert "48" not in answer.text
    assert "84" in answer.text
    assert "verifier" not in played.doors.asked


@pytest.mark.parametrize(
    ("verdict", "complete", "useful", "status"),
    [
        ("supported", True, 5, "answered"),
        ("partially", True, 4, "disclaimed"),
        ("not_supported", True, 5, "abstained"),
        ("supported", False, 3, "partial"),
        ("supported", False, 1, "abstained"),
    ],
)
def test_the_verifiers_word(play: Play, said: Any, verdict: str, complete: bool, useful: int, status: str) -> None:
    """Each word has one meaning, and "not_supported" is not "supported"."""
    played = play(
        PRICES,
        {
            "judge": said.enough((1, 95)),
            "generator": "You pay 84 EUR for a Fulmar [1].",
            "verifier": {"claims": [{"n": 1, "verdict": verdict}], "complete": complete, "useful": useful},
        },
    )
    assert ask(played, ASKED).status == status


def test_an_answer_in_one_language_from_a_passage_in_the_other(play: Play, said: Any) -> None:
    """The quotation stays in the language of the document, the answer follows the question."""
    played = play(
        {"价格.md": "价格\n雪鸮的单价是 84 元。 Fulmar"},
        {
            "judge": said.enough((1, 95)),
            "generator": "A Fulmar costs 84 yuan [1].",
            "verifier": {"claims": [{"n": 1, "verdict": "supported"}], "complete": True, "useful": 5},
        },
    )
    answer = ask(played, "How much does the Fulmar cost?")
    assert answer.status == "answered"
    assert answer.citations[0].quote.startswith("雪鸮的单价")


def test_streaming_is_for_text_that_stays(play: Play, said: Any) -> None:
    """A text that will be taken apart or written again is not shown as it comes."""
    good = "The price of the Fulmar is 84 EUR [1]."
    played = play(PRICES, {"judge": said.enough((1, 95)), "generator": ["The price is 48 EUR [1].", good]})
    ask(played, ASKED)
    drafts = [request for request in played.doors.requests if request.role == "generator"]
    assert [request.stream for request in drafts] == [True, False]


def test_same_replies_same_story(play: Play, said: Any) -> None:
    """What the doors answer decides everything, so a recorded run can be checked."""

    def run() -> Any:
        played = play(PRICES, {"judge": said.enough((1, 95)), "generator": "You pay 84 EUR [1].", "verifier": "?"})
        return ask(played, ASKED), played.doors.requests, played.faults

    assert run() == run()


def test_shape(play: Play) -> None:
    """The strategies ask for explicit hops where the roles can plan them."""
    assert ModelRoles.explicit_hops
    assert ModelRoles.name == "openai"


def test_a_reply_that_was_cut_off_keeps_its_whole_parts(play: Play, said: Any) -> None:
    """The verdict stood before the cut; of a text, the sentence that breaks off is dropped. The trace says both."""
    judged = '{"hits": [{"n": 1, "relevance": 95}], "sufficient": true, "confidence": 90, "missing": [{"what'
    told = "The price of the Fulmar is 84 EUR [1]. The price of the Puffin is 3"
    played = play(
        PRICES,
        {
            "judge": ChatReply(judged, fault="cut_off", detail="the longest length"),
            "generator": ChatReply(told, fault="cut_off", detail="the longest length"),
        },
    )
    answer = ask(played, ASKED)
    assert answer.text == "The price of the Fulmar is 84 EUR. [1]"
    assert answer.status == "answered"
    assert [fault.kind for fault in played.faults] == ["cut_off", "cut_off"]
    assert {fault.instead for fault in played.faults} == {"the part that came"}


def test_a_reply_that_was_cut_off_before_its_verdict_is_lost(play: Play) -> None:
    """Asking again would end at the same length: the embedded judge decides."""
    cut = ChatReply('{"hits": [{"n": 1, "relevance": 9', fault="cut_off", detail="the longest length")
    played = play(PRICES, {"judge": cut, "generator": "The price of the Fulmar is 84 EUR [1]."})
    ask(played, ASKED)
    assert played.doors.asked.count("judge") == 1
    assert [(fault.kind, fault.instead) for fault in played.faults] == [("cut_off", "embedded")]


def test_a_synthesis_says_what_each_hop_gave(play: Play, said: Any) -> None:
    """The steps go in with the numbers of the hits they rest on; those hits are shown whatever their grade."""
    played = play(
        {
            "a.md": "Teams\nAda Lind leads the Firmware team.",
            "b.md": "Work\nThe last product of Ada Lind is the Fulmar.",
        },
        {"generator": "The last product is the Fulmar [2]. Ada Lind leads the Firmware team [1]."},
    )
    question = "What is the last product of the lead of the Firmware team?"
    first, second = (
        played.doors.search(Query(text))[0] for text in ("leads Firmware team", "last product Ada Lind")
    )
    hops = (Hop(1, "Who leads Firmware?", "Ada Lind", (first.chunk.id,)), Hop(2, "Which colour?", ""))
    verdict = Verdict(True, 0.9, (Grade(first.chunk.id, 10), Grade(second.chunk.id, 90)), judged_by="model")
    plan = Plan((Query(question),), shape="chain")
    made = played.roles.generate(question, plan, (second, first), verdict, strict=False, hops=hops)
    request = played.doors.requests[0]
    assert "1. Who leads Firmware? → Ada Lind [1]" in request.user
    assert "2. Which colour? → not found" in request.user
    assert request.prompt.startswith("combine.en/")
    assert [citation.source for citation in made.citations] == ["b.md", "a.md"]


def test_a_second_look_shows_the_best_hits_too(play: Play, said: Any) -> None:
    """The order changes, the numbers and the choice of hits do not."""
    documents = {f"{n}.md": f"Fulmar {n}\n" + f"The Fulmar costs money in shop {n}. " * 30 for n in range(8)}
    played = play(documents, {"judge": said.lacking({"what": "price"}), "rewriter": "-"}, model__context_chars=800)
    plan = played.roles.plan(ASKED, "standard")
    played.roles.judge(ASKED, plan, played.doors.search(plan.queries[0]), strict=False)
    shown = [re.findall(r'<hit n="(\d)" from="(\S+)', request.user) for request in played.doors.requests]
    assert len(shown) == 2
    assert shown[0] == shown[1][::-1]
    assert [n for n, _ in shown[0]] == ["1", "2", "3"]


def test_writing_may_go_beyond_the_hits(play: Play, said: Any) -> None:
    """Prose without marks is what was asked for; it is shown as not grounded."""
    text = "Dear Ada,\n\nthe Fulmar costs 84 EUR [1]. We would be glad to see you.\n\nYours"
    played = play(PRICES, {"judge": said.enough((1, 95)), "generator": text})
    answer = ask(played, "Write a letter to Ada about the price of the Fulmar")
    assert answer.route == "generative"
    assert answer.status == "disclaimed"
    assert "We would be glad to see you." in answer.text
    assert [citation.source for citation in answer.citations] == ["prices.md"]


@pytest.mark.parametrize("module", ["pydantic", "json_repair", "openai"])
def test_heavy_libraries_wait(module: str) -> None:
    """Every replay of a model's run imports the roles."""
    code = f"import sys, ragheal.answering.model; print({module!r} in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


def test_an_answer_to_another_question_is_not_promised(play: Play, said: Any) -> None:
    """A small verifier calls everything complete; an answer that shares no word with the question is disclaimed."""
    played = play(
        {"a.md": "Packing\nLeave the box open for two hours. The lid has two clips."},
        {
            "judge": said.enough((1, 90)),
            "generator": "Leave the box open for two hours [1].",
            "verifier": {"claims": ["supported"], "complete": True, "useful": 5},
        },
    )
    question = "Which colour have stickers on seized goods?"
    plan = played.roles.plan(question, "standard")
    hits = played.doors.search(Query("box open hours"))
    verdict = played.roles.judge(question, plan, hits, strict=False)
    draft = played.roles.generate(question, plan, hits, verdict, strict=False)
    check = played.roles.verify(question, plan, draft, hits, verdict, strict=False)
    assert check.outcome == "disclaim"
    assert "shares no word with the question" in check.problems
