"""Which runs are worth remembering, and what of them."""

import msgspec
import pytest

from ragheal.memory.distil import distil, for_question, unfit
from ragheal.types import Cached, Check, FaultStep, Plan, Query


def texts(plan):
    return [query.text for query in plan.queries]


def test_the_fewest_queries_that_find_what_was_cited(solved):
    """Trying every query of a long search again would make the second asking as slow as the first."""
    searches = {"first": ["d", "e"], "second": ["a"], "third": ["a", "b"], "fourth": ["c"], "fifth": ["b"]}
    plan = distil(solved("q", searches, cited=["a", "b", "c"], shape="chain"))
    assert texts(plan) == ["third", "fourth"]
    assert plan.shape == "chain"
    assert plan.together
    assert {query.origin for query in plan.queries} == {"plan"}


def test_of_equals_the_one_that_ranks_higher(solved):
    """A chunk at the foot of the list falls out of it when the corpus grows."""
    assert texts(distil(solved("q", {"low": ["d", "e", "a"], "high": ["a", "d"]}, cited=["a"]))) == ["high"]


def test_three_at_most(solved):
    """Four queries at once are no plan; the three that find the most are kept."""
    searches = {"1": ["a"], "2": ["b"], "3": ["c"], "4": ["d", "e"]}
    assert texts(distil(solved("q", searches))) == ["1", "2", "4"]


def test_a_chunk_that_no_search_brought(solved):
    """A neighbour that was read beside a hit is found again beside it; alone it is nothing to plan for."""
    trace = solved("q", {"one": ["a"]}, cited=["a", "h"])
    assert texts(distil(trace)) == ["one"]
    assert distil(solved("q", {"one": ["a"]}, cited=["h"])) is None


def test_filters_and_depth_are_kept(solved):
    """The deeper search is what found it."""
    trace = solved("q", {"one": ["a"]})
    step = msgspec.structs.replace(trace.steps[1], query=Query("one", "deepen", depth=20, paths=("api*",)))
    (query,) = distil(msgspec.structs.replace(trace, steps=(trace.steps[0], step))).queries
    assert (query.depth, query.paths) == (20, ("api*",))


@pytest.mark.parametrize("status", ["partial", "disclaimed", "conflict", "abstained", "direct"])
def test_only_verified_answers(solved, status):
    """A plan learnt from a wrong answer would lead there faster."""
    trace = solved("q", ["one"])
    assert unfit(trace) == ""
    assert unfit(msgspec.structs.replace(trace, answer=msgspec.structs.replace(trace.answer, status=status)))


@pytest.mark.parametrize(
    "change",
    [
        {"check": Check("disclaim", "supported", True, 4)},
        {"check": Check("accept", "partially supported", True, 4)},
        {"check": None},
        {"citations": ()},
        {"degraded": ("reader off: damaged",)},
    ],
)
def test_not_what_was_doubtful(solved, change):
    """One shot calls anything an answer, and a degraded run finds less than it could."""
    trace = solved("q", ["one"])
    assert unfit(msgspec.structs.replace(trace, answer=msgspec.structs.replace(trace.answer, **change)))


def test_not_from_the_cache_a_trial_or_a_fault(solved):
    """Those tell of something else than the plan."""
    assert unfit(solved("q", ["one"], cache=Cached("x", 3.0)))
    assert unfit(solved("q", ["one"], canary=True))
    trace = solved("q", ["one"])
    assert unfit(msgspec.structs.replace(trace, steps=(*trace.steps, FaultStep("judge", "timeout", "60 s"))))


def test_a_full_disk_says_nothing_of_the_answer(solved):
    """Otherwise nothing is learnt in the very folders that need it."""
    trace = solved("q", ["one"])
    answer = msgspec.structs.replace(trace.answer, degraded=("trace not saved: the disk is full",))
    assert unfit(msgspec.structs.replace(trace, answer=answer)) == ""


def test_the_new_question_is_searched_beside_the_plan():
    """A remembered plan can only add to what the question finds on its own."""
    plan = for_question(
        Plan((Query("QPS quota", "plan"), Query("What is the limit?", "plan")), "chain"), "What is the limit"
    )
    assert texts(plan) == ["What is the limit", "QPS quota"]
    assert plan.queries[0].origin == "question"
    assert plan.together
    assert plan.shape == "chain"
