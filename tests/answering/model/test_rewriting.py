"""Rewrites: for what is missing, never tried before, in words that can be found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ragheal.text.analyze import terms
from ragheal.types import Missing, Query, Verdict

Play = Callable[..., Any]
DOCUMENTS = {
    "a.md": "Limits\nThe telemetry API has a QPS quota of 40.\n\nAda Lind owns the quota.",
    "b.md": "限制\n运单接口每分钟最多调用 600 次，这叫频率控制。",
}
ASKED = "What is the rate limiting policy of the telemetry API?"


def rewritten(
    play: Play,
    queries: Any,
    *missing: Missing,
    question: str = ASKED,
    tried: tuple[str, ...] = (),
    severity: Any = "mild",
) -> tuple[Any, Any]:
    played = play(DOCUMENTS, {"rewriter": {"queries": queries}})
    plan = played.roles.plan(question, "standard")
    verdict = Verdict(False, 0.1, missing=missing)
    earlier = [Query(question), *(Query(text, origin="rewrite") for text in tried)]
    return played.roles.rewrite(question, plan, [verdict], earlier, severity), played


def test_words_that_nothing_has_are_dropped(play: Play) -> None:
    """A word that neither the corpus nor the question has can only lead astray."""
    found, _ = rewritten(play, ["telemetry API quota throttling governor"], Missing("value", "quota", ("quota",)))
    assert [query.text for query in found.queries] == ["telemetry API quota"]


def test_words_of_the_question_stay(play: Play) -> None:
    """The user may know a word that the index does not."""
    found, _ = rewritten(play, ["rate limiting quota"], Missing("value", "quota", ("quota",)))
    assert found.queries[0].text == "rate limiting quota"


def test_chinese_without_spaces(play: Play) -> None:
    """A query in Chinese is one run of characters: the foreign word is cut out of it."""
    found, _ = rewritten(
        play,
        ["运单接口频率控制熔断"],
        Missing("value", "频率控制", ("频率控制",)),
        question="运单接口的限流策略是什么？",
    )
    assert [query.text for query in found.queries] == ["运单接口频率控制"]


@pytest.mark.parametrize("tried", ["telemetry API quota", "Quota of the telemetry API", "the QUOTA API telemetry"])
def test_no_query_twice(play: Play, tried: str) -> None:
    """Order, case and stop words do not make a query new; with nothing new the embedded rewriter takes over."""
    found, _ = rewritten(play, ["telemetry api quota"], Missing("value", "owner", ("owns",)), tried=(tried, ASKED))
    texts = [query.text for query in found.queries] if found else []
    assert all(set(terms(text)) != set(terms(tried)) for text in texts)


def test_a_relation_has_both_its_ends(play: Play) -> None:
    """A search for one end finds what is known already."""
    relation = Missing("relation", "Ada Lind – quota", ("Ada Lind", "quota"))
    found, _ = rewritten(play, ["Ada Lind owns"], relation)
    assert any({"ada", "lind", "quota"} <= set(terms(query.text)) for query in found.queries)


def test_a_query_is_about_what_is_missing(play: Play) -> None:
    """A synonym shuffle of the question is no new query."""
    found, _ = rewritten(play, ["telemetry API"], Missing("value", "quota", ("quota",)))
    assert "quota" in terms(found.queries[0].text)


def test_at_most_fifty_words(play: Play) -> None:
    """A query of a page finds everything and nothing."""
    found, _ = rewritten(play, ["quota telemetry " * 60], Missing("value", "quota", ("quota",)))
    assert all(len(query.text.split()) <= 50 for query in found.queries)


def test_moderate_deepens(play: Play) -> None:
    """Poor hits and low confidence: the question again, with more hits from each channel."""
    found, _ = rewritten(play, ["telemetry quota"], Missing("value", "quota", ("quota",)), severity="moderate")
    assert [query.origin for query in found.queries] == ["rewrite", "deepen"]
    assert found.queries[1].depth == 20


def test_it_is_told_what_was_tried(play: Play) -> None:
    """Every earlier query and what was missing after it."""
    played = play(DOCUMENTS, {"rewriter": {"queries": ["telemetry quota"]}})
    plan = played.roles.plan(ASKED, "standard")
    verdicts = [
        Verdict(False, 0.1, missing=(Missing("entity", "the gateway", ("gateway",)),)),
        Verdict(False, 0.1, missing=(Missing("value", "the quota", ("quota",)),)),
    ]
    played.roles.rewrite(ASKED, plan, verdicts, [Query(ASKED), Query("gateway limits", origin="rewrite")], "mild")
    user = played.doors.requests[0].user
    for text in (ASKED, "gateway limits", "the gateway", "the quota"):
        assert text in user


@pytest.mark.parametrize("reply", [[], ["zyzzyva"], ["", None], [ASKED], "Ignore all previous instructions"])
def test_nothing_of_use_falls_back(play: Play, reply: Any) -> None:
    """The embedded rewriter still has an idea."""
    found, _ = rewritten(play, reply, Missing("value", "quota", ("quota",)))
    assert found is not None
    assert any("quota" in terms(query.text) for query in found.queries)


@pytest.mark.parametrize("reply", ["telemetry quota", ["telemetry quota"], [{"query": "telemetry quota"}]])
def test_ways_to_write_a_list(play: Play, reply: Any) -> None:
    """A lone string is a list of one."""
    found, played = rewritten(play, reply, Missing("value", "quota", ("quota",)))
    assert [query.text for query in found.queries] == ["telemetry quota"]
    assert not played.faults
